"""The parts that records of association share, level by level.

Effect sizes with their p-values; resampled stimuli, single terms, other words, power, frequencies;
patterns, scores and draws.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal, NamedTuple

from pydantic import Field

from eatlas.numbers import effect, p_equals
from eatlas.results.parts import (
    TAILS,
    Bounds,
    ByGroup,
    ByRole,
    BySide,
    ByTail,
    Coverage,
    Magnitude,
    Method,
    Part,
    Probability,
    Record,
    at,
    is_empty,
    is_none,
    part_at,
)
from eatlas.stimuli.kinds import OPPOSITES, ROLES

Interval = tuple[float, float]
Unit = Literal["term", "stimulus"]
"""What is sampled again or left out: a term, or a stimulus with all its sentences."""


class EffectInterval(Record):
    """Interval of one effect size, by default over bootstrap resamples of the stimuli.

    None where undefined.
    """

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
    """How far the findings depend on the terms that represent the concepts."""

    unit: Unit = "term"
    """Sentences are resampled by stimulus, all of one together, where one has several."""
    resamples: int
    confidence: float
    """Nominal confidence of the intervals, such as 0.95."""
    level1: EffectInterval
    level2: Level2Intervals | None = None
    """None where the measure has no level 2."""
    patterns: dict[str, float] | None = None
    """Proportion of the resamples that show each of the nine EAT patterns, under the measure's
    rule. This is not the probability that a study with other stimuli shows the pattern.

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


class InfluentialTerm(Record):
    """A term without which the EAT pattern, or what is read at level 1, is another."""

    role: str
    """X, Y, A or B."""
    term: str
    """Or stimulus, as the influence's ``unit`` says."""
    pattern: Label | None
    """The EAT pattern without it, by the measure's rule; None for a measure without one."""
    level1: Literal["greater", "less"] | None
    """What is read at level 1 without it: d is significantly above 0, or below; None for neither.
    """


class Influence(Record):
    """Which terms drive the findings: every effect size without each term in turn."""

    unit: Unit = "term"
    """Stimuli are left out with all their sentences, where one has several."""
    level1: TermInfluence
    level2: Level2Influence | None = None
    """None where the measure has no level 2."""
    influential: tuple[InfluentialTerm, ...] | None = Field(default=None, exclude_if=is_none)
    """The terms, or stimuli, without which the EAT pattern is another; for a measure without a
    pattern, without which another direction, or none, is read at level 1. None where it was not
    computed."""


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

    @property
    def ends(self) -> Interval | None:
        """The interval; None where nothing varies within the groups."""
        return None if self.low is None or self.high is None else (self.low, self.high)

    targets: float
    """Variance of the difference estimated from the targets alone, residual included."""
    attributes: float
    """Variance of the difference estimated from the attributes alone, residual included."""
    residual: float
    """The part that both contain."""
    facets: dict[str, float] = Field(default_factory=dict, exclude_if=is_empty)
    """Variance of the difference, estimated only from the units of each further facet."""


CrossedLevel2 = BySide[CrossedLevel | None]
"""Both level 2 contrasts; None for a group of one term."""


class Generalisation(Record):
    """Whether different targets and attributes would show it: a crossed random-effects test.

    Near-synonyms are one unit, as ``units`` of the result says.
    """

    unit: Unit = "term"
    """What varies: terms; or stimuli, over whose sentences associations are averaged first."""
    confidence: float
    """Of the intervals, such as 0.95."""
    facets: tuple[str, ...] = Field(default=(), exclude_if=is_empty)
    """What varies beside targets and attributes, such as ``questions``."""
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
    power_at_d: dict[str, float] | None = Field(default=None, exclude_if=is_empty)
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
    """One difference of mean associations, compared with random topics."""

    p_greater: Probability
    """Proportion of the topics whose difference is at least as great, with the observed one:
    (b + 1) / (B + 1)."""
    p_less: Probability
    p_two_sided: Probability
    """At least as far from the mean of all of them."""
    quantiles: tuple[float, float, float, float, float]
    """Of the topics' differences: .025, .25, .5, .75, .975."""


