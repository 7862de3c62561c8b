"""Tests in several settings as tables for a terminal: side by side, and what one choice changes."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.table import Table
from rich.text import Text

from eatlas.cli.console import ON, least_width, show, table_of
from eatlas.present.comparison import comparisons
from eatlas.present.drawings.eat_map import EATMap
from eatlas.present.family import DeclaredFamily
from eatlas.present.numbers import UNDEFINED, number_of
from eatlas.present.sections import sections
from eatlas.present.side_by_side import cell_of, summary
from eatlas.results import AssociationResult, Results
from eatlas.results.compare import SideBySide, side_by_side, told_apart
from eatlas.results.settings import Settings

MEANT = (
    "d at level 1 (* as above) and the EAT pattern, with its map: rows A and B, columns X and Y."
)
MAPS = "EAT-Maps: rows A and B, columns X and Y, a filled square where they are associated."


def print_matrix(console: Console, results: Results) -> None:
    """Print tests by settings, where there are several settings of the same tests."""
    known = [
        result
        for result in results
        if result.pattern is not None or any(one.place == "level1" for one in result.effects())
    ]
    tests = {one.test for one in known}
    if len(known) < 2 or len(tests) == len(known) or any(one.by_target for one in known):
        return
    if any(one.period is not None for one in known):
        return  # a series has its trend
    found = side_by_side(known)
    title = f"\nSide by side: {summary(found)}."
    if shared := Settings.among(known).common:
        title = f"\n{shared}, side by side: {summary(found)}."
    show(console, Text(title, style="bold"))
    table, legend = next(
        (pair for pair in _tables(found) if least_width(pair[0], console) <= console.width),
        (_narrow(found), ""),
    )
    show(console, table)
    if legend:
        show(console, Text(legend, "dim"))


def _tables(found: SideBySide) -> Iterator[tuple[Table, str]]:
    """The table with patterns in words, then with maps alone, for narrow terminals."""
    patterned = any(any(row.labels) for row in found)
    yield _table(found, words=True), MEANT if patterned else ""
    if patterned:
        yield _table(found, words=False), MAPS


def _table(found: SideBySide, *, words: bool) -> Table:
    """Table of tests by settings; cells hold sentences if `words`, else little maps and marks."""
    changed = any(row.differs for row in found)
    values = [value if words else "\n".join(value.split()) for value in found.values]
    heads = ["Test", *values, *["Differs"] * changed]
    rows: list[list[str | Text]] = []
    for row in found:
        cells = [_cell(one, words=words) for one in row.members]
        # what differs, on a line for each pattern
        differs = row.differs.replace(" → ", " →\n").replace(", ", ",\n")
        rows.append([Text(row.name, "bold"), *cells, *[differs] * changed])
    return table_of(heads, rows, "l" * len(heads), folds=False)


def _narrow(found: SideBySide) -> Table:
    """What differs alone, where there are more settings than fit beside each other."""
    heads = ("Test", f"EAT patterns in {number_of(len(found.values), 'setting')}")
    rows = []
    for row in found:
        said = row.differs or f"{next(filter(None, row.labels), UNDEFINED)} in all"
        rows.append((Text(row.name, "bold"), said.replace(", ", ",\n")))
    return table_of(heads, rows, "ll")


def _cell(result: AssociationResult | None, *, words: bool) -> Text:
    """The map of a result, beside it the effect size of level 1 and the pattern."""
    if result is None:
        return Text(UNDEFINED, "dim")
    said = cell_of(result)
    if result.pattern is None:
        return Text(said[0])
    text = Text()
    for number, squares in enumerate(EATMap.of(result).glyphs()):
        text.append("\n" * number).append(squares, "dim")
        if words:
            bold = said[number].endswith("*")
            text.append(f" {said[number]}", "bold" * bold)
    text.highlight_regex(*ON)
    return text


def print_comparisons(console: Console, results: Results, family: DeclaredFamily) -> None:
    """Say how findings move with prompt, layer, window or distance; what random weights show.

    Model and measure are named where the test alone does not distinguish comparisons.
    """
    shown = sections(results, family, dots=False)
    found = [one for one in comparisons(shown) if one.by != "source"]
    names = [f"{one.first.result.test} by {one.called}" for one in found]
    told = told_apart(names, [f" ({one.about})" for one in found])
    for name, one in zip(told, found, strict=True):
        show(console, Text.assemble("\n", (f"{name}: ", "bold"), one.sentence))
