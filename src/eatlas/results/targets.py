"""Records of measures of targets against k groups: shares, deviations from a reference, biases."""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import cache, cached_property
from importlib import resources
from typing import Any, ClassVar, Literal

from pydantic import Field

from eatlas.decoding import own_toml
from eatlas.numbers import effect, p_equals
from eatlas.results.base import GroupsResult, SoftmaxResult
from eatlas.results.effects import Effect, Rule
from eatlas.results.finding import Question
from eatlas.results.levels import AdjustedTarget, EffectInterval, Interval, PValues
from eatlas.results.parts import (
    TAILS,
    Bounds,
    Method,
    Probability,
    Record,
    is_empty,
    is_none,
)
from eatlas.stats.multiplicity import holm_adjusted
from eatlas.stimuli.kinds import OF_TARGETS


class ShareIntervals(Record):
    """Percentile intervals over resamples of word lists, and of contexts; None where undefined.

    Of counts of contexts the intervals of deviations are Jeffreys', and those of biases over draws
    from the posterior of the proportions.
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
    """Permutations at least as extreme, of all or of the sampled ones; None where they were not
    counted, and beyond what a reader of JSON takes."""
    interval: Bounds | None = Field(default=None, exclude_if=is_empty)
    """Clopper and Pearson's 95% interval of p, where permutations were sampled."""


class LabelDesign(Record):
    """What is relabelled, and how."""

    statistic: str
    """In words."""
    sizes: tuple[int, ...]
    """Words of each group."""
    total: int | None
    """All permutations; None where they are too many for a reader of JSON."""
    permutations: int | None
    """So many were sampled for targets; None where none was."""
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
    """Proportion minus reference, by group: above 0 if the target is associated with the group."""
    bias: float | None
    """Divergence of the distribution from the reference; None where it is undefined."""
    signed: float | None = Field(default=None, exclude_if=is_none)
    """Of two groups, the deviation of the first: half the L1 distance, with a sign."""
    uncertainty: ShareIntervals | None = None
    labels: LabelTest | None = None
    """None where words of groups are not what associates, where the reference is another than the
    proportions that permutation tests, and where no test was requested."""
    contexts: int | None = Field(default=None, ge=0, exclude_if=is_none)
    """Behind the proportions, where contexts were counted."""


class TargetValue(Record):
    """What was found of one target."""

    term: str
    association: tuple[float | None, ...] | None
    """With each group, in their order; None where the measure has no such numbers."""
    value: float | None
    """None where it is undefined."""
    counts: tuple[float, ...] | None = Field(default=None, exclude_if=is_none)
    """With each group, of measures of counts; of pairs of sentences, how many go each way."""
    interval: Interval | None = Field(default=None, exclude_if=is_none)
    p: Probability | None = Field(default=None, exclude_if=is_none)
    """Two-sided."""
    difference: float | None = Field(default=None, exclude_if=is_none)
    """For pairs of sentences: mean score of the more stereotyping one minus the other."""


class PairOfGroups(Record):
    """Signed cosines of all targets with the difference of two groups."""

    groups: tuple[str, str]
    """Above 0 on the side of the first."""
    skew: float | None
    """Mean; None where the groups do not differ."""
    stereotype: float | None
    """Standard deviation over all targets, with n."""


