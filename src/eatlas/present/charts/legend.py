"""All nine EAT patterns with their EAT-Maps: Figure 2 of Wolfe, Hiniker and Howe (2024)."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from eatlas.present.charts import frames, maps, marks
from eatlas.present.drawings.eat_map import PATTERNS
from eatlas.present.numbers import number_of

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.present.charts.chart import Chart

COLUMNS = ("pattern", "direction", "cell", "role", "attribute_role", "state", "count")

NOTE = (
    "Columns: target groups X and Y. Rows: attribute groups A and B. Red, with a dot: the group, "
    "taken alone, is associated with the attribute."
)
SMALL, WIDE, PAGE = (36, 36), (72, 48), 700.0
"""Pixels of a cell, and of one on a page as wide as two columns of a journal."""
ORDER = sorted(PATTERNS, key=lambda pattern: ["ABN".index(held) for held in PATTERNS[pattern][:2]])
"""Rows: X with A, with B, with neither; columns: Y alike."""


def prepare(results: object = None) -> pd.DataFrame:
    """Make a row of each cell of each of the nine EAT-Maps."""
    counts: Counter[str] | None = None
    if results is not None:
        why = "EAT patterns are found by ML-EAT"
        found = frames.some_results(results, "legend", "pattern", why)
        counts = Counter(result.primary.label for result in found)
    return frames.frame(
        (
            cell | {"direction": _direction(pattern), "count": counts and counts[pattern]}
            for pattern in PATTERNS
            for cell in maps.cells_of(pattern)
        ),
        COLUMNS,
    )


def draw(given: pd.DataFrame) -> Chart:
    """Draw the legend, three maps in a row: of X with A, with B and with neither."""
    by_pattern = dict(frames.grouped(frames.records(given), "pattern"))
    shown = [pattern for pattern in ORDER if (pattern,) in by_pattern]
    words = "; ".join(f"{pattern}: {PATTERNS[pattern][2]}" for pattern in shown)
    size = WIDE if marks.line(PAGE) == PAGE else SMALL
    return maps.draw_maps(
        [[cell | _texts(cell) for cell in by_pattern[pattern,]] for pattern in shown],
        size,
        3,
        title=marks.title("The nine EAT patterns", [NOTE], 6.0 * size[0] + 180),
        description=f"The nine EAT patterns. {words}",
    )


def _texts(cell: dict[str, Any]) -> dict[str, Any]:
    """What is written in a cell, and once for each map above and below it."""
    pattern, count = cell["pattern"], cell["count"]
    counted = "" if count is None else f"\n{number_of(int(count), 'result')}"
    meaning = PATTERNS[pattern][2].replace(", ", ",\n") + counted
    return maps.NOTHING | {
        "heading": pattern, "column": cell["role"], "line": cell["attribute_role"],
        "inside": maps.DOT if cell["state"] == "associated" else "",
        "note": meaning if cell["cell"] == "XA" else "",
    }  # fmt: skip


def _direction(pattern: str) -> str:
    return pattern if pattern == "Non-Directional" else pattern.split("-")[1]
