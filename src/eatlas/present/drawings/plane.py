"""The map of the words: each target at its mean cosines with both attributes, without projection.

The diagonal holds words that are as near to B as to A; a word's distance from it is its part in
level 1, and the means of the groups are the four means of level 3.

Of two sources, an arrow for each word, from its place in one to the other. Cosines of two sources
have different scales, so both are standardised: less the mean cosine of all targets, by the
standard deviation of the leans of targets, mean cosine with A less that with B. The diagonal stays
where it is, and across it the means of both groups are as far apart as d at level 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import product
from math import hypot
from typing import NamedTuple, Self

import numpy as np

from eatlas.numbers import effect
from eatlas.present.drawings.svg import Axis, aside, cross, figure, outline, path, tag, words
from eatlas.present.effects import short_name
from eatlas.present.text import isolate, one_line, pixels
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
LINE, STEP, WIDER = 16.0, 6.0, 1.15
"""Pixels of a line of letters with its room; between two places where a text may lie; a reader's
letters may be so much wider."""

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
    covered: tuple[Box, ...] = ()
    """Where no name may lie, besides marks and the diagonal."""

    @classmethod
    def from_points(
        cls,
        points: Sequence[Point],
        a: str,
        b: str,
        side: float = SIDE,
        more: Sequence[Point] = (),
    ) -> Self:
        """Lay points on a square that holds them, and more, but not zero if it is far."""
        values = [value for point in (*points, *more) for value in (point.a, point.b)]
        return cls(tuple(points), Axis.with_margin(values, 0.0, side), (a, b))

    def at(self, point: Point) -> Spot:
        """Pixels of a point from the left and the upper edge."""
        return round(self.axis.at(point.b), 1), round(self.axis.end - self.axis.at(point.a), 1)

    @cached_property
    def marks(self) -> dict[Point, Box]:
        """The boxes of the marks, with a little room."""
        boxes = {}
        for point in self.points:
            (x, y), room = self.at(point), MARK if point.term else CROSS + 2
            boxes[point] = (x - room, y - room, x + room, y + room)
        return boxes

    @cached_property
    def corners(self) -> list[tuple[str, Box]]:
        """What the halves are called: the first from the left of its box, the second to the right.

        Along the edges of its half, from the corner on, at the first place without marks; where
        there is none, in the corner.
        """
        side, texts = self.axis.end, []
        marks = [*self.marks.values(), *self.covered]
        for name, half in zip(self.attributes, (1, -1), strict=True):
            text = f"closer to {truncate(name, 40)}"
            wide = min(WIDER * pixels(text, LETTERS), side - 16)
            room = max(0.0, side - wide - LINE - 16)  # up to the diagonal
            boxes = [(8 + x, 4 + y, 8 + x + wide, 4 + y + LINE) for x, y in _places(room)]
            if half < 0:  # the other half is the same, turned
                boxes = [(side - x2, side - y2, side - x1, side - y1) for x1, y1, x2, y2 in boxes]
            texts.append((text, next((box for box in boxes if not meets(box, marks)), boxes[0])))
        return texts


@lru_cache  # the names of a test are those of its results on all sources
def _places(room: float) -> list[tuple[float, float]]:
    """Places in a corner, those along its edges first."""
    steps = [i * STEP for i in range(int(room / STEP) + 1)]
    places = [(x, y) for y in steps for x in steps if x + y <= room]
    return sorted(places, key=lambda place: (min(place), sum(place)))


def has_map(result: AssociationResult) -> bool:
    """Whether the cosine of each target with each attribute was kept, of few enough targets.

    Not where attributes compete for a target: what A wins B loses, so that all are on one line.
    """
    rows = result.similarities
    if not rows or len(rows) > MOST or result.competing:
        return False
    x, y, a, b = (len(result.paired(role)) for role in ROLES)
    return len(rows) == x + y and all(len(row) == a + b for row in rows)


def points_of(result: AssociationResult) -> tuple[Point, ...]:
    """Mean cosine of each target with A and with B, and the means of both groups.

    In tests of sentences, the means of the sentences of a stimulus, which several share.
    """
    rows, first = np.array(result.similarities, dtype=np.float64), len(result.paired("A"))
    pairs = np.column_stack([rows[:, :first].mean(axis=1), rows[:, first:].mean(axis=1)])
    by_name: dict[tuple[str, str], list[int]] = {}
    targets = [(role, term) for role in TARGETS for term in result.paired(role)]
    for number, (role, term) in enumerate(targets):
        if result.over_stimuli:
            term = result.coverage[role].stimulus.get(term, term)  # noqa: PLW2901
        by_name.setdefault((role, term), []).append(number)
    points = [
        Point(*key, *(pairs[own].mean(axis=0) if len(own) > 1 else pairs[own[0]]).tolist())
        for key, own in by_name.items()
    ]
    return (*points, *means_of(points))


def means_of(points: Sequence[Point]) -> Iterator[Point]:
    """The means of both groups, which are the four means of level 3."""
    for role in TARGETS:
        own = [(point.a, point.b) for point in points if point.role == role]
        if own:
            yield Point(role, "", *np.mean(own, axis=0).tolist())


def truncate(term: str, most: int = LONGEST) -> str:
    """A word as the map shows it: on one line, and not too long."""
    term = one_line(term)
    return isolate(term if len(term) <= most else f"{term[: most - 1]}…")


def plane_figure(result: AssociationResult, width: float) -> str:
    """Draw the map of the words of a result that has one as SVG."""
    a, b = (result.concepts[role] for role in ATTRIBUTES)
    plane = Plane.from_points(points_of(result), a, b, width - LEFT_ROOM - UPPER_ROOM)
    unit = f"mean {result.unit}" + (f" ({result.scale})" if result.scale else "")
    names = dict(result.concepts.items())
    marks = [mark(plane, point, names) for point in plane.points]
    return draw_frame(
        plane, unit, *marks, draw_names(plane), title=title_of(result), alt=in_words(plane, result)
    )


def title_of(result: AssociationResult) -> str:
    """What the map shows."""
    a, b = (result.concepts[role] for role in ATTRIBUTES)
    return f"Each target word by its mean {result.unit}s with {a} and {b}"


def draw_frame(plane: Plane, unit: str, *inside: str, title: str, alt: str) -> str:
    """The square with its scales, the half that is nearer to A, and the diagonal."""
    side, ticks = plane.axis.end, []
    for at, number in plane.axis.ticks():
        ticks += [aside(number, at, side + 15), aside(number, -3, side - at + 4, anchor="end")]
    (upper, first), (lower, second) = plane.corners
    up, across = (f"{unit} with {truncate(name, 40)}" for name in plane.attributes)
    square = tag(
        "g",
        path(f"M0 {side:g}V0H{side:g}z", "nearer"),
        tag("rect", width=side, height=side, class_="frame"),
        path(f"M0 {side:g}L{side:g} 0", "fig-dashed"),
        *ticks,
        aside(upper, round(first[0], 1), round(first[3] - 4, 1), anchor="start"),
        aside(lower, round(second[2], 1), round(second[3] - 4, 1), anchor="end"),
        aside(across, side / 2, side + 33),
        tag("g", aside(up, 0, 0), transform=f"rotate(-90) translate({-side / 2:g} -38)"),
        *inside,
        transform=f"translate({LEFT_ROOM:g} {UPPER_ROOM:g})",
    )
    width, height = LEFT_ROOM + side + UPPER_ROOM, UPPER_ROOM + side + LOWER_ROOM
    return figure(height, square, title=title, alt=alt, width=width, kind="figure plane")


def outermost_first(points: Sequence[Point]) -> list[int]:
    """Positions of words, those farthest from the mean of their group first."""
    means = {point.role: point for point in points if not point.term}

    def distance(i: int) -> float:
        mean = means[points[i].role]
        return hypot(points[i].a - mean.a, points[i].b - mean.b)

    named = (i for i, point in enumerate(points) if point.term)
    return sorted(named, key=distance, reverse=True)


def draw_names(plane: Plane, data: Data = lambda _: {}) -> str:
    """The names of as many words as fit, the outermost first, in the colours of their targets.

    None lies on another, on a mark, on the diagonal, nor on what the two halves are called.
    """
    side, half, texts = plane.axis.end, LETTERS * 0.55, []
    taken: list[Box] = [box for _, box in plane.corners]
    taken += plane.covered
    for point in map(plane.points.__getitem__, outermost_first(plane.points)):
        (x, y), name = plane.at(point), truncate(point.term)
        wide = pixels(name, LETTERS) * 0.94
        others = [*taken, *(box for other, box in plane.marks.items() if other is not point)]
        for dx, dy in AROUND:
            share = 0.6 if dx and dy else 1.0
            at, middle = x + dx * (MARK + GAP) * share, y + dy * (half + MARK * share)
            left = at - (wide if dx < 0 else 0 if dx else wide / 2)
            box = (left, middle - half, left + wide, middle + half)
            if min(box[:2]) < 0 or max(box[2:]) > side:
                continue
            if box[0] + box[1] < side < box[2] + box[3] or meets(box, others):
                continue
            taken.append(box)
            anchor = None if dx > 0 else "end" if dx < 0 else "middle"
            look = {"x": round(at), "y": round(middle + LETTERS * 0.35), "text_anchor": anchor}
            kind = f"word {point.role.lower()}"
            texts.append(tag("text", words(name), **look, class_=kind, **data(point)))
            break
    return "".join(texts)


AROUND = (
    (1, 0), (-1, 0), (0, -1), (0, 1), *product((1, -1), (-1, 1)), *product((1, -1), (-0.6, 0.6)),
    *product((0.4, -0.4), (-1.3, 1.3)), *product((1.4, -1.4), (-1.6, 1.6, 0)), (0, -1.5), (0, 1.5),
)  # fmt: skip
"""Places around a mark for its name, the best first: right, left, above, below, corners, afar."""


def meets(box: Box, others: Iterable[Box]) -> bool:
    """Whether a name would lie on another box."""
    left, upper, right, lower = box
    for x1, y1, x2, y2 in others:  # thousands of times: quicker than any()
        if not (x2 <= left or right <= x1 or y2 <= upper or lower <= y1):
            return True
    return False


def closer_words(result: AssociationResult) -> str:
    """How many words of both targets are closer to A than to B, as a title."""
    points, a = points_of(result), short_name(result.concepts["A"])
    phrases = []
    for role in TARGETS:
        own = [point for point in points if point.role == role and point.term]
        closer = sum(point.a > point.b for point in own)
        phrases.append(f"{closer} of {len(own)} {short_name(result.concepts[role])}")
    b = short_name(result.concepts["B"])
    return f"{' and '.join(phrases)} are closer to {a} than to {b}"


def in_words(plane: Plane, result: AssociationResult) -> str:
    """Say where the means of the groups are, and how many words are nearer to A than to B."""
    phrases = []
    a, b = map(isolate, plane.attributes)
    for mean in (point for point in plane.points if not point.term):
        own = [point for point in plane.points if point.role == mean.role and point.term]
        nearer = sum(point.a > point.b for point in own)
        phrases.append(
            f"{isolate(result.concepts[mean.role])}: mean {result.unit} "
            f"{effect(mean.a, 3)} with {a}, {effect(mean.b, 3)} with {b}; {nearer} of {len(own)} "
            f"words are nearer to {a}"
        )
    return ". ".join(phrases) + "."


def mark(plane: Plane, point: Point, names: Mapping[str, str], state: str = "", **data: str) -> str:
    """A dot of X, a square of Y, a cross for the mean of a group; its numbers as a tooltip."""
    x, y = plane.at(point)
    name = truncate(point.term) if point.term else f"mean of {truncate(names[point.role])}"
    text = f"{name}: {effect(point.a, 3)} up, {effect(point.b, 3)} across"
    about = tag("title", words(text + (", switched off" if state else "")))
    if not point.term:
        return path(cross(x, y, CROSS), f"mean {point.role.lower()}", about, **data)
    shape = outline("circle" if point.role == "X" else "square", x, y)
    return path(shape, f"dot {point.role.lower()} {state}".strip(), about, **data)


def standardise_points(points: Sequence[Point]) -> tuple[Point, ...] | None:
    """Points of one source less their mean, by the spread of their leans; None without spread."""
    own = np.array([(point.a, point.b) for point in points if point.term])
    spread = float((own[:, 0] - own[:, 1]).std(ddof=1)) if len(own) > 1 else 0.0
    middle = float(own.mean()) if len(own) else 0.0
    if not spread:
        return None
    return tuple(
        point._replace(a=(point.a - middle) / spread, b=(point.b - middle) / spread)
        for point in points
    )


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
    before, after = standardise_points(first), standardise_points(second)
    if before is None or after is None:
        return ""
    there = {(point.role, point.term): point for point in after}
    pairs = [(start, end) for start in before if (end := there.get((start.role, start.term)))]
    if {start.role for start, _ in pairs if start.term} != set(TARGETS):
        return ""
    starts, ends = zip(*pairs, strict=True)  # names stand where arrows end
    plane = Plane.from_points(ends, concepts["A"], concepts["B"], side, more=starts)
    drawn, tails, phrases = [], [], []
    for start, end in pairs:
        (x1, y1), (x2, y2) = plane.at(start), plane.at(end)
        long = hypot(x2 - x1, y2 - y1)
        size = min(HEAD, long) / (long or 1.0)
        back, aside = (x2 - x1) * size, (y2 - y1) * size
        d = f"M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}"
        for half in (0.5, -0.5):
            d += f"L{x2 - back - half * aside:.1f} {y2 - aside + half * back:.1f}"
            d += f"M{x2:.1f} {y2:.1f}"
        name = truncate(end.term) if end.term else f"mean of {concepts[end.role]}"
        places = (
            f"{source}: {effect(point.a)} up, {effect(point.b)} across"
            for source, point in zip(names, (start, end), strict=True)
        )
        tooltip = tag("title", words(f"{name}, {'; '.join(places)}"))
        kind = f"moves{'' if end.term else ' thick'} {end.role.lower()}"
        drawn.append(path(d, kind, tooltip, **data(end)))
        for along in np.linspace(0, 1, max(1, int(long / 6)), endpoint=False).tolist():
            # small squares along the line, which no name may cover
            x, y = x1 + (x2 - x1) * along, y1 + (y2 - y1) * along
            tails.append((x - 1, y - 1, x + 1, y + 1))
    for role in TARGETS:
        own = [pair for pair in pairs if pair[0].role == role and pair[0].term]
        across = sum((start.a > start.b) != (end.a > end.b) for start, end in own)
        leans = [float(np.mean([pair[i].a - pair[i].b for pair in own])) for i in (0, 1)]
        phrases.append(
            f"{isolate(concepts[role])}: mean difference {effect(leans[0])} in {names[0]}, "
            f"{effect(leans[1])} in {names[1]}; {across} of {len(own)} words cross the diagonal"
        )
    plane = replace(plane, covered=tuple(tails))
    texts, alt = draw_names(plane, data), ". ".join(phrases) + "."
    return draw_frame(plane, f"standardised {unit}", *drawn, texts, title=title, alt=alt)
