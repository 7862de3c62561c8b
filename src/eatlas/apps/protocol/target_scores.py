"""The number of each target by any measure, and tables of numbers that it is compared with.

A measure of groups gives a number for each target. A measure of two targets and two attributes
compares groups of words; its number for one word is the association s(w, A, B) that its effect
size is made of, or the effect size of the word alone (SC-EAT).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas.apps.protocol.studies import Context, NotRunError, rho_figures
from eatlas.errors import SignatureError
from eatlas.measures import Measure
from eatlas.results import AssociationResult
from eatlas.results.evidence import Figure
from eatlas.sources.counts import Counts, open_counts
from eatlas.stats.paired import RankCorrelation, rank_correlation
from eatlas.stats.shares import distribution
from eatlas.stats.specifications import Correlation, correlation
from eatlas.stimuli import ATTRIBUTES, TARGETS, AssociationTest, Concept, GroupsTest, load_tests

Array = NDArray[np.float64]
Numbers = Mapping[str, float | None]
"""By target; None where undefined."""

HOW_SURE = {"resamples": (0,), "frequency": ("off",), "p": ("off", "normal")}
"""Parameters that change no number of a target, only what is known about its uncertainty, with the
values that cost the least."""


@dataclass(frozen=True)
class Leanings:
    """The number of each target of a groups test, as a measure gives it."""

    values: Numbers
    """The measure's number by target; None where it is undefined."""
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
        result = self.result
        if result.kind == "groups":
            roles = tuple(result.concepts)[1:]
        else:
            roles = TARGETS if result.language_model is not None else ATTRIBUTES
        return tuple(result.coverage.group(role).used for role in roles)

    def signs(self) -> Numbers:
        """Return how far each target leans: above 0 to the first group, below to the second."""
        if self.towards_first is None:
            raise NotRunError(
                f"The numbers of {self.result.display_name} have no direction: they do not say "
                "which of two groups a target leans to."
            )
        if self.neutral is None:
            raise NotRunError(
                f"No number of {self.result.display_name} says that a target leans to no group: it "
                "compares targets with each other."
            )
        zero = self.neutral
        return {k: None if v is None else v - zero for k, v in self.towards_first.items()}

    @property
    def directed(self) -> Numbers:
        """The numbers with the sign of the first group, or as they are without a direction."""
        return self.values if self.towards_first is None else self.towards_first


def leanings(
    context: Context,
    test: GroupsTest,
    source: Any,
    name: str,
    measure: Measure | None = None,
) -> Leanings:
    """Measure each target of a test of groups, by a measure of whatever kind."""
    chosen = plain(measure or context.measure)
    key = (chosen.signature, test, getattr(source, "fingerprint", ""), name)
    if key not in context.numbers:
        reading = _of_groups if chosen.kind == "groups" else _of_association
        context.numbers[key] = reading(context, test, source, name, chosen)
    found: Leanings = context.numbers[key]
    return found


def plain(measure: Measure) -> Measure:
    """Return the measure without resamples and p-values, which no number of a target needs."""
    for name in {one.name for one in fields(measure)} & HOW_SURE.keys():
        for value in HOW_SURE[name]:
            with suppress(SignatureError):  # p has no "off" in most measures
                measure = measure.with_parameters(**{name: value})
                break
    return measure


def _of_groups(
    context: Context, test: GroupsTest, source: Any, name: str, measure: Measure
) -> Leanings:
    """Numbers of a measure of groups: shares, values of targets, or a run for each target."""
    result = context.measured(test, source, name, measure)
    if result.by_target is not None:
        two = len(test.groups) == 2
        return Leanings(
            {one.term: one.bias for one in result.by_target},
            {one.term: one.signed for one in result.by_target} if two else None,
            0.0,
            f"{result.display_name}, divergence from the reference",
            result,
        )
    if result.values is not None:
        values = {one.term: one.value for one in result.values}
        return Leanings(values, *_oriented(values, result), result.display_name, result)
    alone = {}
    for term in result.coverage.group("targets").used:
        single = Concept(name=test.targets.name, terms=(term,))
        alone[term] = measure(test.model_copy(update={"targets": single}), source).d
    return Leanings(alone, alone, 0.0, f"{result.display_name} of each target alone", result)