MatchedLevel2 = BySide[MatchedLevel]
"""The differences of X and of Y."""


class Coherence(Record):
    """How near the words of a list are to each other, and the words of its random topics.

    Mean product of the unit vectors of two words, each less the mean of words of these frequencies:
    0 for unrelated words.
    """

    own: float
    topics: float
    """Mean of the topics."""


Coherences = ByRole[Coherence]
"""Of each list."""


class Nearness(Record):
    """How near two lists are to one another, and the pairs of topics in their place.

    Cosine of the means of their unit vectors.
    """

    own: float
    topics: float
    """Mean of the pairs."""
    pairs: int


class NearnessOfPairs(Record):
    """Of X and Y, and of A and B."""

    targets: Nearness
    attributes: Nearness


class Matched(Record):
    """What pairs of random topics show, as near to one another as X and Y, and as A and B.

    Each topic is as frequent and as coherent as the list in whose place it is. The difference of
    the means in a pair has the length of that of the lists.
    """

    words: int
    """Different words that the topics are made of."""
    coherence: Coherences
    nearness: NearnessOfPairs
    level1: MatchedLevel | None
    """Pairs in place of X and Y with pairs in place of A and B; None where the effect size
    is undefined."""
    level2: MatchedLevel2 | None = None
    """Topics in place of X, or of Y, with pairs in place of A and B; None for a measure
    without a level 2, and where an effect size is undefined."""


class Frequency(Record):
    """How frequent the words of a test are, and what random topics show in their place."""

    ranks: Ranks
    matched: Matched | None = None
    """None where there are no topics; `reason` says why."""
    reason: str = ""


Methods = ByTail[Method]
"""How each tail's p-value was found."""
Counts = ByTail[int | None]
"""A number of permutations for each tail."""
Errors = ByTail[float | None]
"""A relative error for each tail."""


class Ends(ByTail[Bounds | None]):
    """Both ends of an interval for each tail."""


class NormalP(ByTail[Probability]):
    """P-values of z under a normal distribution."""


class StudentP(ByTail[Probability]):
    """P-values of Student's t, for which nothing is counted or drawn."""

    count: ClassVar[None] = None
    permutations: ClassVar[None] = None

    def method_of(self, name: str) -> str:  # noqa: ARG002  (as permutation p-values have)
        """Return how one tail's p-value was found."""
        return "student"

    def count_of(self, name: str) -> None:
        """Nothing is counted."""


class PValues(Record):
    """Permutation p-values of one statistic t, over all permutations of one size.

    The inequalities are strict where the signature says ``strict=true``.
    """

    greater: Probability
    """P(T >= t)."""
    less: Probability
    """P(T <= t)."""
    two_sided: Probability
    """P(|T - E T| >= |t - E T|), not twice the smaller tail."""
    method: Method | Methods
    """How they were found; one word where all tails agree."""
    count: Counts | None = None
    """The permutations counted that are at least as extreme, where at least one tail is exact; None
    of a tail where they were not counted, and of numbers with more than 3,900 digits."""
    total: int | None
    """The number of all permutations, C(N, n); None where it has more than 3,900 digits, as with
    more than 13,000 terms, since readers of JSON refuse it."""
    min_p: Probability
    """The smallest p-value this design can give, 1 / total, unless inequalities are strict."""
    rel_err: Errors | None = None
    """Stated relative error; None of a tail that is exact or drawn."""
    interval: Ends | None = None
    """95% confidence interval; None of a tail that was not drawn at random."""
    permutations: Counts | None = None
    """Random permutations; None of a tail that was not drawn at random."""

    def __repr__(self) -> str:
        tails = ", ".join(f"{name} {p_equals(self[name])}" for name in TAILS)
        return f"<PValues: {tails} ({self.method_of('two_sided')})>"

    def method_of(self, name: str) -> str:
        """Return how one tail's p-value was found."""
        return self.method if isinstance(self.method, str) else str(self.method[name])

    def count_of(self, name: str) -> int | None:
        """Return how many permutations one tail counts, where they were counted."""
        return None if self.count is None else self.count[name]


