"""Associations given what else differs between the words: their frequency, and other covariates."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import EatlasError
from eatlas.measures.association import DECIMALS, to_record
from eatlas.measures.base import Array, Covariates, Input
from eatlas.measures.inference import CONFIDENCE, TWO
from eatlas.measures.levels import COMPARED
from eatlas.measures.patterns import pattern_of
from eatlas.measures.units import TestUnits
from eatlas.notes import Note
from eatlas.results.levels import (
    Adjusted,
    AdjustedLevel,
    AdjustedLevel2,
    AdjustedTerm,
    StudentP,
    Units,
)
from eatlas.results.parts import TAILS, GroupCoverage, at, finite, finite_ends
from eatlas.stats.effect_size import DrawEffects, effect_sizes
from eatlas.stats.facets import ContrastTest, Facet, contrast_test
from eatlas.stats.inputs import remember
from eatlas.stats.regression import Regression, regression_test
from eatlas.stats.units import Labels, average_over_units
from eatlas.stimuli import ATTRIBUTES, ROLES, TARGETS

Roles = tuple[str, ...]
"""Two opposed groups."""
APART = 0.9
"""With a larger R2 of group label on covariates, the adjusted effect is barely identified."""
LEAST_DF = 1.0
"""Of an interval; with fewer its ends are millions of effect sizes apart."""
MOST_TERMS = 2_000
"""Words of two groups whose residuals are permuted."""


@dataclass(frozen=True)
class SortedGroup:
    """The stimuli of a group in the order of their names, which no order of terms changes."""

    names: list[str]
    places: list[int]
    """Where they are among the stimuli of the coverage."""
    covariates: Array
    """Shape (stimuli, covariates)."""

    @classmethod
    def of(cls, coverage: GroupCoverage, covariates: Array) -> SortedGroup:
        """Sort the stimuli of a group; images by their hashes."""
        hashes, stimuli = coverage.image, coverage.stimuli
        places = sorted(range(len(stimuli)), key=lambda i: hashes.get(stimuli[i], stimuli[i]))
        return cls([stimuli[i] for i in places], places, covariates[places])

    @property
    def whole(self) -> NDArray[np.bool_]:
        """Which of them have all covariates."""
        return np.asarray(~np.isnan(self.covariates).any(axis=1))


@dataclass(frozen=True)
class CovariateDesign:
    """Two groups that are compared given covariates."""

    regression: Regression
    columns: Array
    units: NDArray[np.intp]
    """The stimuli of both groups that have all covariates."""


def adjust_for_covariates(
    measure: Any,
    given: Input,
    found: Mapping[str, Any],
    covariates: Covariates,
    notes: list[Note],
    pairs: Array | None,
) -> Adjusted | None:
    """Effect sizes, p-values and the pattern that were found, given covariates of the words.

    Parameters
    ----------
    measure : AssociationMeasure
    given : Input
    found : mapping
        Fields of the record: scores, or terms; units; and of samples the levels.
    covariates : Covariates
    notes : list of Note
        To which remarks are added.
    pairs : array or None
        Mean association of all pairs of stimuli, sorted by name; None if it is no mean, or of too
        many.
    """
    concepts = given.head["concepts"]
    groups = {role: SortedGroup.of(given.coverage[role], covariates.of[role]) for role in ROLES}
    single = "terms" in found
    scores = {"terms": np.empty(0)} if single else _scores(found, groups)
    of_pair: dict[Roles, CovariateDesign | None] = {}
    designs: dict[str, CovariateDesign] = {}
    for place in scores:
        roles = COMPARED.get(place, ATTRIBUTES)
        if roles not in of_pair:  # at level 2 the attributes are the same for X and Y
            of_pair[roles] = design_of(roles, groups, covariates, concepts, notes)
        designs |= {place: design} if (design := of_pair[roles]) is not None else {}
    compared = {role: groups[role] for pair in of_pair for role in pair}
    left_out = words_without_covariates(compared, covariates, concepts, notes)
    if not designs or (single and pairs is None):
        return None
    about = {"covariates": covariates.names, "left_out": left_out}
    if single:
        names = [(role, name) for role in TARGETS for name in groups[role].names]
        levels = dict(zip(names, _levels(measure, given, pairs, designs["terms"]), strict=True))
        in_order = [(role, name) for role in TARGETS for name in given.coverage[role].stimuli]
        terms = [AdjustedTerm(group=r, term=t, level2=levels[r, t]) for r, t in in_order]
        return Adjusted(**about, terms=tuple(terms))
    units = units_of_result(found.get("units"), groups)
    of_units = None if pairs is None else UnitPairs(pairs, groups, units)
    by_place = {}
    for place, design in designs.items():
        crossed = {}
        if of_units is not None:
            spread = _spread(measure, found, place, scores[place][design.units])
            crossed = _test_new_words(
                measure, given, of_units.units_of_level(place), covariates, spread
            )
        drawn = given.drawn.get(place)
        (by_place[place],) = _levels(measure, given, scores[place][None], design, drawn, crossed)
    level2 = None
    if {"level2.X", "level2.Y"} <= by_place.keys():
        level2 = AdjustedLevel2({role: by_place[f"level2.{role}"] for role in TARGETS})
    pattern = pattern_of(level2, measure.rule) if level2 and measure.rule else None
    return Adjusted(**about, level1=by_place.get("level1"), level2=level2, pattern=pattern)


def _spread(measure: Any, found: Mapping[str, Any], place: str, scores: Array) -> float:
    """By what a difference is divided to be an effect size; of samples, on average."""
    if "samples" not in found:
        return float(scores.std(ddof=measure.ddof))
    level, _, role = place.partition(".")
    plain = at(found[level], role) if role else found[level]
    return plain.difference / plain.effect_size if plain.effect_size else 0.0


def adjust_shares(
    measure: Any, given: Input, covariates: Covariates, notes: list[Note]
) -> Adjusted | None:
    """Proportions of groups given covariates of the groups' words."""
    names, concepts = given.head["groups"], given.head["concepts"]
    groups = {name: SortedGroup.of(given.coverage[name], covariates.of[name]) for name in names}
    design = design_of(names, groups, covariates, concepts, notes)
    left_out = words_without_covariates(groups, covariates, concepts, notes)
    if design is None:
        return None
    places, before = [], 0
    for group in groups.values():
        places += [before + place for place in group.places]
        before += len(group.places)
    words = np.array(places)[design.units].tolist()
    shares = measure.adjust_for_covariates(given, design.regression, words)
    return Adjusted(covariates=covariates.names, left_out=left_out, **shares)


