"""Targets of a result: their shares of k groups, or a number of each; in order and in words."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from markupsafe import Markup

from eatlas.errors import joined
from eatlas.present.drawings.shares import bars_of, deviation_bar, ternary
from eatlas.present.drawings.svg import Axis
from eatlas.present.numbers import UNDEFINED, effect, number_of, p_value
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
WIDE, NARROW = 260.0, 110.0
"""Pixels of a column of bars: of the one of two groups, of each of several."""


@dataclass(frozen=True)
class Lean:
    """One target, and how a table or a figure shows it."""

    shown: TargetShares
    groups: tuple[str, ...]
    reference: tuple[float, ...] | None
    adjusted: float | None
    """Holm's adjusted p over the targets of the result."""

    @property
    def term(self) -> str:
        """The target."""
        return self.shown.term

    @property
    def towards(self) -> int | None:
        """Index of the group that it leans to most; None where there is none."""
        found = self.shown.deviation
        if found is None or max(found) <= 0:
            return None
        return found.index(max(found))

    @property
    def leans(self) -> bool:
        """Whether it leans to a group: by its interval or, without intervals, by its share."""
        if self.towards is None:
            return False
        ends = self.intervals[self.towards]
        return self.shown.uncertainty is None or (ends is not None and ends[0] > 0)

    @property
    def points(self) -> tuple[float | None, ...]:
        """Share less reference of each group, in percentage points."""
        found = self.shown.deviation
        return (None,) * len(self.groups) if found is None else tuple(100 * one for one in found)

    @property
    def intervals(self) -> tuple[tuple[float, float] | None, ...]:
        """Their intervals."""
        unsure = self.shown.uncertainty
        if unsure is None:
            return (None,) * len(self.groups)
        return tuple(one and (100 * one[0], 100 * one[1]) for one in unsure.deviation)

    @property
    def bias(self) -> str:
        """Its bias, with two digits at least."""
        return shown_bias(self.shown.bias)

    def between(self, group: int) -> str:
        """The interval of the points of one group; empty where there is none."""
        ends = self.intervals[group]
        return "" if ends is None else f"[{', '.join(map(_signed, ends))}]"

    def said(self, group: int) -> str:
        """Points of one group with a sign, and their interval."""
        return f"{signed_points(self.points[group])} {self.between(group)}".rstrip()

    @property
    def star(self) -> str:
        """A star where the adjusted p is below .05."""
        return "*" if self.adjusted is not None and self.adjusted < ALPHA else ""

    @property
    def p(self) -> str:
        """The p of the permutation test of labels."""
        return UNDEFINED if self.shown.labels is None else p_value(self.shown.labels.p, ALPHA)

    @property
    def sentence(self) -> str:
        """Which group it leans to, and by how much: "nurse leans to Female by 5 points"."""
        towards = self.towards
        name = isolated(self.term)
        if self.shown.deviation is None:
            return f"{name} has no bias that is defined"
        if towards is None or not self.leans:
            return f"{name} leans to none of the groups"
        by = self.points[towards] or 0.0
        return f"{name} leans to {isolated(self.groups[towards])} by {points(by)}"


