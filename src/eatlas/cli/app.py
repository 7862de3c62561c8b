"""The commands together, and the one place where an error becomes an exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from eatlas.cli.messages import complain, remark, warnings_in_words
from eatlas.cli.options import Commands
from eatlas.errors import EatlasError
from eatlas.version import __version__


class _Interruptible(TyperGroup):
    """All commands; what typer does about Ctrl-C depends on its version."""

    def invoke(self, ctx: Any) -> object:  # a class of typer's own or of click, by version
        """Do what a command does; Ctrl-C ends it with one line."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as interruption:
            remark("; ".join(["interrupted", *getattr(interruption, "__notes__", ())]))
            raise typer.Exit(130) from interruption


OUT_OF_MEMORY = "read smaller files, or raise the limit of the system (ulimit -v, a container's)"

COMMANDS = (
    "run", "ask", "views", "multiverse", "replicate", "protocol", "atlas", "contexts", "annotate",
    "explore", "report", "scan", "text", "embed", "vectors", "verify", "tests", "cache",
)  # fmt: skip
"""Modules of commands, or of groups of them, in the order of the help."""


def application(names: Sequence[str] = COMMANDS) -> Commands:
    """The command line with all commands, or with some; only their modules are imported."""
    app = Commands(
        name="eatlas",
        cls=_Interruptible,
        help="Embedding association tests you can trust, explain and publish.",
        epilog="Start with: eatlas run",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options)
    for name in names:
        module = import_module(f"eatlas.cli.{name}")
        if hasattr(module, "app"):
            app.add_typer(module.app, name=name)
        else:
            app.command()(getattr(module, name))
    return app


def _print_version(wanted: bool) -> None:  # noqa: FBT001  (typer hands it over so)
    if wanted:
        typer.echo(f"eatlas {__version__}")
        raise typer.Exit


VERSION = typer.Option(
    "--version", metavar="", help="Print the version.", is_eager=True, callback=_print_version
)


def _options(
    version: Annotated[bool, VERSION] = False,
) -> None:
    """Take the options that precede a command."""


def run_app() -> None:
    """Run the command line; a user's mistake ends in a message and exit code 2."""
    try:
        with warnings_in_words():
            command = sys.argv[1] if len(sys.argv) > 1 else ""
            application([command] if command in COMMANDS else COMMANDS)(prog_name="eatlas")
    except (EatlasError, MemoryError) as error:
        out_of_memory = EatlasError("the process ran out of memory", remedy=OUT_OF_MEMORY)
        complain(out_of_memory if isinstance(error, MemoryError) else error)
        sys.exit(2)
    except BrokenPipeError:
        # the reader of our output has left, for example `eatlas run | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
    except OSError as error:  # a folder that cannot be looked into, a name that is too long
        from eatlas.writing import remedy_of  # noqa: PLC0415  (only a fault waits for it)

        path = error.filename if isinstance(error.filename, str) else "the system"
        what, got = f"{path}: this is not possible", error.strerror or str(error)
        complain(EatlasError(what, got=got, remedy=remedy_of(error)))
        sys.exit(2)