def words_without_covariates(
    groups: Mapping[str, SortedGroup],
    covariates: Covariates,
    called: Mapping[str, str],
    notes: list[Note],
) -> dict[str, tuple[str, ...]]:
    """The words of some groups that lack a covariate, which a note lists."""
    left_out = {
        role: tuple(name for name, has in zip(group.names, group.whole, strict=True) if not has)
        for role, group in groups.items()
    }
    left_out = {role: names for role, names in left_out.items() if names}
    if left_out:
        words = {called[role]: list(names) for role, names in left_out.items()}
        sizes = {called[role]: len(groups[role].names) for role in left_out}
        lacking = np.any([np.isnan(groups[r].covariates).any(axis=0) for r in left_out], axis=0)
        causes = [name for name, lacks in zip(covariates.names, lacking, strict=True) if lacks]
        values = {"words": words, "sizes": sizes, "names": causes}
        notes.append(Note("adjusted.left-out", "adjusted", values))
    return left_out


def _scores(found: Mapping[str, Any], groups: Mapping[str, SortedGroup]) -> dict[str, Array]:
    """Scores of the sorted stimuli, by place; none where a result keeps none."""
    read = found.get("stimulus_level")
    scores: Any = found.get("scores") if read is None else read.scores
    by_place = {"level1": scores}
    for role in TARGETS:
        by_place[f"level2.{role}"] = at(scores, f"attributes_with_{role}")
    by_name = at(found.get("samples"), "contexts") is not None  # the order of a CEAT
    order = {r: sorted(of.places) if by_name else of.places for r, of in groups.items()}
    return {
        place: np.array([by_role[role][i] for role in COMPARED[place] for i in order[role]])
        for place, by_role in by_place.items()
        if by_role is not None and all(len(by_role[role]) for role in COMPARED[place])
    }


