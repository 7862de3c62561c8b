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
from eatlas.measures.base import Input, generator_of, whole
from eatlas.measures.p_values import DECIMALS
from eatlas.measures.patterns import SIGNS, label_of
from eatlas.measures.rows import (
    Clusters,
    Ordered,
    Rows,
    design_of,
    halves,
    several,
    too_many,
)
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
from eatlas.stimuli.kinds import OPPOSITES

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
RESAMPLES = whole(0, "auto")
Varied = dict[str, Uncertainty | Influence | None]
"""Fields of a record: `influence` and `uncertainty`."""
MakeStreams = Callable[[], Streams]


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
        self,
        given: Input,
        notes: list[Note],
        rule: PatternRule | None = None,
        *,
        level2: bool = True,
    ) -> tuple[Varied, Varied]:
        """How the findings vary with the stimuli, and which of them drive these.

        Where stimuli have several sentences they are drawn again, or left out, with all of them;
        the second mapping has the same of the effect sizes over stimuli, and with a `rule` patterns
        are judged over stimuli, as sentences of a resample cannot be relabelled singly.
        """
        cells = [sum(len(given.rows[role]) for role in side) for side in OPPOSITES]
        ordered = Ordered.of(given.rows, given.coverage)
        if several(ordered.stimuli):
            return self._over_stimuli(ordered, given, notes, rule, level2=level2)
        if most := too_many(*cells):
            values = {"pairs": math.prod(cells), "most": most}
            notes.append(Note("resampling.too-many", values=values))
            return {"influence": None, "uncertainty": None}, {}
        test = replace(design_of(ordered.rows), precision=given.precision)
        drivers = leave_one_out(test, "term", ordered.places, self.ddof, notes, level2=level2)
        unit: Unit = "term"
        draws = self._resamples_of(test, unit, notes)
        if draws and given.log_ratios is None:
            notes.extend(close_words(given.unit or given.rows, given.coverage))
        resampled: Layout = test
        if draws and any(given.coverage[role].cluster for role in given.rows):
            # no shares of patterns: a resample has more or fewer words than the test, whose labels
            # are another design's
            ordered, unit, rule = Ordered.by_cluster(given.rows, given.coverage), "cluster", None
            resampled = Clusters(ordered.rows, ordered.stimuli).sentences()
            draws = self._resamples_of(resampled, unit, notes)
        streams = self.streams(given, ordered)
        uncertainty = self._intervals(
            resampled, unit, draws, streams, notes, rule=rule, level2=level2
        )
        return {"influence": drivers, "uncertainty": uncertainty}, {}

    def _over_stimuli(
        self,
        ordered: Ordered,
        given: Input,
        notes: list[Note],
        rule: PatternRule | None,
        *,
        level2: bool,
    ) -> tuple[Varied, Varied]:
        """Influence and intervals over sentences, and over the stimuli that they are made of."""
        clusters = Clusters(ordered.rows, ordered.stimuli, given.precision)
        unit: Unit = "stimulus"
        sentences, stimuli = clusters.sentences(), clusters.stimuli()
        how: Any = {"ddof": self.ddof, "notes": notes, "level2": level2}
        of_sentences = leave_one_out(sentences, unit, ordered.places, **how)
        of_stimuli = leave_one_out(stimuli, unit, ordered.places, **how, place=OVER_STIMULI)
        draws, streams = self._resamples_of(sentences, unit, notes), self.streams(given, ordered)
        first = self._intervals(sentences, unit, draws, streams, notes, level2=level2)
        if min(stimuli.groups[role] for role in ATTRIBUTES) < 2:
            rule = None
        second = self._intervals(
            stimuli,
            unit,
            draws,
            streams,
            notes,
            OVER_STIMULI,
            rule=rule,
            judged=clusters.means() if rule and draws else None,
            level2=level2,
        )
        return (
            {"influence": of_sentences, "uncertainty": first},
            {"influence": of_stimuli, "uncertainty": second},
        )

    def of_layout(
        self, test: Layout, ordered: Ordered, given: Input, notes: list[Note], rule: PatternRule
    ) -> Varied:
        """The same of single terms whose associations depend on which terms there are."""
        drivers = leave_one_out(test, "term", ordered.places, self.ddof, notes)
        draws, streams = self._resamples_of(test, "term", notes), self.streams(given, ordered)
        uncertainty = self._intervals(test, "term", draws, streams, notes, rule=rule)
        return {"influence": drivers, "uncertainty": uncertainty}

    def over_attributes(self, given: Input) -> EffectInterval | None:
        """Interval of an effect size over attributes: targets and attributes change places."""
        ordered = Ordered.of(given.rows, given.coverage)
        block = design_of(ordered.rows)
        swapped = Design(block.block.T, block.n_a, block.n_x)
        streams = self.streams(given, ordered)

        def turned() -> Streams:
            drawn = streams()
            turn = zip(ROLES, (*ATTRIBUTES, *TARGETS), strict=True)
            return {role: drawn[other] for role, other in turn}

        turned_over: dict[Over, Over] = {"targets": "attributes", "attributes": "targets"}
        over = replace(self, over=turned_over.get(self.over, self.over))
        # notes of this would be those of level 1
        draws = over._resamples_of(swapped, "term", [])
        found = over._intervals(swapped, "term", draws, turned, [])
        return found.level1 if found else None

    def streams(self, given: Input, ordered: Ordered) -> MakeStreams:
        """Makes generators anew: all figures rest on the same draws."""

        def make() -> Streams:
            return {
                "": generator_of(given.seed, ordered.names, "relabellings of resamples"),
                **{
                    role: generator_of(given.seed, {role: names}, "resamples")
                    for role, names in ordered.names.items()
                },
            }

        return make

    def _resamples_of(self, test: Layout, unit: Unit, notes: list[Note]) -> int:
        """Resamples of a test; 0 where none are requested, or can be drawn."""
        if self.resamples == 0:
            return 0
        if any(test.groups[role] < least for role, least in fewest(self.over).items()):
            notes.append(Note("resampling.one-unit", "uncertainty", {"unit": unit}))
            return 0
        if self.resamples != "auto":
            return self.resamples
        return next((n for n in RESAMPLE_COUNTS if n * test.work <= WORK), RESAMPLE_COUNTS[-1])

    def _intervals(  # noqa: PLR0913  (each is part of what is drawn)
        self,
        test: Layout,
        unit: Unit,
        draws: int,
        streams: MakeStreams,
        notes: list[Note],
        place: str = "",
        *,
        rule: PatternRule | None = None,
        judged: Layout | None = None,
        level2: bool = True,
    ) -> Uncertainty | None:
        """Intervals of the effect sizes, and with a `rule` the share of each EAT pattern."""
        if not draws:
            return None
        how: Any = {"over": self.over, "resamples": draws}
        shares = {}
        with _noted(notes, place):
            (level1, x, y), drawn = bootstrap(
                test, streams=streams(), level=self.confidence, ddof=self.ddof, **how
            )
            if rule is not None:
                found = pattern_stability(
                    judged or test,
                    streams=streams(),
                    aside=streams()[""],
                    rule=rule,
                    drawn=(drawn[1], drawn[2]),
                    **how,
                )
                shares["patterns"] = _by_label(found.shares)
                shares["patterns_error"] = _by_label(found.errors)
        return Uncertainty(
            **how,
            unit=unit,
            confidence=self.confidence,
            level1=_interval(level1),
            level2=Level2Intervals(X=_interval(x), Y=_interval(y)) if level2 else None,
            **shares,
        )


