"""Drawings that show movement: where words and effect sizes were before, and where they are now."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

from eatlas.apps.explorer.coordinates import Point as Pair
from eatlas.apps.explorer.lists import Lists
from eatlas.present.drawings.figures import Estimate, across, outline
from eatlas.present.drawings.names import LETTERS, SIDE
from eatlas.present.drawings.plane import (
    LEFT_ROOM,
    LOWER_ROOM,
    UPPER_ROOM,
    Plane,
    Point,
    ground,
    leader,
    shown,
)
from eatlas.present.drawings.svg import FONT, INK, Axis, drawing, inlined, label, muted, tag, words
from eatlas.present.effects import compared
from eatlas.present.numbers import effect
from eatlas.present.text import isolated, pixels
from eatlas.results import AssociationResult
from eatlas.results.effects import Effect
from eatlas.stimuli import ROLES, TARGETS

MOVED = 0.004
"""Share of the map's side by which a mark has to move for its old place to be drawn."""
LEVEL = 104.0
"""Pixels of the scale of an effect size."""
STRIP, STRIP_ROW, STRIP_LEFT = 1200.0, 46.0, 300.0
"""Pixels of the strip of effect sizes without each word; of one row; of the names of rows."""
NAMED = 3
"""Words that a row of the strip names at either end."""
SCALED = "mean {unit} with {name}, in standard deviations"
"""What is written beside the axes of two sources."""
ARROW = 4.5
"""Half the width of the head of an arrow."""
_COLOUR = {"X": "x", "Y": "y"}


def word_id(lists: Lists, role: str, word: str) -> str:
    """What a word is called in all views of the page, such as ``X3``."""
    return f"{role}{lists.groups[role].words.index(word)}"


def plane_of(
    lists: Lists,
    result: AssociationResult,
    places: Mapping[tuple[str, str], Pair],
    origins: Mapping[tuple[str, str], Pair],
) -> Markup:
    """Draw the map of the words: words that are on, off, and their ghosts."""
    now = [Point(role, word, *at) for (role, word), at in places.items()]
    off = {(role, word) for role in TARGETS for word in lists.groups[role].off}
    on = [one for one in now if (one.role, one.term) not in off]
    before = [Point(role, word, *at) for (role, word), at in origins.items()]
    means, ghosts = _means(on), _means(before)
    plane = Plane.around([*on, *means], result.concepts.A, result.concepts.B)
    every = Plane.around([*now, *means, *before, *ghosts], result.concepts.A, result.concepts.B)
    plane = Plane(plane.points, every.axis, every.corners)
    attributes = {role: result.concepts.name(role) for role in "AB"}
    hollow = [one for one in now if (one.role, one.term) in off]
    there = {(one.role, one.term): one for one in [*now, *means]}
    moved = [
        one for one in [*before, *ghosts] if _moved(plane, one, there.get((one.role, one.term)))
    ]
    square = tag(
        "g",
        ground(plane, attributes, result.unit),
        *(_ghost(plane, one, there.get((one.role, one.term))) for one in moved),
        *(_mark(plane, one, lists, "off") for one in hollow),
        *(_mark(plane, one, lists) for one in on),
        *(_mean(plane, one, result) for one in means),
        *_names(plane, lists),
        transform=f"translate({LEFT_ROOM} {UPPER_ROOM})",
    )  # fmt: skip
    return _drawn(
        square,
        title=f"Each target word by its mean {result.unit}s with {attributes['A']} and "
        f"{attributes['B']}",
        alt=_said_of(means, on, result),
    )


def _drawn(square: str, *, title: str, alt: str) -> Markup:
    svg = drawing(
        LEFT_ROOM + SIDE + UPPER_ROOM, UPPER_ROOM + SIDE + LOWER_ROOM, square,
        title=title, alt=alt, class_="figure plane", font_family=FONT, fill=INK,
    )  # fmt: skip
    return Markup(inlined(svg))  # noqa: S704  (a drawing of ours, escaped there)


def _names(plane: Plane, lists: Lists) -> Iterator[str]:
    """The words that have room beside their marks."""
    for place in plane.names():
        point = plane.points[place.point]
        yield leader(plane, place)
        yield label(
            shown(point.term), place.x, place.y + LETTERS * 0.35,
            size=LETTERS, text_anchor=place.anchor, stroke="none",
            class_=f"word {_COLOUR[point.role]}",
            data_word=word_id(lists, point.role, point.term),
        )  # fmt: skip


def _means(points: Sequence[Point]) -> list[Point]:
    """The mean of each group, which are the four means of level 3."""
    found = []
    for role in TARGETS:
        own = [one for one in points if one.role == role]
        if own:
            a, b = (
                float(np.mean(values)) for values in zip(*[(p.a, p.b) for p in own], strict=True)
            )
            found.append(Point(role, "", a, b))
    return found


