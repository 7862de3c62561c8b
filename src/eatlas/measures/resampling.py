"""What is resampled: intervals, shares of patterns, and the influence of each term."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from eatlas.errors import UndefinedWarning
from eatlas.measures.base import Input, whole
from eatlas.measures.p_values import DECIMALS
from eatlas.measures.patterns import SIGNS, label_of
from eatlas.measures.rows import (
    Block,
    Clusters,
    Ordered,
    Rows,
    halves,
    several,
    too_many,
)
from eatlas.measures.seeding import generator_of
from eatlas.notes import OVER_STIMULI, Note, as_note
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
from eatlas.stats.bootstrap import EffectInterval as Interval
from eatlas.stats.bootstrap import Influence as Changes
from eatlas.stats.bootstrap import (
    Over,
    PatternRule,
    Streams,
    bootstrap,
    fewest,
    influence,
    pattern_stability,
)
from eatlas.stats.weighted import Design, Layout
from eatlas.stimuli import ATTRIBUTES, ROLES, TARGETS
from eatlas.stimuli.association_test import OPPOSITES

STEPS = (100_000, 50_000, 20_000, 10_000)
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
RESAMPLES = whole(0, "auto")
_SWAPPED: dict[Over, Over] = {"both": "both", "targets": "attributes", "attributes": "targets"}


@dataclass(frozen=True)
class Variation:
    """How the findings of one test vary with its stimuli."""

    influence: Influence | None
    uncertainty: Uncertainty | None = None
    over_stimuli: Uncertainty | None = None
    """The same of the effect sizes over stimuli, where stimuli have several sentences."""
    influence_over_stimuli: Influence | None = None

    @property
    def of_level1(self) -> Variation:
        """Without what belongs to level 2."""
        drop: dict[str, None] = {"level2": None}
        return Variation(
            self.influence and self.influence.model_copy(update=drop),
            self.uncertainty and self.uncertainty.model_copy(update=drop),
            self.over_stimuli and self.over_stimuli.model_copy(update=drop),
            self.influence_over_stimuli and self.influence_over_stimuli.model_copy(update=drop),
        )

    @property
    def of_stimuli(self) -> dict[str, Uncertainty | Influence | None]:
        """Fields of a record over stimuli."""
        return {"uncertainty": self.over_stimuli, "influence": self.influence_over_stimuli}


@dataclass(frozen=True)
class Bootstrap:
    """What is resampled, how often, and the confidence of intervals."""

    resamples: int | Literal["auto"]
    """Bootstrap resamples; 0 for none."""
    over: Over
    """Which stimuli are resampled."""
    confidence: float
    """Nominal confidence of the intervals."""
    ddof: int

    def variation(
        self, given: Input, notes: list[Note], rule: PatternRule | None = None
    ) -> Variation:
        """How the findings vary with the stimuli, and which of them drive these.

        With a `rule` the records say how often each EAT pattern was seen. Where stimuli have
        several sentences they are drawn again, or left out, with all of them; patterns are then
        judged over stimuli, as sentences of a resample cannot be relabelled singly.
        """
        cells = [sum(len(given.rows[role]) for role in side) for side in OPPOSITES]
        ordered = Ordered.of(given.rows, given.coverage)
        if several(ordered.stimuli):
            return self._over_clusters(ordered, given, notes, rule)
        if most := too_many(*cells):
            values = {"pairs": math.prod(cells), "most": most}
            notes.append(Note("resampling.too-many", values=values))
            return Variation(None)
        return self._over_terms(ordered, given, notes, rule)

    def _over_terms(
        self, ordered: Ordered, given: Input, notes: list[Note], rule: PatternRule | None
    ) -> Variation:
        """Influence of each term, and intervals over resampled terms."""
        test = replace(Block.of(ordered.rows).design(), precision=given.precision)
        influence = leave_one_out(test, "term", ordered.places, self.ddof, notes)
        if not self._resampled(test, "term", notes):
            return Variation(influence)
        if given.log_ratios is None:
            notes.extend(close_words(given.unit or given.rows, given.coverage))
        if any(given.coverage.group(role).cluster for role in given.rows):
            return Variation(influence, self._by_cluster(given, notes))
        how = self.resampling(test, ordered, given)
        found, drawn = how.intervals(test, "term", notes)
        if rule is not None:
            found = found.model_copy(update=how.patterns(test, rule, drawn, notes))
        return Variation(influence, found)

    def of_layout(
        self,
        test: Layout,
        ordered: Ordered,
        given: Input,
        notes: list[Note],
        rule: PatternRule,
    ) -> tuple[Variation, Resampling | None]:
        """The same of single terms whose associations depend on which terms there are."""
        influence = leave_one_out(test, "term", ordered.places, self.ddof, notes)
        if not self._resampled(test, "term", notes):
            return Variation(influence), None
        how = self.resampling(test, ordered, given)
        found, drawn = how.intervals(test, "term", notes)
        shares = how.patterns(test, rule, drawn, notes)
        return Variation(influence, found.model_copy(update=shares)), how

    def _by_cluster(self, given: Input, notes: list[Note]) -> Uncertainty | None:
        """Intervals of tests of words whose clusters are drawn whole.

        There are no shares of patterns: a resample has more or fewer words than the test, whose
        labels are another design's.
        """
        ordered = Ordered.by_cluster(given.rows, given.coverage)
        test = Clusters(ordered.rows, ordered.stimuli).sentences()
        if not self._resampled(test, "cluster", notes):
            return None
        found, _ = self.resampling(test, ordered, given).intervals(test, "cluster", notes)
        return found

    def _over_clusters(
        self, ordered: Ordered, given: Input, notes: list[Note], rule: PatternRule | None
    ) -> Variation:
        """Influence and intervals over sentences, and over the stimuli that they are made of."""
        clusters = Clusters(ordered.rows, ordered.stimuli, given.precision)
        test = clusters.sentences()
        influence = leave_one_out(test, "stimulus", ordered.places, self.ddof, notes)
        means_of = clusters.stimuli()
        over = leave_one_out(means_of, "stimulus", ordered.places, self.ddof, notes, OVER_STIMULI)
        if not self._resampled(test, "stimulus", notes):
            return Variation(influence, influence_over_stimuli=over)
        how = self.resampling(test, ordered, given)
        found, _ = how.intervals(test, "stimulus", notes)
        means, drawn = how.intervals(means_of, "stimulus", notes, OVER_STIMULI)
        if rule is not None and min(test.groups[role] for role in ATTRIBUTES) > 1:
            shares = how.patterns(clusters.means(), rule, drawn, notes, OVER_STIMULI)
            means = means.model_copy(update=shares)
        return Variation(influence, found, means, over)

    def resampling(self, test: Layout, ordered: Ordered, given: Input) -> Resampling:
        """How often the stimuli are drawn, and by which generators."""

        def streams() -> Streams:
            return {
                role: generator_of(given.seed, {role: names}, "resamples")
                for role, names in ordered.names.items()
            }

        return Resampling(
            self.resamples_of(test),
            self.over,
            self.confidence,
            self.ddof,
            streams,
            lambda: generator_of(given.seed, ordered.names, "relabellings of resamples"),
        )

    def resamples_of(self, test: Layout) -> int:
        """Resamples of one test."""
        if self.resamples != "auto":
            return self.resamples
        return next((n for n in STEPS if n * test.work <= WORK), STEPS[-1])

    def _resampled(self, test: Layout, unit: Unit, notes: list[Note]) -> bool:
        """Whether resamples are requested and can be drawn."""
        if self.resamples == 0:
            return False
        if not allows(test, self.over):
            notes.append(Note("resampling.one-unit", values={"unit": unit}))
            return False
        return True

    def over_attributes(self, given: Input) -> EffectInterval | None:
        """Interval of an effect size over attributes: targets and attributes change places."""
        ordered = Ordered.of(given.rows, given.coverage)
        block = Block.of(ordered.rows)
        swapped = Design(block.values.T, block.n_a, block.n_x)
        over = _SWAPPED[self.over]
        if not self.resamples or not allows(swapped, over):
            return None
        how = self.resampling(swapped, ordered, given)

        def streams() -> Streams:
            drawn = how.streams()
            return {
                role: drawn[other]
                for role, other in zip(ROLES, (*ATTRIBUTES, *TARGETS), strict=True)
            }

        # notes of this would be those of level 1
        return replace(how, over=over, streams=streams).intervals(swapped, "term", [])[0].level1


@dataclass(frozen=True)
class Resampling:
    """How the stimuli of a test are drawn again."""

    resamples: int
    over: Over
    confidence: float
    ddof: int
    streams: Callable[[], Streams]
    """Makes the generators of the groups anew, so that all figures rest on the same resamples."""
    aside: Callable[[], np.random.Generator]
    """Makes the generator of relabellings."""

    def intervals(
        self, test: Layout, unit: Unit, notes: list[Note], place: str = ""
    ) -> tuple[Uncertainty, tuple[np.ndarray, ...]]:
        """Intervals of all three effect sizes, and these in the resamples.

        `place` begins the places of notes.
        """
        with _noted(notes, place):
            (level1, x, y), drawn = bootstrap(
                test,
                streams=self.streams(),
                over=self.over,
                resamples=self.resamples,
                level=self.confidence,
                ddof=self.ddof,
            )
        return Uncertainty(
            over=self.over,
            unit=unit,
            resamples=self.resamples,
            confidence=self.confidence,
            level1=_interval(level1),
            level2=Level2Intervals(X=_interval(x), Y=_interval(y)),
        ), drawn

    def patterns(
        self,
        test: Layout,
        rule: PatternRule,
        drawn: tuple[np.ndarray, ...],
        notes: list[Note],
        place: str = "",
    ) -> dict[str, Any]:
        """Share of the resamples that show each EAT pattern, the nine in one order.

        Returns the fields of :class:`eatlas.results.inference.Uncertainty` that say so.
        """
        with _noted(notes, place):
            found = pattern_stability(
                test,
                streams=self.streams(),
                aside=self.aside(),
                over=self.over,
                resamples=self.resamples,
                rule=rule,
                drawn=(drawn[1], drawn[2]),
            )
        return {"patterns": _by_label(found.shares), "patterns_error": _by_label(found.errors)}


def allows(test: Layout, over: Over) -> bool:
    """Whether every group that is resampled has two terms, or stimuli."""
    return all(test.groups[role] >= least for role, least in fewest(over).items())


Places = Mapping[str, Sequence[int]]
"""For each unit of a group, in the order of the coverage: its place in the layout."""


def leave_one_out(
    test: Layout, unit: Unit, places: Places, ddof: int, notes: list[Note], place: str = ""
) -> Influence | None:
    """Change of each effect size without each term, or without all sentences of each stimulus.

    None where a group has one alone, and where the lists are so long that it would take minutes.
    """
    if min(test.groups.values()) < 2:
        return None
    targets, attributes = (sum(test.groups[role] for role in side) for side in OPPOSITES)
    if _work(targets, attributes) > _MOST_WORK:
        values = {"unit": unit, "targets": targets, "attributes": attributes}
        notes.append(Note("resampling.no-influence", f"{place}influence", values))
        return None
    with _noted(notes, place):
        level1, *level2 = influence(test, ddof=ddof)
    return Influence(
        unit=unit,
        level1=_changes(level1, test, TARGETS, places),
        level2=Level2Influence(
            {
                role: _changes(changes, test, (role,), places)
                for role, changes in zip(TARGETS, level2, strict=True)
            }
        ),
    )


def _work(targets: int, attributes: int) -> int:
    """How much leaving out one by one costs: 10**10 of these are about two seconds."""
    return 40 * (targets**2 + attributes**2) + targets * attributes * (targets + attributes)


@contextmanager
def _noted(notes: list[Note], place: str = "") -> Iterator[None]:
    """Turn warnings about undefined figures into notes of the result."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", UndefinedWarning)
        yield
    undefined = [w.message.note for w in caught if isinstance(w.message, UndefinedWarning)]
    notes.extend(replace(note, place=f"{place}{note.place}") for note in map(as_note, undefined))


