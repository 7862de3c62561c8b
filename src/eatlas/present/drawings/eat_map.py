"""The EAT-Map: which target is associated with which attribute, in words and drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from markupsafe import Markup

from eatlas.present.drawings.figures import Estimate, estimate
from eatlas.present.drawings.svg import (
    NAMESPACE,
    Axis,
    broken,
    drawing,
    label,
    muted,
    path,
    tag,
    text_lines,
    words,
)
from eatlas.present.numbers import effect, p_equals
from eatlas.present.text import isolated
from eatlas.results import AssociationResult
from eatlas.results.effects import Effect, Rule

if TYPE_CHECKING:
    from eatlas.present.thumbnails import Finder, Thumbnail

ON, ON_TEXT = "#b3261e", "#ffffff"  # luminance ratio to OFF 4.9, of the text 6.5
OFF, EDGE = "#dfdfe4", "#74747e"
SYMBOL = "eat-"
"""How the ids of the small maps begin that a page defines once."""
NEITHER, UNDEFINED = "N", "U"
"""What a column of a map may show besides A and B."""
PATTERNS: dict[str, tuple[str, str, str]] = {
    "AB-Divergent": ("A", "B", "X with A, Y with B"),
    "BA-Divergent": ("B", "A", "X with B, Y with A"),
    "A-Uniform": ("A", "A", "both with A"),
    "B-Uniform": ("B", "B", "both with B"),
    "AX-Singular": ("A", NEITHER, "X with A, Y with neither"),
    "BX-Singular": ("B", NEITHER, "X with B, Y with neither"),
    "AY-Singular": (NEITHER, "A", "Y with A, X with neither"),
    "BY-Singular": (NEITHER, "B", "Y with B, X with neither"),
    "Non-Directional": (NEITHER, NEITHER, "neither with A or B"),
}
"""What X and Y show in each of the nine patterns, and its meaning in words."""
WIDTH, LEFT, RIGHT, TOP, BELOW = 428.0, 132.0, 16.0, 84.0, 46.0
"""Pixels of a map; beside its cells, above them, and at the foot."""
CELL_H, GAP, NUMBERS, SCALE = 78.0, 4.0, 44.0, 40.0
"""Pixels of cells, of the numbers below a column, and of its interval on the scale of d."""
NAME, LINE, MOST_LINES = 13.0, 16.0, 3
SMALL, MINI = 20.0, 44.0
"""Pixels of a cell of a small map, and of the map."""
THUMBNAILS, THUMBNAIL = 4, 30.0
"""Images that stand for a group beside its name, and their pixels."""


@dataclass(frozen=True)
class Column:
    """One target group of an EAT-Map."""

    name: str
    level: Effect
    attribute: str | None
    """A or B, if the group is associated with one."""
    texts: tuple[str, str]
    """What is written in the cells of A and of B, such as a share; empty for most measures."""
    images: tuple[Thumbnail, ...] = ()

    @property
    def state(self) -> str:
        """What the column shows: A, B, NEITHER or UNDEFINED."""
        return UNDEFINED if self.level.d is None else self.attribute or NEITHER


@dataclass(frozen=True)
class EATMap:
    """Four cells that show which target is associated with which attribute.

    Columns are the target groups X and Y, rows the attributes A and B; a cell is red where the
    target is associated with the attribute, else gray (Wolfe, Hiniker and Howe 2024, section
    "EAT-Maps"). A red cell is also darker and says so, so that nobody needs the colour.
    """

    X: Column
    Y: Column
    A: str
    B: str
    label: str
    two_sided_label: str
    rule: Rule
    test: str = ""
    over_stimuli: bool = False
    level1: float | None = None
    images: Mapping[str, tuple[Thumbnail, ...]] = field(default_factory=dict, compare=False)
    """Of attributes; drawn in a page that defines them."""

    @classmethod
    def of(cls, result: AssociationResult, find: Finder | None = None) -> Self:
        """Make the map of a result that has an EAT pattern."""
        names, read = result.concepts, result.primary
        images = {} if find is None else _thumbnails(result, find)

        def column(role: str) -> Column:
            texts = result.cell_text(f"{role}A"), result.cell_text(f"{role}B")
            return Column(
                names.name(role), result.effect(f"level2.{role}"), read.attribute(role), texts,
                images.get(role, ()),
            )  # fmt: skip

        return cls(
            X=column("X"),
            Y=column("Y"),
            A=names.A,
            B=names.B,
            label=read.label,
            two_sided_label=read.two_sided_label,
            rule=result.rule,
            test=result.test,
            over_stimuli=read.over_stimuli,
            level1=next((one.d for one in result.effects() if one.place == "level1"), None),
            images=images,
        )

    @property
    def associated(self) -> frozenset[str]:
        """The red cells, among XA, XB, YA and YB."""
        columns = (("X", self.X), ("Y", self.Y))
        return frozenset(f"{role}{c.attribute}" for role, c in columns if c.attribute)

    @property
    def alt(self) -> str:
        """The map in words, for those who cannot see it."""
        parts = "; ".join(self._in_words(column) for column in (self.X, self.Y))
        over = " over stimuli" if self.over_stimuli else ""
        return f"EAT-Map, pattern {self.label}{over}: {parts}."

    def _in_words(self, column: Column) -> str:
        name, a, b = (isolated(text) for text in (column.name, self.A, self.B))
        level, attribute = column.level, {"A": a, "B": b}.get(column.attribute or "")
        read, low = level.p_of()
        if read is None:
            return f"{name}, association undefined"
        way = f"associated with {attribute or f'neither {a} nor {b}'}"
        p = p_equals(read, self.rule.alpha, low)
        shares = [f"{text} {of}" for text, of in zip(column.texts, (a, b), strict=True) if text]
        return f"{name}, {way} ({', '.join([f'd = {effect(level.d)}', p, *shares])})"

    @property
    def comparison(self) -> str:
        """Which target is closer to which attribute than the other; empty without level 1."""
        if not self.level1:
            return ""
        attribute = self.A if self.level1 > 0 else self.B
        x, y, closer = map(isolated, (self.X.name, self.Y.name, attribute))
        return f"{x} closer to {closer} than {y}: d = {effect(self.level1)}"

    @property
    def footnotes(self) -> tuple[str, ...]:
        """What the star says and what is relabelled; the two-sided pattern where it differs."""
        star = self.rule.meaning + (", over stimuli" if self.over_stimuli else "")
        if self.two_sided_label == self.label:
            return (star,)
        return star, f"under the two-sided rule: {self.two_sided_label}"

    def glyphs(self, encoding: str = "utf-8") -> tuple[str, str]:
        """Draw the map as two lines of two glyphs, row A above row B, for a terminal.

        Where the terminal's encoding lacks the squares, ``#``, ``.`` and ``?`` stand for them.

        >>> import eatlas
        >>> EATMap.of(eatlas.run(tests="weat-6")[0]).glyphs()
        ('□□', '□■')
        """
        on, off, undefined = ("■", "□", "▨")
        try:
            f"{on}{off}{undefined}".encode(encoding)
        except (UnicodeEncodeError, LookupError):
            on, off, undefined = ("#", ".", "?")
        above, below = (
            "".join(
                undefined if state == UNDEFINED else on if state == row else off
                for state in (self.X.state, self.Y.state)
            )
            for row in "AB"
        )
        return above, below

    def svg(self, width: float = WIDTH, *, heading: str = "") -> str:
        """Draw the map with names, numbers and pattern, or another heading."""
        wide = (width - LEFT - GAP - RIGHT) / 2
        columns = (self.X, self.Y)
        middle = LEFT + wide + GAP / 2
        over = broken(self.comparison, width - 24, MOST_LINES, NAME) if self.comparison else []
        top = TOP + LINE * len(over)
        under = top + 2 * CELL_H + GAP
        levels = [column.level for column in columns]
        axis = Axis.of_effects(v for e in levels for v in (e.d, *(e.interval or ())))
        height = under + NUMBERS + SCALE + BELOW
        height += THUMBNAIL + 8 if self.X.images or self.Y.images else 0
        parts = [
            tag("rect", width=width, height=height, class_="eat-paper"),
            label(
                heading or self.label, middle, 27, size=17, font_weight=700, text_anchor="middle"
            ),
            *(muted(text, width / 2, 48 + LINE * i, size=12) for i, text in enumerate(over)),
        ]
        for i, (role, name) in enumerate((("A", self.A), ("B", self.B))):
            parts.append(_row(name, top + i * (CELL_H + GAP), self.images.get(role, ())))
        for i, column in enumerate(columns):
            left = LEFT + i * (wide + GAP)
            parts.append(self._column(column, left, top, wide))
            scale = axis.on(left + 8, left + wide - 8)
            parts.append(_scale(column.level, scale, under + NUMBERS))
        notes = enumerate(self.footnotes)
        parts += [muted(note, middle, height - 24 + 15.0 * i) for i, note in notes]
        title = f"EAT-Map of {self.test}" if self.test else "EAT-Map"
        return drawing(width, height, *parts, title=title, alt=self.alt, kind="eat-map")

    def _column(self, column: Column, left: float, top: float, wide: float) -> str:
        """One target: its name, a cell for each attribute, and its numbers below."""
        middle, under = left + wide / 2, top + 2 * CELL_H + GAP + 19
        start = middle - (len(column.images) * (THUMBNAIL + 4) - 4) / 2
        d, p, level = "d undefined", "", column.level
        if level.d is not None:
            d = f"d = {effect(level.d)}{level.star}"
        read, low = level.p_of()
        if read is not None:
            p = p_equals(read, self.rule.alpha, low)
        return tag(
            "g",
            _names(column.name, wide - 8, 2, middle, top - 24, "middle"),
            *(
                _cell(column, role, left, top + row * (CELL_H + GAP), wide, column.texts[row])
                for row, role in enumerate("AB")
            ),
            label(d, middle, under, size=15, font_weight=600, text_anchor="middle"),
            muted(p, middle, under + 17, size=12),
            *(
                image.drawn(start + i * (THUMBNAIL + 4), under + NUMBERS + SCALE - 14, THUMBNAIL)
                for i, image in enumerate(column.images)
            ),
        )


def _row(name: str, top: float, images: Sequence[Thumbnail]) -> str:
    """The name of an attribute before its cells, with thumbnails below it."""
    middle = top + CELL_H / 2
    if not images:
        return _names(name, LEFT - 26, 4, LEFT - 12, middle, "end")
    side = 24.0
    left = LEFT - 12 - len(images) * (side + 3) + 3
    below = [image.drawn(left + i * (side + 3), middle + 4, side) for i, image in enumerate(images)]
    return _names(name, LEFT - 26, 2, LEFT - 12, middle - 16, "end") + "".join(below)


def _scale(level: Effect, axis: Axis, top: float) -> str:
    """The effect size of a target with its interval, on a scale that both columns share."""
    y, ends = top + 10, (axis.low, 0.0, axis.high)
    ticks = "".join(f"M{axis.at(end):.1f} {y - 4:.1f}v8" for end in ends)
    line = path(f"M{axis.start:.1f} {y:.1f}H{axis.end:.1f}{ticks}", "fig-line", stroke_opacity=0.5)
    numbers = [muted(effect(e, 0 if e.is_integer() else 1), axis.at(e), y + 20) for e in ends]
    mark = "" if level.d is None else estimate(Estimate.of(level), axis, y)
    return line + mark + "".join(numbers)


def _names(name: str, width: float, most: int, x: float, middle: float, anchor: str) -> str:
    """Write a name on one or more lines around a height; the whole of it is a tooltip."""
    lines = broken(name, width, most, NAME)
    first = middle - (len(lines) - 1) * LINE / 2 + 4.5
    look = {"size": NAME, "font_weight": 600, "text_anchor": anchor}
    return text_lines(lines, x, first, whole=name, step=LINE, **look)


def _cell(column: Column, attribute: str, x: float, y: float, wide: float, text: str) -> str:
    """Draw a cell with a word in it, so that nobody needs the colour, and a text below that."""
    on, undefined = column.state == attribute, column.state == UNDEFINED
    parts = [cell(x, y, wide, CELL_H, on=on, hatched=undefined)]
    middle, height = x + wide / 2, y + CELL_H / 2
    look: dict[str, Any] = {"text_anchor": "middle", "class_": "eat-on-text" if on else None}
    if undefined:
        plate = {"x": middle - 42, "y": height - 12, "width": 84, "height": 24, "rx": 3}
        parts.append(tag("rect", **plate, class_="eat-plate"))
        parts.append(muted("undefined", middle, height + 4, size=12))
    elif on:
        # the dot is a letter, so that no font can push the word against it
        parts.append(label("● associated", middle, height + 4.5, font_weight=600, **look))
    if text:
        below = 24 if undefined or on else 4.5
        parts.append(label(text, middle, height + below, size=12, **look))
    return "".join(parts)


def cell(x: float, y: float, width: float, height: float, *, on: bool, hatched: bool) -> str:
    """Draw the rectangle of a cell, hatched where the association is undefined.

    It has its colours with it: small maps are in notebooks and in styles too.
    """
    inset = 0.0 if on else 0.5
    rect = tag(
        "rect", x=x + inset, y=y + inset, width=width - 2 * inset, height=height - 2 * inset, rx=3,
        fill=ON if on else OFF, stroke=None if on else EDGE, class_="eat-on" if on else "eat-off",
    )  # fmt: skip
    return rect + _hatch(x, y, width, height) if hatched else rect


def _hatch(x: float, y: float, width: float, height: float, step: float = 8.0) -> str:
    """Draw diagonals within a rectangle, clipped by arithmetic: a pattern would need an id."""
    strokes = []
    offset = step
    while offset < width + height:
        x1, y1 = min(offset, width), max(0.0, offset - width)
        x2, y2 = max(0.0, offset - height), min(offset, height)
        strokes.append(f"M{x + x1:g} {y + y1:g}L{x + x2:g} {y + y2:g}")
        offset += step
    return path("".join(strokes), "eat-hatch", stroke=EDGE, fill="none")


def _thumbnails(
    result: AssociationResult, find: Callable[[str, str], Thumbnail | None]
) -> dict[str, tuple[Thumbnail, ...]]:
    """The first thumbnails of each group, of those with images."""
    images_of = {}
    for role, group in result.coverage.items():
        images = (find(role, term) for term in group.used if term in group.image)
        if some := tuple(islice(filter(None, images), THUMBNAILS)):
            images_of[role] = some
    return images_of


class Pattern(NamedTuple):
    """One EAT pattern of the legend."""

    label: str
    mini: Markup
    meaning: str
    found: int
    """How many of the page's results show it."""


