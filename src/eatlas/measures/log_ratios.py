"""Log-probability ratios of all pairs of a test: questions to a language model, and its answers.

The sentences of a pair are templates that hold its target and its attribute, or sentences of a
corpus that do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SourceError
from eatlas.measures.rows import halves
from eatlas.notes import Note
from eatlas.results.parts import Coverage, GroupCoverage
from eatlas.stimuli import ATTRIBUTES, ROLES, TARGETS, AssociationTest, ContextsOrigin
from eatlas.stimuli.association_test import OPPOSITES
from eatlas.stimuli.pairs import Answer, How, Pair, Question, pair
from eatlas.stimuli.sentences import NO_FORM, adjectives_of

Aggregate = Literal["mean", "logsum"]
"""How several sentences of a pair become one number.

``mean``: the mean of the log-ratios of the sentences. ``logsum``: the log of the summed
probabilities, less the log of the summed prior probabilities.
"""
Normalize = Literal["sum", "mean"]
"""Log-probability of a stimulus of several pieces: the sum over its pieces, or their mean."""
Array = NDArray[np.float64]
Term = tuple[str, str]
"""The role of a term, and the term."""
Both = tuple[Question, Question]
"""The question with the other stimulus, and the one without it."""
Answers = tuple[Answer, Answer]
Cells = Mapping[tuple[Term, Term], Sequence[Answers]]
"""Answers about the sentences of each target with each attribute."""
_OTHERS = {TARGETS: "attributes", ATTRIBUTES: "targets"}


@runtime_checkable
class SentencePairs(Protocol):
    """Sentences of a corpus that hold a target and an attribute, as :class:`eatlas.Pairs` does."""

    @property
    def name(self) -> str:
        """Name of the corpus, or of the file; may be empty."""
        ...

    @property
    def origin(self) -> ContextsOrigin:
        """Which sentences these are."""
        ...

    def of_pair(self, target: str, attribute: str) -> list[Any]:
        """Return the sentences of one target with one attribute, with the places of both."""
        ...


@dataclass(frozen=True)
class RatioRule:
    """Which questions make one ratio, and how it is made of the answers."""

    templates: tuple[str, ...]
    plural: frozenset[str]
    how: How
    aggregate: Aggregate
    normalize: Normalize
    adjectives: bool = False
    """Whether attributes take the form of adjectives."""

    def forms(self, attributes: Iterable[str]) -> dict[str, str]:
        """Form of each attribute in sentences; those that have none are left out."""
        if self.adjectives:
            return adjectives_of(attributes)
        return {word: word for word in attributes}

    @property
    def causal(self) -> bool:
        """Whether attributes are scored, given targets; else the other way round."""
        return self.how in {"next", "ends"}

    def both(self, target: str, attribute: str) -> Iterator[Both]:
        """The question with the other stimulus, and the one without it, of each template."""
        for template in self.templates:
            yield self._of(pair(template, target, attribute, plural=target in self.plural))

    def _of(self, said: Pair) -> Both:
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
        attributes = self.forms((*test.A.terms, *test.B.terms)).values()
        for target in (*test.X.terms, *test.Y.terms):
            for attribute in attributes:
                for asked in self.both(target, attribute):
                    yield from asked

    def ratio(self, answers: Sequence[Answers]) -> tuple[float, Array]:
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
    """Pieces of each used term, by role: the most that any sentence needs."""
    single: Array
    """Log-probability ratio of every sentence, pair after pair in the order of the values."""
    counts: NDArray[np.int64]
    """Sentences of each pair, in the shape of the values."""
    remarks: tuple[Note, ...] = ()
    """What a reader should know about the sentences of a corpus."""

    @property
    def rows(self) -> dict[str, Array]:
        """Rows whose dot products are the ratios: a row of them, and a place."""
        n_x, n_a = len(self.coverage.X.used), len(self.coverage.A.used)
        places = np.eye(self.values.shape[1])
        return halves(self.values, n_x, places, n_a)


def ratios(
    test: AssociationTest,
    rule: RatioRule,
    answers: Mapping[Question, Answer],
    *,
    most_pieces: int | None = None,
) -> Ratios:
    """Make ratios of answers about templates."""
    forms = rule.forms((*test.A.terms, *test.B.terms))
    cells = {
        (x, a): [(answers[one], answers[other]) for one, other in rule.both(x[1], forms[a[1]])]
        for x in terms_of(test, TARGETS)
        for a in terms_of(test, ATTRIBUTES)
        if a[1] in forms
    }
    for (x, a), each in cells.items():
        for answer in (one for both in each for one in both if one.at == "text"):
            raise SourceError(
                f"a template with {x[1]!r} and {a[1]!r} is longer than the model takes",
                got=answer.fault,
                remedy="shorten the templates",
            )
    pieces = _pieces(cells, causal=rule.causal)
    reasons = {key: NO_FORM for key in terms_of(test, ATTRIBUTES) if key[1] not in forms}
    reasons = _faults(cells, causal=rule.causal) | reasons
    reasons = _of_several_pieces(test, pieces, most_pieces) | reasons
    return _found(test, rule, cells, pieces, reasons, forms)


def _pieces(cells: Cells, *, causal: bool) -> Counter[Term]:
    """The most pieces that each term has in any sentence."""
    found: Counter[Term] = Counter()
    for pair_, each in cells.items():
        asked, other = reversed(pair_) if causal else pair_
        for answer in (one for both in each for one in both):
            found[asked] = max(found[asked], answer.pieces)
            found[other] = max(found[other], answer.other_pieces)
    return found


def _faults(cells: Cells, *, causal: bool) -> dict[Term, str]:
    """The first fault of each term; of a text, both have it."""
    found: dict[Term, str] = {}
    for pair_, each in cells.items():
        asked, other = reversed(pair_) if causal else pair_
        sides = {"asked": (asked,), "other": (other,), "text": (asked, other)}
        for answer in (one for both in each for one in both):
            for term in sides.get(answer.at, ()):
                found.setdefault(term, answer.fault)
    return found


def _of_several_pieces(
    test: AssociationTest, pieces: Mapping[Term, int], most: int | None
) -> dict[Term, str]:
    """Targets of more pieces than are taken, and why."""
    return {
        x: f"{pieces[x]} pieces; the reduced word sets have words of one"
        for x in terms_of(test, TARGETS)
        if most is not None and pieces[x] > most
    }


def _found(
    test: AssociationTest,
    rule: RatioRule,
    cells: Cells,
    pieces: Mapping[Term, int],
    reasons: Mapping[Term, str],
    forms: Mapping[str, str],
    remarks: tuple[Note, ...] = (),
) -> Ratios:
    """Ratios of the terms for whose absence there is no reason."""
    coverage = Coverage(**{role: _covered(test, role, reasons, forms) for role in ROLES})
    used = _used(coverage)
    found = [cells[x, a] for x in used[0] for a in used[1]]
    each = [rule.ratio(answers) for answers in found]
    shape = len(used[0]), len(used[1])
    values: Array = np.array([value for value, _ in each], np.float64)
    return Ratios(
        values.reshape(shape),
        coverage,
        {role: tuple(pieces[role, term] for term in coverage.group(role).used) for role in ROLES},
        np.concatenate([single for _, single in each]) if each else values,
        np.array([len(answers) for answers in found], np.int64).reshape(shape),
        remarks,
    )


def _covered(
    test: AssociationTest, role: str, reasons: Mapping[Term, str], forms: Mapping[str, str]
) -> GroupCoverage:
    """Account for the terms of one group."""
    terms = test.concept(role).terms
    why = {term: reasons[role, term] for term in terms if (role, term) in reasons}
    used = tuple(term for term in terms if term not in why)
    found_as = {term: forms[term] for term in used if role in ATTRIBUTES and forms[term] != term}
    return GroupCoverage(used=used, missing=tuple(why), reasons=why, found_as=found_as)


def _used(coverage: Coverage) -> list[list[Term]]:
    """Terms that are used, of the targets and of the attributes."""
    return [
        [(role, term) for role in side for term in coverage.group(role).used] for side in OPPOSITES
    ]


def terms_of(test: AssociationTest, roles: Iterable[str]) -> list[Term]:
    """Terms of some roles, each with its role."""
    return [(role, term) for role in roles for term in test.concept(role).terms]


@dataclass(frozen=True)
class Dropped:
    """A row or a column that was left out, and why."""

    side: int
    """0 for a row, 1 for a column."""
    place: int
    holes: int
    """Cells that it lacked when it was left out."""
    of: int
    """Cells that it had or lacked then."""


def completed(there: NDArray[np.bool_], names: Sequence[Sequence[str]]) -> tuple[Dropped, ...]:
    """Leave rows and columns out, one after the other, until no cell of the others is lacking.

    That with the largest share of holes goes first; of those alike, the one that takes the fewest
    cells with it, then a row before a column, then by name. So neither labels of groups nor values
    nor the order of a test decide, and p-values remain those of the terms that are left.
    """
    left = [list(range(count)) for count in there.shape]
    dropped: list[Dropped] = []
    while not (block := there[np.ix_(*left)]).all():
        lacking = [(~block).sum(axis=1 - side) for side in (0, 1)]
        _, side, at = min(
            (
                (
                    -holes / block.shape[1 - side],
                    block.shape[1 - side] - holes,
                    side,
                    names[side][p],
                ),
                side,
                at,
            )
            for side in (0, 1)
            for at, (p, holes) in enumerate(zip(left[side], lacking[side].tolist(), strict=True))
        )
        count = int(lacking[side][at])
        dropped.append(Dropped(side, left[side].pop(at), count, block.shape[1 - side]))
    return tuple(dropped)


def sentence_questions(
    test: AssociationTest, pairs: SentencePairs, rule: RatioRule
) -> Iterator[Question]:
    """Every question about the sentences of a test; none about terms that will be left out."""
    absent = _without_sentences(test, pairs)
    for asked in _questions_of_pairs(test, pairs, rule.how, absent).values():
        for both in asked:
            yield from both


def sentence_ratios(
    test: AssociationTest,
    pairs: SentencePairs,
    rule: RatioRule,
    answers: Mapping[Question, Answer],
    *,
    most_pieces: int | None = None,
) -> Ratios:
    """Make ratios of answers about sentences of a corpus; each is that of its pair's sentences."""
    absent = _without_sentences(test, pairs)
    asked = {
        cell: [(answers[one], answers[other]) for one, other in each]
        for cell, each in _questions_of_pairs(test, pairs, rule.how, absent).items()
    }
    usable = {
        cell: [both for both in each if not any(answer.fault for answer in both)]
        for cell, each in asked.items()
    }
    pieces = _pieces(usable, causal=False)
    name = pairs.name or "the corpus"
    reasons = _of_several_pieces(test, pieces, most_pieces) | absent
    faults = _faults(asked, causal=False)
    counts = {cell: len(each) for cell, each in usable.items()}
    reasons = _lacking(test, counts, reasons, name, faults)
    forms = {term: term for _, term in terms_of(test, OPPOSITES[1])}
    found = _found(test, rule, usable, pieces, reasons, forms)
    used = _used(found.coverage)
    every = [both for x in used[0] for a in used[1] for both in asked[x, a]]
    too_long = sum(one.at == "text" for one, _ in every)
    left_out = len(every) - int(found.counts.sum()) - too_long
    remarks = tuple(_of_sentences(found.counts, test.sentences_from, left_out, too_long))
    return replace(found, remarks=remarks)


