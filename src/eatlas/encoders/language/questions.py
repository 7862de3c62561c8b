"""What a language model is asked about a sentence with two stimuli, and what it answers."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Literal, Protocol, runtime_checkable

from eatlas.results.parts import LanguageModelRecord
from eatlas.sources.source import Tell

Span = tuple[int, int]
How = Literal["joint", "pll", "next", "ends"]
"""How the log-probability of a stimulus of several pieces is made of those of its pieces.

``joint``: all pieces are masked and filled in from left to right, the chain rule. ``pll``: one
piece is masked at a time while the others are shown, the pseudo-log-likelihood of Salazar et al.
(2020). ``next``: each piece after all that stands before it, for causal models. ``ends``: the
same, and that the word ends there, given that the word before it has ended (Pimentel and Meister
2024).
"""
Kind = Literal["masked", "causal"]


@dataclass(frozen=True, order=True)
class Question:
    """A question: how probable is a stimulus at its place in a text.

    Examples
    --------
    >>> asked = Question("Ivy is nice.", (0, 3), (7, 11), hidden=True)
    >>> asked.stimulus, asked.other_stimulus
    ('Ivy', 'nice')
    """

    text: str
    asked: Span
    """Characters of the stimulus that is scored, first and behind the last."""
    other: Span | None = None
    """Characters of the other stimulus; None where the text has none."""
    hidden: bool = False
    """Whether the other stimulus is masked too, one mask for each of its pieces."""
    how: How = "joint"

    @property
    def stimulus(self) -> str:
        """What is scored."""
        return self.text[slice(*self.asked)]

    @property
    def other_stimulus(self) -> str:
        """What stands at the other place; empty where there is none."""
        return "" if self.other is None else self.text[slice(*self.other)]


@dataclass(frozen=True)
class Answer:
    """The log-probability of a stimulus, or why there is none."""

    log_probability: float | None
    """Natural logarithm, at most 0, finite; summed over pieces."""
    pieces: int = 0
    """Pieces of the stimulus that was scored."""
    other_pieces: int = 0
    """Pieces of the other stimulus; 0 where there is none."""
    fault: str = ""
    """Why there is no log-probability."""
    at: Literal["asked", "other", "text", ""] = ""
    """The stimulus that is at fault, or the text, which is too long."""


@runtime_checkable
class LanguageModel(Protocol):
    """A model that says how probable a stimulus is in a text."""

    @property
    def name(self) -> str:
        """What names the source in results, such as ``hf:bert-base-uncased``."""
        ...

    @property
    def fingerprint(self) -> str:
        """Identifies the model's weights and tokenizer."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know about the model, in whole sentences."""
        ...

    @property
    def kind(self) -> Kind:
        """Whether the model fills masks or continues a text."""
        ...

    @property
    def about(self) -> LanguageModelRecord:
        """What the result says of the model."""
        ...

    def score(
        self, questions: Collection[Question], tell: Tell | None = None
    ) -> Mapping[Question, Answer]:
        """Answer questions, each with a finite log-probability or a reason why there is none.

        Parameters
        ----------
        questions : collection of Question
        tell : callable, optional
            Called with the number of questions that are answered and the number of all.

        Raises
        ------
        SourceError
            If what the model computes is not finite.
        """
        ...


@dataclass(frozen=True)
class Answers:
    """What a language model answered, kept as a model of its own.

    A run asks each model once for all its tests; its workers get the answers, not the model.
    """

    name: str
    fingerprint: str
    notes: tuple[str, ...]
    kind: Kind
    about: LanguageModelRecord
    answers: Mapping[Question, Answer]

    @classmethod
    def of(
        cls, model: LanguageModel, questions: Collection[Question], tell: Tell | None = None
    ) -> Answers:
        """Ask a model and keep what it answers."""
        answers = dict(model.score(questions, tell))
        return cls(model.name, model.fingerprint, model.notes, model.kind, model.about, answers)

    def score(
        self, questions: Collection[Question], tell: Tell | None = None
    ) -> Mapping[Question, Answer]:
        """Return the answers to those questions that were kept."""
        kept = {one: self.answers[one] for one in questions if one in self.answers}
        if tell is not None:
            tell(len(kept), len(kept))
        return kept

    def renamed(self, name: str) -> Answers:
        """Return the same under another name."""
        notes = tuple(note.replace(self.name, name) for note in self.notes)
        return replace(self, name=name, notes=notes)
