"""The numbers of results in rows and columns, such as a row for each source."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from eatlas.errors import ResultsError, listing
from eatlas.results.base import AssociationResult
from eatlas.results.compare import RESPECTS, require_respect, value_in
from eatlas.results.settings import Settings

Key = tuple[str, ...]
"""What the results of a row, or of a column, are in each of its respects."""
Cells = dict[Key, dict[Key, AssociationResult]]
"""Results by row, then by column."""
Respects = str | Sequence[str]
"""A respect in which results differ, or several."""


def arrange_cells(
    results: Iterable[AssociationResult], rows: Respects, columns: Respects
) -> tuple[Cells, list[Key]]:
    """Results by row and column, each in the order of the results; and the columns.

    Raises
    ------
    ResultsError
        If there is no such respect, one is of rows and of columns, or two results are in one cell.
    """
    results = tuple(results)
    in_rows, in_columns = list_respects(rows), list_respects(columns)
    if twice := [by for by in in_rows if by in in_columns]:
        raise ResultsError(
            "a table has different things in its rows and in its columns", got=f"{twice[0]} in both"
        )
    settings, cells = Settings.from_results(results), Cells()
    for result in results:
        row, column = (
            tuple(value_in(result, by, settings) or "" for by in respects)
            for respects in (in_rows, in_columns)
        )
        other = cells.setdefault(row, {}).setdefault(column, result)
        if other is not result:
            raise _two_in_a_cell(", ".join(row + column), (other, result), in_rows)
    heads = _in_order(column for members in cells.values() for column in members)
    return {row: cells[row] for row in _in_order(cells)}, heads


def _in_order(keys: Iterable[Key]) -> list[Key]:
    """Keys once each, by the order in which each value of their first part comes, then others."""
    once = list(dict.fromkeys(keys))
    places = [list(dict.fromkeys(values)) for values in zip(*once, strict=True)]
    return sorted(once, key=lambda key: [of.index(v) for of, v in zip(places, key, strict=True)])


def list_respects(respects: Respects) -> list[str]:
    """One respect or several, each of which there is."""
    names = [respects] if isinstance(respects, str) else list(respects)
    for by in names:
        require_respect(by)
    return names


def _two_in_a_cell(
    cell: str, results: Sequence[AssociationResult], rows: Sequence[str]
) -> ResultsError:
    """The error for two results in one cell, which says in what they differ."""
    settings = Settings.from_results(results)
    values = {by: [value_in(result, by, settings) for result in results] for by in RESPECTS[1:]}
    differing = [by for by, (first, second) in values.items() if first != second]
    if not differing:
        return ResultsError(
            f"the cell {cell} has the same result twice",
            got=results[0].test,
            remedy="take each result once, as in eatlas.Results(results[:n])",
        )
    by = differing[0]
    in_rows = ", ".join(f'"{name}"' for name in (by, *rows))
    return ResultsError(
        f"the cell {cell} has two results, and can show the number of one",
        got=f"they differ in their {by}: {listing(map(str, values[by]))}",
        allowed="one result for each row and column",
        remedy=f"put it into the rows, rows=[{in_rows}], or take the results of one {by} alone",
    )
