"""How frequent a test's words are, and what random words of these frequencies show by chance."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas import kernels
from eatlas.errors import EatlasError
from eatlas.measures import AssociationMeasure, Measure
from eatlas.measures.patterns import pattern_shares
from eatlas.measures.seeding import generator_of, stimuli_of_test
from eatlas.notes import Note
from eatlas.results import AssociationResult
from eatlas.results.inference import (
    PAIRS,
    Frequency,
    GroupRanks,
    Matched,
    MatchedLevel,
    MatchedLevel2,
    Ranks,
)
from eatlas.results.parts import Coverage, GroupCoverage
from eatlas.sources import CaseRule
from eatlas.sources.snapshot import MOST_TERMS, Ranking, drawn_for, ranking_of
from eatlas.sources.word_orders import NEAR
from eatlas.stats.bootstrap import PatternRule
from eatlas.stats.matched import (
    MatchedEffects,
    matched_effects,
    matched_lists,
    monte_carlo_p,
    rank_sum,
)
from eatlas.stimuli import ROLES, AssociationTest, Test

DRAWS = 2_000
"""Random lists by default: the standard error of a p of .05 is .005."""
STEPS = 40
"""Of a histogram of effect sizes."""
SHARES = (0.025, 0.25, 0.5, 0.75, 0.975)
DIFFERENT = 0.05
"""Groups whose ranks differ with a smaller p get a warning."""
DECIMALS = 6


@dataclass(frozen=True)
class ObservedTest:
    """What a test found, to be placed among random lists."""

    level1: float | None
    level2: tuple[float | None, float | None] | None
    """Of X and of Y; None for a measure without a level 2."""
    draws: int
    ddof: int
    rule: PatternRule | None
    """When a target counts as associated; None for a measure without patterns."""


Keys = Mapping[str, Mapping[str, str | None]]
"""The key of each stimulus in the order of frequency, by role; None where it is not listed."""


def keys_of(ranking: Ranking, coverage: Coverage, case: CaseRule) -> Keys:
    """Under which key each stimulus was found, or is in the list of frequencies."""
    return {role: _keys(ranking, coverage.group(role), case) for role in ROLES}


def _keys(ranking: Ranking, group: GroupCoverage, case: CaseRule) -> dict[str, str | None]:
    known = ranking.ranks or {}
    if group.image:  # a picture has no frequency in a list of words
        return dict.fromkeys(group.used)
    found = {term: group.found_as.get(term, term) for term in group.stimuli}
    return {term: key if key in known else ranking.key(term, case) for term, key in found.items()}


def ranks_of(ranking: Ranking, keys: Keys) -> Ranks | None:
    """Ranks of the stimuli of a test; None where none is known."""
    listed = ranking.ranks or {}
    terms = {
        role: {term: None if key is None else listed[key] for term, key in group.items()}
        for role, group in keys.items()
    }
    known = {
        role: np.array([rank for rank in group.values() if rank is not None], np.float64)
        for role, group in terms.items()
    }
    if not any(map(len, known.values())):
        return None
    p = {
        first: rank_sum(known[first], known[second])
        if len(known[first]) and len(known[second])
        else None
        for first, second in PAIRS.items()
    }
    groups = {
        role: GroupRanks(median=median(some.tolist()) if len(some) else None, terms=terms[role])
        for role, some in known.items()
    }
    return Ranks(
        **groups,
        vocabulary=ranking.vocabulary,
        size=ranking.size,
        p_targets=p["X"],
        p_attributes=p["A"],
    )


def remarks_on(ranks: Ranks, concepts: Mapping[str, str], roles: Collection[str]) -> list[Note]:
    """Say which groups that are compared differ in frequency.

    `roles` are the first groups of the pairs that the measure compares: X, A, or both.
    """
    found = []
    for role in roles:
        other = PAIRS[role]
        p = ranks.p_targets if role == "X" else ranks.p_attributes
        if p is None or p >= DIFFERENT:
            continue
        medians = [ranks.group(role).median, ranks.group(other).median]
        values = {"concepts": [concepts[role], concepts[other]], "medians": medians, "p": p}
        found.append(Note("frequency.differs", f"frequency.ranks.{role}", values))
    return found


def matched(
    ranking: Ranking,
    test: AssociationTest,
    keys: Keys,
    case: CaseRule,
    seed: int,
    found: ObservedTest,
) -> Matched | str:
    """Draw random lists in the test's place; the reason where it cannot be done."""
    kinds = {part.kind if not part.sentences else "sentence" for _, part in test.parts}
    if kinds != {"text"}:
        which = "sentences" if "sentence" in kinds else "images"
        return f"the terms are {which}, which random words cannot replace"
    if not drawn_for(test):
        return f"the test has more than {MOST_TERMS:,} terms"
    if lacking := [term for role in ROLES for term, key in keys[role].items() if key is None]:
        return f"no rank is known for {', '.join(lacking[:5])}" + ", ..." * (len(lacking) > 5)
    if ranking.pool is None:
        return ranking.reason
    listed = ranking.ranks or {}
    # the order of terms decides nothing
    places = [
        key for role in ROLES for _, key in sorted((listed[k], k) for k in keys[role].values() if k)
    ]
    own = {ranking.key(term, case) or term for _, part in test.parts for term in part.terms}
    windows = ranking.windows(set(places), own.union(places))
    rng = generator_of(seed, stimuli_of_test(test), "random words of the same frequencies")
    try:
        lists = matched_lists([windows[key] for key in places], found.draws, rng)
    except EatlasError:
        return "there are too few other words of these frequencies"
    chosen = np.zeros(len(ranking.pool.words), dtype=np.bool_)
    chosen[lists] = True
    used = np.flatnonzero(chosen)
    n_x, n_y, n_a, n_b = (len(keys[role]) for role in ROLES)
    effects = matched_effects(
        kernels.unit_rows(ranking.pool.vectors[used].astype(np.float64)),
        (np.cumsum(chosen) - 1)[lists],
        (n_x, n_y, n_a, n_b),
        ddof=found.ddof,
        rule=found.rule,
        rng=rng,
    )
    return _record(effects, found, len(used))


