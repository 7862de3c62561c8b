"""SC-EAT: the differential association of single terms with two attributes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from eatlas import kernels
from eatlas.measures.association import AssociationMeasure
from eatlas.measures.base import Allowed, Input, parameter
from eatlas.measures.inference import design_power
from eatlas.measures.levels import repeats_stimuli, sides, sizes, stimuli_of
from eatlas.measures.robustness import robustness
from eatlas.measures.units import pair_table
from eatlas.notes import Note
from eatlas.results import SCEATResult
from eatlas.results.embedding_tests import TermAssociation
from eatlas.results.levels import Unit
from eatlas.stats.effect_size import unequal_spread
from eatlas.stats.permutation import ALWAYS_EXACT, LARGEST, PermutationResult, permutation_tests
from eatlas.stimuli import ATTRIBUTES, ROLES, TARGETS

Group = Literal["X", "Y"]
GROUPS: tuple[Group, ...] = get_args(Group)
ERROR = 1e-6
"""Relative error up to which an inversion is accepted: a term of 25 v 25 attributes takes 6 ms,
and 11 with a tenth of it."""


@dataclass(frozen=True)
class SCEAT(AssociationMeasure):
    """Single-Category Embedding Association Test, for each target term of a test.

    The effect size of a term w is the difference of the mean cosines of w with A and with B,
    divided by the standard deviation of its cosines with their union; the p-values permute the
    attribute labels (equation 9 of Wolfe, Hiniker and Howe 2024). It is level 2 of the ML-EAT
    for a target group of one term.

    Parameters
    ----------
    alpha : float, default 0.05
        Significance level, between 0 and 1; it only decides which designs are warned about.
    ddof, p, draws, strict, statistic, adjust
        As in :class:`eatlas.MLEAT`.
    instead_of : {"", "weat"}, default ""
        What was requested: a WEAT whose test has a target group of one term. It changes no number;
        results say it.

    Examples
    --------
    >>> import eatlas
    >>> (test,) = eatlas.load_tests("weat-8")
    >>> result = eatlas.SCEAT()(test, "glove-sample")
    >>> result.terms[0].term
    'science'
    """

    name: ClassVar[str] = "sc-eat"
    compared: ClassVar = ("A",)
    minimum: ClassVar = {**dict.fromkeys(TARGETS, 1), **dict.fromkeys(ATTRIBUTES, 2)}

    _: KW_ONLY
    instead_of: Literal["", "weat"] = parameter(
        "", Allowed("weat, or nothing", lambda value: value in {"", "weat"}), optional=True
    )

    def compute(self, given: Input, notes: list[Note]) -> SCEATResult:
        """One level 2 for each target term."""
        terms = [(group, term) for group in GROUPS for term in given.coverage[group].used]
        targets, attributes = sides(given.rows)
        scores = kernels.similarities(attributes, targets).T
        levels = self._term_effects(terms, scores, sizes(given.rows)[2], given, notes)
        over = self._over_stimuli(scores, given, notes)
        stimuli = stimuli_of(given.coverage)
        unit: Unit = "stimulus" if repeats_stimuli(stimuli) else "term"
        power = design_power(None, sizes(stimuli)[2:], alpha=self.alpha, unit=unit)
        found = {"terms": levels, "stimulus_terms": over, "power": power}
        more = robustness(self, given, found, notes, pair_table(given))
        return SCEATResult(**given.head | found | more)

    def _term_effects(
        self,
        terms: Sequence[tuple[Group, str]],
        scores: NDArray[np.float64],
        n: int,
        given: Input,
        notes: list[Note],
        place: str = "terms",
    ) -> tuple[TermAssociation, ...]:
        """One level 2 for each row of scores, whose first n belong to A."""
        entries = []
        answers = self._answers(scores, n, given)
        for (group, term), row, answer in zip(terms, scores, answers, strict=True):
            of_term = row[:n], row[n:]
            level2 = self.level(*of_term, f"{place}.{term}", notes, given, answer, spread=False)
            entries.append(TermAssociation(term=term, group=group, level2=level2))
        if self.statistic == "difference":
            names = [term for _, term in terms]
            unequal = [
                name
                for name, row in zip(names, scores, strict=True)
                if unequal_spread(row[:n], row[n:])
            ]
            if unequal:
                values = {"sizes": [n, scores.shape[1] - n], "terms": unequal, "of": len(names)}
                notes.append(Note("p.unequal-spreads", place, values))
        return tuple(entries)

    def _over_stimuli(
        self, scores: NDArray[np.float64], given: Input, notes: list[Note]
    ) -> tuple[TermAssociation, ...] | None:
        """One level 2 for each target stimulus, over attribute stimuli; None in tests of words."""
        stimuli = stimuli_of(given.coverage)
        if not repeats_stimuli(stimuli):
            return None
        x, y, a, b = (stimuli[role] for role in ROLES)
        targets, attributes, n = x + y, a + b, len(a)
        alone = [role for role in ATTRIBUTES if len(stimuli[role]) < 2]
        if alone:
            notes.append(Note("undefined.one-stimulus", "stimulus_terms", {"groups": alone}))
            return ()
        by_attribute = np.array([attributes.means(row) for row in scores])
        means = np.array([targets.means(column) for column in by_attribute.T]).T
        names = [(g, name) for g in GROUPS for name in given.coverage[g].stimuli]
        return self._term_effects(names, means, n, given, notes, "stimulus_terms")

    def _answers(
        self, scores: NDArray[np.float64], n: int, given: Input
    ) -> list[PermutationResult]:
        """P-values of all terms: counted at once, where each would be counted anyway."""
        size = scores.shape[1]
        total = math.comb(size, n)
        batch = self.p in {"auto", "exact"} and self.statistic == "difference" and not self.strict
        if not batch or size > LARGEST or total > ALWAYS_EXACT:
            scale = given.magnitude
            return [self.permutation_test(row, n, given, scale, ERROR) for row in scores]
        counts = permutation_tests(scores, n, scale=1.0, precision=given.precision)
        return [PermutationResult.exact(row, total) for row in counts.T.tolist()]
