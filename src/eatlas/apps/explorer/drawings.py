"""Drawings that show movement: where words and effect sizes were before, and where they are now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import hypot

from markupsafe import Markup

from eatlas.apps.explorer.lists import Lists
from eatlas.apps.explorer.named_sources import Point as Pair
from eatlas.present.drawings.figures import Estimate, across, outline
from eatlas.present.drawings.plane import (
    CROSS,
    LETTERS,
    Plane,
    Point,
    framed,
    in_words,
    mark,
    means_of,
    shown,
    title_of,
    written,
)
from eatlas.present.drawings.plane import arrows as moving
from eatlas.present.drawings.svg import (
    Axis,
    cross,
    drawing,
    label,
    muted,
    path,
    short,
    tag,
    words,
)
from eatlas.present.effects import compared
from eatlas.present.numbers import effect
from eatlas.present.text import pixels
from eatlas.results import AssociationResult
from eatlas.results.effects import Effect
from eatlas.stimuli import ROLES, TARGETS

MOVED = 1.4
"""Pixels by which a mark has to move for its old place to be drawn."""
LEVEL = 104.0
"""Pixels of the scale of an effect size."""
STRIP, STRIP_ROW, STRIP_LEFT = 1200.0, 46.0, 300.0
"""Pixels of the strip of effect sizes without each word; of one row; of the names of rows."""
NAMED = 3
"""Words that a row of the strip names at either end."""
SHAPES = {"X": "circle", "Y": "square"}


def word_id(lists: Lists, role: str, word: str) -> str:
    """What a word is called in all views of the page, such as ``X3``."""
    return f"{role}{lists.groups[role].words.index(word)}"


def plane_of(
    lists: Lists,
    result: AssociationResult,
    places: Mapping[tuple[str, str], Pair],
    origins: Mapping[tuple[str, str], Pair],
) -> Markup:
    """Draw the map of the words: words that are on, off, and where all were before."""
    now = [Point(role, word, *at) for (role, word), at in places.items()]
    off = {(role, word) for role in TARGETS for word in lists.groups[role].off}
    on = [point for point in now if (point.role, point.term) not in off]
    before = [Point(role, word, *at) for (role, word), at in origins.items()]
    means, ghosts = list(means_of(on)), [*before, *means_of(before)]
    a, b = result.concepts.A, result.concepts.B
    plane = Plane.around([*on, *means], a, b, more=[*now, *ghosts])
    there = {(point.role, point.term): point for point in [*now, *means]}
    names = dict(result.concepts.items())

    def data(point: Point) -> dict[str, str]:
        if not point.term:
            return {"data_key": f"mean-{point.role}"}
        at = word_id(lists, point.role, point.term)
        return {"data_word": at, "data_key": f"plane-{at}"}

    marks = [
        *(_ghost(plane, point, there.get((point.role, point.term))) for point in ghosts),
        *(mark(plane, p, names, "off", **data(p)) for p in now if (p.role, p.term) in off),
        *(mark(plane, point, names, **data(point)) for point in [*on, *means]),
    ]
    texts = written(plane, data=lambda point: _word(lists, point))
    svg = framed(
        plane, f"mean {result.unit}", *marks, texts, title=title_of(result),
        alt=in_words(plane, result),
    )  # fmt: skip
    return Markup(svg)  # noqa: S704  (a drawing of ours, escaped there)


def _word(lists: Lists, point: Point) -> dict[str, str]:
    return {"data_word": word_id(lists, point.role, point.term)} if point.term else {}


def _ghost(plane: Plane, before: Point, now: Point | None) -> str:
    """Where a word or a mean was, with a line to where it is; empty where it is still there."""
    if now is None:
        return ""
    (x, y), (to_x, to_y), kind = plane.at(before), plane.at(now), before.role.lower()
    if hypot(to_x - x, to_y - y) <= MOVED:
        return ""
    line = path(f"M{x:g} {y:g}L{to_x:g} {to_y:g}", f"trail {kind}")
    if before.term:
        return line + path(outline(SHAPES[before.role], x, y, 0.6), f"ghost {kind}")
    return line + path(cross(x, y, CROSS), f"mean ghost {kind}")


@dataclass(frozen=True)
class Arrows:
    """Places of the same words on two sources, each scaled by its own spread."""

    svg: Markup
    missing: tuple[str, ...]
    """Words that one of the two lacks."""


def arrows(
    lists: Lists,
    first: Mapping[tuple[str, str], Pair],
    second: Mapping[tuple[str, str], Pair],
    names: tuple[str, str],
) -> Arrows | None:
    """Draw each word as an arrow from its place on one source to that on another."""
    shared = [key for key in first if key in second]
    before, after = ([Point(*key, *places[key]) for key in shared] for places in (first, second))
    svg = moving(
        [*before, *means_of(before)], [*after, *means_of(after)],
        {role: group.name for role, group in lists.groups.items()}, names, unit="cosine",
        title=f"{names[0]} to {names[1]}", data=lambda point: _word(lists, point),
    )  # fmt: skip
    if not svg:
        return None
    lacking = tuple(word for role, word in {**first, **second} if (role, word) not in set(shared))
    return Arrows(Markup(svg), lacking)  # noqa: S704  (a drawing of ours, escaped there)


def moved_effect(now: Effect, was: Effect | None, axis: Axis) -> Markup:
    """One effect size on its scale, with a hollow mark where it was before any change."""
    axis, y = across(axis, LEVEL), 11.0
    estimate, ghost = Estimate.of(now), None if was is None else Estimate.of(was)
    grid = "".join(f"M{axis.at(tick):.1f} 0V22" for tick in axis.ticks() if tick)
    parts = [path(grid, "g") if grid else "", path(f"M{axis.at(0):.1f} 0V22", "z")]
    if ghost is not None and ghost.d is not None:
        x = round(axis.at(ghost.d), 1)
        if estimate.d is not None:
            parts.append(path(f"M{x:g} {y:g}H{axis.at(estimate.d):.1f}", "trail"))
        parts.append(path(outline(ghost.mark, x, y), f"m ghost {ghost.target}".strip()))
    if estimate.d is None:
        parts.append(label("–", axis.at(0), y + 4, size=11, text_anchor="middle"))
    else:
        shape = outline(estimate.mark, round(axis.at(estimate.d), 1), y)
        kind = f"m{' on' if estimate.filled else ''} {estimate.target}".strip()
        parts.append(path(shape, kind, data_key=f"level-{now.place}"))
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
    title = "Effect sizes without one word at a time"
    height = STRIP_ROW * len(rows) + 4
    svg = drawing(STRIP, height, *drawn, title=title, alt=said, kind="figure strip")
    return Markup(svg)  # noqa: S704  (a drawing of ours, escaped there)


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
    parts = [path(f"M{axis.start:g} {y:g}H{axis.end:g}", "fig-grid")]
    for value in axis.ticks():
        x = axis.at(value)
        kind = "fig-zero" if abs(value) < axis.step / 2 else "fig-grid"
        parts.append(path(f"M{x:.1f} {y - 10:g}v20", kind))
        parts.append(muted(effect(value, axis.decimals), x, y + 30))
    parts += [
        label(short(name, STRIP_LEFT - 20, 12), 0, y - 2, size=12),
        muted(f"d = {effect(one.d)} with all words", 0, y + 13, anchor="start"),
        path(f"M{axis.at(one.d or 0.0):.1f} {y - 13:g}v26", "whole"),
    ]
    for d, word, role, key in dots:
        x = round(axis.at(d), 1)
        about = tag("title", words(f"without {shown(word)}: d = {effect(d, 3)}"))
        shape = outline(SHAPES.get(role, "diamond"), x, y, 0.85)
        data = {"data_word": key, "data_key": f"strip-{one.place}-{key}"}
        parts.append(path(shape, f"dot {_colour(role)}", about, **data))
    taken: list[tuple[float, float]] = []
    for d, word, role, key in _ends_of(dots):
        text = shown(word)
        half = pixels(text, LETTERS) / 2
        x = min(max(axis.at(d), axis.start + half), axis.end + 12 - half)
        if all(x + half < left or right < x - half for left, right in taken):
            taken.append((x - half, x + half))
            parts.append(
                label(
                    text, x, y + 18, size=LETTERS, text_anchor="middle",
                    class_=f"word {_colour(role)}", data_word=key,
                )
            )  # fmt: skip
    return tag("g", *parts)


def _colour(role: str) -> str:
    return role.lower() if role in TARGETS else "ink"


def _ends_of(dots: Sequence[Dot]) -> Iterable[Dot]:
    """The outermost of both ends, turn by turn."""
    for i in range(min(NAMED, (len(dots) + 1) // 2)):
        yield dots[i]
        yield dots[-1 - i]


def _outermost(one: Effect, dots: Sequence[Dot]) -> str:
    low, high = dots[0], dots[-1]
    return (
        f"{compared(one)}: d = {effect(one.d)}; without {shown(low[1])} {effect(low[0])}, without "
        f"{shown(high[1])} {effect(high[0])}"
    )
