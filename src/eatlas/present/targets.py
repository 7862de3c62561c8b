"""Targets of a result: their shares of k groups, or a number of each; in order and in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from eatlas.errors import join_names
from eatlas.numbers import MINUS, UNDEFINED, effect, number_of, percent
from eatlas.present.effects import title_after
from eatlas.present.rendering import FILTERS, lines
from eatlas.present.text import isolate
from eatlas.results import AssociationResult
from eatlas.results.settings import source_name

if TYPE_CHECKING:
    from eatlas.results.levels import AdjustedTarget
    from eatlas.results.targets import TargetShares, TargetsResult, TargetValue, TargetValuesResult

Target = TypeVar("Target")

ENDS = 6
"""Targets that a terminal shows at either end."""
DECIMALS = 3
"""Of numbers of single targets: many a mean of them is 0 to two."""
ALPHA = 0.05
UNIFORM = "uniform"
"""Equal shares, the usual reference."""
MOST_DECIMALS = 1e-9
"""A smaller bias is shown as 0."""


@dataclass(frozen=True)
class Lean:
    """One target, and how a table or a figure shows it."""

    shown: TargetShares
    groups: tuple[str, ...]
    adjusted: float | None = None
    """Holm's adjusted p over the targets of the result."""
    after: AdjustedTarget | None = None
    """What is left after covariates."""

    @property
    def points(self) -> tuple[float | None, ...]:
        """Share less reference of each group, in percentage points."""
        deviation = self.shown.deviation or (None,) * len(self.groups)
        return tuple(None if value is None else 100 * value for value in deviation)

    @property
    def intervals(self) -> tuple[tuple[float, float] | None, ...]:
        """Their intervals."""
        unsure = self.shown.uncertainty
        ends = (None,) * len(self.groups) if unsure is None else unsure.deviation
        return tuple(pair and (100 * pair[0], 100 * pair[1]) for pair in ends)

    @cached_property
    def towards(self) -> int | None:
        """The group whose share is above its reference by most, where its interval says so."""
        deviation = self.shown.deviation
        if deviation is None or max(deviation) <= 0 or self.is_reversed:
            return None
        group = deviation.index(max(deviation))
        ends = self.intervals[group]
        sure = self.shown.uncertainty is None or (ends is not None and ends[0] > 0)
        return group if sure else None

    @property
    def term(self) -> str:
        """The target."""
        return self.shown.term

    @property
    def is_clipped(self) -> bool:
        """Whether a share is 0 only because an association below 0 counts as 0."""
        return self.shown.contexts is None and 0.0 in (self.shown.distribution or ())

    @property
    def is_reversed(self) -> bool:
        """Whether the largest share is not that of the largest association.

        Raw associations that sum to less than 0 turn the order of the groups.
        """
        shares, associations = self.shown.distribution, self.shown.association
        if shares is None or None in associations:
            return False
        near = [association or 0.0 for association in associations]
        return shares.index(max(shares)) != near.index(max(near))

    @property
    def star(self) -> bool:
        """Whether the adjusted p is below .05."""
        return self.adjusted is not None and self.adjusted < ALPHA

    @property
    def sentence(self) -> str:
        """Its group, and by how much: "nurse is closer to Female, by 5 points"."""
        name = isolate(self.term)
        if self.shown.deviation is None:
            return f"{name} has no bias that is defined"
        if self.is_reversed:
            return f"{name} has associations that sum to less than 0, so no group is shown"
        if self.towards is None:
            unsure = self.shown.uncertainty is not None and None in self.intervals
            return f"{name} has no interval" if unsure else f"{name} is closer to no group"
        by = self.points[self.towards] or 0.0
        text = f"{by:.{0 if abs(by) >= 0.95 else 1}f}"
        group = isolate(self.groups[self.towards])
        return f"{name} is closer to {group}, by {text} point{'s' * (text != '1')}"


@dataclass(frozen=True)
class Leans:
    """All targets of a result in the order in which they are shown.

    Of two groups, from the target nearest to the first to the target nearest to the second; of
    several, from the largest bias to the smallest. Undefined ones are last.
    """

    result: TargetsResult
    rows: tuple[Lean, ...]
    known: tuple[Lean, ...]
    """Those with a bias that is defined."""
    whole: Lean | None
    """The concept of all targets as one mean."""
    groups: tuple[str, ...]
    columns: tuple[int, ...]
    """Groups whose deviations have a column: of two the first alone, as both are opposite."""
    counted: bool
    """Whether contexts were counted, so that each target has a number of them."""

    def meaning(self, ends: str) -> str:
        """What points and their intervals are, which are drawn or written as `ends`."""
        towards = "above 0 towards the group"
        if len(self.groups) == 2:
            first, second = map(isolate, self.groups)
            towards = f"above 0 towards {first}, below 0 towards {second}"
        text = f"Points: proportion minus reference, in percentage points; {towards}."
        if self.result.resamples:
            kind = f"bootstrap percentile intervals ({self.result.resamples:,} samples)"
            if self.counted:
                kind = "Jeffreys intervals of proportions of the contexts"
            text += f" {ends}: {self.result.confidence or 0:.0%} {kind}."
        return text

    def legend(self, *, after: bool = True) -> str:
        """What the numbers of a table are, with those after covariates or without."""
        texts = [self.meaning("Intervals")]
        if self.result.labels is not None:
            texts.append(
                "p: permutation of the words' labels; * p after Holm over all targets < .05."
            )
        if after and self.result.adjusted is not None:
            what = "points" if len(self.columns) == 1 else "bias"
            names = self.result.adjusted.covariates
            texts.append(
                f"{title_after([self.result])}: {what} and p at equal {join_names(names)}."
            )
        return " ".join(texts)

    @property
    def reference(self) -> str:
        """What the shares are compared with."""
        shown = self.result
        test, on, source = shown.reference_from.rpartition(" on ")
        came = f" from {test}{on}{source_name(source)}" if source else ""
        if shown.references:
            of = number_of(len(shown.references), "target")
            return f"proportions of its own for each target{came} ({of})"
        if len(set(shown.reference)) == 1 and not came:
            return UNIFORM
        pairs = zip(shown.groups, shown.reference, strict=True)
        return ", ".join(f"{isolate(group)} {share:.3g}" for group, share in pairs) + came

    @cached_property
    def examples(self) -> list[Lean]:
        """Of those beyond chance the one that leans most to each group; no share is cut off."""
        strongest: dict[int, Lean] = {}
        for lean in sorted(self.known, key=lambda lean: max(lean.shown.deviation or (0.0,))):
            if lean.star and not lean.is_clipped and lean.towards is not None:
                strongest[lean.towards] = lean
        return sorted(strongest.values(), key=lambda lean: -(lean.shown.bias or 0.0))


