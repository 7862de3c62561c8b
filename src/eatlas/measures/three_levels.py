"""Three levels of association, whatever associates a target with an attribute."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas import kernels
from eatlas.measures.association import learned_level2
from eatlas.measures.base import Input
from eatlas.measures.inference import Judgement, Observed, design_power
from eatlas.measures.level3 import level3, similarities
from eatlas.measures.patterned import PatternMeasure
from eatlas.measures.resampled import KEPT_SCORES, Pair, ResampledMeasure
from eatlas.measures.stimuli import Stimuli, sentence_counts, several, stimuli_of
from eatlas.results.inference import Power
from eatlas.results.ml_eat import (
    AttributeScores,
    Level2,
    Scores,
    StimulusMLEAT,
)
from eatlas.results.parts import Level
from eatlas.stats.pattern_stability import PatternRule
from eatlas.stats.permutation import PermutationResult

Targets = Mapping[str, NDArray[np.float64]]
"""Association s(w, A, B) of each target, by role."""
Attributes = Mapping[tuple[str, str], NDArray[np.float64]]
"""Association u(T, a) of each attribute, by target group and role."""


@dataclass(frozen=True)
class ThreeLevels(PatternMeasure, ResampledMeasure):
    """A measure at three levels, with the EAT pattern of its level 2 associations."""

    def three_levels(self, given: Input, notes: list[str]) -> dict[str, Any]:
        """Find the fields of a :class:`eatlas.results.ThreeLevelResult`."""
        rows = given.rows
        mean = {role: kernels.mean_row(rows[role]) for role in rows}
        s = {r: kernels.associations(rows[r], mean["A"] - mean["B"]) for r in "XY"}
        u = {(t, r): kernels.associations(rows[r], mean[t]) for t in "XY" for r in "AB"}
        level1 = self.level(s["X"], s["Y"], "level 1", notes, given)
        level2 = Level2(**{t: self._level2(t, u, given, notes) for t in "XY"})
        stimulus_level = self._over_stimuli(s, u, given, notes)
        found = self.variation(given, notes, self._rule())
        crossed = self.generalisation(given, notes)
        scores = _of_stimuli(s, u, given)
        return {
            **given.head,
            "level1": level1,
            "level2": level2,
            "level3": level3(rows, given.moments),
            "pattern": self.pattern(level2),
            "scores": _scores(*_kept(s, u)),
            "stimulus_level": stimulus_level and stimulus_level.model_copy(update=found.of_stimuli),
            "uncertainty": found.uncertainty,
            "influence": found.influence,
            "similarities": similarities(rows),
            "generalisation": crossed,
            "power": self._power(*scores, level2, stimulus_level),
            "equivalence": self.equivalence(_pairs(*scores), crossed, given),
        }

    def _level2(
        self,
        target: str,
        u: Attributes,
        given: Input,
        notes: list[str],
    ) -> Level:
        answer = self._relearned(target, given) if given.unit and self.relearned else None
        what = f"level 2 of {target}"
        return self.level(u[target, "A"], u[target, "B"], what, notes, given, answer)

    def _relearned(
        self, target: str, given: Input, stimuli: Mapping[str, Stimuli] | None = None
    ) -> PermutationResult:
        rows = given.unit or {}
        return learned_level2(
            rows,
            target,
            draws=self.draws,
            rng=given.rng,
            stimuli=stimuli,
            precision=given.precision,
        )

    def _over_stimuli(
        self, s: Targets, u: Attributes, given: Input, notes: list[str]
    ) -> StimulusMLEAT | None:
        """Levels 1 and 2 over stimuli: target stimuli at level 1, attribute stimuli at level 2."""
        stimuli = stimuli_of(given.coverage)
        if not several(stimuli):
            return None
        s, u = _of_stimuli(s, u, given)
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
            pattern=level2 and self.pattern(level2),
            scores=_scores(s, u),
        )

    def _power(
        self, s: Targets, u: Attributes, level2: Level2, over: StimulusMLEAT | None
    ) -> Power:
        """What these sizes can find, and how likely other attributes show each pattern."""
        judged = over.level2 if over else level2
        observed = None
        if judged is not None and not self.relearned:
            observed = Observed.of(judged.X.effect_size, judged.Y.effect_size, u)
        return design_power(
            (len(s["X"]), len(s["Y"])),
            (len(u["X", "A"]), len(u["X", "B"])),
            alpha=self.alpha,
            unit="stimulus" if over else "term",
            rule=Judgement(self.alpha, self.threshold, self.tail),
            observed=observed,
        )

    def _rule(self) -> PatternRule | None:
        """When a resample shows a pattern; none where each would need a direction of its own."""
        if self.relearned:
            return None
        return PatternRule(self.alpha, self.threshold, self.tail, self.ddof)


def _of_stimuli(s: Targets, u: Attributes, given: Input) -> tuple[Targets, Attributes]:
    """Associations of stimuli: means over their sentences, where they have several."""
    stimuli = stimuli_of(given.coverage)
    if not several(stimuli):
        return s, u
    means = {role: stimuli[role].means(values) for role, values in s.items()}
    return means, {(t, role): stimuli[role].means(values) for (t, role), values in u.items()}


def _pairs(s: Targets, u: Attributes) -> dict[str, Pair]:
    """Scores of the two groups of each level."""
    of_targets = {f"level2.{t}": (u[t, "A"], u[t, "B"]) for t in "XY"}
    return {"level1": (s["X"], s["Y"]), **of_targets}


def _kept(s: Targets, u: Attributes) -> tuple[Targets, Attributes]:
    """The associations of all terms, or of none."""
    if sum(map(len, s.values())) + sum(len(u["X", role]) for role in "AB") <= KEPT_SCORES:
        return s, u
    none = np.empty(0)
    return dict.fromkeys(s, none), dict.fromkeys(u, none)


def _scores(s: Targets, u: Attributes) -> Scores:
    def attributes(target: str) -> AttributeScores:
        return AttributeScores(A=u[target, "A"].tolist(), B=u[target, "B"].tolist())

    return Scores(
        X=s["X"].tolist(),
        Y=s["Y"].tolist(),
        attributes_with_X=attributes("X"),
        attributes_with_Y=attributes("Y"),
    )
