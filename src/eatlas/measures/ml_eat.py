"""ML-EAT: three levels and the EAT pattern that they make; WEAT: the first level alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from eatlas.measures.association import PatternMeasure, TwoTargetMeasure
from eatlas.measures.base import Input
from eatlas.measures.level_tests import compared, level3, similarities
from eatlas.notes import Note
from eatlas.results import MLEATResult, WEATResult
from eatlas.stimuli import ATTRIBUTES, ROLES, TARGETS


@dataclass(frozen=True)
class MLEAT(PatternMeasure, TwoTargetMeasure):
    """Multilevel Embedding Association Test (Wolfe, Hiniker and Howe 2024).

    Level 1 is the WEAT: the differential association of X and Y with A and B (equations 1 to 4).
    Level 2 is the differential association of X alone, and of Y alone, with A and B (equations
    5 to 8); its p-values permute the attribute labels. Level 3 is the mean and standard deviation
    of the cosines of each target group with each attribute group (equations 10 and 11). The EAT
    pattern says which level 2 associations are there.

    Parameters
    ----------
    alpha : float, default 0.05
        A level 2 association needs p < alpha.
    ddof : {1, 0}, default 1
        Denominator of the standard deviation in effect sizes: N - ddof.
    p : {"auto", "exact", "inversion", "sampled", "normal"}
        How p-values are found; default "auto".
    draws : int, default 100,000
        Random relabellings, where `p` is "sampled".
    strict : bool, default False
        Count only relabellings beyond the observed statistic, without ties.
    statistic : {"difference", "studentised"}, default "difference"
        What is relabelled: the difference of means, or that over its standard error, which allows
        for groups that differ in size and in spread; its p-values are counted up to 1,000,000
        relabellings and drawn beyond.
    tail : {"directional", "two-sided"}, default "directional"
        Which p-value decides on an association: that of the tail of the observed sign, as in the
        published tables (its false-positive rate is about 2 alpha), or the two-sided one. The
        result has the pattern under both.
    threshold : float, default 0.2
        A level 2 association needs ``|d| > threshold``.
    association : {"cosine", "projection"}, default "cosine"
        Cosine, or the product of projections on one direction (Bolukbasi et al. 2016).
    direction : str, default ""
        Defining pairs of that direction, such as ``"she/he;woman/man"``; a projection needs them.
    resamples : int or "auto", default "auto"
        Bootstrap resamples behind intervals and shares of patterns; 0 for none. Auto: from
        100,000 for short lists to 10,000 for very long ones.
    confidence : float, default 0.95
        Nominal confidence of the intervals.
    sesoi : float, default 0.0
        Smallest effect size of interest, stated before looking at the data: the result then says
        whether effects are smaller (two one-sided tests). 0 for no such test.
    sesoi_unit : {"d", "difference"}, default "d"
        Of `sesoi`: standard deviations of the union, or a difference of mean cosines.
    frequency : {"auto", "off"} or int, default "auto"
        Lists of random words of the same frequencies as the test's, with which it is compared:
        "auto" draws 2,000 where the source has its words in order of frequency and it takes less
        than a second.

    Raises
    ------
    SignatureError
        If a parameter has no such value.

    Examples
    --------
    >>> import eatlas
    >>> (test,) = eatlas.load_tests("weat-10")
    >>> result = eatlas.MLEAT()(test, "glove-sample")
    >>> result.pattern.label
    'A-Uniform'
    """

    name: ClassVar[str] = "ml-eat"
    minimum: ClassVar[Mapping[str, int]] = dict.fromkeys(ROLES, 2)

    def compute(self, given: Input, notes: list[Note]) -> MLEATResult:
        """Three levels and the pattern."""
        if self.association == "projection":
            notes.append(Note("measure.one-direction"))
        levels = compared(self, given, notes, level2=True)
        return MLEATResult(
            **given.head,
            **levels,
            level3=level3(given.rows),
            similarities=similarities(given.rows),
        )


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
    p, draws, strict, statistic, association, direction, resamples, confidence, sesoi, \
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

    def compute(self, given: Input, notes: list[Note]) -> WEATResult:
        """Level 1 alone."""
        return WEATResult(**given.head, **compared(self, given, notes, level2=False))
