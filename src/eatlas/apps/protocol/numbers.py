"""The number of each target by any measure, and tables of numbers that it is compared with.

A measure of groups gives a number for each target. A measure of two targets and two attributes
compares groups of words; its number for one word is the association s(w, A, B) that its effect
size is made of, or the effect size of the word alone (SC-EAT).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas.apps.protocol.evidence import Figure
from eatlas.apps.protocol.material import Material, NotRunError, rho_figures
from eatlas.errors import SignatureError
from eatlas.measures import Measure
from eatlas.measures.base import OF_MODELS
from eatlas.results import AssociationResult
from eatlas.sources import open_counts
from eatlas.stats.correlation import Correlation, RankCorrelation, correlation, rank_correlation
from eatlas.stats.shares import distribution
from eatlas.stimuli import ATTRIBUTES, TARGETS, AssociationTest, Concept, GroupsTest, load_tests

Array = NDArray[np.float64]
Numbers = Mapping[str, float | None]
"""By target; None where undefined."""
HOW_SURE = {"resamples": (0,), "frequency": ("off",), "adjust": ("none",), "p": ("off", "normal")}
"""Parameters that change no number of a target, only what else is known about it, with the
values that cost the least."""
BUILT_IN = ("divdist-gender", "divdist-race")
"""Tests whose groups have shares in a census and counts in texts."""


@dataclass(frozen=True)
class Leanings:
    """The number of each target of a test of groups, as a measure gives it."""

    values: Numbers
    """The measure's number by target."""
    towards_first: Numbers | None
    """The same with the sign by which larger numbers lean to the first of two groups; None where
    the measure's numbers have no direction."""
    neutral: float | None
    """The number in `towards_first` that leans to no group; None where no number does."""
    what: str
    """What the number of a target is, such as "RND" or "association s(w, A, B) of WEAT"."""
    result: AssociationResult

    @property
    def words(self) -> tuple[tuple[str, ...], ...]:
        """Words of each group that were used, in the order of the groups."""
        if self.result.kind == "groups":
            roles = tuple(self.result.concepts)[1:]
        else:
            of_model = self.result.language_model is not None or self.result.unanswered is not None
            roles = TARGETS if of_model else ATTRIBUTES
        return tuple(self.result.coverage[role].used for role in roles)

    def signs(self) -> Numbers:
        """How far each target leans: above 0 to the first group, below to the second."""
        if self.towards_first is None:
            raise NotRunError(f"The numbers of {self.result.display_name} have no direction.")
        if self.neutral is None:
            called = self.result.display_name
            raise NotRunError(f"No number of {called} says that a target leans to no group.")
        zero = self.neutral
        return {k: None if v is None else v - zero for k, v in self.towards_first.items()}

    @property
    def directed(self) -> Numbers:
        """The numbers with the sign of the first group, or as they are without a direction."""
        return self.values if self.towards_first is None else self.towards_first

    @property
    def sizes(self) -> Numbers | None:
        """How large each bias is: its distance from the number of no bias; None without one.

        The size of DivDist's is its divergence.
        """
        if self.result.by_target is not None:
            return self.values
        zero = self.neutral
        if self.towards_first is None:  # such as MAC, whose distances have no direction
            zero = getattr(getattr(self.result, "each", None), "neutral", None)
        if zero is None:
            return None
        return {term: None if v is None else abs(v - zero) for term, v in self.directed.items()}


def leanings(
    material: Material, test: GroupsTest, source: Any, name: str, measure: Measure | None = None
) -> Leanings:
    """Measure each target of a test of groups, by a measure of whatever kind."""
    measure = plain(measure or material.measure)
    key = (measure.signature, test, getattr(source, "fingerprint", ""), name)
    if key not in material.numbers:
        reading = _of_groups if measure.kind == "groups" else _of_association
        material.numbers[key] = reading(material, test, source, name, measure)
    numbers: Leanings = material.numbers[key]
    return numbers


def plain(measure: Measure) -> Measure:
    """The measure without resamples and p-values, which no number of a target needs."""
    for name in {parameter.name for parameter in fields(measure)} & HOW_SURE.keys():
        for value in HOW_SURE[name]:
            with suppress(SignatureError):  # p has no "off" in most measures
                measure = measure.with_parameters(**{name: value})
                break
    return measure


