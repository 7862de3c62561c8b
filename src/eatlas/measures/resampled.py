"""What measures of two target groups share: intervals, influence of terms, levels over stimuli."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields

import numpy as np
from numpy.typing import NDArray

from eatlas.measures.base import AssociationMeasure, Input
from eatlas.measures.blocks import Block, Clusters
from eatlas.measures.inference import LEARNED, equivalent, generalised, unanswered
from eatlas.measures.stimuli import several, stimuli_of
from eatlas.measures.variation import Resampling, Variation, allows, leave_one_out
from eatlas.results.inference import (
    Equivalence,
    EquivalentLevel2,
    Generalisation,
    SesoiUnit,
)
from eatlas.results.parts import Level
from eatlas.results.uncertainty import Unit
from eatlas.stats.pattern_stability import PatternRule
from eatlas.stats.permutation import PermutationResult
from eatlas.stats.resampling import Over
from eatlas.stats.weighted import Design, Layout

RESAMPLES = 1_000
"""Resamples unless told otherwise: the ends of a 95% interval lie within about .05 of those of
100,000 at 8 against 8, for a hundredth of a second."""


Pair = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Scores of two groups."""
KEPT_SCORES = 10_000
"""Largest number of terms whose associations a result keeps: 60 bytes each. Corpus sentences are
more, and then the means over their stimuli, which are kept, say what there is to see."""
TABLE_CELLS = 20_000_000
"""Largest number of cosines that terms are resampled from, 160 MB: 4,500 by 4,500."""


