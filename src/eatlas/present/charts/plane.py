"""The map of the words: each target at its mean cosines with both attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from eatlas.errors import ResultsError
from eatlas.present.charts import frames, marks, wording
from eatlas.present.charts.backend import alt
from eatlas.present.charts.frames import Records
from eatlas.present.charts.rows import points as points_of_words
from eatlas.present.charts.theme import GRID, LEVELS, MUTED, PAPER
from eatlas.present.drawings.names import LETTERS, SIDE, Place, boxes
from eatlas.present.drawings.plane import CORNER, MOST, Plane, Point, shown
from eatlas.present.numbers import effect
from eatlas.present.text import isolated

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.present.charts.chart import Chart

COLUMNS = (*frames.HEAD, "role", "target", "term", "A", "B", "with_A", "with_B", "unit", "scale")


def prepare(results: object) -> pd.DataFrame:
    """Make a row of each target word, and one of the mean of each group."""
    why = "a map of words needs the cosines of each target with both attributes"
    return frames.tidy(results, "plane", "level3", why, points_of_words, COLUMNS)


def draw(given: pd.DataFrame) -> Chart:
    """Draw the map: a square for each result, its diagonal where a word prefers neither attribute.

    Two results of one test with the same words, such as those of two sources, are one square of
    arrows, in standard deviations of each.
    """
    panels: list[Chart] = []
    for _, of_test in frames.grouped(frames.records(given), "test"):
        maps = [rows for _, rows in frames.grouped(of_test, "series")]
        words = {frozenset((row["role"], row["term"]) for row in rows) for rows in maps}
        if len(maps) == 2 and len(words) == 1:
            panels.append(_arrows(*maps))
        else:
            panels += [_map(rows, several=len(maps) > 1) for rows in maps]
    if len(panels) == 1:
        return panels[0]
    beside = 1 if marks.is_narrow() else 2
    sides = [alt.hconcat(*panels[i : i + beside]) for i in range(0, len(panels), beside)]
    about = " ".join(one.description for one in panels)
    return marks.themed(alt.vconcat(*sides), description=about)


def _map(rows: Records, *, several: bool) -> Any:
    """The map of one result: a mark for each word, a cross for the mean of each group."""
    shapes = {"X": "circle", "Y": "square"}
    shape = alt.Shape("role:N", scale=alt.Scale(domain=[*shapes], range=[*shapes.values()]))
    layers = [
        alt.Chart().transform_filter("datum.kind == 'word'")
        .mark_point(filled=True, size=45, opacity=0.85).encode(shape=shape.legend(None)),
        alt.Chart().transform_filter("datum.kind == 'mean'").mark_point(
            shape="cross", filled=True, size=130, opacity=1, stroke=PAPER, strokeWidth=1
        ),
    ]  # fmt: skip
    source = [f"Source: {rows[0]['series']}"] if several else wording.source_note(rows)
    key = f"Circles: {_name(rows, 'X')}; squares: {_name(rows, 'Y')}; crosses: their means."
    return _square(rows, [*source, key], layers, [_in_words(rows)], rows[0]["scale"])


def _arrows(before: Records, after: Records) -> Any:
    """The map of two sources: each word an arrow from its place in one to that in the other.

    Cosines of two sources have scales of their own. Each is given in standard deviations of all
    mean cosines of its words, from their mean: the diagonal stays where it is.
    """
    starts = {(row["role"], row["term"]): row for row in _standardised(before)}
    rows = [
        row | {f"from_{one}": starts[row["role"], row["term"]][f"with_{one}"] for one in "AB"}
        for row in _standardised(after)
    ]
    turn = "atan2(datum.with_B - datum.from_B, datum.with_A - datum.from_A) * 180 / PI"
    words = alt.Chart().transform_filter("isValid(datum.from_A)").transform_calculate(turn=turn)
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
    return _square(rows, notes, layers, said, "standard deviations")


def _square(rows: Records, notes: list[str], layers: list[Any], said: list[str], unit: str) -> Any:
    """Words and their names on a square of equal scales."""
    first = rows[0]
    if len(rows) > MOST:
        raise ResultsError(
            f"{first['test']} has more words than a map shows",
            got=f"{len(rows):,}",
            allowed=f"{MOST} words",
        )
    points = [Point(row["role"], row["term"] or "", row["with_A"], row["with_B"]) for row in rows]
    starts = [Point("X", "", row["from_A"], row["from_B"]) for row in rows if "from_A" in row]
    plane = Plane.around([*starts, *points], first["A"], first["B"])
    plane = Plane(tuple(points), plane.axis, plane.corners)
    scale = alt.Scale(domain=[plane.axis.low, plane.axis.high], nice=False, zero=False)
    of = f" ({unit})" if unit else ""
    x, y = (
        channel(f"with_{role}:Q", scale=scale, axis=alt.Axis(grid=False, tickCount=5),
                title=f"mean {first['unit']} with {isolated(first[role])}{of}")
        for channel, role in ((alt.X, "B"), (alt.Y, "A"))
    )  # fmt: skip
    ways = zip(map(plane.at, starts), map(plane.at, points), strict=False)
    places = {one.point: one for one in plane.names([box for way in ways for box in boxes(*way)])}
    data = [row | _texts(row, plane, places.get(i)) for i, row in enumerate(rows)]
    named = (_leaders(), marks.names("shown", fontSize=LETTERS))
    hover = wording.tooltip(pair="word", number=f"mean {first['unit']}")
    return marks.themed(
        alt.layer(*_ground(plane), *layers, *named, data=frames.frame(data)).encode(
            x=x, y=y, tooltip=hover,
            color=marks.looks("role", {role: LEVELS[role] for role in "XY"}, legend=False)[0],
        ),
        width=SIDE, height=SIDE, description=" ".join(said),
        title=marks.title(wording.named(first), notes, SIDE + 60),
    )  # fmt: skip


def _ground(plane: Plane) -> list[Any]:
    """The half that is nearer to A, the diagonal, and in two corners to what a half is closer."""
    low, high = plane.axis.low, plane.axis.high
    ends = frames.frame({"with_B": one, "with_A": one, "top": high} for one in (low, high))
    base = alt.Chart(ends).encode(color=alt.value(MUTED), tooltip=alt.value(None))
    return [
        base.mark_area(opacity=0.5, aria=False).encode(y2="top:Q", color=alt.value(GRID)),
        base.mark_line(strokeDash=[4, 3], strokeWidth=1, aria=False),
        marks.note(plane.corners[0], alt.value(0), alt.value(0), align="left", baseline="top",
                   dx=6, dy=6, fontSize=CORNER),
        marks.note(plane.corners[1], alt.value("width"), alt.value("height"), align="right",
                   baseline="bottom", dx=-6, dy=-6, fontSize=CORNER),
    ]  # fmt: skip


def _leaders() -> Any:
    """Lines to the names that are farther away from their marks."""
    x, y = ({"expr": f"datum.{name}"} for name in ("end_x", "end_y"))
    far = alt.Chart().transform_filter("isValid(datum.end_x)")
    line = far.mark_rule(strokeWidth=0.8, opacity=0.6, x2Offset=x, y2Offset=y, aria=False)
    return line.encode(x2="with_B:Q", y2="with_A:Q", tooltip=alt.value(None))


def _texts(row: dict[str, Any], plane: Plane, name: Place | None) -> dict[str, Any]:
    """Texts of a word or of a mean, and where its name is."""
    kind, said = ("word", row["term"]) if row["term"] else ("mean", f"mean of {row['target']}")
    texts = {"kind": kind, "pair": isolated(said), "number": _number(row)}
    if name is None:
        return texts
    x, y = plane.at(plane.points[name.point])
    end = {} if name.leader is None else {"end_x": name.leader[0] - x, "end_y": name.leader[1] - y}
    return texts | {"shown": shown(row["term"])} | marks.beside(name, (x, y)) | end


def _name(rows: Records, role: str) -> str:
    return next(isolated(row["target"]) for row in rows if row["role"] == role)


def _standardised(rows: Records) -> Records:
    """Coordinates in standard deviations of all coordinates of the words, from their mean."""
    values = np.array([row[k] for row in rows if row["term"] for k in ("with_A", "with_B")])
    mean, spread = float(values.mean()), float(values.std(ddof=1)) or 1.0
    return [row | {k: (row[k] - mean) / spread for k in ("with_A", "with_B")} for row in rows]


def _number(row: dict[str, Any]) -> str:
    sizes = {role: effect(row[f"with_{role}"], 3) for role in "AB"}
    return ", ".join(f"{size} with {isolated(row[role])}" for role, size in sizes.items())


def _in_words(rows: Records) -> str:
    """Say where the means of the groups are."""
    means = [row for row in rows if row["term"] is None]
    said = [f"{isolated(row['target'])}: {_number(row)}" for row in means]
    what = f"{isolated(rows[0]['test'])}: mean {rows[0]['unit']}s of {len(rows) - len(means)} words"
    return wording.listed(what, said)
