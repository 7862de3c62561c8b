"""The map of the words: each target at its mean cosines with both attributes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from eatlas.errors import ResultsError
from eatlas.present.charts.backend import altair, themed
from eatlas.present.charts.frames import HEAD, grouped, records, tidy
from eatlas.present.charts.layers import (
    is_narrow,
    listed,
    looks,
    named,
    source_note,
    title,
    tooltip,
)
from eatlas.present.charts.theme import GRID, LEVELS, MUTED, PAPER
from eatlas.present.drawings.plane import (
    CORNER,
    LETTERS,
    MOST,
    SIDE,
    Place,
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

COLUMNS = (*HEAD, "role", "target", "term", "A", "B", "with_A", "with_B", "unit", "scale")


BOTH = ("before", "after")
"""Two sources, between which arrows are drawn."""


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
    return tidy(results, "plane", "level3", why, _rows, COLUMNS)


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
    alt = altair()
    panels = []
    for _, of_test in grouped(records(given), "test"):
        maps = [rows for _, rows in grouped(of_test, "series")]
        if len(maps) == len(BOTH) and _words(maps[0]) == _words(maps[1]):
            panels.append(_arrows(*maps))
        else:
            panels += [_panel(rows, with_series=len(maps) > 1) for rows in maps]
    if len(panels) == 1:
        return panels[0]
    beside = 1 if is_narrow() else 2
    sides = [alt.hconcat(*panels[i : i + beside]) for i in range(0, len(panels), beside)]
    about = " ".join(str(panel.description) for panel in panels)
    return themed(alt.vconcat(*sides), description=about)


def _words(rows: list[dict[str, Any]]) -> set[tuple[Any, ...]]:
    return {(row["role"], row["term"]) for row in rows}


def _require_few(rows: list[dict[str, Any]]) -> None:
    if len(rows) > MOST:
        raise ResultsError(
            f"{rows[0]['test']} has more words than a map shows",
            got=f"{len(rows):,}",
            allowed=f"{MOST} words",
        )


def _arrows(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> Chart:
    """The map of two sources: each word an arrow from its place in one to that in the other.

    Cosines of two sources have scales of their own. Each is given in standard deviations of all
    mean cosines of its words, from their mean: the diagonal stays where it is.
    """
    alt = altair()
    _require_few(before)
    starts = {(row["role"], row["term"]): row for row in _standardised(before)}
    ends = _standardised(after)
    first = ends[0]
    points = [
        Point(row["role"], term, row["with_A"], row["with_B"])
        for rows, named_words in ((starts.values(), False), (ends, True))
        for row in rows
        for term in ((row["term"] or "") if named_words else "",)
    ]
    plane = Plane.around(points, first["A"], first["B"])
    data = []
    for row in ends:
        start = starts[row["role"], row["term"]]
        turn = np.degrees(
            np.arctan2(row["with_B"] - start["with_B"], row["with_A"] - start["with_A"])
        )
        from_there = {"from_A": start["with_A"], "from_B": start["with_B"], "turn": float(turn)}
        data.append(_about(row) | from_there)
    frame = _Frame.of(plane, first, "standard deviations")
    base = frame.of_rows(data)
    arrow = base.encode(x=alt.X("from_B:Q", **frame.x), y=alt.Y("from_A:Q", **frame.y))
    heavy = alt.condition("isValid(datum.term)", alt.value(1.1), alt.value(3))
    head = base.mark_point(shape="triangle", filled=True, opacity=1, aria=False)
    layers = [
        *frame.ground(),
        arrow.mark_rule(opacity=0.75).encode(x2="with_B:Q", y2="with_A:Q", strokeWidth=heavy),
        head.encode(
            angle=alt.Angle("turn:Q", scale=None),
            size=alt.condition("isValid(datum.term)", alt.value(34), alt.value(110)),
        ),
        *_names(plane, base, alt),
        *_corners(plane, frame),
    ]
    both = (before[0]["series"], after[0]["series"])
    notes = [
        f"From {both[0]} to {both[1]}; thick: the means of the groups.",
        f"Each source: {first['unit']}s in standard deviations of its own {first['unit']}s, from "
        "their mean.",
        f"Blue: {isolated(_name(ends, 'X'))}; orange: {isolated(_name(ends, 'Y'))}.",
    ]
    drawn: Chart = themed(
        alt.layer(*layers), width=SIDE, height=SIDE, title=title(named(first), notes, SIDE + 60),
        description=" ".join(_in_words(rows) for rows in (before, after)),
    )  # fmt: skip
    return drawn


def _name(rows: list[dict[str, Any]], role: str) -> str:
    return next(str(row["target"]) for row in rows if row["role"] == role)


def _standardised(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Coordinates in standard deviations of all coordinates of the words, from their mean."""
    values = np.array([row[k] for row in rows if row["term"] for k in ("with_A", "with_B")])
    spread = float(values.std(ddof=1)) or 1.0
    return [
        row | {k: (row[k] - float(values.mean())) / spread for k in ("with_A", "with_B")}
        for row in rows
    ]


