"""WEAT; and ML-EAT, whose three levels and EAT pattern begin with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from eatlas.measures.base import (
    FROM_0,
    Input,
    parameter,
)
from eatlas.measures.levels import (
    level3,
    similarities,
)
from eatlas.measures.weat import WEAT, compare_groups
from eatlas.notes import Note
from eatlas.results import MLEATResult
from eatlas.stats.bootstrap import PatternRule, TailRule
from eatlas.stimuli import ROLES


@dataclass(frozen=True)
class MLEAT(WEAT):
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
    p : {"auto", "exact", "sampled", "normal"}
        How p-values are found; default "auto".
    draws : int, default 100,000
        Random permutations, where `p` is "sampled".
    strict : bool, default False
        Count only permutations beyond the observed statistic, without ties.
    statistic : {"difference", "studentised"}, default "difference"
        What is relabelled: the difference of means, or that over its standard error, which allows
        for groups that differ in size and in spread; its p-values are counted up to 1,000,000
        permutations and drawn beyond.
    adjust : {"frequency", "none"}, default "frequency"
        Levels 1 and 2 and the pattern are also found adjusted for the frequency of the words, where
        the source has its words in that order, and for the covariates of a run; none: not at all.
    over : {"stimuli", "sentences"}, default "stimuli"
        In tests of sentences, what is read and relabelled: stimuli, each with all its sentences; or
        single sentences, as May et al. (2019) publish the SEAT, without an account of frequency.
    tail : {"directional", "two-sided"}, default "directional"
        Which p-value decides on an association: in the tail of the observed sign, as in the
        published tables (its false-positive rate is about 2 alpha), or the two-sided one. The
        result has the pattern under both.
    threshold : float, default 0.2
        A level 2 association needs ``|d| > threshold``.
    association : {"cosine", "projection"}, default "cosine"
        Cosine, or the product of projections on one direction (Bolukbasi et al. 2016).
    direction : str, default ""
        Defining pairs of that direction, such as ``"she/he;woman/man"``; a projection needs them.
    pca : {"uncentred", "centred"}, default "uncentred"
        That direction is the first principal component of the differences of the pairs as they
        are, as Bolukbasi et al. have it, or less their mean.
    resamples : int or "auto", default "auto"
        Bootstrap resamples behind intervals and shares of patterns; 0 for none. Auto: from
        100,000 for short lists to 10,000 for very long ones.
    confidence : float, default 0.95
        Nominal confidence of the intervals.
    frequency : {"auto", "on", "off"}, default "auto"
        Whether the test is compared with pairs of random topics, as near to one another as its
        lists, where the source has its words in order of frequency; "auto": if it takes less than
        a second to read all words.

    Examples
    --------
    >>> import eatlas
    >>> (test,) = eatlas.load_tests("weat-10")
    >>> result = eatlas.MLEAT()(test, "glove-sample")
    >>> result.pattern.label
    'A-Uniform'
    """

    name: ClassVar[str] = "ml-eat"
    compared: ClassVar = ("X", "A")
    minimum: ClassVar = dict.fromkeys(ROLES, 2)
    takes_single_target: ClassVar = False

    tail: TailRule = parameter("directional", TailRule)
    threshold: float = parameter(0.2, FROM_0)

    @property
    def rule(self) -> PatternRule:
        """When a target counts as associated."""
        return PatternRule(self.alpha, self.threshold, self.tail, self.ddof)

    def compute(self, given: Input, notes: list[Note]) -> MLEATResult:
        """Three levels and the pattern."""
        if self.association == "projection":
            notes.append(Note("measure.one-direction"))
        levels = compare_groups(self, self.variation(given, notes))
        return MLEATResult(
            **given.head | levels,
            level3=level3(given.rows),
            similarities=similarities(given.rows),
        )
