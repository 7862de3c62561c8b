"""Results in several settings side by side, as text, HTML and LaTeX."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eatlas.present.columns import Cell, Column, Table
from eatlas.present.numbers import UNDEFINED, effect, number_of
from eatlas.present.tables import html, latex
from eatlas.present.text import one_line
from eatlas.results import AssociationResult
from eatlas.results.settings import Settings

if TYPE_CHECKING:
    from eatlas.results.compare import SideBySide

STARS = "* significant as each measure reads its p-value."


def summary(found: SideBySide) -> str:
    """How many rows and columns there are, and how many patterns differ."""
    rows = number_of(len(found), "setting" if found.by == "test" else "test")
    patterned = [row for row in found if any(row.labels)]
    noun = Settings.among(found.results).noun if found.by == "setting" else found.by
    size = f"{rows}, {number_of(len(found.values), noun)}"
    if not patterned:
        return size
    many = len(found.changed)
    if not many:
        return f"{size}; no EAT pattern differs"
    return f"{size}; {number_of(many, 'EAT pattern')} {'differs' if many == 1 else 'differ'}"


def plain(found: SideBySide) -> str:
    """A table in plain text: effect size of level 1 and EAT pattern by setting."""
    head = [_first(found), *found.values, "differs"]
    lines = [head]
    for row in found:
        cells = [" ".join(cell_of(one)) if one is not None else UNDEFINED for one in row.members]
        lines.append([row.name, *cells, row.differs])
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    text = [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    ]
    return "\n".join([summary(found), *text])


def _first(found: SideBySide) -> str:
    return "setting" if found.by == "test" else "test"


def cell_of(result: AssociationResult) -> tuple[str, ...]:
    """The first effect size, with a star, and the EAT pattern where the measure has one."""
    effects = result.effects()
    d = effect(effects[0].d) + effects[0].star if effects else result.summary()
    return (d,) if result.pattern is None else (d, result.primary.label)


def table_of(found: SideBySide) -> Table:
    """A table for a manuscript: a row for each effect size, a column for each setting."""
    with_patterns = any(any(row.labels) for row in found)
    columns = [
        Column(_first(found).capitalize()),
        Column("Effect size"),
        *(Column(one_line(value), number=True) for value in found.values),
    ]
    rows = []
    for row in found:
        for number, place in enumerate(row.places):
            title = next(one.title for one in row.effects(place) if one is not None)
            cells = [
                Cell((effect(one.d),), star=bool(one.star)) if one else Cell((UNDEFINED,))
                for one in row.effects(place)
            ]
            name = Cell((one_line(row.name) if number == 0 else "",), strong=number == 0)
            rows.append((name, Cell((title,)), *cells))
        if with_patterns:
            labels = (Cell((label or UNDEFINED,), strong=bool(row.differs)) for label in row.labels)
            rows.append((Cell(("",)), Cell(("EAT pattern",)), *labels))
    return Table(
        id=f"by-{found.by}",
        caption=f"Effect sizes by {found.by}: {summary(found)}.",
        columns=tuple(columns),
        rows=tuple(rows),
        notes=(STARS, *(("Patterns in bold differ between the columns.",) * with_patterns)),
    )


def latex_of(found: SideBySide) -> str:
    """The table in LaTeX."""
    return latex([table_of(found)])


def html_of(found: SideBySide) -> str:
    """The table in HTML, for notebooks."""
    return html([table_of(found)])
