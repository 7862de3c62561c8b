"""The map of the words: each target at its mean cosines with both attributes, without projection.

The diagonal holds words that are as near to B as to A; a word's distance from it is its part in
level 1, and the means of the groups are the four means of level 3.

Of two sources, an arrow for each word, from its place in one to the other. Cosines of two sources
have different scales, so both are standardised: less the mean cosine of all targets, by the
standard deviation of the leans of targets, mean cosine with A less that with B. The diagonal stays
where it is, and across it the means of both groups are as far apart as d at level 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import hypot
from typing import NamedTuple, Self

import numpy as np

from eatlas.present.drawings.figures import outline
from eatlas.present.drawings.svg import Axis, cross, figure, muted, path, tag, words
from eatlas.present.numbers import effect
from eatlas.present.text import isolated, one_line, pixels
from eatlas.results import AssociationResult
from eatlas.stimuli import ATTRIBUTES, ROLES, TARGETS

SIDE = 360.0
"""Pixels of the square."""
LEFT_ROOM, LOWER_ROOM, UPPER_ROOM = 46.0, 40.0, 8.0
LETTERS = 11.0
"""Pixels of the letters of names and corners."""
CROSS, HEAD = 6.0, 5.0
"""Half the size of the cross of a mean; the head of an arrow, or all of a shorter one."""
LONGEST = 24
"""Letters of a word that are shown."""
MOST = 400
"""Words that one map shows."""
MARK, GAP = 4.5, 3.0
"""Half the size of a mark, with a little room; pixels between a mark and its name."""

Spot = tuple[float, float]
"""Pixels from the left and the upper edge."""
Box = tuple[float, float, float, float]
"""Left, upper, right and lower edge in pixels."""


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


Data = Callable[[Point], Mapping[str, str]]
"""Attributes of the marks and names of a point, for a page that acts on them."""


@dataclass(frozen=True)
class Plane:
    """Target words and the means of their groups, on a square of equal scales."""

    points: tuple[Point, ...]
    """The words of X, those of Y, then the means of both."""
    axis: Axis
    """The scale of both directions."""
    attributes: tuple[str, str] = ("", "")
    """Names of A, which is up, and of B."""

    @classmethod
    def around(
        cls,
        points: Sequence[Point],
        a: str,
        b: str,
        side: float = SIDE,
        more: Sequence[Point] = (),
    ) -> Self:
        """Lay points on a square that holds them, and more, but not zero if it is far."""
        values = [value for point in (*points, *more) for value in (point.a, point.b)]
        low, high = min(values), max(values)
        room = 0.06 * (high - low) or 0.05
        step = Axis.around((0.0, high - low), 0, side).step
        return cls(tuple(points), Axis(low - room, high + room, step, 0.0, side), (a, b))

    @property
    def side(self) -> float:
        """Pixels of the square."""
        return self.axis.end

    @property
    def corners(self) -> tuple[str, str]:
        """What is written in the corners of A, upper left, and of B, lower right."""
        a, b = (f"closer to {shown(name, 40)}" for name in self.attributes)
        return a, b

    def at(self, point: Point) -> Spot:
        """Pixels of a point from the left and the upper edge."""
        return round(self.axis.at(point.b), 1), round(self.side - self.axis.at(point.a), 1)

    def names(self, lines: Sequence[Box] = ()) -> list[Place]:
        """Place the names of as many words as fit, the outermost first; none lies on another."""
        spots = [self.at(point) for point in self.points]
        sizes = [MARK if point.term else CROSS + 2 for point in self.points]
        taken = [
            (x - half, y - half, x + half, y + half)
            for (x, y), half in zip(spots, sizes, strict=True)
        ]
        upper, lower = (pixels(text, LETTERS) for text in self.corners)
        side = self.side
        taken += [(0, 0, upper + 8, 22), (side - lower - 8, side - 22, side, side), *lines]
        texts = [shown(point.term) for point in self.points]
        return list(placed(spots, texts, self._outermost_first(), taken, side))

    def _outermost_first(self) -> list[int]:
        """Numbers of the words, by their distance from the mean of their group."""
        means = {point.role: point for point in self.points if not point.term}
        far = {
            i: (point.a - means[point.role].a) ** 2 + (point.b - means[point.role].b) ** 2
            if point.role in means
            else 0.0
            for i, point in enumerate(self.points)
            if point.term
        }
        return sorted(far, key=lambda i: -far[i])


def has_map(result: AssociationResult) -> bool:
    """Whether the cosine of each target with each attribute was kept, of few enough targets."""
    rows = result.similarities
    if not rows or len(rows) > MOST:
        return False
    x, y, a, b = (len(result.paired(role)) for role in ROLES)
    return len(rows) == x + y and all(len(row) == a + b for row in rows)


def points_of(result: AssociationResult) -> tuple[Point, ...]:
    """Mean cosine of each target with A and with B, and the means of both groups.

    In tests of sentences, the means of the sentences of a stimulus.
    """
    rows = np.array(result.similarities, dtype=np.float64)
    first = len(result.paired("A"))
    by_name: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for key, row in zip(_names(result), rows, strict=True):
        pair = float(row[:first].mean()), float(row[first:].mean())
        by_name.setdefault(key, []).append(pair)
    points = [Point(*key, *_mean(pairs)) for key, pairs in by_name.items()]
    return (*points, *means_of(points))


def means_of(points: Sequence[Point]) -> Iterator[Point]:
    """The means of both groups, which are the four means of level 3."""
    for role in TARGETS:
        own = [(point.a, point.b) for point in points if point.role == role]
        if own:
            yield Point(role, "", *_mean(own))


def _mean(pairs: Sequence[tuple[float, float]]) -> tuple[float, float]:
    if len(pairs) == 1:
        return pairs[0]
    a, b = (float(np.mean(values)) for values in zip(*pairs, strict=True))
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


def plane_figure(result: AssociationResult, width: float | None = None) -> str:
    """Draw the map of the words of a result as SVG.

    Empty where the result has not kept the cosines of single words, or has too many words.
    """
    if not has_map(result):
        return ""
    a, b = (result.concepts.name(role) for role in ATTRIBUTES)
    side = SIDE if width is None else width - LEFT_ROOM - UPPER_ROOM
    plane = Plane.around(points_of(result), a, b, side)
    unit = f"mean {result.unit}" + (f" ({result.scale})" if result.scale else "")
    names = dict(result.concepts.items())
    marks = [mark(plane, point, names) for point in plane.points]
    return framed(
        plane, unit, *marks, written(plane), title=title_of(result), alt=in_words(plane, result)
    )


def title_of(result: AssociationResult) -> str:
    """What the map shows."""
    a, b = (result.concepts.name(role) for role in ATTRIBUTES)
    return f"Each target word by its mean {result.unit}s with {a} and {b}"


def framed(plane: Plane, unit: str, *inside: str, title: str, alt: str) -> str:
    """The square with its scales, the half that is nearer to A, and the diagonal."""
    side, (up, across) = plane.side, (shown(name, 40) for name in plane.attributes)
    ticks = []
    for value in plane.axis.ticks():
        place, number = plane.axis.at(value), effect(value, plane.axis.decimals)
        ticks += [
            muted(number, place, side + 15),
            muted(number, -6, side - place + 4, anchor="end"),
        ]
    upright = f"rotate(-90) translate({-side / 2:g} {-LEFT_ROOM + 12:g})"
    upper, lower = plane.corners
    square = tag(
        "g",
        path(f"M0 {side:g}V0H{side:g}z", "nearer"),
        tag("rect", width=side, height=side, class_="frame"),
        path(f"M0 {side:g}L{side:g} 0", "fig-dashed"),
        *ticks,
        muted(upper, 8, 16, anchor="start"),
        muted(lower, side - 8, side - 9, anchor="end"),
        muted(f"{unit} with {across}", side / 2, side + 33),
        tag("g", muted(f"{unit} with {up}", 0, 0), transform=upright),
        *inside,
        transform=f"translate({LEFT_ROOM:g} {UPPER_ROOM:g})",
    )
    width, height = LEFT_ROOM + side + UPPER_ROOM, UPPER_ROOM + side + LOWER_ROOM
    return figure(height, square, title=title, alt=alt, width=width, kind="plane")


def written(plane: Plane, lines: Sequence[Box] = (), data: Data = lambda _: {}) -> str:
    """The names of words, in the colours of their targets."""
    parts = []
    for place in plane.names(lines):
        point = plane.points[place.point]
        anchor = None if place.anchor == "start" else place.anchor
        at = {"x": round(place.x), "y": round(place.y + LETTERS * 0.35), "text_anchor": anchor}
        kind = f"word {point.role.lower()}"
        parts.append(tag("text", words(shown(point.term)), **at, class_=kind, **data(point)))
    return "".join(parts)


def in_words(plane: Plane, result: AssociationResult) -> str:
    """Say where the means of the groups are, and how many words are nearer to A than to B."""
    phrases = []
    a, b = map(isolated, plane.attributes)
    for mean in (point for point in plane.points if not point.term):
        own = [point for point in plane.points if point.role == mean.role and point.term]
        nearer = sum(point.a > point.b for point in own)
        phrases.append(
            f"{isolated(result.concepts.name(mean.role))}: mean {result.unit} "
            f"{effect(mean.a, 3)} with {a}, {effect(mean.b, 3)} with {b}; {nearer} of {len(own)} "
            f"words are nearer to {a}"
        )
    return ". ".join(phrases) + "."


def mark(plane: Plane, point: Point, names: Mapping[str, str], state: str = "", **data: str) -> str:
    """A dot of X, a square of Y, a cross for the mean of a group; its numbers as a tooltip."""
    x, y = plane.at(point)
    name = shown(point.term) if point.term else f"mean of {shown(names[point.role])}"
    text = f"{name}: {effect(point.a, 3)} up, {effect(point.b, 3)} across"
    about = tag("title", words(text + (", switched off" if state else "")))
    if not point.term:
        return path(cross(x, y, CROSS), f"mean {point.role.lower()}", about, **data)
    shape = outline("circle" if point.role == "X" else "square", x, y)
    return path(shape, f"dot {point.role.lower()} {state}".strip(), about, **data)


def standardised(points: Sequence[Point]) -> tuple[Point, ...] | None:
    """Points of one source less their mean, by the spread of their leans; None without spread."""
    own = [point for point in points if point.term]
    leans = np.array([point.a - point.b for point in own])
    spread = float(leans.std(ddof=1)) if len(own) > 1 else 0.0
    if not spread:
        return None
    middle = float(np.mean([(point.a + point.b) / 2 for point in own]))
    return tuple(
        point._replace(a=(point.a - middle) / spread, b=(point.b - middle) / spread)
        for point in points
    )


def moves_figure(
    first: AssociationResult,
    second: AssociationResult,
    names: Sequence[str],
    width: float | None = None,
) -> str:
    """Draw where the words of one test move between two sources.

    Empty where one of them has not kept the cosines of single words, has no spread or too many
    words, or where they share no words of both targets.
    """
    if not (has_map(first) and has_map(second)):
        return ""
    sources, concepts = (points_of(first), points_of(second)), dict(first.concepts.items())
    side = SIDE if width is None else width - LEFT_ROOM - UPPER_ROOM
    title = f"Each target word of {first.test}, from {names[0]} to {names[1]}"
    return arrows(*sources, concepts, names, unit=first.unit, title=title, side=side)


def arrows(
    first: Sequence[Point],
    second: Sequence[Point],
    concepts: Mapping[str, str],
    names: Sequence[str],
    *,
    unit: str,
    title: str,
    side: float = SIDE,
    data: Data = lambda _: {},
) -> str:
    """Draw each word as an arrow from its place in one source to that in another.

    Empty where a source has no spread, or where they share no words of both targets.
    """
    before, after = standardised(first), standardised(second)
    if before is None or after is None:
        return ""
    there = {(point.role, point.term): point for point in after}
    pairs = [(start, end) for start in before if (end := there.get((start.role, start.term)))]
    if {start.role for start, _ in pairs if start.term} != set(TARGETS):
        return ""
    ends, starts = [end for _, end in pairs], [start for start, _ in pairs]
    plane = Plane.around(
        ends, concepts["A"], concepts["B"], side, more=starts
    )  # names stand where arrows end
    tails = [box for pair in pairs for box in boxes(*map(plane.at, pair))]
    drawn = [_arrow(plane, *pair, concepts, names, data(pair[1])) for pair in pairs]
    alt = _moves_in_words(pairs, concepts, names)
    return framed(
        plane, f"standardised {unit}", *drawn, written(plane, tails, data), title=title, alt=alt
    )


def _arrow(
    plane: Plane,
    start: Point,
    end: Point,
    targets: Mapping[str, str],
    names: Sequence[str],
    data: Mapping[str, str],
) -> str:
    """An arrow between the places of a word, thicker for the mean of a group."""
    (x1, y1), (x2, y2) = plane.at(start), plane.at(end)
    long = hypot(x2 - x1, y2 - y1)
    size = min(HEAD, long) / (long or 1.0)
    back, aside = (x2 - x1) * size, (y2 - y1) * size
    d = f"M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}"
    for half in (0.5, -0.5):
        d += f"L{x2 - back - half * aside:.1f} {y2 - aside + half * back:.1f}M{x2:.1f} {y2:.1f}"
    name = shown(end.term) if end.term else f"mean of {targets[end.role]}"
    about = "; ".join(
        f"{place}: {effect(point.a)} up, {effect(point.b)} across"
        for place, point in zip(names, (start, end), strict=True)
    )
    kind = f"moves {end.role.lower()}" if end.term else f"moves thick {end.role.lower()}"
    return path(d, kind, tag("title", words(f"{name}, {about}")), **data)


def _moves_in_words(
    pairs: Sequence[tuple[Point, Point]], targets: Mapping[str, str], names: Sequence[str]
) -> str:
    """How the lean of both groups changes, and how many words cross the diagonal."""
    phrases = []
    for role in TARGETS:
        own = [pair for pair in pairs if pair[0].role == role and pair[0].term]
        across = sum((start.a > start.b) != (end.a > end.b) for start, end in own)
        before, after = (float(np.mean([pair[i].a - pair[i].b for pair in own])) for i in (0, 1))
        phrases.append(
            f"{isolated(targets[role])}: lean {effect(before)} in {names[0]}, {effect(after)} in "
            f"{names[1]}; {across} of {len(own)} words change sides of the diagonal"
        )
    return ". ".join(phrases) + "."


class Place(NamedTuple):
    """Where the name of a point is."""

    point: int
    """Number of the point."""
    x: float
    """Pixels from the left edge of the square to the end of the name that is at the mark."""
    y: float
    """Pixels from the upper edge to the middle of the letters."""
    anchor: str
    """``start``, ``middle`` or ``end``: which part of the name is at x."""


AROUND = ((1, 0), (-1, 0), (0, -1), (0, 1), *product((1, -1), (-1, 1)))
"""Places around a mark for its name, the best first: right, left, above, below, corners."""
ANCHORS = {1: "start", -1: "end", 0: "middle"}


def placed(
    spots: Sequence[Spot],
    texts: Sequence[str],
    order: Sequence[int],
    taken: Sequence[Box],
    side: float = SIDE,
) -> Iterator[Place]:
    """Place as many names as fit beside their marks; none lies on another."""
    names: list[Box] = []
    half = LETTERS * 0.55
    for i in order:
        (x, y), wide = spots[i], pixels(texts[i], LETTERS) * 0.94
        for dx, dy in AROUND:
            share = 0.6 if dx and dy else 1.0
            at, middle = x + dx * (MARK + GAP) * share, y + dy * (half + MARK * share)
            left = at - (wide if dx < 0 else 0 if dx else wide / 2)
            box = (left, middle - half, left + wide, middle + half)
            inside = min(box[:2]) >= 0 and max(box[2:]) <= side
            if inside and not _meets(box, taken, own=i) and not _meets(box, names):
                names.append(box)
                yield Place(i, at, middle, ANCHORS[dx])
                break


def _meets(box: Box, taken: Sequence[Box], own: int = -1) -> bool:
    """Whether a name would lie on another one, or on a mark that is not its own."""
    left, upper, right, lower = box
    for j, (x1, y1, x2, y2) in enumerate(taken):  # thousands of times: quicker than any()
        if not (x2 <= left or right <= x1 or y2 <= upper or lower <= y1 or j == own):
            return True
    return False


def boxes(start: Spot, end: Spot) -> list[Box]:
    """Small squares along a line, from its start to its end."""
    (x, y), right, down = start, end[0] - start[0], end[1] - start[1]
    steps = max(1, int(hypot(right, down) / 6))
    places = [(x + right * i / steps, y + down * i / steps) for i in range(steps)]
    return [(x - 1, y - 1, x + 1, y + 1) for x, y in places]
