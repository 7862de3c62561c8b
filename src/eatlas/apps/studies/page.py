"""A study as one self-contained page: findings, the specification curve, what decides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from markupsafe import Markup

from eatlas.apps.studies.record import (
    ChoiceShare,
    MethodCorrelation,
    Specification,
    StudyAnalysis,
    StudyRecord,
    Summary,
    summaries,
    summary,
)
from eatlas.present.drawings.shares import deviation_bar
from eatlas.present.drawings.specification import (
    MOST,
    MOST_POINTS,
    drawn_of,
    panel,
    specification_curve,
)
from eatlas.present.drawings.svg import Axis
from eatlas.present.numbers import effect
from eatlas.present.rendering import page_files, render

MOST_ROWS = 200
"""Rows of a table; the files beside the page have all."""
MOST_PANELS = 24
"""Pairs of methods that are drawn as points."""
MOST_REASONS = 50


@dataclass(frozen=True)
class Shown:
    """What the page of a study shows, made of its record and its analysis."""

    record: StudyRecord
    analysis: StudyAnalysis
    seeds: Sequence[int] = ()

    @cached_property
    def effects(self) -> list[Specification]:
        """Specifications with an effect size d, in its order."""
        given = [one for one in self.record.measured if one.symbol == "d"]
        return sorted(given, key=lambda one: (one.d or 0.0, one.number))

    @cached_property
    def every(self) -> Summary:
        """All specifications with d together."""
        return summary(self.effects)

    @cached_property
    def alternatives(self) -> list[Summary]:
        """The specifications of each alternative together."""
        return [one for one in summaries(self.record)[1:] if one.label]

    @cached_property
    def judged(self) -> list[Specification]:
        """Those with a finding."""
        return [one for one in self.effects if one.significant is not None]

    @cached_property
    def adjusted(self) -> list[Specification]:
        """Those with an adjusted p-value."""
        return [one for one in self.effects if one.holm is not None]

    @cached_property
    def patterns(self) -> list[tuple[str, int]]:
        """How often each EAT pattern comes, the most frequent first."""
        return Counter(
            one.pattern for one in self.record.specifications if one.pattern
        ).most_common()

    @cached_property
    def shares(self) -> list[ChoiceShare]:
        """Shares of the variance, the greatest first."""
        return sorted(self.analysis.shares, key=lambda one: -one.shapley)

    @cached_property
    def curve(self) -> Markup:
        """The specification curve."""
        names = self.record.varying or ("test",)
        choices = {name: self.record.choices.get(name, ()) for name in names}
        return Markup(specification_curve(self.effects, choices))  # noqa: S704  (escaped there)

    @property
    def drawn(self) -> int:
        """Specifications that the curve shows."""
        return len(drawn_of(self.effects))

    @cached_property
    def rows(self) -> list[Specification]:
        """Rows of the table: all, or of many those with the least and the greatest d."""
        half = MOST_ROWS // 2
        few = len(self.effects) <= MOST_ROWS
        return self.effects if few else [*self.effects[:half], *self.effects[-half:]]

    @cached_property
    def panels(self) -> list[tuple[MethodCorrelation, Markup]]:
        """Pairs of methods as points."""
        some = [one for one in self.analysis.correlations if one.points][:MOST_PANELS]
        return [
            (one, Markup(panel(one.points, one.first, one.second)))  # noqa: S704  (escaped there)
            for one in some
        ]

    def reasons(self, status: str) -> list[tuple[str, int, Specification]]:
        """Why specifications failed or were skipped, how many, and the first of each."""
        some = [one for one in self.record.specifications if one.status == status]
        counts = Counter(one.reason for one in some)
        first = {one.reason: one for one in reversed(some)}
        return [(reason, n, first[reason]) for reason, n in counts.most_common()]


def share(value: float | None) -> str:
    """A share as a percentage; a tiny negative one, by rounding, is none."""
    if value is None:
        return effect(None)
    if abs(value) < 1e-9:
        return "0%"
    if 0 < value < 0.01:
        return "<1%"
    return f"{effect(100 * value, 0)}%"


SCALE = Axis(0.0, 1.0, 0.5, 6.0, 176.0)
"""Of shares of the variance."""


def bar(one: ChoiceShare) -> Markup:
    """A share of the variance as a bar."""
    value = min(max(one.shapley, 0.0), 1.0)
    drawn = deviation_bar(value, None, SCALE, strong=True)
    return Markup(drawn)  # noqa: S704  (numbers alone)


def study_html(record: StudyRecord, analysis: StudyAnalysis, seeds: Sequence[int] = ()) -> str:
    """A study as one self-contained page."""
    return render(
        "study",
        s=Shown(record, analysis, tuple(seeds)),
        r=record,
        a=analysis,
        share=share,
        bar=bar,
        most={
            "drawn": MOST, "rows": MOST_ROWS, "points": MOST_POINTS, "panels": MOST_PANELS,
            "reasons": MOST_REASONS,
        },
        **page_files("cards.js"),
    )  # fmt: skip
