"""Tails of many rows of more than 32 scores by inversion, each with its stated error.

The rows of a vocabulary's SC-EAT are too many for `permutation_test`, which takes tens of
milliseconds where a count is out of reach. Here a row takes a fraction of one. What cannot be had
to the wanted error is left to the caller.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eatlas.stats.permutation.batch import Questions, ask_rows

Array = NDArray[np.float64]

MOST_SCORES = 512
"""Scores in a row: the fixed-point arithmetic of `ask_rows` has room for so many."""
CELLS = 400_000
"""Factors to multiply for one row: 256 nodes of 25 v 25, about half a millisecond."""
NODES = (48, 512)
"""Least and greatest number of nodes that are evaluated."""
LATTICE = 1e-7
"""Distances are multiples of a common step when no more than this is left of the range."""
STEPS = 500_000
"""Lattices with up to so many steps over the range are left to `permutation_test`."""
ROUNDING = 2.0**-52


@dataclass(frozen=True)
class InvertedRows:
    """Three tails of many tests, shape (3, R) each, in the order greater, less, two_sided."""

    p: Array
    rel_err: Array
    """Stated relative error; 0 where every subset belongs to the tail, infinite where p could not
    be found."""


def invert_rows(scores: Array, n: int, *, scale: float | None = None) -> InvertedRows:
    """Test each row's first `n` scores against its others, by inversion.

    Parameters
    ----------
    scores : array, shape (R, N)
        Finite scores, at most 512 in a row.
    n : int
        Size of the first group, 1 <= n <= N - 1.
    scale : float, optional
        Magnitude of the quantities that were added up to make one score (1.0 for cosines).

    Notes
    -----
    Ties, tails and orientation are those of `permutation_test`. Rows on a lattice of up to some
    hundred thousand steps are found by Euclid's algorithm and have no p here. A lattice of more
    than 256 steps that is blurred by noise, or that is too fine to be found, is not recognised: its
    ties are split, so the error may exceed the stated one. Cosines of real vectors lie on no
    lattice.
    """
    asked = ask_rows(scores, n, scale)
    size = scores.shape[1]
    n = min(n, size - n)
    x, unit = _standardised(asked.values)
    good = ~asked.degenerate & (unit > 0) & ~_on_lattice(x)
    most = min(max(CELLS // (n * (size - n)), NODES[0]), NODES[1])
    log_total = _log_binomial(size, n)
    near = _solved(asked, x, unit, n, [asked.at_least, asked.below], good, most, log_total)
    upper, upper_err = near[0]
    lower, lower_err = _complement(*near[1])
    if asked.balanced:
        both, both_err = 2 * upper, upper_err + ROUNDING
    else:
        mirrored = Questions(
            **{**vars(asked), "values": np.ascontiguousarray(-asked.values[:, ::-1])}
        )
        turned = np.ascontiguousarray(-x[:, ::-1])
        # the sums below the mirror image are those of the negative scores above it
        far = _solved(mirrored, turned, unit, n, [1 - asked.mirror], good, most, log_total)
        ((other, other_err),) = far
        both = upper + other
        both_err = (upper * upper_err + other * other_err) / both + ROUNDING
    both = np.where(asked.central, 1.0, both)
    both_err = np.where(asked.central, 0.0, both_err)
    p = np.stack([upper, lower, both])
    error = np.stack([upper_err, lower_err, both_err])
    p[:2, asked.mirrored], error[:2, asked.mirrored] = (
        p[1::-1, asked.mirrored],
        error[1::-1, asked.mirrored],
    )
    p[:, asked.degenerate], error[:, asked.degenerate] = 1.0, 0.0
    return InvertedRows(np.minimum(p, 1.0), error)


def _standardised(values: NDArray[np.int64]) -> tuple[Array, Array]:
    """`standard.standardised` and `standard.unit_of` of each row."""
    values = np.ascontiguousarray(values)  # the order of sums is that of memory
    size = values.shape[1]
    middle, rest = np.divmod(values.sum(axis=1), size)
    unit = np.std((values - values[:, size // 2, None]).astype(np.float64), axis=1)
    centred = (values - middle[:, None]).astype(np.float64) - (rest / size)[:, None]
    return centred / np.where(unit > 0, unit, 1.0)[:, None], unit


def _distances(values: NDArray[np.int64], n: int, thresholds: NDArray[np.int64]) -> Array:
    """Thresholds as distances from the mean of the sums, in lattice units."""
    size = values.shape[1]
    quotient, rest = np.divmod(values.sum(axis=1), size)
    more, part = np.divmod(n * rest, size)
    distances: Array = (thresholds - n * quotient - more).astype(np.float64) - part / size
    return distances


def _solved(
    asked: Questions,
    x: Array,
    unit: Array,
    n: int,
    thresholds: list[NDArray[np.int64]],
    good: NDArray[np.bool_],
    most: int,
    log_total: float,
) -> list[tuple[Array, Array]]:
    """The share of subsets that reach each threshold, and its stated error."""
    # heavy, and seldom needed
    from eatlas.stats.permutation import compiled_inversion  # noqa: PLC0415

    targets = np.stack(
        [_distances(asked.values, n, t) / np.where(unit > 0, unit, 1.0) for t in thresholds], axis=1
    )
    found = np.full((len(x), len(thresholds), 2), np.inf)
    some = np.empty((int(good.sum()), len(thresholds), 2))
    compiled_inversion.invert_rows(x[good], n, targets[good], most, some)
    found[good] = some
    log_count, error = found[..., 0], found[..., 1]
    p = np.exp(np.minimum(0.0, np.where(np.isfinite(error), log_count - log_total, 0.0)))
    return [(p[:, i], error[:, i]) for i in range(len(thresholds))]


def _complement(p: Array, error: Array) -> tuple[Array, Array]:
    rest = np.maximum(1.0 - p, np.finfo(np.float64).tiny)
    return rest, error * p / rest + ROUNDING


def _on_lattice(x: Array) -> NDArray[np.bool_]:
    """Whether all distances of a row are multiples of one step, by Euclid's algorithm."""
    reach = x[:, -1] - x[:, 0]
    noise = LATTICE * reach
    step = reach.copy()
    for j in range(1, x.shape[1] - 1):
        other = x[:, j] - x[:, 0]
        while True:
            going = other > noise
            if not going.any():
                break
            left = np.where(going, np.mod(step, np.where(going, other, 1.0)), step)
            # a remainder just below the divisor is none
            left = np.where(going & (other - left < noise), 0.0, left)
            step, other = np.where(going, other, step), np.where(going, left, other)
    return np.asarray(step * STEPS > reach)


def _log_binomial(size: int, n: int) -> float:
    return math.log(math.comb(size, n))