class TargetsResult(GroupsResult):
    """A result with a finding for each target: associations, shares, deviations, a bias.

    Presenters read `by_target`, `whole` and `mean_bias`; a record of another measure of groups
    that fills these in is shown alike.
    """

    places: ClassVar[tuple[str, ...]] = ("mean_bias", "concept")
    brief: ClassVar[tuple[str, ...]] = ("bias", "bias_low", "bias_high", "p", "p_holm")
    targets: tuple[TargetShares, ...]
    concept: TargetShares | None = None
    """The target concept as one mean."""
    mean_bias: float | None
    """Mean bias of the targets that have one."""
    mean_bias_interval: Interval | None = None
    resamples: int = 0
    """Bootstrap resamples behind the intervals; 0 for none."""
    confidence: float | None = None
    """Of the intervals."""
    labels: LabelDesign | None = None
    """Of the permutation test; None where there is none."""

    @property
    def view(self) -> str:
        """Counts, if the proportions are of contexts."""
        counted = any(target.contexts is not None for target in self.targets)
        return "counts" if counted else super().view

    @property
    def by_target(self) -> tuple[TargetShares, ...]:
        """What was found of each target."""
        return self.targets

    @cached_property
    def holm(self) -> tuple[float | None, ...]:
        """Holm's adjusted p of each target, over all targets with a p."""
        return tuple(holm_adjusted(None if t.labels is None else t.labels.p for t in self.targets))

    def effect(self, place: str) -> Effect:
        """The mean bias, or the bias of the concept as a whole."""
        concept = self.concept.bias if self.concept else None
        values = {
            "mean_bias": ("mean_bias", "Mean bias of targets", self.mean_bias),
            "concept": ("concept_bias", "Bias of the concept", concept),
        }
        name, title, value = values[place]
        return Effect(
            place=name,
            title=title,
            roles=tuple(self.concepts),
            names=(self.concepts[OF_TARGETS],),
            d=value,
            rule=Rule(),
            symbol=title,
            in_family=False,
        )

    def rows(self) -> list[dict[str, Any]]:
        """One row for each target, with a column for each group."""
        left = self.adjusted and self.adjusted.targets
        after = map(self._after, left) if left else itertools.repeat({}, len(self.targets))
        return [
            self.head() | self._row(target) | {"p_holm": adjusted} | columns
            for target, adjusted, columns in zip(self.targets, self.holm, after, strict=True)
        ]

    def _after(self, target: AdjustedTarget) -> dict[str, Any]:
        """Columns of one target given covariates."""
        away = target.deviation or (None,) * len(self.groups)
        row: dict[str, Any] = {
            f"adjusted_deviation_{group}": value
            for group, value in zip(self.groups, away, strict=True)
        }
        about = self.adjusted.columns() if self.adjusted else {}
        return row | {"adjusted_bias": target.bias, "adjusted_p": target.p} | about

    def _row(self, target: TargetShares) -> dict[str, Any]:
        """Columns of one target."""
        row: dict[str, Any] = {"term": target.term}
        nothing = (None,) * len(self.groups)
        for name, values in (
            ("association", target.association),
            ("share", target.distribution),
            ("reference", self.reference_of(target.term)),
            ("deviation", target.deviation),
        ):
            row |= {f"{name}_{g}": v for g, v in zip(self.groups, values or nothing, strict=True)}
        uncertainty = target.uncertainty
        deviations = uncertainty.deviation if uncertainty else ()
        for group, ends in zip(self.groups, deviations, strict=False):
            low, high = ends or (None, None)
            row |= {f"deviation_low_{group}": low, f"deviation_high_{group}": high}
        low, high = (uncertainty and uncertainty.bias) or (None, None)
        row |= {"bias": target.bias, "bias_low": low, "bias_high": high}
        if target.contexts is not None:
            row["contexts"] = target.contexts
        return row | {"p": target.labels.p if target.labels else None}

    def numbers(self) -> dict[str, float | None]:
        """The targets as a few numbers; see :meth:`AssociationResult.metrics`."""
        numbers = super().numbers()
        del numbers["p"], numbers["p_two_sided"]  # each target has its own
        low, high = self.mean_bias_interval or (None, None)
        p_holm = min((p for p in self.holm if p is not None), default=None)
        return numbers | {"low": low, "high": high, "p_holm": p_holm}

    def summary(self) -> str:
        """The mean bias and the targets that lean most."""
        if self.mean_bias is None:
            return "no bias is defined"
        top = max(self.targets, key=lambda target: target.bias or 0.0)
        return f"mean bias {self.mean_bias:.3f}, largest {top.bias or 0.0:.3f} ({top.term})"


class DivDistResult(TargetsResult, SoftmaxResult):
    """What DivDist found: for each target a distribution over groups, and its divergence."""

    display_name: ClassVar[str] = "DivDist"
    full_name: ClassVar[str] = "DivDist (Bommasani and Liang 2022)"

    measure: Literal["divdist"] = "divdist"

    @property
    def glossary(self) -> tuple[str, ...]:  # type: ignore[override]
        """Readings, of ``soa=softmax``."""
        return () if self.logit_scale is None else ("glossary_readings",)


class Range(Record):
    """What a number of a measure can be, and how it is read."""

    unit: str
    """What it is counted in, such as "cosine"."""
    low: float | None = None
    """The smallest that is possible; None where there is no limit."""
    high: float | None = None
    """The largest that is possible; None where there is no limit."""
    neutral: float | None = None
    """The number that shows no bias; None where no number does."""
    larger: str | None = None
    """The group that larger numbers are closer to; None where they have no direction."""


