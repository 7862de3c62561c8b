"""Language models: what answers questions about sentences, and answers that were kept."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

from eatlas.results.parts import LanguageModelRecord
from eatlas.sources.source import Tell
from eatlas.stimuli.sentences.pairs import Answer, Kind, Question


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

    Each model of a run is queried once for all tests; its workers get the answers, not the model.
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
        """Query a model and keep its answers."""
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