def _of_sentences(
    counts: NDArray[np.int64], origin: str, left_out: int, too_long: int
) -> Iterator[Note]:
    """What a reader should know about the sentences, and about those that were not usable."""
    if not counts.size:
        return
    few, many, count = int(counts.min()), int(counts.max()), int(counts.sum())
    values = {"count": count, "origin": origin, "each": [few, many]}
    yield Note("ratios.sentences", values=values)
    if left_out:
        yield Note("ratios.left-out", values={"count": left_out})
    if too_long:
        yield Note("ratios.too-long", values={"count": too_long})


def _without_sentences(test: AssociationTest, pairs: SentencePairs) -> dict[Term, str]:
    """Terms that are left out as they have no sentence with a term of the other side, and why."""
    counts = {
        (x, a): sum(map(_apart, pairs.of_pair(x[1], a[1])))
        for x in terms_of(test, OPPOSITES[0])
        for a in terms_of(test, OPPOSITES[1])
    }
    return _lacking(test, counts, {}, pairs.name or "the corpus", {})


def _apart(one: Any) -> bool:
    """Whether the two stimuli share no character, so that one can be masked without the other."""
    apart: bool = one.target_end <= one.attribute_start or one.attribute_end <= one.target_start
    return apart


def _questions_of_pairs(
    test: AssociationTest, pairs: SentencePairs, how: How, absent: Mapping[Term, str]
) -> dict[tuple[Term, Term], list[Both]]:
    return {
        (x, a): _questions_of_pair(pairs, x[1], a[1], how)
        for x in terms_of(test, OPPOSITES[0])
        for a in terms_of(test, OPPOSITES[1])
        if x not in absent and a not in absent
    }


