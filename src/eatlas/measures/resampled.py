"""What measures of two target groups share: intervals, influence of terms, levels over stimuli."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from eatlas import kernels
from eatlas.measures.base import AssociationMeasure, Input
from eatlas.measures.variation import Block, Resampling, leave_one_out
from eatlas.results.influence import Influence
from eatlas.results.parts import Level
from eatlas.results.uncertainty import Uncertainty
from eatlas.stats.pattern_stability import PatternRule
from eatlas.stats.permutation import PermutationResult
from eatlas.stats.resampling import Over

RESAMPLES = 1_000
"""Resamples unless told otherwise: the ends of a 95% interval lie within about .05 of those of
100,000 at 8 against 8, for a hundredth of a second."""


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
    """

    resamples: int = field(default=RESAMPLES, kw_only=True)
    over: Over = field(default="both", kw_only=True)
    confidence: float = field(default=0.95, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_choice("over", Over)
        whole = type(self.resamples) is int and self.resamples >= 0
        self._check("resamples", "a whole number from 0", ok=whole)
        number = isinstance(self.confidence, float) and 0 < self.confidence < 1
        self._check("confidence", "a number between 0 and 1", ok=number)

    def idle(self) -> set[str]:
        """Parameters that a signature leaves out: these, where they have their defaults."""
        own = {"resamples", "over", "confidence"}
        return super().idle() | {
            f.name for f in fields(self) if f.name in own and getattr(self, f.name) == f.default
        }

    @property
    def relearned(self) -> bool:
        """Whether relabelled attributes change the association function itself."""
        return False

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
        return self.level(first, second, f"{what} over stimuli", notes, given.rng, found)

    def block(self, rows: Mapping[str, NDArray[np.float64]]) -> Block:
        """Associations of all targets with all attributes, and the sizes of the groups."""
        targets, attributes = (np.concatenate([rows[r] for r in pair]) for pair in ("XY", "AB"))
        values = kernels.similarities(targets, attributes)
        return Block(values, {role: len(rows[role]) for role in rows})

    def variation(
        self, given: Input, notes: list[str], rule: PatternRule | None = None
    ) -> tuple[Uncertainty | None, Influence | None]:
        """How the findings vary with the stimuli, and which terms drive them.

        With a `rule` the record says how often each EAT pattern was seen.
        """
        block = self.block(given.rows)
        influence = leave_one_out(block, self.ddof, notes)
        if not self.resamples:
            return None, influence
        if not block.allows(self.over):
            notes.append("No intervals: a group of one term cannot be resampled.")
            return None, influence
        how = Resampling(self.resamples, self.over, self.confidence, self.ddof)
        seed = int(given.rng.integers(2**63))
        found = how.intervals(block, np.random.default_rng(seed), notes)
        if rule is not None:
            # the same resamples as those of the intervals
            shares = how.patterns(block, rule, np.random.default_rng(seed), notes)
            found = found.model_copy(update={"patterns": shares})
        return found, influence

    def _check_choice(self, parameter: str, choices: Any) -> None:
        allowed = get_args(choices)
        self._check(parameter, " or ".join(allowed), ok=getattr(self, parameter) in allowed)
