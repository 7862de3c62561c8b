"""Targets of a result: their shares of k groups, or a number of each; in order and in words."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from eatlas.errors import joined
from eatlas.present.drawings.svg import Axis
from eatlas.present.numbers import MINUS, UNDEFINED, effect, number_of, p_value
from eatlas.present.text import isolated
from eatlas.results import AssociationResult
from eatlas.results.settings import source_name

if TYPE_CHECKING:
    from eatlas.results.levels import TargetShares, TargetValue
    from eatlas.results.targets import Range, TargetsResult, TargetValuesResult

Target = TypeVar("Target")

ENDS = 6
"""Targets that a terminal shows at either end."""
DECIMALS = 3
"""Of numbers of single targets: many a mean of them is 0 to two."""
ALPHA = 0.05
MOST_DECIMALS = 1e-9
"""A smaller bias is shown as 0."""


@dataclass(frozen=True)
class Lean:
    """One target, and how a table or a figure shows it."""

    shown: TargetShares
    groups: tuple[str, ...]
    adjusted: float | None = None
    """Holm's adjusted p over the targets of the result."""

    @property
    def term(self) -> str:
        """The target."""
        return self.shown.term

    @property
    def points(self) -> tuple[float | None, ...]:
        """Share less reference of each group, in percentage points."""
        deviation = self.shown.deviation
        return (
            (None,) * len(self.groups) if deviation is None else tuple(100 * v for v in deviation)
        )

    @property
    def intervals(self) -> tuple[tuple[float, float] | None, ...]:
        """Their intervals."""
        unsure = self.shown.uncertainty
        if unsure is None:
            return (None,) * len(self.groups)
        return tuple(ends and (100 * ends[0], 100 * ends[1]) for ends in unsure.deviation)

    @property
    def most(self) -> int | None:
        """Index of the group whose share is above its reference by most; None where none is."""
        deviation = self.shown.deviation
        if deviation is None or max(deviation) <= 0:
            return None
        return deviation.index(max(deviation))

    @property
    def towards(self) -> int | None:
        """The group that it leans to: by its interval or, without intervals, by its share."""
        if self.most is None or self.shown.uncertainty is None:
            return self.most
        ends = self.intervals[self.most]
        return self.most if ends is not None and ends[0] > 0 else None

    @property
    def bias(self) -> str:
        """Its bias, with two digits at least."""
        return shown_bias(self.shown.bias)

    @property
    def star(self) -> str:
        """A star where the adjusted p is below .05."""
        return "*" if self.adjusted is not None and self.adjusted < ALPHA else ""

    @property
    def p(self) -> str:
        """The p of the permutation test of labels."""
        return UNDEFINED if self.shown.labels is None else p_value(self.shown.labels.p, ALPHA)

    def between(self, group: int) -> str:
        """The interval of the points of one group; empty where there is none."""
        ends = self.intervals[group]
        return "" if ends is None else f"[{', '.join(map(signed_points, ends))}]"

    @property
    def sentence(self) -> str:
        """Which group it leans to, and by how much: "nurse leans to Female by 5 points"."""
        towards, name = self.towards, isolated(self.term)
        if self.shown.deviation is None:
            return f"{name} has no bias that is defined"
        if towards is None:
            return f"{name} leans to none of the groups"
        by = self.points[towards] or 0.0
        text = f"{by:.{0 if abs(by) >= 0.95 else 1}f}"
        return (
            f"{name} leans to {isolated(self.groups[towards])} by {text} point{'s' * (text != '1')}"
        )


@dataclass(frozen=True)
class Leans:
    """All targets of a result in the order in which they are shown.

    Of two groups from the strongest lean to the first to that to the second; of several from the
    largest bias to the smallest. Undefined ones are last.
    """

    result: TargetsResult
    rows: tuple[Lean, ...]
    known: tuple[Lean, ...]
    """Those with a bias that is defined."""
    whole: Lean | None
    """The concept of all targets as one mean."""

    @property
    def groups(self) -> tuple[str, ...]:
        """Names of the groups."""
        return self.result.groups

    @property
    def signed(self) -> bool:
        """Whether there are two groups, so that one number says which way a target leans."""
        return len(self.groups) == 2

    @property
    def columns(self) -> tuple[int, ...]:
        """Groups whose deviations have a column: of two the first alone, as both are opposite."""
        return (0,) if self.signed else tuple(range(len(self.groups)))

    @property
    def counted(self) -> bool:
        """Whether contexts were counted, so that each target has a number of them."""
        return any(lean.shown.contexts is not None for lean in self.rows)

    @property
    def legend(self) -> str:
        """What the numbers of a table are."""
        p = " p: labels of the words relabelled; * Holm's p over all targets < .05."
        return self.meaning("Brackets") + (p if self.result.labels is not None else "")

    def meaning(self, ends: str) -> str:
        """What points and their intervals are, which are drawn or written as `ends`."""
        towards = "above 0 towards the group"
        if self.signed:
            first, second = map(isolated, self.groups)
            towards = f"above 0 towards {first}, below 0 towards {second}"
        text = f"Points: share less reference in percentage points, {towards}."
        if self.result.resamples:
            kind = f"bootstrap percentile intervals ({self.result.resamples:,} resamples)"
            if self.counted:
                kind = "Jeffreys' intervals of shares of the contexts"
            text += f" {ends}: {self.result.confidence or 0:.0%} {kind}."
        return text

    @property
    def reference(self) -> str:
        """What the shares are compared with."""
        shown = self.result
        test, on, source = shown.reference_from.rpartition(" on ")
        came = f" from {test}{on}{source_name(source)}" if source else ""
        if shown.references:
            of = number_of(len(shown.references), "target")
            return f"shares of its own for each target{came} ({of})"
        if len(set(shown.reference)) == 1 and not came:
            return "uniform"
        pairs = zip(shown.groups, shown.reference, strict=True)
        return ", ".join(f"{isolated(group)} {share:.3g}" for group, share in pairs) + came

    def furthest(self) -> list[Lean]:
        """For each group the target that leans to it most; none where no target leans to it."""
        to: dict[int | None, list[Lean]] = {}
        for lean in self.known:
            to.setdefault(lean.towards, []).append(lean)
        return [
            max(to[j], key=lambda lean: lean.points[j] or 0.0)
            for j in range(len(self.groups))
            if j in to
        ]