def _oriented(
    values: Numbers, result: AssociationResult
) -> tuple[dict[str, float | None] | None, float | None]:
    """Values that are larger towards the first group, and the neutral one among them."""
    how = getattr(result, "each", None)  # a Range, of measures whose numbers are explained
    larger, neutral = getattr(how, "larger", None), getattr(how, "neutral", None)
    groups = tuple(result.concepts)[1:]
    if larger not in groups or len(groups) != 2:
        return None, None
    sign = 1 if larger == groups[0] else -1
    turned = {term: None if v is None else sign * v for term, v in values.items()}
    return turned, None if neutral is None else sign * neutral


def _of_association(
    context: Context, test: GroupsTest, source: Any, name: str, measure: Measure
) -> Leanings:
    """Numbers of a measure of two targets and two attributes, of two groups as attributes.

    Of a language model the groups are the targets, as its sentences say that they are something.
    """
    if len(test.groups) != 2:
        raise NotRunError(
            f"The measure {measure.name} compares two groups, and the test {test.id} has "
            f"{len(test.groups)}."
        )
    of_model = measure.needs in {"masked", "causal"}
    result = context.measured(_two_by_two(test, groups_first=of_model), source, name, measure)
    called = result.display_name
    if of_model:
        return _over_attributes(result, f"log-ratio of {called}, mean over the words of a group")
    by_term = {one.term: one.d for one in result.effects() if one.term}
    if by_term:
        return Leanings(by_term, by_term, 0.0, f"effect size of {called}", result)
    scores = getattr(result, "scores", None)
    if scores is None:
        raise NotRunError(f"A result of {called} has no number for one target.")
    terms = [*result.scored("X"), *result.scored("Y")]
    scored = dict(zip(terms, (*scores.X, *scores.Y), strict=True))
    return Leanings(scored, scored, 0.0, f"association s(w, A, B) of {called}", result)