def leans(result: AssociationResult) -> Leans:
    """Arrange the targets of a result whose ``by_target`` is there."""
    shown: TargetsResult = result  # type: ignore[assignment]  # its by_target is there
    groups = shown.groups

    def order(lean: Lean) -> tuple[bool, float, str]:
        deviation, bias = lean.shown.deviation, lean.shown.bias
        strength = deviation[0] if len(groups) == 2 and deviation else bias or 0.0
        return bias is None, -strength, lean.term

    left = shown.adjusted
    after = (left and left.targets) or (None,) * len(shown.by_target)
    each = zip(shown.by_target, shown.holm, after, strict=True)
    rows = tuple(sorted((Lean(target, groups, p, last) for target, p, last in each), key=order))
    return Leans(
        shown,
        rows,
        known=tuple(lean for lean in rows if lean.shown.bias is not None),
        whole=None
        if shown.concept is None
        else Lean(shown.concept, groups, after=left.concept if left else None),
        groups=groups,
        columns=(0,) if len(groups) == 2 else tuple(range(len(groups))),
        counted=any(target.contexts is not None for target in shown.by_target),
    )


def at_ends(every: Sequence[Target], most: int = ENDS) -> tuple[tuple[Target, ...], int]:
    """Those at either end of all in order, and how many between them are left out."""
    if len(every) <= 2 * most + 1:
        return tuple(every), 0
    return (*every[:most], *every[-most:]), len(every) - 2 * most


def format_bias(value: float | None) -> str:
    """A bias with three decimals, or more where these would be 0."""
    if value is None:
        return UNDEFINED
    is_small = MOST_DECIMALS <= value < 0.5 * 10**-DECIMALS
    return f"{value:.{1 - math.floor(math.log10(value)) if is_small else DECIMALS}f}"


def format_points(value: float | None) -> str:
    """Points with a sign and one decimal; a rounded 0 has none."""
    if value is None:
        return UNDEFINED
    text = f"{value:+.1f}"
    return "0.0" if float(text) == 0 else text.replace("-", MINUS)


def format_interval_end(value: float) -> str:
    """An end of an interval, whose sign says whether 0 is in it: a small one keeps one digit."""
    text = format_points(value)
    small = text == "0.0" and abs(value) >= MOST_DECIMALS
    return f"{value:+.1g}".replace("-", MINUS) if small else text


def target_sentences(result: AssociationResult) -> list[str]:
    """The mean bias, the reference, and which targets have a proportion clipped at 0."""
    return lines("leans", t=leans(result), mean=result.effects()[0].d)


def values_in_order(result: AssociationResult) -> tuple[TargetValue, ...]:
    """Targets from the largest number to the smallest; undefined ones are last."""
    targets = result.values or ()
    return tuple(sorted(targets, key=lambda t: (t.value is None, -(t.value or 0.0), t.term)))


def values_legend(result: AssociationResult) -> str:
    """What the number for all targets, and those of single ones, can be."""
    shown: TargetValuesResult = result  # type: ignore[assignment]  # its values are there
    spans = {"All targets": shown.whole}
    if shown.each != shown.whole:
        spans["Each"] = shown.each
    texts = []
    for name, span in spans.items():
        low, high, neutral = (  # whole numbers have no decimals
            None if value is None else effect(value, 0 if value == int(value) else DECIMALS)
            for value in (span.low, span.high, span.neutral)
        )
        ends = f"{low} to {high}" if low is not None and high is not None else ""
        without = f"{neutral} without bias" if neutral is not None else ""
        larger = f"larger towards {isolate(span.larger)}" if span.larger is not None else ""
        texts.append(f"{name}: {', '.join(filter(None, (span.unit, ends, without, larger)))}.")
    if shown.confidence is not None:
        texts.append(f"In brackets: {percent(shown.confidence)} interval.")
    return " ".join(texts)


FILTERS.update(
    bias=format_bias,
    leans_legend=lambda result: leans(result).legend(),
    signed_points=format_points,
    target_sentences=target_sentences,
    values_legend=values_legend,
)
