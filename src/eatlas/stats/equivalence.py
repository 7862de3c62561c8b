"""How large can the difference of two groups be: exact tests of shifts, inverted.

A permutation test asks whether the labels matter at all. Subtract a shift from the first group,
and it asks whether they matter beyond that shift. The shifts it does not reject are a confidence
interval, and a difference is shown to be small when both -margin and +margin are rejected.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eatlas.errors import EatlasError
from eatlas.kernels import mean_and_sd
from eatlas.stats.inputs import numbers, whole
from eatlas.stats.permutation import Tail, permutation_test
from eatlas.stats.rejections import checked_alpha

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Equivalence:
    """Two one-sided exact tests that a difference is within a margin."""

    margin: float
    """The difference that would matter, in units of the scores."""
    alpha: float
    """Level of the test."""
    difference: float
    """Mean of the first group less mean of the second."""
    above: Tail
    """Test of a difference of -margin or less against a greater one."""
    below: Tail
    """Test of a difference of +margin or more against a smaller one."""
    min_p: float
    """The smallest p of the design, 1 / C(N, n)."""
    reachable: bool
    """Whether min_p is below alpha; if not, equivalence cannot be shown whatever the scores."""

    @property
    def p(self) -> float:
        """The greater of both p-values."""
        return max(self.above.p, self.below.p)

    @property
    def equivalent(self) -> bool:
        """Whether p is below alpha."""
        return self.p < self.alpha


def equivalence_test(
    scores: ArrayLike, n: int, margin: float, *, alpha: float = 0.05
) -> Equivalence:
    """Test that the means of two groups differ by less than a margin, in either direction.

    Parameters
    ----------
    scores : array_like, shape (N,)
        Finite scores of both groups, the first group's first.
    n : int
        Size of the first group, 1 to N - 1.
    margin : float
        The smallest difference of means that would matter, in units of the scores, above 0; to
        be set before looking at the scores.
    alpha : float
        Level of the test, in (0, 1).

    Returns
    -------
    Equivalence

    Raises
    ------
    EatlasError
        For input outside these ranges.

    Notes
    -----
    Two one-sided tests (Schuirmann 1987), each an exact permutation test after a shift of the
    first group by the margin. p is below alpha if and only if the interval of level
    ``1 - 2 alpha`` is within the margins.

    Examples
    --------
    >>> found = equivalence_test([1.0, 2, 3, 4, 1.5, 2.5, 3.5, 4.5], 4, 5.0)
    >>> found.p, found.equivalent  # the smallest p there is, 1 / 70
    (0.014285714285714285, True)
    """
    values = _checked(scores, n)
    alpha = checked_alpha(alpha)
    if not (isinstance(margin, (int, float)) and 0 < margin < math.inf):
        raise EatlasError("margin must be a finite difference", got=repr(margin), allowed="above 0")
    min_p = 1 / math.comb(values.size, n)
    return Equivalence(
        margin=float(margin),
        alpha=alpha,
        difference=_difference(values, n),
        above=_greater(values, n, -margin),
        below=_greater(-values, n, -margin),
        min_p=min_p,
        reachable=min_p < alpha,
    )


def _checked(scores: ArrayLike, n: int) -> Array:
    values = numbers(scores, "scores", 1)
    if values.size < 2:
        raise EatlasError(
            "a difference takes two groups", got=f"{values.size} scores", allowed="2 or more"
        )
    whole(n, "n", 1, values.size - 1)
    return values


def _difference(values: Array, n: int) -> float:
    return mean_and_sd(values[:n], 0)[0] - mean_and_sd(values[n:], 0)[0]


def _greater(values: Array, n: int, shift: float) -> Tail:
    """Test of a difference of `shift` or less against a greater one."""
    shifted = values.copy()
    shifted[:n] -= shift
    # what was rounded before the shift is as coarse after it
    return permutation_test(shifted, n, scale=float(np.abs(values).max()) + abs(shift)).greater