def axis_of(rows: Sequence[Lean]) -> Axis:
    """The scale of all deviations of some targets, in points, with 0 inside."""
    values = [value for row in rows for value in row.points if value is not None]
    ends = (end for row in rows for pair in row.intervals if pair for end in pair)
    return Axis.around([*values, *ends], 0.0, 1.0)


def leans(result: AssociationResult) -> Leans:
    """Arrange the targets of a result whose ``by_target`` is there."""
    shown: TargetsResult = result  # type: ignore[assignment]  # its by_target is there
    pairs = zip(shown.by_target, shown.adjusted, strict=True)
    two = len(shown.groups) == 2

    def place(lean: Lean) -> tuple[bool, float, str]:
        deviation, bias = lean.shown.deviation, lean.shown.bias
        strength = deviation[0] if two and deviation else bias or 0.0
        return bias is None, -strength, lean.term

    rows = sorted((Lean(target, shown.groups, p) for target, p in pairs), key=place)
    known = tuple(lean for lean in rows if lean.shown.bias is not None)
    whole = None if shown.concept is None else Lean(shown.concept, shown.groups)
    return Leans(shown, tuple(rows), known, whole)


def at_ends(every: Sequence[Target], most: int = ENDS) -> tuple[tuple[Target, ...], int]:
    """Those at either end of all in order, and how many between them are left out."""
    if len(every) <= 2 * most + 1:
        return tuple(every), 0
    return (*every[:most], *every[-most:]), len(every) - 2 * most


def shown_bias(value: float | None) -> str:
    """A bias with three decimals, or more where it is small."""
    if value is None:
        return UNDEFINED
    decimals = 3 if value < MOST_DECIMALS else 1 - math.floor(math.log10(value))
    return f"{value:.{max(3, decimals)}f}"


def signed_points(value: float | None) -> str:
    """Points with a sign and one decimal; a rounded 0 has none."""
    if value is None:
        return UNDEFINED
    text = f"{value:+.1f}"
    return "0.0" if float(text) == 0 else text.replace("-", MINUS)


def target_sentences(result: AssociationResult) -> Iterator[str]:
    """How many targets lean to each group, those that do most, and the mean bias."""
    shown = leans(result)
    known, furthest, whole = shown.known, shown.furthest(), shown.whole
    if not known:
        yield f"No bias is defined for {number_of(len(shown.rows), 'target')}."
        return
    to = Counter(lean.towards for lean in known)
    parts = [
        f"{to[j]} lean{'s' * (to[j] == 1)} to {isolated(name)}"
        for j, name in enumerate(shown.groups)
        if to[j]
    ]
    by = "shares alone, without intervals"
    if any(lean.shown.uncertainty for lean in known):
        by = f"{shown.result.confidence or 0:.0%} intervals that exclude 0"
    of, leaning = number_of(len(known), "target"), joined(parts) or "none leans to any group"
    yield f"Of {of}, {leaning} by {by}; reference: {shown.reference}."
    most = max(known, key=lambda lean: lean.shown.bias or 0.0)
    largest = f"{isolated(most.term)} has the largest bias, {most.bias}"
    yield f"{joined([lean.sentence for lean in furthest]) or largest}."
    if any(lean.adjusted is not None for lean in known):
        hits = sum(bool(lean.star) for lean in known)
        yield (
            f"For {hits or 'none'} of them the groups' words differ beyond chance "
            "(Holm's p < .05, labels of the words relabelled)."
        )
    mean = result.effects()[0].d
    if mean is not None:
        concept = ""
        if whole is not None and whole.shown.bias is not None:
            concept = f"; {isolated(whole.term)} as one mean: {whole.bias}"
        yield f"Mean bias {shown_bias(mean)}{concept}."


def values_in_order(result: AssociationResult) -> tuple[TargetValue, ...]:
    """Targets from the largest number to the smallest; undefined ones are last."""
    targets = result.values or ()
    return tuple(sorted(targets, key=lambda t: (t.value is None, -(t.value or 0.0), t.term)))


def values_legend(result: AssociationResult) -> str:
    """What the number for all targets, and those of single ones, can be."""
    shown: TargetValuesResult = result  # type: ignore[assignment]  # its values are there
    whole = f"All targets: {range_in_words(shown.whole)}."
    if shown.each == shown.whole:
        return whole
    return f"{whole} Each: {range_in_words(shown.each)}."


def range_in_words(span: Range) -> str:
    """A range in words."""
    parts = [span.unit]
    if span.low is not None and span.high is not None:
        parts.append(f"{_whole(span.low)} to {_whole(span.high)}")
    if span.neutral is not None:
        parts.append(f"{_whole(span.neutral)} without bias")
    if span.larger is not None:
        parts.append(f"larger towards {isolated(span.larger)}")
    return ", ".join(parts)


def _whole(value: float) -> str:
    """A whole number without decimals."""
    return effect(value, 0 if value == int(value) else DECIMALS)
