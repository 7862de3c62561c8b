"""Effect sizes with their p-values, level by level: the parts that records of association share."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from eatlas.results.inference import Influence, Interval, Uncertainty
from eatlas.results.parts import (
    Bounds,
    ByGroup,
    ByRole,
    BySide,
    ByTail,
    Magnitude,
    Method,
    Probability,
    Record,
    is_empty,
    is_none,
)
from eatlas.stimuli.kinds import ATTRIBUTES

Methods = ByTail[Method]
"""How each tail's p-value was found."""
Counts = ByTail[int | None]
"""A number of relabellings for each tail."""
Errors = ByTail[float | None]
"""A relative error for each tail."""


class Ends(ByTail[Bounds | None]):
    """Both ends of an interval for each tail."""


class NormalP(ByTail[Probability]):
    """P-values of z under a normal distribution."""


class PValues(Record):
    """Permutation p-values of one statistic t, over all relabellings of one size.

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
    """The relabellings counted that are at least as extreme, where at least one tail is exact; None
    of a tail where they were not counted, and of numbers with more than 3,900 digits."""
    total: int | None
    """The number of all relabellings, C(N, n); None where it has more than 3,900 digits, as with
    more than 13,000 terms, since readers of JSON refuse it."""
    min_p: Probability
    """The smallest p-value this design can give, 1 / total, unless inequalities are strict."""
    rel_err: Errors | None = None
    """Stated relative error; None of a tail that is exact or drawn."""
    interval: Ends | None = None
    """95% confidence interval; None of a tail that was not drawn at random."""
    draws: Counts | None = None
    """Random relabellings; None of a tail that was not drawn at random."""

    def method_of(self, name: str) -> str:
        """Return how one tail's p-value was found."""
        return self.method if isinstance(self.method, str) else str(self.method[name])

    def count_of(self, name: str) -> int | None:
        """Return how many relabellings one tail counts, where they were counted."""
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


class AttributeScores(ByGroup[tuple[float, ...]]):
    """Mean cosine u(T, a) of one target group with each attribute term."""

    names: ClassVar = ATTRIBUTES


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

    Each is None where the measure, or the test, does not have it.
    """

    level1: Level | None = Field(default=None, exclude_if=is_none)
    """The differential association of X and Y with A and B."""
    level2: Level2 | None = Field(default=None, exclude_if=is_none)
    """That of each target group with A and B."""
    pattern: Pattern | None = Field(default=None, exclude_if=is_none)
    """The EAT pattern."""
    scores: Scores | None = Field(default=None, exclude_if=is_none)
    """Association of each term, or mean association of each stimulus' sentences."""
    uncertainty: Uncertainty | None = Field(default=None, exclude_if=is_none)
    """Bootstrap intervals, and the share of each pattern."""
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
    """Effect sizes of draws, combined by a random-effects model as in the published CEAT.

    Draws share their stimuli, which the model takes for independent: z and its p-values mostly
    measure how many draws were made.
    """

    draws: int
    """Draws with an effect size and a variance above 0."""
    effect_size: Magnitude
    """Mean of the effect sizes, weighted by 1 / (variance + tau2): equally, where the variance is
    common to all draws."""
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
    """Share of the variation of effect sizes that is between draws."""
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
    """None where fewer than two draws can be combined."""
    shares: VarianceShares | None
    """Of the associations of all contexts; None where they do not differ, and of fewer than three
    stimuli."""


Level2OverDraws = BySide[OverDraws]
"""Both level 2 effect sizes over draws."""


