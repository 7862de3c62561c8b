"""All nine EAT patterns with their EAT-Maps: Figure 2 of Wolfe, Hiniker and Howe (2024)."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, get_args

from eatlas.present.charts.backend import altair
from eatlas.present.charts.canvas import Canvas, Style
from eatlas.present.charts.frames import frame, records, some_results
from eatlas.present.charts.making import chart
from eatlas.present.charts.squares import draw_cells, span
from eatlas.present.charts.theme import MUTED
from eatlas.results import ThreeLevelResult
from eatlas.results.ml_eat import Label

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.present.charts.chart import Chart

COLUMNS = ("pattern", "direction", "cell", "role", "attribute_role", "state", "count")
PATTERNS: tuple[str, ...] = get_args(Label)
"""In the order of the paper's Figure 2: Divergent, Uniform, Singular, Non-Directional."""

_CELL, _WIDTH, _ROW = 34.0, 152.0, 168.0
_LETTERS = 16.0
_NAME = Style(size=13, weight="bold")
_SMALL = Style(size=11.5, colour=MUTED)
_LETTER = Style(size=11.5, colour=MUTED, align="center")
_PLACES = {
    "AB-Divergent": (0, 0), "BA-Divergent": (0, 1), "A-Uniform": (0, 2), "B-Uniform": (0, 3),
    "AX-Singular": (1, 0), "BX-Singular": (1, 1), "AY-Singular": (1, 2), "BY-Singular": (1, 3),
    "Non-Directional": (0, 4),
}  # fmt: skip


def held_by(pattern: str) -> dict[str, str]:
    """Return which attribute X and Y are associated with in a pattern; who holds none is left out.

    Examples
    --------
    >>> held_by("BY-Singular"), held_by("AB-Divergent"), held_by("A-Uniform")
    ({'Y': 'B'}, {'X': 'A', 'Y': 'B'}, {'X': 'A', 'Y': 'A'})
    """
    letters, _, direction = pattern.partition("-")
    if direction == "Divergent":
        return dict(zip("XY", letters, strict=True))
    if direction == "Uniform":
        return dict.fromkeys("XY", letters)
    return {letters[1]: letters[0]} if direction == "Singular" else {}


def cells_of(pattern: str) -> dict[str, Any]:
    """States of the four cells of a pattern."""
    held = held_by(pattern)
    return {
        role + attribute: "associated" if held.get(role) == attribute else "not associated"
        for role in "XY"
        for attribute in "AB"
    }


def prepare(results: object = None) -> pd.DataFrame:
    """Make a row of each cell of each of the nine EAT-Maps.

    Parameters
    ----------
    results : result or iterable of results, optional
        Of ML-EAT; how many show each pattern.

    Returns
    -------
    DataFrame
        36 rows: ``pattern``, ``direction``, ``cell`` (XA, XB, YA, YB) of ``role`` and
        ``attribute_role``, ``state`` ("associated", "not associated") and ``count`` (results of
        that pattern, missing without results).

    Raises
    ------
    ResultsError
        If results are given, but none, or one of another measure.

    Examples
    --------
    >>> prepare()["pattern"].nunique()
    9
    """
    counts: Counter[str] | None = None
    if results is not None:
        why = "EAT patterns are found by ML-EAT"
        found = some_results(results, "legend", (ThreeLevelResult,), why)
        counts = Counter(r.primary.label for r in found if isinstance(r, ThreeLevelResult))
    return frame(
        (
            {
                "pattern": pattern,
                "direction": _direction(pattern),
                "cell": cell,
                "role": cell[0],
                "attribute_role": cell[1],
                "state": state,
                "count": None if counts is None else counts[pattern],
            }
            for pattern in PATTERNS
            for cell, state in cells_of(pattern).items()
        ),
        COLUMNS,
    )


def draw(given: pd.DataFrame) -> Chart:
    """Draw the legend.

    Parameters
    ----------
    given : DataFrame
        What :func:`prepare` made.

    Raises
    ------
    EatlasError
        If altair is not installed.
    """
    patterns: dict[str, dict[str, dict[str, Any]]] = {}
    for row in records(given):
        patterns.setdefault(row["pattern"], {})[row["cell"]] = row
    canvas = Canvas()
    for pattern, cells in patterns.items():
        _draw_pattern(canvas, pattern, cells)
    rows = 1 + max(_PLACES[pattern][0] for pattern in patterns)
    return chart(
        canvas.layers(),
        width=5 * _WIDTH,
        height=rows * _ROW - 24,
        title=altair().Title(
            "The nine EAT patterns",
            subtitle=[
                "Columns: target groups X and Y. Rows: attribute groups A and B. Red, with a dot: "
                "the group, taken alone, is associated with the attribute.",
            ],
        ),
        description="The nine EAT patterns. "
        + "; ".join(f"{pattern}: {_meaning(pattern)}" for pattern in patterns),
    )


def _draw_pattern(canvas: Canvas, pattern: str, cells: dict[str, dict[str, Any]]) -> None:
    row, column = _PLACES[pattern]
    left, top = column * _WIDTH, row * _ROW + 8
    canvas.write([pattern], left, top, _NAME)
    first = top + 34
    for place, letter in enumerate("XY"):
        canvas.write(
            [letter], left + _LETTERS + (place + 0.5) * span(_CELL) / 2, first - 9, _LETTER
        )
    for place, letter in enumerate("AB"):
        canvas.write([letter], left + 6, first + (place + 0.5) * span(_CELL) / 2, _LETTER)
    states = {cell: found["state"] for cell, found in cells.items()}
    draw_cells(canvas, states, left + _LETTERS, first, (_CELL, _CELL))
    end = canvas.write([_meaning(pattern)], left, first + span(_CELL) + 13, _SMALL)
    count = cells["XA"]["count"]
    if count is not None:
        canvas.write(
            [f"{count:.0f} result{'' if count == 1 else 's'}"], left, end, Style(size=11.5)
        )


def _meaning(pattern: str) -> str:
    held = held_by(pattern)
    if not held:
        return "neither with A nor B"
    if len(set(held.values())) < len(held):
        return f"X and Y with {held['X']}"
    if len(held) == 1:
        return " ".join(f"{role} alone, with {attribute}" for role, attribute in held.items())
    return ", ".join(f"{role} with {attribute}" for role, attribute in held.items())


def _direction(pattern: str) -> str:
    return pattern if pattern == "Non-Directional" else pattern.split("-")[1]
