"""Marks, rows, scales and titles of charts: the layers of which a chart is built."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from eatlas.present.charts.backend import alt, lines_of, pixels
from eatlas.present.charts.frames import SIZES, frame
from eatlas.present.charts.theme import CONFIG, INK, MUTED, PAPER, SERIES

if TYPE_CHECKING:
    from eatlas.present.charts.chart import Chart
    from eatlas.present.drawings.names import Place, Spot

STEP, LINE = 19, 15
"""Pixels from row to row, and from line to line of a text."""
SOLID = [1, 0]
"""Dashes of a line that has none."""
WIDTH, ROOM = 640.0, 0.36
"""Pixels of the lines that titles and legends are broken into; the share of a narrow page that
labels beside a panel may take."""
_page: ContextVar[float] = ContextVar("page", default=WIDTH)
LETTERS = 12.0
"""Pixels of the letters of labels."""
LARGEST = 2.0
"""No effect size d of two groups of one size is beyond."""
LIGHTEST = 0.45
"""Opacity of the last of several sources."""
GOLDEN = (5**0.5 - 1) / 2


def themed(chart: Any, **properties: Any) -> Chart:
    """Make an altair chart one of :mod:`eatlas.present.charts.chart`, with some properties."""
    from eatlas.present.charts import chart as charts  # noqa: PLC0415  (which imports altair)

    own: Chart = charts.themed(chart, **properties)
    return own


@contextmanager
def page(width: float) -> Iterator[None]:
    """Draw for a page of so many pixels: titles, keys and labels are broken to fit it."""
    before = _page.set(width - 2 * CONFIG["padding"])
    try:
        yield
    finally:
        _page.reset(before)


def line(width: float = WIDTH) -> float:
    """Pixels of a line of a title or a key, up to those of the page."""
    return min(width, _page.get())


def is_narrow() -> bool:
    """Whether a chart is drawn for a page narrower than those of screens."""
    return _page.get() < WIDTH


@dataclass
class Rows:
    """The discrete y axis of a chart with headings: whose labels are on which of its rows.

    A label of several lines takes as many rows, so that nothing is cut and nothing overlaps.
    """

    room: float = 260.0
    """Pixels of a line of a label."""
    share: float = ROOM
    """The share of a narrow page that labels may take."""
    step: float = STEP
    """Pixels from row to row."""
    padding: int = 8
    """Pixels between labels and panel."""
    labels: dict[int, list[str]] = field(default_factory=dict)
    headings: list[int] = field(default_factory=list)
    count: int = 0

    def add(self, label: str, rows: int = 1, *, heading: bool = False) -> int:
        """Add a label that spans at least so many rows; return the first of them."""
        room = min(self.room, _page.get() * self.share) if is_narrow() else self.room
        first = self.count
        lines = [one for part in label.split("\n") for one in lines_of(part, room)]
        self.labels[first] = lines
        self.headings += [first] if heading else []
        self.count += max(rows, ceil(len(lines) * LINE / self.step))
        return first

    def title(self, label: str, beside: str, room: float) -> Iterator[dict[str, Any]]:
        """Make rows of a bold text above both labels and panel, and of one at its right end."""
        right = lines_of(beside, room / 2)
        taken = max(pixels(one, LETTERS) for one in right)
        left = lines_of(label, min(line(), room) - taken)
        for place in range(max(len(left), len(right))):
            texts = {
                name: some[place]
                for name, some in (("about", left), ("towards", right))
                if place < len(some)
            }
            yield {"row": self.add(""), "heading": True, **texts}

    @property
    def left(self) -> float:
        """Pixels from the panel to the left end of its labels."""
        widths = (pixels(one, LETTERS) for lines in self.labels.values() for one in lines)
        return self.padding + max(widths, default=0.0) * 0.9

    def axis(self) -> Any:
        """Encode `y` by the column ``row``."""
        lines = json.dumps([self.labels.get(row, []) for row in range(self.count)])
        heading = f"indexof({self.headings}, datum.value) >= 0"
        axis = alt.Axis(
            title=None, values=list(self.labels), labelExpr=f"{lines}[datum.value]",
            labelFontWeight=alt.condition(heading, alt.value("bold"), alt.value("normal")),
            labelColor=INK, labelLineHeight=LINE, labelPadding=self.padding,
            domain=False, ticks=False, grid=False,
        )  # fmt: skip
        return alt.Y("row:O", scale=alt.Scale(domain=list(range(self.count))), axis=axis)

    def chart(self, layers: list[Any], drawn: Iterable[dict[str, Any]], **encodings: Any) -> Any:
        """Layers over one frame, in these rows."""
        chart = alt.layer(*layers, data=frame(drawn)).encode(y=self.axis(), **encodings)
        return chart.properties(height=alt.Step(self.step))


def scale_of(names: Sequence[str]) -> Any:
    """Colours of groups or of sources beside each other, in their order."""
    look = [SERIES[place % len(SERIES)]["colour"] for place in range(len(names))]
    return alt.Scale(domain=list(names), range=look)


def across(title: str, domain: list[float] | None = None) -> Callable[..., Any]:
    """The `x` of all layers of a chart, by the column that each shows."""
    scale = alt.Undefined if domain is None else alt.Scale(domain=domain)
    return partial(alt.X, title=title, axis=alt.Axis(grid=True, tickCount=7), scale=scale)


def reach(rows: Iterable[Mapping[str, Any]]) -> list[float] | None:
    """The scale of effect sizes d, from -2 to 2 as in the report; None where some lie beyond."""
    values = [row[k] for row in rows for k in SIZES if row[k] is not None]
    return [-LARGEST, LARGEST] if all(abs(one) <= LARGEST for one in values) else None


def no_effect() -> list[Any]:
    """The line of no effect; paper behind headings, so that no grid crosses the text beside."""
    band = alt.Chart().mark_rect(aria=False).transform_filter("datum.heading")
    white = {"x": alt.value(0), "x2": alt.value("width"), "color": alt.value(PAPER)}
    return [rule(), band.encode(**white)]


def rule(*, dashed: bool = False, colour: str = MUTED, width: float = 1.2, **place: Any) -> Any:
    """A line across the whole panel: at an `x`, which is 0, or at a `y`; dashed for a threshold."""
    whole = {"y": alt.value(0), "y2": alt.value("height")}
    if "y" in place:
        whole = {"x": alt.value(0), "x2": alt.value("width")}
    look = {"strokeDash": [3, 3]} if dashed else {"strokeWidth": width}
    quiet = {"color": alt.value(colour), "tooltip": alt.value(None)}
    line = alt.Chart(alt.InlineData(values=[{}])).mark_rule(aria=False, **look)
    return line.encode(**({"x": alt.datum(0)} | whole | place), **quiet)


def note(text: str, x: Any, y: Any, colour: str = MUTED, **mark: Any) -> Any:
    """A text at a place of the panel."""
    point = alt.Chart(alt.InlineData(values=[{}])).mark_text(aria=False, **mark)
    quiet = {"color": alt.value(colour), "tooltip": alt.value(None)}
    return point.encode(x=x, y=y, text=alt.value(text), **quiet)


def stems(**place: Any) -> Any:
    """Lines from one column to another in their rows: intervals, or the way from a number."""
    return alt.Chart().mark_rule(strokeWidth=1.8, aria=False).encode(**place)


def points(
    shape: Any, filled: str, light: Mapping[str, Any] | None = None, **place: Any
) -> list[Any]:
    """Marks of effect sizes, hollow where the column `filled` does not hold."""
    known = alt.Chart().transform_filter(f"isValid(datum['{filled}'])").encode(shape=shape, **place)
    hollow = known.transform_filter(f"!datum['{filled}']")
    white = {"color": alt.value(PAPER)}
    ground = known.mark_point(filled=True, size=75, opacity=1, aria=False).encode(**white)
    return [
        *([ground] if light else []),
        known.mark_point(filled=True, size=75, opacity=1).encode(
            description="words:N", **(light or {})
        ),
        hollow.mark_point(filled=True, size=24, opacity=1, aria=False).encode(**white),
    ]


def lightness(column: str, names: Sequence[str], key: Any) -> Any:
    """The first source dark, those after it lighter and lighter; with the key of their shapes."""
    steps = np.linspace(1, LIGHTEST, len(names)).round(2).tolist()
    return alt.Opacity(f"{column}:N", scale=alt.Scale(domain=list(names), range=steps), legend=key)


def names(column: str, **mark: Any) -> Any:
    """Names beside their marks, where :func:`beside` has put them."""
    x, y, align = ({"expr": f"datum.{name}"} for name in ("dx", "dy", "align"))
    some = alt.Chart().transform_filter("isValid(datum.align)")
    own = some.mark_text(align=align, baseline="middle", dx=x, dy=y, aria=False, **mark)
    return own.encode(text=f"{column}:N", tooltip=alt.value(None))


def beside(place: Place, spot: Spot) -> dict[str, Any]:
    """Where the name of a spot is, in pixels from it."""
    align = {"start": "left", "middle": "center", "end": "right"}[place.anchor]
    return {"align": align, "dx": place.x - spot[0], "dy": place.y - spot[1]}


def text(
    column: str, colour: str | None = INK, *, x: float | str | None = "width", **mark: Any
) -> Any:
    """Texts of a column in their rows, at one place across the panel.

    Without a colour, or a place, those of the chart.
    """
    known = alt.Chart().transform_filter(f"isValid(datum['{column}'])")
    mark = {"aria": False, "baseline": "middle", "lineBreak": "\n", "lineHeight": LINE} | mark
    own = {"x": x, "color": colour}
    place = {channel: alt.value(one) for channel, one in own.items() if one is not None}
    return known.mark_text(**mark).encode(text=f"{column}:N", **place)


def looks(
    column: str, given: Mapping[str, Mapping[str, Any]], *, legend: bool = True
) -> tuple[Any, Any, Any]:
    """Colour, shape and dashes of the values of a column, with a key above the chart."""
    key = alt.Legend(
        title=None, columns=1, symbolOpacity=1, symbolLimit=0,
        labelExpr=broken_labels(given, line()),
    )  # fmt: skip

    def by(channel: Any, name: str) -> Any:
        scale = alt.Scale(
            domain=list(given), range=[look.get(name, SOLID) for look in given.values()]
        )
        return channel(f"{column}:N", scale=scale, legend=key if legend else None)

    return by(alt.Color, "colour"), by(alt.Shape, "shape"), by(alt.StrokeDash, "dash")


def broken_labels(names: Iterable[str], width: float) -> str:
    """An expression of Vega that breaks the labels of a header or of a key into lines."""
    return json.dumps({name: lines_of(name, width) for name in names}) + "[datum.label]"


def title(heading: str, notes: Iterable[str] = (), width: float = WIDTH) -> Any:
    """A heading with notes below it, each broken into lines."""
    lines = [one for note in notes for one in lines_of(note, line(width))]
    subtitle = {"subtitle": lines} if lines else {}
    return alt.Title(lines_of(heading, line(width), 15.0), **subtitle)


def below(panels: Sequence[Any], **properties: Any) -> Chart:
    """Panels below each other under one heading; one alone takes the heading above its own."""
    if len(panels) > 1:
        return themed(alt.vconcat(*panels, spacing=18), **properties)
    own, heading = panels[0].title, properties.get("title")
    if heading is not None and isinstance(own, alt.TitleParams):
        notes = [] if own.subtitle is alt.Undefined else own.subtitle
        heading.subtitle = [*own.text, *notes, *heading.subtitle]
    return themed(panels[0], **properties)


def swarm(given: Sequence[float]) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Spread dots sideways, between -1 and 1, the wider the more of them are near.

    Without chance: the places are multiples of the golden ratio, in the order of the values,
    scaled by the share of values in each of 24 classes, smoothed.
    """
    values = np.asarray(given, dtype=np.float64)
    if len(values) < 2 or np.ptp(values) == 0:
        return np.zeros(len(values))
    counts, edges = np.histogram(values, bins=24)
    smooth = np.convolve(counts, [0.25, 0.5, 0.25], mode="same")
    near = np.interp(values, (edges[:-1] + edges[1:]) / 2, smooth) / smooth.max()
    ranks = np.argsort(np.argsort(values, kind="stable"))
    spread: np.ndarray[Any, np.dtype[np.float64]] = (2 * (ranks * GOLDEN % 1) - 1) * near
    return spread