@dataclass(frozen=True)
class _Frame:
    """The square of a map: its axes, its diagonal and its two halves."""

    plane: Plane
    x: dict[str, Any]
    y: dict[str, Any]

    @classmethod
    def of(cls, plane: Plane, first: dict[str, Any], unit: str) -> _Frame:
        """Axes of mean associations with both attributes."""
        alt = altair()
        domain = alt.Scale(domain=[plane.axis.low, plane.axis.high], nice=False, zero=False)
        ticks = alt.Axis(grid=False, tickCount=5)
        of = f" ({unit})" if unit else ""
        x, y = (
            {
                "scale": domain, "axis": ticks,
                "title": f"mean {first['unit']} with {isolated(first[k])}{of}",
            }
            for k in "BA"
        )  # fmt: skip
        return cls(plane, x, y)

    def of_rows(self, data: list[dict[str, Any]]) -> Any:
        """Words at their places, in the colours of their groups."""
        alt = altair()
        color, _, _ = looks("role", {role: LEVELS[role] for role in TARGETS}, legend=False)
        unit = str(data[0]["unit"])
        return alt.Chart(alt.Data(values=data)).encode(
            x=alt.X("with_B:Q", **self.x), y=alt.Y("with_A:Q", **self.y), color=color,
            tooltip=tooltip(pair="word", number=f"mean {unit}"),
        )  # fmt: skip

    def ground(self) -> list[Any]:
        """The half that is nearer to A, and the diagonal."""
        alt, axis = altair(), self.plane.axis
        ends = [{"with_B": one, "with_A": one, "top": axis.high} for one in (axis.low, axis.high)]
        base = alt.Chart(alt.Data(values=ends)).encode(
            x=alt.X("with_B:Q", **self.x), y=alt.Y("with_A:Q", **self.y)
        )
        return [
            base.mark_area(color=GRID, opacity=0.5, aria=False).encode(y2=alt.Y2("top:Q")),
            base.mark_line(color=MUTED, strokeDash=[4, 3], strokeWidth=1, aria=False),
        ]


