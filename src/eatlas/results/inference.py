"""Records beyond p-values: resampled stimuli, single terms, other words, power, frequencies."""

from __future__ import annotations

from typing import ClassVar, Literal, NamedTuple

from pydantic import Field

from eatlas.results.parts import ByGroup, BySide, Coverage, Probability, Record, is_empty
from eatlas.stimuli.kinds import OPPOSITES, ROLES

Interval = tuple[float, float]
Unit = Literal["term", "stimulus"]
"""What is drawn again or left out: a term, or a stimulus with all its sentences."""


class EffectInterval(Record):
    """One effect size over bootstrap resamples of the stimuli; None where undefined."""

    se: float | None
    """Standard deviation over the resamples."""
    interval: Interval | None
    """Percentile interval."""
    error: Interval | None = None
    """Monte Carlo standard errors of its ends: how far other resamples of the same number would
    move them."""
    undefined: int = 0
    """Resamples whose scores have no spread, left out."""


Level2Intervals = BySide[EffectInterval]
"""Intervals of both level 2 effect sizes."""


class Uncertainty(Record):
    """How far the findings depend on the very terms that stand for the concepts."""

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
    """Monte Carlo standard errors of these shares. """


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


Level2Influence = BySide[TermInfluence]
"""Influence of terms on both level 2 effect sizes."""


class Influence(Record):
    """Which terms drive the findings: every effect size without each term in turn."""

    unit: Unit = "term"
    """Stimuli are left out with all their sentences, where one has several."""
    level1: TermInfluence
    level2: Level2Influence | None = None
    """None where the measure has no level 2."""


class CrossedLevel(Record):
    """One contrast tested against the spread of targets and of attributes together."""

    difference: float
    """Difference of mean associations; at level 1 difference of two such differences."""
    se: float
    """Its standard error."""
    t: float | None
    """difference / se; None where nothing varies within the groups, as all below."""
    df: float | None
    p_greater: Probability | None
    """P(T >= t)."""
    p_less: Probability | None
    p_two_sided: Probability | None
    low: float | None
    """Lower end of the confidence interval of the difference."""
    high: float | None
    targets: float
    """Variance of the difference estimated from the targets alone, residual included."""
    attributes: float
    """Variance of the difference estimated from the attributes alone, residual included."""
    residual: float
    """The part that both contain."""


CrossedLevel2 = BySide[CrossedLevel | None]
"""Both level 2 contrasts; None for a group of one term."""


class Generalisation(Record):
    """Whether other targets and other attributes would show it: a crossed random-effects test."""

    unit: Unit = "term"
    """What varies: terms; or stimuli, over whose sentences associations are averaged first."""
    confidence: float
    """Of the intervals, such as 0.95."""
    level1: CrossedLevel | None
    """None where a group has one term, and where `reason` says so."""
    level2: CrossedLevel2 | None
    """None where the measure has no level 2, and where `reason` says so."""
    reason: str = Field(default="", exclude_if=is_empty)
    """Why there is no answer."""


class DesignPower(Record):
    """What the permutation of one pair of groups can find."""

    n: tuple[int, int]
    """Sizes of the two groups whose labels are permuted."""
    min_p: float
    """The smallest p-value of the design in this tail."""
    smallest_d: float | None
    """The smallest effect size that is found with the wanted power; None where the design cannot
    reach alpha."""


class Power(Record):
    """What a design can find, if the scores are normal and of one variance within the groups."""

    power: float
    """Wanted power, such as 0.8."""
    alpha: float
    tail: Literal["greater", "less", "two_sided"]
    """The p-value that is compared with alpha."""
    unit: Unit = "term"
    """What is permuted: terms, or stimuli with all their sentences."""
    level1: DesignPower | None
    """Targets permuted; None where there is no level 1."""
    level2: DesignPower | None
    """Attributes permuted, for X as for Y; None where there is no level 2."""
    patterns: dict[str, float] | None = None
    """Chance of each of the nine EAT patterns with other attributes, if the effects at level 2 were
    those of `effects`; None without a pattern."""
    effects: tuple[float, float] | None = None
    """Effect sizes of X and of Y at level 2 that `patterns` supposes: those observed, or stated."""
    chance: dict[str, float] | None = Field(default=None, exclude_if=is_empty)
    """Where an effect size was stated: the power at ``level1`` and ``level2``."""
    d: float | None = Field(default=None, exclude_if=is_empty)
    """That effect size."""
    terms_needed: dict[str, int] | None = Field(default=None, exclude_if=is_empty)
    """Terms that each of two groups of one size needs, by the effect size that they should find."""


PAIRS: dict[str, str] = {one: other for one, other in OPPOSITES}  # noqa: C416  (of names)
"""Groups that are compared: targets at level 1, attributes at level 2."""


class GroupRanks(Record):
    """Ranks of the words of one group in order of frequency; 1 is the most frequent word."""

    median: float | None
    """Of the words that have a rank; None where none has."""
    terms: dict[str, int | None]
    """By word as the test writes it; None for a word that is not listed."""


class Ranks(Record):
    """How frequent the words of a test are."""

    X: GroupRanks
    Y: GroupRanks
    A: GroupRanks
    B: GroupRanks
    vocabulary: str
    """In what the ranks are ranks: the source, or the list that comes with the package."""
    size: int
    """The lowest rank that a word can have there."""
    p_targets: Probability | None
    """That ranks of X and Y differ: Mann-Whitney, two-sided, normal approximation; None where a
    group has no rank."""
    p_attributes: Probability | None
    """The same of A and B."""


class MatchedLevel(Record):
    """One effect size among those of random words of the same frequencies."""

    p_greater: Probability
    """Share of the draws with d at least as great, with the observed one: (b + 1) / (B + 1)."""
    p_less: Probability
    p_two_sided: Probability
    """At least as far from the mean of all of them."""
    mean: float
    """Of the draws' effect sizes."""
    quantiles: tuple[float, float, float, float, float]
    """Of the draws' effect sizes: .025, .25, .5, .75, .975."""
    counts: tuple[int, ...]
    """Draws whose d is in each of 40 steps of equal width."""
    ends: tuple[float, float]
    """Where the first step begins and the last one ends."""
    undefined: int = 0
    """Draws without an effect size; they count as at least as extreme."""


MatchedLevel2 = BySide[MatchedLevel]
"""The effect sizes of X and of Y."""


class Matched(Record):
    """What random words of the frequencies of the test's words show in the test's place."""

    draws: int
    """Random lists."""
    near: int
    """Each word is drawn from so many on either side of the rank of the word it stands for."""
    words: int
    """Different words that the lists are made of."""
    level1: MatchedLevel | None
    """None where the effect size is undefined."""
    level2: MatchedLevel2 | None = None
    """None for a measure without a level 2, and where an effect size is undefined."""
    patterns: dict[str, float] | None = None
    """Share of the draws that show each EAT pattern, by the rule of the result."""


class Frequency(Record):
    """How frequent the words of a test are, and what words of these frequencies show by chance."""

    ranks: Ranks
    matched: Matched | None = None
    """None where random words cannot be drawn; `reason` says why."""
    reason: str = ""