@dataclass(frozen=True)
class ResampledMeasure(AssociationMeasure):
    """A measure that compares two target groups, with intervals over its stimuli.

    Parameters
    ----------
    resamples : int
        Bootstrap resamples behind intervals and pattern stability; 0 for none.
    over : {"both", "targets", "attributes"}
        Which stimuli are resampled.
    confidence : float
        Nominal confidence of the intervals.
    sesoi : float
        Smallest effect size of interest, for tests that effects are smaller; 0 for no such tests.
    sesoi_unit : {"d", "difference"}
        Of `sesoi`: standard deviations of the union, or units of what associates.
    """

    resamples: int = field(default=RESAMPLES, kw_only=True)
    over: Over = field(default="both", kw_only=True)
    confidence: float = field(default=0.95, kw_only=True)
    sesoi: float = field(default=0.0, kw_only=True)
    sesoi_unit: SesoiUnit = field(default="d", kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_choice("over", Over)
        self._check_choice("sesoi_unit", SesoiUnit)
        self._check_sesoi()
        whole = type(self.resamples) is int and self.resamples >= 0
        self._check("resamples", "a whole number from 0", ok=whole)
        number = isinstance(self.confidence, float) and 0 < self.confidence < 1
        self._check("confidence", "a number between 0 and 1", ok=number)

    def idle(self) -> set[str]:
        """Parameters that a signature leaves out: these, where they have their defaults."""
        own = {"resamples", "over", "confidence", "sesoi", "sesoi_unit"}
        return super().idle() | {
            f.name for f in fields(self) if f.name in own and getattr(self, f.name) == f.default
        }

    def _check_sesoi(self) -> None:
        """Refuse a smallest effect of interest that no effect could be compared with."""
        number = isinstance(self.sesoi, int | float) and not isinstance(self.sesoi, bool)
        within = number and 0 <= self.sesoi < (2 if self.sesoi_unit == "d" else math.inf)
        allowed = "0 for none, and below 2" if self.sesoi_unit == "d" else "0 for none, or more"
        self._check("sesoi", allowed, ok=within)
        if not self.sesoi and self.sesoi_unit != "d":
            self._check(
                "sesoi", f"a difference above 0, with sesoi_unit={self.sesoi_unit}", ok=False
            )

    @property
    def relearned(self) -> bool:
        """Whether relabelled attributes change the association function itself."""
        return False

    def generalisation(
        self, given: Input, notes: list[str], *, level2: bool = True
    ) -> Generalisation:
        """Whether other targets and other attributes would show it: over stimuli, where several."""
        confidence, stimuli = self.confidence, stimuli_of(given.coverage)
        unit: Unit = "stimulus" if several(stimuli) else "term"
        if self.relearned:
            return unanswered(LEARNED, confidence=confidence, unit=unit)
        rows: Mapping[str, NDArray[np.float64]] = given.rows
        if unit == "stimulus":
            rows = {role: stimuli[role].mean_rows(one) for role, one in rows.items()}
        x, y, a, b = (len(rows[role]) for role in "XYAB")
        if (x + y) * (a + b) > TABLE_CELLS:
            reason = f"{(x + y) * (a + b):,} pairs of terms are more than {TABLE_CELLS:,}"
            return unanswered(reason, confidence=confidence, unit=unit)
        table = Block.of(rows).values
        return generalised(
            table,
            (x, y, a, b),
            confidence=confidence,
            notes=notes,
            unit=unit,
            level2=level2,
            scale=given.magnitude,
            precision=given.precision,
        )

    def equivalence(
        self, scores: Mapping[str, Pair], crossed: Generalisation | None, given: Input
    ) -> Equivalence | None:
        """Whether effects are smaller than `sesoi`; None where none was stated.

        `scores` are those of both groups, by place: ``level1``, ``level2.X``, ``level2.Y``.
        """
        if not self.sesoi:
            return None
        found = {
            place: equivalent(
                *pair,
                self.sesoi,
                self.sesoi_unit,
                alpha=self.alpha,
                crossed=None if crossed is None else crossed.level(place),
                scale=given.magnitude,
                precision=given.precision,
            )
            for place, pair in scores.items()
        }
        level2 = None
        if "level2.X" in found:
            level2 = EquivalentLevel2(X=found["level2.X"], Y=found["level2.Y"])
        return Equivalence(
            sesoi=self.sesoi,
            unit=self.sesoi_unit,
            alpha=self.alpha,
            level1=found.get("level1"),
            level2=level2,
        )

    def level_over_stimuli(
        self,
        means: Mapping[str, NDArray[np.float64]],
        what: str,
        given: Input,
        notes: list[str],
        answer: Callable[[], PermutationResult] | None = None,
    ) -> Level | None:
        """Find a level over stimuli; None, and a note, where a group has one stimulus alone.

        `means` are the mean associations of the stimuli of two groups, by role. `answer` finds
        the p-values where they are found in another way.
        """
        alone = [role for role, scores in means.items() if len(scores) < 2]
        if alone:
            notes.append(
                f"Undefined {what} over stimuli: all sentences of {' and of '.join(alone)} are "
                "made of one stimulus, so there is nothing to relabel, and the p-values of single "
                "sentences say nothing about other stimuli."
            )
            return None
        found = answer() if answer else None
        first, second = means.values()
        return self.level(first, second, f"{what} over stimuli", notes, given, found)

    def variation(
        self, given: Input, notes: list[str], rule: PatternRule | None = None
    ) -> Variation:
        """How the findings vary with the stimuli, and which of them drive these.

        With a `rule` the records say how often each EAT pattern was seen. Where stimuli have
        several sentences they are drawn again, or left out, with all of them; patterns are then
        judged over stimuli, as sentences of a resample cannot be relabelled singly.
        """
        stimuli = stimuli_of(given.coverage)
        if several(stimuli):
            return self._over_clusters(Clusters(given.rows, stimuli), given, notes, rule)
        n = {role: len(group) for role, group in given.rows.items()}
        cells = (n["X"] + n["Y"]) * (n["A"] + n["B"])
        if cells > TABLE_CELLS:
            notes.append(
                f"No intervals and no influence of terms: {cells:,} cosines are more than "
                f"{TABLE_CELLS:,}. Of sentences that name their stimulus, stimuli are resampled."
            )
            return Variation(None)
        return self._over_terms(Block.of(given.rows).design(), given, notes, rule)

    def _over_terms(
        self, test: Design, given: Input, notes: list[str], rule: PatternRule | None
    ) -> Variation:
        influence = leave_one_out(test, "term", self.ddof, notes)
        if not self._resampled(test, "term", notes):
            return Variation(influence)
        how, seed = self._resampling(), int(given.rng.integers(2**63))
        found = how.intervals(test, "term", np.random.default_rng(seed), notes)
        if rule is not None:
            # the same resamples as those of the intervals
            shares = how.patterns(test, rule, np.random.default_rng(seed), notes)
            found = found.model_copy(update={"patterns": shares})
        return Variation(influence, found)

    def _over_clusters(
        self, clusters: Clusters, given: Input, notes: list[str], rule: PatternRule | None
    ) -> Variation:
        test, what = clusters.sentences(), ", over stimuli"
        influence = leave_one_out(test, "stimulus", self.ddof, notes)
        over = leave_one_out(clusters.stimuli(), "stimulus", self.ddof, notes, what)
        if not self._resampled(test, "stimulus", notes):
            return Variation(influence, influence_over_stimuli=over)
        how, seed = self._resampling(), int(given.rng.integers(2**63))

        def rng() -> np.random.Generator:
            return np.random.default_rng(seed)

        found = how.intervals(test, "stimulus", rng(), notes)
        means = how.intervals(clusters.stimuli(), "stimulus", rng(), notes, what)
        if rule is not None and min(test.groups[role] for role in "AB") > 1:
            shares = how.patterns(clusters.means(), rule, rng(), notes, what)
            means = means.model_copy(update={"patterns": shares})
        return Variation(influence, found, means, over)

    def _resampling(self) -> Resampling:
        return Resampling(self.resamples, self.over, self.confidence, self.ddof)

    def _resampled(self, test: Layout, unit: Unit, notes: list[str]) -> bool:
        """Whether resamples are asked for and can be drawn."""
        if not self.resamples:
            return False
        if not allows(test, self.over):
            notes.append(f"No intervals: a group of one {unit} cannot be resampled.")
            return False
        return True
