"""From answers of permutation tests to the p-values that a result keeps, and remarks on them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from eatlas.notes import Note
from eatlas.results.levels import PValues
from eatlas.results.parts import TAILS
from eatlas.stats.effect_size import unequal_spread
from eatlas.stats.permutation import PermutationResult, Tail, permutation_test

if TYPE_CHECKING:
    pass

Scores = NDArray[np.float64]

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
    fields: dict[str, Any] = {name: tail.p for name, tail in tails.items()}
    methods = {name: tail.method for name, tail in tails.items()}
    fields["method"] = methods if len(set(methods.values())) > 1 else methods["greater"]
    for attribute in ("count", "rel_err", "interval", "draws"):
        values = {name: getattr(tail, attribute) for name, tail in tails.items()}
        if attribute == "count":
            values = {name: written(count) for name, count in values.items()}
        counted = attribute == "count" and any(tail.count is not None for tail in tails.values())
        if counted or any(value is not None for value in values.values()):
            fields[attribute] = values
    return PValues.model_validate({**fields, "total": written(answer.total), "min_p": answer.min_p})


def of_spread(first: Scores, second: Scores, place: str) -> Iterator[Note]:
    """What a reader must know of groups that differ in size and clearly in spread."""
    spread = unequal_spread(first, second)
    if spread is not None:
        values = {"sizes": list(spread.n), "sd": list(spread.sd), "level": spread.level}
        yield Note("p.unequal-spread", place, values)


def of_spreads(names: Sequence[str], rows: Scores, n: int, place: str) -> Iterator[Note]:
    """The same of many rows with one design, in one note; `place` is that of all of them."""
    unequal = [
        name for name, row in zip(names, rows, strict=True) if unequal_spread(row[:n], row[n:])
    ]
    if unequal:
        values = {"sizes": [n, rows.shape[1] - n], "terms": unequal, "of": len(names)}
        yield Note("p.unequal-spreads", place, values)


def written(count: int | None) -> int | None:
    """A count that a reader of JSON takes."""
    return None if count is None or count.bit_length() > MOST_BITS else count


def remarks(p: PValues, place: str, design: tuple[int, int], alpha: float) -> Iterator[Note]:
    """What a reader must know of these p-values before comparing them with alpha."""
    values = {"sizes": list(design), "total": p.total, "alpha": alpha}
    zero = [name for name in TAILS if p.count_of(name) == 0]
    if zero:
        yield Note("p.strict-zero", place, {"tails": zero})
    elif p.min_p >= alpha:
        yield Note("p.design", place, {**values, "least": p.min_p})
    elif design[0] == design[1] and 2 * p.min_p >= alpha:
        # of groups of one size every subset has a mirror image, so two-sided counts are even
        yield Note("p.design-two-sided", place, {**values, "least": 2 * p.min_p})
    draws = next((d for name in TAILS if (d := p.draws and getattr(p.draws, name))), None)
    if draws and p.method_of("greater") == "sampled" and 1 / (draws + 1) >= alpha:
        yield Note("p.draws", place, {"draws": draws, "least": 1 / (draws + 1), "alpha": alpha})
