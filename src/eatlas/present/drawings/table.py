"""The number of each result, sources or tests in rows, each measure on an axis of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from eatlas.numbers import number_of
from eatlas.present.drawings.forest import key_of
from eatlas.present.drawings.sheet import Drawing, Sheet, below
from eatlas.present.drawings.svg import (
    LEFT,
    Axis,
    aside,
    broken,
    ends_within,
    estimate,
    gray_mark,
    label,
    short,
    text_lines,
)
from eatlas.present.effects import levels_of, number_of_result
from eatlas.present.findings import findings_of
from eatlas.present.text import isolate, pixels
from eatlas.results import AssociationResult
from eatlas.results.cells import Key, arrange_cells
from eatlas.results.compare import value_in
from eatlas.results.effects import Effect
from eatlas.results.parts import at
from eatlas.results.settings import Settings

IN_ROWS = ("test", "source", "period", "window", "distance")
"""What rows may differ in; layers and prompts are in the names of sources."""
LETTERS, ROW = 12.0, 24.0
LEAST_COLUMN = 140.0
"""Pixels of a column; if there are more measures than fit, the others are below."""
LEFT_OUT = "A group of measures has no row for what none of them measured."
NUMBER = 50.0
"""Pixels of a number beside its axis."""


def draw_table(results: Sequence[AssociationResult], width: float) -> Drawing:
    """The number of each result with its mark: tests and sources in rows, measures in columns."""
    settings = Settings.from_results(results)
    differing = [by for by in IN_ROWS if len({value_in(r, by, settings) for r in results}) > 1]
    respects = differing or ["source"]
    cells, heads = arrange_cells(results, respects, "measure")
    shown = dict(zip(map(id, results), map(levels_of, results, findings_of(results)), strict=True))
    columns = [_Column.of(head, cells, shown) for (head,) in heads]
    longest = max(pixels(isolate(", ".join(row)), LETTERS) for row in cells)
    names = LEFT + min(0.34 * width, 240.0, longest + 12)
    number = max(1, int((width - names) // LEAST_COLUMN))
    bands = [columns[i : i + number] for i in range(0, len(columns), number)]
    counts = {by: len({row[i] for row in cells}) for i, by in enumerate(respects)}
    counts["measure"] = len(heads)
    return below(
        (_band(band, _rows_of(band, cells), names, width) for band in bands),
        about=", ".join(number_of(count, by) for by, count in counts.items()),
        key=key_of(results, (e for column in columns for e in column.marks.values() if e)),
        notes=("Each measure has a scale of its own.",) + (LEFT_OUT,) * (len(bands) > 1),
    )


@dataclass(frozen=True)
class _Column:
    """The numbers of one measure."""

    head: str
    cells: Mapping[Key, AssociationResult]
    """By row."""
    marks: Mapping[Key, Effect | None]
    """The effect size of each result as a whole; None of a measure of single terms."""

    @classmethod
    def of(
        cls,
        head: str,
        cells: Mapping[Key, Mapping[Key, AssociationResult]],
        shown: Mapping[int, Sequence[Effect]],
    ) -> _Column:
        """Take the results of a measure from all cells."""
        own = {row: members[(head,)] for row, members in cells.items() if (head,) in members}
        marks = {row: next(iter(shown[id(result)]), None) for row, result in own.items()}
        return cls(head, own, marks)

    @property
    def first(self) -> AssociationResult:
        """A result, for what all have in common."""
        return next(iter(self.cells.values()))

    @property
    def unit(self) -> str:
        """What the numbers are, unless the head says it."""
        effects = self.first.effects()
        symbol, of_terms = effects[0].symbol, effects[0].term is not None
        if symbol == "d":
            return "mean of effect sizes d" if of_terms else "effect size d"
        unit = at(self.first, "whole.unit") or symbol
        return "" if unit.upper() == self.head.upper() else unit

    @property
    def neutral(self) -> float | None:
        """The number without bias; None if no number is."""
        scale = getattr(self.first, "whole", None)
        neutral: float | None = 0.0 if scale is None else scale.neutral
        return neutral

    @property
    def right(self) -> str:
        """What larger numbers are associated with, if it is the same for all."""
        ends = {_larger(result) for result in self.cells.values()}
        larger = ends.pop() if len(ends) == 1 else None
        return f"{larger} →" if larger else ""

    def axis(self, start: float, end: float) -> Axis:
        """An axis that holds all numbers and the neutral one."""
        marks = [mark for mark in self.marks.values() if mark]
        known = [result.value for result in self.cells.values()]
        values = [*known, *(end for mark in marks for end in ends_within(mark)), self.neutral]
        numbers = [value for value in values if value is not None]
        return Axis.with_margin(numbers or [0.0], start, end).sparse()


def _rows_of(columns: Sequence[_Column], cells: Iterable[Key]) -> list[Key]:
    """The rows that have a number in some of the columns."""
    return [row for row in cells if any(row in column.cells for column in columns)]


def _larger(result: AssociationResult) -> str | None:
    """What larger numbers of a result are associated with; None if they have no direction."""
    if result.effects()[0].symbol == "d":
        return result.sides[-1][0]
    larger: str | None = at(result, "whole.larger")
    return larger


def _band(columns: Sequence[_Column], rows: Sequence[Key], names: float, width: float) -> Drawing:
    """Some measures in a row of columns."""
    sheet, column = Sheet(width), (width - names) / len(columns)
    lefts = [names + column * i for i in range(len(columns))]
    axes = [c.axis(x + 12, x + column - NUMBER) for c, x in zip(columns, lefts, strict=True)]
    heads = [broken(measure.head, column - 12, 4, LETTERS) for measure in columns]
    written = [
        text_lines(lines, x + 4, 16, size=LETTERS, font_weight=700)
        for lines, x in zip(heads, lefts, strict=True)
    ]
    sheet.begin(12 + 15.0 * max(map(len, heads)))
    phrases = []
    for row in rows:
        y, said = sheet.y + ROW / 2, []
        lines = broken(", ".join(row), names - LEFT - 8, 6, LETTERS)
        first = y + 4 - 7.0 * (len(lines) - 1)
        sheet.add(text_lines(lines, LEFT, first, step=14, size=LETTERS))
        for measure, axis, x in zip(columns, axes, lefts, strict=True):
            if (result := measure.cells.get(row)) is None:
                sheet.add(aside("no result", x + column - 8, y + 4, anchor="end"))
                continue
            number = number_of_result(result)
            sheet.add(_mark(measure.marks[row], result.value, axis, y))
            sheet.add(label(number, x + column - 8, y + 4, size=LETTERS, anchor="end"))
            said.append(f"{measure.head} {number}")
        phrases.append(f"{isolate(', '.join(row))}: {', '.join(said) or 'no result'}")
        sheet.y += max(ROW, 14.0 * len(lines) + 5)
        sheet.end_block()
    around = _grids(columns, axes, column)
    return sheet.close(f"{'; '.join(phrases)}.", heads=tuple(written), around=around)


def _mark(shown: Effect | None, value: float | None, axis: Axis, y: float) -> str:
    """The mark of a number; gray if it is the mean of the effect sizes of single terms."""
    if value is None:
        return ""
    if shown is None or shown.d != value:
        return gray_mark(axis.at(value), y)
    return estimate(shown, axis, y, shown.symbol)


def _grids(
    columns: Sequence[_Column], axes: Sequence[Axis], column: float
) -> Callable[[float, float], tuple[str, float]]:
    """Lines and numbers of all axes, with their units and directions below."""

    def draw(first: float, last: float) -> tuple[str, float]:
        parts = ""
        for measure, axis in zip(columns, axes, strict=True):
            middle = (axis.start + axis.end) / 2
            parts += axis.grid(first, last, strong=measure.neutral)
            for text, y in ((measure.unit, last + 32), (measure.right, last + 47)):
                parts += aside(short(text, column - 16, 11), middle, y) if text else ""
        return parts, last + 52

    return draw
