"""Associations given what else differs between the words: their frequency, and other covariates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eatlas import kernels
from eatlas.engine.frequency import Keys, Ranking
from eatlas.errors import EatlasError
from eatlas.measures.association import DECIMALS, pattern_of, to_record
from eatlas.measures.base import Array, Input, generator_of
from eatlas.measures.inference import CONFIDENCE
from eatlas.measures.levels import COMPARED, several, sides, stimuli_of, too_many
from eatlas.notes import Note
from eatlas.results import AssociationResult, SCEATResult
from eatlas.results.levels import Adjusted, AdjustedLevel, AdjustedTerm
from eatlas.results.parts import BySide, Coverage, at, defined, defined_ends
from eatlas.sources import CaseRule
from eatlas.sources.covariates import WordCovariates
from eatlas.stats.bootstrap import block_layout, percentile
from eatlas.stats.effect_size import effect_sizes
from eatlas.stats.regression import Regression, regression_test, resampled_estimates
from eatlas.stimuli import ATTRIBUTES, ROLES, TARGETS

FREQUENCY = "frequency"
"""Name of the covariate that a source itself knows."""
APART = 0.9
"""Groups whose label shares more of its variance with the covariates can hardly be told apart."""
MOST_TERMS = 2_000
"""Words of two groups whose residuals are permuted."""
RESAMPLES = 2_000
"""Of words, behind an interval; its ends have Monte Carlo errors of some .04."""
LEAST_DEFINED = 0.9
"""Share of the resamples that must tell the groups from the covariates, or there is no interval."""


@dataclass(frozen=True)
class Covariates:
    """Covariates of the stimuli of a test."""

    names: tuple[str, ...]
    of: Mapping[str, Array]
    """By role, shape (stimuli, names); NaN where one is not known."""
    ranked: bool
    """Whether the first one is the logarithm of the rank."""

    def columns(self, units: Array) -> tuple[Array, list[str]]:
        """Columns of a regression: the rank and its square, others as they are; none constant.

        The second part names covariates that are the same for all units.
        """
        columns, constant = [], []
        for i, name in enumerate(self.names):
            x = units[:, i]
            if not np.ptp(x):
                constant.append(name)
                continue
            x = (x - x.mean()) / x.std()
            columns += [x, x * x] if self.ranked and not i else [x]
        return np.column_stack([np.empty((len(units), 0)), *columns]), constant


def covariates_of(
    coverage: Coverage,
    ranking: Ranking,
    keys: Keys,
    words: WordCovariates | None,
    case: CaseRule,
) -> Covariates | str:
    """The covariates of the stimuli of a test, or why there are none."""
    ranked = any(key for group in keys.values() for key in group.values())
    if words is None and any(group.image for group in coverage.values()):
        return "images have no frequency"
    if not ranked and words is None:
        none = f"none of the words is in {ranking.vocabulary}"
        return none if ranking.ranks else ranking.reason
    names = (FREQUENCY,) * ranked + (words.names if words else ())
    of = {}
    for role, group in coverage.items():
        rows = []
        for stimulus in group.stimuli:
            key = keys[role].get(stimulus)
            row = [np.nan if key is None else np.log(ranking.ranks[key])] if ranked else []
            numbers = words and words.of(group.found_as.get(stimulus, stimulus), case)
            rows.append([*row, *(numbers or (np.nan,) * len(words.names if words else ()))])
        of[role] = np.array(rows, np.float64).reshape(len(rows), len(names))
    return Covariates(names, of, ranked)


@dataclass(frozen=True)
class _Units:
    """The stimuli of a test that have all covariates, by name: no order of terms matters."""

    names: dict[str, list[str]]
    places: dict[str, list[int]]
    """Where they are among the stimuli of the coverage."""
    all: dict[str, int]
    """How many stimuli there are, without those too."""
    left_out: dict[str, tuple[str, ...]]

    @classmethod
    def of(cls, coverage: Coverage, covariates: Covariates) -> _Units:
        names, places, left_out = {}, {}, {}
        for role in ROLES:
            group = coverage[role]
            whole = np.asarray(~np.isnan(covariates.of[role]).any(axis=1))
            rows = sorted((group.image.get(name, name), i) for i, name in enumerate(group.stimuli))
            places[role] = [i for _, i in rows if whole[i]]
            names[role] = [group.stimuli[i] for i in places[role]]
            left_out[role] = tuple(
                n for n, has in zip(group.stimuli, whole, strict=True) if not has
            )
        sizes = {role: len(coverage[role].stimuli) for role in ROLES}
        return cls(names, places, sizes, {role: names for role, names in left_out.items() if names})

    def side(self, roles: Sequence[str]) -> list[int]:
        """Where the stimuli of two opposed groups are among all of both."""
        first, second = roles
        return self.places[first] + [self.all[first] + i for i in self.places[second]]

    def n(self, roles: Sequence[str]) -> tuple[int, int]:
        """Sizes of two opposed groups."""
        first, second = roles
        return len(self.places[first]), len(self.places[second])


def adjusted(
    measure: Any,
    given: Input,
    result: AssociationResult,
    covariates: Covariates | str,
    notes: list[Note],
) -> Adjusted | None:
    """Effect sizes, p-values and the pattern of a result given covariates of its words."""
    if isinstance(covariates, str):
        notes.append(Note("adjusted.none", "adjusted", {"reason": covariates}))
        return None
    units = _Units.of(given.coverage, covariates)
    if units.left_out:
        words = {result.concepts[role]: list(left) for role, left in units.left_out.items()}
        values = {"words": words, "names": list(covariates.names)}
        notes.append(Note("adjusted.left-out", "adjusted", values))
    scored = {} if isinstance(result, SCEATResult) else _scores(result, units)
    roles = {place: COMPARED[place] for place in scored}
    if isinstance(result, SCEATResult):
        roles = {"terms": ATTRIBUTES}
    designs: dict[str, tuple[Regression, Array]] = {}
    for place, pair in roles.items():
        if place == "level2.Y" and "level2.X" in roles:  # the attributes are the same
            designs |= {place: designs["level2.X"]} if "level2.X" in designs else {}
            continue
        design = _design(pair, units, covariates, result, notes)
        designs |= {} if design is None else {place: design}
    table = _table(given, result)
    if table is not None:
        table = table[np.ix_(units.side(TARGETS), units.side(ATTRIBUTES))]
    if "terms" in roles:
        return _of_terms(measure, given, units, covariates, table, designs.get("terms"))
    levels = {
        place: _level(measure, given, scored[place], *designs[place])
        for place in scored
        if place in designs
    }
    if not levels:
        return None
    intervals = _intervals(measure, given, units, table, {p: r for p, (r, _) in designs.items()})
    levels = {
        place: level.model_copy(update={"interval": intervals.get(place)})
        for place, level in levels.items()
    }
    level2 = None
    if {"level2.X", "level2.Y"} <= levels.keys():
        level2 = BySide[AdjustedLevel]({role: levels[f"level2.{role}"] for role in TARGETS})
    return Adjusted(
        covariates=covariates.names,
        level1=levels.get("level1"),
        level2=level2,
        pattern=pattern_of(level2, measure.rule) if level2 and measure.rule else None,
        left_out=units.left_out,
    )


def _scores(result: AssociationResult, units: _Units) -> dict[str, Array]:
    """Scores of the stimuli at each level, by place; none where a result keeps none."""
    scores: Any = at(result.primary, "scores")
    by_place = {"level1": scores}
    for role in TARGETS:
        by_place[f"level2.{role}"] = at(scores, f"attributes_with_{role}")
    return {
        place: np.array([by_role[role][i] for role in COMPARED[place] for i in units.places[role]])
        for place, by_role in by_place.items()
        if by_role is not None and all(len(by_role[role]) for role in COMPARED[place])
    }


def _table(given: Input, result: AssociationResult) -> Array | None:
    """Mean association of each target stimulus with each attribute stimulus, where it is a mean."""
    if result.draws is not None:
        return None if result.similarities is None else np.array(result.similarities)
    if result.logit_scale is not None or set(given.rows) != set(ROLES) or too_many(given.rows):
        return None
    stimuli = stimuli_of(given.coverage)
    means = {role: stimuli[role].mean_rows(rows) for role, rows in given.rows.items()}
    return kernels.similarities(*sides(means))


def _design(
    roles: Sequence[str],
    units: _Units,
    covariates: Covariates,
    result: AssociationResult,
    notes: list[Note],
) -> tuple[Regression, Array] | None:
    """What least squares makes of two groups and their covariates; None where a remark says why."""
    place, concepts = "".join(roles), [result.concepts[role] for role in roles]
    values = np.concatenate([covariates.of[role][units.places[role]] for role in roles])
    n, reason = units.n(roles), ""
    columns, constant = covariates.columns(values) if min(n) else (values, [])
    if min(n) < 2:
        reason = f"of {' and '.join(concepts)}, {n[0]} and {n[1]} words have all covariates"
    elif sum(n) > MOST_TERMS:
        reason = f"{sum(n):,} words are compared, more than {MOST_TERMS:,}"
    elif not columns.size:
        reason = "the covariates are the same for all words"
    try:
        regression = None if reason else Regression.of(sum(n), n[0], columns)
    except EatlasError as error:
        reason = f"{error.what} ({error.got})" if error.got else error.what
    if reason or regression is None:
        notes.append(Note("adjusted.none", place, {"reason": reason}))
        return None
    if constant:
        notes.append(Note("adjusted.constant", place, {"names": constant, "concepts": concepts}))
    if covariates.ranked:
        first, second = (np.exp(part) for part in np.split(values[:, 0], [n[0]]))
        overlap = max(first.min(), second.min()) <= min(first.max(), second.max())
    else:
        overlap, first, second = True, np.zeros(1), np.zeros(1)
    if regression.shared > APART or not overlap:
        ranges = [[float(part.min()), float(part.max())] for part in (first, second)]
        figures = {"shared": regression.shared, "ranges": ranges if covariates.ranked else []}
        notes.append(Note("adjusted.apart", place, {"concepts": concepts, **figures}))
    return regression, columns


def _level(
    measure: Any, given: Input, scores: Array, regression: Regression, columns: Array
) -> AdjustedLevel:
    """One effect size given covariates, with its p-values."""
    return _levels(measure, given, scores[None], regression, columns)[0]


def _levels(
    measure: Any, given: Input, scores: Array, regression: Regression, columns: Array
) -> list[AdjustedLevel]:
    """Effect sizes of rows that share their relabellings."""
    n, how = regression.n, dict[str, Any]({"scale": given.magnitude, "precision": given.precision})
    tested = regression_test(scores, n, columns, seed=given.seed, **how)
    _, d = effect_sizes(scores, n, ddof=measure.ddof, **how)
    spread = scores.std(axis=1, ddof=measure.ddof)
    effects = np.where(np.isnan(d), np.nan, tested.estimates / np.where(spread, spread, 1.0))
    return [
        AdjustedLevel(
            effect_size=defined(float(effect)),
            difference=float(estimate),
            n=(n, scores.shape[1] - n),
            p=to_record(p),
            shared=tested.shared,
        )
        for effect, estimate, p in zip(effects, tested.estimates, tested.p, strict=True)
    ]


def _of_terms(
    measure: Any,
    given: Input,
    units: _Units,
    covariates: Covariates,
    table: Array | None,
    design: tuple[Regression, Array] | None,
) -> Adjusted | None:
    """The adjusted association of each target of an SC-EAT with A and B."""
    if design is None or table is None:
        return None
    names = [(role, name) for role in TARGETS for name in given.coverage[role].stimuli]
    levels = _levels(measure, given, table, *design)
    terms = tuple(
        AdjustedTerm(term=name, group=role, level2=level)
        for (role, name), level in zip(names, levels, strict=True)
    )
    left_out = {role: words for role, words in units.left_out.items() if role in ATTRIBUTES}
    return Adjusted(covariates=covariates.names, terms=terms, left_out=left_out)


def _intervals(
    measure: Any,
    given: Input,
    units: _Units,
    table: Array | None,
    regressions: Mapping[str, Regression],
) -> dict[str, tuple[float, float] | None]:
    """Percentile intervals over resamples of the words of all four groups."""
    wanted: Any = getattr(measure, "resamples", "auto")
    count: int = RESAMPLES if wanted == "auto" else wanted
    if table is None or not count:
        return {}
    sizes: Any = None
    stimuli = stimuli_of(given.coverage)
    if several(stimuli) and len(table) == sum(units.n(TARGETS)):
        sizes = tuple(
            np.concatenate([stimuli[role].sizes[units.places[role]] for role in side]).astype(float)
            for side in (TARGETS, ATTRIBUTES)
        )
    n_x, n_a = len(units.places["X"]), len(units.places["A"])
    layout = block_layout(table, n_x, n_a, counts=sizes, precision=given.precision)
    streams = {
        role: generator_of(given.seed, {role: units.names[role]}, "resamples") for role in ROLES
    }
    each = [regressions.get(place) for place in COMPARED]
    drawn = resampled_estimates(layout, each, count, streams, measure.ddof)
    intervals = {}
    for place, effects in zip(COMPARED, drawn, strict=True):
        d = effects[np.isfinite(effects)]
        if len(d) >= max(1, LEAST_DEFINED * count):
            ends, _ = percentile(d, getattr(measure, "confidence", CONFIDENCE))
            intervals[place] = defined_ends(ends, DECIMALS)
    return intervals
