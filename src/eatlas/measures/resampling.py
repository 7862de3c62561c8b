"""How findings vary: intervals, shares of patterns, influence of each term, influential terms."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from eatlas.kernels.cosines import product
from eatlas.measures.association import DECIMALS, AssociationMeasure
from eatlas.measures.base import Array, Input
from eatlas.measures.levels import MOST_CELLS, Ordered, repeats_stimuli, sides
from eatlas.measures.patterns import LABELS
from eatlas.measures.seeding import generator_of
from eatlas.notes import OVER_STIMULI, Note
from eatlas.results.finding import PLACES
from eatlas.results.levels import (
    EffectInterval,
    Influence,
    InfluentialTerm,
    Level2Influence,
    Level2Intervals,
    TermInfluence,
    Uncertainty,
    Unit,
)
from eatlas.results.parts import finite, finite_ends
from eatlas.stats.bootstrap import (
    Layout,
    PatternRule,
    ResampledLevel,
    Streams,
    block_layout,
    bootstrap_effects,
    cluster_layout,
    influence,
    pattern_stability,
    percentile,
)
from eatlas.stats.designs import ENUMERATED
from eatlas.stats.inputs import Aside, remember
from eatlas.stats.permutation import below
from eatlas.stats.regression import Regression
from eatlas.stimuli import ATTRIBUTES, ROLES, TARGETS

RESAMPLE_COUNTS = (100_000, 50_000, 20_000, 10_000)
"""Resamples of a test: the first of these whose work is at most `WORK`. The ends of a 95% interval
then have Monte Carlo errors of about .003, and shares of patterns of about .002, in .05 s a test.
Tests with more terms have narrower intervals, so that fewer resamples do."""
FEWER_FOR_LARGE = ((600, 2_000), (300, 5_000))
"""Resamples of tests with so many units in each group or more. An interval narrows with the square
root of the number of terms: its ends have the same Monte Carlo errors of .003."""
WORK = 170_000_000
"""Products of a weight and a cosine, in the scores of one level: 50,000 resamples of 64 by 50."""
MOST_LEFT_OUT = 10_000
"""Units that are left out one by one: the work grows with their square, 5 s for so many."""
Signs = NDArray[np.int64]
"""1 where the first group is ahead by the measure's rule, -1 where the second is, else 0."""
MOST_SCORES = 1_000_000
"""Of all tests without a term, a second's work at most: 100 terms in each of the four groups are
160,000. Of more nothing is computed."""
NEAR = 2.0
"""Where the normal approximation of a studentised p is within this factor of alpha, p is counted,
if it can be."""
DIRECTIONS: dict[int, Literal["greater", "less"] | None] = {1: "greater", -1: "less", 0: None}
Over = Literal["stimuli", "sentences"]
"""What is relabelled where stimuli have several sentences: stimuli, or single sentences."""


@dataclass(frozen=True)
class Variation:
    """How the findings of a measure vary with the stimuli of a test."""

    given: Input
    ordered: Ordered
    """The units that are sampled, by name."""
    notes: list[Note]
    resamples: int | Literal["auto"]
    confidence: float
    ddof: int
    unit: Unit = "term"
    levels: int = 3
    """1 for level 1 only."""
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
        smallest = min(layout.sizes.values())
        if fewer := [count for least, count in FEWER_FOR_LARGE if smallest >= least]:
            return fewer[0]
        return next((n for n in RESAMPLE_COUNTS if n * layout.work <= WORK), RESAMPLE_COUNTS[-1])

    def intervals(
        self, layout: Layout, count: int, rule: PatternRule | None = None, place: str = ""
    ) -> Uncertainty | None:
        """Intervals of the effect sizes, and with a `rule` the proportion of each EAT pattern."""
        if not count:
            return None
        drawn = bootstrap_effects(layout, count, self.streams(), self.ddof, self.levels)
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
                by_role[role] = tuple(finite(change, DECIMALS) for change in without[order])
            records.append(TermInfluence(by_role))
        level2 = Level2Influence(X=records[1], Y=records[2]) if self.levels > 1 else None
        terms = None
        if measure is not None:
            names = {role: group.stimuli for role, group in self.given.coverage.items()}
            reading = LeftOutReading(measure, self.given, layout, changes)
            terms = influential_terms(reading, names, self.ordered.places)
        return Influence(unit=self.unit, level1=records[0], level2=level2, influential=terms)


