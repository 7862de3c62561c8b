"""Log-probability ratios from sentences of a corpus that hold a target and an attribute."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from eatlas.corpora import PairContext, Pairs
from eatlas.encoders.language import Answer, How, Question
from eatlas.measures.log_ratios import Asking, Ratios, coverage_of, ratios_of, terms_of
from eatlas.results.parts import Coverage
from eatlas.stimuli import ROLES, AssociationTest

Term = tuple[str, str]
"""The role of a term, and the term."""
Both = tuple[Question, Question]
SIDES = ("XY", "AB")
_OTHERS = {"XY": "attributes", "AB": "targets"}


@dataclass(frozen=True)
class SentenceRatios(Ratios):
    """Ratios of the sentences of a corpus."""

    left_out: int = field(kw_only=True)
    """Sentences of these terms that cannot be asked about."""
    too_long: int = field(kw_only=True)
    """Sentences of these terms that are longer than the model takes."""

    def remarks(self, origin: str) -> list[str]:
        """What a reader should know about the sentences."""
        if not self.counts.size:
            return []
        few, many = int(self.counts.min()), int(self.counts.max())
        said = f"{few:,} to {many:,}" if few < many else f"{few:,}"
        notes = [
            f"Log-ratios are those of {int(self.counts.sum()):,} sentences of {origin}: "
            f"{said} of each pair."
        ]
        if self.left_out:
            notes.append(
                f"{self.left_out:,} sentences are left out, since the tokenizer cannot tell their "
                "stimuli from what stands beside them, or does not know these."
            )
        if self.too_long:
            notes.append(
                f"{self.too_long:,} sentences are left out, since they are longer than the model "
                "takes."
            )
        return notes


@dataclass(frozen=True)
class Dropped:
    """A row or a column that was left out, and why."""

    side: int
    """0 for a row, 1 for a column."""
    place: int
    holes: int
    """Cells that it lacked when it was left out."""
    of: int
    """Cells that it could have had then."""


def completed(there: NDArray[np.bool_], names: Sequence[Sequence[str]]) -> tuple[Dropped, ...]:
    """Leave rows and columns out, one after the other, until no cell of the others is lacking.

    That with the largest share of holes goes first; of those alike, the one that takes the fewest
    cells with it, then a row before a column, then by name. So neither labels of groups nor values
    nor the order of a test decide, and p-values remain those of the terms that are left.

    Parameters
    ----------
    there : array of bool, shape (rows, columns)
        Whether a cell is there.
    names : pair of sequences of str
        Of the rows, and of the columns.

    Examples
    --------
    >>> there = np.array([[True, True, False], [True, True, False], [True, False, True]])
    >>> [(one.side, one.place) for one in completed(there, ["abc", "def"])]
    [(1, 2), (0, 2)]
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


def sentence_questions(test: AssociationTest, pairs: Pairs, asking: Asking) -> Iterator[Question]:
    """Every question about the sentences of a test; none about terms that will be left out."""
    absent = _lacking(test, _counts(test, pairs), {}, _name(pairs), {})
    for asked in _all_asked(test, pairs, asking.how, absent).values():
        for both in asked:
            yield from both


