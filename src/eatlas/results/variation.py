"""Records of what effect sizes rest on: resampled stimuli, single terms, lists as a whole."""

from __future__ import annotations

from typing import ClassVar, Literal, NamedTuple

from eatlas.results.parts import ByGroup, Coverage, Record
from eatlas.stimuli.model import ROLES, TARGETS

Over = Literal["targets", "attributes", "both"]
Interval = tuple[float, float]
Unit = Literal["term", "stimulus", "cluster"]
"""What is drawn again or left out: a term, a stimulus with all its sentences, or a cluster of words
that the test names, with all of them."""


class EffectInterval(Record):
    """One effect size over bootstrap resamples of the stimuli; None where undefined."""

    se: float | None
    """Standard deviation over the resamples."""
    percentile: Interval | None
    bca: Interval | None
    """Efron's bias-corrected and accelerated interval."""
    studentised: Interval | None
    """Bootstrap-t on Fisher's scale."""
    interval: Interval | None
    """The one to report, which tables and charts show: of the three, the one that covers best where
    the same stimuli were resampled in simulations. Percentile for both, else studentised."""
    error: Interval | None = None
    """Monte Carlo standard errors of its ends: how far other resamples of the same number would
    move them. None in results of versions that did not say."""
    undefined: int = 0
    """Resamples whose scores have no spread, left out."""


class Level2Intervals(ByGroup[EffectInterval]):
    """Intervals of both level 2 effect sizes."""

    names: ClassVar = TARGETS


class Uncertainty(Record):
    """How far the findings depend on the very terms that stand for the concepts."""

    over: Over
    """Which stimuli were resampled, within their groups."""
    unit: Unit = "term"
    """Sentences are resampled by stimulus, all of one together, where one has several."""
    resamples: int
    confidence: float
    """Nominal confidence of the intervals, such as 0.95."""
    level1: EffectInterval
    level2: Level2Intervals | None = None
    """None where the measure has no level 2."""
    patterns: dict[str, float] | None = None
    """Share of the resamples that show each of the nine EAT patterns, under the measure's rule: no
    probability that a study with other stimuli replicates a pattern.

    None without level 2, and over the sentences of a test: see ``stimulus_level``."""
    patterns_error: dict[str, float] | None = None
    """Monte Carlo standard errors of these shares. None in results of versions that did not say."""

    def share(self, label: str) -> float | None:
        """Share of the resamples that show one pattern."""
        return None if self.patterns is None else self.patterns.get(label)


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


class Coefficient(Record):
    """One coefficient and its interval over the terms of the other side; None where undefined."""

    value: float | None
    low: float | None
    high: float | None

    def __str__(self) -> str:
        if self.value is None:
            return "undefined"
        ends = "" if self.low is None else f" [{self.low:.2f}, {self.high:.2f}]"
        return f"{self.value:.2f}{ends}"


class GroupReliability(Record):
    """One group of terms."""

    terms: int
    raw_alpha: float | None
    """Cronbach's alpha of the similarities as they are. What all words have in common raises it:
    lists of random words have .7."""
    alpha: Coefficient
    """Of similarities centred between the two groups of a side; below 0 for words that are no more
    like one another than like those of the other group."""
    omega: Coefficient
    """Share of one common factor in the variance of the sum of these; low where a group has
    several."""


class Reliability(Record):
    """Reliability of the four groups of a test, and of the contrasts between them."""

    unit: Unit
    """Whether terms, or stimuli of sentences, are the items."""
    confidence: float
    X: GroupReliability
    Y: GroupReliability
    A: GroupReliability
    B: GroupReliability
    targets: Coefficient
    """Reliability of the difference between the mean profiles of X and Y over attributes: 0 or less
    for random words, 1 where the words of each group are all alike."""
    attributes: Coefficient
    """The same of A and B over targets."""

    def group(self, role: str) -> GroupReliability:
        """Return one of X, Y, A, B."""
        found: GroupReliability = getattr(self, role)
        return found

    def __str__(self) -> str:
        units = "terms" if self.unit == "term" else "stimuli"
        lines = [
            f"{role}: {one.terms} {units}, alpha {one.alpha}, omega {one.omega}, raw alpha "
            f"{'undefined' if one.raw_alpha is None else format(one.raw_alpha, '.2f')}"
            for role in ROLES
            for one in [self.group(role)]
        ]
        return "\n".join(
            [*lines, f"X and Y apart: {self.targets}", f"A and B apart: {self.attributes}"]
        )

    __repr__ = __str__
