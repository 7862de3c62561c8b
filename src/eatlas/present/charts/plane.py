"""The map of the words: each target at its mean cosines with both attributes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from eatlas.errors import ResultsError
from eatlas.present.charts import frames, marks, wording
from eatlas.present.charts.backend import alt
from eatlas.present.charts.theme import GRID, LEVELS, MUTED, PAPER
from eatlas.present.drawings.plane import (
    CORNER,
    LETTERS,
    MOST,
    SIDE,
    Plane,
    Point,
    points_of,
    shown,
)
from eatlas.present.numbers import effect
from eatlas.present.text import isolated
from eatlas.results import AssociationResult
from eatlas.stimuli import TARGETS

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.present.charts.chart import Chart

COLUMNS = (*frames.HEAD, "role", "target", "term", "A", "B", "with_A", "with_B", "unit", "scale")


ALIGN = {"start": "left", "middle": "center", "end": "right"}
"""Which part of a name is at its place."""


def prepare(results: object) -> pd.DataFrame:
    """Make a row of each target word, and one of the mean of each group.

    Parameters
    ----------
    results : result or iterable of results
        Of ML-EAT, CEAT, LPBS or LPBS-CEAT, that have kept the cosines of single words.

    Returns
    -------
    DataFrame
        ``test``, ``source``, ``signature``, ``period`` and ``series``; ``role`` (X, Y) and name of
        the ``target`` group; ``term``, missing for the mean of the group; names of ``A`` and ``B``;
        ``with_A`` and ``with_B``, the mean cosine (log-ratio) with each; ``unit`` and ``scale``.

    Raises
    ------
    ResultsError
        If there is no result, or one that has not kept these.

    Examples
    --------
    >>> import eatlas
    >>> rows = prepare(eatlas.run(tests="weat-6"))
    >>> rows[rows["term"].isna()][["target", "with_A", "with_B"]].round(2).values.tolist()
    [['Male names', 0.33, 0.27], ['Female names', 0.18, 0.33]]
    """
    why = "a map of words needs the cosines of each target with both attributes"
    return frames.tidy(results, "plane", "level3", why, _rows, COLUMNS)


def draw(given: pd.DataFrame) -> Chart:
    """Draw the map: a square for each result, its diagonal where a word prefers neither attribute.

    Two results of one test with the same words, such as those of two sources, are one square of
    arrows, in standard deviations of each.

    Parameters
    ----------
    given : DataFrame
        What :func:`prepare` made, or some results of it.

    Raises
    ------
    ResultsError
        If there are more words than a map can show.
    EatlasError
        If altair is not installed.
    """
    panels = []
    for _, of_test in frames.grouped(frames.records(given), "test"):
        maps = [rows for _, rows in frames.grouped(of_test, "series")]
        if len(maps) == 2 and _words(maps[0]) == _words(maps[1]):
            panels.append(_arrows(*maps))
        else:
            panels += [_panel(rows, with_series=len(maps) > 1) for rows in maps]
    beside = 1 if marks.is_narrow() else 2
    sides = [alt.hconcat(*panels[i : i + beside]) for i in range(0, len(panels), beside)]
    about = " ".join(one.description for one in panels)
    chart: Chart = (
        panels[0] if len(panels) == 1 else marks.themed(alt.vconcat(*sides), description=about)
    )
    return chart


def _words(rows: list[dict[str, Any]]) -> set[tuple[Any, ...]]:
    return {(row["role"], row["term"]) for row in rows}


def _panel(rows: list[dict[str, Any]], *, with_series: bool) -> Any:
    """The map of one result."""
    shape = marks.looks("role", {role: LEVELS[role] for role in TARGETS}, legend=False)[1]
    words = alt.Chart().transform_filter("datum.kind == 'word'")
    means = alt.Chart().transform_filter("datum.kind == 'mean'")
    layers = [
        words.mark_point(filled=True, size=45, opacity=0.85).encode(shape=shape),
        means.mark_point(
            shape="cross", filled=True, size=130, opacity=1, stroke=PAPER, strokeWidth=1
        ),
    ]
    first = rows[0]
    source = [f"Source: {first['series']}"] if with_series else wording.source_note(rows)
    key = f"Circles: {_name(rows, 'X')}; squares: {_name(rows, 'Y')}; crosses: their means."
    return _square(rows, [*source, key], layers, [_in_words(rows)], first["scale"])


def _arrows(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> Any:
    """The map of two sources: each word an arrow from its place in one to that in the other.

    Cosines of two sources have scales of their own. Each is given in standard deviations of all
    mean cosines of its words, from their mean: the diagonal stays where it is.
    """
    starts = {(row["role"], row["term"]): row for row in _standardised(before)}
    rows = []
    for row in _standardised(after):
        start = starts[row["role"], row["term"]]
        up, right = (row[k] - start[k] for k in ("with_A", "with_B"))
        there = {"from_A": start["with_A"], "from_B": start["with_B"]}
        rows.append(row | there | {"turn": float(np.degrees(np.arctan2(right, up)))})
    words = alt.Chart().transform_filter("isValid(datum.turn)")
    thick, size = (
        alt.condition("datum.kind == 'mean'", alt.value(of_mean), alt.value(of_word))
        for of_mean, of_word in ((3, 1.1), (110, 34))
    )
    layers = [
        words.mark_rule(opacity=0.75).encode(x2="from_B:Q", y2="from_A:Q", strokeWidth=thick),
        words.mark_point(shape="triangle", filled=True, opacity=1, aria=False)
        .encode(angle=alt.Angle("turn:Q", scale=None), size=size),
    ]  # fmt: skip
    unit = after[0]["unit"]
    notes = [
        f"From {before[0]['series']} to {after[0]['series']}; thick: the means of the groups.",
        f"Each source: {unit}s in standard deviations of its own {unit}s, from their mean.",
        f"Blue: {_name(after, 'X')}; orange: {_name(after, 'Y')}.",
    ]
    said = [_in_words(before), _in_words(after)]
    points = [(row["from_A"], row["from_B"]) for row in rows]
    return _square(rows, notes, layers, said, "standard deviations", points)


def _square(
    rows: list[dict[str, Any]],
    notes: list[str],
    layers: list[Any],
    said: list[str],
    unit: str,
    more: Sequence[tuple[float, float]] = (),
) -> Any:
    """Words and their names on a square of equal scales, which holds some `more` points too."""
    first = rows[0]
    if len(rows) > MOST:
        raise ResultsError(
            f"{first['test']} has more words than a map shows",
            got=f"{len(rows):,}",
            allowed=f"{MOST} words",
        )
    points = [Point(row["role"], row["term"] or "", row["with_A"], row["with_B"]) for row in rows]
    starts = [Point("X", "", a, b) for a, b in more]
    plane = Plane.around([*starts, *points], first["A"], first["B"])
    low, high = plane.axis.low, plane.axis.high
    scale = alt.Scale(domain=[low, high], nice=False, zero=False)
    of = f" ({unit})" if unit else ""
    x, y = (
        channel(f"with_{role}:Q", scale=scale, axis=alt.Axis(grid=False, tickCount=5),
                title=f"mean {first['unit']} with {isolated(first[role])}{of}")
        for channel, role in ((alt.X, "B"), (alt.Y, "A"))
    )  # fmt: skip
    colour = marks.looks("role", {role: LEVELS[role] for role in TARGETS}, legend=False)[0]
    hover = wording.tooltip(pair="word", number=f"mean {first['unit']}")
    data = frames.frame([*(row | _about(row) for row in rows), *_names(plane)])
    return marks.themed(
        alt.layer(*_ground(plane), *layers, *map(_written, ALIGN.values()), data=data)
        .encode(x=x, y=y, color=colour, tooltip=hover),
        width=SIDE, height=SIDE, description=" ".join(said),
        title=marks.title(wording.named(first), notes, SIDE + 60),
    )  # fmt: skip


def _ground(plane: Plane) -> Iterator[Any]:
    """The half that is nearer to A, the diagonal, and in two corners to what a half is closer."""
    low, high = plane.axis.low, plane.axis.high
    ends = frames.frame({"with_B": one, "with_A": one, "top": high} for one in (low, high))
    base = alt.Chart(ends).encode(color=alt.value(MUTED), tooltip=alt.value(None))
    half = base.mark_area(opacity=0.5, aria=False)
    yield half.encode(y2="top:Q", color=alt.value(GRID))
    yield base.mark_line(strokeDash=[4, 3], strokeWidth=1, aria=False)
    upper, lower = plane.corners
    for said, x, y, align, baseline, room in (
        (upper, 0, 0, "left", "top", 6), (lower, "width", "height", "right", "bottom", -6),
    ):  # fmt: skip
        corner = base.transform_filter(f"datum.with_A == {low}")
        yield corner.mark_text(
            fontSize=CORNER, aria=False, align=align, baseline=baseline, dx=room, dy=room
        ).encode(x=alt.value(x), y=alt.value(y), text=alt.value(said))


def _written(align: str) -> Any:
    """Names of words that are anchored in one way."""
    some = alt.Chart().transform_filter(f"datum.align == '{align}'")
    return some.mark_text(align=align, baseline="middle", fontSize=LETTERS, aria=False).encode(
        text="shown:N", tooltip=alt.value(None)
    )


def _names(plane: Plane) -> Iterator[dict[str, Any]]:
    """Names of words where they fit."""
    axis = plane.axis
    unit = (axis.high - axis.low) / SIDE
    for place in plane.names():
        point = plane.points[place.point]
        yield {
            "role": point.role, "shown": shown(point.term), "align": ALIGN[place.anchor],
            "with_B": axis.low + place.x * unit, "with_A": axis.high - place.y * unit,
        }  # fmt: skip


def _name(rows: list[dict[str, Any]], role: str) -> str:
    return next(isolated(row["target"]) for row in rows if row["role"] == role)


def _standardised(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Coordinates in standard deviations of all coordinates of the words, from their mean."""
    values = np.array([row[k] for row in rows if row["term"] for k in ("with_A", "with_B")])
    mean, spread = float(values.mean()), float(values.std(ddof=1)) or 1.0
    return [row | {k: (row[k] - mean) / spread for k in ("with_A", "with_B")} for row in rows]


