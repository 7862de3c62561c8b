"""Log-probability ratios of all pairs of a test: questions to a language model, and its answers.

The sentences of a pair are templates that hold its target and its attribute, or sentences of a
corpus that do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SourceError
from eatlas.notes import Note
from eatlas.results.parts import Coverage, GroupCoverage
from eatlas.stimuli import ATTRIBUTES, ROLES, TARGETS, AssociationTest, ContextsOrigin
from eatlas.stimuli.kinds import OPPOSITES
from eatlas.stimuli.pairs import Answer, How, Question, pair
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
Cell = tuple[Term, Term]
"""A target and an attribute."""
Both = tuple[Question, Question]
"""The question with the other stimulus, and the one without it."""
Answers = Mapping[Cell, Sequence[tuple[Answer, Answer]]]
"""Answers about the sentences of each target with each attribute."""


@runtime_checkable
class SentencePairs(Protocol):
    """Sentences of a corpus that hold a target and an attribute, as :class:`eatlas.Pairs` does."""

    name: str
    """Of the corpus, or of the file; may be empty."""
    origin: ContextsOrigin

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
    """Whether attributes take the form of adjectives; those that have none are left out."""
    pairs: SentencePairs | None = None
    """Sentences of a corpus in place of templates."""
    most_pieces: int | None = None
    """Targets of more pieces are left out."""

    @property
    def causal(self) -> bool:
        """Whether attributes are scored, given targets; else the other way round."""
        return self.how == "next"

    def of_templates(self, target: str, attribute: str) -> Iterator[Both]:
        """Both questions of each template."""
        for template in self.templates:
            filled = pair(template, target, attribute, plural=target in self.plural)
            if self.causal:
                yield (
                    Question(filled.text, filled.attribute, filled.target, how=self.how),
                    Question(filled.neutral, filled.neutral_attribute, how=self.how),
                )
            else:
                yield self._both(filled.text, filled.target, filled.attribute)

    def of_corpus(self, target: str, attribute: str) -> Iterator[Both]:
        """Both questions of each sentence of a corpus, in an order that no file decides."""
        for sentence in sorted(self.pairs.of_pair(target, attribute) if self.pairs else ()):
            if _apart(sentence):
                of_target = sentence.target_start, sentence.target_end
                span = sentence.attribute_start, sentence.attribute_end
                yield self._both(sentence.text, of_target, span)

    def _both(self, text: str, target: Any, attribute: Any) -> Both:
        """The question about a target beside an attribute, and the same with this masked too."""
        shown = Question(text, target, attribute, how=self.how)
        return shown, Question(text, target, attribute, hidden=True, how=self.how)

    def ratio(self, answers: Sequence[tuple[Answer, Answer]]) -> tuple[float, Array]:
        """The log-probability ratio of one pair over its sentences, and that of each of them."""
        with_other, prior = (
            np.array([self._score(both[side]) for both in answers], np.float64) for side in (0, 1)
        )
        each = with_other - prior
        if self.aggregate == "mean":
            return float(np.mean(each)), each
        return float(np.logaddexp.reduce(with_other) - np.logaddexp.reduce(prior)), each

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
        parts = self.values[:n_x], self.values[n_x:], places[:n_a], places[n_a:]
        return dict(zip(ROLES, parts, strict=True))


def questions(test: AssociationTest, rule: RatioRule) -> Iterator[Question]:
    """Every question that a test needs answered; none about terms that will be left out."""
    for several in _cells(test, rule)[0].values():
        for both in several:
            yield from both


def ratios(test: AssociationTest, rule: RatioRule, answers: Mapping[Question, Answer]) -> Ratios:
    """Make ratios of answers about all pairs of a test."""
    cells, absent, forms = _cells(test, rule)
    answered: Answers = {
        cell: [(answers[first], answers[second]) for first, second in several]
        for cell, several in cells.items()
    }
    usable = answered
    if rule.pairs is not None:
        usable = {
            cell: [both for both in several if not any(answer.fault for answer in both)]
            for cell, several in answered.items()
        }
    pieces, _ = _told(usable, causal=rule.causal)
    _, faults = _told(answered, causal=rule.causal)
    reasons = {
        x: f"{pieces[x]} pieces; the reduced word sets have words of one"
        for x in _terms(test, TARGETS)
        if rule.most_pieces is not None and pieces[x] > rule.most_pieces
    }
    if rule.pairs is None:
        _require_short(answered)
        reasons |= faults | absent
    else:
        counts = {cell: len(several) for cell, several in usable.items()}
        reasons = _lacking(test, counts, reasons | absent, rule.pairs.name, faults)
    covered = {}
    for role in ROLES:
        terms = test.concept(role).terms
        why = {term: reasons[role, term] for term in terms if (role, term) in reasons}
        used = tuple(term for term in terms if term not in why)
        found_as = {t: forms[t] for t in used if role in ATTRIBUTES and forms[t] != t}
        covered[role] = GroupCoverage(used=used, missing=tuple(why), reasons=why, found_as=found_as)
    sides = [[(role, term) for role in side for term in covered[role].used] for side in OPPOSITES]
    order, shape = list(product(sides[0], sides[1])), (len(sides[0]), len(sides[1]))
    each = [rule.ratio(usable[cell]) for cell in order]
    values = np.array([value for value, _ in each], np.float64)
    return Ratios(
        values.reshape(shape),
        Coverage(covered),
        {role: tuple(pieces[role, term] for term in covered[role].used) for role in ROLES},
        np.concatenate([single for _, single in each]) if each else values,
        np.array([len(usable[cell]) for cell in order], np.int64).reshape(shape),
        tuple(_remarks(test, order, answered, usable)) if rule.pairs and order else (),
    )


def _cells(
    test: AssociationTest, rule: RatioRule
) -> tuple[dict[Cell, list[Both]], dict[Term, str], dict[str, str]]:
    """Questions about each pair, terms that are left out with the reason, forms of attributes."""
    targets, attributes = _terms(test, TARGETS), _terms(test, ATTRIBUTES)
    forms = {word: word for _, word in attributes}
    if rule.pairs is None:
        forms = adjectives_of(list(forms)) if rule.adjectives else forms
        absent = {term: NO_FORM for term in attributes if term[1] not in forms}
        questions_of = rule.of_templates
    else:
        counts = {
            (x, a): sum(map(_apart, rule.pairs.of_pair(x[1], a[1])))
            for x, a in product(targets, attributes)
        }
        absent, questions_of = _lacking(test, counts, {}, rule.pairs.name, {}), rule.of_corpus
    cells = {
        (x, a): list(questions_of(x[1], forms[a[1]]))
        for x, a in product(targets, attributes)
        if x not in absent and a not in absent
    }
    return cells, absent, forms


def _terms(test: AssociationTest, roles: Sequence[str]) -> list[Term]:
    return [(role, term) for role in roles for term in test.concept(role).terms]


def _apart(sentence: Any) -> bool:
    """Whether the two stimuli share no character, so that one can be masked without the other."""
    return bool(
        sentence.target_end <= sentence.attribute_start
        or sentence.attribute_end <= sentence.target_start
    )


def _told(answers: Answers, *, causal: bool) -> tuple[Counter[Term], dict[Term, str]]:
    """The most pieces of each term in any sentence, and its first fault; a text is of both."""
    pieces: Counter[Term] = Counter()
    faults: dict[Term, str] = {}
    for cell, several in answers.items():
        scored, beside = reversed(cell) if causal else cell
        at = {"asked": (scored,), "other": (beside,), "text": (scored, beside)}
        for answer in (answer for both in several for answer in both):
            pieces[scored] = max(pieces[scored], answer.pieces)
            pieces[beside] = max(pieces[beside], answer.other_pieces)
            for term in at.get(answer.at, ()):
                faults.setdefault(term, answer.fault)
    return pieces, faults


def _require_short(answers: Answers) -> None:
    """Refuse templates that are longer than the model takes."""
    for (x, a), several in answers.items():
        for answer in (answer for both in several for answer in both if answer.at == "text"):
            raise SourceError(
                f"a template with {x[1]!r} and {a[1]!r} is longer than the model takes",
                got=answer.fault,
                remedy="shorten the templates",
            )


def _remarks(
    test: AssociationTest, order: Sequence[Cell], answered: Answers, usable: Answers
) -> Iterator[Note]:
    """What a reader should know about the sentences, and about those that were not usable."""
    counts = [len(usable[cell]) for cell in order]
    every = [both for cell in order for both in answered[cell]]
    too_long = sum(first.at == "text" for first, _ in every)
    values = {"count": sum(counts), "origin": test.sentences_from}
    yield Note("ratios.sentences", values={**values, "each": [min(counts), max(counts)]})
    if left_out := len(every) - sum(counts) - too_long:
        yield Note("ratios.left-out", values={"count": left_out})
    if too_long:
        yield Note("ratios.too-long", values={"count": too_long})


class Dropped(NamedTuple):
    """A row (side 0) or a column (1) that was left out, and the cells that it lacked then."""

    side: int
    place: int
    holes: int
    of: int


def completed(there: NDArray[np.bool_], names: Sequence[Sequence[str]]) -> tuple[Dropped, ...]:
    """Leave rows and columns out, one after the other, until no cell of the others is lacking.

    That with the largest share of holes goes first; of those alike, the one that takes the fewest
    cells with it, then a row before a column, then by name. So neither labels of groups nor values
    nor the order of a test decide, and p-values remain those of the terms that are left.
    """
    left = [list(range(count)) for count in there.shape]
    dropped: list[Dropped] = []
    while not (block := there[np.ix_(*left)]).all():
        *_, side, _, at, holes, of = min(
            (-holes / of, of - holes, side, names[side][left[side][at]], at, holes, of)
            for side, of in ((0, block.shape[1]), (1, block.shape[0]))
            for at, holes in enumerate((~block).sum(axis=1 - side).tolist())
        )
        dropped.append(Dropped(side, left[side].pop(at), holes, of))
    return tuple(dropped)


def _lacking(
    test: AssociationTest,
    counts: Mapping[Cell, int],
    absent: Mapping[Term, str],
    corpus: str,
    faults: Mapping[Term, str],
) -> dict[Term, str]:
    """Terms that are left out as they lack sentences, those absent already included, and why."""
    sides = [[term for term in _terms(test, side) if term not in absent] for side in OPPOSITES]
    shape = len(sides[0]), len(sides[1])
    there = np.array([bool(counts.get(cell)) for cell in product(sides[0], sides[1])], np.bool_)
    reasons = dict(absent)
    names = [[name for _, name in side] for side in sides]
    for gone in completed(there.reshape(shape), names):
        term, others = sides[gone.side][gone.place], ("attributes", "targets")[gone.side]
        of = f"{gone.holes} of {gone.of} {others}"
        why = f"no usable sentence in {corpus or 'the corpus'} with {of}"
        reasons[term] = f"{why}: {faults[term]}" if term in faults else why
    return reasons
