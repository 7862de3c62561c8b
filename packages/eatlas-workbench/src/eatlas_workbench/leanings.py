"""The number of each target by any measure, and the proportions that it is compared with.

A measure of groups gives a number for each target. A measure of two targets and two attributes
compares groups of words; its number for one word is the association s(w, A, B) that its effect
size is made of, or the effect size of the word alone (SC-EAT).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas.engine import reader_of
from eatlas.errors import EatlasError, SignatureError
from eatlas.measures import Measure
from eatlas.results import AssociationResult
from eatlas.sources import Counts
from eatlas.stats.shares import distribution
from eatlas.stimuli import ATTRIBUTES, TARGETS, AssociationTest, Concept, GroupsTest, Test

Array = NDArray[np.float64]
Numbers = Mapping[str, float | None]
"""By target; None where undefined."""
OF_LANGUAGE = ("models", "answers")
"""Views of results whose attributes are not what lists are of."""
HOW_SURE = {"resamples": (0,), "frequency": ("off",), "adjust": ("none",), "p": ("off", "normal")}
"""Parameters that change no number of a target, only what else is known about it, with the
values that cost the least."""


@dataclass(frozen=True)
class Leanings:
    """The number of each target of a test of groups, as a measure gives it."""

    values: Numbers
    """The measure's number by target."""
    towards_first: Numbers | None
    """The same, signed so that larger numbers mean a stronger association with the first of two
    groups; None if the measure's numbers have no direction."""
    neutral: float | None
    """The value in `towards_first` that means no association; None if there is none."""
    what: str
    """What the number of a target is, such as "RND" or "association s(w, A, B) of WEAT"."""
    result: AssociationResult

    @property
    def words(self) -> tuple[tuple[str, ...], ...]:
        """Words of each group that were used, in the order of the groups."""
        if self.result.kind == "groups":
            roles = tuple(self.result.concepts)[1:]
        else:
            of_model = self.result.view in OF_LANGUAGE
            roles = TARGETS if of_model else ATTRIBUTES
        return tuple(self.result.coverage[role].used for role in roles)

    def signs(self) -> Numbers:
        """How far each target leans: above 0 to the first group, below to the second."""
        if self.towards_first is None:
            raise EatlasError(f"the numbers of {self.result.display_name} have no direction")
        if self.neutral is None:
            called = self.result.display_name
            raise EatlasError(f"no value of {called} means that a target has no association")
        zero = self.neutral
        return {k: None if v is None else v - zero for k, v in self.towards_first.items()}

    @property
    def directional(self) -> Numbers:
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
        return {term: None if v is None else abs(v - zero) for term, v in self.directional.items()}


def plain(measure: Measure) -> Measure:
    """The measure without resamples and p-values, which no number of a target needs."""
    for name in {parameter.name for parameter in fields(measure)} & HOW_SURE.keys():
        for value in HOW_SURE[name]:
            with suppress(SignatureError):  # p has no "off" in most measures
                measure = measure.with_parameters(**{name: value})
                break
    return measure


def as_taken(test: GroupsTest, measure: Measure) -> Test:
    """The test as a measure takes it: as it is, or with its groups as attributes of two targets.

    Halves of the targets are compared. Of a language model the groups are the targets, as its
    sentences say that they are something.

    Raises
    ------
    EatlasError
        If the measure compares two groups and the test has others, or one target.
    """
    if measure.kind == "groups":
        return test
    if len(test.groups) != 2:
        raise EatlasError(
            f"the measure {measure.name} compares two groups, and the test {test.id} has "
            f"{len(test.groups)}"
        )
    terms = test.targets.terms
    if len(terms) < 2:
        raise EatlasError(f"the test {test.id} has one target, and two are compared")
    cut, name = len(terms) // 2, test.targets.name
    halves = [
        Concept(name=f"{name} 1", terms=terms[:cut], absent=test.targets.absent),
        Concept(name=f"{name} 2", terms=terms[cut:]),
    ]
    of_model = reader_of(measure.needs.source).of_model
    x, y, a, b = (*test.groups, *halves) if of_model else (*halves, *test.groups)
    return AssociationTest(id=f"{test.id}-targets", X=x, Y=y, A=a, B=b)


def leanings_of(result: AssociationResult) -> Leanings:
    """Read the number of each target from a result of a test that :func:`as_taken` gives.

    Raises
    ------
    EatlasError
        If the result has no number for one target.
    """
    called = result.display_name
    if result.by_target is not None:
        biases = {target.term: target.bias for target in result.by_target}
        what = f"{called}, divergence from the reference"
        return Leanings(biases, *orient_numbers(result), what, result)
    if result.kind == "groups":
        values = {target.term: target.value for target in _values(result)}
        return Leanings(values, *orient_numbers(result), called, result)
    scores: Any = getattr(result, "scores", None)
    if result.view in OF_LANGUAGE:
        return _of_model(result, scores)
    by_term: Numbers = {effect.term: effect.d for effect in result.effects() if effect.term}
    what = f"effect size of {called}"
    if not by_term:
        if scores is None:
            raise EatlasError(f"a result of {called} has no number for one target")
        what = f"association s(w, A, B) of {called}"
        terms = (*result.scored("X"), *result.scored("Y"))
        by_term = dict(zip(terms, (*scores.X, *scores.Y), strict=True))
    return Leanings(by_term, by_term, 0.0, what, result)


def _values(result: AssociationResult) -> Sequence[Any]:
    if result.values is None:
        raise EatlasError(f"a result of {result.display_name} has no number for one target")
    return result.values


def _of_model(result: AssociationResult, scores: Any) -> Leanings:
    """Numbers of attributes, as a language model was asked about the groups."""
    called = result.display_name
    if not hasattr(scores, "attributes_with_X"):
        raise EatlasError(f"a result of {called} has no number for one attribute")
    with_x, with_y = scores.attributes_with_X, scores.attributes_with_Y
    numbers = np.array([*with_x.A, *with_x.B]) - [*with_y.A, *with_y.B]
    terms = (*result.scored("A"), *result.scored("B"))
    by_term: Numbers = dict(zip(terms, numbers.tolist(), strict=True))
    what = f"{result.unit} of {called}, mean over the words of a group"
    return Leanings(by_term, by_term, 0.0, what, result)


def orient_numbers(result: AssociationResult) -> tuple[Numbers | None, float | None]:
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


def pair_numbers(first: Numbers, second: Numbers) -> tuple[list[str], Array, Array]:
    """Targets that both have a number for, in the order of the first, with the numbers."""
    terms = [term for term in first if first[term] is not None and second.get(term) is not None]
    x, y = (np.array([numbers[term] for term in terms], float) for numbers in (first, second))
    return terms, x, y


def shares_of(table: Counts, groups: Sequence[str], terms: Sequence[str]) -> Array:
    """Proportions of the groups, shape (terms, groups); NaN if undefined."""
    names = [name.casefold() for name in groups]
    rows = [table.counts(term) or {} for term in terms]
    counts = [[row.get(name, math.nan) for name in names] for row in rows]
    return distribution(np.array(counts).reshape(len(rows), len(names)))


def in_every(by_period: Mapping[int, Numbers]) -> list[str]:
    """Targets with a number in every period, in the order of the first."""
    first = next(iter(by_period.values()), {})
    return [t for t in first if all(of.get(t) is not None for of in by_period.values())]
