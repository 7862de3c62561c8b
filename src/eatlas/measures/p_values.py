"""From answers of permutation tests to the p-values that a result keeps, and remarks on them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from eatlas.results.levels import (
    Brackets,
    Counts,
    Draws,
    Intervals,
    Methods,
    PValues,
    RelativeErrors,
)
from eatlas.results.parts import TAILS
from eatlas.stats.effect_size import FACTOR, Spread, inflation, unequal_spread
from eatlas.stats.permutation import PermutationResult, Tail, permutation_test
from eatlas.stats.permutation.problem import SMALLEST

if TYPE_CHECKING:
    from eatlas.stats.draws import Components

Scores = NDArray[np.float64]

UNEQUAL = (
    "The groups of {what} differ in size ({sizes}) and in spread ({spreads}). A permutation test "
    "of the difference of means then rejects equal means too often or too seldom: {level} instead "
    "of .05, two-sided. statistic=studentised allows for unequal spreads."
)
"""A remark where a permutation test of means is not to be relied on."""
DECIMALS = 6
"""Kept of figures whose own error is larger by far."""
LISTED = 5
"""Terms that one remark names."""
REMEMBERED = 4096
"""Answers of permutation tests that a process keeps: measures that differ in what they make of a
p-value, such as the tail or the threshold of a pattern, ask the same question."""
MOST_BITS = 13_000
"""Of a whole number in a result: 3,914 digits. Python's own reader refuses 4,301."""


@lru_cache(maxsize=REMEMBERED)
def counted(
    scores: bytes,
    n: int,
    method: str,
    scale: float,
    strict: bool,  # noqa: FBT001  (a cache knows arguments by their place)
    precision: float | None,
) -> PermutationResult:
    """P-values of a method that draws nothing at random; of scores as the bytes of float64."""
    return permutation_test(
        np.frombuffer(scores, np.float64),
        n,
        method=method,
        scale=scale,
        strict=strict,
        precision=precision,
    )


def to_record(answer: PermutationResult) -> PValues:
    """Write down three tails: p, method, and the count or the stated error of each."""
    tails: dict[str, Tail] = {name: getattr(answer, name) for name in TAILS}
    methods: dict[str, Any] = {name: tail.method for name, tail in tails.items()}
    same = len(set(methods.values())) == 1

    def each(attribute: str) -> dict[str, Any] | None:
        values = {name: getattr(tail, attribute) for name, tail in tails.items()}
        return values if any(value is not None for value in values.values()) else None

    counts, errors, brackets = each("count"), each("rel_err"), each("bracket")
    intervals, draws = each("interval"), each("draws")
    return PValues(
        **{name: tail.p for name, tail in tails.items()},
        method=methods["greater"] if same else Methods(**methods),
        count=counts and Counts(**{name: written(count) for name, count in counts.items()}),
        total=written(answer.total),
        min_p=answer.min_p,
        rel_err=errors and RelativeErrors(**errors),
        bracket=brackets and Brackets(**brackets),
        interval=intervals and Intervals(**intervals),
        draws=draws and Draws(**draws),
    )


def of_one_stimulus(what: str, roles: Sequence[str]) -> str:
    """Say that groups of one stimulus have nothing to relabel."""
    return (
        f"Undefined{what} over stimuli: all sentences of {' and of '.join(roles)} are made of one "
        "stimulus, so there is nothing to relabel, and the p-values of single sentences say "
        "nothing about other stimuli."
    )


def of_spread(first: Scores, second: Scores, what: str) -> Iterator[str]:
    """What a reader must know of groups that differ in size and clearly in spread."""
    found = unequal_spread(first, second)
    if found is not None:
        yield UNEQUAL.format(
            what=what,
            sizes="{} and {}".format(*found.n),
            spreads="standard deviations {:.2g} and {:.2g}".format(*found.sd),
            level=_level(found.level),
        )


