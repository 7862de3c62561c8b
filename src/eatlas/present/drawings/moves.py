"""The map of the words of two sources: an arrow for each word, from its place in one to the other.

Cosines of two sources have different scales, so both are standardised: less the mean cosine of all
targets, by the standard deviation of the targets' leans, mean cosine with A less that with B. The
diagonal stays where it is, and across it the means of both groups are as far apart as d at level 1.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from eatlas.present.drawings.plane import (
    MOST,
    Box,
    Plane,
    Point,
    coloured,
    framed,
    ground,
    has_pairs,
    points_of,
    shown,
    written,
)
from eatlas.present.drawings.svg import tag, words
from eatlas.present.numbers import effect
from eatlas.present.text import isolated
from eatlas.results import AssociationResult
from eatlas.stimuli import ATTRIBUTES, TARGETS

HEAD = 5.0
"""Pixels of the head of an arrow; a shorter arrow has a head of its own length."""


def standardised(points: Sequence[Point]) -> tuple[Point, ...] | None:
    """Points of one source less their mean, by the spread of their leans; None without spread.

    Parameters
    ----------
    points : sequence of Point
        The words of both targets, and their means.
    """
    own = [one for one in points if one.term]
    leans = np.array([one.a - one.b for one in own])
    spread = float(leans.std(ddof=1)) if len(own) > 1 else 0.0
    if not spread:
        return None
    middle = float(np.mean([(one.a + one.b) / 2 for one in own]))
    return tuple(
        one._replace(a=(one.a - middle) / spread, b=(one.b - middle) / spread) for one in points
    )


def moves_figure(first: AssociationResult, second: AssociationResult, names: Sequence[str]) -> str:
    """Draw where the words of one test move between two sources.

    Empty where one of them has not kept the cosines of single words, has no spread or too many
    words, or where they share no words of both targets.

    Parameters
    ----------
    first, second : AssociationResult
        Of the same test and measure.
    names : sequence of two str
        What the sources are called.
    """
    if not all(has_pairs(r) and len(r.similarities or ()) <= MOST for r in (first, second)):
        return ""
    before, after = (standardised(points_of(one)) for one in (first, second))
    if before is None or after is None:
        return ""
    there = {(one.role, one.term): one for one in after}
    pairs = [
        (one, found) for one in before if (found := there.get((one.role, one.term))) is not None
    ]
    if {one.role for one, _ in pairs if one.term} != set(TARGETS):
        return ""
    # names stand where the arrows end
    both = Plane.around([p for pair in pairs for p in pair], first.concepts.A, first.concepts.B)
    ends = Plane(tuple(to for _, to in pairs), both.axis, both.corners)
    attributes = {role: first.concepts.name(role) for role in ATTRIBUTES}
    tails = [box for pair in pairs for box in _boxes(*map(both.at, pair))]
    arrows = "".join(
        coloured(
            role,
            (_arrow(ends, *pair, first, names) for pair in pairs if pair[0].role == role),
            "moves",
        )
        for role in TARGETS
    )
    return framed(
        ground(ends, attributes, f"standardised {first.unit}", "{unit} with {name}")
        + arrows
        + written(ends, tails),
        title=f"Each target word of {first.test}, from {names[0]} to {names[1]}",
        alt=_in_words(pairs, first, names),
    )


def _boxes(start: tuple[float, float], end: tuple[float, float]) -> list[Box]:
    """Small squares along an arrow, from its tail to its head."""
    steps = max(1, int(np.hypot(end[0] - start[0], end[1] - start[1]) / 6))
    places = [
        (start[0] + (end[0] - start[0]) * i / steps, start[1] + (end[1] - start[1]) * i / steps)
        for i in range(steps)
    ]
    return [(x - 1, y - 1, x + 1, y + 1) for x, y in places]


def _arrow(
    plane: Plane, start: Point, end: Point, result: AssociationResult, names: Sequence[str]
) -> str:
    """An arrow between the places of a word, thicker for the mean of a group."""
    (x1, y1), (x2, y2) = plane.at(start), plane.at(end)
    long = float(np.hypot(x2 - x1, y2 - y1))
    size = min(HEAD, long)
    along = np.array([x2 - x1, y2 - y1]) / (long or 1.0) * size
    aside = np.array([-along[1], along[0]]) * 0.5
    left, right = np.array([x2, y2]) - along + aside, np.array([x2, y2]) - along - aside
    path = f"M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}M{left[0]:.1f} {left[1]:.1f}"
    path += f"L{x2:.1f} {y2:.1f}L{right[0]:.1f} {right[1]:.1f}"
    name = shown(end.term) if end.term else f"mean of {result.concepts.name(end.role)}"
    about = "; ".join(
        f"{place}: {effect(one.a)} up, {effect(one.b)} across"
        for place, one in zip(names, (start, end), strict=True)
    )
    return tag(
        "path", tag("title", words(f"{name}, {about}")), d=path,
        class_=None if end.term else "mean",
    )  # fmt: skip


def _in_words(
    pairs: Sequence[tuple[Point, Point]], result: AssociationResult, names: Sequence[str]
) -> str:
    """How far the means of both groups are from the diagonal, and how many words cross it."""
    said = []
    for start, end in (pair for pair in pairs if not pair[1].term):
        own = [pair for pair in pairs if pair[0].role == start.role and pair[0].term]
        across = sum((one.a > one.b) != (to.a > to.b) for one, to in own)
        said.append(
            f"{isolated(result.concepts.name(start.role))}: lean {effect(start.a - start.b)} in "
            f"{names[0]}, {effect(end.a - end.b)} in {names[1]}; {across} of {len(own)} words "
            "change sides of the diagonal"
        )
    return ". ".join(said) + "."