class DrawsRecord(Record):
    """Many draws, and the effect sizes of each."""

    drawn: ClassVar[str]
    """What one draw takes, as sentences name it."""
    varied: ClassVar[str]
    """What differs from draw to draw, in one word; a plural."""
    varied_of: ClassVar[str]
    """The same, of what it is."""

    count: int
    replace: Replace
    """``auto``: without replacement where there is a context for each draw."""
    model: Model
    """How tau2 was estimated: DerSimonian-Laird or Paule-Mandel."""
    variance: Variance
    """What stands for the sampling variance of an effect size: one number for all draws
    (``common``), or a function of each draw."""
    level1: OverDraws
    level2: Level2OverDraws
    patterns: dict[str, float]
    """Share of the draws that show each of the nine EAT patterns, under the measure's rule."""
    p_error: float
    """Standard error of a p-value near alpha behind these shares; 0 where it is exact."""
    kept: tuple[Triple, ...]
    """Effect sizes d, d of X and d of Y of the first draws, to 4 decimals: 2,000 at most."""
    kept_patterns: str = Field(default="", pattern=r"^[0-8]*$", exclude_if=is_empty)
    """The EAT pattern of each of these, a digit each: its place among the nine labels, 0 for
    AB-Divergent to 8 for Non-Directional; empty in files of versions that did not keep it."""


class ShareIntervals(Record):
    """Percentile intervals over resamples of word lists, and of contexts; None where undefined.

    Of counts of contexts the intervals of deviations are Jeffreys', and those of biases over draws
    from the posterior of the shares.
    """

    bias: Interval | None
    """Of a number that is never below 0, and whose interval is not either: whether there is a bias
    at all is read from the deviations."""
    deviation: tuple[Interval | None, ...]
    """For each group."""


class LabelTest(Record):
    """Whether a target's associations with the words of the groups depend on the groups."""

    p: Probability
    method: Method
    """How p was found; two-sided for two groups."""
    count: int | None
    """Relabellings at least as extreme, of all or of those drawn; None where they were not counted,
    and beyond what a reader of JSON takes."""
    interval: Bounds | None = Field(default=None, exclude_if=is_empty)
    """Clopper and Pearson's 95% interval of p, where relabellings were drawn."""


class LabelDesign(Record):
    """What is relabelled, and how."""

    statistic: str
    """In words."""
    sizes: tuple[int, ...]
    """Words of each group."""
    total: int | None
    """All relabellings; None where they are too many for a reader of JSON."""
    draws: int | None
    """So many were drawn for targets; None where none was."""
    min_p: Probability
    """The smallest p that the design can give: 1 / total, or 1 / (draws + 1)."""


class TargetShares(Record):
    """What was found of one target, or of the concept of all targets as one mean.

    Values by group are in the order of the result's ``groups``.
    """

    term: str
    """The target; of the concept, its name."""
    association: tuple[float | None, ...]
    """Strength of association with each group; None where it is not defined."""
    distribution: tuple[float, ...] | None
    """The associations as shares that sum to 1; None where they cannot be."""
    deviation: tuple[float, ...] | None
    """Share less reference, for each group: above 0 where the target leans to it."""
    bias: float | None
    """Divergence of the distribution from the reference; None where it is undefined."""
    signed: float | None = Field(default=None, exclude_if=is_none)
    """Of two groups, the deviation of the first: half the L1 distance, with a sign."""
    uncertainty: ShareIntervals | None = None
    labels: LabelTest | None = None
    """None where words of groups are not what associates, where the reference is another than the
    shares that relabelling tests, and where no test was requested."""
    contexts: int | None = Field(default=None, ge=0, exclude_if=is_none)
    """Behind the shares, where contexts were counted."""


class TargetValue(Record):
    """What was found of one target."""

    term: str
    association: tuple[float | None, ...] | None
    """With each group, in their order; None where the measure has no such numbers."""
    value: float | None
    """None where it is undefined."""


class Probe(Record):
    """How well a linear classifier distinguishes the groups, in contexts that it has not seen."""

    folds: int
    contexts: dict[str, int]
    """Labelled contexts of each group, and of none."""
    accuracy: float
    """Share of contexts whose label is predicted, in folds that were held out."""
    balanced_accuracy: float
    """Mean of that share over labels."""
    majority: float
    """Share of the most frequent label, which a guess reaches."""
    control_accuracy: float
    """The same classifier trained and tested on shuffled labels."""
    labels: Literal["words", "people"] = Field("words", exclude_if=lambda one: one == "words")
    """Who labelled the contexts: the words of the groups in their texts, or people."""
    unlabelled: int = Field(0, ge=0, exclude_if=lambda one: not one)
    """Contexts without a label, which a classifier of all labelled ones assigned."""