def _about(row: dict[str, Any]) -> dict[str, Any]:
    """Texts of the tooltip of a word, or of the mean of a group."""
    number = (
        f"{effect(row['with_A'], 3)} with {isolated(row['A'])}, "
        f"{effect(row['with_B'], 3)} with {isolated(row['B'])}"
    )
    kind, name = ("word", row["term"]) if row["term"] else ("mean", f"mean of {row['target']}")
    return {"kind": kind, "pair": isolated(name), "number": number}


def _in_words(rows: list[dict[str, Any]]) -> str:
    """Say where the means of the groups are."""
    means = [row for row in rows if row["term"] is None]
    said = [f"{isolated(row['target'])}: {_about(row)['number']}" for row in means]
    what = f"{isolated(rows[0]['test'])}: mean {rows[0]['unit']}s of {len(rows) - len(means)} words"
    return wording.listed(what, said)


def _rows(result: AssociationResult) -> Iterator[dict[str, Any]]:
    """Rows of the words of X, those of Y, and the means of both."""
    for point in points_of(result):
        yield {
            "role": point.role, "target": result.concepts.name(point.role),
            "term": point.term or None, "A": result.concepts.A, "B": result.concepts.B,
            "with_A": point.a, "with_B": point.b, "unit": result.unit, "scale": result.scale,
        }  # fmt: skip
