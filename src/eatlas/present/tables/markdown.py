"""Markdown as GitHub reads it: a pipe table, its caption above and its notes below."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from eatlas.present.tables.content import Cell, Column, Table

# GitHub takes a dollar for mathematics even behind a backslash, @ for a person, # for an issue
_SPECIAL = {char: f"\\{char}" for char in "\\`*_[]|~"} | {
    "&": "&amp;", "<": "&lt;", ">": "&gt;", "$": "<span>$</span>", "@": "<span>@</span>",
    "#": "<span>#</span>",
}  # fmt: skip
_EMOJI = re.compile(r":(?=[\w+-]+:)")


def escape(text: str) -> str:
    r"""Write a text so that it stands in a cell as it is.

    Examples
    --------
    >>> print(escape("A|B *is* <b>"))
    A\|B \*is\* &lt;b&gt;
    """
    safe = "".join(_SPECIAL.get(char, char) for char in text)
    return _EMOJI.sub("<span>:</span>", safe)


def markdown(tables: Iterable[Table]) -> str:
    """Write tables as GitHub Flavored Markdown."""
    return "\n".join("\n".join(_lines(table)) + "\n" for table in tables)


def _lines(table: Table) -> Iterator[str]:
    yield f"**{escape(table.caption)}**"
    yield ""
    yield _row(_title(column) for column in table.columns)
    yield _row("---:" if column.number else "---" for column in table.columns)
    for row in table.rows:
        yield _row(map(_cell, row))
    for note in table.notes:
        yield ""
        yield escape(note)


def _title(column: Column) -> str:
    """A pipe table has one head alone, so a group's name stands above each of its columns'."""
    title = escape(column.title)
    return f"{escape(column.group)}<br>{title}" if column.group else title


def _cell(cell: Cell) -> str:
    first, *others = map(escape, cell.lines)
    if cell.strong:
        first = f"**{first}**"
    if cell.star:
        first += "\\*"
    return "<br>".join([first, *others])


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
