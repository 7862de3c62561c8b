"""The map of the words: each target at its mean cosines with both attributes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from eatlas.errors import ResultsError
from eatlas.present.charts.backend import altair, themed
from eatlas.present.charts.frames import HEAD, grouped, records, tidy
from eatlas.present.charts.layers import listed, looks, source_note, title, tooltip
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
    maps = grouped(records(given), "test", "series")
    panels = [
        _panel(rows, test, series, with_series=len(maps) > 1) for (test, series), rows in maps
    ]
    if len(panels) == 1:
        return panels[0]
    sides = [alt.hconcat(*panels[i : i + 2]) for i in range(0, len(panels), 2)]
    about = " ".join(str(panel.description) for panel in panels)
    return themed(alt.vconcat(*sides), description=about)


def _panel(rows: list[dict[str, Any]], test: str, series: str, *, with_series: bool) -> Chart:
    """The map of one result."""
    alt = altair()
    if len(rows) > MOST:
        raise ResultsError(
            f"{test} has more words than a map shows", got=f"{len(rows):,}", allowed=f"{MOST} words"
        )
    first = rows[0]
    points = [Point(row["role"], row["term"] or "", row["with_A"], row["with_B"]) for row in rows]
    plane = Plane.around(points, first["A"], first["B"])
    axis = plane.axis
    domain = alt.Scale(domain=[axis.low, axis.high], nice=False, zero=False)
    titles = {k: f"mean {first['unit']} with {isolated(first[k])}" for k in "AB"}
    ticks = alt.Axis(grid=False, tickCount=5)
    x = alt.X("with_B:Q", scale=domain, title=titles["B"], axis=ticks)
    y = alt.Y("with_A:Q", scale=domain, title=titles["A"], axis=ticks)
    color, shape, _ = looks("role", {role: LEVELS[role] for role in TARGETS}, legend=False)
    data = [_about(row) for row in rows]
    base = alt.Chart(alt.Data(values=data)).encode(
        x=x, y=y, color=color, tooltip=tooltip(pair="word", number=f"mean {first['unit']}")
    )
    corner = [{"with_B": axis.low, "with_A": axis.low}, {"with_B": axis.high, "with_A": axis.high}]
    ground = alt.Chart(alt.Data(values=corner)).encode(x=x, y=y)
    upper = alt.Chart(alt.Data(values=[{**one, "top": axis.high} for one in corner]))
    layers = [
        upper.mark_area(color=GRID, opacity=0.5, aria=False)
        .encode(x=x, y=y, y2=alt.Y2("top:Q")),
        ground.mark_line(color=MUTED, strokeDash=[4, 3], strokeWidth=1, aria=False),
        base.transform_filter("isValid(datum.term)")
        .mark_point(filled=True, size=45, opacity=0.85).encode(shape=shape),
        base.transform_filter("!isValid(datum.term)")
        .mark_point(shape="cross", filled=True, size=130, opacity=1, stroke=PAPER, strokeWidth=1),
        *_names(plane, base, alt),
        _corner(plane, x, y, upper=True),
        _corner(plane, x, y, upper=False),
    ]  # fmt: skip
    names = {row["role"]: isolated(row["target"]) for row in rows}
    key = "; ".join(f"{mark}: {names[role]}" for role, mark in (("X", "Circles"), ("Y", "squares")))
    drawn: Chart = themed(
        alt.layer(*layers),
        width=SIDE,
        height=SIDE,
        title=title(
            f"{isolated(test)}: {series}" if with_series else isolated(test),
            [*([] if with_series else source_note([series])), f"{key}; crosses: their means."],
        ),
        description=_in_words(rows),
    )
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


def _corner(plane: Plane, x: Any, y: Any, *, upper: bool) -> Any:
    """Say in a corner to which attribute the words of this half are closer."""
    alt, low, high = altair(), plane.axis.low, plane.axis.high
    b, a, said = (low, high, plane.corners[0]) if upper else (high, low, plane.corners[1])
    align, baseline, off = ("left", "top", 6) if upper else ("right", "bottom", -6)
    return (
        alt.Chart(alt.Data(values=[{"with_B": b, "with_A": a, "said": said}]))
        .mark_text(
            align=align, baseline=baseline, dx=off, dy=off, fontSize=CORNER, color=MUTED, aria=False
        )
        .encode(x=x, y=y, text="said:N")
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
