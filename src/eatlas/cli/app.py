"""The commands together, and the one place where an error becomes an exit code."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from eatlas.cli import report, run, tests, verify
from eatlas.cli.say import complain
from eatlas.errors import EatlasError
from eatlas.version import __version__

app = typer.Typer(
    name="eatlas",
    help="Embedding association tests you can trust, explain and publish.",
    epilog="Start with: eatlas run",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("run")(run.run)
app.command("report")(report.report)
app.command("verify")(verify.verify)
app.add_typer(tests.app, name="tests")


def _print_version(wanted: bool) -> None:  # noqa: FBT001  (typer hands it over so)
    if wanted:
        typer.echo(f"eatlas {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", is_eager=True, callback=_print_version
        ),
    ] = False,
) -> None:
    """Take the options that stand before a command."""


def main() -> None:
    """Run the command line; a user's mistake ends in a message and exit code 2."""
    try:
        app(prog_name="eatlas")
    except EatlasError as error:
        complain(error)
        sys.exit(2)
    except KeyboardInterrupt:
        complain("interrupted")
        sys.exit(130)
    except BrokenPipeError:
        # the reader of our output has left, for example `eatlas run | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