def _two_by_two(test: GroupsTest, *, groups_first: bool) -> AssociationTest:
    """A test of groups as one of two targets and two attributes; halves of the targets."""
    half = max(1, len(test.targets.terms) // 2)
    parts = test.targets.terms[:half], test.targets.terms[half:]
    if not parts[1]:
        raise NotRunError(f"The test {test.id} has one target, and two are compared.")
    halves = [
        Concept(name=f"{test.targets.name} {i}", terms=terms) for i, terms in enumerate(parts, 1)
    ]
    x, y, a, b = (*test.groups, *halves) if groups_first else (*halves, *test.groups)
    return AssociationTest(id=f"{test.id}-targets", X=x, Y=y, A=a, B=b)


def _over_attributes(result: AssociationResult, what: str) -> Leanings:
    """Mean association of each attribute with X less that with Y."""
    scores: Any = getattr(result, "scores", None)
    if not hasattr(scores, "attributes_with_X"):
        raise NotRunError(f"A result of {result.display_name} has no number for one attribute.")
    x, y = ([*one.A, *one.B] for one in (scores.attributes_with_X, scores.attributes_with_Y))
    terms = [*result.scored("A"), *result.scored("B")]
    values = {term: a - b for term, a, b in zip(terms, x, y, strict=True)}
    return Leanings(values, values, 0.0, what, result)


def correlated(one: Numbers, other: Numbers) -> Correlation:
    """The correlation of two numbers of the same targets, over those that have both."""
    return correlation(*paired(one, other)[1:])


def paired(first: Numbers, second: Numbers) -> tuple[list[str], Array, Array]:
    """Targets that both have a number for, in the order of the first, with the numbers."""
    terms = [term for term in first if first[term] is not None and second.get(term) is not None]
    return terms, _numbers(first, terms), _numbers(second, terms)


def _numbers(values: Numbers, terms: Iterable[str]) -> Array:
    return np.array([values[term] for term in terms], dtype=np.float64)


BUILT_IN = ("divdist-gender", "divdist-race")
"""Tests whose groups have shares in a census and counts in texts."""


@dataclass(frozen=True)
class Family:
    """A test of groups, with the tables that have numbers for its groups."""

    test: GroupsTest
    tables: tuple[Counts, ...]
    """Of several years in their order; one alone where there are no years."""

    @property
    def groups(self) -> tuple[str, ...]:
        """Names of the groups."""
        return tuple(group.name for group in self.test.groups)

    def of_targets(self, terms: Sequence[str]) -> GroupsTest:
        """The test of other targets: those that a table has."""
        targets = Concept(name=self.test.targets.name, terms=tuple(terms))
        return self.test.model_copy(update={"targets": targets})

    def shares(self, table: Counts, terms: Sequence[str]) -> Array:
        """Shares of the groups among themselves, shape (terms, groups); NaN where they are none."""
        rows = [table.counts(term) or {} for term in terms]
        return distribution(
            np.array(
                [[row.get(name.casefold(), math.nan) for name in self.groups] for row in rows]
            ).reshape(len(rows), len(self.groups))
        )

    def known(self, table: Counts, terms: Sequence[str]) -> list[str]:
        """Terms that the table has shares for."""
        found = np.isfinite(self.shares(table, terms).sum(axis=1))
        return [term for term, one in zip(terms, found, strict=True) if one]


def families(context: Context, paths: Sequence[Path], what: str) -> Iterator[Family]:
    """Yield each test of groups, given or built in, whose groups are columns of a table."""
    tables = [open_counts(str(path)) for path in paths]
    given = [test for test in context.material.tests if isinstance(test, GroupsTest)]
    built_in = [one for one in load_tests(list(BUILT_IN)) if isinstance(one, GroupsTest)]
    seen: set[tuple[str, ...]] = set()
    for test in [*given, *built_in]:
        names = tuple(sorted(group.name.casefold() for group in test.groups))
        matching = [one for one in tables if set(names) <= columns_of(one[0])]
        if matching and names not in seen:
            seen.add(names)
            yield Family(test, matching[0])
    if not seen:
        columns = sorted(set().union(*(columns_of(one[0]) for one in tables)))
        raise NotRunError(
            f"The {what} has the groups {', '.join(columns)}, and no test of groups has all of its "
            "groups among them."
        )


def columns_of(table: Counts) -> set[str]:
    """Groups that a table has, in lower case."""
    terms: Sequence[str] = getattr(table, "terms", ())
    return {name for term in terms for name in table.counts(term) or {}}


def terms_of(tables: Sequence[Counts]) -> list[str]:
    """Terms of a table; of several, those that each has."""
    first: Sequence[str] = getattr(tables[0], "terms", ())
    return sorted(term for term in first if all(one.counts(term) for one in tables))


@dataclass(frozen=True)
class View:
    """Numbers of a measure, and the numbers of a table that they are compared with."""

    name: str
    """What is compared, such as "lean to Female"."""
    measured: Mapping[str, float | None]
    against: str
    """What the numbers of the table are, such as "share of Female"."""
    of_table: Array
    """In the order of the terms."""

    def correlated(self, seed: int) -> RankCorrelation:
        """Correlate over the terms that have a number."""
        pairs = [
            (one, float(share))
            for one, share in zip(self.measured.values(), self.of_table, strict=True)
            if one is not None
        ]
        x, y = np.array(pairs, np.float64).reshape(-1, 2).T
        return rank_correlation(x, y, rng=np.random.default_rng(seed))


def views(family: Family, found: Leanings, terms: Sequence[str], shares: Array) -> list[View]:
    """What of a measure can be compared with shares of groups.

    Of two groups the lean to the first with its share; of several the share of each group, where
    the measure gives shares; and the size of the bias with the divergence of the shares from the
    reference, as sum of absolute differences.
    """
    made: list[View] = []
    by_target = found.result.by_target
    groups = family.groups
    if found.towards_first is not None:
        share = f"share of {groups[0]}"
        made.append(View(f"lean to {groups[0]}", found.towards_first, share, shares[:, 0]))
    elif by_target is not None:
        of_group = {one.term: one.distribution for one in by_target}
        for j, group in enumerate(groups):
            measured = {term: row[j] if row else None for term, row in of_group.items()}
            made.append(View(share := f"share of {group}", measured, share, shares[:, j]))
    if (sizes := sizes_of(found)) is not None:
        away = np.abs(shares - np.array(family.test.weights)).sum(axis=1)
        made.append(View("size of bias", sizes, "size of bias", away))
    return [replace(one, measured={term: one.measured.get(term) for term in terms}) for one in made]


def compared(
    made: Iterable[View], whose: str, of: str, seed: int
) -> tuple[list[Figure], dict[str, list[float | None]]]:
    """Rank correlations of views, and columns of a table of their numbers, those of `whose` too."""
    figures: list[Figure] = []
    columns: dict[str, list[float | None]] = {}
    for view in made:
        columns[view.name] = [*view.measured.values()]
        columns[f"{whose}: {view.against}"] = view.of_table.tolist()
        figures.extend(rho_figures(view.name, view.correlated(seed), of))
    return figures, columns


def sizes_of(found: Leanings) -> Mapping[str, float | None] | None:
    """How large the bias of each target is, without a direction; None where nothing is neutral."""
    if found.towards_first is None or found.result.by_target is not None:
        return found.values
    if found.neutral is None:
        return None
    return {k: None if v is None else abs(v - found.neutral) for k, v in found.signs().items()}
