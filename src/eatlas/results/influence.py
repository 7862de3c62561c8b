"""Records of what each single term contributes to an effect size."""

from __future__ import annotations

from typing import NamedTuple

from eatlas.results.parts import Coverage, Record
from eatlas.results.uncertainty import Unit

Changes = tuple[float | None, ...]


class Driver(NamedTuple):
    """A term without which an effect size is nearer to 0, or past it."""

    role: str
    """X, Y, A or B."""
    term: str
    change: float
    """d without the term less d; of the sign opposite to d."""


class TermInfluence(Record):
    """Change of one effect size when a term is left out, for each used term of each group.

    Of sentences: when a stimulus is left out with all its sentences, for each stimulus.

    ``d without the term less d``; None where no effect size is left. Empty for a target group that
    the effect size does not use.
    """

    X: Changes
    Y: Changes
    A: Changes
    B: Changes

    def group(self, role: str) -> Changes:
        """Return the changes of one of X, Y, A, B, in the order of its terms, or stimuli."""
        changes: Changes = getattr(self, role)
        return changes

    def drivers(
        self, effect_size: float | None, coverage: Coverage, count: int | None = None
    ) -> tuple[Driver, ...]:
        """Name the terms that hold an effect size up, the strongest first.

        Parameters
        ----------
        effect_size : float or None
            With all terms.
        coverage : Coverage
            Names the terms.
        count : int, optional
            So many at most; all by default.
        """
        holding = [
            Driver(role, term, change)
            for role in "XYAB"
            for term, change in zip(coverage.group(role).stimuli, self.group(role), strict=False)
            if change is not None and effect_size is not None and change * effect_size < 0
        ]
        return tuple(sorted(holding, key=lambda driver: -abs(driver.change))[:count])


class Level2Influence(Record):
    """Influence of terms on both level 2 effect sizes."""

    X: TermInfluence
    Y: TermInfluence

    def group(self, role: str) -> TermInfluence:
        """Return the influence on the level 2 of X or Y."""
        influence: TermInfluence = getattr(self, role)
        return influence


class Influence(Record):
    """Which terms drive the findings: every effect size without each term in turn."""

    unit: Unit = "term"
    """Stimuli are left out with all their sentences, where one has several."""
    level1: TermInfluence
    level2: Level2Influence | None = None
    """None where the measure has no level 2."""
