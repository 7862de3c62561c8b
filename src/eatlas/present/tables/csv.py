"""CSV: one row for each result, or term of an SC-EAT, at full precision, for other software."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from eatlas.cells import cell
from eatlas.present.family import DeclaredFamily
from eatlas.present.text import clean
from eatlas.results import AssociationResult, SCEATResult, ThreeLevelResult, WEATResult
from eatlas.results.parts import Level

Found = tuple[str, str, Level | None, str | None]
"""Suffix of the columns, place, level and term of an effect size."""


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
        adjusted: dict[str, float | None] = {}
        for suffix, place, level, term in _levels(result, number):
            if family.family is not None and family.has(place):
                name = f"p_two_sided_{family.family.method}"
                adjusted[f"{name}{suffix}"] = family.adjusted(result, place, level, term)
                if (low := family.adjusted_low(result, place, level, term)) is not None:
                    adjusted[f"{name}_low{suffix}"] = low
        yield row | adjusted


def _levels(result: AssociationResult, number: int) -> list[Found]:
    """Suffix of the columns, place, level and term of each effect size that a row shows."""
    if isinstance(result, ThreeLevelResult | WEATResult):
        read = result.primary
        found: list[Found] = [("", "level1", read.level1, None)]
        if isinstance(result, ThreeLevelResult):
            found += [(f"_{role}", f"level2.{role}", read.group(role), None) for role in "XY"]
        return found
    if isinstance(result, SCEATResult):
        entry = result.primary_terms[number]
        return [("", "level2", entry.level2, entry.term)]
    return []
