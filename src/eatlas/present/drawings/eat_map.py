"""The EAT-Map: which target is associated with which attribute, in words and drawn.

Four cells: columns are the target groups X and Y, rows the attributes A and B; a cell is red where
the target is associated with the attribute, else gray (Wolfe, Hiniker and Howe 2024, section
"EAT-Maps"). A red cell is also darker and says so, so that nobody needs the colour.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

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
from eatlas.results.effects import Effect
from eatlas.stimuli import ATTRIBUTES, TARGETS

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


def states(shown: str | AssociationResult) -> tuple[str, str]:
    """What the columns of X and Y show, in a pattern or in a result with one."""
    if isinstance(shown, str):
        return PATTERNS[shown][:2] if shown in PATTERNS else (UNDEFINED, UNDEFINED)
    x, y = (
        UNDEFINED
        if shown.effect(f"level2.{role}").d is None
        else shown.primary.attribute(role) or NEITHER
        for role in TARGETS
    )
    return x, y


def glyphs(result: AssociationResult, encoding: str = "utf-8") -> tuple[str, str]:
    """The map as two lines of two glyphs, row A above row B, for a terminal.

    Where the terminal's encoding lacks the squares, ``#``, ``.`` and ``?`` stand for them.

    >>> import eatlas
    >>> glyphs(eatlas.run(tests="weat-6")[0])
    ('□□', '□■')
    """
    on, off, undefined = "■", "□", "▨"
    try:
        f"{on}{off}{undefined}".encode(encoding)
    except (UnicodeEncodeError, LookupError):
        on, off, undefined = "#", ".", "?"
    above, below = (
        "".join(
            undefined if state == UNDEFINED else on if state == row else off
            for state in states(result)
        )
        for row in ATTRIBUTES
    )
    return above, below


def in_words(result: AssociationResult) -> str:
    """The map of a result in words, for those who cannot see it."""
    a, b = (isolated(result.concepts.name(role)) for role in ATTRIBUTES)
    parts = []
    for role in TARGETS:
        name, level = isolated(result.concepts.name(role)), result.effect(f"level2.{role}")
        p = level.p_of()
        if p is None:
            parts.append(f"{name}, association undefined")
            continue
        attribute = {"A": a, "B": b}.get(result.primary.attribute(role) or "")
        facts = [f"d = {effect(level.d)}", p_equals(p, result.rule.alpha)]
        texts = {a: result.cell_text(f"{role}A"), b: result.cell_text(f"{role}B")}
        facts += [f"{text} {of}" for of, text in texts.items() if text]
        way = f"associated with {attribute or f'neither {a} nor {b}'}"
        parts.append(f"{name}, {way} ({', '.join(facts)})")
    over = " over stimuli" if result.primary.over_stimuli else ""
    return f"EAT-Map, pattern {result.primary.label}{over}: {'; '.join(parts)}."


def comparison(result: AssociationResult) -> str:
    """Which target is closer to which attribute than the other; empty without level 1."""
    d = next((shown.d for shown in result.effects() if shown.place == "level1"), None)
    if not d:
        return ""
    x, y, a, b = (isolated(result.concepts.name(role)) for role in (*TARGETS, *ATTRIBUTES))
    return f"{x} closer to {a if d > 0 else b} than {y}: d = {effect(d)}"


def eat_map(result: AssociationResult, width: float = WIDTH, *, heading: str = "") -> str:
    """Draw the map with names, numbers and pattern, or another heading."""
    read, wide = result.primary, (width - LEFT - GAP - RIGHT) / 2
    middle, compared = LEFT + wide + GAP / 2, comparison(result)
    over = broken(compared, width - 24, MOST_LINES, NAME) if compared else []
    top = TOP + LINE * len(over)
    under = top + 2 * CELL_H + GAP
    levels = [result.effect(f"level2.{role}") for role in TARGETS]
    axis = Axis.of_effects(v for e in levels for v in (e.d, *(e.interval or ())))
    height = under + NUMBERS + SCALE + BELOW
    parts = [
        tag("rect", width=width, height=height, class_="eat-paper"),
        label(heading or read.label, middle, 27, size=17, font_weight=700, text_anchor="middle"),
        *(muted(text, width / 2, 48 + LINE * i, size=12) for i, text in enumerate(over)),
    ]
    for i, role in enumerate(ATTRIBUTES):
        row = top + i * (CELL_H + GAP) + CELL_H / 2
        parts.append(_name(result.concepts.name(role), LEFT - 26, 4, LEFT - 12, row, "end"))
    for i, (level, state) in enumerate(zip(levels, states(result), strict=True)):
        left = LEFT + i * (wide + GAP)
        parts.append(_column(result, level, state, left, top, wide))
        parts.append(_scale(level, axis.on(left + 8, left + wide - 8), under + NUMBERS))
    notes = [result.rule.meaning + (", over stimuli" if read.over_stimuli else "")]
    if read.two_sided_label != read.label:
        notes.append(f"under the two-sided rule: {read.two_sided_label}")
    parts += [muted(note, middle, height - 24 + 15.0 * i) for i, note in enumerate(notes)]
    title, alt = f"EAT-Map of {result.test}", in_words(result)
    return drawing(width, height, *parts, title=title, alt=alt, kind="eat-map")


def _column(
    result: AssociationResult, level: Effect, state: str, left: float, top: float, wide: float
) -> str:
    """One target: its name, a cell for each attribute, and its numbers below."""
    middle, under = left + wide / 2, top + 2 * CELL_H + GAP + 19
    role = level.place[-1]
    cells = [
        _cell(state, a, left, top + i * (CELL_H + GAP), wide, result.cell_text(f"{role}{a}"))
        for i, a in enumerate(ATTRIBUTES)
    ]
    d = "d undefined" if level.d is None else f"d = {effect(level.d)}{level.star}"
    p = level.p_of()
    return tag(
        "g",
        _name(result.concepts.name(role), wide - 8, 2, middle, top - 24, "middle"),
        *cells,
        label(d, middle, under, size=15, font_weight=600, text_anchor="middle"),
        "" if p is None else muted(p_equals(p, result.rule.alpha), middle, under + 17, size=12),
    )


def _scale(level: Effect, axis: Axis, top: float) -> str:
    """The effect size of a target with its interval, on a scale that both columns share."""
    y, ends = top + 10, (axis.low, 0.0, axis.high)
    ticks = "".join(f"M{axis.at(end):.1f} {y - 4:.1f}v8" for end in ends)
    line = path(f"M{axis.start:.1f} {y:.1f}H{axis.end:.1f}{ticks}", "fig-line", stroke_opacity=0.5)
    numbers = [muted(effect(e, 0 if e.is_integer() else 1), axis.at(e), y + 20) for e in ends]
    mark = "" if level.d is None else estimate(Estimate.of(level), axis, y)
    return line + mark + "".join(numbers)


def _name(name: str, width: float, most: int, x: float, middle: float, anchor: str) -> str:
    """Write a name on one or more lines around a height; the whole of it is a tooltip."""
    lines = broken(name, width, most, NAME)
    first = middle - (len(lines) - 1) * LINE / 2 + 4.5
    look = {"size": NAME, "font_weight": 600, "text_anchor": anchor}
    return text_lines(lines, x, first, whole=name, step=LINE, **look)


def _cell(state: str, attribute: str, x: float, y: float, wide: float, text: str) -> str:
    """Draw a cell with a word in it, so that nobody needs the colour, and a text below that."""
    on, undefined = state == attribute, state == UNDEFINED
    parts = [cell(x, y, wide, CELL_H, on=on, hatched=undefined)]
    middle, height = x + wide / 2, y + CELL_H / 2
    look: dict[str, Any] = {
        "text_anchor": "middle",
        "class_": "eat-on-text" if on else None,
    }
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
    for i in range(1, int((width + height) / step) + 1):
        offset = i * step
        x1, y1 = min(offset, width), max(0.0, offset - width)
        x2, y2 = max(0.0, offset - height), min(offset, height)
        strokes.append(f"M{x + x1:g} {y + y1:g}L{x + x2:g} {y + y2:g}")
    return path("".join(strokes), "eat-hatch", stroke=EDGE, fill="none")


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
        Pattern(name, mini(name), meaning, seen.count(name))
        for name, (*_, meaning) in PATTERNS.items()
    ]


def mini(shown: str | AssociationResult) -> Markup:
    """Use the small map of a pattern or of a result; the label beside it says what it shows."""
    x, y = states(shown)
    inside = tag("use", href=f"#{SYMBOL}{x}{y}")
    return Markup(tag("svg", inside, class_="mini", aria_hidden="true"))  # noqa: S704


def mini_map(
    shown: str | AssociationResult, x: float = 0.0, y: float = 0.0, side: float = MINI
) -> str:
    """Draw the small map, within a drawing or alone."""
    inside = "" if isinstance(shown, str) else tag("title", words(in_words(shown)))
    box, cells = f"0 0 {MINI:g} {MINI:g}", _small_cells(*states(shown))
    return tag("svg", inside, cells, x=x, y=y, width=side, height=side, viewBox=box)


def symbols() -> Markup:
    """Define the small maps, once for the page."""
    every = ("A", "B", NEITHER, UNDEFINED)
    shown = [
        tag("symbol", _small_cells(x, y), id=f"{SYMBOL}{x}{y}", viewBox="0 0 44 44")
        for x in every
        for y in every
    ]
    return Markup(tag("svg", *shown, class_="symbols", aria_hidden="true"))  # noqa: S704


def small_map(x: str, y: str, colours: Mapping[str, str]) -> str:
    """Draw the small map of two columns as an SVG file, for the style of a page."""
    cells = _small_cells(x, y)
    for name, colour in (("on", ON), ("on-text", ON_TEXT), ("off", OFF), ("edge", EDGE)):
        cells = cells.replace(f'"{colour}"', f'"{colours.get(name, colour)}"')
    return tag("svg", cells, xmlns=NAMESPACE, viewBox="0 0 44 44").replace('"', "'")


def _small_cells(*columns: str) -> str:
    """Draw the four cells of a small map, X left and Y right."""
    parts = []
    for i, state in enumerate(columns):
        for row, attribute in enumerate(ATTRIBUTES):
            x, y = 1 + 22.0 * i, 1 + 22.0 * row
            on = state == attribute
            parts.append(cell(x, y, SMALL, SMALL, on=on, hatched=state == UNDEFINED))
            if on:
                centre = {"cx": x + SMALL / 2, "cy": y + SMALL / 2, "r": 3.5}
                parts.append(tag("circle", **centre, fill=ON_TEXT, class_="eat-on-text"))
    return "".join(parts)
