"""Drawings that show movement: where words and effect sizes were before, and where they are now."""

from __future__ import annotations

from collections.abc import Mapping
from math import hypot

from markupsafe import Markup

from eatlas.apps.explorer.lists import Lists
from eatlas.apps.explorer.measuring import Key, Pair, View
from eatlas.present.drawings.figures import Estimate, across, estimate, outline
from eatlas.present.drawings.plane import (
    CROSS,
    Plane,
    Point,
    framed,
    in_words,
    mark,
    means_of,
    title_of,
    written,
)
from eatlas.present.drawings.plane import arrows as moving
from eatlas.present.drawings.svg import Axis, cross, path
from eatlas.results import AssociationResult
from eatlas.results.effects import Effect

MOVED = 1.4
"""Pixels by which a mark has to move for its old place to be drawn."""
LEVEL, LEVEL_HEIGHT = 104.0, 22.0
"""Pixels of the scale of an effect size."""


def word_id(lists: Lists, role: str, word: str) -> str:
    """What a word is called in all views of the page, such as ``X3``."""
    return f"{role}{lists.groups[role].words.index(word)}"


def _data(lists: Lists, point: Point) -> dict[str, str]:
    """Attributes by which the page knows the mark or the name of a word."""
    return {"data_word": word_id(lists, point.role, point.term)} if point.term else {}


def plane_of(view: View, result: AssociationResult) -> Markup:
    """Draw the map of the words: words that are on, off, and where all were before."""
    lists, groups = view.lists, view.lists.groups
    now = [Point(*key, *at) for key, at in view.placed.at.items()]
    off = [point for point in now if point.term in groups[point.role].off]
    on = [point for point in now if point not in off]
    on += means_of(on)
    before = [Point(*key, *at) for key, at in view.origins.items()]
    before += means_of(before)
    plane = Plane.around(on, result.concepts.A, result.concepts.B, more=[*off, *before])
    there = {(point.role, point.term): point for point in (*off, *on)}
    names = dict(result.concepts.items())
    ghosts = [_ghost(plane, point, there.get((point.role, point.term))) for point in before]
    marks = [mark(plane, point, names, "off", **_data(lists, point)) for point in off]
    marks += [mark(plane, point, names, **_data(lists, point)) for point in on]
    texts = written(plane, data=lambda point: _data(lists, point))
    svg = framed(
        plane, f"mean {result.unit}", *ghosts, *marks, texts,
        title=title_of(result), alt=in_words(plane, result),
    )  # fmt: skip
    return Markup(svg)  # noqa: S704  (a drawing of ours, escaped there)


def _ghost(plane: Plane, before: Point, now: Point | None) -> str:
    """Where a word or a mean was, with a line to where it is; empty where it is still there."""
    if now is None:
        return ""
    (x, y), (to_x, to_y), kind = plane.at(before), plane.at(now), before.role.lower()
    if hypot(to_x - x, to_y - y) <= MOVED:
        return ""
    line = path(f"M{x:g} {y:g}L{to_x:g} {to_y:g}", f"trail {kind}")
    if before.term:
        shape = "circle" if before.role == "X" else "square"
        return line + path(outline(shape, x, y, 0.6), f"ghost {kind}")
    return line + path(cross(x, y, CROSS), f"mean ghost {kind}")


def arrows(
    lists: Lists, first: Mapping[Key, Pair], second: Mapping[Key, Pair], names: tuple[str, str]
) -> tuple[Markup, list[str]]:
    """Draw each word as an arrow from its place on one source to that on another.

    Empty where too few words are on both; also the words that one of the two lacks.
    """
    shared = [key for key in first if key in second]
    before, after = ([Point(*key, *places[key]) for key in shared] for places in (first, second))
    svg = moving(
        [*before, *means_of(before)], [*after, *means_of(after)],
        {role: group.name for role, group in lists.groups.items()}, names, unit="cosine",
        title=f"{names[0]} to {names[1]}", data=lambda point: _data(lists, point),
    )  # fmt: skip
    lacking = [word for role, word in {**first, **second} if (role, word) not in shared]
    return Markup(svg), lacking  # noqa: S704  (a drawing of ours, escaped there)


def moved_effect(now: Effect, was: Effect | None, axis: Axis) -> Markup:
    """One effect size on its scale, with a hollow mark where it was before any change."""
    axis, y = across(axis, LEVEL), LEVEL_HEIGHT / 2
    parts = [
        path(f"M{axis.at(tick):.1f} 0V{LEVEL_HEIGHT:g}", "g" if tick else "z")
        for tick in axis.ticks()
    ]
    if was is not None and was.d is not None:
        old, x = Estimate.of(was), round(axis.at(was.d), 1)
        if now.d is not None:
            parts.append(path(f"M{x:g} {y:g}H{axis.at(now.d):.1f}", "trail"))
        parts.append(path(outline(old.mark, x, y), f"m ghost {old.target}".strip()))
    parts.append(estimate(Estimate.of(now), axis, y))
    width = axis.end + 8
    return Markup(  # noqa: S704  (numbers alone)
        f'<svg width="{width:g}" height="22" viewBox="0 0 {width:g} 22" class="fig interval" '
        f'aria-hidden="true">{"".join(parts)}</svg>'
    )
