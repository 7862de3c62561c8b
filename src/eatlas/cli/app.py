"""The commands together, and the one place where an error becomes an exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Container, Mapping, Sequence
from copy import copy
from importlib import import_module
from importlib.metadata import EntryPoint
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from eatlas.cli.messages import complain, remark, warnings_in_words
from eatlas.cli.options import Commands
from eatlas.errors import EatlasError
from eatlas.plugins import absent, is_own, load_point, points, siblings, unusable, usable
from eatlas.version import __version__
from eatlas.writing import remedy_of

Command = typer.Typer | Callable[..., Any]
"""A group of commands, or the function of a single command."""
Reading = Callable[[EntryPoint], Command]
"""Makes a command of an entry point."""


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

POINTS = "eatlas.commands"
COMMAND = "a function whose parameters have types, or an app of typer"
COMMANDS = {
    "run": "Run association tests, and tests of groups, on vectors.",
    "plot": "Draw results files as a figure for a paper: PDF, SVG or PNG.",
    "report": "Make a report of results files: one self-contained HTML page, tables, or texts.",
    "vectors": "List and fetch published vectors; transform any.",
    "verify": "Recompute each result, trend and scan for themes, and list the ones that differ.",
    "tests": "List, show, check and import tests; turn words into sentences.",
    "cache": "List and clear the cache: vectors of encoders, answers of language models.",
}
"""Commands of eatlas itself, a module of this folder each, and the first lines of their help."""


def application(arguments: Sequence[str] | None = None) -> Commands:
    """The command line with all commands, or with the one that arguments begin with.

    Only the module of that command is imported. If arguments begin with none, commands of eatlas
    and its packages are listed by the first lines of their help, and no module is imported.
    """
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
    if arguments is None:
        _add(app, {name: _own(name) for name in COMMANDS} | _plugin_commands("", "", COMMANDS))
        return app
    first, second = (*arguments, "", "")[:2]
    if first in COMMANDS:
        _add(app, {first: _own(first, second, _help_of_point)})
        return app
    added = _plugin_commands("", first, COMMANDS, _help_of_point)
    if list(added) != [first]:
        _add(app, {name: _empty_command(line) for name, line in COMMANDS.items()})
    _add(app, added)
    return app


def _add(app: Commands, commands: Mapping[str, Command]) -> None:
    """Add commands, and groups of commands, by name."""
    for name, command in commands.items():
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name)
        else:
            app.command(name)(command)


def _command(point: EntryPoint) -> Command:
    """The command that an entry point names, once typer can make it."""
    command: Command = load_point(point)
    alone = Commands()
    try:
        _add(alone, {point.name: command})
        typer.main.get_command(alone)
    except Exception as error:  # whatever typer makes of another package's function
        raise unusable(point, f"{point.value} is no command", error, COMMAND) from error
    return command


def _help_of_point(point: EntryPoint) -> Command:
    """A command for the help alone, made without its module if a package of eatlas brings it."""
    for groups in siblings().values():
        if is_own(point) and point.name in groups.get("commands", ()):
            return _empty_command(groups["commands"][point.name])
    return _command(point)


def _empty_command(help_: str) -> Command:
    """A command that does nothing, with a help."""

    def command() -> None: ...

    command.__doc__ = help_
    return command


def _own(name: str, wanted: str = "", others: Reading = _command) -> Command:
    """A command of eatlas itself; to a group of commands packages add theirs."""
    module = import_module(f"eatlas.cli.{name}")
    if not hasattr(module, "app"):
        command: Command = getattr(module, name)
        return command
    group: Commands = module.app
    own = [command.name for command in group.registered_commands]
    if wanted in own:
        return group
    whole = copy(group)
    whole.registered_commands = list(group.registered_commands)
    _add(whole, _plugin_commands(name, wanted, [f"{name}.{command}" for command in own], others))
    return whole


def _plugin_commands(
    group: str, wanted: str, own: Container[str], others: Reading = _command
) -> dict[str, Command]:
    """Commands that packages add to a group, by package and name; or only the wanted one.

    The commands of the group "vectors" are called "vectors.NAME", those of none "NAME". `others`
    makes those that are not wanted.
    """
    name = f"{group}.{wanted}" if group else wanted
    added = points(POINTS, own)
    if name in added and _group_of(name) == group:
        return {wanted: _command(added[name])}
    if error := absent("commands", name):
        raise error
    commands = usable(
        POINTS, own, lambda point: others(point) if _group_of(point.name) == group else None
    )
    found = ((name.rpartition(".")[2], command) for name, command in commands.items())
    return {name: command for name, command in found if command is not None}


def _group_of(name: str) -> str:
    return name.rpartition(".")[0]


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
            application(sys.argv[1:])(prog_name="eatlas")
    except (EatlasError, MemoryError) as error:
        out_of_memory = EatlasError("the process ran out of memory", remedy=OUT_OF_MEMORY)
        complain(out_of_memory if isinstance(error, MemoryError) else error)
        sys.exit(2)
    except BrokenPipeError:
        # the reader of our output has left, for example `eatlas run | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
    except OSError as error:  # a folder that cannot be looked into, a name that is too long
        path = error.filename if isinstance(error.filename, str) else "the system"
        what, got = f"{path}: this is not possible", error.strerror or str(error)
        complain(EatlasError(what, got=got, remedy=remedy_of(error)))
        sys.exit(2)
