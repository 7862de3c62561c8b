"""How associations move with a choice: prompts, words or whole texts, trained or random weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from eatlas.errors import ResultsError
from eatlas.present.charts import frames
from eatlas.present.charts.forest import COLUMNS
from eatlas.present.charts.forest import draw as draw_forest
from eatlas.present.charts.rows import effects
from eatlas.results.compare import By, Varied, model_of, sizes_beside, told_apart, varied
from eatlas.results.settings import Settings, source_name

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.present.charts.chart import Chart

NAMES = {"level": "words and whole texts", "weights": "trained and random weights"}
"""What a choice is called in a title, if not by its own name."""
REMEDY: dict[By, str] = {
    "prompt": 'eatlas run --prompt "This is {}" --prompt "It is {}" gives some',
    "level": "add the vectors with ?level=word, or ?level=sentence",
    "layer": "vectors with ?layer=all give one result for each layer",
    "weights": "add the vectors with ?weights=random",
    "window": "eatlas run --contexts FILE --window 3 --window 9 gives some",
    "distance": "eatlas run --contexts PAIRS --distance 6 --distance 18 gives some",
}


def prepare(results: object, by: By) -> pd.DataFrame:
    """Make a row of each effect size."""
    groups = several(results, by)
    columns = ("title", "source", "signature", "period")
    return frames.frame(
        (
            {"test": name, "series": value, "subject": model_name(group)}
            | {column: getattr(result, column) for column in columns}
            | row
            for group, name in zip(groups, _names(groups), strict=True)
            for result, value in zip(group.members, group.values, strict=True)
            for row in effects(result)
        ),
        COLUMNS,
    )


def draw(given: pd.DataFrame, by: By) -> Chart:
    """Draw the effect sizes of each choice below each other, test by test."""
    return draw_forest(given, f"Effect sizes by {NAMES.get(by, by)}")


def _names(groups: Sequence[Varied]) -> list[str]:
    """Name the test of each group, and what else distinguishes groups of one test."""
    firsts = [group.members[0] for group in groups]
    beside = [sizes_beside(group.members[0], group.by) for group in groups]
    return told_apart(
        [first.test for first in firsts],
        [f", {sizes}" if sizes else "" for sizes in beside],
        [f" on {model_of(group.members[0], group.by)}" for group in groups],
        [f", {first.signature}" for first in firsts],
    )


def model_name(group: Varied) -> str:
    """What people call the model or the source of a group."""
    return Settings.among(group.members).subject or source_name(
        model_of(group.members[0], group.by)
    )


def several(results: object, by: By) -> tuple[Varied, ...]:
    """Group results that differ in one choice alone; there must be some."""
    found = frames.some_results(
        results, by, "level1", "this chart shows effect sizes of levels 1 and 2"
    )
    groups = varied(found, by)
    if groups:
        return groups
    raise ResultsError(
        f"there are no results that differ in the {by} alone",
        got=f"{len(found)} results",
        allowed=f"two or more results of one test and one model, with another {by} each",
        remedy=REMEDY[by],
    )
