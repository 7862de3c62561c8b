"""The number of each target by any measure, and the group that it leans to.

A measure of groups gives a number for each target. A measure of two targets and two attributes
compares groups of words; its number for one word is the association s(w, A, B) that its effect
size is made of, or the effect size of the word alone (SC-EAT).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas.apps.protocol.inputs import Context, NotRunError
from eatlas.errors import SignatureError
from eatlas.measures.base import Measure
from eatlas.results import AssociationResult
from eatlas.stats.specifications import Correlation, correlation
from eatlas.stimuli import ATTRIBUTES, TARGETS, AssociationTest, Concept, GroupsTest

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
