"""Write docs/reference/cli/ from what `--help` says: python tools/write_cli_reference.py."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from eatlas.cli.app import application

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "reference" / "cli"
HEAD = """\
# Command line

What `eatlas COMMAND --help` prints, command by command. Tables, results and reports go to standard
output or to files; progress, warnings and errors go to standard error. A mistake in the input ends
with exit code 2 and a message: what is wrong, what was found, what is allowed and what to do. An
interrupted run ends with exit code 130, and a run whose results do not pass a
[gate](../../how-to/continuous-integration.md) with exit code 3.

Files of tests and vectors and the keys of a result are described in [Files](../../files.md).

| command | description |
| --- | --- |
"""


def pages() -> dict[str, str]:
    """Every page by its name: the list of commands, and each command or group of commands."""
    root = typer.main.get_command(application())
    made = {"index": HEAD + "\n".join(_rows(root, "eatlas", None)) + "\n"}
    for name, command in root.commands.items():
        made[name] = "\n".join(_page(command, f"eatlas {name}")).rstrip() + "\n"
    return made


def _rows(group: Any, path: str, page: str | None) -> Iterator[str]:
    """A row for each command of a group, with its first sentence."""
    for name, command in group.commands.items():
        inner = f"{path} {name}"
        if hasattr(command, "commands"):
            yield from _rows(command, inner, name)
        else:
            anchor = f"#{inner.replace(' ', '-')}" if page else ""
            first = re.split(r"(?<=[.])\s", " ".join((command.help or "").split()))[0]
            yield f"| [`{inner}`]({page or name}.md{anchor}) | {_cell(first)} |"


def _page(command: Any, path: str) -> Iterator[str]:
    if not hasattr(command, "commands"):
        yield from _command(command, path, 1)
        return
    yield f"# `{path}`\n\n{_help(command)}\n"
    for name, inner in command.commands.items():
        yield from _command(inner, f"{path} {name}", 2)


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
    text = re.sub(r"\[default: (.+?)(?:; (x[^\]]+))?\]", _default, text)
    text = re.sub(r"\[x>=(\d+)\]", r"At least \1.", text)
    return re.sub(r"(?<![\w`-])--[a-z][a-z-]*", r"`\g<0>`", text.strip())  # one word, never broken


def _default(match: re.Match[str]) -> str:
    value, bounds = match[1], match[2] or ""
    least = re.fullmatch(r"x>=(\d+)", bounds)
    return f"Default: {value}." + (f" At least {least[1]}." if least else "")


def _usage(argument: Any) -> str:
    name = argument.metavar or argument.name.upper()
    optional = re.fullmatch(r"\[[^\]]*\](\.\.\.)?", name)
    return name if argument.required or optional else f"[{name}]"


if __name__ == "__main__":
    for name, text in pages().items():
        (FOLDER / f"{name}.md").write_text(text, encoding="utf-8")
