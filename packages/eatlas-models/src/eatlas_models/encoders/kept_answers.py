"""Answers of language models are stored on disk, next to the vectors of encoders."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import astuple, fields
from functools import cached_property
from typing import Any, Generic, TypeVar, get_type_hints

from pydantic import TypeAdapter

from eatlas.encoders.cache import (
    ANSWER,
    CacheStore,
    Form,
    Row,
    hash_texts,
    read_fields,
    through_cache,
)
from eatlas.sources.source import Tell

LATER = "later"
"""Metadata of a field that answers stored by earlier versions do not have."""
Q = TypeVar("Q")
A = TypeVar("A")


class KeptAnswers(Generic[Q, A]):
    """A model whose answers are stored on disk if it says so."""

    name: str
    keeps: bool
    answer: Callable[..., A]
    """Makes an answer of its fields."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"

    @property
    def fingerprint(self) -> str:
        """Identifies what answers."""
        raise NotImplementedError

    def in_batches(self, questions: Sequence[Q]) -> Iterator[Mapping[Q, A]]:
        """Hand out answers as they come."""
        raise NotImplementedError

    def answers_to(
        self,
        questions: Sequence[Q],
        tell: Tell | None = None,
        review: Callable[[Mapping[Q, A], int], None] | None = None,
    ) -> dict[Q, A]:
        """Answer questions, each of which is a dataclass; stored answers need no request.

        `review` is called after each new batch with all answers and the number of new ones.
        """
        answers: dict[Q, A] = {}

        def compute(left: Sequence[Q]) -> Iterator[Mapping[Q, A]]:
            new = 0
            for batch in self.in_batches(left):
                yield batch  # which is stored before it is reviewed
                new += len(batch)
                if review is not None:
                    review(answers, new)

        batches: Iterable[Mapping[Q, A]] = compute(questions)
        if self.keeps:
            batches = through_cache(self._keys_of(questions), self, compute, self._form)
        for batch in batches:
            answers |= batch
            if tell is not None:
                tell(len(answers), len(questions))
        return answers

    def look_up(self, questions: Iterable[Q]) -> dict[Q, A]:
        """Stored answers, without new requests."""
        with closing(CacheStore()) as store:
            return self.look_up_in(store, questions)

    def look_up_in(self, store: CacheStore, questions: Iterable[Q]) -> dict[Q, A]:
        """Answers that are stored in a store, by whatever program."""
        keys = self._keys_of(questions) if self.keeps else {}
        answers = store.get(keys.values(), self._form.read)
        return {question: answers[key] for question, key in keys.items() if key in answers}

    def _keys_of(self, questions: Iterable[Q]) -> dict[Q, bytes]:
        """What answers are stored under."""
        fingerprint = self.fingerprint
        return {
            question: hash_texts(ANSWER, fingerprint, repr(tuple(vars(question).values())))
            for question in questions
        }

    @cached_property
    def _form(self) -> Form[A]:
        """How answers, which are dataclasses, are stored: as JSON of their fields."""
        types: Any = tuple(get_type_hints(self.answer).values())
        parts: Any = fields(self.answer)  # type: ignore[arg-type]
        earlier: Any = types[: sum(not part.metadata.get(LATER) for part in parts)]
        forms: Any = tuple[types] | tuple[earlier]
        form = TypeAdapter[Any](forms)

        def write(answer: A) -> Row:
            # JSON has every digit of a number of double precision; Python's has infinite ones
            return json.dumps(astuple(answer)).encode(), ANSWER, ""  # type: ignore[call-overload]

        def parse_row(row: Row) -> A:
            return self.answer(*read_fields(form, row[0]))

        return Form(write, parse_row, "questions are answered")
