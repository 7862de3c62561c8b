"""The EAT-Map: which target is associated with which attribute, in words and drawn.

Four cells: columns are the target groups X and Y, rows the attributes A and B. In the map of an EAT
pattern a cell is red if the target is associated with the attribute by the paper's rule, else gray
(Wolfe, Hiniker and Howe 2024, section "EAT-Maps"). A red cell is also darker and says so, so that
readers do not need the colour. The small map of a finding has the same cells by its verdicts:
filled for supported, outlined for these word lists only, empty for not shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from markupsafe import Markup

from eatlas.numbers import effect, in_powers, p_equals, percent
from eatlas.present.drawings.svg import (
    NAMESPACE,
    Axis,
    aside,
    broken,
    ends_within,
    estimate,
    figure,
    label,
    path,
    tag,
    text_lines,
)
from eatlas.present.text import isolate, pixels
from eatlas.results import AssociationResult
from eatlas.results.effects import Effect
from eatlas.stimuli import ATTRIBUTES, TARGETS

if TYPE_CHECKING:
    from eatlas.results.finding import Finding, Question

ON, ON_TEXT = "#b3261e", "#ffffff"  # luminance ratio to OFF 4.9, of the text 6.5
OFF, EDGE, PAPER = "#dfdfe4", "#74747e", "#fdfdfc"
SYMBOL = "eat-"
"""How the ids of the small maps begin that a page defines once."""
NEITHER, UNDEFINED = "N", "U"
"""What a column of a map may show besides A and B."""
STATES = ("A", "B", "a", "b", NEITHER, UNDEFINED)
"""All of them; a small letter is for these word lists only, and outlined."""
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
NAME, SMALL_NAME, LINE, MOST_LINES = 13.0, 11.0, 16.0, 3
SMALL, COLUMN = 20.0, 22.0
"""Pixels of a cell of a small map, and from one to the next."""
SIDES = "0 0 44 44"


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


def states_of(finding: Finding) -> tuple[str, str]:
    """What the columns of X and Y show by a finding: a small letter for these word lists only."""
    x, y = (_state(finding.questions.get(f"level2.{role}")) for role in TARGETS)
    return x, y


def _state(question: Question | None) -> str:
    """What one column shows."""
    if question is None or question.effect_size is None:
        return UNDEFINED
    attribute = "A" if question.effect_size > 0 else "B"
    shown = {"supported": attribute, "these words": attribute.lower()}
    return shown.get(question.verdict, NEITHER)


def in_words(result: AssociationResult) -> str:
    """The map of a result in words, for those who cannot see it."""
    a, b = (isolate(result.concepts[role]) for role in ATTRIBUTES)
    parts = []
    for role in TARGETS:
        name, level = isolate(result.concepts[role]), result.effect(f"level2.{role}")
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
    over = " over stimuli" if result.over_stimuli else ""
    return f"EAT-Map by the paper's rule, pattern {result.primary.label}{over}: {'; '.join(parts)}."


class MapContents(NamedTuple):
    """What a map shows besides its cells."""

    level1: str
    """The effect size of level 1 in words; empty where it is undefined."""
    levels: list[Effect]
    axis: Axis
    """The scale of both effect sizes of level 2."""
    notes: list[str]


def map_contents(result: AssociationResult) -> MapContents:
    """Put the effect sizes of a map together, with their scale and the notes below."""
    read, level1 = result.primary, ""
    d = next((shown.d for shown in result.effects() if shown.place == "level1"), None)
    if d:
        x, y = (isolate(result.concepts[role]) for role in TARGETS)
        level1 = f"Level 1: {x} against {y}, d = {effect(d)}"
    levels = [result.effect(f"level2.{role}") for role in TARGETS]
    axis = Axis.of_effects(v for e in levels for v in (e.d, *ends_within(e)))
    notes = [f"By the paper's rule: {result.rule.meaning}" + ", over stimuli" * result.over_stimuli]
    if result.neutral is not None:
        notes.append(f"{percent(result.neutral)} without a preference")
    if read.two_sided_label != read.label:
        notes.append(f"under the two-sided rule: {read.two_sided_label}")
    return MapContents(level1, levels, axis, notes)


def eat_map(result: AssociationResult, width: float = WIDTH, *, heading: str = "") -> str:
    """Draw the map of a pattern with names and numbers, under the pattern or another heading."""
    read, wide = result.primary, (width - LEFT - GAP - RIGHT) / 2
    middle = LEFT + wide + GAP / 2
    level1, levels, axis, notes = map_contents(result)
    over = broken(level1, width - 24, MOST_LINES, NAME) if level1 else []
    top = TOP + LINE * len(over)
    under = top + 2 * CELL_H + GAP
    last = under + NUMBERS + SCALE + BELOW - 24
    height = last + 24 + 15.0 * max(0, len(notes) - 2)
    parts = [
        tag("rect", width=width, height=height, class_="eat-paper"),
        label(heading or read.label, middle, 27, size=17, font_weight=700, anchor="middle"),
        *(aside(text, width / 2, 48 + LINE * i, size=12) for i, text in enumerate(over)),
    ]
    for i, role in enumerate(ATTRIBUTES):
        row = top + i * (CELL_H + GAP) + CELL_H / 2
        parts.append(_name(result.concepts[role], LEFT - 26, 4, LEFT - 12, row, "end"))
    for i, (level, state) in enumerate(zip(levels, states(result), strict=True)):
        left = LEFT + i * (wide + GAP)
        parts.append(_column(result, level, state, left, top, wide))
        parts.append(_scale(level, axis.on(left + 8, left + wide - 8), under + NUMBERS))
    parts += [aside(note, middle, last + 15.0 * i) for i, note in enumerate(notes)]
    title, alt = f"EAT-Map of {result.test}", in_words(result)
    return figure(height, *parts, title=title, alt=alt, width=width, kind="eat-map")


PANEL = 200.0
"""Pixels of a small map with names."""


def map_panel(result: AssociationResult, width: float = PANEL, *, heading: str = "") -> str:
    """Draw the map small: its names, its pattern, and both effect sizes of level 2."""
    parts = [part for role in ATTRIBUTES for part in result.concepts[role].split()]
    longest = max(pixels(part, SMALL_NAME) for part in parts)
    left, high, top = min(longest + 14, 0.45 * width), 36.0, 98.0
    wide = (width - left - 8 - GAP) / 2
    lines = broken(heading or result.test, width - 8, 2, 12)
    first = 17 if len(lines) > 1 else 31
    parts = [
        text_lines(lines, 4, first, size=12, font_weight=700, whole=heading),
        aside(result.primary.label, 4, 47, anchor="start"),
    ]
    for i, role in enumerate(ATTRIBUTES):
        middle = top + i * (high + GAP) + high / 2
        parts.append(
            _name(result.concepts[role], left - 10, 3, left - 6, middle, "end", SMALL_NAME)
        )
    levels = [result.effect(f"level2.{role}") for role in TARGETS]
    for i, (level, state) in enumerate(zip(levels, states(result), strict=True)):
        x = left + i * (wide + GAP)
        middle = x + wide / 2
        parts.append(
            _name(result.concepts[TARGETS[i]], wide + 8, 3, middle, top - 24, "middle", SMALL_NAME)
        )
        for row, attribute in enumerate(ATTRIBUTES):
            y, on = top + row * (high + GAP), state == attribute
            parts.append(cell(x, y, wide, high, _look(state, attribute)))
            if on:
                parts.append(
                    label("●", middle, y + high / 2 + 5, anchor="middle", class_="eat-on-text")
                )
        under = top + 2 * high + GAP
        d = "undefined" if level.d is None else f"d = {effect(level.d)}{level.star}"
        parts.append(label(d, middle, under + 16, anchor="middle"))
    title, alt = f"EAT-Map of {result.test}", in_words(result)
    return figure(top + 2 * high + 32, *parts, title=title, alt=alt, width=width, kind="eat-map")


def _column(
    result: AssociationResult, level: Effect, state: str, left: float, top: float, wide: float
) -> str:
    """One target: its name, a cell for each attribute, and its numbers below.

    A cell has a word in it, so that readers do not need the colour; the numbers of its pair are
    below.
    """
    middle, under, role = left + wide / 2, top + 2 * CELL_H + GAP + 19, level.place[-1]
    parts = [_name(result.concepts[role], wide - 8, 2, middle, top - 24, "middle")]
    for i, attribute in enumerate(ATTRIBUTES):
        on, undefined, y = state == attribute, state == UNDEFINED, top + i * (CELL_H + GAP)
        parts.append(cell(left, y, wide, CELL_H, _look(state, attribute)))
        y += CELL_H / 2
        look: dict[str, Any] = {"anchor": "middle", "class_": "eat-on-text" if on else None}
        if undefined:
            plate = {"x": middle - 42, "y": y - 12, "width": 84, "height": 24, "rx": 3}
            parts.append(tag("rect", **plate, class_="eat-plate"))
            parts.append(aside("undefined", middle, y + 4, size=12))
        elif on:
            # the dot is a letter, so that no font can push the word against it
            parts.append(label("● associated", middle, y + 4.5, size=13, font_weight=600, **look))
        if text := result.cell_text(role + attribute):
            below = 24 if undefined or on else 4.5
            parts.append(label(text, middle, y + below, **look))
    look = {"size": 15, "font_weight": 600, "anchor": "middle"}
    parts.append(label(text_of_d(level), middle, under, **look))
    if p := text_of_p(level, result):
        parts.append(aside(p, middle, under + 17, size=12))
    return tag("g", *parts)


def text_of_d(level: Effect) -> str:
    """An effect size below its column."""
    return "d undefined" if level.d is None else f"d = {effect(level.d)}{level.star}"


def text_of_p(level: Effect, result: AssociationResult) -> str:
    """Its p-value; empty without one."""
    p = level.p_of()
    return "" if p is None else in_powers(p_equals(p, result.rule.alpha))


def _look(state: str, attribute: str) -> str:
    """Of a cell in the map of a pattern."""
    return "on" if state == attribute else "hatched" if state == UNDEFINED else ""


def _scale(level: Effect, axis: Axis, top: float) -> str:
    """The effect size of a target with its interval, on a scale that both columns share."""
    y, (low, high), zero = top + 10, axis.ends(), axis.at(0.0)
    ends = {low: axis.start, "0": zero, high: axis.end}
    ticks = "".join(f"M{x:.1f} {y - 4:.1f}v8" for x in ends.values())
    line = path(f"M{axis.start:.1f} {y:.1f}H{axis.end:.1f}{ticks}", "fig-line", stroke_opacity=0.5)
    numbers = [aside(number, x, y + 20) for number, x in ends.items()]
    return line + ("" if level.d is None else estimate(level, axis, y)) + "".join(numbers)


def _name(
    name: str,
    width: float,
    most: int,
    x: float,
    middle: float,
    anchor: str,
    size: float = NAME,
) -> str:
    """Write a name on one or more lines around a height; the whole of it is a tooltip."""
    lines, step = broken(name, width, most, size), LINE * size / NAME
    first = middle - (len(lines) - 1) * step / 2 + 0.35 * size
    look = {"size": size, "font_weight": 600, "text_anchor": anchor}
    return text_lines(lines, x, first, whole=name, step=step, **look)


def cell(x: float, y: float, width: float, height: float, look: str = "") -> str:
    """Draw the rectangle of a cell: "on", "outlined", "hatched" if undefined, or plain.

    It has its colours with it: small maps are in notebooks and in styles too.
    """
    inset = {"on": 0.0, "outlined": 1.5}.get(look, 0.5)
    looks: dict[str, dict[str, Any]] = {
        "on": {"fill": ON, "class_": "eat-on"},
        "outlined": {"fill": PAPER, "stroke": ON, "stroke_width": 3, "class_": "eat-outlined"},
    }
    drawn = looks.get(look, {"fill": OFF, "stroke": EDGE, "class_": "eat-off"})
    size = {"width": width - 2 * inset, "height": height - 2 * inset}
    rect = tag("rect", x=x + inset, y=y + inset, **size, rx=3, **drawn)
    if look != "hatched":
        return rect
    strokes = ""
    for offset in range(8, int(width + height) + 1, 8):  # a pattern of SVG would need an id
        x1, y1 = min(offset, width), max(0.0, offset - width)
        x2, y2 = max(0.0, offset - height), min(offset, height)
        strokes += f"M{x + x1:g} {y + y1:g}L{x + x2:g} {y + y2:g}"
    return rect + path(strokes, "eat-hatch", stroke=EDGE, fill="none")


def legend(labels: Iterable[str]) -> list[dict[str, Any]]:
    """The nine EAT patterns, each with its map, its meaning and how often it was found."""
    seen = Counter(labels)
    return [
        {"label": name, "mini": mini(name), "meaning": meaning, "found": seen[name]}
        for name, (*_, meaning) in PATTERNS.items()
    ]


def mini(shown: str | AssociationResult) -> Markup:
    """Use the small map of a pattern or of a result; the label beside it says what it shows."""
    return _use_symbols(*states(shown))


def mini_of(finding: Finding) -> Markup:
    """Use the small map of a finding: filled, outlined and empty cells."""
    return _use_symbols(*states_of(finding))


def _use_symbols(x: str, y: str) -> Markup:
    """Both columns, which the page defines."""
    inside = tag("use", href=f"#{SYMBOL}{x}") + tag("use", href=f"#{SYMBOL}{y}", x=COLUMN)
    return Markup(tag("svg", inside, class_="mini", viewBox=SIDES, aria_hidden="true"))  # noqa: S704


def mini_map(columns: tuple[str, str], x: float, y: float, side: float) -> str:
    """Draw a small map within a drawing."""
    cells = "".join(_small_column(state, COLUMN * i) for i, state in enumerate(columns))
    return tag("svg", cells, x=x, y=y, width=side, height=side, viewBox=SIDES)


def symbols() -> Markup:
    """Define the columns of small maps, once for the page."""
    shown = [tag("g", _small_column(state), id=f"{SYMBOL}{state}") for state in STATES]
    inside = tag("defs", *shown)
    return Markup(tag("svg", inside, class_="symbols", aria_hidden="true"))  # noqa: S704


def small_column(state: str, colours: Mapping[str, str]) -> str:
    """Draw a column of a small map as an SVG file, for the style of a page."""
    cells = _small_column(state)
    own = ("on", ON), ("on-text", ON_TEXT), ("off", OFF), ("edge", EDGE), ("paper", PAPER)
    for name, colour in own:
        cells = cells.replace(f'"{colour}"', f'"{colours.get(name, colour)}"')
    box = f"0 0 {COLUMN:g} {2 * COLUMN:g}"
    return tag("svg", cells, xmlns=NAMESPACE, viewBox=box).replace('"', "'")


def _small_column(state: str, left: float = 0.0) -> str:
    """Draw both cells of a target in a small map."""
    parts = []
    for row, attribute in enumerate(ATTRIBUTES):
        x, y, filled = left + 1, 1 + COLUMN * row, state == attribute
        outlined = state.upper() == attribute and not filled
        look = "on" if filled else "outlined" if outlined else "hatched" * (state == UNDEFINED)
        parts.append(cell(x, y, SMALL, SMALL, look))
        if filled or outlined:
            dot = {"cx": x + SMALL / 2, "cy": y + SMALL / 2, "r": 3.5}
            colour, kind = (ON_TEXT, "eat-on-text") if filled else (ON, "eat-on")
            parts.append(tag("circle", **dot, fill=colour, class_=kind))
    return "".join(parts)