@dataclass(frozen=True)
class Leans:
    """All targets of a result in the order in which they are shown.

    Of two groups from the strongest lean to the first to that to the second; of several from the
    largest bias to the smallest. Undefined ones are last.
    """

    result: TargetsResult
    rows: tuple[Lean, ...]
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

    @cached_property
    def known(self) -> tuple[Lean, ...]:
        """Targets with a bias that is defined."""
        return tuple(one for one in self.rows if one.shown.bias is not None)

    @property
    def undefined(self) -> int:
        """How many targets have none."""
        return len(self.rows) - len(self.known)

    def ends(self, most: int = ENDS) -> tuple[tuple[Lean, ...], int]:
        """Targets at either end, and how many between them are left out.

        Of the others, ``known`` has them all.
        """
        return at_ends(self.known, most)

    @cached_property
    def axis(self) -> Axis:
        """The scale of all deviations, in points."""
        return axis_of(self.rows).on(4.0, (WIDE if self.signed else NARROW) - 4.0)

    def bar(self, one: Lean, group: int) -> Markup:
        """The deviation of a target from the share of one group, drawn."""
        drawn = deviation_bar(
            one.points[group], one.intervals[group], self.axis, strong=bool(one.star)
        )
        return Markup(drawn)  # noqa: S704  (numbers alone)

    @property
    def triangle(self) -> Markup:
        """The shares of three groups as points in a triangle; empty for other numbers of groups."""
        if len(self.groups) != 3:
            return Markup()
        points = [
            (one.term, one.shown.distribution) for one in self.known if one.shown.distribution
        ]
        return Markup(  # noqa: S704  (escaped there)
            ternary(
                self.groups,
                points,
                self.result.reference,
                [one.term for one in furthest(self) or self.known[:1]],
            )
        )

    @property
    def concept(self) -> Markup:
        """The distribution of the concept as a whole against the reference."""
        return Markup() if self.whole is None else drawn(self.whole)

    @property
    def counted(self) -> bool:
        """Whether contexts were counted, so that each target has a number of them."""
        return any(one.shown.contexts is not None for one in self.rows)

    @property
    def legend(self) -> str:
        """What the numbers of a table are."""
        p = " p: labels of the words relabelled; * Holm's p over all targets < .05."
        return self.meaning("Brackets") + (p if self.result.labels is not None else "")

    def meaning(self, ends: str) -> str:
        """What points and their intervals are, which are drawn or written as `ends`."""
        first = isolated(self.groups[0])
        towards = (
            f"above 0 towards {first}, below 0 towards {isolated(self.groups[1])}"
            if self.signed
            else "above 0 towards the group"
        )
        said = f"Points: share less reference in percentage points, {towards}."
        if self.result.resamples:
            kind = (
                "Jeffreys' intervals of shares of the contexts"
                if self.counted
                else f"bootstrap percentile intervals ({self.result.resamples:,} resamples)"
            )
            said += f" {ends}: {self.result.confidence or 0:.0%} {kind}."
        return said

    @property
    def reference(self) -> str:
        """The reference in words."""
        return reference_in_words(self.result)


def axis_of(rows: Sequence[Lean]) -> Axis:
    """The scale of all deviations of some targets, in points, with 0 inside."""
    values = [value for row in rows for value in row.points if value is not None]
    ends = (end for row in rows for pair in row.intervals if pair for end in pair)
    return Axis.around([*values, *ends], 0.0, 1.0)


def drawn(one: Lean) -> Markup:
    """Draw the shares of a target against its reference; nothing where they are undefined."""
    if one.shown.distribution is None or one.reference is None:
        return Markup()
    unsure = one.shown.uncertainty
    ends = (None,) * len(one.groups) if unsure is None else unsure.deviation
    bars = bars_of(one.term, one.groups, one.shown.distribution, one.reference, ends)
    return Markup(bars)  # noqa: S704  (escaped there)


def leans(result: AssociationResult) -> Leans:
    """Arrange the targets of a result whose ``by_target`` is there."""
    shown: TargetsResult = result  # type: ignore[assignment]  # its by_target is there
    rows = [
        Lean(one, shown.groups, shown.reference_of(one.term), adjusted)
        for one, adjusted in zip(shown.by_target, shown.adjusted, strict=True)
    ]
    two = len(shown.groups) == 2

    def place(one: Lean) -> tuple[bool, float, str]:
        deviation, bias = one.shown.deviation, one.shown.bias
        strength = deviation[0] if two and deviation else bias or 0.0
        return bias is None, -strength, one.term

    concept = shown.concept
    whole = None if concept is None else Lean(concept, shown.groups, shown.reference, None)
    return Leans(shown, tuple(sorted(rows, key=place)), whole)


def at_ends(every: Sequence[Target], most: int = ENDS) -> tuple[tuple[Target, ...], int]:
    """Those at either end of all in order, and how many between them are left out."""
    if len(every) <= 2 * most + 1:
        return tuple(every), 0
    return (*every[:most], *every[-most:]), len(every) - 2 * most


def points(number: float) -> str:
    """Percentage points in words; below 1 with a decimal."""
    decimals = 0 if abs(number) >= 0.95 else 1
    text = f"{number:.{decimals}f}"
    return f"{text} point{'' if text == '1' else 's'}"


def shown_bias(value: float | None) -> str:
    """A bias with three decimals, or more where it is small."""
    if value is None:
        return UNDEFINED
    decimals = 3 if value < MOST_DECIMALS else 1 - math.floor(math.log10(value))
    return f"{value:.{max(3, decimals)}f}"