class Level(Record):
    """One differential association: its effect size and its permutation p-values."""

    effect_size: Magnitude | None
    """Difference of means over the standard deviation of the union; None without spread."""
    difference: Magnitude
    """The same difference in units of what associates: of cosine, or nats of LPBS."""
    n: tuple[int, int]
    """Sizes of the two groups whose labels are permuted."""
    p: PValues

    def __repr__(self) -> str:
        p = f"two-sided {p_equals(self.p.two_sided)} ({self.p.method_of('two_sided')})"
        return f"<Level: d = {effect(self.effect_size)}, {p}, n = {self.n[0]:,} and {self.n[1]:,}>"


class Clusters(ByRole[tuple[tuple[str, ...], ...]]):
    """Near-synonyms of each group: the words, or stimuli, of each cluster of two and more."""


UnitSizes = ByRole[int]
"""Units of each group."""
UnitLevel2 = BySide[Level | None]
"""Both level 2 associations of units; None for a group of one unit."""


class Units(Record):
    """What counts as one word: near-synonyms are permuted, and summed, as one unit.

    Only of tests in which some words are joined; in others every word is a unit.
    """

    threshold: float
    """Least mean cosine of the residuals, from the mean of the list, of two joined clusters."""
    clusters: Clusters
    sizes: UnitSizes
    level1: Level | None
    """The differential association of units; None where a group has one."""
    level2: UnitLevel2 | None = None
    """None where the measure has no level 2."""


class UnitsByRole(ByRole[tuple[tuple[str, ...], ...]]):
    """Some units of each group: the word, or stimulus, of each; of near-synonyms several."""


class Sensitivity(Record):
    """Units without which a p-value of level 1 is above alpha, or its difference of the other sign.

    The p-values belong to the first question of the finding, each None where it is above alpha
    with all words, or where it was not computed. Near-synonyms are left out together. Removals that
    leave a group too small for a test are not looked at.
    """

    these: UnitsByRole | None = None
    """Of the permutation test of these words."""
    new: UnitsByRole | None = None
    """Of the crossed test for other words."""
    adjusted: UnitsByRole | None = None
    """Of the crossed test at equal covariates."""


SentenceCounts = ByRole[dict[str, int]]
"""Used sentences of each stimulus, in order of its first one."""


class Cell(Record):
    """Level 3: the cosines, or log-ratios, of one target group with one attribute group."""

    mean: Magnitude
    sd: Magnitude | None
    """Standard deviation with n - 1; None for a single cosine."""
    n: int
    quantiles: tuple[Magnitude, Magnitude, Magnitude, Magnitude, Magnitude]
    """Minimum, lower quartile, median, upper quartile, maximum."""
    sampled: int | None = None
    """So many of the cosines are behind the quantiles, minimum and maximum included, where there
    are too many to compute; None where it is all. Mean and standard deviation are of all."""


Label = Literal[
    "AB-Divergent",
    "BA-Divergent",
    "A-Uniform",
    "B-Uniform",
    "AX-Singular",
    "BX-Singular",
    "AY-Singular",
    "BY-Singular",
    "Non-Directional",
]
Direction = Literal["Divergent", "Uniform", "Singular", "Non-Directional"]
Attribute = Literal["A", "B"]
CELLS = ("XA", "XB", "YA", "YB")


Level2 = BySide[Level]
"""Differential association of each target group, taken alone, with A and B."""


class Level3(Record):
    """Cosines of each target group with each attribute group."""

    XA: Cell
    XB: Cell
    YA: Cell
    YB: Cell


