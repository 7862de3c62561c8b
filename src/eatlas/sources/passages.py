"""What an encoder is asked: a text, and where in it the stimulus stands."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol, TypeGuard, runtime_checkable

from eatlas.results.parts import Encoding
from eatlas.sources.protocol import Vector, VectorSource
from eatlas.stimuli import Concept, Test

Tell = Callable[[int, int], None]
"""Called with the number of passages encoded and the number of all."""


@dataclass(frozen=True, order=True)
class Passage:
    """A text, and where in it the stimulus stands.

    Examples
    --------
    >>> Passage("This is ivy.", (8, 11)).stimulus
    'ivy'
    """

    text: str
    span: tuple[int, int] | None = None
    """Characters of the text, first and behind the last; None for a text without a stimulus."""

    @property
    def stimulus(self) -> str:
        """What stands at the span; the whole text where there is none."""
        return self.text if self.span is None else self.text[slice(*self.span)]


@runtime_checkable
class ContextualSource(VectorSource, Protocol):
    """A source that computes vectors of passages, such as a transformer.

    The case rule is not for it: a passage is encoded as it is written.
    """

    @property
    def encoding(self) -> Encoding:
        """How a passage becomes a vector, with every default spelled out."""
        ...

    def encode(
        self, passages: Collection[Passage], tell: Tell | None = None
    ) -> Mapping[Passage, Vector]:
        """Return the vectors of those passages that the source can encode, each of shape (dim,).

        Parameters
        ----------
        passages : collection of Passage
        tell : callable, optional
            Called with the number of passages encoded and the number of all.

        Raises
        ------
        SourceError
            If a passage cannot be encoded as it is asked for, such as one longer than the model
            takes.
        """
        ...


@runtime_checkable
class ExplainingSource(Protocol):
    """A contextual source that says why it has no vector of a passage."""

    def why_not(self, passage: Passage, /) -> str:
        """Why a passage that was just asked for has no vector; empty where that is not known."""
        ...


def why_not(source: object, passage: Passage) -> str:
    """Why a source has no vector of a passage; empty where it does not say."""
    return source.why_not(passage) if isinstance(source, ExplainingSource) else ""


Unknown = Literal["", "part", "all"]
"""How much of a stimulus a tokenizer takes for its one piece of all that it does not know."""


@runtime_checkable
class UnknowingSource(Protocol):
    """A contextual source that says which stimuli its tokenizer does not know."""

    def unknown(self, passage: Passage, /) -> Unknown:
        """How much of a passage that was just asked for the tokenizer does not know."""
        ...


def unknown(source: object, passage: Passage) -> Unknown:
    """How much of a passage a source's tokenizer does not know; empty where it does not say."""
    return source.unknown(passage) if isinstance(source, UnknowingSource) else ""


def is_contextual(source: VectorSource) -> TypeGuard[ContextualSource]:
    """Whether a source encodes passages.

    Its type says so; asking for its properties could load a model.
    """
    return callable(getattr(type(source), "encode", None))


def passages_of(concept: Concept) -> dict[str, Passage]:
    """Return what is encoded for each term: the sentence with its stimulus, or the word alone."""
    if not concept.sentences:
        return {term: word_alone(term) for term in concept.terms}
    return {one.term: Passage(one.text, one.span) for one in concept.sentences}


def all_passages(tests: Iterable[Test], words: Iterable[str] = ()) -> set[Passage]:
    """Return every passage of tests of any kind, and of words that measures ask for."""
    of_tests = {p for test in tests for _, part in test.parts for p in passages_of(part).values()}
    return of_tests | {word_alone(word) for word in words}


def word_alone(word: str) -> Passage:
    """Return the passage of a word without a context.

    >>> word_alone("ivy")
    Passage(text='ivy', span=(0, 3))
    """
    return Passage(word, (0, len(word)))


def words_alone(source: ContextualSource, keys: Collection[str]) -> dict[str, Vector]:
    """Have words encoded without a context; the vectors by word."""
    words = {word_alone(key): key for key in keys}
    return {words[one]: vector for one, vector in source.encode(words).items()}


def gathered(
    batches: Iterable[Mapping[Passage, Vector]], total: int, tell: Tell | None
) -> dict[Passage, Vector]:
    """Put the vectors of batches together, and tell of each batch as it comes."""
    found: dict[Passage, Vector] = {}
    for batch in batches:
        found |= batch
        if tell is not None:
            tell(len(found), total)
    return found