def design_of(
    roles: Sequence[str],
    groups: Mapping[str, SortedGroup],
    covariates: Covariates,
    called: Mapping[str, str],
    notes: list[Note],
) -> CovariateDesign | None:
    """What least squares makes of groups and covariates; None where a note says why not.

    `called` has the names of the groups.
    """
    place = "".join(roles) if roles in COMPARED.values() else "adjusted"
    concepts = [called[role] for role in roles]
    units = np.flatnonzero(np.concatenate([groups[role].whole for role in roles]))
    sizes = [int(groups[role].whole.sum()) for role in roles]
    values = np.concatenate([groups[role].covariates for role in roles])[units]
    columns, names, constant = covariates.columns(values) if len(units) else (values, [], [])
    reason, regression = "", None
    if min(sizes) < 2:
        counts = " and ".join(map(str, sizes))
        reason = f"of {' and '.join(concepts)}, {counts} words have all covariates"
    elif sum(sizes) > MOST_TERMS:
        reason = f"{sum(sizes):,} words are compared, more than {MOST_TERMS:,}"
    elif not columns.size:
        reason = "the covariates are the same for all words"
    else:
        try:
            regression = Regression.of_groups(sizes, columns, names)
        except EatlasError as error:
            reason = f"{error.what} ({error.got})" if error.got else error.what
    if regression is None:
        notes.append(Note("adjusted.none", place, {"reason": reason}))
        return None
    if constant:
        notes.append(Note("adjusted.constant", place, {"names": constant, "concepts": concepts}))
    ranks = np.split(values[:, 0], np.cumsum(sizes)[:-1])
    overlap = max(part.min() for part in ranks) <= min(part.max() for part in ranks)
    if regression.shared > APART or (len(sizes) == 2 and covariates.ranked and not overlap):
        ranges: list[list[float]] = []
        if covariates.ranked and len(sizes) == 2:
            ranges = [np.exp([part.min(), part.max()]).tolist() for part in ranks]
        alone = {
            name: Regression.of_groups(sizes, columns[:, [own == name for own in names]]).shared
            for name in dict.fromkeys(names)
        }
        most = max(alone, key=lambda name: alone[name])
        figures = {"shared": regression.shared, "ranges": ranges}
        figures |= {"most": [most, alone[most]]} if len(alone) > 1 else {}
        notes.append(Note("adjusted.apart", place, {"concepts": concepts, **figures}))
    return CovariateDesign(regression, columns, units)


def _levels(
    measure: Any,
    given: Input,
    scores: Any,
    design: CovariateDesign,
    drawn: DrawEffects | None = None,
    crossed: Mapping[str, Any] | None = None,
) -> list[AdjustedLevel]:
    """Effect sizes, with their p-values, of rows that share their permutations.

    The effect size of samples is the mean of theirs, a difference of their standardised scores.
    Residuals are permuted only if there is no crossed test, of the only row.
    """
    rows, regression = scores[:, design.units], design.regression
    n, scale, tested = regression.n, given.magnitude, rows
    if drawn is not None:
        scale, tested = drawn.scale, drawn.scores[None, design.units]
    how: dict[str, Any] = {"scale": scale, "precision": given.precision}
    if crossed:
        tests = [crossed]
    else:
        permuted = regression_test(tested, n, design.columns, seed=given.seed, **how)
        tests = [{"p": to_record(p)} for p in permuted.p]
    _, d = effect_sizes(tested, n, ddof=measure.ddof, **how)
    spread = np.ones(1) if drawn is not None else rows.std(axis=1, ddof=measure.ddof)
    effects = regression.estimates(tested) / np.where(np.isnan(d), np.nan, spread)
    return [
        AdjustedLevel(
            effect_size=finite(effect),
            difference=estimate,
            n=(n, rows.shape[1] - n),
            shared=regression.shared,
            **test,
        )
        for effect, estimate, test in zip(
            effects.tolist(), regression.estimates(rows).tolist(), tests, strict=True
        )
    ]


