"""Comparisons that were collected elsewhere, as a design of the measure `ask` and its replies."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import NamedTuple, get_args

import numpy as np

from eatlas.errors import CoverageError, StimulusError
from eatlas.notes import Note
from eatlas.numbers import number_of
from eatlas.stimuli import AssociationTest
from eatlas_models.measures.answers import (
    Design,
    Preferences,
    preferences_of,
    require_told_apart,
    sides_of,
)
from eatlas_models.measures.lpbs import Term
from eatlas_models.results.answers import CollectedRecord
from eatlas_models.stimuli.asking import About, CollectedAnswer, Prompt, Reply, reply_of
from eatlas_models.stimuli.choosing import CHECK_FILE

UNKNOWN: dict[About, str] = {
    "target": "{target}: {first} or {second}?",
    "attribute": "{attribute}: {first} or {second}?",
}
"""In place of a question that a file does not have."""
MOST_TEMPLATES = 50
"""Most questions that a file can distinguish; with more, such as numbered prompts, none are."""


class Comparison(NamedTuple):
    """An answer of a file to a comparison of a test."""

    row: CollectedAnswer
    subject: int
    first: int
    """Place among the competitors of the option that is named first."""
    second: int


def preferences_collected(test: AssociationTest, rows: Sequence[CollectedAnswer]) -> Preferences:
    """Compute proportions of comparisons won from a file of answers, ignoring other tests."""
    about = _subject_kind(test, rows)
    subjects, competitors = sides_of(test, about)
    require_told_apart(test, competitors)
    of_subject, of_competitor = (
        {term.casefold(): place for place, (_, term) in enumerate(side)}
        for side in (subjects, competitors)
    )
    answers: list[Comparison] = []
    for row in rows:
        subject = of_subject.get(row.subject.casefold()) if row.about == about else None
        options = [of_competitor.get(option.casefold()) for option in row.options]
        match subject, options:
            case int(), [int(first), int(second)] if first != second:
                answers.append(Comparison(row, subject, first, second))
    if not answers:
        raise _other_words(test, rows)
    design, replies = _design(about, subjects, competitors, answers)
    remarks = _remarks(test, design, replies)
    collected = CollectedRecord(rows=len(rows), others=len(rows) - len(answers))
    if collected.others:
        remarks.insert(0, Note("answers.other-tests", values=collected.model_dump()))
    preferences = preferences_of(test, design, replies, CHECK_FILE)
    return replace(preferences, collected=collected, remarks=tuple(remarks))


def _subject_kind(test: AssociationTest, rows: Sequence[CollectedAnswer]) -> About:
    """What the comparisons of a test are about."""
    kinds: tuple[About, ...] = get_args(About)
    terms = {about: {term.casefold() for _, term in sides_of(test, about)[0]} for about in kinds}
    there = {row.about for row in rows if row.about and row.subject.casefold() in terms[row.about]}
    if len(there) > 1:
        raise StimulusError(
            f"test {test.id}: the file mixes answers about targets and answers about attributes",
            allowed="a file with one kind of comparison",
            remedy="split it into two files",
        )
    if not there:
        raise _other_words(test, rows)
    return there.pop()


def _other_words(test: AssociationTest, rows: Sequence[CollectedAnswer]) -> CoverageError:
    """What to say of a file without a comparison of the words of a test."""
    first = next((row for row in rows if row.about), None)
    of_first = first and f"the first: {' or '.join(first.options)}, about {first.subject}"
    return CoverageError(
        f"test {test.id}: no answer in the file compares words of this test",
        got=f"{number_of(len(rows), 'answer')}; {of_first or 'no column target'}",
        allowed="rows whose target and two options are words of the test",
        remedy=None if first else "use the measure assign for lists of words",
    )


def _design(
    about: About, subjects: list[Term], competitors: list[Term], answers: Sequence[Comparison]
) -> tuple[Design, list[Reply]]:
    """Every comparison that a file may have, in the order of a design, and its answers to them."""
    names = [name for _, name in competitors]
    questions = [
        answer.row.template if f"{{{about}}}" in answer.row.template else UNKNOWN[about]
        for answer in answers
    ]
    if len(set(questions)) > MOST_TEMPLATES:
        questions = [UNKNOWN[about]] * len(answers)
    templates = tuple(dict.fromkeys(questions))
    # by name, as the pairs of a design
    comparisons = sorted(
        {
            (question, tuple(sorted((answer.first, answer.second), key=names.__getitem__)))
            for answer, question in zip(answers, questions, strict=True)
        },
        key=lambda of: (templates.index(of[0]), [names[place] for place in of[1]]),
    )
    there: dict[tuple[int, int, int, str], list[CollectedAnswer]] = defaultdict(list)
    for (row, subject, first, second), question in zip(answers, questions, strict=True):
        there[subject, first, second, question].append(row)
    prompts, replies = [], []
    for subject, (template, pair) in product(range(len(subjects)), comparisons):
        for first, second in (pair, pair[::-1]):
            rows = there.get((subject, first, second, template), [])
            if len(rows) > 1 and any(row.chances for row in rows):
                raise _twice(rows)
            prompts.append(Prompt(template, (names[first], names[second]), "samples", len(rows)))
            replies.append(reply_of(rows))
    pairs = np.array([pair for _, pair in comparisons], np.intp)
    of_questions = np.array([templates.index(template) for template, _ in comparisons], np.intp)
    return Design(subjects, competitors, pairs, of_questions, templates, prompts), replies


def _twice(rows: Sequence[CollectedAnswer]) -> StimulusError:
    """What to say of a question with log-probabilities that has several rows."""
    first, second = rows[0].options
    return StimulusError(
        "several rows have log-probabilities for the same question",
        got=f"{len(rows)} rows about {rows[0].subject!r}: {first!r} or {second!r}",
        allowed="one row for each question and order of its options",
        remedy="save the answers of each model in a separate file",
    )


def _remarks(test: AssociationTest, design: Design, replies: Sequence[Reply]) -> list[Note]:
    """What a reader must know of the comparisons that are there."""
    asked = np.array([len(reply.models) for reply in replies]).reshape(design.shape)
    by_order = asked > 0
    there, both = int(by_order.any(axis=-1).sum()), int(by_order.all(axis=-1).sum())
    if not both:
        raise CoverageError(
            f"test {test.id}: no comparison occurs in both orders of its options",
            got=f"{number_of(there, 'comparison')} in one order",
            allowed="each question with either option first, because many models prefer a position",
        )
    notes = []
    if there > both:
        notes.append(Note("answers.one-order", values={"count": there - both, "of": there}))
    roles = np.array([role for role, _ in design.competitors])[design.pairs]
    across = set((roles[:, 0] != roles[:, 1]).tolist())
    if across == {True}:
        levels = "at level 2 and over attributes" if design.about == "target" else "at level 1"
        notes.append(Note("answers.pairs-across", values={"levels": levels}))
    elif across == {False}:
        notes.append(Note("answers.pairs-within"))
    return notes
