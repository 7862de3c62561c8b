"""What is resampled: intervals, shares of patterns, and the influence of each term."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from eatlas.kernels.cosines import product
from eatlas.measures.association import DECIMALS, LABELS, AssociationMeasure
from eatlas.measures.base import Array, Input, generator_of
from eatlas.measures.decisive import LeftOutReading, decisive
from eatlas.measures.levels import MOST_CELLS, Ordered, several, sides
from eatlas.notes import OVER_STIMULI, Note
from eatlas.results.finding import PLACES
from eatlas.results.levels import (
    EffectInterval,
    Influence,
    Level2Influence,
    Level2Intervals,
    TermInfluence,
    Uncertainty,
    Unit,
)
from eatlas.results.parts import defined, defined_ends
from eatlas.stats.bootstrap import (
    Layout,
    PatternRule,
    Streams,
    block_layout,
    cluster_layout,
    influence,
    pattern_stability,
    percentile,
    resampled,
)
from eatlas.stimuli import ATTRIBUTES, ROLES, TARGETS

RESAMPLE_COUNTS = (100_000, 50_000, 20_000, 10_000)
"""Resamples of a test: the first of these whose work is at most `WORK`. The ends of a 95% interval
then have Monte Carlo errors of about .003, and shares of patterns of about .002, in .05 s a test.
Tests with more terms have narrower intervals, so that fewer resamples do."""
WORK = 170_000_000
"""Products of a weight and a cosine, in the scores of one level: 50,000 resamples of 64 by 50."""
MOST_LEFT_OUT = 10_000
"""Units that are left out one by one: the work grows with their square, 5 s for so many."""
Over = Literal["stimuli", "sentences"]
"""What is relabelled where stimuli have several sentences: stimuli, or single sentences."""


@dataclass(frozen=True)
class Variation:
    """How the findings of a measure vary with the stimuli of a test."""

    given: Input
    ordered: Ordered
    """The units that are drawn, by name."""
    notes: list[Note]
    resamples: int | Literal["auto"]
    confidence: float
    ddof: int
    unit: Unit = "term"
    levels: int = 3
    """1 for level 1 alone."""
    over: Over = "stimuli"
    """What is read where stimuli have several sentences."""

    def streams(self, roles: str = "".join(ROLES)) -> Streams:
        """Make generators anew, of the groups in the places of X, Y, A and B."""
        seed, names = self.given.seed, self.ordered.names
        streams = [generator_of(seed, {role: names[role]}, "resamples") for role in roles]
        return dict(zip(ROLES, streams, strict=True))

    def count(self, layout: Layout) -> int:
        """Resamples of a layout; 0 where none are requested, or can be drawn."""
        if self.resamples == 0:
            return 0
        if min(layout.sizes.values()) < 2:
            self.notes.append(Note("resampling.one-unit", "uncertainty", {"unit": self.unit}))
            return 0
        if self.resamples != "auto":
            return self.resamples
        return next((n for n in RESAMPLE_COUNTS if n * layout.work <= WORK), RESAMPLE_COUNTS[-1])

    def intervals(
        self, layout: Layout, count: int, rule: PatternRule | None = None, place: str = ""
    ) -> Uncertainty | None:
        """Intervals of the effect sizes, and with a `rule` the share of each EAT pattern."""
        if not count:
            return None
        drawn = resampled(layout, count, self.streams(), self.ddof, self.levels)
        records = [interval_of(effects, self.confidence) for effects in drawn]
        for name, record in zip(PLACES, records, strict=False):
            if record.undefined:
                values = {"count": record.undefined, "of": count}
                self.notes.append(Note("resampling.undefined", f"{place}{name}", values))
        shares: dict[str, Any] = {}
        if rule is not None:
            aside = generator_of(self.given.seed, self.ordered.names, "relabellings of resamples")
            tables = pattern_stability(
                layout, (drawn[1], drawn[2]), streams=self.streams(), aside=aside, rule=rule
            )
            for name, table in zip(("patterns", "patterns_error"), tables, strict=True):
                shares[name] = {
                    label: round(float(table[1 - x, 1 - y]), DECIMALS)
                    for (x, y), label in LABELS.items()
                }
        return Uncertainty(
            resamples=count,
            unit=self.unit,
            confidence=self.confidence,
            level1=records[0],
            level2=Level2Intervals(X=records[1], Y=records[2]) if self.levels > 1 else None,
            **shares,
        )

    def influence(
        self, layout: Layout, place: str = "", measure: AssociationMeasure | None = None
    ) -> Influence | None:
        """Change of each effect size without each term, or without all sentences of each stimulus.

        None where a group has one alone, or where they are too many. With a `measure`, the terms
        without which it is read otherwise.
        """
        if min(layout.sizes.values()) < 2:
            return None
        if sum(layout.sizes.values()) > MOST_LEFT_OUT:
            values = {"most": MOST_LEFT_OUT, "unit": self.unit}
            self.notes.append(Note("resampling.leave-one-out", values=values))
            return None
        records = []
        changes = influence(layout, self.ddof, self.levels)
        for name, (d, of_roles) in zip(PLACES, changes, strict=False):
            lost = sum(int(np.isnan(values).sum()) for values in of_roles.values())
            if lost and not math.isnan(d):
                note = Note("resampling.without-a-term", f"{place}{name}", {"count": lost})
                self.notes.append(note)
            by_role: dict[str, tuple[float | None, ...]] = dict.fromkeys(ROLES, ())
            for role, without in of_roles.items():
                order = self.ordered.places[role]
                by_role[role] = tuple(defined(change, DECIMALS) for change in without[order])
            records.append(TermInfluence(by_role))
        level2 = Level2Influence(X=records[1], Y=records[2]) if self.levels > 1 else None
        terms = None
        if measure is not None:
            names = {role: group.stimuli for role, group in self.given.coverage.items()}
            reading = LeftOutReading(measure, self.given, layout, changes)
            terms = decisive(reading, names, self.ordered.places)
        return Influence(unit=self.unit, level1=records[0], level2=level2, decisive=terms)


def interval_of(effects: Array, confidence: float) -> EffectInterval:
    """Percentile interval and standard error of one effect size over resamples."""
    d = effects[~np.isnan(effects)]
    ends, errors = percentile(d, confidence)
    return EffectInterval(
        interval=defined_ends(ends, DECIMALS),
        error=defined_ends(errors, DECIMALS),
        se=defined(float(np.std(d, ddof=1)), DECIMALS) if d.size > 1 else None,
        undefined=effects.size - d.size,
    )


def variation(
    vary: Variation, measure: AssociationMeasure, table: Array | None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """How the findings vary with the stimuli, and which of them drive these.

    `table` has the associations of all pairs of terms, None where they are too many. Where stimuli
    have several sentences they are drawn again, or left out, with all of them; the second mapping
    has the same of the effect sizes over stimuli, if these are read, and patterns are judged over
    stimuli, as sentences of a resample cannot be relabelled singly.
    """
    given, ordered = vary.given, vary.ordered
    if several(ordered.stimuli):
        vary = replace(vary, unit="stimulus")
        sentences, stimuli = sentence_layouts(ordered, given.precision)
        if vary.over == "sentences":
            uncertain = vary.intervals(sentences, vary.count(sentences))
            return {"influence": vary.influence(sentences), "uncertainty": uncertain}, {}
        drivers = vary.influence(sentences), vary.influence(stimuli, OVER_STIMULI, measure)
        count = vary.count(sentences)
        uncertain = vary.intervals(sentences, count)
        over = vary.intervals(stimuli, count, measure.rule, OVER_STIMULI)
        return (
            {"influence": drivers[0], "uncertainty": uncertain},
            {"influence": drivers[1], "uncertainty": over},
        )
    if table is None:
        vary.notes.append(Note("resampling.too-many", values={"most": MOST_CELLS}))
        return {"influence": None, "uncertainty": None}, {}
    layout = block_layout(
        table, len(ordered.rows["X"]), len(ordered.rows["A"]), precision=given.precision
    )
    drivers_ = vary.influence(layout, measure=measure)
    count = vary.count(layout)
    return {"influence": drivers_, "uncertainty": vary.intervals(layout, count, measure.rule)}, {}


def sentence_layouts(ordered: Ordered, precision: float | None) -> tuple[Layout, Layout]:
    """Sentences in clusters by stimulus; and stimuli, which count in means by their sentences.

    No table of all sentences by all others is made: a mean of cosines is one product with a mean.
    """
    rows, stimuli = ordered.rows, ordered.stimuli
    x, y, a, b = (stimuli[role] for role in ROLES)
    of_targets, of_attributes = sides(
        {role: stimuli[role].mean_rows(group) for role, group in rows.items()}
    )
    targets = np.concatenate([product(rows[role], of_attributes.T) for role in TARGETS])
    attributes = np.concatenate([product(rows[role], of_targets.T) for role in ATTRIBUTES])
    counts = (x + y).sizes.astype(np.float64), (a + b).sizes.astype(np.float64)
    of, n_x, n_a = ((x + y).of, (a + b).of), len(x), len(a)
    return (
        cluster_layout(targets, attributes, of, n_x, n_a, precision),
        block_layout((x + y).mean_rows(targets), n_x, n_a, counts=counts, precision=precision),
    )
