"""Results of one model that was asked in several ways, arranged for charts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eatlas.errors import ResultsError
from eatlas.plots.forest import COLUMNS, effect_rows
from eatlas.plots.frames import frame, some_results
from eatlas.results import ThreeLevelResult, WEATResult
from eatlas.results.sensitivity import By, Varied, varied

if TYPE_CHECKING:
    import pandas as pd

ACCEPTED = (ThreeLevelResult, WEATResult)
REMEDY: dict[By, str] = {
    "prompt": 'eatlas run --prompt "This is {}" --prompt "It is {}" gives some',
    "level": "add the vectors with ?level=word, or ?level=sentence",
    "layer": "vectors with ?layer=all give one result for each layer",
    "weights": "add the vectors with ?weights=random",
}


def several(results: object, by: By, kind: str) -> tuple[Varied, ...]:
    """Group results that differ in one choice alone; there must be some.

    Raises
    ------
    ResultsError
        If there are none, or results of other measures.
    """
    found = some_results(results, kind, ACCEPTED, "this chart shows effect sizes of levels 1 and 2")
    groups = varied(found, by)
    if groups:
        return groups
    raise ResultsError(
        f"there are no results that differ in the {by} alone",
        got=f"{len(found)} results",
        allowed=f"two or more results of one test and one model, with another {by} each",
        remedy=REMEDY[by],
    )


def forest_by(results: object, by: By, kind: str) -> pd.DataFrame:
    """Make a row of each effect size, as a forest has them; the series is the choice."""
    rows = []
    for group in several(results, by, kind):
        for result, value in zip(group.members, group.values, strict=True):
            head = {
                "test": result.test, "source": result.source, "signature": result.signature,
                "period": result.period, "series": value,
            }  # fmt: skip
            names = {role: result.concepts.name(role) for role in "XYAB"}
            rows += [head | names | row for row in effect_rows(result)]
    return frame(rows, COLUMNS)
