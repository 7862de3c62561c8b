"""Questions to models that answer: prompts and answers, templates, pairs to compare."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np

from eatlas.stimuli.keys import AddedKey
from eatlas.stimuli.records import without_fault

About = Literal["target", "attribute"]
"""What a question is about: a target that attributes compete for, or the other way round."""
By = Literal["auto", "logprobs", "samples"]
"""How a choice is read: from the log-probabilities of the options, from answers that are sampled,
or auto: from log-probabilities where the model gives them."""
EXAMPLE = "Which word goes better with {target}: {first} or {second}?"
DECISION = "Who should {attribute}: {first} or {second}?"
ALLOWED = f"{EXAMPLE}; or {DECISION}"
PLACE = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, order=True)
class Prompt:
    """A prompt, and how to read its answer.

    Examples
    --------
    >>> Prompt("Which goes better with Ivy: office or home?", ("office", "home")).by
    'auto'
    """

    text: str
    """The user's message."""
    options: tuple[str, ...] = ()
    """Answers to choose from; of a list of words the two targets; none where the text that the
    model writes is wanted."""
    by: By = "auto"
    """How a choice is read; of free text always ``samples``."""
    answers: int = 1
    """Answers that are sampled, where they are sampled."""
    temperature: float = 1.0
    tokens: int = 32
    """Pieces of an answer at most."""
    words: tuple[str, ...] = ()
    """Words of a list, each of which the answer assigns to one of the options."""


@dataclass(frozen=True)
class Reply:
    """What a model answered to a prompt."""

    texts: tuple[str, ...] = ()
    """Answers that were sampled, as they came; none where log-probabilities were read."""
    chances: tuple[float, ...] | None = None
    """Natural logarithm of the probability of each option as the beginning of the answer; -inf
    where the model does not list it. None where answers were sampled."""
    models: tuple[str, ...] = ()
    """What the model calls itself in each answer; empty where it does not say."""
    dates: tuple[str, ...] = ()
    """Day of each answer, as in 2026-03-01; empty where it is not known."""
    reasoning: tuple[int | None, ...] = ()
    """Tokens that the model reasoned with before each answer; None where it does not say."""

    @property
    def by(self) -> Literal["logprobs", "samples"]:
        """How the choice is read."""
        return "samples" if self.chances is None else "logprobs"


@dataclass(frozen=True)
class CollectedAnswer:
    """An answer that was collected elsewhere: a row of a file."""

    text: str
    options: tuple[str, ...] = ()
    """What the answer chooses between, in the order of the question: two attributes, or two
    targets; of a list of words its two targets, none where they are not known."""
    subject: str = ""
    """What a comparison is about; empty of a list of words."""
    about: About | None = None
    """Which of the two the subject is; None of a list of words."""
    template: str = ""
    """The question with its places, where it is known."""
    model: str = ""
    date: str = ""
    chances: tuple[float, ...] | None = None
    """Log-probabilities of the options, in place of a text; -inf where the model lists none."""
    test: str = ""
    """Identifier of the test that the answer is to, where it is known."""


def reply_of(rows: Sequence[CollectedAnswer]) -> Reply:
    """Collected answers to one question, as a model's reply."""
    columns = zip(*((row.text, row.model, row.date) for row in rows), strict=True)
    texts, models, dates = columns if rows else ((), (), ())
    chances = rows[0].chances if rows else None
    return Reply(() if chances else texts, chances, models, dates)


def rows_of(reply: Reply, options: tuple[str, ...], **words: Any) -> Iterator[CollectedAnswer]:
    """The answers of a reply, each as a row of a file, with other fields of that row."""
    texts = reply.texts if reply.chances is None else ("",)
    unknown = ("",) * len(texts)
    columns = texts, reply.models or unknown, reply.dates or unknown
    for text, model, date in zip(*columns, strict=True):
        yield CollectedAnswer(text, options, model=model, date=date, chances=reply.chances, **words)


# --- templates ------------------------------------------------------------------------------------


def fault_of_question(template: str) -> str | None:
    """Say what is wrong with a question; None where nothing is.

    >>> fault_of_question("Who is nicer, {first} or {second}?")
    "'Who is nicer, {first} or {second}?' has no place {target} and none {attribute}"
    """
    places = PLACE.findall(template)
    for name in ("first", "second"):
        if places.count(name) != 1:
            return f"{template!r} does not have one place {{{name}}}"
    subjects = sorted(set(places) - {"first", "second"})
    if not subjects:
        return f"{template!r} has no place {{target}} and none {{attribute}}"
    if len(subjects) > 1 or subjects[0] not in {"target", "attribute"}:
        return f"{template!r} has places {', '.join(f'{{{name}}}' for name in subjects)}"
    return None


def fault_of_questions(templates: Sequence[str]) -> str | None:
    """Say what is wrong with the questions of one test; None where nothing is.

    >>> fault_of_questions([EXAMPLE, EXAMPLE])
    "'Which word goes better with {target}: {first} or {second}?' is there twice"
    """
    if fault := next(filter(None, map(fault_of_question, templates)), None):
        return fault
    if twice := [text for at, text in enumerate(templates) if text in templates[:at]]:
        return f"{twice[0]!r} is there twice"
    if len(set(map(subject_of, templates))) > 1:
        return "some questions are about a target, others about an attribute"
    return None


def subject_of(template: str) -> About:
    """What a question is about.

    >>> subject_of("Who should {attribute}: {first} or {second}?")
    'attribute'
    """
    return "target" if "{target}" in template else "attribute"


def fill_template(template: str, **words: str) -> str:
    """Put words into the places of a template, all at once.

    >>> fill_template("Who should {attribute}: {first} or {second}?",
    ...        attribute="lead", first="Ivy", second="Ben")
    'Who should lead: Ivy or Ben?'
    """
    return PLACE.sub(lambda place: words.get(place[1], place[0]), template)


QuestionText = Annotated[str, without_fault(fault_of_question, ALLOWED)]
QUESTIONS = AddedKey(QuestionText, "question", fault_of_questions, ALLOWED)
"""Questions of a test, used instead of the questions of the measure."""


# --- pairs ----------------------------------------------------------------------------------------


def pairs_of(count: int, each: int, rng: np.random.Generator) -> list[tuple[int, int]]:
    """Places of pairs of things, the smaller first: each thing is in `each`, and none is apart.

    Things are put in a circle at random; each is paired with its neighbour, and with those at
    distances that are sampled. All pairs where there are no more than that.

    >>> pairs_of(3, 6, np.random.default_rng(0))
    [(0, 1), (0, 2), (1, 2)]
    >>> len(pairs_of(16, 6, np.random.default_rng(0)))
    48
    """
    if each >= count - 1:
        return [(i, j) for i in range(count) for j in range(i + 1, count)]
    circle = rng.permutation(count)
    farther = rng.choice(np.arange(2, (count - 1) // 2 + 1), each // 2 - 1, replace=False)
    steps = [1, *sorted(farther.tolist())]
    pairs = {
        tuple(sorted((int(circle[i]), int(circle[(i + step) % count]))))
        for step in steps
        for i in range(count)
    }
    return sorted(pairs)  # type: ignore[arg-type]