def signed_points(value: float | None) -> str:
    """Points with a sign."""
    return UNDEFINED if value is None else _signed(value)


def _signed(value: float) -> str:
    """A number with a sign and one decimal; a rounded 0 has none."""
    text = f"{value:+.1f}"
    return ("0.0" if float(text) == 0 else text).replace("-", "−")


def reference_in_words(result: TargetsResult) -> str:
    """What the shares are compared with."""
    test, on, source = result.reference_from.rpartition(" on ")
    came = f" from {test}{on}{source_name(source)}" if source else ""
    if result.references:
        of = number_of(len(result.references), "target")
        return f"shares of its own for each target{came} ({of})"
    uniform = len(set(result.reference)) == 1
    shares = ", ".join(
        f"{isolated(group)} {share:.3g}"
        for group, share in zip(result.groups, result.reference, strict=True)
    )
    return f"{'uniform' if uniform and not came else shares}{came}"


def target_sentences(result: AssociationResult) -> Iterator[str]:
    """How many targets lean to each group, those that do most, and the mean bias."""
    found = leans(result)
    known = found.known
    if not known:
        yield f"No bias is defined for {number_of(len(found.rows), 'target')}."
        return
    to = Counter(one.towards for one in known if one.leans)
    parts = [
        f"{to[j]} lean{'s' * (to[j] == 1)} to {isolated(name)}"
        for j, name in enumerate(found.groups)
        if to[j]
    ]
    of = number_of(len(known), "target")
    by = (
        f"{found.result.confidence or 0:.0%} intervals that exclude 0"
        if any(one.shown.uncertainty for one in known)
        else "shares alone, without intervals"
    )
    leaning = joined(parts) or "none leans to any group"
    yield f"Of {of}, {leaning} by {by}; reference: {found.reference}."
    most = max(known, key=lambda one: one.shown.bias or 0.0)
    largest = f"{isolated(most.term)} has the largest bias, {most.bias}"
    yield f"{joined([one.sentence for one in furthest(found)]) or largest}."
    tested = [one for one in known if one.adjusted is not None]
    if tested:
        hits = sum(bool(one.star) for one in tested)
        yield (
            f"For {hits or 'none'} of them the groups' words differ beyond chance "
            "(Holm's p < .05, labels of the words relabelled)."
        )
    mean = result.effects()[0].d
    whole = found.whole
    if mean is not None:
        concept = (
            ""
            if whole is None or whole.shown.bias is None
            else (f"; {isolated(whole.term)} as one mean: {whole.bias}")
        )
        yield f"Mean bias {shown_bias(mean)}{concept}."


def furthest(found: Leans) -> Sequence[Lean]:
    """For each group the target that leans to it most; none where no target leans to it."""
    to: dict[int | None, list[Lean]] = {}
    for one in found.known:
        to.setdefault(one.towards if one.leans else None, []).append(one)
    return [
        max(to[j], key=lambda lean: lean.points[j] or 0.0)
        for j in range(len(found.groups))
        if j in to
    ]


def values_in_order(result: AssociationResult) -> tuple[TargetValue, ...]:
    """Targets from the largest number to the smallest; undefined ones are last."""

    def place(one: TargetValue) -> tuple[bool, float, str]:
        return one.value is None, -(one.value or 0.0), one.term

    return tuple(sorted(result.values or (), key=place))


def values_legend(result: AssociationResult) -> str:
    """What the number for all targets, and those of single ones, can be."""
    shown: TargetValuesResult = result  # type: ignore[assignment]  # its values are there
    said = [f"All targets: {range_in_words(shown.whole)}."]
    if shown.each != shown.whole:
        said.append(f"Each: {range_in_words(shown.each)}.")
    return " ".join(said)


def range_in_words(span: Range) -> str:
    """A range in words."""
    said = [span.unit]
    if span.low is not None and span.high is not None:
        said.append(f"{_whole(span.low)} to {_whole(span.high)}")
    if span.neutral is not None:
        said.append(f"{_whole(span.neutral)} without bias")
    if span.larger is not None:
        said.append(f"larger towards {isolated(span.larger)}")
    return ", ".join(said)


def _whole(value: float) -> str:
    """A whole number without decimals."""
    return effect(value, 0 if value == int(value) else DECIMALS)
