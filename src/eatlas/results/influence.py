"""Records of what each single term contributes to an effect size."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

from eatlas.results.parts import ByGroup, Coverage, Record
from eatlas.results.uncertainty import Unit
from eatlas.stimuli.model import ROLES, TARGETS

Changes = tuple[float | None, ...]


class Driver(NamedTuple):
    """A term without which an effect size is nearer to 0, or past it."""

    role: str
    """X, Y, A or B."""
    term: str
    change: float
    """d without the term less d; of the sign opposite to d."""


class TermInfluence(ByGroup[Changes]):
    """Change of one effect size when a term is left out, for each used term of each group.

    Of sentences: when a stimulus is left out with all its sentences, for each stimulus.

    ``d without the term less d``; None where no effect size is left. Empty for a target group that
    the effect size does not use.
    """

    names: ClassVar = ROLES

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
            for role, changes in self.items()
            for term, change in zip(coverage[role].stimuli, changes, strict=False)
            if change is not None and effect_size is not None and change * effect_size < 0
        ]
        return tuple(sorted(holding, key=lambda driver: -abs(driver.change))[:count])


class Level2Influence(ByGroup[TermInfluence]):
    """Influence of terms on both level 2 effect sizes."""

    names: ClassVar = TARGETS


class Influence(Record):
    """Which terms drive the findings: every effect size without each term in turn."""

    unit: Unit = "term"
    """Stimuli are left out with all their sentences, where one has several."""
    level1: TermInfluence
    level2: Level2Influence | None = None
    """None where the measure has no level 2."""
