"""Layers, scales, axes and words that several charts share."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from eatlas.present.charts.backend import altair, lines_of, pixels, themed
from eatlas.present.charts.frames import frame
from eatlas.present.charts.theme import CONFIG, EDGE, INK, LOOKS, MUTED, OFF, ON, PAPER, SERIES
from eatlas.present.numbers import UNDEFINED, effect, interval, p_equals, p_value
from eatlas.present.text import isolated
from eatlas.results.effects import Rule

if TYPE_CHECKING:
    from eatlas.present.charts.chart import Chart

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
THESE_AND_OTHERS = (
    "p asks about these words, intervals about other words: an interval may cross 0 where p is "
    "small."
)
"""Why an interval and a p-value may seem to contradict each other."""
LONGEST_DESCRIPTION = 12
"""Findings that a description spells out; a screen reader reads all of it at once."""


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


def named(row: Mapping[str, Any]) -> str:
    """A test by its id and, where there is room, its title."""
    title = None if is_narrow() else row.get("title")
    return ": ".join(dict.fromkeys(filter(None, (row["test"], title))))


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

    def heading(self, label: str, **texts: str) -> Iterator[dict[str, Any]]:
        """Add a bold label with texts beside it; make the rows of the drawing that it takes."""
        lines = max((text.count("\n") + 1 for text in texts.values()), default=1)
        first = self.add(label, lines, heading=True)
        for row in range(first, self.count):
            yield {"row": row, "heading": True, **(texts if row == first else {})}

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
        alt = altair()
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
        alt = altair()
        chart = alt.layer(*layers, data=frame(drawn)).encode(y=self.axis(), **encodings)
        return chart.properties(height=alt.Step(self.step))


def across(title: str, domain: list[float] | None = None) -> Callable[..., Any]:
    """The `x` of all layers of a chart, by the column that each shows."""
    alt = altair()
    scale = alt.Undefined if domain is None else alt.Scale(domain=domain)
    return partial(alt.X, title=title, axis=alt.Axis(grid=True, tickCount=7), scale=scale)


def reach(rows: Iterable[Mapping[str, Any]]) -> list[float] | None:
    """The scale of effect sizes d, from -2 to 2 as in the report; None where some lie beyond."""
    values = [row[k] for row in rows for k in ("effect_size", "low", "high") if row[k] is not None]
    return [-LARGEST, LARGEST] if all(abs(one) <= LARGEST for one in values) else None


def no_effect() -> list[Any]:
    """The line of no effect; paper behind headings, so that no grid crosses the text beside."""
    alt = altair()
    band = alt.Chart().mark_rect(aria=False).transform_filter("datum.heading")
    white = {"x": alt.value(0), "x2": alt.value("width"), "color": alt.value(PAPER)}
    return [zero(x=alt.datum(0), y=alt.value(0), y2=alt.value("height")), band.encode(**white)]


def zero(**place: Any) -> Any:
    """A line across the whole panel."""
    alt = altair()
    rule = alt.Chart(alt.InlineData(values=[{}])).mark_rule(strokeWidth=1.2, aria=False)
    return rule.encode(**place, color=alt.value(MUTED), tooltip=alt.value(None))


def points(
    shape: Any, filled: str, light: Mapping[str, Any] | None = None, **place: Any
) -> list[Any]:
    """Marks of effect sizes, hollow where the column `filled` does not hold."""
    alt = altair()
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


def shades(count: int) -> list[dict[str, Any]]:
    """Shapes of sources, whose colours are those of what is measured."""
    return [SERIES[place % len(SERIES)] for place in range(count)]


def lightness(column: str, names: Sequence[str], key: Any) -> Any:
    """The first source dark, those after it lighter and lighter; with the key of their shapes."""
    alt = altair()
    steps = np.linspace(1, LIGHTEST, len(names)).round(2).tolist()
    return alt.Opacity(f"{column}:N", scale=alt.Scale(domain=list(names), range=steps), legend=key)


def text(column: str, colour: str = INK, *, x: float | str = "width", **mark: Any) -> Any:
    """Texts of a column in their rows, at one place across the panel."""
    alt = altair()
    known = alt.Chart().transform_filter(f"isValid(datum['{column}'])")
    mark = {"aria": False, "baseline": "middle", "lineBreak": "\n", "lineHeight": LINE} | mark
    place = {"x": alt.value(x), "color": alt.value(colour)}
    return known.mark_text(**mark).encode(text=f"{column}:N", **place)


def looks(
    column: str, given: Mapping[str, Mapping[str, Any]], *, legend: bool = True
) -> tuple[Any, Any, Any]:
    """Colour, shape and dashes of the values of a column, with a key above the chart."""
    alt = altair()
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


def title(heading: str, notes: Iterable[str], width: float = WIDTH) -> Any:
    """A heading with notes below it, each broken into lines."""
    lines = [one for note in notes for one in lines_of(note, line(width))]
    return altair().Title(lines_of(heading, line(width), 15.0), subtitle=lines)


def below(panels: Sequence[Any], **properties: Any) -> Chart:
    """Panels below each other under one heading; one alone takes the heading above its own."""
    if len(panels) > 1:
        return themed(altair().vconcat(*panels, spacing=18), **properties)
    own, heading = panels[0].title, properties.get("title")
    if heading is not None and isinstance(own, altair().TitleParams):
        heading.subtitle = [*own.text, *own.subtitle, *heading.subtitle]
    return themed(panels[0], **properties)


def states() -> Any:
    """Colours of the cells of an EAT-Map."""
    alt = altair()
    given = {"associated": ON, "not associated": OFF, "undefined": PAPER}
    scale = alt.Scale(domain=list(given), range=list(given.values()))
    return alt.Fill("state:N", scale=scale, legend=None)


def squares(left: float | None, size: float = 12, y: float | None = None) -> list[Any]:
    """Small EAT-Maps in their rows, their columns from this pixel on; dots mark associations.

    Without `left`, at the x of the chart, so many pixels `y` below the panel.
    """
    alt = altair()
    half = size / 2
    places = {"XA": (0, -half), "XB": (0, half), "YA": (size, -half), "YB": (size, half)}
    found = []
    for cell, (dx, dy) in places.items():
        own = alt.Chart().transform_filter(f"datum.cell == '{cell}'")
        off = {"yOffset": dy + (y or 0.0)} | ({"xOffset": dx - half} if left is None else {})
        place = {"stroke": alt.value(EDGE)}
        if left is not None:
            place["x"] = alt.value(left + dx)
        if y is not None:
            place["y"] = alt.value("height")
        found += [
            own.mark_square(size=size**2, opacity=1, strokeWidth=0.8, aria=False, **off)
            .encode(**place, fill=states()),
            own.transform_filter("datum.state == 'associated'")
            .mark_circle(size=size, opacity=1, strokeWidth=0, aria=False, **off)
            .encode(**place, fill=alt.value(PAPER)),
        ]  # fmt: skip
    return found


def effect_notes(
    rows: list[dict[str, Any]], marks: str = "Filled and starred", bars: str = "Bars"
) -> list[str]:
    """Say what fill, star and bar mean, from the rules that the rows were read by."""
    rules = dict.fromkeys((row["alpha"], row["tail"]) for row in rows)
    meant = " or ".join(Rule(*rule).meaning.removeprefix("* ") for rule in rules)
    notes = [f"{marks}: {meant}."]
    if any(row.get("read_over") == "stimuli" for row in rows):
        notes.append("Tests of sentences: over stimuli.")
    shares = dict.fromkeys(row["confidence"] for row in rows if row["confidence"] is not None)
    if shares:
        levels = " or ".join(f"{100 * share:g}%" for share in shares)
        notes += [f"{bars}: {levels} intervals over resampled terms.", THESE_AND_OTHERS]
    return notes


def in_words(row: dict[str, Any]) -> str:
    """One effect size as a phrase."""
    name = isolated(str(row["name"]))
    year = "" if row["period"] is None else f", {row['period']}"
    what = f"{isolated(row['test'])}, {isolated(row['series'])}{year}, {row['level']}, {name}"
    if row["effect_size"] is None:
        return f"{what}: undefined"
    ends = ""
    if row["low"] is not None:
        ends = f", interval {effect(row['low'])} to {effect(row['high'])}"
    p = "" if row["p"] is None else f", {p_equals(row['p'], row['alpha'], row.get('p_low'))}"
    symbol = "d = " if row["role"] in LOOKS else ""
    return f"{what}: {symbol}{effect(row['effect_size'])}{p}{ends}"


def shown(row: dict[str, Any]) -> dict[str, str]:
    """One effect size as the texts of its tooltip and of its mark's label."""
    return {
        "d": effect(row["effect_size"]),
        "interval": interval(None if row["low"] is None else (row["low"], row["high"])),
        "p_shown": UNDEFINED
        if row["p"] is None
        else p_value(row["p"], row["alpha"], row.get("p_low")),
        "words": in_words(row),
    }


