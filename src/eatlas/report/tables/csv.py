"""CSV: one row for each result, or term of an SC-EAT, at full precision, for other software."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from eatlas.cells import cell
from eatlas.report.family import DeclaredFamily
from eatlas.report.text import clean
from eatlas.results import AssociationResult, SCEATResult, ThreeLevelResult, WEATResult
from eatlas.results.parts import Level


def csv(results: Iterable[AssociationResult], family: DeclaredFamily) -> str:
    """Write the rows of :meth:`eatlas.Results.to_frame` and the adjusted p-values.

    Undefined values are empty cells; texts that a spreadsheet would run begin with a backslash, as
    `eatlas.cells` says.
    """
    rows = [row for result in results for row in _rows(result, family)]
    names = list(dict.fromkeys(name for row in rows for name in row))
    lines = [names, *([_written(row.get(name)) for name in names] for row in rows)]
    return "".join(",".join(line) + "\n" for line in lines)


def _written(value: Any) -> str:
    if isinstance(value, str):
        return cell(clean(value)) if value else ""
    return "" if value is None else str(value)


def _rows(result: AssociationResult, family: DeclaredFamily) -> Iterator[dict[str, Any]]:
    for number, row in enumerate(result.rows()):
        adjusted = {
            f"p_two_sided_{family.family.method}{suffix}": family.adjusted(place, level)
            for suffix, place, level in _levels(result, number)
            if family.family is not None and family.has(place)
        }
        yield row | adjusted


def _levels(result: AssociationResult, number: int) -> list[tuple[str, str, Level | None]]:
    """Suffix of the columns, place and level of each effect size that a row shows."""
    if isinstance(result, ThreeLevelResult):
        read = result.primary
        return [
            ("", "level1", read.level1),
            ("_X", "level2.X", read.group("X")),
            ("_Y", "level2.Y", read.group("Y")),
        ]
    if isinstance(result, WEATResult):
        return [("", "level1", result.primary.level1)]
    return (
        [("", "level2", result.primary_terms[number].level2)]
        if isinstance(result, SCEATResult)
        else []
    )