def interval_of(effects: Array, confidence: float) -> EffectInterval:
    """Percentile interval and standard error of one effect size over resamples."""
    d = effects[~np.isnan(effects)]
    ends, errors = percentile(d, confidence)
    return EffectInterval(
        interval=finite_ends(ends, DECIMALS),
        error=finite_ends(errors, DECIMALS),
        se=finite(float(np.std(d, ddof=1)), DECIMALS) if d.size > 1 else None,
        undefined=effects.size - d.size,
    )


def variation(
    vary: Variation, measure: AssociationMeasure, table: Array | None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """How the findings vary with the stimuli, and which of them drive these.

    `table` has the associations of all pairs of terms, None where they are too many. Where stimuli
    have several sentences they are sampled again, or left out, with all of them; the second mapping
    has the same of the effect sizes over stimuli, if these are read, and patterns are judged over
    stimuli, as sentences of a resample cannot be relabelled singly.
    """
    given, ordered = vary.given, vary.ordered
    if repeats_stimuli(ordered.stimuli):
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


# --- terms without which the rule reads another pattern, or another level 1 -----------------------


@dataclass(frozen=True)
class LeftOutReading:
    """How a measure reads each level of a test without some of its terms."""

    measure: AssociationMeasure
    given: Input
    layout: Layout
    effects: Sequence[tuple[float, Mapping[str, Array]]]
    """Each effect size, and its change without each unit of its groups."""

    def whole(self, level: int) -> int:
        """The sign of an effect size of all terms."""
        of, (d, _) = self.layout.levels[level], self.effects[level]
        units, others = (np.ones((size, 1)) for size in of.shape)
        return int(self._signs(level, of.moments(units, others)[0].T, of.n, np.array([d]))[0])

    def without(self, level: int, role: str, terms: NDArray[np.intp]) -> Signs:
        """The signs of an effect size without each of some terms of a group."""
        of, (d, changes) = self.layout.levels[level], self.effects[level]
        scored = role in (ATTRIBUTES if level else TARGETS)
        # at level 2 the other side is one group of targets alone
        first = {"Y": 0 if level else self.layout.sizes["X"], "B": self.layout.sizes["A"]}
        scores, n = scores_without(of, terms + first.get(role, 0), scored=scored)
        return self._signs(level, scores, n, d + changes[role][terms])

    def _signs(self, level: int, scores: Array, n: int, d: Array) -> Signs:
        """The sign of each row of scores, whose first n are those of the first group."""
        rule = self.measure.rule
        threshold = rule.threshold if rule is not None and level else 0.0
        two_sided = rule is not None and rule.tail == "two-sided"
        signs = np.zeros(d.size, np.int64)
        strong = np.flatnonzero(np.abs(d) > threshold)  # an undefined one is not
        if strong.size:
            significant = self._significant(scores[strong], n, two_sided=two_sided)
            signs[strong] = np.where(significant, np.sign(d[strong]), 0)
        return signs

    def _significant(self, scores: Array, n: int, *, two_sided: bool) -> NDArray[np.bool_]:
        """Whether the p that the measure finds for each row is below alpha."""
        measure, given = self.measure, self.given
        scale = given.magnitude
        if measure.statistic == "difference" and measure.p != "normal":
            return below(
                scores,
                n,
                measure.alpha,
                two_sided=two_sided,
                strict=measure.strict,
                scale=scale,
                precision=given.precision,
            )
        p, looked_at = np.zeros(len(scores)), np.arange(len(scores))
        size = scores.shape[1]
        if measure.statistic == "studentised":
            if min(n, size - n) < 2:
                return np.zeros(len(scores), np.bool_)
            regression = Regression.of(size, n)
            t = np.abs(regression.t(regression.residuals(scores))[:, 0])
            p = np.array([math.erfc(z / math.sqrt(2)) for z in t.tolist()]) / (2 - two_sided)
            near = (p < measure.alpha * NEAR) & (p > measure.alpha / NEAR)
            looked_at = np.flatnonzero(near) if math.comb(size, n) <= ENUMERATED else looked_at[:0]
        exact = measure if measure.p != "sampled" else replace(measure, p="auto")
        for i in looked_at.tolist():
            answer = exact.permutation_test(scores[i], n, given, scale)
            sides = answer.greater.p, answer.less.p
            p[i] = answer.two_sided.p if two_sided else min(sides)
        return p < measure.alpha


def scores_without(
    level: ResampledLevel, terms: NDArray[np.intp], *, scored: bool
) -> tuple[Array, int]:
    """Scores of an effect size without each of some terms, and the size of their first group.

    The terms are on the side that is scored, of one group, or on the other.
    """
    if not scored:
        return level.moments_without(terms)[0].T, level.n
    left, others = np.ones((level.shape[0], terms.size)), np.ones((level.shape[1], 1))
    left[terms, np.arange(terms.size)] = 0.0
    scores = np.broadcast_to(level.moments(left, others)[0].T, left.T.shape)
    rows = scores[left.T > 0].reshape(terms.size, level.shape[0] - 1)
    return rows, level.n - int(terms[0] < level.n)


def influential_terms(
    reading: LeftOutReading,
    names: Mapping[str, tuple[str, ...]],
    places: Mapping[str, Sequence[int]],
) -> tuple[InfluentialTerm, ...] | None:
    """The terms without which the conclusion changes; None if there are too many to look.

    `names` are those of the terms of each group, and `places` say where each is in the layout.
    """
    rule = reading.measure.rule
    if _cells(reading.layout, 1 if rule is None else len(PLACES)) > MOST_SCORES:
        return None
    given, terms = reading.given, list[InfluentialTerm]()
    whole, signs = signs_without(
        reading.measure,
        reading.layout,
        (given.magnitude, given.precision),
        Aside(reading),
    )
    for role, without in signs.items():
        terms += [
            InfluentialTerm(
                role=role,
                term=term,
                pattern=None if rule is None else LABELS[without[place][1], without[place][2]],
                level1=DIRECTIONS[without[place][0]],
            )
            for term, place in zip(names[role], places[role], strict=True)
            if without[place] != whole
        ]
    return tuple(terms)


@remember(32)
def signs_without(
    measure: AssociationMeasure,  # noqa: ARG001  (with the next two it decides the answer)
    layout: Layout,
    rounding: tuple[float, float | None],  # noqa: ARG001
    reading: Aside,
) -> tuple[tuple[int, ...], dict[str, list[tuple[int, ...]]]]:
    """The sign of each effect size, and by role those without each term.

    Groups that would be smaller than the measure takes are left out.
    """
    read, sizes = reading.value, layout.sizes
    levels = (0,) if read.measure.rule is None else (0, 1, 2)
    whole, without = tuple(map(read.whole, levels)), dict[str, list[tuple[int, ...]]]()
    reads = (ROLES, {"X", *ATTRIBUTES}, {"Y", *ATTRIBUTES})
    for role in ROLES:
        if sizes[role] <= max(read.measure.minimum[role], 1):
            continue
        every = np.arange(sizes[role])
        signs = [
            read.without(level, role, every)
            if role in reads[level]
            else np.full(every.size, whole[level])
            for level in levels
        ]
        without[role] = list(zip(*(of_level.tolist() for of_level in signs), strict=True))
    return whole, without


def _cells(layout: Layout, levels: int) -> int:
    """Scores of all rows that are looked at."""
    x, y, a, b = (layout.sizes[role] for role in ROLES)
    level1 = (x + y + a + b) * (x + y)
    return level1 + (levels > 1) * (x + y + 2 * (a + b)) * (a + b)