@dataclass(frozen=True)
class UnitPairs:
    """Associations of all pairs of stimuli, sorted by name, and the units that they make."""

    table: Array
    """Targets (X, then Y) by attributes (A, then B), by units of further facets."""
    groups: Mapping[str, SortedGroup]
    units: TestUnits

    def units_of_level(self, place: str) -> ComparedUnits:
        """The units of the two groups that a level compares, toward those of the other side."""
        roles = COMPARED[place]
        table = self.table if roles == TARGETS else self.table.swapaxes(0, 1)
        columns = ATTRIBUTES if roles == TARGETS else (place.rpartition(".")[2],)
        if len(columns) == 1:  # the targets of X, or of Y, alone
            before = len(self.groups["X"].names) if columns == ("Y",) else 0
            table = table[:, before : before + len(self.groups[columns[0]].names)]
        first, second = (self.groups[role].covariates for role in roles)
        of_units = [self.units.labels[role] for role in (*roles, *columns)]
        return compare_units(table, first, second, *of_units)


@remember(256)
def compare_units(table: Array, first: Array, second: Array, *labels: Labels) -> ComparedUnits:
    """Average words over their units, those that have all covariates.

    The covariates, and the first two arrays of labels, are of the two groups in the rows of the
    table; the others are of the groups in its columns.
    """
    rows, covariates = list[Array](), list[Array]()
    for values, of_words, part in zip(
        (first, second), labels, np.split(table, [len(first)]), strict=False
    ):
        whole = ~np.isnan(values).any(axis=1)
        of_units = np.unique(of_words[whole], return_inverse=True)[1]
        rows.append(average_over_units(part[whole], of_units))
        covariates.append(average_over_units(values[whole], of_units))
    averaged, before = list[Array](), 0
    for of_words in labels[2:]:
        part = np.concatenate(rows)[:, before : before + len(of_words)]
        averaged.append(average_over_units(part, of_words, axis=1))
        before += len(of_words)
    return ComparedUnits(
        np.concatenate(averaged, axis=1),
        np.concatenate(covariates),
        [len(part) for part in rows],
        [part.shape[1] for part in averaged],
    )


@dataclass(frozen=True)
class ComparedUnits:
    """Two groups of units in rows, with covariates, and the units they are compared toward."""

    table: Array
    covariates: Array
    sizes: list[int]
    column_sizes: list[int]

    def regression(self, covariates: Covariates | None) -> Regression | None:
        """What least squares makes of them; None where residuals of words are permuted instead."""
        if covariates is None:
            return Regression.of_groups(self.sizes)
        columns, names, _ = covariates.columns(self.covariates)
        try:
            return Regression.of_groups(self.sizes, columns, names)
        except EatlasError:  # too few units for the covariates
            return None

    def test(self, covariates: Covariates | None, **how: Any) -> ContrastTest | None:
        """The crossed test, at equal covariates; None where there is no regression."""
        regression = self.regression(covariates)
        if regression is None:
            return None
        columns = Facet.of_groups(self.column_sizes)
        further = [Facet.of_groups([count]) for count in self.table.shape[2:]]
        return contrast_test(
            self.table, [Facet.of_regression(regression), columns, *further], **how
        )

    def without(self, axis: int, unit: int) -> ComparedUnits:
        """The others without one row, or column."""
        sizes = [list(self.sizes), list(self.column_sizes)]
        sizes[axis][int(unit >= sizes[axis][0])] -= 1
        covariates = np.delete(self.covariates, unit, 0) if axis == 0 else self.covariates
        return ComparedUnits(np.delete(self.table, unit, axis), covariates, *sizes)


def _test_new_words(
    measure: Any, given: Input, units: ComparedUnits, covariates: Covariates, spread: float
) -> dict[str, Any]:
    """P-values and interval at equal covariates for new words; empty if they are undefined."""
    if min(units.column_sizes) < TWO or min(units.sizes) < TWO:
        return {}
    tested = units.test(
        covariates,
        level=getattr(measure, "confidence", CONFIDENCE),
        scale=given.magnitude,
        precision=given.precision,
    )
    if tested is None or math.isnan(tested.t) or not spread:
        return {}
    ends = tested.low / spread, tested.high / spread
    return {
        "p": StudentP.model_validate({tail: getattr(tested, f"p_{tail}") for tail in TAILS}),
        "estimate": finite(tested.difference / spread),
        "interval": finite_ends(ends, DECIMALS) if tested.df >= LEAST_DF else None,
        "df": tested.df,
    }


def units_of_result(units: Units | None, groups: Mapping[str, SortedGroup]) -> TestUnits:
    """Near-synonyms of the sorted stimuli."""
    return TestUnits.from_record(units, {role: tuple(g.names) for role, g in groups.items()})
