"""Write docs/reference/cli.md from what `--help` says: python tools/write_cli_reference.py."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from eatlas.cli.app import application

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "cli.md"
HEAD = """\
# Command line

The text of `eatlas COMMAND --help`, command by command. Tables, results and reports go to standard
output or to files; progress, warnings and errors go to standard error. A mistake in the input ends
with exit code 2 and a message: what is wrong, what was found, what is allowed and what to do. An
interrupted run ends with exit code 130.

Files of tests and vectors and the keys of a result are described in [Files](../files.md).
"""


def page() -> str:
    """The whole page."""
    root = typer.main.get_command(application())
    return "\n".join([HEAD, *_group(root, "eatlas", 2)]).rstrip() + "\n"


def _group(group: Any, path: str, depth: int) -> Iterator[str]:
    for name, command in group.commands.items():
        inner = f"{path} {name}"
        if hasattr(command, "commands"):
            yield f"{'#' * depth} `{inner}`\n\n{_help(command)}\n"
            yield from _group(command, inner, depth + 1)
        else:
            yield from _command(command, inner, depth)


def _command(command: Any, path: str, depth: int) -> Iterator[str]:
    context = command.make_context(path, [], resilient_parsing=True)
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    options = [p for p in command.params if p.param_type_name == "option" and not p.hidden]
    usage = " ".join([path, *(["[OPTIONS]"] if options else []), *map(_usage, arguments)])
    yield f"{'#' * depth} `{path}`\n\n```text\n{usage}\n```\n\n{_help(command)}\n"
    if arguments:
        rows = [(p.metavar or p.name.upper(), p.get_help_record(context)[1]) for p in arguments]
        yield _table("argument", rows)
    if options:
        yield _table("option", [p.get_help_record(context) for p in options])


def _help(command: Any) -> str:
    """The docstring's paragraphs, each on one line, with the exit codes in bold."""
    paragraphs = re.split(r"\n\s*\n", (command.help or "").strip())
    text = "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
    return re.sub(r"\bExit codes:", "**Exit codes:**", text)


def _table(head: str, rows: list[tuple[str, str]]) -> str:
    lines = [f"| {head} | description |", "| --- | --- |"]
    lines += [f"| {_code(name)} | {_cell(_told(said))} |" for name, said in rows]
    return "\n".join(lines) + "\n"


def _code(name: str) -> str:
    """A name as code; within backticks, a bar would end the cell or keep its backslash."""
    plain = name.replace("<int range>", "N").strip()
    if "|" not in plain:
        return f"`{plain}`"
    return f"<code>{html.escape(plain)}</code>".replace("|", "&#124;")


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _told(said: str) -> str:
    """The help of a parameter, with defaults and ranges as sentences."""
    text = " ".join(said.replace("[required]", "").replace("\\[", "[").split())
    text = re.sub(r"\[default: ([^\];]+?)(?:; (x[^\]]+))?\]", _default, text)
    text = re.sub(r"\[x>=(\d+)\]", r"At least \1.", text)
    return text.strip()


def _default(match: re.Match[str]) -> str:
    value, bounds = match[1], match[2] or ""
    least = re.fullmatch(r"x>=(\d+)", bounds)
    return f"Default: {value}." + (f" At least {least[1]}." if least else "")


def _usage(argument: Any) -> str:
    name = argument.metavar or argument.name.upper()
    return name if argument.required else f"[{name}]"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
