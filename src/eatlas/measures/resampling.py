"""What is resampled: intervals, shares of patterns, and the influence of each term."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from eatlas import kernels
from eatlas.kernels.cosines import product
from eatlas.measures.base import Input, generator_of
from eatlas.measures.p_values import DECIMALS
from eatlas.measures.patterns import SIGNS, label_of
from eatlas.measures.rows import Ordered, Rows, several, sides, sizes, too_many
from eatlas.notes import OVER_STIMULI, Note
from eatlas.results.inference import (
    EffectInterval,
    Influence,
    Level2Influence,
    Level2Intervals,
    TermInfluence,
    Uncertainty,
    Unit,
)
from eatlas.results.parts import Coverage, defined, defined_ends
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

if TYPE_CHECKING:
    from eatlas.measures.association import ResampledMeasure

RESAMPLE_COUNTS = (100_000, 50_000, 20_000, 10_000)
"""Resamples of a test: the first of these whose work is at most `WORK`. The ends of a 95% interval
then have Monte Carlo errors of about .003, and shares of patterns of about .002, in .05 s a test.
Tests with more terms have narrower intervals, so that fewer resamples do."""
WORK = 170_000_000
"""Products of a weight and a cosine, in the scores of one level: 50,000 resamples of 64 by 50."""
_MOST_WORK = 2 * 10**10
CLOSE = 0.9
"""Cosine of two words, once the mean of all words of the test is taken out: of the ten tests of
Caliskan et al. on the bundled vectors, prison and jail, violin and cello, awful, horrible and
terrible reach it."""
MANY = 1_000
"""Words of a group that are looked at for such pairs, at most."""
PLACES = ("level1", "level2.X", "level2.Y")
"""Of the three effect sizes of a test in a result, as notes name them."""
Varied = dict[str, Any]
"""Fields of a record: `influence` and `uncertainty`."""


@dataclass(frozen=True)
class Variation:
    """How the findings of a measure vary with the stimuli of a test."""

    measure: ResampledMeasure
    given: Input
    ordered: Ordered
    """The units that are drawn, by name."""
    notes: list[Note]
    unit: Unit = "term"
    levels: int = 3
    """1 for level 1 alone."""
    turned: bool = False
    """Whether attributes are in the places of targets."""

    def streams(self) -> Streams:
        """Make generators anew: all figures rest on the same draws."""
        seed, names, roles = self.given.seed, self.ordered.names, "ABXY" if self.turned else ROLES
        streams = [generator_of(seed, {role: names[role]}, "resamples") for role in roles]
        return dict(zip(ROLES, streams, strict=True))

    def fields(self, layout: Layout, rule: PatternRule | None) -> Varied:
        """Influence and intervals of single terms."""
        drivers = self.influence(layout)
        return {"influence": drivers, "uncertainty": self.intervals(layout, rule=rule)}

    def count(self, layout: Layout) -> int:
        """Resamples of a layout; 0 where none are requested, or can be drawn."""
        if self.measure.resamples == 0:
            return 0
        if min(layout.sizes.values()) < 2:
            self.notes.append(Note("resampling.one-unit", "uncertainty", {"unit": self.unit}))
            return 0
        if self.measure.resamples != "auto":
            return self.measure.resamples
        return next((n for n in RESAMPLE_COUNTS if n * layout.work <= WORK), RESAMPLE_COUNTS[-1])

    def intervals(
        self,
        layout: Layout,
        count: int | None = None,
        place: str = "",
        rule: PatternRule | None = None,
    ) -> Uncertainty | None:
        """Intervals of the effect sizes, and with a `rule` the share of each EAT pattern."""
        count = self.count(layout) if count is None else count
        if not count:
            return None
        drawn = resampled(layout, count, self.streams(), self.measure.ddof, self.levels)
        records = []
        for name, effects in zip(PLACES, drawn, strict=False):
            d = effects[~np.isnan(effects)]
            ends, errors = percentile(d, self.measure.confidence)
            records.append(
                EffectInterval(
                    interval=defined_ends(ends, DECIMALS),
                    error=defined_ends(errors, DECIMALS),
                    se=defined(float(np.std(d, ddof=1)), DECIMALS) if d.size > 1 else None,
                    undefined=count - d.size,
                )
            )
            if d.size < count:
                values = {"count": count - d.size, "of": count}
                self.notes.append(Note("resampling.undefined", f"{place}{name}", values))
            if not d.size:
                self.notes.append(Note("resampling.interval", f"{place}{name}"))
        shares = {} if rule is None else self._patterns(layout, drawn, place, rule)
        return Uncertainty(
            resamples=count,
            unit=self.unit,
            confidence=self.measure.confidence,
            level1=records[0],
            level2=Level2Intervals(X=records[1], Y=records[2]) if self.levels > 1 else None,
            **shares,
        )

    def _patterns(
        self, layout: Layout, drawn: list[np.ndarray], place: str, rule: PatternRule
    ) -> dict[str, Any]:
        """Shares of the resamples that show each pattern, by its name, and their errors."""
        x, y = drawn[1:]
        for name, effects in zip(PLACES[1:], (x, y), strict=True):
            if lost := int(np.isnan(effects).sum()):
                values = {"count": lost, "of": effects.size}
                self.notes.append(Note("resampling.patterns", f"{place}{name}", values))
        aside = generator_of(self.given.seed, self.ordered.names, "relabellings of resamples")
        tables = pattern_stability(layout, (x, y), streams=self.streams(), aside=aside, rule=rule)
        shares, errors = (
            {label_of(i, j): round(float(table[1 - i, 1 - j]), DECIMALS) for i, j in SIGNS}
            for table in tables
        )
        return {"patterns": shares, "patterns_error": errors}

    def influence(self, layout: Layout, place: str = "") -> Influence | None:
        """Change of each effect size without each term, or without all sentences of each stimulus.

        None where a group has one alone, and where the lists are so long that it takes minutes.
        """
        x, y, a, b = (layout.sizes[role] for role in ROLES)
        if min(x, y, a, b) < 2:
            return None
        targets, attributes = x + y, a + b
        # 10**10 of these are about two seconds
        work = 40 * (targets**2 + attributes**2) + targets * attributes * (targets + attributes)
        if work > _MOST_WORK:
            values = {"unit": self.unit, "targets": targets, "attributes": attributes}
            self.notes.append(Note("resampling.no-influence", f"{place}influence", values))
            return None
        records = []
        changes = influence(layout, self.measure.ddof, self.levels)
        for name, (d, of_roles) in zip(PLACES, changes, strict=False):
            if math.isnan(d):
                self.notes.append(Note("resampling.influence", f"{place}{name}"))
            elif lost := sum(int(np.isnan(values).sum()) for values in of_roles.values()):
                note = Note("resampling.without-a-term", f"{place}{name}", {"count": lost})
                self.notes.append(note)
            of_units = {
                role: [values[i] for i in self.ordered.places[role]]
                for role, values in of_roles.items()
            }
            records.append(
                TermInfluence(
                    **{
                        role: tuple(defined(change, DECIMALS) for change in of_units.get(role, ()))
                        for role in ROLES
                    }
                )
            )
        level2 = Level2Influence(X=records[1], Y=records[2]) if self.levels > 1 else None
        return Influence(unit=self.unit, level1=records[0], level2=level2)


def variation(
    measure: ResampledMeasure, given: Input, ordered: Ordered, notes: list[Note], *, level2: bool
) -> tuple[Varied, Varied]:
    """How the findings vary with the stimuli, and which of them drive these.

    Where stimuli have several sentences they are drawn again, or left out, with all of them;
    the second mapping has the same of the effect sizes over stimuli, and patterns are judged over
    stimuli, as sentences of a resample cannot be relabelled singly.
    """
    vary = Variation(measure, given, ordered, notes, levels=3 if level2 else 1)
    if several(ordered.stimuli):
        vary = replace(vary, unit="stimulus")
        sentences, stimuli = sentence_layouts(ordered, given.precision)
        drivers = vary.influence(sentences), vary.influence(stimuli, OVER_STIMULI)
        count = vary.count(sentences)
        uncertain = vary.intervals(sentences, count)
        over = vary.intervals(stimuli, count, OVER_STIMULI, measure.rule)
        return (
            {"influence": drivers[0], "uncertainty": uncertain},
            {"influence": drivers[1], "uncertainty": over},
        )
    x, y, a, b = sizes(given.rows)
    if most := too_many(x + y, a + b):
        values = {"pairs": (x + y) * (a + b), "most": most}
        notes.append(Note("resampling.too-many", values=values))
        return {"influence": None, "uncertainty": None}, {}
    cosines = kernels.similarities(*sides(ordered.rows))
    layout = block_layout(cosines, x, a, precision=given.precision)
    drivers_ = vary.influence(layout)
    count = vary.count(layout)
    if count and given.log_ratios is None:
        notes.extend(close_words(given.unit or given.rows, given.coverage))
    rule = measure.rule
    if count and any(given.coverage[role].cluster for role in given.rows):
        # no shares of patterns: a resample has more or fewer words than the test, whose labels
        # are another design's
        vary = replace(vary, ordered=Ordered.by_cluster(given.rows, given.coverage), unit="cluster")
        layout, rule = sentence_layouts(vary.ordered, given.precision)[0], None
        count = vary.count(layout)
    return {"influence": drivers_, "uncertainty": vary.intervals(layout, count, rule=rule)}, {}


def sentence_layouts(ordered: Ordered, precision: float | None) -> tuple[Layout, Layout]:
    """Sentences in clusters by stimulus; and stimuli, which count in means by their sentences.

    No table of all sentences by all others is made: a mean of cosines is one product with a mean.
    """
    rows, stimuli = ordered.rows, ordered.stimuli
    means = {role: stimuli[role].mean_rows(rows[role]) for role in ROLES}
    x, y, a, b = (stimuli[role] for role in ROLES)
    centres = [np.concatenate([means[role] for role in side]) for side in (TARGETS, ATTRIBUTES)]
    targets = np.concatenate([product(rows[role], centres[1].T) for role in TARGETS])
    attributes = np.concatenate([product(rows[role], centres[0].T) for role in ATTRIBUTES])
    of, n_x, n_a = ((x + y).of, (a + b).of), len(x), len(a)
    counts = tuple(side.sizes.astype(np.float64) for side in (x + y, a + b))
    table = (x + y).mean_rows(targets)
    return (
        cluster_layout(targets, attributes, of, n_x, n_a, precision),
        block_layout(table, n_x, n_a, counts=(counts[0], counts[1]), precision=precision),
    )


def over_attributes(
    measure: ResampledMeasure, given: Input, ordered: Ordered
) -> EffectInterval | None:
    """Interval of an effect size over attributes: targets and attributes change places."""
    x, _, a, _ = sizes(given.rows)
    layout = block_layout(kernels.similarities(*sides(ordered.rows)).T, a, x)
    # notes of this would be those of level 1
    vary = Variation(measure, given, ordered, [], levels=1, turned=True)
    uncertain = vary.intervals(layout)
    return uncertain.level1 if uncertain else None


def close_words(rows: Rows, coverage: Coverage) -> Iterator[Note]:
    """Say which words of a group are nearly one, but for those that share a cluster."""
    centre = np.concatenate(list(rows.values())).mean(axis=0)
    for role, vectors in rows.items():
        group = coverage[role]
        if not 2 <= len(vectors) <= MANY or len(group.used) != len(vectors):
            continue
        away = vectors - centre
        length = np.linalg.norm(away, axis=1, keepdims=True)
        unit = away / np.where(length > 0, length, 1.0)
        cosines = np.triu(unit @ unit.T, k=1)
        pairs = [
            (float(cosines[i, j]), group.used[i], group.used[j])
            for i, j in np.argwhere(cosines >= CLOSE).tolist()
            if cosines[i, j] < 1 - 1e-9  # one vector under two names is remarked on elsewhere
            and group.cluster.get(group.used[i], 0) != group.cluster.get(group.used[j], 1)
        ]
        if pairs:
            cosine, *pair = max(pairs, key=lambda close: close[0])
            values = {"pair": pair, "cosine": cosine, "others": len(pairs) - 1}
            yield Note("resampling.close-words", role, {**values, "images": bool(group.image)})