def sentence_ratios(
    test: AssociationTest,
    pairs: Pairs,
    asking: Asking,
    answers: Mapping[Question, Answer],
    *,
    most_pieces: int | None = None,
) -> SentenceRatios:
    """Make ratios of answers about sentences; each is that of its pair's sentences.

    Parameters
    ----------
    test : AssociationTest
    pairs : Pairs
    asking : Asking
        How questions are asked, and ratios made of them; its templates are not used.
    answers : mapping
        To every question of :func:`sentence_questions`.
    most_pieces : int, optional
        Targets of more pieces are left out.
    """
    reasons = _lacking(test, _counts(test, pairs), {}, _name(pairs), {})
    asked = {
        (x, a): [(answers[one], answers[other]) for one, other in both]
        for (x, a), both in _all_asked(test, pairs, asking.how, reasons).items()
    }
    usable = {
        key: [both for both in each if not any(answer.fault for answer in both)]
        for key, each in asked.items()
    }
    pieces = _pieces(usable)
    for x in terms_of(test, SIDES[0]):
        if most_pieces is not None and pieces[x] > most_pieces:
            why = f"{pieces[x]} pieces; the reduced word sets have words of one"
            reasons.setdefault(x, why)
    counts = {key: len(each) for key, each in usable.items()}
    reasons = _lacking(test, counts, reasons, _name(pairs), _faults(asked))
    said = {term: term for _, term in terms_of(test, SIDES[1])}
    coverage = Coverage(**{role: coverage_of(test, role, reasons, said) for role in ROLES})
    used = [[(role, term) for role in side for term in coverage.group(role).used] for side in SIDES]
    shape = tuple(map(len, used))
    cells = [(x, a) for x in used[0] for a in used[1]]
    too_long = sum(one.at == "text" for cell in cells for one, _ in asked[cell])
    values, single = ratios_of([usable[cell] for cell in cells], asking)
    return SentenceRatios(
        values.reshape(shape),
        coverage,
        {role: tuple(pieces[role, term] for term in coverage.group(role).used) for role in ROLES},
        single,
        np.array([counts[cell] for cell in cells], np.int64).reshape(shape),
        left_out=sum(len(asked[cell]) - counts[cell] for cell in cells) - too_long,
        too_long=too_long,
    )


def _name(pairs: Pairs) -> str:
    return pairs.name or "the corpus"


def _counts(test: AssociationTest, pairs: Pairs) -> dict[tuple[Term, Term], int]:
    return {
        (x, a): sum(1 for one in pairs.of_pair(x[1], a[1]) if _apart(one))
        for x in terms_of(test, SIDES[0])
        for a in terms_of(test, SIDES[1])
    }


def _apart(one: PairContext) -> bool:
    """Whether the two stimuli share no character, so that one can be masked without the other."""
    return one.target_end <= one.attribute_start or one.attribute_end <= one.target_start


def _all_asked(
    test: AssociationTest, pairs: Pairs, how: How, absent: Mapping[Term, str]
) -> dict[tuple[Term, Term], list[Both]]:
    return {
        (x, a): _asked(pairs, x[1], a[1], how)
        for x in terms_of(test, SIDES[0])
        for a in terms_of(test, SIDES[1])
        if x not in absent and a not in absent
    }


def _asked(pairs: Pairs, target: str, attribute: str, how: How) -> list[Both]:
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
    terms = [[one for one in terms_of(test, side) if one not in known] for side in SIDES]
    there = np.array([[bool(counts.get((x, a))) for a in terms[1]] for x in terms[0]], np.bool_)
    there = there.reshape(len(terms[0]), len(terms[1]))
    found = dict(known)
    for one in completed(there, [[name for _, name in side] for side in terms]):
        term = terms[one.side][one.place]
        others = _OTHERS[SIDES[one.side]]
        why = f"no usable sentence in {name} with {one.holes} of {one.of} {others}"
        found[term] = f"{why}: {faults[term]}" if term in faults else why
    return found


def _pieces(usable: Mapping[tuple[Term, Term], list[tuple[Answer, Answer]]]) -> Counter[Term]:
    """The most pieces that each term has in any sentence."""
    found: Counter[Term] = Counter()
    for (x, a), each in usable.items():
        for answer in (one for both in each for one in both):
            found[x] = max(found[x], answer.pieces)
            found[a] = max(found[a], answer.other_pieces)
    return found


def _faults(
    asked: Mapping[tuple[Term, Term], list[tuple[Answer, Answer]]],
) -> dict[Term, str]:
    """The first fault of each term."""
    found: dict[Term, str] = {}
    for (x, a), each in asked.items():
        for answer in (one for both in each for one in both):
            sides = {"asked": (x,), "other": (a,), "text": (x, a)}.get(answer.at, ())
            for term in sides:
                found.setdefault(term, answer.fault)
    return found