def _of_groups(
    material: Material, test: GroupsTest, source: Any, name: str, measure: Measure
) -> Leanings:
    """Numbers of a measure of groups: shares, values of targets, or a run for each target."""
    result = material.measured(test, source, name, measure)
    called = result.display_name
    if result.by_target is not None:
        biases = {target.term: target.bias for target in result.by_target}
        return Leanings(
            biases, *oriented(result), f"{called}, divergence from the reference", result
        )
    if result.values is not None:
        values = {target.term: target.value for target in result.values}
        return Leanings(values, *oriented(result), called, result)
    alone = {}
    for term in result.coverage["targets"].used:
        single = Concept(name=test.targets.name, terms=(term,))
        alone[term] = measure(test.model_copy(update={"targets": single}), source).d
    return Leanings(alone, alone, 0.0, f"{called} of each target alone", result)


def oriented(result: AssociationResult) -> tuple[Numbers | None, float | None]:
    """Numbers that are larger towards the first of two groups, and the neutral one among them."""
    groups = tuple(result.concepts)[1:]
    if result.by_target is not None:
        signed = {target.term: target.signed for target in result.by_target}
        return (signed if len(groups) == 2 else None), 0.0
    limits = getattr(result, "each", None)  # a Range, of measures whose numbers are explained
    if limits is None or limits.larger not in groups or len(groups) != 2:
        return None, None
    sign = 1 if limits.larger == groups[0] else -1
    values = {target.term: target.value for target in result.values or ()}
    turned = {term: None if v is None else sign * v for term, v in values.items()}
    return turned, None if limits.neutral is None else sign * limits.neutral


def _of_association(
    material: Material, test: GroupsTest, source: Any, name: str, measure: Measure
) -> Leanings:
    """Numbers of a measure of two targets and two attributes, of two groups as attributes.

    Halves of the targets are compared. Of a language model the groups are the targets, as its
    sentences say that they are something.
    """
    if len(test.groups) != 2:
        n = len(test.groups)
        raise NotRunError(f"{measure.name} compares two groups, and the test {test.id} has {n}.")
    terms, of_model = test.targets.terms, measure.needs.source in OF_MODELS
    if len(terms) < 2:
        raise NotRunError(f"The test {test.id} has one target, and two are compared.")
    cut = len(terms) // 2
    halves = [
        Concept(name=f"{test.targets.name} {i}", terms=half)
        for i, half in enumerate((terms[:cut], terms[cut:]), start=1)
    ]
    x, y, a, b = (*test.groups, *halves) if of_model else (*halves, *test.groups)
    two_by_two = AssociationTest(id=f"{test.id}-targets", X=x, Y=y, A=a, B=b)
    result = material.measured(two_by_two, source, name, measure)
    called = result.display_name
    scores: Any = getattr(result, "scores", None)
    by_term: Numbers = {effect.term: effect.d for effect in result.effects() if effect.term}
    if of_model:
        if not hasattr(scores, "attributes_with_X"):
            raise NotRunError(f"A result of {called} has no number for one attribute.")
        with_x, with_y = scores.attributes_with_X, scores.attributes_with_Y
        numbers = np.array([*with_x.A, *with_x.B]) - [*with_y.A, *with_y.B]
        what = f"{result.unit} of {called}, mean over the words of a group"
        by_term = dict(
            zip((*result.scored("A"), *result.scored("B")), numbers.tolist(), strict=True)
        )
    elif by_term:
        what = f"effect size of {called}"
    elif scores is not None:
        what = f"association s(w, A, B) of {called}"
        terms = (*result.scored("X"), *result.scored("Y"))
        by_term = dict(zip(terms, (*scores.X, *scores.Y), strict=True))
    else:
        raise NotRunError(f"A result of {called} has no number for one target.")
    return Leanings(by_term, by_term, 0.0, what, result)


def correlated(first: Numbers, second: Numbers) -> Correlation:
    """The correlation of two numbers of the same targets, over those that have both."""
    return correlation(*paired(first, second)[1:])


def paired(first: Numbers, second: Numbers) -> tuple[list[str], Array, Array]:
    """Targets that both have a number for, in the order of the first, with the numbers."""
    terms = [term for term in first if first[term] is not None and second.get(term) is not None]
    x, y = (np.array([numbers[term] for term in terms], float) for numbers in (first, second))
    return terms, x, y