def _panel(rows: list[dict[str, Any]], *, with_series: bool) -> Chart:
    """The map of one result."""
    alt = altair()
    _require_few(rows)
    first = rows[0]
    points = [Point(row["role"], row["term"] or "", row["with_A"], row["with_B"]) for row in rows]
    plane = Plane.around(points, first["A"], first["B"])
    frame = _Frame.of(plane, first, first["scale"])
    base = frame.of_rows([_about(row) for row in rows])
    shape = looks("role", {role: LEVELS[role] for role in TARGETS}, legend=False)[1]
    layers = [
        *frame.ground(),
        base.transform_filter("isValid(datum.term)")
        .mark_point(filled=True, size=45, opacity=0.85).encode(shape=shape),
        base.transform_filter("!isValid(datum.term)")
        .mark_point(shape="cross", filled=True, size=130, opacity=1, stroke=PAPER, strokeWidth=1),
        *_names(plane, base, alt),
        *_corners(plane, frame),
    ]  # fmt: skip
    source = [f"Source: {first['series']}"] if with_series else source_note(rows)
    key = f"Circles: {isolated(_name(rows, 'X'))}; squares: {isolated(_name(rows, 'Y'))}"
    drawn: Chart = themed(
        alt.layer(*layers), width=SIDE, height=SIDE, description=_in_words(rows),
        title=title(named(first), [*source, f"{key}; crosses: their means."], SIDE + 60),
    )  # fmt: skip
    return drawn


def _names(plane: Plane, base: Any, alt: Any) -> Iterator[Any]:
    """Names of words, a layer for each way in which they are anchored."""
    axis = plane.axis
    unit = (axis.high - axis.low) / SIDE

    def row(place: Place) -> dict[str, Any]:
        point = plane.points[place.point]
        at = {"with_B": axis.low + place.x * unit, "with_A": axis.high - place.y * unit}
        return {"role": point.role, "shown": shown(point.term), **at}

    places = plane.names()
    for anchor, align in (("start", "left"), ("middle", "center"), ("end", "right")):
        values = [row(place) for place in places if place.anchor == anchor]
        if values:
            yield (
                alt.Chart(alt.Data(values=values))
                .mark_text(align=align, baseline="middle", fontSize=LETTERS, aria=False)
                .encode(
                    x=base.encoding.x, y=base.encoding.y, color=base.encoding.color, text="shown:N"
                )
            )


def _corners(plane: Plane, frame: _Frame) -> Iterator[Any]:
    """Say in two corners to which attribute the words of this half are closer."""
    alt, low, high = altair(), plane.axis.low, plane.axis.high
    upper = {"align": "left", "baseline": "top", "dx": 6, "dy": 6}
    lower = {"align": "right", "baseline": "bottom", "dx": -6, "dy": -6}
    for b, a, said, look in (
        (low, high, plane.corners[0], upper),
        (high, low, plane.corners[1], lower),
    ):
        yield (
            alt.Chart(alt.Data(values=[{"with_B": b, "with_A": a, "said": said}]))
            .mark_text(fontSize=CORNER, color=MUTED, aria=False, **look)
            .encode(x=alt.X("with_B:Q", **frame.x), y=alt.Y("with_A:Q", **frame.y), text="said:N")
        )


def _rows(result: AssociationResult) -> Iterator[dict[str, Any]]:
    """Rows of the words of X, those of Y, and the means of both."""
    for point in points_of(result):
        yield {
            "role": point.role, "target": result.concepts.name(point.role),
            "term": point.term or None, "A": result.concepts.A, "B": result.concepts.B,
            "with_A": point.a, "with_B": point.b, "unit": result.unit, "scale": result.scale,
        }  # fmt: skip


def _about(row: dict[str, Any]) -> dict[str, Any]:
    """A row with the texts of its tooltip."""
    name = row["term"] or f"mean of {row['target']}"
    number = (
        f"{effect(row['with_A'], 3)} with {isolated(row['A'])}, "
        f"{effect(row['with_B'], 3)} with {isolated(row['B'])}"
    )
    return {**row, "pair": isolated(name), "number": number}


def _in_words(rows: list[dict[str, Any]]) -> str:
    """Say where the means of the groups are."""
    means = [row for row in rows if row["term"] is None]
    said = [f"{isolated(row['target'])}: {_about(row)['number']}" for row in means]
    what = f"{isolated(rows[0]['test'])}: mean {rows[0]['unit']}s of {len(rows) - len(means)} words"
    return listed(what, said)