def tooltip(**titles: str) -> list[Any]:
    """Texts of a tooltip: columns and what they are called."""
    return [altair().Tooltip(f"{name}:N", title=title) for name, title in titles.items()]


def effect_tooltip() -> list[Any]:
    """What a tooltip tells of an effect size."""
    return tooltip(
        test="test", series="source", level="level", name="targets", d="d", interval="interval",
        p_shown="p",
    )  # fmt: skip


def described(what: str, rows: list[dict[str, Any]]) -> str:
    """A chart in words: its kind and its first findings."""
    return listed(f"{what} of {len(rows)} effect sizes", [in_words(row) for row in rows])


def listed(what: str, parts: list[str]) -> str:
    """A heading and its parts, the first of them if there are many."""
    more = len(parts) - LONGEST_DESCRIPTION
    text = "; ".join(parts[:LONGEST_DESCRIPTION])
    return f"{what}. {text}{f'; and {more} more' if more > 0 else ''}."


def source_note(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """What all results of a chart are about; sources without anything in common are in its key."""
    known = dict.fromkeys(str(row["subject"]) for row in rows if row.get("subject"))
    several = re.compile(r"\d+ (sources|models)")
    return [f"Source: {one}" for one in known if not several.fullmatch(one)][:1]


CELL = 88
"""Pixels of a cell from left to right."""
DOT = "●"
"""Marks an association, as red does, for readers without colours."""
NOTHING = dict.fromkeys(("inside", "d", "p", "note"), "")
"""Texts of a cell that has none."""
TOOLTIP = {
    "test": "test", "series": "source", "target": "target", "attribute": "attribute",
    "state": "state", "d_shown": "d", "p_shown": "p",
}  # fmt: skip
"""Columns of tooltips, and what they are called."""


def draw_maps(
    maps: list[list[dict[str, Any]]], size: tuple[int, int], columns: int, **properties: Any
) -> Chart:
    """Draw maps of four cells each, in rows.

    Parameters
    ----------
    maps : list of lists of four cells
        Each with ``state``, what its ``column`` and ``line`` are called, what is ``inside`` it,
        and in one cell of a column what is below it: ``d``, ``p`` and ``note``.
    size : (int, int)
        Width and height of a cell in pixels.
    columns : int
        Maps in a row.
    properties
        Title and description of the chart.
    """
    alt = altair()
    most = {
        name: max(cell[name].count("\n") for cells in maps for cell in cells)
        for name in ("column", "line")
    }
    drawn = frame(
        cell
        | {
            "map": place,
            # a first letter keeps columns of one name apart, and in order; names end at one line
            "column": f"{cell['role']}{_lower(cell['column'], most['column'])}",
            "line": f"{cell['attribute_role']}{cell['line']}",
        }
        for place, cells in enumerate(maps)
        for cell in cells
    )
    headings = json.dumps([cells[0]["heading"].split("\n") for cells in maps])
    axis = partial(
        alt.Axis, title=None, domain=False, ticks=False, labelAngle=0, labelOverlap=False,
        labelExpr="split(slice(datum.label, 1), '\\n')", labelColor=INK, labelLineHeight=LINE,
    )  # fmt: skip
    top = axis(orient="top", labelPadding=LINE * most["column"] + 4)
    left = axis(labelPadding=8, labelOffset=-LINE * most["line"] / 2)
    layers = _map_layers(size, numbers=bool(drawn["d"].any()))
    bands = alt.Scale(padding=0.02)
    places = {
        "x": alt.X("column:N", scale=bands, axis=top),
        "y": alt.Y("line:N", scale=bands, axis=left),
    }
    hover = tooltip(**TOOLTIP) if "test" in drawn else alt.value(None)
    heading = alt.Header(labelExpr=f"{headings}[datum.value]", labelAnchor="start", labelPadding=6)
    chart = alt.layer(*layers, data=drawn).encode(**places, tooltip=hover)
    panels = chart.properties(width=alt.Step(size[0]), height=alt.Step(size[1])).facet(
        facet=alt.Facet("map:O", header=heading), columns=columns
    )
    return themed(panels.resolve_scale(x="independent", y="independent"), **properties)


def _map_layers(size: tuple[int, int], *, numbers: bool) -> list[Any]:
    """Cells, what is written in them, and below them numbers and notes."""
    alt = altair()
    on = alt.condition("datum.state == 'associated'", alt.value(PAPER), alt.value(MUTED))
    large = alt.condition(f"datum.inside == '{DOT}'", alt.value(20), alt.value(11))
    below = {
        "d": {"dy": 14, "fontWeight": "bold"},
        "p": {"dy": 30, "color": MUTED},
        "note": {"dy": 45, "color": MUTED, "align": "left", "xOffset": -size[0] / 2},
    }
    if not numbers:
        below["note"]["dy"] = 16
    small = {"fontSize": 11, "lineBreak": "\n", "lineHeight": LINE, "aria": False}
    cell = alt.Chart()
    return [
        cell.mark_rect(cornerRadius=2, stroke=EDGE, aria=False).encode(fill=states()),
        cell.mark_text(fontWeight="bold", aria=False).encode(text="inside:N", color=on, size=large),
        *(
            cell.mark_text(**small, **look).encode(y=alt.value("height"), text=f"{name}:N")
            for name, look in below.items()
        ),
    ]


def _lower(name: str, most: int) -> str:
    """A name with empty lines above it, so that it has one more line than `most`."""
    return "\n" * (most - name.count("\n")) + name


def swarm(values: np.ndarray[Any, np.dtype[np.float64]]) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Spread dots sideways, between -1 and 1, the wider the more of them are near.

    Without chance: the places are multiples of the golden ratio, in the order of the values,
    scaled by the share of values in each of 24 classes, smoothed.
    """
    if len(values) < 2 or np.ptp(values) == 0:
        return np.zeros(len(values))
    counts, edges = np.histogram(values, bins=24)
    smooth = np.convolve(counts, [0.25, 0.5, 0.25], mode="same")
    near = np.interp(values, (edges[:-1] + edges[1:]) / 2, smooth) / smooth.max()
    ranks = np.argsort(np.argsort(values, kind="stable"))
    spread: np.ndarray[Any, np.dtype[np.float64]] = (2 * (ranks * GOLDEN % 1) - 1) * near
    return spread