class Pattern(Record):
    """The EAT pattern, under the rule of the measure and under the two-sided rule."""

    label: Label
    direction: Direction
    two_sided_label: Label
    two_sided_direction: Direction
    X: Attribute | None
    """The attribute that X is associated with under the measure's rule, if any."""
    Y: Attribute | None
    alpha: float
    threshold: float
    tail: Literal["directional", "two-sided"]


class AdjustedLevel(Record):
    """One differential association given covariates of the words."""

    effect_size: Magnitude | None
    """The adjusted difference over the plain standard deviation of the union, so that it compares
    with the effect size that is not adjusted; over draws the mean of theirs. None without
    spread."""
    difference: Magnitude
    """Difference of the groups' means at equal covariates, by least squares."""
    n: tuple[int, int]
    """Words of the two groups that have the covariates."""
    p: PValues | StudentP
    """From the crossed test of units at equal covariates. If there is no table of associations,
    from the test of Freedman and Lane, which permutes residuals and recomputes the studentised
    difference."""
    shared: float = Field(ge=0.0, le=1.0)
    """Proportion of the variance of the groups' label that the covariates explain. Near 1 the
    groups can hardly be told from the covariates."""
    estimate: Magnitude | None = Field(default=None, exclude_if=is_none)
    """Of the crossed test, in units of the effect size, which it equals if no words are joined."""
    interval: Interval | None = None
    """Confidence interval of that estimate, for other words; None without a crossed test, or with
    less than one degree of freedom."""
    df: float | None = Field(default=None, exclude_if=is_none)
    """Degrees of freedom of that test."""


AdjustedLevel2 = BySide[AdjustedLevel]
"""Both level 2 associations given covariates."""


class AdjustedTerm(Record):
    """The adjusted association of one target term with A and B."""

    term: str
    group: Literal["X", "Y"]
    level2: AdjustedLevel


class AdjustedTarget(Record):
    """Proportions of one target, or of all, adjusted for covariates of the groups' words."""

    term: str
    deviation: tuple[float, ...] | None
    """Share less reference, for each group at equal covariates; None where it is undefined."""
    bias: Magnitude | None
    """Divergence of these shares from the reference."""
    p: Probability | None
    """Freedman and Lane's: of two groups of their difference, of more of F; None where the plain
    test of labels has none."""


class Adjusted(Record):
    """The associations that are left once covariates of the words are accounted for."""

    covariates: tuple[str, ...]
    """Names of the covariates; frequency stands for the logarithm of the rank and its square."""
    level1: AdjustedLevel | None = None
    """None where `warnings` says why."""
    level2: AdjustedLevel2 | None = None
    """None for a measure without a level 2, and where `warnings` says why."""
    pattern: Pattern | None = None
    """The EAT pattern of the adjusted level 2, by the rule of the result."""
    terms: tuple[AdjustedTerm, ...] | None = Field(default=None, exclude_if=is_none)
    """Of an SC-EAT: each target term."""
    targets: tuple[AdjustedTarget, ...] | None = Field(default=None, exclude_if=is_none)
    """Of a DivDist: each target."""
    concept: AdjustedTarget | None = Field(default=None, exclude_if=is_none)
    """Of a DivDist: all targets as one mean."""
    mean_bias: Magnitude | None = Field(default=None, exclude_if=is_none)
    """For DivDist: over targets that have a bias."""
    shared: float | None = Field(default=None, exclude_if=is_none)
    """Of a DivDist: share of the variance of the groups' labels that the covariates explain."""
    permutations: int | None = Field(default=None, exclude_if=is_none)
    """Of a DivDist: orders behind each p; None where all of them were looked at."""
    left_out: dict[str, tuple[str, ...]] = Field(default_factory=dict, exclude_if=is_empty)
    """Words without a value of some covariate, by group."""

    def columns(self) -> dict[str, str]:
        """The covariates and the pattern, as columns of a table."""
        pattern = {} if self.pattern is None else {"adjusted_pattern": self.pattern.label}
        return {"adjusted_for": ", ".join(self.covariates), **pattern}


