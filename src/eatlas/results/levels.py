"""Effect sizes with their p-values, level by level: the parts that records of association share."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import (
    Field,
)

from eatlas.results.inference import Influence, Uncertainty
from eatlas.results.parts import (
    OF_ROLES,
    Bounds,
    ByGroup,
    ByTail,
    Magnitude,
    Method,
    Probability,
    Record,
    is_empty,
)
from eatlas.stimuli.association_test import ATTRIBUTES, TARGETS


class Methods(ByTail[Method]):
    """How each tail's p-value was found, where they differ."""


class Counts(ByTail[int | None]):
    """Relabellings at least as extreme, for each tail.

    None where they were not counted, and where the number has more than 3,900 digits.
    """


class RelativeErrors(ByTail[float | None]):
    """Stated relative error of each tail's p-value; None where it is exact or bracketed."""


class Brackets(ByTail[Bounds | None]):
    """Rigorous [lower, upper] of each tail's p-value; None where it is known closer."""


class Intervals(ByTail[Bounds | None]):
    """95% confidence interval of each tail's p-value; None where it was not drawn at random."""


class Draws(ByTail[int | None]):
    """Random relabellings behind each tail's p-value; None where it was not drawn at random."""


class NearTies(Record):
    """Counts without the relabellings that tie by the precision of computed vectors alone.

    ``count`` includes every relabelling whose statistic is within the tolerance of the observed
    one. Here those are left out, above and below it, but for the ones that equal it.
    """

    tolerance: float
    """Sums of the first group's scores tie when they differ by at most this."""
    without: Counts
    """Relabellings that are beyond the tolerance, or equal the observed one."""


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
    """The relabellings counted, where at least one tail is exact."""
    total: int | None
    """The number of all relabellings, C(N, n); None where it has more than 3,900 digits, as with
    more than 13,000 terms, since readers of JSON refuse it."""
    min_p: Probability
    """The smallest p-value this design can give, 1 / total, unless inequalities are strict."""
    rel_err: RelativeErrors | None = None
    bracket: Brackets | None = None
    interval: Intervals | None = None
    draws: Draws | None = None
    near_ties: NearTies | None = Field(default=None, exclude_if=is_empty)
    """Of computed vectors, where a count includes near ties; None where it has none."""

    def tail(self, name: str) -> float:
        """Return the p-value of one tail."""
        value: float = getattr(self, name)
        return value

    def low(self, name: str) -> float | None:
        """Return the certain lower bound of one tail of which only bounds are known, else None.

        The p-value itself is then the upper bound.
        """
        bounds: Bounds | None = None if self.bracket is None else getattr(self.bracket, name)
        return None if bounds is None else bounds[0]

    def method_of(self, name: str) -> str:
        """Return how one tail's p-value was found."""
        return self.method if isinstance(self.method, str) else str(getattr(self.method, name))

    def count_of(self, name: str) -> int | None:
        """Return how many relabellings one tail counts, where they were counted."""
        return None if self.count is None else getattr(self.count, name)


class Level(Record):
    """One differential association: its effect size and its permutation p-values."""

    effect_size: Magnitude | None
    """Difference of means over the standard deviation of the union; None without spread."""
    difference: Magnitude
    """The same difference in units of what associates: of cosine, or nats of LPBS."""
    n: tuple[int, int]
    """Sizes of the two groups whose labels are permuted."""
    p: PValues


def effect_of(level: Level | None) -> float | None:
    """Effect size of a level that may be undefined."""
    return None if level is None else level.effect_size


class TargetScores(Record):
    """Association s(w, A, B) of each target term, in the order of the coverage's used terms.

    Empty where there are more than 10,000 terms, sentences of a corpus.
    """

    X: tuple[float, ...]
    Y: tuple[float, ...]


class SentenceCounts(ByGroup[dict[str, int]]):
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


class Level2(ByGroup[Level]):
    """Differential association of each target group, taken alone, with A and B."""

    names: ClassVar = TARGETS


class Level3(Record):
    """Cosines of each target group with each attribute group."""

    XA: Cell
    XB: Cell
    YA: Cell
    YB: Cell

    def cell(self, name: str) -> Cell:
        """Return one of XA, XB, YA, YB."""
        cell: Cell = getattr(self, name)
        return cell


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

    def of(self, role: str) -> Attribute | None:
        """Return the attribute that X or Y is associated with."""
        attribute: Attribute | None = getattr(self, role)
        return attribute


class AttributeScores(ByGroup[tuple[float, ...]]):
    """Mean cosine u(T, a) of one target group with each attribute term."""

    names: ClassVar = ATTRIBUTES


class StimulusWEAT(Record):
    """A WEAT over stimuli: the associations of a stimulus' sentences are averaged first.

    Sentences of one stimulus are not independent, and some stimuli have more of them than others.
    """

    sentences: Annotated[SentenceCounts, OF_ROLES]
    level1: Level | None
    """None where the sentences of X, or of Y, are made of one stimulus."""
    scores: TargetScores
    """Mean association of each stimulus' sentences, in the order of `sentences`."""
    uncertainty: Uncertainty | None = None
    """Intervals of these effect sizes, from the same resamples as those of the sentences', and how
    often each EAT pattern over stimuli is seen."""
    influence: Influence | None = None
    """Change of these effect sizes without each stimulus; None where a group has one
    stimulus alone, and in older results."""


class Scores(TargetScores):
    """Per-term associations: s(w, A, B) of targets (X, Y), u(T, a) of attributes."""

    attributes_with_X: AttributeScores
    attributes_with_Y: AttributeScores


class StimulusMLEAT(StimulusWEAT):
    """An ML-EAT over stimuli: levels 1 and 2, and their pattern.

    At level 2 the associations of an attribute stimulus' sentences are averaged first.
    """

    level2: Level2 | None
    """None where the sentences of A, or of B, are made of one stimulus."""
    pattern: Pattern | None
    """None where level 2 is."""
    scores: Scores
    """Mean association of each stimulus' sentences, in the order of `sentences`."""