def _said_of(means: Sequence[Point], on: Sequence[Point], result: AssociationResult) -> str:
    """Say where the means are, and how many words are nearer to A than to B."""
    said = []
    for mean in means:
        own = [one for one in on if one.role == mean.role]
        nearer = sum(one.a > one.b for one in own)
        a, b = isolated(result.concepts.A), isolated(result.concepts.B)
        said.append(
            f"{isolated(result.concepts.name(mean.role))}: mean {result.unit} "
            f"{effect(mean.a, 3)} with {a}, {effect(mean.b, 3)} with {b}; {nearer} of {len(own)} "
            f"words are nearer to {a}"
        )
    return ". ".join(said) + "."


def _moved(plane: Plane, before: Point, now: Point | None) -> bool:
    """Whether a point is elsewhere now by more than the width of a line."""
    if now is None:
        return False
    (x0, y0), (x1, y1) = plane.at(before), plane.at(now)
    return bool(np.hypot(x1 - x0, y1 - y0) > MOVED * SIDE)


def _ghost(plane: Plane, before: Point, now: Point | None) -> str:
    """Where a word or a mean was, with a line to where it is."""
    x, y = plane.at(before)
    kind = _COLOUR[before.role]
    to_x, to_y = plane.at(now) if now else (x, y)
    line = tag("path", d=f"M{x:.1f} {y:.1f}L{to_x:.1f} {to_y:.1f}", class_=f"trail {kind}")
    if before.term:
        mark = outline("circle" if before.role == "X" else "square", round(x, 1), round(y, 1), 0.6)
        return line + tag("path", d=mark, class_=f"ghost {kind}")
    cross = f"M{x - 6:.1f} {y:.1f}h12M{x:.1f} {y - 6:.1f}v12"
    return line + tag("path", d=cross, class_=f"mean ghost {kind}")


def _about(point: Point, name: str, state: str = "") -> str:
    text = f"{name}: {effect(point.a, 3)} up, {effect(point.b, 3)} across"
    return tag("title", words(f"{text}{', switched off' if state else ''}"))


def _mark(plane: Plane, point: Point, lists: Lists, state: str = "") -> str:
    """A dot of X, a square of Y; hollow where the word is off."""
    x, y = (round(value, 1) for value in plane.at(point))
    mark = outline("circle" if point.role == "X" else "square", x, y)
    kind = f"dot {_COLOUR[point.role]} {state}".strip()
    about = _about(point, shown(point.term), state)
    at = word_id(lists, point.role, point.term)
    return tag("path", about, d=mark, class_=kind, data_word=at, data_key=f"plane-{at}")


def _mean(plane: Plane, point: Point, result: AssociationResult) -> str:
    """A cross for the mean of a group."""
    x, y = (round(value, 1) for value in plane.at(point))
    about = _about(point, f"mean of {shown(result.concepts.name(point.role))}")
    cross = f"M{x - 6:g} {y:g}h12M{x:g} {y - 6:g}v12"
    key = f"mean-{point.role}"
    return tag("path", about, d=cross, class_=f"mean {_COLOUR[point.role]}", data_key=key)


@dataclass(frozen=True)
class Arrows:
    """Places of the same words on two sources, each scaled by its own spread."""

    svg: Markup
    missing: tuple[str, ...]
    """Words that one of the two lacks."""


def arrows(
    lists: Lists,
    one: Mapping[tuple[str, str], Pair],
    other: Mapping[tuple[str, str], Pair],
    names: tuple[str, str],
) -> Arrows | None:
    """Draw each word as an arrow from its place on one source to that on the other.

    The mean of all mean cosines of a source is taken off, and they are divided by their standard
    deviation, one for both directions: so the diagonal keeps its meaning but for a shift.
    """
    both = [key for key in one if key in other]
    first, second = (scaled([places[key] for key in both]) for places in (one, other))
    if first is None or second is None:
        return None
    a, b = (lists.groups[role].name for role in "AB")
    starts = [Point(*key, *at) for key, at in zip(both, first, strict=True)]
    ends = [Point(*key, *at) for key, at in zip(both, second, strict=True)]
    plane = Plane.around([*ends, *_means(ends)], a, b)
    every = Plane.around([*starts, *ends], a, b)
    plane = Plane(plane.points, every.axis, every.corners)
    square = tag(
        "g",
        ground(plane, {"A": a, "B": b}, "cosine", SCALED),
        *(_arrow(plane, s, e, lists) for s, e in zip(starts, ends, strict=True)),
        *_names(plane, lists),
        transform=f"translate({LEFT_ROOM} {UPPER_ROOM})",
    )  # fmt: skip
    crossed = sum((s.a > s.b) != (e.a > e.b) for s, e in zip(starts, ends, strict=True))
    alt = (
        f"Each of {len(both)} words as an arrow from its place on {isolated(names[0])} to its "
        f"place on {isolated(names[1])}, both scaled by their spread; {crossed} cross the diagonal."
    )
    svg = _drawn(square, title=f"{names[0]} to {names[1]}", alt=alt)
    lacking = tuple(word for role, word in {**one, **other} if (role, word) not in set(both))
    return Arrows(svg, lacking)