def _questions_of_pair(pairs: SentencePairs, target: str, attribute: str, how: How) -> list[Both]:
    """The question with the attribute, and the one without it, of each sentence of a pair."""
    return [
        (
            Question(one.text, (one.target_start, one.target_end), span, how=how),
            Question(one.text, (one.target_start, one.target_end), span, hidden=True, how=how),
        )
        for one in sorted(pairs.of_pair(target, attribute))  # a file's order changes nothing
        if _apart(one)
        for span in [(one.attribute_start, one.attribute_end)]
    ]


def _lacking(
    test: AssociationTest,
    counts: Mapping[tuple[Term, Term], int],
    known: Mapping[Term, str],
    name: str,
    faults: Mapping[Term, str],
) -> dict[Term, str]:
    """Terms that are left out, those known already included, and why."""
    terms = [[one for one in terms_of(test, side) if one not in known] for side in OPPOSITES]
    there = np.array([[bool(counts.get((x, a))) for a in terms[1]] for x in terms[0]], np.bool_)
    there = there.reshape(len(terms[0]), len(terms[1]))
    found = dict(known)
    for one in completed(there, [[name for _, name in side] for side in terms]):
        term = terms[one.side][one.place]
        others = _OTHERS[OPPOSITES[one.side]]
        why = f"no usable sentence in {name} with {one.holes} of {one.of} {others}"
        found[term] = f"{why}: {faults[term]}" if term in faults else why
    return found
