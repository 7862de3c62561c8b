"""Each method answers one tail: #{n-subsets with sum >= t}, for a few thresholds t, or None."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from eatlas.stats.permutation.bracket import bracket
from eatlas.stats.permutation.coarse import hidden_steps
from eatlas.stats.permutation.inversion import Effort, Inverted, invert, log_count_near
from eatlas.stats.permutation.lattice import (
    count_by_levels,
    count_on_lattice,
    lattice_cost,
    level_states,
)
from eatlas.stats.permutation.meet_middle import count_at_least
from eatlas.stats.permutation.outliers import Solver, outliers_apart
from eatlas.stats.permutation.result import Tail

subsets = lru_cache(maxsize=16)(math.comb)
"""C(N, n); of 64,000 scores it takes a third of a second."""

ALWAYS_EXACT = 1_000_000
"""Designs with at most so many subsets are counted, whatever it takes."""
GUARANTEE = 1e-7
"""The relative error up to which ``auto`` accepts an inversion."""
ONE_DIGIT = 0.1
"""The relative error up to which an inversion that was requested is given."""
CAUTION = 5.0
"""Beyond the guarantee the estimated error is stated so many times larger: on 250 near-lattices of
26 to 32 scores the error exceeded the estimate in 16 of 546 tails, 3.0 times at most."""
STATES = 6 << 20
"""Partial sums kept for one half: three buffers of 50 MB at worst."""
LAST_STATES = 1 << 24
"""The same where nothing else but bounds is left (32 v 32, d = 1.2): three of 134 MB, 1 s."""
LAST_LOG_COUNT = 44 * math.log(2)
"""Counts beyond 2**44 never fit into LAST_STATES."""
FORCED_STATES = 1 << 25
"""The same when a count was requested: three buffers of 256 MB at worst."""
HOPEFUL_LOG_COUNT = 36 * math.log(2)
"""From 2**36 on an inversion is as quick as a count, and mostly as good as its guarantee."""
QUICKER_LOG_COUNT = 42 * math.log(2)
"""Up to 2**42 a count (21 v 23, p = 0.18: 0.2 s) is quicker than a thorough inversion (0.9 s)."""
LATTICE_DIGITS = 5e8
"""Digits of work on a lattice: about 0.5 s."""
FORCED_DIGITS = 3e10
"""The same when a count was requested: about half a minute."""
FEWER = 8
"""A composition costs more than a plain partial sum: there must be so many times fewer."""
MOST_SCORES = 4096
"""Binomials of more scores have more than a thousand digits, and take milliseconds each."""
COMPOSITIONS = 400_000
"""Compositions of few distinct values for one half: about 0.4 s."""
FORCED_COMPOSITIONS = 20_000_000
"""The same when a count was requested."""
QUICK = Effort(cells=4_000_000, finest=1 << 12)
"""A first inversion: 20 to 60 ms, and all that 100 scores or more ever need."""
THOROUGH = Effort(cells=20_000_000, finest=1 << 15)
"""A second one, about half a second, for some 50 scores whose sums are few."""
WORTH = 30.0
"""A quick inversion whose error is so many times too large is not worth a thorough one."""


def counted(states: int, hopeful: float = math.inf) -> Solver:
    """Meet in the middle; gives up at once where the count is known to be hopelessly large."""

    def solve(values: NDArray[np.int64], n: int, thresholds: Sequence[int]) -> list[Tail] | None:
        total = subsets(values.size, n)
        if total > ALWAYS_EXACT and log_count_near(values, n, min(thresholds)) > hopeful:
            return None
        limit = FORCED_STATES if total <= ALWAYS_EXACT else states
        counts = count_at_least(values, n, thresholds, limit)
        return None if counts is None else [Tail.exact(c, total) for c in counts]

    return solve


def on_steps(digits: float) -> Solver:
    """Count on a lattice of few steps, up to so much work."""

    def solve(values: NDArray[np.int64], n: int, thresholds: Sequence[int]) -> list[Tail] | None:
        if lattice_cost(values, n) > digits:
            return None
        total = subsets(values.size, n)
        return [Tail.exact(c, total) for c in count_on_lattice(values, n, thresholds)]

    return solve


def on_hidden_steps(digits: float) -> Solver:
    """The same for scores whose lattice an outlier hid."""
    solver = on_steps(digits)

    def solve(values: NDArray[np.int64], n: int, thresholds: Sequence[int]) -> list[Tail] | None:
        found = hidden_steps(values, n, thresholds)
        return None if found is None else solver(found[0], n, found[1])

    return solve


def by_levels(states: int) -> Solver:
    """Count compositions of few distinct values, up to so many."""

    def solve(values: NDArray[np.int64], n: int, thresholds: Sequence[int]) -> list[Tail] | None:
        if values.size > MOST_SCORES:
            return None
        work = level_states(values)
        if work > states or work * FEWER > 1 << min(values.size // 2, 60):
            return None
        total = subsets(values.size, n)
        return [Tail.exact(c, total) for c in count_by_levels(values, n, thresholds)]

    return solve


def inverted(
    accept: float, *, lattice: bool, between: Solver | None = None, caution: float = 1.0
) -> Solver:
    """Fourier inversion where its stated error is small enough, at first with little effort.

    `between` is tried before much effort is spent. The stated error is the estimated one times
    `caution`.
    """

    def solve(values: NDArray[np.int64], n: int, thresholds: Sequence[int]) -> list[Tail] | None:
        for effort, worth in ((QUICK, accept * WORTH), (THOROUGH, accept)):
            found = invert(values, n, thresholds, lattice=lattice, effort=effort)
            worst = math.inf if found is None else caution * max(x.rel_err for x in found)
            if found is not None and worst <= accept:
                log_total = math.log(subsets(values.size, n))
                return [_inverted(x, log_total, caution) for x in found]
            if worst > worth:
                break
            counts = between(values, n, thresholds) if between and effort is QUICK else None
            if counts is not None:
                return counts
        return None

    return solve


def _inverted(x: Inverted, log_total: float, caution: float) -> Tail:
    return Tail.inverted(math.exp(min(0.0, x.log_count - log_total)), caution * x.rel_err)


def bracketed(values: NDArray[np.int64], n: int, thresholds: Sequence[int]) -> list[Tail] | None:
    """Certain bounds; always answers."""
    return bracket(values, n, thresholds)


def first_of(*solvers: Solver) -> Solver:
    """The first answer in the given order."""

    def solve(values: NDArray[np.int64], n: int, thresholds: Sequence[int]) -> list[Tail] | None:
        return next((x for x in (s(values, n, thresholds) for s in solvers) if x is not None), None)

    return solve


def chain(method: str, *, small: bool, lattice: bool) -> Solver:
    """The solvers that `method` may use, cheapest certain one first."""
    plain = _plain(method, small=small, lattice=lattice)
    if small:
        return plain
    hidden = [on_hidden_steps(LATTICE_DIGITS)] if method in ("auto", "exact") else []
    return outliers_apart(plain, first_of(*hidden, plain))


def _plain(method: str, *, small: bool, lattice: bool) -> Solver:
    """The same without a look at outliers."""
    if method == "exact":
        exact = first_of(counted(STATES), by_levels(FORCED_COMPOSITIONS), counted(FORCED_STATES))
        return first_of(on_steps(FORCED_DIGITS), exact) if lattice and not small else exact
    if method == "inversion":
        return first_of(
            inverted(GUARANTEE, lattice=lattice),
            inverted(ONE_DIGIT, lattice=lattice, caution=CAUTION),
        )
    if method == "bracket":
        return bracketed
    if small:
        return counted(FORCED_STATES)
    return first_of(
        *([on_steps(LATTICE_DIGITS)] if lattice else []),
        by_levels(COMPOSITIONS),
        counted(STATES, HOPEFUL_LOG_COUNT),
        inverted(GUARANTEE, lattice=lattice, between=counted(STATES, QUICKER_LOG_COUNT)),
        counted(LAST_STATES, LAST_LOG_COUNT),
        bracketed,
    )