def scaled(places: Sequence[Pair]) -> list[Pair] | None:
    """Pairs less their common mean, divided by their common standard deviation."""
    values = np.array(places, dtype=np.float64)
    spread = float(values.std()) if len(places) > 1 else 0.0
    if not spread > 0:
        return None
    return [(a, b) for a, b in ((values - values.mean()) / spread).tolist()]


def _arrow(plane: Plane, start: Point, end: Point, lists: Lists) -> str:
    """A line with a head at its end; a dot where the place is the same."""
    (x0, y0), (x1, y1) = plane.at(start), plane.at(end)
    kind, at = _COLOUR[start.role], word_id(lists, start.role, start.term)
    about = tag(
        "title",
        words(
            f"{shown(start.term)}: from {effect(start.a)} up, {effect(start.b)} across to "
            f"{effect(end.a)} up, {effect(end.b)} across"
        ),
    )
    length = float(np.hypot(x1 - x0, y1 - y0))
    if length < 1:
        mark = outline("circle", round(x1, 1), round(y1, 1), 0.6)
        return tag("path", about, d=mark, class_=f"dot {kind}", data_word=at)
    ux, uy = (x1 - x0) / length, (y1 - y0) / length
    size = min(2 * ARROW, length)
    bx, by, wide = x1 - size * ux, y1 - size * uy, size * 0.42
    head = (
        f"M{x1:.1f} {y1:.1f}L{bx - wide * uy:.1f} {by + wide * ux:.1f}"
        f"L{bx + wide * uy:.1f} {by - wide * ux:.1f}z"
    )
    shaft = tag("path", d=f"M{x0:.1f} {y0:.1f}L{bx:.1f} {by:.1f}", class_=f"shaft {kind}")
    tip = tag("path", d=head, class_=f"dot {kind}")
    return tag("g", about, shaft, tip, class_="arrow", data_word=at)


def moved_effect(now: Effect, was: Effect | None, axis: Axis) -> Markup:
    """One effect size on its scale, with a hollow mark where it was before any change."""
    axis, y = across(axis, LEVEL), 11.0
    shown_now = Estimate.of(now)
    grid = "".join(f"M{axis.at(tick):.1f} 0V22" for tick in axis.ticks() if tick)
    parts = [tag("path", d=grid, class_="g") if grid else ""]
    parts.append(tag("path", d=f"M{axis.at(0):.1f} 0V22", class_="z"))
    if was is not None and was.d is not None:
        ghost = Estimate.of(was)
        x = round(axis.at(was.d), 1)
        if shown_now.d is not None:
            parts.append(tag("path", d=f"M{x:g} {y:g}H{axis.at(shown_now.d):.1f}", class_="trail"))
        parts.append(tag("path", d=outline(ghost.mark, x, y), class_=f"m ghost {ghost.target}"))
    if shown_now.d is None:
        parts.append(label("–", axis.at(0), y + 4, size=11, text_anchor="middle"))
    else:
        mark = outline(shown_now.mark, round(axis.at(shown_now.d), 1), y)
        kind = " ".join(filter(None, ("m", "on" if shown_now.filled else "", shown_now.target)))
        parts.append(tag("path", d=mark, class_=kind, data_key=f"level-{now.place}"))
    width = axis.end + 8
    return Markup(  # noqa: S704  (numbers alone)
        f'<svg width="{width:g}" height="22" viewBox="0 0 {width:g} 22" class="fig interval" '
        f'aria-hidden="true">{"".join(parts)}</svg>'
    )


