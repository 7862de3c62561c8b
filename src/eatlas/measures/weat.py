"""WEAT: the differential association of two targets with two attributes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from eatlas import kernels
from eatlas.measures.base import Input
from eatlas.measures.inference import design_power
from eatlas.measures.resampled import KEPT_SCORES
from eatlas.measures.stimuli import sentence_counts, several, stimuli_of
from eatlas.measures.two_targets import TwoTargetMeasure
from eatlas.results import WEATResult
from eatlas.results.parts import TargetScores
from eatlas.results.weat import StimulusWEAT


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
    p : {"auto", "exact", "inversion", "bracket", "sampled", "importance", "normal"}
        How p-values are found; default "auto".
    draws : int, default 100,000
        Random relabellings, where `p` is "sampled" or "importance".
    strict : bool, default False
        Count only relabellings beyond the observed statistic, without ties.
    statistic : {"difference", "studentised"}, default "difference"
        What is relabelled: the difference of means, or that over its standard error, which allows
        for groups that differ in size and in spread; its p-values are counted up to 1,000,000
        relabellings and drawn beyond.
    association : {"cosine", "projection"}, default "cosine"
        Cosine, or the product of projections on one direction (Bolukbasi et al. 2016).
    direction : str, default ""
        Defining pairs of that direction, such as ``"she/he;woman/man"``; empty: learned from the
        attributes of the test.
    resamples : int or "auto", default "auto"
        Bootstrap resamples behind the intervals; 0 for none. Auto: from 100,000 for short lists to
        10,000 for very long ones.
    over : {"both", "targets", "attributes"}, default "both"
        Which stimuli are resampled.
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
    >>> (test,) = eatlas.load_tests("weat-6")
    >>> result = eatlas.WEAT()(test, "glove-sample")
    >>> round(result.effect_size, 2), result.level1.p.count.greater
    (1.72, 1)
    """

    name: ClassVar[str] = "weat"
    compared: ClassVar = ("X",)
    minimum: ClassVar = {"X": 2, "Y": 2, "A": 1, "B": 1}

    def compute(self, given: Input, notes: list[str]) -> WEATResult:
        """Level 1 alone."""
        rows = given.rows
        direction = kernels.mean_row(rows["A"]) - kernels.mean_row(rows["B"])
        x, y = (kernels.associations(rows[role], direction) for role in "XY")
        level1 = self.level(x, y, "level 1", notes, given)
        stimulus_level = self._over_stimuli({"X": x, "Y": y}, given, notes)
        found = self.variation(given, notes).of_level1
        kept = len(x) + len(y) <= KEPT_SCORES
        scores = TargetScores(X=tuple(x), Y=tuple(y)) if kept else TargetScores(X=(), Y=())
        crossed = self.generalisation(given, notes, level2=False)
        if stimulus_level:
            x, y = (np.asarray(getattr(stimulus_level.scores, role)) for role in "XY")
        return WEATResult(
            **given.head,
            level1=level1,
            scores=scores,
            stimulus_level=stimulus_level and stimulus_level.model_copy(update=found.of_stimuli),
            uncertainty=found.uncertainty,
            influence=found.influence,
            generalisation=crossed,
            power=design_power(
                (len(x), len(y)),
                None,
                alpha=self.alpha,
                unit="stimulus" if stimulus_level else "term",
            ),
            equivalence=self.equivalence({"level1": (x, y)}, crossed, given),
        )

    def _over_stimuli(
        self, s: Mapping[str, NDArray[np.float64]], given: Input, notes: list[str]
    ) -> StimulusWEAT | None:
        """Level 1 over target stimuli."""
        stimuli = stimuli_of(given.coverage)
        if not several(stimuli):
            return None
        means = {role: stimuli[role].means(s[role]) for role in "XY"}
        return StimulusWEAT(
            sentences=sentence_counts(given.coverage, stimuli),
            level1=self.level_over_stimuli(means, "level 1", given, notes),
            scores=TargetScores(X=means["X"].tolist(), Y=means["Y"].tolist()),
        )
