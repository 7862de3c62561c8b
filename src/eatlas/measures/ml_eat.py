"""ML-EAT: one association test at three levels, and the EAT pattern they make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, get_args

import numpy as np
from numpy.typing import NDArray

from eatlas import kernels
from eatlas.measures.association import learned_level2
from eatlas.measures.base import Input
from eatlas.measures.patterns import TailRule, association_of, eat_pattern
from eatlas.measures.stimuli import Stimuli, sentence_counts, stimuli_of
from eatlas.measures.two_targets import TwoTargetMeasure
from eatlas.results import MLEATResult
from eatlas.results.ml_eat import (
    Attribute,
    AttributeScores,
    Level2,
    Level3,
    Pattern,
    Scores,
    StimulusMLEAT,
)
from eatlas.results.parts import Cell, Level
from eatlas.stats.pattern_stability import PatternRule
from eatlas.stats.permutation import PermutationResult

Targets = Mapping[str, NDArray[np.float64]]
"""Association s(w, A, B) of each target, by role."""
Attributes = Mapping[tuple[str, str], NDArray[np.float64]]
"""Association u(T, a) of each attribute, by target group and role."""

KEPT_CELLS = 10_000
"""Largest number of cosines that a result keeps; 50 targets by 50 attributes take 2,500."""
ONE_DIRECTION = (
    "All associations are projections on one direction, so the level 2 effect sizes of X and Y "
    "have one magnitude, which says how well the direction tells A from B; their signs say on "
    "which side X and Y lie."
)
"""A remark on every result of a projection."""


@dataclass(frozen=True)
class MLEAT(TwoTargetMeasure):
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
    p : {"auto", "exact", "inversion", "bracket", "sampled", "importance", "normal"}
        How p-values are found; default "auto".
    draws : int, default 100,000
        Random relabellings, where `p` is "sampled" or "importance".
    strict : bool, default False
        Count only relabellings beyond the observed statistic, without ties.
    tail : {"directional", "two-sided"}, default "directional"
        Which p-value decides on an association: that of the tail of the observed sign, as in the
        published tables (its false-positive rate is about 2 alpha), or the two-sided one. The
        result carries the pattern under both.
    threshold : float, default 0.2
        A level 2 association needs ``|d| > threshold``.
    association : {"cosine", "projection"}, default "cosine"
        Cosine, or the product of projections on one direction (Bolukbasi et al. 2016).
    direction : str, default ""
        Defining pairs of that direction, such as ``"she/he;woman/man"``; empty: learned from the
        attributes of the test, and learned anew for each relabelling of them (at most 10,000 at
        random, where there are more than 20,000).
    resamples : int, default 1,000
        Bootstrap resamples behind intervals and pattern stability; 0 for none. 10,000 for a
        publication.
    over : {"both", "targets", "attributes"}, default "both"
        Which stimuli are resampled.
    confidence : float, default 0.95
        Nominal confidence of the intervals.

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
    minimum: ClassVar[Mapping[str, int]] = {"X": 2, "Y": 2, "A": 2, "B": 2}

    tail: TailRule = "directional"
    threshold: float = 0.2

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check("tail", " or ".join(get_args(TailRule)), ok=self.tail in get_args(TailRule))
        number = isinstance(self.threshold, int | float) and not isinstance(self.threshold, bool)
        self._check("threshold", "a number from 0", ok=number and self.threshold >= 0)

    def compute(self, given: Input, notes: list[str]) -> MLEATResult:
        """Three levels and the pattern."""
        rows = given.rows
        mean = {role: kernels.mean_row(rows[role]) for role in rows}
        s = {r: kernels.associations(rows[r], mean["A"] - mean["B"]) for r in "XY"}
        u = {(t, r): kernels.associations(rows[r], mean[t]) for t in "XY" for r in "AB"}
        if self.association == "projection":
            notes.append(ONE_DIRECTION)
        level1 = self.level(s["X"], s["Y"], "level 1", notes, given.rng)
        level2 = Level2(**{t: self._level2(t, u, given, notes) for t in "XY"})
        stimulus_level = self._over_stimuli(s, u, given, notes)
        blocks = {t + a: kernels.similarities(rows[t], rows[a]) for t in "XY" for a in "AB"}
        uncertainty, influence = self.variation(given, notes, self._rule())
        return MLEATResult(
            **given.head,
            level1=level1,
            level2=level2,
            level3=Level3(**{name: _cell(block) for name, block in blocks.items()}),
            pattern=self._pattern(level2),
            scores=_scores(s, u),
            stimulus_level=stimulus_level,
            uncertainty=uncertainty,
            influence=influence,
            similarities=_similarities(blocks),
        )

    def _level2(
        self,
        target: str,
        u: Attributes,
        given: Input,
        notes: list[str],
    ) -> Level:
        answer = self._relearned(target, given) if given.unit and self.relearned else None
        what = f"level 2 of {target}"
        return self.level(u[target, "A"], u[target, "B"], what, notes, given.rng, answer)

    def _relearned(
        self, target: str, given: Input, stimuli: Mapping[str, Stimuli] | None = None
    ) -> PermutationResult:
        rows = given.unit or {}
        return learned_level2(rows, target, draws=self.draws, rng=given.rng, stimuli=stimuli)

    def _over_stimuli(
        self, s: Targets, u: Attributes, given: Input, notes: list[str]
    ) -> StimulusMLEAT | None:
        """Levels 1 and 2 over stimuli: target stimuli at level 1, attribute stimuli at level 2."""
        stimuli = stimuli_of(given.coverage)
        if not any(group.several for group in stimuli.values()):
            return None
        s = {role: stimuli[role].means(s[role]) for role in "XY"}
        u = {(t, role): stimuli[role].means(values) for (t, role), values in u.items()}
        level1 = self.level_over_stimuli(s, "level 1", given, notes)
        found = {}
        for t in "XY":
            anew = partial(self._relearned, t, given, stimuli) if self.relearned else None
            means = {role: u[t, role] for role in "AB"}
            found[t] = self.level_over_stimuli(means, f"level 2 of {t}", given, notes, anew)
        level2 = Level2(**found) if found["X"] and found["Y"] else None
        return StimulusMLEAT(
            sentences=sentence_counts(given.coverage, stimuli),
            level1=level1,
            level2=level2,
            pattern=level2 and self._pattern(level2),
            scores=_scores(s, u),
        )

    def _rule(self) -> PatternRule | None:
        """When a resample shows a pattern; none where each would need a direction of its own."""
        if self.relearned:
            return None
        return PatternRule(self.alpha, self.threshold, self.tail, self.ddof)

    def _pattern(self, level2: Level2) -> Pattern:
        def associations(rule: TailRule) -> dict[str, Attribute | None]:
            limits = {"alpha": self.alpha, "threshold": self.threshold}
            return {r: association_of(level2.group(r), rule, **limits) for r in ("X", "Y")}

        chosen, two_sided = associations(self.tail), associations("two-sided")
        label, direction = eat_pattern(chosen["X"], chosen["Y"])
        two_sided_label, two_sided_direction = eat_pattern(two_sided["X"], two_sided["Y"])
        return Pattern(
            label=label,
            direction=direction,
            two_sided_label=two_sided_label,
            two_sided_direction=two_sided_direction,
            **chosen,
            alpha=self.alpha,
            threshold=self.threshold,
            tail=self.tail,
        )


def _cell(block: NDArray[np.float64]) -> Cell:
    mean, sd = kernels.mean_and_sd(block, 1)
    quantiles = np.quantile(block, [0, 0.25, 0.5, 0.75, 1]).tolist()
    return Cell(mean=mean, sd=None if np.isnan(sd) else sd, n=block.size, quantiles=quantiles)


def _scores(s: Targets, u: Attributes) -> Scores:
    def attributes(target: str) -> AttributeScores:
        return AttributeScores(A=u[target, "A"].tolist(), B=u[target, "B"].tolist())

    return Scores(
        X=s["X"].tolist(),
        Y=s["Y"].tolist(),
        attributes_with_X=attributes("X"),
        attributes_with_Y=attributes("Y"),
    )


def _similarities(
    blocks: Mapping[str, NDArray[np.float64]],
) -> tuple[tuple[float, ...], ...] | None:
    if sum(block.size for block in blocks.values()) > KEPT_CELLS:
        return None
    whole = np.block([[blocks["XA"], blocks["XB"]], [blocks["YA"], blocks["YB"]]])
    return tuple(tuple(row) for row in np.round(whole, 6).tolist())
