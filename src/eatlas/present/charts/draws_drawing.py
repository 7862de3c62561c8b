"""How draws of contexts are drawn; :mod:`eatlas.plots.draws` says what they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from eatlas.present.charts.backend import altair
from eatlas.present.charts.canvas import lines_of
from eatlas.present.charts.frames import records
from eatlas.present.charts.legend import held_by
from eatlas.present.charts.making import chart, panels
from eatlas.present.charts.notes import listed
from eatlas.present.charts.theme import EDGE, INK, OFF, ON, PAPER
from eatlas.present.numbers import effect, percent
from eatlas.present.text import isolated

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.present.charts.chart import Chart, Panels

_SIZE, _NAME, _LINE = 440.0, 90.0, 13
_LEAST = 1.0
"""The scale reaches so far on every side at least, that all nine regions can be seen."""
_SIDE = {"A": 1, None: 0, "B": -1}


def draw(given: pd.DataFrame) -> Chart | Panels:
    """Draw the frame of :func:`eatlas.plots.draws.prepare`."""
    results: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in records(given):
        results.setdefault((row["test"], row["series"]), []).append(row)
    drawn = [_panel(rows) for rows in results.values()]
    words = listed("Draws of contexts", [_in_words(rows) for rows in results.values()])
    if len(drawn) == 1:
        drawn[0].description = words
        return drawn[0]
    return panels(drawn, description=words)


def _panel(rows: list[dict[str, Any]]) -> Chart:
    alt = altair()
    first = rows[0]
    dots = [r for r in rows if r["what"] == "draw" and None not in (r["d_X"], r["d_Y"])]
    means = [r for r in rows if r["what"] == "mean" and None not in (r["d_X"], r["d_Y"])]
    patterns = [row for row in rows if row["what"] == "pattern"]
    reach = max([_LEAST, *(1.08 * abs(r[c]) for r in (*dots, *means) for c in ("d_X", "d_Y"))])
    plane = _Plane.of(first, reach)
    lines = [f"{first['test']}, source: {first['series']}", *_notes(first, len(dots))]
    return chart(
        [
            _regions(patterns, plane),
            _dots(dots, plane),
            _mean(means, plane),
            *_names(patterns, plane),
        ],
        width=_SIZE,
        height=_SIZE,
        title=alt.Title(
            "Level 2 effect sizes of draws of contexts",
            subtitle=[part for line in lines for part in lines_of(line, _SIZE)],
        ),
    )


def _notes(first: dict[str, Any], shown: int) -> list[str]:
    draws = int(first["draws"])
    dots = f"{shown:,} of {draws:,} draws" if shown < draws else f"{draws:,} draws"
    return [
        f"Dots: {dots}. Diamond: the mean over all draws. Percentages: share of all draws with "
        f"the pattern ({first['rule']}); without a small p a dot counts as Non-Directional "
        "wherever it lies."
    ]


@dataclass(frozen=True)
class _Plane:
    """The scales of one cloud: both reach as far, to either side."""

    reach: float
    threshold: float
    titles: tuple[str, str]

    @classmethod
    def of(cls, first: dict[str, Any], reach: float) -> _Plane:
        a, b = (_short(first[role]) for role in "AB")
        x, y = (f"d of {_short(first[role])}: towards {b} ← → towards {a}" for role in "XY")
        return cls(reach, first["threshold"], (x, y))

    def axes(self, x: str = "d_X:Q", y: str = "d_Y:Q") -> dict[str, Any]:
        """Encodings of both axes by two columns."""
        alt = altair()
        scale = alt.Scale(domain=[-self.reach, self.reach], nice=False)
        across, up = (alt.Axis(title=title, tickCount=7, grid=False) for title in self.titles)
        return {"x": alt.X(x, scale=scale, axis=across), "y": alt.Y(y, scale=scale, axis=up)}

    def span(self, side: int) -> tuple[float, float]:
        """Where effect sizes of one association lie."""
        ends = (-self.reach, -self.threshold, self.threshold, self.reach)
        return ends[side + 1], ends[side + 2]


def _short(name: str) -> str:
    """A name that leaves room for the others of an axis."""
    first, *more = lines_of(name, _NAME)
    return isolated(f"{first}…" if more else first)


def _places(pattern: str) -> tuple[int, int]:
    held = held_by(pattern)
    return _SIDE[held.get("X")], _SIDE[held.get("Y")]


def _regions(patterns: list[dict[str, Any]], plane: _Plane) -> Any:
    alt = altair()
    boxes = []
    for row in patterns:
        x, y = _places(row["pattern"])
        (x1, x2), (y1, y2) = plane.span(x), plane.span(y)
        boxes.append(
            {
                "x1": x1, "x2": x2, "y1": y1, "y2": y2, "pattern": row["pattern"],
                "share": percent(row["share"]), "fill": PAPER if (x, y) == (0, 0) else OFF,
            }
        )  # fmt: skip
    return (
        alt.Chart(alt.InlineData(values=boxes))
        .mark_rect(stroke=EDGE, strokeWidth=1, fillOpacity=0.5, aria=False)
        .encode(
            **plane.axes("x1:Q", "y1:Q"),
            x2="x2:Q",
            y2="y2:Q",
            fill=alt.Fill("fill:N", scale=None),
            tooltip=[
                alt.Tooltip("pattern:N"),
                alt.Tooltip("share:N", title="share of draws"),
            ],
        )
    )


def _dots(dots: list[dict[str, Any]], plane: _Plane) -> Any:
    alt = altair()
    values = [{"d_X": row["d_X"], "d_Y": row["d_Y"]} for row in dots]
    opacity = 0.7 if len(dots) < 200 else 0.3
    return (
        alt.Chart(alt.InlineData(values=values))
        .mark_circle(size=14, opacity=opacity, color=INK, aria=False)
        .encode(**plane.axes())
    )


def _mean(means: list[dict[str, Any]], plane: _Plane) -> Any:
    alt = altair()
    values = [
        {
            "d_X": row["d_X"], "d_Y": row["d_Y"], "pattern": row["pattern"],
            "x": effect(row["d_X"]), "y": effect(row["d_Y"]),
        }
        for row in means
    ]  # fmt: skip
    return (
        alt.Chart(alt.InlineData(values=values))
        .mark_point(shape="diamond", size=150, fill=ON, stroke=PAPER, strokeWidth=1.5, opacity=1)
        .encode(
            **plane.axes(),
            tooltip=[
                alt.Tooltip("pattern:N", title="pattern of the means"),
                alt.Tooltip("x:N", title="mean d of X"),
                alt.Tooltip("y:N", title="mean d of Y"),
            ],
        )
    )


def _names(patterns: list[dict[str, Any]], plane: _Plane) -> list[Any]:
    """Name and share of each pattern, at the outer edge of its region."""
    alt = altair()
    layers = []
    for row in patterns:
        x, y = _places(row["pattern"])
        told = [row["pattern"]] if x else row["pattern"].replace("-", "-\n").split("\n")
        lines = [*told, percent(row["share"])]
        up = y < 0  # several lines run down from their place
        place = {"x": sum(plane.span(x)) / 2, "y": plane.span(y)[0 if up else 1], "text": lines}
        layers.append(
            alt.Chart(alt.InlineData(values=[place]))
            .mark_text(
                baseline="top", dy=-_LINE * len(lines) - 3 if up else 5, color=INK,
                fontSize=11, lineHeight=_LINE, aria=False,
            )
            .encode(**plane.axes("x:Q", "y:Q"), text="text:N")
        )  # fmt: skip
    return layers


def _in_words(rows: list[dict[str, Any]]) -> str:
    first = rows[0]
    mean = next((row for row in rows if row["what"] == "mean"), None)
    shares = sorted(
        (row for row in rows if row["what"] == "pattern" and row["share"]),
        key=lambda row: -row["share"],
    )
    text = f"{isolated(first['test'])}, {isolated(first['series'])}: "
    if mean is not None:
        text += f"mean d of X {effect(mean['d_X'])}, of Y {effect(mean['d_Y'])}, "
        text += f"pattern of the means {mean['pattern']}; "
    return text + ", ".join(f"{row['pattern']} in {percent(row['share'])}" for row in shares)