def _observed(measure: Any, result: Any) -> ObservedTest | str:
    """What a measure found, to be placed among random words; or why it is not."""
    if not hasattr(measure, "frequency"):
        return f"{measure.name} is not computed for random words"
    if measure.association != "cosine":
        return "random words are compared by cosines, and the test by projections"
    levels = getattr(result, "level2", None)
    return ObservedTest(
        level1=result.level1.effect_size,
        level2=levels and (levels.X.effect_size, levels.Y.effect_size),
        draws=DRAWS if isinstance(measure.frequency, str) else measure.frequency,
        ddof=measure.ddof,
        rule=measure.rule,
    )


def placed(
    measure: Measure,
    result: AssociationResult,
    coverage: Coverage,
    test: Test,
    source: Any,
) -> tuple[dict[str, Any], list[Note]]:
    """The fields of a result on frequency, and remarks for the reader.

    `source` knows the ranks already, or finds them.
    """
    if not isinstance(test, AssociationTest) or not isinstance(measure, AssociationMeasure):
        return {}, []
    case, seed = result.provenance.case, result.provenance.seed
    wish = measure.needs.ranks
    if wish is None:
        return {"frequency_reason": "frequency=off"}, []
    ranking = getattr(source, "ranking", None)
    if ranking is None:
        vectors = source if measure.needs.source == "vectors" else None
        ranking = ranking_of(vectors, [test], case, wish)
    keys = keys_of(ranking, coverage, case)
    ranks = ranks_of(ranking, keys)
    if ranks is None:
        none = f"none of the words is in {ranking.vocabulary}"
        return {"frequency_reason": none if ranking.ranks else ranking.reason}, []
    found = _observed(measure, result)
    drawn = found if isinstance(found, str) else matched(ranking, test, keys, case, seed, found)
    record = (
        Frequency(ranks=ranks, reason=drawn)
        if isinstance(drawn, str)
        else Frequency(ranks=ranks, matched=drawn)
    )
    names: dict[str, str] = {role: result.concepts.name(role) for role in ROLES}
    return {"frequency": record}, remarks_on(ranks, names, measure.compared)


def _record(effects: MatchedEffects, found: ObservedTest, words: int) -> Matched:
    """The record of matched draws: p-values and spread of each level, and shares of patterns."""
    level2 = None
    if found.level2 is not None:
        x, y = (
            _level(d, draws)
            for d, draws in zip(found.level2, (effects.level2_x, effects.level2_y), strict=True)
        )
        level2 = None if x is None or y is None else MatchedLevel2(X=x, Y=y)
    return Matched(
        draws=found.draws,
        near=NEAR,
        words=words,
        level1=_level(found.level1, effects.level1),
        level2=level2,
        patterns=None if found.rule is None else pattern_shares(effects.x, effects.y),
    )


def _level(observed: float | None, draws: NDArray[np.float64]) -> MatchedLevel | None:
    """p-values, mean, quantiles and histogram of one level's matched draws; None if undefined."""
    known = draws[np.isfinite(draws)]
    if observed is None or not len(known):
        return None
    greater, less, both = monte_carlo_p(observed, draws)
    low = min(float(known.min()), observed)
    high = max(float(known.max()), observed)
    ends = math.floor(low * 20) / 20, math.ceil(high * 20) / 20 or 0.05
    counts, _ = np.histogram(known, STEPS, ends)
    return MatchedLevel(
        p_greater=greater,
        p_less=less,
        p_two_sided=both,
        mean=round(float(known.mean()), DECIMALS),
        quantiles=tuple(kernels.quantiles(known, SHARES).round(DECIMALS).tolist()),
        counts=tuple(counts.tolist()),
        ends=ends,
        undefined=len(draws) - len(known),
    )