Places = Mapping[str, Sequence[int]]
"""For each unit of a group, in the order of the coverage: its place in the layout."""


def leave_one_out(
    test: Layout,
    unit: Unit,
    places: Places,
    ddof: int,
    notes: list[Note],
    place: str = "",
    *,
    level2: bool = True,
) -> Influence | None:
    """Change of each effect size without each term, or without all sentences of each stimulus.

    None where a group has one alone, and where the lists are so long that it would take minutes.
    """
    if min(test.groups.values()) < 2:
        return None
    targets, attributes = (sum(test.groups[role] for role in side) for side in OPPOSITES)
    # 10**10 of these are about two seconds
    work = 40 * (targets**2 + attributes**2) + targets * attributes * (targets + attributes)
    if work > _MOST_WORK:
        values = {"unit": unit, "targets": targets, "attributes": attributes}
        notes.append(Note("resampling.no-influence", f"{place}influence", values))
        return None
    with _noted(notes, place):
        level1, x, y = influence(test, ddof=ddof)
    return Influence(
        unit=unit,
        level1=_changes(level1, test, TARGETS, places),
        level2=Level2Influence(
            X=_changes(x, test, ("X",), places), Y=_changes(y, test, ("Y",), places)
        )
        if level2
        else None,
    )


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
        group = coverage[role]
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
            first, second, cosine = max(pairs, key=lambda pair: pair[2])
            values = {"pair": [first, second], "cosine": cosine, "others": len(pairs) - 1}
            yield Note("resampling.close-words", role, {**values, "images": bool(group.image)})