def strip(lists: Lists, result: AssociationResult, levels: Sequence[Effect]) -> Markup:
    """Draw each effect size without one word at a time, and with all words as a line.

    Rows have one scale, each around its own effect size: a distance means the same in all.
    """
    found = [(one, _without(lists, result, one)) for one in levels if one.d is not None]
    rows = [(one, dots) for one, dots in found if dots]
    if not rows:
        return Markup()
    ends = [(min(one.d or 0.0, dots[0][0]), max(one.d or 0.0, dots[-1][0])) for one, dots in rows]
    span = max(high - low for low, high in ends) * 1.08 or 0.2
    step = Axis.around((0.0, span), 0, 1).step / 2
    drawn = []
    for i, ((one, dots), (low, high)) in enumerate(zip(rows, ends, strict=True)):
        middle = (low + high) / 2
        axis = Axis(middle - span / 2, middle + span / 2, step, STRIP_LEFT, STRIP - 20)
        drawn.append(_strip_row(one, dots, axis, 15 + STRIP_ROW * i))
    said = "; ".join(_outermost(one, dots) for one, dots in rows)
    svg = drawing(
        STRIP, STRIP_ROW * len(rows) + 4, *drawn,
        title="Effect sizes without one word at a time", alt=said,
        class_="figure strip", font_family=FONT, fill=INK,
    )  # fmt: skip
    return Markup(inlined(svg))  # noqa: S704  (a drawing of ours, escaped there)


Dot = tuple[float, str, str, str]
"""d without a word, the word, its role, and its id."""


def _without(lists: Lists, result: AssociationResult, shown_: Effect) -> list[Dot]:
    """The effect size without each word, from the smallest."""
    if shown_.influence is None or shown_.d is None:
        return []
    found = []
    for role in ROLES:
        changes = shown_.influence.group(role)
        for word, change in zip(result.coverage.group(role).stimuli, changes, strict=False):
            if change is not None:
                found.append((shown_.d + change, word, role, word_id(lists, role, word)))
    return sorted(found)


def _strip_row(one: Effect, dots: Sequence[Dot], axis: Axis, y: float) -> str:
    """One effect size: its line, a dot for each word, and the names of the outermost."""
    name = compared(one)
    decimals = decimals_of(axis.step)
    line = f"M{axis.start:g} {y:g}H{axis.end:g}"
    parts = [tag("path", d=line, class_="fig-grid")]
    for value in axis.ticks():
        x = axis.at(value)
        kind = "fig-zero" if abs(value) < axis.step / 2 else "fig-grid"
        parts.append(tag("path", d=f"M{x:.1f} {y - 10:g}v20", class_=kind))
        parts.append(muted(effect(value, decimals), x, y + 30))
    parts += [
        label(_fitting(name, STRIP_LEFT - 20, 12), 0, y - 2, size=12),
        muted(f"d = {effect(one.d)} with all words", 0, y + 13, anchor="start"),
        tag("path", d=f"M{axis.at(one.d or 0.0):.1f} {y - 13:g}v26", class_="whole"),
    ]
    for d, word, role, key in dots:
        x = round(axis.at(d), 1)
        about = tag("title", words(f"without {shown(word)}: d = {effect(d, 3)}"))
        kind = f"dot {_COLOUR.get(role, 'ink')}"
        mark = outline({"X": "circle", "Y": "square"}.get(role, "diamond"), x, y, 0.85)  # type: ignore[arg-type]
        at = f"strip-{one.place}-{key}"
        parts.append(tag("path", about, d=mark, class_=kind, data_word=key, data_key=at))
    taken: list[tuple[float, float]] = []
    for d, word, role, key in _ends_of(dots):
        text = shown(word)
        half = pixels(text, LETTERS) / 2
        x = min(max(axis.at(d), axis.start + half), axis.end + 12 - half)
        if all(x + half < left or right < x - half for left, right in taken):
            taken.append((x - half, x + half))
            parts.append(
                label(
                    text, x, y + 18, size=LETTERS, text_anchor="middle", stroke="none",
                    class_=f"word {_COLOUR.get(role, 'ink')}", data_word=key,
                )
            )  # fmt: skip
    return tag("g", *parts)


def decimals_of(step: float) -> int:
    """Decimals that the marks of an axis need, so that none is rounded.

    >>> decimals_of(0.25), decimals_of(0.1), decimals_of(2.0), decimals_of(0.025)
    (2, 1, 0, 3)
    """
    return next((n for n in range(6) if abs(round(step, n) - step) < step * 1e-6), 6)


def _ends_of(dots: Sequence[Dot]) -> Iterable[Dot]:
    """The outermost of both ends, turn by turn."""
    for i in range(min(NAMED, (len(dots) + 1) // 2)):
        yield dots[i]
        yield dots[-1 - i]


def _fitting(text: str, width: float, size: float) -> str:
    """The beginning of a text that fits into a width."""
    text = shown(text, 200)
    while len(text) > 1 and pixels(text, size) > width:
        text = f"{text[:-2]}…"
    return text


def _outermost(one: Effect, dots: Sequence[Dot]) -> str:
    low, high = dots[0], dots[-1]
    return (
        f"{compared(one)}: d = {effect(one.d)}; without {shown(low[1])} {effect(low[0])}, without "
        f"{shown(high[1])} {effect(high[0])}"
    )