class TargetValuesResult(GroupsResult):
    """Result of a measure with one number for each target and one for all.

    Presenters read `value`, `values`, `whole` and `each`; a record of another measure of groups
    that fills these in is shown alike.
    """

    places: ClassVar[tuple[str, ...]] = ("value",)
    tested: ClassVar[str] = "with the labels of the groups' terms permuted"
    """How the p-values come about."""

    value: float | None
    """The number for all targets; None where it is undefined."""
    p_values: PValues | None = Field(default=None, alias="p")
    """Of `value`, over permutations of the terms of the two groups; None where the measure has
    none."""
    whole: Range
    """How `value` is read."""
    each: Range
    """How the values of single targets are read."""
    targets: tuple[TargetValue, ...]
    """In the order of the used terms."""
    interval: Interval | None = Field(default=None, exclude_if=is_none)
    """Of `value`."""
    confidence: float | None = Field(default=None, exclude_if=is_none)
    """Of the intervals."""
    pairwise: tuple[PairOfGroups, ...] = Field(default=(), exclude_if=is_empty)
    """Only for SAME: each pair of groups."""

    @cached_property
    def holm(self) -> tuple[float | None, ...]:
        """Holm's adjusted p of each target, over all targets with a p."""
        return tuple(holm_adjusted(target.p for target in self.targets))

    def answer(self, question: Question) -> dict[str, Question]:
        """What the result answers, if `question` is what its targets show: that alone."""
        return {"targets": question}

    @property
    def view(self) -> str:
        """Counts where these are what is compared."""
        counted = any(target.counts is not None for target in self.targets)
        return "counts" if counted else super().view

    @property
    def values(self) -> tuple[TargetValue, ...]:
        """The number of each target."""
        return self.targets

    def effect(self, place: str) -> Effect:
        """The number for all targets."""
        ends = EffectInterval(se=None, interval=self.interval) if self.interval else None
        own: dict[str, Any] = {"p": self.p_values, "resampled": ends, "confidence": self.confidence}
        return replace(super().effect(place), **own)

    def rows(self) -> list[dict[str, Any]]:
        """One row for each target: its number, those by group, and the number for all."""
        whole = {self.measure.replace("-", "_"): self.value}
        if self.p_values is not None:
            whole |= {f"p_{tail}": self.p_values[tail] for tail in TAILS}
        for pair in self.pairwise:
            names = "_".join(pair.groups)
            whole |= {f"skew_{names}": pair.skew, f"stereotype_{names}": pair.stereotype}
        return [
            {
                **self.head(),
                "term": target.term,
                "value": target.value,
                **{
                    f"association_{group}": number
                    for group, number in zip(self.groups, target.association or (), strict=False)
                },
                **self._count_columns(target, adjusted),
                **whole,
            }
            for target, adjusted in zip(self.targets, self.holm, strict=True)
        ]

    def _count_columns(self, target: TargetValue, adjusted: float | None) -> dict[str, Any]:
        """Columns of one target of a measure of counts."""
        if target.counts is None:
            return {}
        counts = zip(self.groups, target.counts, strict=True)
        low, high = target.interval or (None, None)
        p = {"low": low, "high": high, "p": target.p, "p_holm": adjusted}
        return {f"count_{group}": count for group, count in counts} | p

    def summary(self) -> str:
        """The number with its p, and the targets at either end."""
        text = f"{self.display_name} = {effect(self.value, 3)}"
        if self.p_values is not None:
            text += f", two-sided {p_equals(self.p_values.two_sided, self.rule.alpha)}"
        values = sorted(
            (target.value, target.term) for target in self.targets if target.value is not None
        )
        if len(values) < 2:
            return text
        whole = all(value.is_integer() for value, _ in values)  # such as differences of ranks
        ends = [
            f"{term} ({effect(value, 0 if whole else 3)})"
            for value, term in (values[0], values[-1])
        ]
        return f"{text}; targets from {ends[0]} to {ends[1]}"


@cache
def earlier() -> dict[str, dict[str, str]]:
    """Short and full names of the measures that share this record, and a note on each."""
    return own_toml(resources.files("eatlas.results") / "data" / "earlier.toml")


Named = Literal[
    "direct-bias", "indirect-bias", "ripa", "semaxis", "rnd", "mac", "ect", "rnsb",
    "same", "generalised-weat",
]  # fmt: skip


class EarlierResult(TargetValuesResult):
    """Result of a measure that came before DivDist, or of SAME or the generalised WEAT.

    The others are :class:`eatlas.RND`, :class:`eatlas.MAC`, :class:`eatlas.RIPA`,
    :class:`eatlas.RNSB`, :class:`eatlas.ECT`, :class:`eatlas.SemAxis`,
    :class:`eatlas.DirectBias` and :class:`eatlas.IndirectBias`.
    """

    measure: Named
    neighbours: dict[str, tuple[str, ...]] = Field(default_factory=dict, exclude_if=is_empty)
    """Of SemAxis with softened poles the nearest words of each term of a group."""

    @property
    def display_name(self) -> str:  # type: ignore[override]
        """Name of the measure in texts."""
        return earlier()[self.measure]["short"]

    @property
    def full_name(self) -> str:  # type: ignore[override]
        """The measure as a methods section names it."""
        return earlier()[self.measure]["full"]

    @property
    def remark(self) -> str:  # type: ignore[override]
        """A sentence that a reader of any result of the measure needs."""
        return earlier()[self.measure]["remark"]

    @property
    def tested(self) -> str:  # type: ignore[override]
        """How the p-values come about."""
        return earlier()[self.measure].get("tested", super().tested)
