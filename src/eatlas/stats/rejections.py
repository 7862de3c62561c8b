"""Which of many rows of scores the exact permutation test rejects, without a p for each."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import EatlasError
from eatlas.stats.effect_size import ROUNDING_UNITS
from eatlas.stats.max_t import BLOCK_ROWS, _all, _drawn
from eatlas.stats.permutation import permutation_test

Array = NDArray[np.float64]

TAILS = ("greater", "less", "two_sided")
"""What `tail` may be: the fields of a permutation test's result."""
ENUMERATED = 50_000
"""Designs with at most so many subsets are enumerated (9 v 9: 48,620), 1 s for 2,000 rows."""
SCREENS = (4_000, 32_000, 256_000)
"""Random relabellings of the rows that the screen before left open."""
CERTAIN = 6.0
"""Standard errors that a share must be from alpha to settle a row."""
EXPECTED = 40
"""A screen that expects fewer extreme relabellings at p = alpha is left out: their number is too
skewed. With more, at most 1 row in 10^7 at p = alpha itself is settled wrongly (binomial tails;
1 in 10^8 at alpha = .05)."""


def smallest_p(n: int, m: int, tail: str) -> float:
    """The smallest p that distinct scores of n and m terms can have.

    Of two groups of one size the mirrored subset is always as extreme on the other side.

    Examples
    --------
    >>> smallest_p(3, 3, "greater"), smallest_p(3, 3, "two_sided"), smallest_p(3, 4, "two_sided")
    (0.05, 0.1, 0.02857142857142857)
    """
    return (2 if tail == "two_sided" and n == m else 1) / math.comb(n + m, n)


def checked_tail(tail: str) -> str:
    """One of the three tails, or an error.

    Examples
    --------
    >>> checked_tail("less")
    'less'
    """
    if tail in TAILS:
        return tail
    raise EatlasError("unknown tail", got=repr(tail), allowed=", ".join(TAILS))


def checked_alpha(value: float, name: str = "alpha", *, above: float = 0.0) -> float:
    """A probability strictly between a bound and 1, or an error with its name.

    Examples
    --------
    >>> checked_alpha(0.05)
    0.05
    """
    if isinstance(value, (int, float)) and above < value < 1:
        return float(value)
    raise EatlasError(
        f"{name} must be a probability", got=repr(value), allowed=f"above {above:g} and below 1"
    )


def rejected(
    rows: Array, n: int, alpha: float, tail: str, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """For each row, whether the exact p of its first `n` scores is below `alpha`.

    Parameters
    ----------
    rows : array, shape (k, N)
        Finite scores; the first `n` columns are the first group.
    n : int
        Size of the first group, 1 to N - 1.
    alpha : float
        In (0, 1).
    tail : {"greater", "less", "two_sided"}
        The p that is compared.
    rng : numpy.random.Generator
        Screens designs of more than 50,000 subsets; not used for smaller ones.

    Returns
    -------
    array of bool, shape (k,)

    Notes
    -----
    Small designs are enumerated, all rows at once. In larger ones random relabellings settle the
    rows whose share of extreme ones is more than 6 standard errors from alpha, and the exact test
    the others: at most one decision in 10^7 could differ from the exact test's.

    Examples
    --------
    >>> rows = np.array([[4.0, 5, 6, 7, 0, 1, 2, 3], [4.0, 0, 6, 2, 5, 1, 7, 3]])
    >>> rejected(rows, 4, 0.05, "two_sided", np.random.default_rng(0))
    array([ True, False])
    """
    centred = rows - rows.mean(axis=1, keepdims=True)
    if tail == "less":
        centred = -centred
    size, two_sided = rows.shape[1], tail == "two_sided"
    total = math.comb(size, n)
    if total <= ENUMERATED:
        counts = _counts(centred, n, _all(size, n), two_sided=two_sided)
        return np.asarray(counts / total < alpha)
    found, left = np.zeros(len(rows), dtype=bool), np.arange(len(rows))
    for draws in (draws for draws in SCREENS if draws * alpha >= EXPECTED):
        counts = _counts(centred[left], n, _drawn(size, n, draws, rng), two_sided=two_sided)
        away = (counts / draws - alpha) / math.sqrt(alpha * (1 - alpha) / draws)
        found[left[away < -CERTAIN]] = True
        left = left[np.abs(away) <= CERTAIN]
    for i in left:
        found[i] = getattr(permutation_test(rows[i], n), tail).p < alpha
    return found


def _counts(
    centred: Array, n: int, labels: Iterable[Array], *, two_sided: bool
) -> NDArray[np.int64]:
    """How many relabellings reach each row's observed sum, or tie with it.

    The tolerance is twice that of `permutation_test`, because sums of doubles have rounding
    noise of their own; only sums that differ by less, so ties, notice.
    """
    noise = 2 * ROUNDING_UNITS * centred.shape[1] * 2.0**-53 * np.abs(centred).max(axis=1)
    observed = np.add.reduce(centred[:, :n], axis=1)
    thresholds = (np.abs(observed) if two_sided else observed) - noise
    counts = np.zeros(len(centred), dtype=np.int64)
    for block in labels:
        for start in range(0, len(centred), BLOCK_ROWS):
            part = slice(start, start + BLOCK_ROWS)
            reach = centred[part] @ block
            if two_sided:
                np.abs(reach, out=reach)
            counts[part] += np.count_nonzero(reach >= thresholds[part, None], axis=1)
    return counts
