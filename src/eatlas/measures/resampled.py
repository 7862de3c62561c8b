"""What measures of two target groups share: intervals, influence of terms, levels over stimuli."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from eatlas.measures.base import AssociationMeasure, Input
from eatlas.measures.blocks import Block, Clusters
from eatlas.measures.close_words import close_words
from eatlas.measures.inference import LEARNED, equivalent, generalised, unanswered
from eatlas.measures.ordered import Ordered
from eatlas.measures.seeding import generator_of
from eatlas.measures.stimuli import several
from eatlas.measures.variation import Resampling, Variation, allows, leave_one_out
from eatlas.results.inference import (
    Equivalence,
    EquivalentLevel2,
    Generalisation,
    SesoiUnit,
)
from eatlas.results.parts import Level
from eatlas.results.uncertainty import Uncertainty, Unit
from eatlas.stats.pattern_stability import PatternRule
from eatlas.stats.permutation import PermutationResult
from eatlas.stats.resampling import Over, Streams
from eatlas.stats.weighted import Layout

Pair = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Scores of two groups."""
STEPS = (100_000, 50_000, 20_000, 10_000)
"""Resamples of a test: the first of these whose work is at most `WORK`. The ends of a 95% interval
then have Monte Carlo errors of about .003, and shares of patterns of about .002, in .05 s a test.
Tests with more terms have narrower intervals, so that fewer resamples do."""
WORK = 170_000_000
"""Products of a weight and a cosine, in the scores of one level: 50,000 resamples of 64 by 50."""
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
    resamples : int or "auto"
        Bootstrap resamples behind intervals and pattern shares; 0 for none. Default: from 100,000
        for short lists to 10,000 for very long ones.
    over : {"both", "targets", "attributes"}
        Which stimuli are resampled.
    confidence : float
        Nominal confidence of the intervals.
    sesoi : float
        Smallest effect size of interest, for tests that effects are smaller; 0 for no such tests.
    sesoi_unit : {"d", "difference"}
        Of `sesoi`: standard deviations of the union, or units of what associates.
    """

    resamples: int | Literal["auto"] = field(default="auto", kw_only=True)
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
        self._check(
            "resamples", "a whole number from 0, or auto", ok=whole or self.resamples == "auto"
        )
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
        ordered = Ordered.of(given.rows, given.coverage)
        confidence, stimuli = self.confidence, ordered.stimuli
        unit: Unit = "stimulus" if several(stimuli) else "term"
        if self.relearned:
            return unanswered(LEARNED, confidence=confidence, unit=unit)
        rows = ordered.rows
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
        cells = [sum(len(given.rows[role]) for role in side) for side in ("XY", "AB")]
        ordered = Ordered.of(given.rows, given.coverage)
        if several(ordered.stimuli):
            return self._over_clusters(ordered, given, notes, rule)
        if math.prod(cells) > TABLE_CELLS:
            notes.append(
                f"No intervals and no influence of terms: {math.prod(cells):,} cosines are more "
                f"than {TABLE_CELLS:,}. Of sentences that name their stimulus, stimuli are "
                "resampled."
            )
            return Variation(None)
        return self._over_terms(ordered, given, notes, rule)

    def _over_terms(
        self, ordered: Ordered, given: Input, notes: list[str], rule: PatternRule | None
    ) -> Variation:
        test = replace(Block.of(ordered.rows).design(), precision=given.precision)
        influence = leave_one_out(test, "term", ordered.places, self.ddof, notes)
        if not self._resampled(test, "term", notes):
            return Variation(influence)
        if given.log_ratios is None:
            notes.extend(close_words(given.unit or given.rows, given.coverage))
        if any(given.coverage.group(role).cluster for role in given.rows):
            return Variation(influence, self._by_cluster(given, notes))
        how = self._resampling(test, ordered, given)
        found, drawn = how.intervals(test, "term", notes)
        if rule is not None:
            found = found.model_copy(update=how.patterns(test, rule, drawn, notes))
        return Variation(influence, found)

    def _by_cluster(self, given: Input, notes: list[str]) -> Uncertainty | None:
        """Intervals of tests of words whose clusters are drawn whole.

        There are no shares of patterns: a resample has more or fewer words than the test, whose
        labels are another design's.
        """
        ordered = Ordered.by_cluster(given.rows, given.coverage)
        test = Clusters(ordered.rows, ordered.stimuli).sentences()
        if not self._resampled(test, "cluster", notes):
            return None
        found, _ = self._resampling(test, ordered, given).intervals(test, "cluster", notes)
        return found

    def _over_clusters(
        self, ordered: Ordered, given: Input, notes: list[str], rule: PatternRule | None
    ) -> Variation:
        clusters = Clusters(ordered.rows, ordered.stimuli, given.precision)
        test, what = clusters.sentences(), ", over stimuli"
        influence = leave_one_out(test, "stimulus", ordered.places, self.ddof, notes)
        means_of = clusters.stimuli()
        over = leave_one_out(means_of, "stimulus", ordered.places, self.ddof, notes, what)
        if not self._resampled(test, "stimulus", notes):
            return Variation(influence, influence_over_stimuli=over)
        how = self._resampling(test, ordered, given)
        found, _ = how.intervals(test, "stimulus", notes)
        means, drawn = how.intervals(means_of, "stimulus", notes, what)
        if rule is not None and min(test.groups[role] for role in "AB") > 1:
            shares = how.patterns(clusters.means(), rule, drawn, notes, what)
            means = means.model_copy(update=shares)
        return Variation(influence, found, means, over)

    def _resampling(self, test: Layout, ordered: Ordered, given: Input) -> Resampling:
        """How often the stimuli are drawn, and by which generators."""
        seed = given.head["provenance"].seed

        def streams() -> Streams:
            return {
                role: generator_of(seed, {role: names}, "resamples")
                for role, names in ordered.names.items()
            }

        return Resampling(
            self.resamples_of(test),
            self.over,
            self.confidence,
            self.ddof,
            streams,
            lambda: generator_of(seed, ordered.names, "relabellings of resamples"),
        )

    def resamples_of(self, test: Layout) -> int:
        """Resamples of one test."""
        if self.resamples != "auto":
            return self.resamples
        return next((n for n in STEPS if n * test.work <= WORK), STEPS[-1])

    def _resampled(self, test: Layout, unit: Unit, notes: list[str]) -> bool:
        """Whether resamples are asked for and can be drawn."""
        if self.resamples == 0:
            return False
        if not allows(test, self.over):
            notes.append(f"No intervals: a group of one {unit} cannot be resampled.")
            return False
        return True
