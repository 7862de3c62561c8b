"""Texts, boxes and marks at pixels, as layers of a chart.

Names are broken into lines here rather than cut by an axis, so the room for them is known before
the chart is drawn.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from eatlas.present.charts import fonts
from eatlas.present.charts.backend import altair
from eatlas.present.charts.theme import INK
from eatlas.present.text import isolated, one_line, wrap

LINE = 1.3
"""Distance of lines, in font sizes."""
_ANY_NUMBER = 10**6


def lines_of(text: str, width: float, size: float = 12.0) -> list[str]:
    """Break a text into as many lines as it takes; nothing is cut."""
    wider = fonts.widening(text)
    broken = wrap(one_line(text), width, lambda part: wider * fonts.pixels(part, size), _ANY_NUMBER)
    return [isolated(line) for line in broken]


def height_of(lines: list[str], size: float = 12.0) -> float:
    """Pixels that lines take."""
    return len(lines) * size * LINE


@dataclass(frozen=True)
class Style:
    """How a text looks."""

    size: float = 12.0
    weight: str = "normal"
    align: str = "left"
    colour: str = INK


PLAIN = Style()


@dataclass
class Canvas:
    """Collects what stands at pixels; :meth:`layers` makes altair layers of it."""

    texts: dict[Style, list[dict[str, Any]]] = field(default_factory=lambda: defaultdict(list))
    boxes: list[dict[str, Any]] = field(default_factory=list)
    marks: list[dict[str, Any]] = field(default_factory=list)
    rules: list[dict[str, Any]] = field(default_factory=list)

    def write(self, lines: list[str], x: float, y: float, style: Style = PLAIN) -> float:
        """Write lines from the middle of the first at `y`; return the middle of the next line."""
        for line in lines:
            self.texts[style].append({"x": x, "y": y, "text": line})
            y += style.size * LINE
        return y

    def box(self, left: float, top: float, width: float, height: float, **look: Any) -> None:
        """Draw a rectangle; `look` may give fill, stroke, dash and more columns for tooltips."""
        place = {"x": left, "y": top, "x2": left + width, "y2": top + height}
        self.boxes.append({"fill": None, "stroke": None, **place, **look})

    def mark(self, x: float, y: float, *, shape: str, colour: str, fill: str, size: float) -> None:
        """Draw a point mark."""
        self.marks.append(
            {"x": x, "y": y, "shape": shape, "colour": colour, "fill": fill, "size": size}
        )

    def rule(self, x: float, y: float, x2: float, y2: float, *, colour: str) -> None:
        """Draw a thin line."""
        self.rules.append({"x": x, "y": y, "x2": x2, "y2": y2, "colour": colour})

    def layers(self, *, tooltip: list[Any] | None = None) -> list[Any]:
        """Boxes below rules, marks and texts."""
        found = []
        if self.boxes:
            found.append(_boxes(self.boxes, tooltip))
        if self.rules:
            found.append(_rules(self.rules))
        if self.marks:
            found.append(_marks(self.marks))
        return found + [_texts(style, given) for style, given in self.texts.items()]


def at(channel: str, name: str) -> Any:
    """An encoding of `x` or `y` by a column that holds pixels."""
    alt = altair()
    return getattr(alt, channel.upper())(f"{name}:Q", scale=None, axis=None)


def horizontal(
    values: Iterable[float | None], between: tuple[float, float], title: str
) -> dict[str, Any]:
    """Scale and axis of `x` around the values and zero."""
    alt = altair()
    return {
        "scale": alt.Scale(domain=around(values), range=list(between), nice=False),
        "axis": alt.Axis(title=title, tickCount=7, labelFlush=False),
    }


def around(values: Iterable[float | None], margin: float = 0.04) -> list[float]:
    """Lowest and highest of the values and zero, with a margin where it is not zero.

    Examples
    --------
    >>> around([None, 1.0, 2.0], margin=0.1)
    [0.0, 2.2]
    """
    known = [0.0, *(value for value in values if value is not None)]
    low, high = min(known), max(known)
    if low == high:  # no spread at all: any room will do
        return [-1.0, 1.0]
    room = margin * (high - low)
    return [low - room if low < 0 else 0.0, high + room if high > 0 else 0.0]


def _chart(values: list[dict[str, Any]]) -> Any:
    alt = altair()
    return alt.Chart(alt.InlineData(values=values))


def _boxes(values: list[dict[str, Any]], tooltip: list[Any] | None) -> Any:
    alt = altair()
    return (
        _chart(values)
        .mark_rect(cornerRadius=2, aria=False)
        .encode(
            x=at("x", "x"),
            y=at("y", "y"),
            x2="x2:Q",
            y2="y2:Q",
            fill=alt.Fill("fill:N", scale=None),
            stroke=alt.Stroke("stroke:N", scale=None),
            **({"tooltip": tooltip} if tooltip else {}),
        )
    )


def _rules(values: list[dict[str, Any]]) -> Any:
    alt = altair()
    return (
        _chart(values)
        .mark_rule(aria=False)
        .encode(
            x=at("x", "x"), y=at("y", "y"), x2="x2:Q", y2="y2:Q",
            color=alt.Color("colour:N", scale=None),
        )
    )  # fmt: skip


def _marks(values: list[dict[str, Any]]) -> Any:
    alt = altair()
    return (
        _chart(values)
        .mark_point(aria=False, opacity=1, strokeWidth=1.6)
        .encode(
            x=at("x", "x"),
            y=at("y", "y"),
            shape=alt.Shape("shape:N", scale=None),
            fill=alt.Fill("fill:N", scale=None),
            stroke=alt.Stroke("colour:N", scale=None),
            size=alt.Size("size:Q", scale=None),
        )
    )


def _texts(style: Style, values: list[dict[str, Any]]) -> Any:
    return (
        _chart(values)
        .mark_text(
            align=style.align,
            baseline="middle",
            color=style.colour,
            fontSize=style.size,
            fontWeight=style.weight,
            aria=False,
        )
        .encode(x=at("x", "x"), y=at("y", "y"), text="text:N")
    )
