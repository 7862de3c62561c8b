"""The map of the words: each target at its mean cosines with both attributes, without projection.

The diagonal holds words that are as near to B as to A; a word's distance from it is its part in
level 1, and the means of the groups are the four means of level 3.

Of two sources, an arrow for each word, from its place in one to the other. Cosines of two sources
have different scales, so both are standardised: less the mean cosine of all targets, by the
standard deviation of the leans of targets, mean cosine with A less that with B. The diagonal stays
where it is, and across it the means of both groups are as far apart as d at level 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple, Self

import numpy as np

from eatlas.errors import ResultsError
from eatlas.present.drawings.names import LETTERS, MARK, SIDE, Box, Place, boxes, placed
from eatlas.present.drawings.svg import MUTED, Axis, figure, label, muted, tag, words
from eatlas.present.numbers import effect
from eatlas.present.text import isolated, one_line, pixels
from eatlas.results import AssociationResult
from eatlas.stimuli import ATTRIBUTES, ROLES, TARGETS

CORNER = 11.0
"""Pixels of the letters of what is written in the corners."""
CROSS = 6.0
"""Half the size of the cross of a mean."""
LONGEST = 24
"""Letters of a word that are shown."""
MOST = 400
"""Words that one map shows."""


class Point(NamedTuple):
    """A target word, or the mean of its group."""

    role: str
    """X or Y."""
    term: str
    """The word; empty for the mean of a group."""
    a: float
    """Mean cosine, or log-ratio, with A."""
    b: float
    """The same with B."""


@dataclass(frozen=True)
class Plane:
    """Target words and the means of their groups, on a square of equal scales."""

    points: tuple[Point, ...]
    """The words of X, those of Y, then the means of both."""
    axis: Axis
    """The scale of both directions."""
    corners: tuple[str, str] = ("", "")
    """What is written in the corners of A, upper left, and of B, lower right."""

    @classmethod
    def of(cls, result: AssociationResult) -> Self:
        """Make the map of one result."""
        return cls.around(points_of(result), result.concepts.A, result.concepts.B)

    @classmethod
    def around(cls, points: Sequence[Point], a: str, b: str) -> Self:
        """Lay points on a square that holds them with some room, but not zero if it is far."""
        values = [value for one in points for value in (one.a, one.b)]
        low, high = min(values), max(values)
        room = 0.06 * (high - low) or 0.05
        step = Axis.around((0.0, high - low), 0, SIDE).step
        corners = (f"closer to {shown(a, 40)}", f"closer to {shown(b, 40)}")
        return cls(tuple(points), Axis(low - room, high + room, step, 0.0, SIDE), corners)

    def at(self, point: Point) -> tuple[float, float]:
        """Pixels of a point from the left and the upper edge."""
        return self.axis.at(point.b), SIDE - self.axis.at(point.a)

    def names(self, lines: Sequence[Box] = ()) -> list[Place]:
        """Place the names of as many words as fit, the outermost first; none lies on another."""
        spots = [self.at(one) for one in self.points]
        sizes = [MARK if one.term else CROSS + 2 for one in self.points]
        taken = [
            (x - half, y - half, x + half, y + half)
            for (x, y), half in zip(spots, sizes, strict=True)
        ]
        upper, lower = (pixels(text, CORNER) for text in self.corners)
        taken += [(0, 0, upper + 8, 22), (SIDE - lower - 8, SIDE - 22, SIDE, SIDE), *lines]
        texts = [shown(one.term) for one in self.points]
        return list(placed(spots, texts, self._outermost_first(), taken))

    def _outermost_first(self) -> list[int]:
        """Numbers of the words, by their distance from the mean of their group."""
        means = {one.role: one for one in self.points if not one.term}
        far = {
            i: (one.a - means[one.role].a) ** 2 + (one.b - means[one.role].b) ** 2
            for i, one in enumerate(self.points)
            if one.term
        }
        return sorted(far, key=lambda i: -far[i])


def has_pairs(result: AssociationResult) -> bool:
    """Whether a result has kept the cosine of each target with each attribute."""
    rows = result.similarities
    if not rows:
        return False
    x, y, a, b = (len(result.paired(role)) for role in ROLES)
    return len(rows) == x + y and all(len(row) == a + b for row in rows)


def has_map(result: AssociationResult) -> bool:
    """Whether the words of a result are drawn: their cosines were kept, and they are few enough."""
    return len(result.similarities or ()) <= MOST and has_pairs(result)


def require_pairs(result: AssociationResult) -> None:
    """Refuse a result that has not kept them."""
    if not has_pairs(result):
        x, y, a, b = (len(result.paired(role)) for role in ROLES)
        raise ResultsError(
            f"the result of {result.test} has not kept the {result.unit}s of single words",
            got=f"{x} v {y} targets, {a} v {b} attributes, of {result.signature}",
            allowed="results of ML-EAT, CEAT, LPBS or LPBS-CEAT, of tests of up to 10,000 pairs of "
            "a target and an attribute",
        )


def points_of(result: AssociationResult) -> tuple[Point, ...]:
    """Mean cosine of each target with A and with B, and the means of both groups.

    In tests of sentences, the means of the sentences of a stimulus.
    """
    require_pairs(result)
    rows = np.array(result.similarities, dtype=np.float64)
    sizes = [len(result.paired(role)) for role in ROLES]
    a, b = rows[:, : sizes[2]].mean(axis=1).tolist(), rows[:, sizes[2] :].mean(axis=1).tolist()
    by_name: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for key, both in zip(_names(result), zip(a, b, strict=True), strict=True):
        by_name.setdefault(key, []).append(both)
    found = [Point(role, name, *_mean(several)) for (role, name), several in by_name.items()]
    for role in TARGETS:
        own = [one for one in found if one.role == role and one.term]
        means = (float(np.mean([one.a for one in own])), float(np.mean([one.b for one in own])))
        found.append(Point(role, "", *means))
    return tuple(found)


def _mean(places: Sequence[tuple[float, float]]) -> tuple[float, float]:
    if len(places) == 1:
        return places[0]
    a, b = (float(np.mean(values)) for values in zip(*places, strict=True))
    return a, b


def _names(result: AssociationResult) -> list[tuple[str, str]]:
    """Role and term of each target; in tests of sentences, the stimulus, which several share."""
    over = result.primary.over_stimuli
    return [
        (role, group.stimulus.get(term, term) if over else term)
        for role in TARGETS
        for group in (result.coverage[role],)
        for term in result.paired(role)
    ]


def shown(term: str, most: int = LONGEST) -> str:
    """A word as the map shows it: on one line, and not too long."""
    term = one_line(term)
    return isolated(term if len(term) <= most else f"{term[: most - 1]}…")


LEFT_ROOM, LOWER_ROOM, UPPER_ROOM = 46.0, 40.0, 8.0
_COLOUR_CLASS = {"X": "x", "Y": "y"}


def plane_figure(result: AssociationResult) -> str:
    """Draw the map of the words of a result as SVG, in the colours of a page's style.

    Empty where the result has not kept the cosines of single words, or has too many words.
    """
    if not has_map(result):
        return ""
    plane = Plane.of(result)
    unit = f"mean {result.unit}" + (f" ({result.scale})" if result.scale else "")
    marks = [
        coloured(role, (_mark(plane, one, result) for one in plane.points if one.role == role))
        for role in TARGETS
    ]
    attributes = {role: result.concepts.name(role) for role in ATTRIBUTES}
    return framed(
        ground(plane, attributes, unit, "{unit} with {name}") + "".join(marks) + written(plane),
        title=f"Each target word by its mean {result.unit}s with {attributes['A']} and "
        f"{attributes['B']}",
        alt=in_words(plane, result),
    )


def framed(inside: str, *, title: str, alt: str) -> str:
    """The square with room for its scales."""
    moved = tag("g", inside, transform=f"translate({LEFT_ROOM:g} {UPPER_ROOM:g})")
    width, height = LEFT_ROOM + SIDE + UPPER_ROOM, UPPER_ROOM + SIDE + LOWER_ROOM
    return figure(height, moved, title=title, alt=alt, width=width, kind="plane")


def coloured(role: str, children: Iterable[str], kind: str = "") -> str:
    """A group in the colour of its target."""
    return tag("g", *children, class_=f"{kind} {_COLOUR_CLASS[role]}".strip())


def written(plane: Plane, lines: Sequence[Box] = ()) -> str:
    """The names of words, in the colours of their targets."""
    names: dict[str, list[str]] = {role: [] for role in TARGETS}
    for place in plane.names(lines):
        point = plane.points[place.point]
        anchor = None if place.anchor == "start" else place.anchor
        text, x, y = words(shown(point.term)), round(place.x), round(place.y + LETTERS * 0.35)
        names[point.role] += [
            leader(plane, place),
            tag("text", text, x=x, y=y, text_anchor=anchor),
        ]
    return "".join(coloured(role, texts, "words") for role, texts in names.items())


def leader(plane: Plane, place: Place) -> str:
    """The line from a mark to a name that is not beside it."""
    if place.leader is None:
        return ""
    ends = (plane.at(plane.points[place.point]), place.leader)
    return tag("path", d="M{:.1f} {:.1f}L{:.1f} {:.1f}".format(*chain(*ends)), class_="leader")


def in_words(plane: Plane, result: AssociationResult) -> str:
    """Say where the means of the groups are, and how many words are nearer to A than to B."""
    said = []
    for mean in plane.points[-2:]:
        own = [one for one in plane.points if one.role == mean.role and one.term]
        nearer = sum(one.a > one.b for one in own)
        said.append(
            f"{isolated(result.concepts.name(mean.role))}: mean {result.unit} "
            f"{effect(mean.a, 3)} with {isolated(result.concepts.A)}, {effect(mean.b, 3)} with "
            f"{isolated(result.concepts.B)}; {nearer} of {len(own)} words are nearer to "
            f"{isolated(result.concepts.A)}"
        )
    return ". ".join(said) + "."


def ground(
    plane: Plane, attributes: dict[str, str], unit: str, said: str = "mean {unit} with {name}"
) -> str:
    """Draw the square, the half that is nearer to A, the diagonal, and the scales."""
    axis = plane.axis
    means = {
        role: said.format(unit=unit, name=shown(name, 40)) for role, name in attributes.items()
    }
    decimals = max(0, int(np.ceil(-np.log10(axis.step) - 1e-9)))
    ticks = []
    for value in axis.ticks():
        place, number = axis.at(value), effect(value, decimals)
        ticks += [
            muted(number, place, SIDE + 15),
            muted(number, -6, SIDE - place + 4, anchor="end"),
        ]
    upright = f"rotate(-90) translate({-SIDE / 2:g} {-LEFT_ROOM + 12:g})"
    return "".join(
        [
            tag("path", d=f"M0 {SIDE:g}V0H{SIDE:g}z", class_="nearer"),
            tag("rect", width=SIDE, height=SIDE, fill="none", class_="frame"),
            tag("path", d=f"M0 {SIDE:g}L{SIDE:g} 0", class_="diagonal", stroke=MUTED),
            *ticks,
            label(plane.corners[0], 8, 16, size=CORNER, class_="eat-muted"),
            label(
                plane.corners[1], SIDE - 8, SIDE - 9, size=CORNER, text_anchor="end",
                class_="eat-muted",
            ),
            muted(means["B"], SIDE / 2, SIDE + 33),
            tag("g", muted(means["A"], 0, 0), transform=upright),
        ]
    )  # fmt: skip


def _mark(plane: Plane, point: Point, result: AssociationResult) -> str:
    """A dot of X, a square of Y, a cross for the mean of a group; its numbers as a tooltip.

    Dots and squares are ends of lines without length, the shortest that SVG has for them.
    """
    x, y = (round(value, 1) for value in plane.at(point))
    name = shown(point.term) if point.term else f"mean of {result.concepts.name(point.role)}"
    about = tag(
        "title",
        words(f"{name}: {effect(point.a, 3)} up, {effect(point.b, 3)} across"),
    )
    if not point.term:
        cross = f"M{x - CROSS:g} {y:g}h{2 * CROSS:g}M{x:g} {y - CROSS:g}v{2 * CROSS:g}"
        return tag("path", about, d=cross, class_="mean")
    return tag("path", about, d=f"M{x:g} {y:g}h0")


HEAD = 5.0
"""Pixels of the head of an arrow; a shorter arrow has a head of its own length."""


def standardised(points: Sequence[Point]) -> tuple[Point, ...] | None:
    """Points of one source less their mean, by the spread of their leans; None without spread."""
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
    """
    if not (has_map(first) and has_map(second)):
        return ""
    before, after = (standardised(points_of(one)) for one in (first, second))
    if before is None or after is None:
        return ""
    there = {(one.role, one.term): one for one in after}
    pairs = [(one, to) for one in before if (to := there.get((one.role, one.term))) is not None]
    if {one.role for one, _ in pairs if one.term} != set(TARGETS):
        return ""
    # names stand where the arrows end
    both = Plane.around([p for pair in pairs for p in pair], first.concepts.A, first.concepts.B)
    ends = Plane(tuple(to for _, to in pairs), both.axis, both.corners)
    attributes = {role: first.concepts.name(role) for role in ATTRIBUTES}
    tails = [box for pair in pairs for box in boxes(*map(both.at, pair))]
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
        alt=_moves_in_words(pairs, first, names),
    )


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


def _moves_in_words(
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
