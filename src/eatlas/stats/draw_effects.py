"""Effect sizes of many draws of contexts, and the score vector of their mean."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eatlas.stats.precision import least_spread

Array = NDArray[np.float64]


@dataclass(frozen=True)
class DrawEffects:
    """One effect size for each draw; what their equally weighted mean is made of."""

    difference: Array
    """Mean of the first group less mean of the second, shape (draws,)."""
    sd: Array
    """Standard deviation of the union, shape (draws,); NaN where the scores have no spread."""
    d: Array
    """difference / sd."""
    scores: Array
    """Mean over draws of each unit's score, less the draw's mean, over the draw's sd; shape
    (units,). Zeros where no draw has an effect size."""
    scale: float
    """Mean of scale / sd: what an association of that magnitude would add to a score."""

    @property
    def defined(self) -> NDArray[np.bool_]:
        """Which draws have an effect size, shape (draws,)."""
        return ~np.isnan(self.d)

    @property
    def mean(self) -> float:
        """The equally weighted mean of the effect sizes that are defined; NaN for none."""
        return float(self.d[self.defined].mean()) if self.defined.any() else float("nan")


def draw_effects(
    scores: Array,
    n: int,
    *,
    ddof: int = 1,
    scale: float = 1.0,
    precision: float | None = None,
) -> DrawEffects:
    """Effect sizes of draws whose units are the same and whose scores differ.

    Parameters
    ----------
    scores : array, shape (draws, N)
        Associations; the first `n` columns belong to the first group.
    n : int
        Size of the first group, 1 to N - 1.
    ddof : int
        The standard deviation divides by N - ddof.
    scale : float
        Magnitude of what was summed into a score, 1 for cosines. A spread below the rounding error
        of that magnitude counts as none.
    precision : float, optional
        Unit roundoff of the vectors behind the scores; by default they are exact.

    Returns
    -------
    DrawEffects

    Notes
    -----
    With s_iw the score of unit w in draw i, m_i and S_i their mean and standard deviation over
    both groups, ``d_i = (mean of s_iw in the first group - in the second) / S_i``. Relabelling the
    units changes neither m_i nor S_i, so the mean of d_i over draws is the difference of means of
    one vector, ``z_w = mean over i of (s_iw - m_i) / S_i``: its exact permutation test is that of
    a single effect size. This holds for any weights of draws that do not depend on the labels.

    Examples
    --------
    >>> found = draw_effects(np.array([[3.0, 1.0, -1.0, -3.0], [0.0, 0.0, 0.0, 0.0]]), 2)
    >>> found.d.round(6), found.defined.sum()
    (array([1.549193,      nan]), np.int64(1))
    >>> bool(np.isclose(found.scores[:2].mean() - found.scores[2:].mean(), found.mean))
    True
    """
    size = scores.shape[1]
    difference = scores[:, :n].mean(axis=1) - scores[:, n:].mean(axis=1)
    away = scores - scores.mean(axis=1, keepdims=True)
    sd = np.sqrt(np.einsum("ij,ij->i", away, away) / (size - ddof))
    sd[np.ptp(scores, axis=1) <= least_spread(scale, precision)] = np.nan
    defined = ~np.isnan(sd)
    inverse = 1 / sd[defined]
    return DrawEffects(
        difference=difference,
        sd=sd,
        d=difference / sd,
        scores=inverse @ away[defined] / inverse.size if defined.any() else np.zeros(size),
        scale=scale * float(inverse.mean()) if defined.any() else 1.0,
    )
