"""Which of many samples of one design have a p below alpha, however near: in seconds for 20,000."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from eatlas.stats.rejections import below, enumerable, screen
from eatlas.stats.relabelling import Array, Kept, drawn, samples

SCREENS = (1_000, 2_000, 4_000, 8_000, 16_000, 32_000)
"""Random relabellings after which the resamples whose p is far from alpha are settled."""
DRAWS_EACH = 8
"""Random relabellings for the others, times the number of samples. They moved shares by .0029
(standard deviation) at most where the resamples moved them by .0152, and by .0007 of .0050 with
ten times as many resamples (12 and 25 terms a group)."""
LEAST_DRAWS, MOST_DRAWS = 8_000, 64_000
"""But no fewer and no more: standard errors of .0024 and .0009 of a p of .05."""
LABELS = 2**26
"""Labels kept, one byte each: beyond 1,000 terms there are fewer than 64,000 relabellings."""


class Judge:
    """Compares p-values of samples of one design with alpha.

    Parameters
    ----------
    size, n : int
        Scores of a sample, and how many of them are in the first group.
    alpha : float
        In (0, 1).
    two_sided : bool
        Whether the two-sided p decides, or that of the tail of the observed sign.
    samples : int
        How many samples will be judged in all; more of them deserve more relabellings.
    rng : numpy.random.Generator
        Draws relabellings where there are too many to visit each; all samples have the same.

    Examples
    --------
    >>> judge = Judge(8, 4, 0.05, two_sided=True, samples=2, rng=np.random.default_rng(0))
    >>> rows = np.array([[7.0, 6, 5, 4, 3, 2, 1, 0], [7.0, 0, 5, 2, 3, 4, 1, 6]])
    >>> judge.significant(rows, 1.0), judge.error
    (array([ True, False]), 0.0)
    """

    def __init__(
        self,
        size: int,
        n: int,
        alpha: float,
        *,
        two_sided: bool,
        samples: int,
        rng: np.random.Generator,
    ) -> None:
        self.size, self.n, self.alpha, self.two_sided = size, n, alpha, two_sided
        self._blocks = Kept(drawn(size, n, rng))
        wanted = min(MOST_DRAWS, max(LEAST_DRAWS, DRAWS_EACH * samples))
        self.draws = min(wanted, max(SCREENS[0], LABELS // size))

    @property
    def error(self) -> float:
        """Standard error of a p near alpha; 0 where relabellings are enumerated."""
        small = enumerable(self.size, self.n)
        return 0.0 if small else math.sqrt(self.alpha * (1 - self.alpha) / self.draws)

    def significant(
        self, rows: Array, scale: float, precision: float | None = None
    ) -> NDArray[np.bool_]:
        """Whether p is below alpha, of rows whose first group is ahead, shape (k, size).

        `scale` is the magnitude of what was summed into a score, 1 for cosines, and `precision`
        its unit roundoff.
        """
        asked = samples(rows, self.n, two_sided=self.two_sided, scale=scale, precision=precision)
        if enumerable(self.size, self.n):
            return below(asked, self.alpha)
        screens = [draws for draws in SCREENS if draws < self.draws]
        screened = screen(asked.single(), self.alpha, [*screens, self.draws], self._blocks)
        screened.found[screened.left] = screened.p < self.alpha
        return screened.found

    def associations(
        self,
        scores: Array,
        d: Array,
        threshold: float,
        scale: float = 1.0,
        precision: float | None = None,
    ) -> NDArray[np.int64]:
        """1 where the first group is ahead by the rule of EAT patterns, -1 the second, else 0.

        Parameters
        ----------
        scores : array, shape (k, size)
            Means of cosines, or of other associations.
        d : array, shape (k,)
            Their effect sizes; NaN is no association.
        threshold : float
            ``abs(d)`` must be greater.
        scale : float
            Magnitude of what was summed into a score, 1 for cosines.
        precision : float, optional
            Unit roundoff of what was summed; by default it is exact.
        """
        signs = np.zeros(d.size, dtype=np.int64)
        strong = np.flatnonzero(np.abs(d) > threshold)
        sign = np.sign(d[strong])
        ahead = self.significant(sign[:, None] * scores[strong], scale, precision)
        signs[strong] = np.where(ahead, sign, 0)
        return signs
