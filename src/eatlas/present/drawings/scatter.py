"""Method against method: effect sizes of the same tests by two methods, a panel for each pair.

Husse and Spitz (2022), Figure 5.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, get_args

from eatlas.errors import ResultsError, did_you_mean
from eatlas.numbers import effect, interval, number_of
from eatlas.present.drawings.plane import Box
from eatlas.present.drawings.point_names import free_place, square_at, text_box
from eatlas.present.drawings.sheet import Drawing, Sheet
from eatlas.present.drawings.svg import (
    LARGEST,
    LEFT,
    RIGHT,
    Axis,
    aside,
    figure,
    inset,
    label,
    outline,
    path,
    short,
    tag,
    words,
)
from eatlas.present.text import isolate, pixels
from eatlas.results.compare import By, SideBySide, pivot, side_by_side
from eatlas.results.methods import MethodPair
from eatlas.results.parts import finite, finite_ends

PANEL, WIDEST = 205.0, 420.0
"""Pixels of a panel at least and at most."""
MOST_PANELS, MOST_NAMES, ROOM_FOR_NAMES = 36, 12, 300.0
"""Panels of a drawing; points of a panel that are named, and pixels that it needs for that."""
LETTERS = 12.0
BEFORE, AFTER, ABOVE, BELOW = 48.0, 18.0, 40.0, 56.0
"""Pixels around the square of a panel."""
SHAPES = ("circle", "square", "triangle", "diamond")
COLOURS = ("x", "y", "a", "n", "")
"""Shapes and classes of colours of groups in their order; together they repeat after 20."""
NAMES = {"setting", "source", "measure", "vectors", "metric"}
"""Respects whose values say what they are; others are in front of theirs, as in "layer 3"."""
NOUNS = {"": "method", "vectors": "source"}
"""What several values of a respect are called, if not by its name."""
DIFFER_IN = ("measure", "source", *get_args(By), "period")
"""In which respects results are compared, the first in which they differ."""
NOTES = (
    "A point is a test measured by two methods, with its first effect size by each; all other "
    "settings are equal.",
    "Intervals (95%) treat points as independent; tests that share words, and results of one "
    "source, are not.",
)


def scatter(
    given: Any, width: float, *, by: str | None = None, pair: Sequence[str] | None = None
) -> Drawing:
    """Draw effect sizes by one method against those by another: for every two, or for one pair."""
    pairs = _chosen(_pairs(given, by), pair)
    groups = list(dict.fromkeys(point.group for each in pairs for point in each.points))
    columns = min(len(pairs), max(1, int(width // PANEL)))
    side = min(width / columns, WIDEST)
    axes = {name: _scale(pairs, name) for name in _methods(pairs)}
    room = side - BEFORE - AFTER - 16
    called = _method_labels(pairs, room)
    sheet = Sheet(width)
    heads = _heads(sheet, groups) if len(groups) > 1 else ()
    sheet.begin(sheet.y)
    for start in range(0, len(pairs), columns):
        for column, each in enumerate(pairs[start : start + columns]):
            panel = _panel(each, side, axes, called, groups)
            sheet.add(inset(panel, column * width / columns, sheet.y))
        sheet.y += side + ABOVE + BELOW - BEFORE - AFTER
        sheet.end_block()
    key = []
    if len(pairs) > 1 and any(pixels(name, LETTERS) > room for name in called.values()):
        key.append(f"Methods: {'; '.join(called.values())}.")
    if any(point.significant for each in pairs for point in each.points):
        key.append("Filled: significant by both methods.")
    return sheet.close(
        ". ".join(map(_in_words, pairs)) + ".",
        title=_title(pairs),
        heads=heads,
        key=" ".join(key),
        notes=NOTES,
    )


def has_pairs(given: object) -> bool:
    """Whether something says itself which methods it compares: a comparison, or a study."""
    return callable(getattr(given, "pairs", None))


def _pairs(given: Any, by: str | None) -> Sequence[MethodPair]:
    """Every two methods of a comparison, of a study, or of results that differ in a respect."""
    if isinstance(given, SideBySide):
        if by not in (None, given.by):
            raise ResultsError(
                f"these results are compared by {given.by}",
                got=f"by={by!r}",
                remedy=f"hand over the results, or what results.compare({by!r}) returns",
            )
        return given.pairs()
    if has_pairs(given):
        pairs: Sequence[MethodPair] = given.pairs(by)
        return pairs
    by = by or next((name for name in DIFFER_IN if pivot(given, name)), None)
    if by is None:
        raise ResultsError(
            "a scatter needs the same tests, measured by two methods or more",
            got=f"{number_of(len(given), 'result')} with the same measure, source and encoding",
            allowed="results of two measures, sources, layers, prompts, windows or periods; what "
            "results.compare(...) returns; a study",
        )
    return side_by_side(given, by).pairs()


def _methods(pairs: Sequence[MethodPair]) -> list[str]:
    """The names of all methods."""
    return list(dict.fromkeys(name for each in pairs for name in (each.first, each.second)))


def _chosen(pairs: Sequence[MethodPair], chosen: Sequence[str] | None) -> Sequence[MethodPair]:
    """The pairs that are drawn: all with a point, or one."""
    names = _methods(pairs)
    if chosen is not None:
        pairs = [_one_pair(pairs, names, chosen)]
    shown = [each for each in pairs if each.points]
    if not shown:
        raise ResultsError(
            "no test has an effect size by two methods",
            got=", ".join(names),
            allowed="the same tests, measured by two methods or more",
        )
    if len(shown) > MOST_PANELS:
        raise ResultsError(
            "a drawing has a panel for every two methods, and these are too many",
            got=f"{len(names)} methods, {len(shown)} panels",
            allowed=f"{MOST_PANELS} panels at most",
            remedy=f"choose two methods: pair=({names[0]!r}, {names[1]!r})",
        )
    return shown


def _one_pair(
    pairs: Sequence[MethodPair], names: Sequence[str], chosen: Sequence[str]
) -> MethodPair:
    """The pair of two methods, in the order in which they were chosen."""
    if isinstance(chosen, str) or len(chosen) != 2 or len(set(chosen)) < 2:
        raise ResultsError(
            "a pair is two methods", got=repr(chosen), allowed=f"two of {', '.join(names)}"
        )
    for name in chosen:
        if name not in names:
            raise ResultsError(
                f"there is no method {name!r}{did_you_mean(name, names)}",
                allowed=", ".join(names),
            )
    (own,) = (each for each in pairs if {each.first, each.second} == set(chosen))
    return own if own.first == chosen[0] else own.turned


def _scale(pairs: Sequence[MethodPair], name: str) -> Axis:
    """The axis of a method, which is one in all its panels."""
    values = [point.x for each in pairs if each.first == name for point in each.points]
    values += [point.y for each in pairs if each.second == name for point in each.points]
    return Axis.with_zero(values, 0.0, 1.0)


def _look(group: str, groups: Sequence[str]) -> tuple[str, str]:
    """Shape and class of the points of a group."""
    n = groups.index(group)
    return SHAPES[n % len(SHAPES)], COLOURS[n % len(COLOURS)]


def _heads(sheet: Sheet, groups: Sequence[str]) -> tuple[str, ...]:
    """The name of each group beside its mark, above the panels of every page."""
    x, parts = LEFT, []
    for group in groups:
        shape, colour = _look(group, groups)
        name = short(group, 0.45 * sheet.width)
        wide = pixels(name, LARGEST) + 30
        if x > LEFT and x + wide > sheet.width - RIGHT:
            x, sheet.y = LEFT, sheet.y + 18
        parts += [
            path(outline(shape, x + 5, sheet.y + 8), f"m on {colour}".strip()),
            label(name, x + 15, sheet.y + 12),
        ]
        x += wide
    sheet.y += 26
    return tuple(parts)


def _panel(
    pair: MethodPair,
    side: float,
    axes: Mapping[str, Axis],
    called: Mapping[str, str],
    groups: Sequence[str],
) -> str:
    """The points of a pair in a square, its correlations above."""
    size = side - BEFORE - AFTER
    left, right, top, bottom = BEFORE, BEFORE + size, ABOVE, ABOVE + size
    across = axes[pair.first].on(left, right).sparse(30.0)
    up = axes[pair.second].on(bottom, top).sparse()
    parts = [across.grid(top, bottom), up.grid(left, right, upright=True)]
    for n, text in enumerate(_numbers(pair)):
        parts.append(label(text, left, 14 + 15 * n))
    parts.append(label(f"n = {len(pair.points)}", right, 14, anchor="end"))
    first, second = called[pair.first], called[pair.second]
    spots = [(across.at(point.x), up.at(point.y)) for point in pair.points]
    for point, (x, y) in zip(pair.points, spots, strict=True):
        shape, colour = _look(point.group, groups)
        kind = f"m{' on' * point.significant} {colour}".strip()
        x_digits, y_digits = (2 if symbol == "d" else 3 for symbol in pair.symbols)
        numbers = f"{effect(point.x, x_digits)} by {first}, {effect(point.y, y_digits)} by {second}"
        about = tag("title", words(f"{point.name}: {numbers}"))
        parts.append(path(outline(shape, round(x, 1), round(y, 1)), kind, about))
    if side >= ROOM_FOR_NAMES and len(spots) <= MOST_NAMES:
        parts += _names(pair, spots, (left, top, right, bottom))
    turned = f"rotate(-90) translate({-top:g} 12)"
    parts.append(label(_end(first, pair.symbols[0], size), right, bottom + 36, anchor="end"))
    upright = label(_end(second, pair.symbols[1], size), 0, 0, anchor="end")
    parts.append(tag("g", upright, transform=turned))
    height = bottom + BELOW
    title = f"{first} and {second}"
    return figure(height, *parts, title=title, alt=_in_words(pair), width=side)


def _names(pair: MethodPair, spots: Sequence[tuple[float, float]], square: Box) -> Iterator[str]:
    """The tests beside their points, if they lie on nothing there."""
    left, top, right, bottom = square
    above, below = (left, -BELOW, right, top), (left, bottom, right, bottom + BELOW)
    taken = [square_at(spot, 5) for spot in spots] + [(0.0, 0.0, left, bottom), above, below]
    for point, spot in zip(pair.points, spots, strict=True):
        name = short(point.test, 220.0, 11)
        place = free_place(name, spot, taken, right)
        if place is not None and not place[2]:
            at, anchor, _ = place
            yield aside(name, *at, anchor=anchor)
            taken.append(text_box(name, at, anchor, 11))


def _method_labels(pairs: Sequence[MethodPair], room: float) -> dict[str, str]:
    """What methods are called, with that in which they differ if there is room for all of them."""
    by, names = pairs[0].by, _methods(pairs)
    if by and by not in NAMES:
        whole = {name: isolate(f"{by} {name}") for name in names}
        if max(pixels(name, LETTERS) for name in whole.values()) <= room:
            return whole
    return {name: isolate(name) for name in names}


def _end(name: str, symbol: str, size: float) -> str:
    """What is at the end of an axis: a method, and its numbers unless they are effect sizes d."""
    text = name if symbol in ("d", name) else f"{name}: {symbol}"
    return f"{short(text, size - 16, LETTERS)} →"


def _numbers(pair: MethodPair) -> list[str]:
    """Pearson's and Spearman's correlation with their intervals."""
    found = pair.correlation
    return [
        _number("r", found.pearson, found.pearson_low, found.pearson_high),
        _number("ρ", found.spearman, found.spearman_low, found.spearman_high),
    ]


def _number(symbol: str, value: float, low: float, high: float) -> str:
    """A correlation and its interval; a dash if it is not defined."""
    ends = finite_ends((low, high))
    return f"{symbol} = {effect(finite(value))}" + (f" {interval(ends)}" if ends else "")


def _in_words(pair: MethodPair) -> str:
    """A pair and its correlations as a phrase."""
    both = ", ".join(_numbers(pair))
    return f"{_both(pair)}: {both}, n = {len(pair.points)}"


def _both(pair: MethodPair) -> str:
    """The names of both methods."""
    return " and ".join(_method_labels([pair], math.inf).values())


def _title(pairs: Sequence[MethodPair]) -> str:
    """The correlation of a pair; of several, the range of their correlations."""
    if len(pairs) == 1:
        (pair,) = pairs
        found = pair.correlation
        r, rho = finite(found.pearson), finite(found.spearman)
        if r is None or rho is None:
            tests = number_of(len(pair.points), "test")
            return f"{_both(pair)}: {tests}, no correlation is defined"
        return f"{_both(pair)}: r = {effect(r)}, ρ = {effect(rho)}, n = {found.n}"
    every = (finite(pair.correlation.pearson) for pair in pairs)
    known = [r for r in every if r is not None]
    range_of = f": r from {effect(min(known))} to {effect(max(known))}" if known else ""
    noun = NOUNS.get(pairs[0].by, pairs[0].by)
    return f"{number_of(len(_methods(pairs)), noun)}, two by two{range_of}"
