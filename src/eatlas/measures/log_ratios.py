"""From a test and a language model's answers to log-probability ratios of all pairs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from eatlas.encoders.language import Answer, How, Question
from eatlas.errors import SourceError
from eatlas.results.parts import Coverage, GroupCoverage
from eatlas.stimuli import ROLES, AssociationTest
from eatlas.stimuli.sentences.pairs import Pair, pair
from eatlas.stimuli.sentences.templates import NO_FORM, adjectives_of

Aggregate = Literal["mean", "logsum"]
"""How several sentences of a pair become one number.

``mean``: the mean of the log-ratios of the sentences. ``logsum``: the log of the summed
probabilities, less the log of the summed prior probabilities.
"""
Normalize = Literal["sum", "mean"]
"""Log-probability of a stimulus of several pieces: the sum over its pieces, or their mean."""
Array = NDArray[np.float64]


@dataclass(frozen=True)
class Asking:
    """Which questions make one ratio, and how it is made of the answers."""

    templates: tuple[str, ...]
    plural: frozenset[str]
    how: How
    aggregate: Aggregate
    normalize: Normalize
    adjectives: bool = False
    """Whether attributes are said as adjectives."""

    def said(self, attributes: Iterable[str]) -> dict[str, str]:
        """How each attribute is said; those that cannot be are left out."""
        if self.adjectives:
            return adjectives_of(attributes)
        return {word: word for word in attributes}

    @property
    def causal(self) -> bool:
        """Whether the attribute is asked for, given the target; else the other way round."""
        return self.how in {"next", "ends"}

    def both(self, target: str, attribute: str) -> Iterator[tuple[Question, Question]]:
        """The question with the other stimulus, and the one without it, of each template."""
        for template in self.templates:
            yield self._of(pair(template, target, attribute, plural=target in self.plural))

    def _of(self, said: Pair) -> tuple[Question, Question]:
        if self.causal:
            return (
                Question(said.text, said.attribute, said.target, how=self.how),
                Question(said.neutral, said.neutral_attribute, how=self.how),
            )
        return (
            Question(said.text, said.target, said.attribute, how=self.how),
            Question(said.text, said.target, said.attribute, hidden=True, how=self.how),
        )

    def questions(self, test: AssociationTest) -> Iterator[Question]:
        """Every question that a test needs answered."""
        attributes = self.said((*test.A.terms, *test.B.terms)).values()
        for target in (*test.X.terms, *test.Y.terms):
            for attribute in attributes:
                for asked in self.both(target, attribute):
                    yield from asked

    def ratio(self, answers: Sequence[tuple[Answer, Answer]]) -> tuple[float, Array]:
        """The log-probability ratio of one pair over its sentences, and that of each of them."""
        given, prior = (
            np.array([self._score(one[side]) for one in answers], np.float64) for side in (0, 1)
        )
        each = given - prior
        if self.aggregate == "mean":
            return float(np.mean(each)), each
        return float(np.logaddexp.reduce(given) - np.logaddexp.reduce(prior)), each

    def _score(self, answer: Answer) -> float:
        value = float("nan") if answer.log_probability is None else answer.log_probability
        return value / answer.pieces if self.normalize == "mean" else value


@dataclass(frozen=True)
class Ratios:
    """Log-probability ratios of all usable pairs, with an account of every term."""

    values: Array
    """Shape (targets, attributes): X then Y, A then B, in the order of the used terms."""
    coverage: Coverage
    pieces: Mapping[str, tuple[int, ...]]
    """Pieces of each used term, by role."""
    single: Array
    """Log-probability ratio of every sentence, pair after pair in the order of the values."""
    counts: NDArray[np.int64]
    """Sentences of each pair, in the shape of the values."""


def ratios(
    test: AssociationTest,
    asking: Asking,
    answers: Mapping[Question, Answer],
    *,
    most_pieces: int | None = None,
) -> Ratios:
    """Make ratios of answers.

    Parameters
    ----------
    test : AssociationTest
    asking : Asking
    answers : mapping
        To every question of `asking` about the test.
    most_pieces : int, optional
        Targets of more pieces are left out.
    """
    said = asking.said((*test.A.terms, *test.B.terms))
    reasons = {key: NO_FORM for key in terms_of(test, "AB") if key[1] not in said}
    pieces: dict[tuple[str, str], int] = {}
    found: dict[tuple[str, str], list[tuple[Answer, Answer]]] = {}
    for x_role, x in terms_of(test, "XY"):
        for a_role, a in terms_of(test, "AB"):
            if a not in said:
                continue
            both = [(answers[one], answers[other]) for one, other in asking.both(x, said[a])]
            found[x, a] = both
            for answer in (each for pairs in both for each in pairs):
                _require_fitting(answer, x, a)
                for key, count, fault in _account(answer, (x_role, x), (a_role, a), asking.causal):
                    pieces[key] = max(pieces.get(key, 0), count)
                    if fault:
                        reasons.setdefault(key, fault)
    for key in terms_of(test, "XY"):
        if most_pieces is not None and key not in reasons and pieces[key] > most_pieces:
            reasons[key] = f"{pieces[key]} pieces; the reduced word sets have words of one"
    groups = {role: coverage_of(test, role, reasons, said) for role in ROLES}
    used = {role: groups[role].used for role in ROLES}
    targets, attributes = used["X"] + used["Y"], used["A"] + used["B"]
    values, single = ratios_of([found[x, a] for x in targets for a in attributes], asking)
    shape = len(targets), len(attributes)
    return Ratios(
        values.reshape(shape),
        Coverage(**groups),
        {role: tuple(pieces[role, term] for term in used[role]) for role in ROLES},
        single,
        np.full(shape, len(asking.templates), np.int64),
    )


def ratios_of(
    pairs: Sequence[Sequence[tuple[Answer, Answer]]], asking: Asking
) -> tuple[Array, Array]:
    """Ratios of some pairs, and of all their sentences, pair after pair."""
    found = [asking.ratio(answers) for answers in pairs]
    values: Array = np.array([value for value, _ in found], np.float64)
    return values, np.concatenate([each for _, each in found]) if found else values


def _require_fitting(answer: Answer, target: str, attribute: str) -> None:
    """Refuse a template that is too long: it would be so for all terms."""
    if answer.at == "text":
        raise SourceError(
            f"a template with {target!r} and {attribute!r} is longer than the model takes",
            got=answer.fault,
            remedy="shorten the templates",
        )


def _account(
    answer: Answer,
    target: tuple[str, str],
    attribute: tuple[str, str],
    causal: bool,  # noqa: FBT001
) -> Iterator[tuple[tuple[str, str], int, str]]:
    """Pieces of each of the two terms in one sentence, and what is wrong with it."""
    asked, other = (attribute, target) if causal else (target, attribute)
    yield asked, answer.pieces, answer.fault if answer.at == "asked" else ""
    yield other, answer.other_pieces, answer.fault if answer.at == "other" else ""


def terms_of(test: AssociationTest, roles: str) -> list[tuple[str, str]]:
    """Terms of some roles, each with its role."""
    return [(role, term) for role in roles for term in test.concept(role).terms]


def coverage_of(
    test: AssociationTest,
    role: str,
    reasons: Mapping[tuple[str, str], str],
    said: Mapping[str, str],
) -> GroupCoverage:
    """Account for the terms of one group."""
    terms = test.concept(role).terms
    why = {term: reasons[role, term] for term in terms if (role, term) in reasons}
    used = tuple(term for term in terms if term not in why)
    forms = {term: said[term] for term in used if role in "AB" and said[term] != term}
    return GroupCoverage(used=used, missing=tuple(why), reasons=why, found_as=forms)