def _by_label(table: np.ndarray) -> dict[str, float]:
    """Figures of the nine patterns by their names."""
    return {label_of(x, y): round(float(table[1 - x, 1 - y]), DECIMALS) for x, y in SIGNS}


def _interval(found: Interval) -> EffectInterval:
    return EffectInterval(
        interval=defined_ends(found.interval, DECIMALS),
        error=defined_ends(found.error, DECIMALS),
        se=defined(found.se, DECIMALS),
        undefined=found.undefined,
    )


def _changes(found: Changes, test: Layout, targets: Sequence[str], places: Places) -> TermInfluence:
    n_x, _, n_a, _ = (test.groups[role] for role in ROLES)
    groups = halves(found.targets, n_x, found.attributes, n_a)
    groups |= dict.fromkeys(set(TARGETS) - set(targets), ())
    return TermInfluence(
        **{
            role: tuple(defined(values[place], DECIMALS) for place in places[role] if len(values))
            for role, values in groups.items()
        }
    )


def close_words(rows: Rows, coverage: Coverage) -> Iterator[Note]:
    """Say which words of a group are nearly one, but for those that share a cluster."""
    centre = np.concatenate(list(rows.values())).mean(axis=0)
    for role, vectors in rows.items():
        group = coverage.group(role)
        if not 2 <= len(vectors) <= MANY or len(group.used) != len(vectors):
            continue
        away = vectors - centre
        length = np.linalg.norm(away, axis=1, keepdims=True)
        unit = away / np.where(length > 0, length, 1.0)
        cosines = np.triu(unit @ unit.T, k=1)
        pairs = [
            (group.used[i], group.used[j], float(cosines[i, j]))
            for i, j in np.argwhere(cosines >= CLOSE).tolist()
            if cosines[i, j] < 1 - 1e-9  # one vector under two names is remarked on elsewhere
            and group.cluster.get(group.used[i], 0) != group.cluster.get(group.used[j], 1)
        ]
        if pairs:
            one, other, cosine = max(pairs, key=lambda pair: pair[2])
            values = {"pair": [one, other], "cosine": cosine, "others": len(pairs) - 1}
            yield Note("resampling.close-words", role, {**values, "images": bool(group.image)})
