"""WEAT: the differential association of two targets with two attributes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from eatlas.measures.association import TwoTargetMeasure
from eatlas.measures.base import Input
from eatlas.measures.three_levels import compared
from eatlas.results import WEATResult
from eatlas.stimuli import ATTRIBUTES, TARGETS


@dataclass(frozen=True)
class WEAT(TwoTargetMeasure):
    """Word Embedding Association Test (Caliskan, Bryson and Narayanan 2017).

    For each target w, s(w, A, B) = mean cos(w, a) - mean cos(w, b). The effect size is the
    difference of the means of s over X and over Y, divided by the standard deviation of s over
    their union; the p-values permute the target labels (equations 1 to 4 of Wolfe, Hiniker and
    Howe 2024, where it is level 1).

    Parameters
    ----------
    alpha : float, default 0.05
        Significance level, between 0 and 1; it only decides which designs are warned about.
    ddof : {1, 0}, default 1
        Denominator of the standard deviation: N - ddof. WEFE uses 0.
    p, draws, strict, statistic, association, direction, resamples, over, confidence, sesoi, \
sesoi_unit, frequency
        As in :class:`eatlas.MLEAT`.

    Raises
    ------
    SignatureError
        If a parameter has no such value.

    Examples
    --------
    >>> import eatlas
    >>> (test,) = eatlas.load_tests("weat-6")
    >>> result = eatlas.WEAT()(test, "glove-sample")
    >>> round(result.effect_size, 2), result.level1.p.count.greater
    (1.72, 1)
    """

    name: ClassVar[str] = "weat"
    compared: ClassVar = TARGETS[:1]
    minimum: ClassVar = {**dict.fromkeys(TARGETS, 2), **dict.fromkeys(ATTRIBUTES, 1)}

    def compute(self, given: Input, notes: list[str]) -> WEATResult:
        """Level 1 alone."""
        found = compared(
            self,
            given,
            notes,
            level2=False,
            bootstrap=self.bootstrap,
            smallest=self.smallest,
            learned=self.relearned,
        )
        return WEATResult(**given.head, **found)