def of_spreads(names: Sequence[str], rows: Scores, n: int, what: str) -> Iterator[str]:
    """The same of many rows with one design, `what` each is called, in one remark."""
    found = [
        name for name, row in zip(names, rows, strict=True) if unequal_spread(row[:n], row[n:])
    ]
    if found:
        more = len(found) - LISTED
        yield (
            f"A and B differ in size ({n} and {rows.shape[1] - n}) and, for {len(found)} of "
            f"{len(names)} {'stimuli' if what == 'stimulus' else f'{what}s'}, in spread: "
            f"{', '.join(found[:LISTED])}{f' and {more} more' if more > 0 else ''}. A permutation "
            "test of the difference of means then rejects equal means too often or too seldom. "
            "statistic=studentised allows for unequal spreads."
        )


def of_contexts(parts: Components, contexts: NDArray[np.int64], n: int, what: str) -> Iterator[str]:
    """What a reader must know of groups that differ in size and in contexts for each stimulus.

    `parts` are the variance components of the scores, `contexts` how many each unit has, those of
    the first group of `n` units first. A mean over few contexts varies more.
    """
    if math.isnan(parts.within):
        return
    groups = contexts[:n], contexts[n:]
    variances = [parts.units + parts.within * float((1 / g).mean()) for g in groups]
    sizes = groups[0].size, groups[1].size
    factor = inflation(sizes, (variances[0], variances[1]))
    if sizes[0] == sizes[1] or 1 / FACTOR <= factor <= FACTOR:
        return
    spread = Spread(sizes, (math.sqrt(variances[0]), math.sqrt(variances[1])), factor)
    medians = "median contexts of a stimulus {:g} and {:g}".format(
        *(float(np.median(g)) for g in groups)
    )
    yield UNEQUAL.format(
        what=what,
        sizes="{} and {}".format(*sizes),
        spreads=f"{medians}, so that means over contexts vary unequally",
        level=_level(spread.level),
    )


def _level(level: float) -> str:
    """An estimated level, cut off where the approximation says little."""
    return "far below .01" if level < 0.005 else f"about {level:.2f}".replace("0.", ".")


def written(count: int | None) -> int | None:
    """A count that a reader of JSON takes."""
    return None if count is None or count.bit_length() > MOST_BITS else count


def remarks(p: PValues, what: str, design: tuple[int, int], alpha: float) -> Iterator[str]:
    """What a reader must know of these p-values before comparing them with alpha."""
    zero = [name for name in TAILS if p.count_of(name) == 0]
    if zero:
        yield (
            f"With strict inequalities no relabelling of {what} is counted in the tail"
            f"{'s' * (len(zero) > 1)} {' and '.join(zero)}: a p of 0, given as the smallest "
            "positive number."
        )
    elif p.min_p >= alpha:
        yield (
            f"The design of {what}, {design[0]} against {design[1]}, has {p.total} relabellings: "
            f"no p-value can fall below {p.min_p:.3g}, so none is below alpha = {alpha}."
        )
    elif design[0] == design[1] and 2 * p.min_p >= alpha:
        # of groups of one size every subset has a mirror image, so two-sided counts are even
        yield (
            f"The design of {what}, {design[0]} against {design[1]}, has {p.total} relabellings: "
            f"no two-sided p-value can fall below {2 * p.min_p:.3g}, so none is below "
            f"alpha = {alpha}."
        )
    wide = [
        f"{name.replace('_', '-')} between {0 if low <= SMALLEST else low:.3g} and {high:.3g}"
        for name in TAILS
        if (low := p.low(name)) is not None and low < alpha <= (high := p.tail(name))
    ]
    if wide:
        yield (
            f"The p-values of {what} are known only within bounds that do not decide whether p is "
            f"below alpha = {alpha}: {', '.join(wide)}. The upper bound is used: no star, and "
            "no association."
        )
    draws = next((d for name in TAILS if (d := p.draws and getattr(p.draws, name))), None)
    if draws and p.method_of("greater") == "sampled" and 1 / (draws + 1) >= alpha:
        yield (
            f"{draws} draws cannot show a p-value of {what} below {1 / (draws + 1):.3g}, so none "
            f"is below alpha = {alpha}."
        )