@dataclass(frozen=True)
class GroupsWithTables:
    """A test of groups, with the tables that have numbers for its groups."""

    test: GroupsTest
    tables: tuple[Any, ...]
    """Tables of counts of several years in their order; one alone where there are no years."""

    @property
    def groups(self) -> tuple[str, ...]:
        """Names of the groups."""
        return tuple(group.name for group in self.test.groups)

    def of_targets(self, terms: Sequence[str]) -> GroupsTest:
        """The test of other targets: those that a table has."""
        targets = Concept(name=self.test.targets.name, terms=tuple(terms))
        return self.test.model_copy(update={"targets": targets})

    def shares(self, table: Any, terms: Sequence[str]) -> Array:
        """Shares of the groups among themselves, shape (terms, groups); NaN where they are none."""
        names = [name.casefold() for name in self.groups]
        rows = [table.counts(term) or {} for term in terms]
        counts = [[row.get(name, math.nan) for name in names] for row in rows]
        return distribution(np.array(counts).reshape(len(rows), len(names)))

    def terms(self, tables: Sequence[Any], terms: Sequence[str] | None = None) -> list[str]:
        """Terms that each of some tables has shares for, by default of those of the first."""
        chosen = sorted(tables[0].terms) if terms is None else list(terms)
        for table in tables:
            finite = np.isfinite(self.shares(table, chosen).sum(axis=1))
            chosen = [term for term, is_finite in zip(chosen, finite, strict=True) if is_finite]
        return chosen


def families(material: Material, paths: Sequence[Path], what: str) -> Iterator[GroupsWithTables]:
    """Yield each test of groups, given or built in, whose groups are columns of a table."""
    tables: list[tuple[Any, ...]] = [open_counts(str(path)) for path in paths]
    columns = [{name for row in years[0].rows.values() for name in row} for years in tables]
    columns = [set(map(str.casefold, names)) for names in columns]
    seen: set[frozenset[str]] = set()
    for test in (*material.tests, *load_tests(list(BUILT_IN))):
        if not isinstance(test, GroupsTest):
            continue
        names = frozenset(group.name.casefold() for group in test.groups)
        matching = [years for years, has in zip(tables, columns, strict=True) if names <= has]
        if matching and names not in seen:
            seen.add(names)
            yield GroupsWithTables(test, matching[0])
    if not seen:
        has = ", ".join(sorted(set().union(*columns)))
        raise NotRunError(f"The {what} has the groups {has}, and those of no test are among them.")


Views = dict[str, tuple[Numbers, str, Array]]
"""By what is compared, such as "lean to Female": the measure's numbers by term, what the numbers of
a table are, and these in the order of the terms."""


def views(family: GroupsWithTables, lean: Leanings, terms: Sequence[str], shares: Array) -> Views:
    """What of a measure can be compared with shares of groups.

    Of two groups the lean to the first with its share; of several the share of each group, where
    the measure gives shares; and the size of the bias with the divergence of the shares from the
    reference, as sum of absolute differences.
    """
    first, by_target = family.groups[0], lean.result.by_target
    compared: Views = {}
    if lean.towards_first is not None:
        compared[f"lean to {first}"] = lean.towards_first, f"share of {first}", shares[:, 0]
    elif by_target is not None:
        rows = {target.term: target.distribution for target in by_target}
        for j, group in enumerate(family.groups):
            numbers = {term: row[j] if row else None for term, row in rows.items()}
            compared[f"share of {group}"] = numbers, f"share of {group}", shares[:, j]
    if lean.sizes is not None:
        away = np.abs(shares - np.array(family.test.weights)).sum(axis=1)
        compared["size of bias"] = lean.sizes, "size of bias", away
    if not compared:
        called = lean.result.display_name
        raise NotRunError(
            f"The numbers of {called} have no direction, and none of them is no bias."
        )
    return {
        name: ({term: numbers.get(term) for term in terms}, against, of_table)
        for name, (numbers, against, of_table) in compared.items()
    }


def rank_correlated(numbers: Numbers, of_table: Array, seed: int) -> RankCorrelation:
    """Correlate the numbers of a view over the terms that have one."""
    pairs = [
        (v, share) for v, share in zip(numbers.values(), of_table, strict=True) if v is not None
    ]
    x, y = np.array(pairs, np.float64).reshape(-1, 2).T
    return rank_correlation(x, y, rng=np.random.default_rng(seed))


def compared(
    all_views: Views, whose: str, units: str, seed: int
) -> tuple[list[Figure], dict[str, list[float | None]]]:
    """Rank correlations of views, and columns of a table of their numbers, those of `whose` too."""
    figures: list[Figure] = []
    columns: dict[str, list[float | None]] = {}
    for name, (numbers, against, of_table) in all_views.items():
        columns[name] = [*numbers.values()]
        columns[f"{whose}: {against}"] = of_table.tolist()
        figures.extend(rho_figures(name, rank_correlated(numbers, of_table, seed), units))
    return figures, columns
