"""Each method answers one tail: #{n-subsets with sum >= t}, for a few thresholds t, or None."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from eatlas.stats.permutation.bracket import bracket
from eatlas.stats.permutation.inversion import Effort, invert, log_count_near
from eatlas.stats.permutation.lattice import count_on_lattice, lattice_cost
from eatlas.stats.permutation.meet_middle import count_at_least
from eatlas.stats.permutation.result import Tail

Solver = Callable[[NDArray[np.int64], int, Sequence[int]], list[Tail] | None]

ALWAYS_EXACT = 1_000_000
"""Designs with at most so many subsets are counted, whatever it takes."""
GUARANTEE = 1e-7
"""The relative error up to which ``auto`` accepts an inversion."""
STATES = 6 << 20
"""Partial sums kept for one half: three buffers of 50 MB at worst."""
FORCED_STATES = 1 << 25
"""The same when a count was asked for: three buffers of 256 MB at worst."""
HOPEFUL_LOG_COUNT = 40 * math.log(2)
"""Counts beyond 2**40 never fit into STATES from 50 scores on (25 v 25: 2**37.5 at most)."""
LATTICE_DIGITS = 5e8
"""Digits of work on a lattice: about 0.5 s."""
FORCED_DIGITS = 3e10
"""The same when a count was asked for: about half a minute."""
QUICK = Effort(cells=4_000_000, finest=1 << 12)
"""A first inversion: 20 to 60 ms, and all that 100 scores or more ever need."""
THOROUGH = Effort(cells=20_000_000, finest=1 << 15)
"""A second one, about half a second, for some 50 scores whose sums are few."""


def counted(states: int, hopeful: float = math.inf) -> Solver:
    """Meet in the middle; gives up at once where the count is known to be hopelessly large."""

    def solve(values: NDArray[np.int64], n: int, thresholds: Sequence[int]) -> list[Tail] | None:
        total = math.comb(values.size, n)
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
        total = math.comb(values.size, n)
        return [Tail.exact(c, total) for c in count_on_lattice(values, n, thresholds)]

    return solve


def inverted(effort: Effort, accept: float, *, lattice: bool) -> Solver:
    """Fourier inversion where its stated error is small enough."""

    def solve(values: NDArray[np.int64], n: int, thresholds: Sequence[int]) -> list[Tail] | None:
        found = invert(values, n, thresholds, lattice=lattice, effort=effort)
        if found is None or max(x.rel_err for x in found) > accept:
            return None
        log_total = math.log(math.comb(values.size, n))
        return [
            Tail.inverted(math.exp(min(0.0, x.log_count - log_total)), x.rel_err) for x in found
        ]

    return solve


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
    if method == "exact":
        exact = counted(FORCED_STATES)
        return first_of(on_steps(FORCED_DIGITS), exact) if lattice and not small else exact
    if method == "inversion":
        return first_of(
            inverted(QUICK, GUARANTEE, lattice=lattice),
            inverted(THOROUGH, math.inf, lattice=lattice),
        )
    if method == "bracket":
        return bracketed
    if small:
        return counted(FORCED_STATES)
    return first_of(
        *([on_steps(LATTICE_DIGITS)] if lattice else []),
        counted(STATES, HOPEFUL_LOG_COUNT),
        inverted(QUICK, GUARANTEE, lattice=lattice),
        inverted(THOROUGH, GUARANTEE, lattice=lattice),
        bracketed,
    )
