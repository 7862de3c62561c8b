"""What a source is: facts, and one verb that answers items with vectors.

Words in a file, an encoder, a cache around it, a prompt or a transform are all sources. What other
packages bring need not know of this: :func:`as_source` takes anything that has ``lookup``, or
``encode``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, TypeGuard, cast

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SourceError
from eatlas.notes import Note, as_notes
from eatlas.results.parts import Encoding
from eatlas.sources.interface import (
    CHUNK,
    Answers,
    ContextualSource,
    Found,
    Item,
    Kind,
    ListedSource,
    Read,
    Tell,
    Vector,
    VectorSource,
    cut,
    words_alone,
)

AT_ONCE = 256
"""Items that a plug-in encodes in one call, and so the most whose vectors a kill can cost."""


@dataclass(frozen=True)
class SourceFacts:
    """What a source says of itself, at a moment: some of it follows from what was encoded."""

    name: str
    dim: int
    fingerprint: str
    notes: tuple[Note, ...] = ()
    period: int | None = None
    encoding: Encoding | None = None

    @classmethod
    def of(cls, source: Source) -> SourceFacts:
        """Collect the facts of a source."""
        facts = (source.name, source.dim, source.fingerprint, as_notes(source.notes))
        return cls(*facts, source.period, source.encoding)


class Source(ABC):
    """Facts, and one verb: :meth:`vectors`.

    A fact is a property, because some take work: a fingerprint reads files.
    """

    @property
    @abstractmethod
    def name(self) -> str:
        """What names the source in results."""

    @property
    @abstractmethod
    def dim(self) -> int:
        """Number of components of every vector."""

    @property
    @abstractmethod
    def fingerprint(self) -> str:
        """Identifies all that the vectors depend on."""

    @property
    def notes(self) -> tuple[Note, ...]:
        """What a reader should know about the source."""
        return ()

    @property
    def period(self) -> int | None:
        """Year of a source that belongs to a series."""
        return None

    @property
    def encoding(self) -> Encoding | None:
        """How an item becomes a vector; None for a source that looks vectors up."""
        return None

    @property
    def expected(self) -> int | None:
        """Number of vectors of a source that can be read from end to end, where it is known."""
        return None

    @property
    def kinds(self) -> frozenset[Kind]:
        """Kinds of items that can be answered."""
        return frozenset(("text",))

    @property
    def encodes(self) -> bool:
        """Whether vectors are computed of items, and not looked up by word."""
        return self.encoding is not None

    @property
    def listed(self) -> bool:
        """Whether all vectors can be read from end to end, with ``iter_chunks()``."""
        return hasattr(self, "iter_chunks")

    @property
    def ordered(self) -> bool:
        """Whether ``vocabulary()`` yields the words in order of frequency."""
        return False

    word_order: Any = None
    """Words in order of frequency, kept once they were read: of a source that is ordered."""

    @property
    def slow_to_list(self) -> bool:
        """Whether to read all words once more takes longer than a second."""
        return False

    @property
    def in_passes(self) -> bool:
        """Whether each look-up of new words reads everything, and keeps what it finds."""
        return False

    @abstractmethod
    def vectors(self, items: Collection[Item]) -> Iterator[Answers]:
        """Answer items, batch by batch, each item at most once; one may stay out.

        Raises
        ------
        SourceError
            If an item cannot be encoded, or what is read on the way is not well formed.
        """

    @property
    def by_place(self) -> bool:
        """Whether one text may have several vectors, by the place of the stimulus in it."""
        return self.encoding is not None and self.encoding.level == "word"

    shares = False
    """Whether items of the same tokens share a vector; :meth:`same` then says which do."""

    def same(self, items: Collection[Item]) -> Mapping[Item, Read]:  # noqa: ARG002
        """What the model reads of each item; one that has no vector stays out."""
        return {}

    def recall(self, answers: Answers) -> None:  # noqa: B027  (few have anything to note)
        """Take note of answers that were kept from an earlier run, where notes report them."""

    def answers(self, items: Collection[Item], tell: Tell | None = None) -> dict[Item, Found]:
        """Answer items at once.

        Parameters
        ----------
        items : collection of Item
        tell : callable, optional
            Called with the number of items that are answered and the number of all.

        Raises
        ------
        SourceError
            As :meth:`vectors`, or if an item is of a kind that the source does not take.
        """
        strange = [one for one in items if one.kind not in self.kinds]
        if strange:
            one = min(strange, key=lambda each: each.called)
            raise SourceError(
                f"{self.name}: this source takes no {one.kind}s",
                got=one.called,
                allowed=" or ".join(f"{kind}s" for kind in sorted(self.kinds)),
                remedy="a model of both, such as clip:openai/clip-vit-base-patch32",
            )
        found: dict[Item, Found] = {}
        for batch in self.vectors(items):
            found |= batch
            if tell is not None:
                tell(len(found), len(items))
        return {one: found[one] for one in items if one in found}

    def encode(self, items: Collection[Item], tell: Tell | None = None) -> Mapping[Item, Vector]:
        """Return the vectors of those items that have one, each of shape (dim,).

        Raises
        ------
        SourceError
            As :meth:`answers`.
        """
        answers = self.answers(items, tell).items()
        return {one: found.vector for one, found in answers if found.vector is not None}

    def lookup(self, keys: Collection[str]) -> Mapping[str, Vector]:
        """Return the vectors of words alone, by word."""
        return {one.content: vector for one, vector in self.encode(words_alone(keys)).items()}

    def __getitem__(self, word: str) -> Vector:
        """Return the vector of a word as it is written, shape (dim,)."""
        found = self.lookup([word]) if isinstance(word, str) else {}
        if word not in found:
            raise KeyError(f"{self.name} has no vector of {word!r}")
        return found[word]

    def __contains__(self, word: object) -> bool:
        """Whether a word as it is written has a vector."""
        return isinstance(word, str) and word in self.lookup([word])

    def __iter__(self) -> Iterator[str]:
        """Iterate over the words, of a source that can list them."""
        if not self.listed:
            raise TypeError(f"{self.name} has no list of words")
        return (word for words, _ in cast("ListedSource", self).iter_chunks() for word in words)

    def __len__(self) -> int:
        """Return the number of words, duplicates included, of a source that can list them."""
        return sum(1 for _ in self) if self.expected is None else self.expected

    def __bool__(self) -> bool:
        """A source is one, also without words."""
        return True

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"


def forwarded(*path: str) -> Any:
    """Return a property with the value at a path of attributes."""
    return property(attrgetter(".".join(path)), doc=f"The {path[-1]} of the {path[0]}.")


def stated(name: str, *, default: Any = None) -> Any:
    """Return a property with what the source inside states, or else a default."""
    return property(lambda self: getattr(self.source, name, default), doc=f"The {name}.")


class Wrapper(Source):
    """A source around another one, whose facts and answers it keeps unless overridden."""

    source: Source

    def __init__(self, source: VectorSource) -> None:
        self.source = as_source(source)

    name = forwarded("source", "name")
    dim = forwarded("source", "dim")
    fingerprint = forwarded("source", "fingerprint")
    notes = forwarded("source", "notes")
    period = forwarded("source", "period")
    encoding = forwarded("source", "encoding")
    expected = forwarded("source", "expected")
    kinds = forwarded("source", "kinds")
    encodes = forwarded("source", "encodes")
    listed = forwarded("source", "listed")

    def vectors(self, items: Collection[Item]) -> Iterator[Answers]:
        """Answer items as the source does."""
        yield from self.source.vectors(items)

    def transform_all(self, found: Mapping[str, Vector]) -> dict[str, Vector]:
        """Vectors of the source by their words, as they are here; unchanged unless overridden."""
        return dict(found)

    def iter_chunks(self, rows: int = CHUNK, /) -> Iterator[tuple[list[str], NDArray[np.floating]]]:
        """All words with their vectors, `rows` at a time, of a source that can list them."""
        return cast("ListedSource", self.source).iter_chunks(rows)


class VectorTable(Source):
    """Words, each with a vector, that can be read from end to end: an array or a file.

    Images are looked up too, by the names of their files.

    Parameters
    ----------
    name : str
        What names the source in results.
    """

    ordered = False

    def __init__(self, name: str) -> None:
        self._name = name
        self._repeated: set[Any] = set()
        """Words that a look-up found more than once."""

    @property
    def name(self) -> str:
        """What names the source in results."""
        return self._name

    @property
    def duplicates(self) -> int:
        """Number of words that are known to occur again."""
        return len(self._repeated)

    @property
    def notes(self) -> tuple[Note, ...]:
        """Duplicate words, if there are any."""
        if not (count := self.duplicates):
            return ()
        return (Note("source.duplicates", values={"source": self.name, "count": count}),)

    @property
    def kinds(self) -> frozenset[Kind]:
        """Texts and images."""
        return frozenset(("text", "image"))

    @abstractmethod
    def lookup(self, keys: Collection[str]) -> Mapping[str, Vector]:
        """Return the vectors of those keys that have one."""

    @abstractmethod
    def vocabulary(self) -> Iterator[str]:
        """Every word in order, duplicates included."""

    @abstractmethod
    def iter_chunks(self, rows: int = CHUNK, /) -> Iterator[tuple[list[str], NDArray[np.floating]]]:
        """All words with their vectors, `rows` at a time."""

    def vectors(self, items: Collection[Item]) -> Iterator[Answers]:
        """Look up all items at once."""
        yield looked_up(self, items)


class Adapted(Source):
    """What is no :class:`Source` and has ``lookup``, or ``encode``, such as a plug-in's class.

    Facts that it does not state have the values that they have by default.
    """

    def __init__(self, source: Any) -> None:
        self.source = source

    name = forwarded("source", "name")
    dim = forwarded("source", "dim")
    fingerprint = forwarded("source", "fingerprint")
    notes = forwarded("source", "notes")

    period = stated("period")
    encoding = stated("encoding")
    expected = stated("expected")
    ordered = stated("ordered", default=False)
    slow_to_list = stated("slow_to_list", default=False)
    in_passes = stated("in_passes", default=False)
    vocabulary = forwarded("source", "vocabulary")

    @property
    def word_order(self) -> Any:
        """Kept with the class' instance, where that takes an attribute."""
        return getattr(self.source, "_eatlas_word_order", None)

    @word_order.setter
    def word_order(self, order: Any) -> None:
        with suppress(AttributeError):
            self.source._eatlas_word_order = order

    @property
    def encodes(self) -> bool:
        """Whether the class has ``encode``: properties of an instance could load a model."""
        return callable(getattr(type(self.source), "encode", None))

    @property
    def listed(self) -> bool:
        """Whether it has ``iter_chunks``."""
        return hasattr(self.source, "iter_chunks")

    @property
    def kinds(self) -> frozenset[Kind]:
        """Texts for what encodes; for a look-up, images too: by the name of their file."""
        return frozenset(("text",) if self.encodes else ("text", "image"))

    def vectors(self, items: Collection[Item]) -> Iterator[Answers]:
        """Look up all items at once, or have some encoded at a time."""
        if not self.encodes:
            yield looked_up(self.source, items)
            return
        for some in cut(items, AT_ONCE):
            yield {one: Found(vector) for one, vector in self.source.encode(some).items()}


def looked_up(source: VectorSource, items: Collection[Item]) -> Answers:
    """Answer items by what they are called, in one look-up."""
    found = source.lookup({one.content for one in items})
    return {one: Found(found[one.content]) for one in items if one.content in found}


def as_source(source: Any) -> Source:
    """Take anything with vectors as a :class:`Source`."""
    return source if isinstance(source, Source) else Adapted(source)


def innermost(source: VectorSource) -> Source:
    """The source within all wrappers."""
    inner = as_source(source)
    while isinstance(inner, Wrapper):
        inner = inner.source
    return inner


def is_contextual(source: Any) -> TypeGuard[ContextualSource]:
    """Whether a source encodes items."""
    return as_source(source).encodes


def require_whole(source: Any, why: str) -> ListedSource:
    """Return the source, if it can be read from end to end."""
    if as_source(source).listed:
        whole: ListedSource = source
        return whole
    raise SourceError(
        f"{source.name}: {why}, and this source cannot list its vectors",
        got=type(source).__name__,
        allowed="files and arrays, or a source that has iter_chunks()",
    )
