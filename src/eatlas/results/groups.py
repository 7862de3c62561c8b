"""Parts of records of targets against k groups: shares, deviations, tests of labels, values."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from eatlas.results.parts import Bounds, Method, Probability, Record, is_empty, is_none

Interval = tuple[float, float]


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
    selectivity: float
    """Accuracy less that of the control."""
    calibration_error: float
    """Expected calibration error: mean distance of predicted probability and accuracy in ten
    equal bins, weighted by contexts."""
    labels: Literal["words", "people"] = Field("words", exclude_if=lambda one: one == "words")
    """Who labelled the contexts: the words of the groups in their texts, or people."""
    unlabelled: int = Field(0, ge=0, exclude_if=lambda one: not one)
    """Contexts without a label, which a classifier of all labelled ones assigned."""