class AttributeScores(ByGroup[tuple[float, ...]]):
    """Mean cosine u(T, a) of one target group with each attribute term, by A and B."""


class Scores(Record):
    """Association s(w, A, B) of each target term (X, Y), in the order of the coverage's used terms.

    Empty where there are more than 10,000 terms, sentences of a corpus.
    """

    X: tuple[float, ...]
    Y: tuple[float, ...]
    attributes_with_X: AttributeScores | None = Field(default=None, exclude_if=is_none)
    """u(X, a) of each attribute term; None for measures without a level 2, as the next."""
    attributes_with_Y: AttributeScores | None = Field(default=None, exclude_if=is_none)


UNDEFINED = "undefined"
"""Stands for the label of a pattern that is not defined."""


class Findings(Record):
    """Levels, pattern and uncertainty over terms, or over the stimuli that sentences are made of.

    None where the measure or the test does not define them.
    """

    level1: Level | None = Field(default=None, exclude_if=is_none)
    """The differential association of X and Y with A and B."""
    level2: Level2 | None = Field(default=None, exclude_if=is_none)
    """Differences of each target group with A and B."""
    pattern: Pattern | None = Field(default=None, exclude_if=is_none)
    """The EAT pattern."""
    scores: Scores | None = Field(default=None, exclude_if=is_none)
    """Association of each term, or mean association of each stimulus' sentences."""
    uncertainty: Uncertainty | None = Field(default=None, exclude_if=is_none)
    """Bootstrap intervals, and the proportion of each pattern."""
    influence: Influence | None = Field(default=None, exclude_if=is_none)
    """Change of each effect size without each term or stimulus; None where a group has one."""

    @property
    def label(self) -> str:
        """Label of the EAT pattern, or "undefined"."""
        return self.pattern.label if self.pattern else UNDEFINED

    @property
    def two_sided_label(self) -> str:
        """Label of the pattern under the two-sided rule, or "undefined"."""
        return self.pattern.two_sided_label if self.pattern else UNDEFINED

    def decisive_terms(self) -> dict[str, str]:
        """The terms without which the conclusion changes, as a column; none if not known."""
        if self.influence is None or self.influence.influential is None:
            return {}
        return {"influential": "; ".join(each.term for each in self.influence.influential)}

    def attribute(self, role: str) -> Attribute | None:
        """Return the attribute that X or Y is associated with."""
        return None if self.pattern is None else self.pattern[role]


class StimulusLevel(Findings):
    """The findings over stimuli: the associations of a stimulus' sentences are averaged first.

    Sentences of one stimulus are not independent, and some stimuli have more of them than others.
    Levels are None where the sentences of a group that they compare are made of one stimulus.
    """

    sentences: SentenceCounts


Model = Literal["dl", "pm"]
Variance = Literal["common", "ceat"]
Replace = Literal["auto", "always"]
Triple = tuple[float | None, float | None, float | None]


class CombinedEffect(Record):
    """Effect sizes of samples, combined by a random-effects model as in the published CEAT.

    Draws share their stimuli, which the model takes for independent: z and its p-values mostly
    measure how many samples were made.
    """

    samples: int
    """Draws with an effect size and a variance above 0."""
    effect_size: Magnitude
    """Mean of the effect sizes, weighted by 1 / (variance + tau2): equally, where the variance is
    common to all samples."""
    se: float
    interval: tuple[float, float]
    """Effect size plus and minus 1.96 standard errors."""
    z: float
    p: NormalP
    """Of z under a normal distribution, for comparison with published tables; no evidence."""
    tau2: float
    """Variance of effect sizes between draws beyond their sampling variance."""
    q: float
    """Cochran's Q."""
    i2: float
    """Proportion of the variation of effect sizes that is between draws."""
    prediction: tuple[float, float] | None
    """Where the effect size of another draw lies, with 95%; None for two draws."""


