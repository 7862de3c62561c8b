"""HTML: bare tables to paste into a page or a word processor; pure ASCII, so no encoding errs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from eatlas.present.tables.content import Cell, Column, Table


def html(tables: Iterable[Table]) -> str:
    """Write tables as HTML elements, without style of their own but the alignment."""
    text = "\n".join("\n".join(_lines(table)) + "\n" for table in tables)
    return text.encode("ascii", "xmlcharrefreplace").decode()


def _lines(table: Table) -> Iterator[str]:
    yield "<table>"
    yield f"<caption>{escape(table.caption)}</caption>"
    yield "<thead>"
    yield from _head(table)
    yield "</thead>"
    yield "<tbody>"
    for row in table.rows:
        pairs = enumerate(zip(table.columns, row, strict=True))
        cells = (_cell(column, cell, first=not place) for place, (column, cell) in pairs)
        yield f"<tr>{''.join(cells)}</tr>"
    yield "</tbody>"
    if table.notes:
        span = len(table.columns)
        notes = escape(" ".join(table.notes))
        yield f'<tfoot><tr><td colspan="{span}">{notes}</td></tr></tfoot>'
    yield "</table>"


def _head(table: Table) -> Iterator[str]:
    groups = table.groups()
    if any(name for name, _ in groups):
        cells = [
            f'<th scope="colgroup" colspan="{n}">{escape(name)}</th>'
            if name
            else f'<td colspan="{n}"></td>'
            for name, n in groups
        ]
        yield f"<tr>{''.join(cells)}</tr>"
    titles = (f'<th scope="col"{_align(c)}>{escape(c.title)}</th>' for c in table.columns)
    yield f"<tr>{''.join(titles)}</tr>"


def _cell(column: Column, cell: Cell, *, first: bool) -> str:
    head, *others = map(escape, cell.lines)
    shown = f"<strong>{head}</strong>" if cell.strong else head + "*" * cell.star
    text = "<br>".join([shown, *others])
    if first:
        return f'<th scope="row" dir="auto">{text}</th>'
    return f"<td{_align(column)}>{text}</td>" if column.number else f'<td dir="auto">{text}</td>'


def _align(column: Column) -> str:
    return ' align="right"' if column.number else ""
