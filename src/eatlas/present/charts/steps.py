"""How associations change step by step: with layers, windows of contexts, distances of pairs.

The windows are those of Figure 4 of Husse and Spitz (2022), "Mind Your Bias".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eatlas.errors import ResultsError
from eatlas.present.charts import frames
from eatlas.present.charts.choices import model_name, several
from eatlas.present.charts.timeline import COLUMNS, Across
from eatlas.present.charts.timeline import draw as draw_lines
from eatlas.results.compare import By, Varied, sizes_beside

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.present.charts.chart import Chart

ACROSS: dict[By, Across] = {
    "layer": Across("layer", "Effect sizes by layer", "Layers", "Layer"),
    "window": Across("window", "Effect sizes by window", "Windows", "Window: words on either side"),
    "distance": Across(
        "distance", "Effect sizes by distance", "Distances", "Distance: most words between the two"
    ),
}
SINGLE: dict[By, str] = {
    "layer": "results of single layers, such as those of ?layer=all",
    "window": "windows in words, such as those of --window 3 --window 9",
    "distance": "distances in words, such as those of --distance 6 --distance 18",
}


def prepare(results: object, by: By) -> pd.DataFrame:
    """Make a row of each effect size of each step."""
    return frames.frame((row for group in several(results, by) for row in _rows(group)), COLUMNS)


def draw(given: pd.DataFrame, by: By) -> Chart:
    """Draw a panel for each test and model."""
    return draw_lines(given, ACROSS[by])


def _rows(group: Varied) -> list[dict[str, object]]:
    """Rows of one line: the results of a group, the number of each step as its period."""
    odd = [value for value in group.values if not value.isdigit()]
    if odd:
        raise ResultsError(
            f"a chart by {group.by} needs one number for each {group.by}",
            got=", ".join(odd),
            allowed=SINGLE[group.by],
            remedy="leave the others out",
        )
    numbers = [int(value) for value in group.values]
    line = [
        member.model_copy(update={"period": number})
        for member, number in zip(group.members, numbers, strict=True)
    ]
    first = group.members[0]
    head = {
        "test": first.test,
        "signature": first.signature,
        "series": _series(group),
        "subject": model_name(group),
    }
    return list(frames.rows_by_period(head, line, numbers))


def _series(group: Varied) -> str:
    """The model, and all else that may distinguish two lines of one test."""
    first = group.members[0]
    return ", ".join(filter(None, (model_name(group), sizes_beside(first, group.by))))
