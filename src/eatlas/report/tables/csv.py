"""CSV: one row for each result, or term of an SC-EAT, at full precision, for other software."""

from __future__ import annotations

import csv as standard
import io
from collections.abc import Iterable, Iterator
from typing import Any

from eatlas.report.family import DeclaredFamily
from eatlas.report.text import clean
from eatlas.results import AssociationResult, SCEATResult, ThreeLevelResult, WEATResult
from eatlas.results.parts import Level


def csv(results: Iterable[AssociationResult], family: DeclaredFamily) -> str:
    """Write the rows of :meth:`eatlas.Results.to_frame` and the adjusted p-values.

    Undefined values are empty cells.
    """
    rows = [row for result in results for row in _rows(result, family)]
    names = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO()
    writer = standard.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _rows(result: AssociationResult, family: DeclaredFamily) -> Iterator[dict[str, Any]]:
    for number, row in enumerate(result.rows()):
        adjusted = {
            f"p_two_sided_{family.family.method}{suffix}": family.adjusted(place, level)
            for suffix, place, level in _levels(result, number)
            if family.family is not None and family.has(place)
        }
        yield {k: clean(v) if isinstance(v, str) else v for k, v in (row | adjusted).items()}


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
    return [("", "level2", result.terms[number].level2)] if isinstance(result, SCEATResult) else []