def legend(labels: Iterable[str]) -> list[Pattern]:
    """Return the nine EAT patterns, each with its map and how often it was found."""
    seen = list(labels)
    return [
        Pattern(label, mini_of(label), meaning, seen.count(label))
        for label, (*_, meaning) in PATTERNS.items()
    ]


def states_of(shown: str | EATMap) -> tuple[str, str]:
    """What the columns of X and Y show, in a pattern or in a result."""
    if isinstance(shown, str):
        return PATTERNS[shown][:2] if shown in PATTERNS else (UNDEFINED, UNDEFINED)
    return shown.X.state, shown.Y.state


def mini_of(shown: str | EATMap) -> Markup:
    """Use the small map of a pattern or of a result; the label beside it says what it shows."""
    x, y = states_of(shown)
    inside = tag("use", href=f"#{SYMBOL}{x}{y}")
    return Markup(  # noqa: S704  (letters alone)
        tag("svg", inside, class_="mini", aria_hidden="true")
    )


def mini_map(shown: str | EATMap, x: float = 0.0, y: float = 0.0, side: float = MINI) -> str:
    """Draw the small map, within a drawing or alone."""
    inside = tag("title", words(shown.alt)) if isinstance(shown, EATMap) else ""
    box = f"0 0 {MINI:g} {MINI:g}"
    cells = _small_cells(*states_of(shown))
    return tag("svg", inside, cells, x=x, y=y, width=side, height=side, viewBox=box)