class VarianceShares(Record):
    """Where the variance of associations lies; shares of 1."""

    variance: float
    """Sum of the three components, in squared units of cosine, or squared nats."""
    contexts: float | None
    """Between contexts of one stimulus, or sentences of the same pairs; None where each has one
    alone."""
    stimuli: float
    """Between stimuli of one group; with the contexts, where those are not known apart."""
    groups: float
    """Between the two groups."""


class OverDraws(Record):
    """One effect size over draws."""

    undefined: int
    """Draws whose associations do not differ; they are left out."""
    sd: float | None
    """Standard deviation of the effect sizes; None for fewer than two."""
    quantiles: tuple[float, float, float, float, float] | None
    """2.5%, lower quartile, median, upper quartile, 97.5%; None where none is defined."""
    combined: CombinedEffect | None
    """As the measure's `variance` and its estimator say; None where fewer than two draws can be
    combined."""
    published: CombinedEffect | None
    """The combined effect size (CES) of Guo and Caliskan (2021): weights of 1 / (V + tau2), with
    the variance V of the associations of each sample and the tau2 of DerSimonian and Laird."""
    shares: VarianceShares | None
    """Of the associations of all contexts; None where they do not differ, and of fewer than three
    stimuli."""


Level2OverDraws = BySide[OverDraws]
"""Both level 2 effect sizes over draws."""


_COMBINED = ("effect_size", "se", "z", "tau2", "q", "i2")
_DRAWS_COLUMNS = {
    "sd_over_draws": "sd",
    **{f"combined_{name}": f"combined.{name}" for name in _COMBINED},
    **{f"combined_p_{tail}": f"combined.p.{tail}" for tail in TAILS},
    **{f"published_{name}": f"published.{name}" for name in ("effect_size", "se", "z")},
    "published_p_two_sided": "published.p.two_sided",
    "prediction_low": "combined.prediction.0",
    "prediction_high": "combined.prediction.1",
    **{f"variance_{name}": f"shares.{name}" for name in ("contexts", "stimuli", "groups")},
}
"""Columns of an effect size over draws, with the places of their numbers."""


class DrawsRecord(Part):
    """Many draws with their effect sizes: the field `samples` of a result."""

    drawn: ClassVar[str]
    """What one draw takes, as sentences name it."""
    varied: ClassVar[str]
    """What differs from draw to draw, in one word; a plural."""
    varied_of: ClassVar[str]
    """The same, of what it is."""

    count: int
    replace: Replace
    """``auto``: without replacement where there is a context for each sample."""
    model: Model
    """How tau2 was estimated: DerSimonian-Laird or Paule-Mandel."""
    variance: Variance
    """What stands for the sampling variance of an effect size: one number for all samples
    (``common``), or a function of each sample."""
    level1: OverDraws
    level2: Level2OverDraws
    patterns: dict[str, float]
    """Proportion of the samples that show each of the nine EAT patterns, under the measure's
    rule."""
    p_error: float
    """Standard error of a p-value near alpha behind these shares; 0 where it is exact."""
    kept: tuple[Triple, ...]
    """Effect sizes d, d of X and d of Y of the first draws, to 4 decimals: 2,000 at most."""
    kept_patterns: str = Field(default="", pattern=r"^[0-8]*$", exclude_if=is_empty)
    """The EAT pattern of each of these, a digit each: its place among the nine labels, 0 for
    AB-Divergent to 8 for Non-Directional."""

    def columns(self) -> dict[str, Any]:
        """The number of samples, as a column of a table."""
        return {"samples": self.count}

    def effect_columns(self, place: str) -> dict[str, Any]:
        """What draws say of one effect size, as columns of a table."""
        over = part_at(self, place, OverDraws)
        return {name: at(over, within) for name, within in _DRAWS_COLUMNS.items() if over}


def draws_of(result: object) -> DrawsRecord | None:
    """The samples of a result; None of one that has none."""
    return part_at(result, "samples", DrawsRecord)