def symbols(*, undefined: bool = True) -> Markup:
    """Define the small maps, once for the page; those with undefined columns where needed."""
    states = ("A", "B", NEITHER, *([UNDEFINED] if undefined else []))
    shown = [
        tag("symbol", _small_cells(x, y), id=f"{SYMBOL}{x}{y}", viewBox="0 0 44 44")
        for x in states
        for y in states
    ]
    return Markup(tag("svg", *shown, class_="symbols", aria_hidden="true"))  # noqa: S704


def small_map(x: str, y: str, colours: Mapping[str, str]) -> str:
    """Draw the small map of two columns as an SVG file, for the style of a page."""
    cells = _small_cells(x, y)
    for name, colour in (("on", ON), ("on-text", ON_TEXT), ("off", OFF), ("edge", EDGE)):
        cells = cells.replace(f'"{colour}"', f'"{colours.get(name, colour)}"')
    return tag("svg", cells, xmlns=NAMESPACE, viewBox="0 0 44 44").replace('"', "'")


def _small_cells(*states: str) -> str:
    """Draw the four cells of a small map, X left and Y right."""
    parts = []
    for i, state in enumerate(states):
        for row, attribute in enumerate("AB"):
            x, y = 1 + 22.0 * i, 1 + 22.0 * row
            on = state == attribute
            parts.append(cell(x, y, SMALL, SMALL, on=on, hatched=state == UNDEFINED))
            if on:
                centre = {"cx": x + SMALL / 2, "cy": y + SMALL / 2, "r": 3.5}
                parts.append(tag("circle", **centre, fill=ON_TEXT, class_="eat-on-text"))
    return "".join(parts)
