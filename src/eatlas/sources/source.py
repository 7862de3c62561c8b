"""What a source is: facts, and one verb that answers items with vectors.

Words in a file, an encoder, a cache around it, a prompt or a transform are all sources. What other
packages bring need not know of this: anything that has ``lookup`` is taken by :func:`as_source`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from operator import attrgetter
from types import SimpleNamespace
from typing import Any, Literal, Protocol, TypeGuard, TypeVar

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SourceError
from eatlas.notes import Note, as_notes
from eatlas.results.parts import Encoding
from eatlas.sources.spec import with_option

T = TypeVar("T")
Vector = NDArray[np.floating]
CHUNK = 8192
"""Rows of a chunk by default: 10 MB of 300 single-precision
components."""
FIRST = 3
"""Words that tell what a source has, where it has none of those that are looked up."""
LARGEST = 1e100
"""Squares of larger components, summed over a vocabulary, would leave the range of float64."""
Kind = Literal["text", "image"]
TEXTS: frozenset[Kind] = frozenset(("text",))
TEXTS_AND_IMAGES: frozenset[Kind] = frozenset(("text", "image"))
Tell = Callable[[int, int], None]
"""Called with the number of items that are encoded and the number of all."""
Unknown = Literal["", "part", "all"]
"""How much of a stimulus a tokenizer takes for its one piece of all that it does not know."""

# --- items and answers ----------------------------------------------------------------------------


@dataclass(frozen=True, order=True)
class Item:
    """What is looked up or encoded: a text or an image, with the position of the stimulus in it.

    A test knows an item by an id, its term; two tests may contain one item under two ids.

    An image that is encoded has the absolute path of its file as content, and the hash of its
    bytes: caches know it by that hash and never by its path, and items of one hash share a vector.
    The hash is that of the file when its test was loaded; an encoder refuses a file whose bytes
    have another one by then.
    An image that is looked up has one of its ``lookup_keys`` as content; where a source has
    vectors of images and of words, one key names one vector.

    Examples
    --------
    >>> Item("This is ivy.", (8, 11)).stimulus
    'ivy'
    >>> one = Item("/set/rose.jpg", kind="image", sha256="0" * 64, name="rose.jpg")
    >>> one.kind, one.called
    ('image', 'rose.jpg')
    """

    content: str
    """A text; of an image, the path of its file, or the key by which it is looked up."""
    span: tuple[int, int] | None = None
    """Characters of the stimulus in a text, first and behind the last; None where it has none."""
    kind: Kind = "text"
    sha256: str = ""
    """Of an image, the hash of the bytes of its file, in hexadecimal; empty for a text."""
    name: str = ""
    """Of an image, the term: what messages call it. Empty for a text."""

    def __hash__(self) -> int:
        return hash(self.content)

    @property
    def text(self) -> str:
        """The content."""
        return self.content

    @property
    def called(self) -> str:
        """What messages call it: the text, or the name of the image."""
        return self.name or self.content

    @property
    def stimulus(self) -> str:
        """The text at the span; the whole content where there is none."""
        return self.content if self.span is None else self.content[slice(*self.span)]


@dataclass(frozen=True)
class Found:
    """The answer of a source to one item: its vector, or why there is none."""

    vector: Vector | None
    reason: str = ""
    """Why there is no vector; empty where that is not known."""
    unknown: Unknown = ""
    """How much of the stimulus the tokenizer does not know."""
    cut: bool = False
    """Whether the text was longer than the model takes."""
    remarks: tuple[str, ...] = ()
    """What there is to say of an image, each in a word that its encoder knows."""


Answers = Mapping[Item, Found]


def word_alone(word: str) -> Item:
    """Return the item of a word without a context.

    >>> word_alone("ivy")
    Item(content='ivy', span=(0, 3), kind='text', sha256='', name='')
    """
    return Item(word, (0, len(word)))


def chunks_of(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Hand out items in their order, `size` at a time; the last list may be shorter."""
    rest = iter(items)
    while batch := list(islice(rest, size)):
        yield batch


def require_usable(vectors: NDArray[np.floating], label: str, words: Sequence[str] = ()) -> None:
    """Refuse components that are not finite, or too large to be squared."""
    usable = np.abs(vectors) <= min(LARGEST, float(np.finfo(vectors.dtype).max))
    if usable.all():
        return
    if words:
        label = f"{label}: the vector of {words[int(np.argmin(usable.all(axis=-1)))]!r}"
    raise SourceError(
        f"{label} has a component that is not usable",
        got=str(vectors[~usable][0]),
        allowed=f"finite numbers up to {LARGEST:g}",
    )


def as_numpy(numbers: Any) -> NDArray[Any]:
    """An array; torch tensors may be on a GPU, have a gradient, or a type that numpy lacks."""
    if isinstance(numbers, list | tuple) and numbers and hasattr(numbers[0], "detach"):
        return np.stack([as_numpy(row) for row in numbers])
    if hasattr(numbers, "detach"):
        tensor = numbers.detach().cpu()
        numbers = tensor.float() if tensor.element_size() < 4 else tensor
    return np.asarray(numbers)


class Background(Protocol):
    """What a source knows of its vectors besides them, such as the texts that they come from."""

    usable: str
    """What a term needs to have a vector, in messages: "context"."""
    remedy: str
    """What to do where terms have none."""

    def called(self, name: str) -> str:
        """What messages call the source, which results call `name`."""

    def additions(
        self, measure: Any, test: Any, given: Any
    ) -> tuple[dict[str, Any], Sequence[Note]]:
        """What it adds to a result: fields of the record, and remarks.

        Parameters
        ----------
        measure : Measure
        test : Test
        given : Input
            What the measure computes with.
        """


# --- the source -----------------------------------------------------------------------------------


class Source(ABC):
    """A source of vectors.

    A subclass states ``name``, ``dim`` and ``fingerprint``, and has :meth:`lookup`, if it has
    vectors of words, or :meth:`vectors`, if it computes them; with :meth:`iter_chunks` all its
    vectors can be read from end to end. A fact is a property, because some take work: a
    fingerprint reads files.
    """

    @property
    @abstractmethod
    def name(self) -> str:
        """What names the source in results, such as ``glove-sample`` or a path."""

    @property
    @abstractmethod
    def dim(self) -> int:
        """Number of components of every vector."""

    @property
    @abstractmethod
    def fingerprint(self) -> str:
        """Identifies all that the vectors depend on, for example ``sha256:...``."""

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
        return TEXTS if self.encodes else TEXTS_AND_IMAGES

    @property
    def encodes(self) -> bool:
        """Whether vectors are computed of items, and not looked up by word."""
        return self.encoding is not None

    @property
    def listed(self) -> bool:
        """Whether all vectors can be read from end to end."""
        return type(self).iter_chunks is not Source.iter_chunks

    ordered = False
    """Whether :meth:`vocabulary` yields the words in order of frequency."""
    word_order: Any = None
    """The same, kept once it was read."""
    topic_words: Any = None
    """Words that random topics are made of, kept once they were looked up."""
    background: Background | None = None
    """What is known of the vectors besides, which adds to results."""

    @property
    def slow_to_list(self) -> bool:
        """Whether to read all words once more takes longer than a second."""
        return False

    @property
    def by_place(self) -> bool:
        """Whether one text may have several vectors, by the place of the stimulus in it."""
        return self.encoding is not None and self.encoding.level == "word"

    def recall(self, answers: Answers) -> None:  # noqa: B027  (few have anything to note)
        """Take note of answers that were stored from an earlier run, where notes report them."""

    def vectors(self, items: Collection[Item]) -> Iterator[Answers]:
        """Answer items, batch by batch, each item at most once; one may stay out.

        Raises
        ------
        SourceError
            If an item cannot be encoded, or what is read on the way is not well formed.
        """
        vector_of = self.lookup({item.content for item in items})
        yield {item: Found(vector_of[item.content]) for item in items if item.content in vector_of}

    def lookup(self, keys: Collection[str]) -> Mapping[str, Vector]:
        """Return the vectors of those words that have one, by word, each of shape (dim,)."""
        items = [word_alone(word) for word in dict.fromkeys(keys)]
        return {item.content: vector for item, vector in self.encode(items).items()}

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
        kinds = self.kinds
        strange = [item for item in items if item.kind not in kinds]
        if strange:
            first = min(strange, key=lambda item: item.called)
            raise SourceError(
                f"{self.name}: this source cannot encode {first.kind}s",
                got=first.called,
                allowed=" or ".join(f"{kind}s" for kind in sorted(kinds)),
                remedy="a model of both, such as clip:openai/clip-vit-base-patch32",
            )
        answered: dict[Item, Found] = {}
        for batch in self.vectors(items):
            answered |= batch
            if tell is not None:
                tell(len(answered), len(items))
        if tell is not None and len(answered) < len(items):  # the others are missing
            tell(len(items), len(items))
        return {item: answered[item] for item in items if item in answered}

    def encode(self, items: Collection[Item], tell: Tell | None = None) -> Mapping[Item, Vector]:
        """Return the vectors of those items that have one; see :meth:`answers`."""
        answers = self.answers(items, tell).items()
        return {item: answer.vector for item, answer in answers if answer.vector is not None}

    def iter_chunks(self, rows: int = CHUNK, /) -> Iterator[tuple[list[str], NDArray[np.floating]]]:  # noqa: ARG002
        """All words with their vectors, `rows` at a time."""
        self.require_listed("all vectors are read")
        return iter(())

    def vocabulary(self) -> Iterator[str]:
        """Every word in order, duplicates included."""
        return (word for words, _ in self.iter_chunks() for word in words)

    def begins(self) -> tuple[str, ...]:
        """The first words, of a source that can list them."""
        return tuple(islice(self.vocabulary(), FIRST)) if self.listed else ()

    def require_listed(self, why: str) -> None:
        """Refuse a source whose vectors cannot be read from end to end."""
        if not self.listed:
            raise SourceError(
                f"{self.name}: {why}, and this source cannot list its vectors",
                allowed="files and arrays, or a source that has iter_chunks()",
            )

    def __getitem__(self, word: str) -> Vector:
        """Return the vector of a word as it is written, shape (dim,)."""
        vectors = self.lookup([word]) if isinstance(word, str) else {}
        if word not in vectors:
            raise KeyError(f"{self.name} has no vector of {word!r}")
        return vectors[word]

    def __contains__(self, word: object) -> bool:
        """Whether a word as it is written has a vector."""
        return isinstance(word, str) and word in self.lookup([word])

    def __iter__(self) -> Iterator[str]:
        """Iterate over the words, of a source that can list them."""
        if not self.listed:
            raise TypeError(f"{self.name} has no list of words")
        return self.vocabulary()

    def __len__(self) -> int:
        """Return the number of words, duplicates included, of a source that can list them."""
        return sum(1 for _ in self) if self.expected is None else self.expected

    def __bool__(self) -> bool:
        """A source is one, also without words."""
        return True

    @property
    def size_text(self) -> str:
        """How many words and dimensions there are, where that is known without any work."""
        words = "" if self.expected is None else f"{self.expected:,} words, "
        return f"{words}{self.dim} dimensions"

    def __repr__(self) -> str:
        size = f" ({self.size_text})" if self.size_text else ""
        return f"<{type(self).__name__} {self.name}{size}>"


def rows_of(source: Source) -> Iterator[tuple[list[str], NDArray[np.float64]]]:
    """All words and vectors of a source, finite and in double precision."""
    source.require_listed("all vectors are read")
    for words, vectors in source.iter_chunks():
        require_usable(vectors, source.name, words)
        yield words, vectors.astype(np.float64)


def is_source(thing: object) -> bool:
    """Whether an object is a source, or has the required members of one."""
    needed = ("name", "dim", "fingerprint", "notes", "lookup")
    return isinstance(thing, Source) or (
        not isinstance(thing, type) and all(hasattr(thing, name) for name in needed)
    )


def as_source(source: Any) -> Source:
    """Take anything with vectors as a :class:`Source`."""
    return source if isinstance(source, Source) else Adapted(source)


def is_contextual(source: object) -> TypeGuard[Source]:
    """Whether this is a source that encodes items."""
    return isinstance(source, Source) and source.encodes


def period_of(source: object) -> int | None:
    """Year of what belongs to a series: a source, a table of counts."""
    period: int | None = getattr(source, "period", None)
    return period


FACTS = ("name", "dim", "fingerprint", "notes", "period", "encoding")
"""What a source says of itself at a moment: some of it follows from what was encoded."""


def forward(path: str) -> Any:
    """A property with the value at a path of attributes."""
    return property(attrgetter(path))


class _Forwarding(Source):
    """A source that takes its facts from the source it wraps."""

    source: Any

    name = forward("source.name")
    dim = forward("source.dim")
    fingerprint = forward("source.fingerprint")
    notes = forward("source.notes")
    period = forward("source.period")
    encoding = forward("source.encoding")


class Adapted(_Forwarding):
    """What is no :class:`Source` and has ``lookup``, such as the class of another package."""

    def __init__(self, source: Any) -> None:
        self.source = source

    period = encoding = None
    lookup = forward("source.lookup")
    iter_chunks = forward("source.iter_chunks")

    @property
    def listed(self) -> bool:
        """Whether it has ``iter_chunks``."""
        return hasattr(self.source, "iter_chunks")


class Wrapper(_Forwarding):
    """A source around another one, whose facts and answers it keeps unless overridden."""

    source: Source
    option = ""
    """What it adds to the source string."""
    mark = ""
    """What it adds to the fingerprint."""
    added: tuple[Note, ...] = ()
    """What it adds to the notes."""

    def __init__(self, source: Any) -> None:
        self.source = as_source(source)

    @property
    def name(self) -> str:
        """That of the source, with the option."""
        return with_option(self.source.name, self.option) if self.option else self.source.name

    @property
    def fingerprint(self) -> str:
        """That of the source, and the mark."""
        return f"{self.source.fingerprint}{self.mark and ';'}{self.mark}"

    @property
    def notes(self) -> tuple[Note, ...]:
        """Those of the source, and what is added."""
        return (*self.source.notes, *self.added)

    expected = forward("source.expected")
    size_text = forward("source.size_text")
    kinds = forward("source.kinds")
    listed = forward("source.listed")

    def vectors(self, items: Collection[Item]) -> Iterator[Answers]:
        """Answer items as the source does."""
        yield from self.source.vectors(items)

    def transform_all(self, vectors: Mapping[str, Vector]) -> dict[str, Vector]:
        """Vectors of the source by their words, as they are here; unchanged unless overridden."""
        return dict(vectors)

    def iter_chunks(self, rows: int = CHUNK, /) -> Iterator[tuple[list[str], NDArray[np.floating]]]:
        """All words with their vectors, `rows` at a time, of a source that can list them."""
        return self.source.iter_chunks(rows)


def innermost(source: Source) -> Source:
    """The source within all wrappers."""
    while isinstance(source, Wrapper):
        source = source.source
    return source


@dataclass(frozen=True)
class Snapshot(_Forwarding):
    """What a source answered, kept as a source of its own.

    Each source of a run is read once for all items; its workers get the answers, not the source, so
    that a file of many gigabytes is read once, however many processes share the work.
    """

    source: SimpleNamespace
    """Its facts."""
    found: Mapping[Item, Found]
    ranking: Any = None
    """What is known of the frequency of the words; None where it is not needed."""
    first: tuple[str, ...] = ()
    """The first words of a source that has none of the items."""
    background: Background | None = None
    nearest: Any = None
    """Nearest words of terms of groups, where a measure needs them."""
    near: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Words of the source that missing ones may be misspellings of, where they were looked for."""
    kinds = TEXTS_AND_IMAGES
    """All: what was not read is missing."""

    @classmethod
    def of(cls, source: Source, items: Iterable[Item | str], tell: Tell | None = None) -> Snapshot:
        """Read items, or words alone, from a source and keep the answers."""
        source = as_source(source)
        needed = {item if isinstance(item, Item) else word_alone(item) for item in items}
        answers = source.answers(needed, tell)
        facts = {fact: getattr(source, fact) for fact in FACTS}
        first = () if any(one.vector is not None for one in answers.values()) else source.begins()
        facts["notes"] = as_notes(source.notes)
        known = source.background
        return cls(SimpleNamespace(**facts), answers, first=first, background=known)

    def begins(self) -> tuple[str, ...]:
        """The first words, where they were stored."""
        return self.first

    def vectors(self, items: Collection[Item]) -> Iterator[Answers]:
        """Answer those items that were stored."""
        yield {item: self.found[item] for item in items if item in self.found}

    def renamed(self, name: str) -> Snapshot:
        """Return the same under another name."""
        notes = tuple(note.renamed(self.name, name) for note in self.notes)
        ranking = self.ranking and self.ranking.renamed(self.name, name)
        facts = SimpleNamespace(**vars(self.source) | {"name": name, "notes": notes})
        return replace(self, source=facts, ranking=ranking)


class VectorTable(Source):
    """Words, each with a vector, that can be read from end to end: an array or a file.

    Images are looked up too, by the names of their files.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    name = forward("_name")

    @property
    @abstractmethod
    def duplicates(self) -> int:
        """Number of words that are known to occur again."""

    @property
    def notes(self) -> tuple[Note, ...]:
        """Duplicate words, if there are any."""
        if not (count := self.duplicates):
            return ()
        return (Note("source.duplicates", values={"source": self.name, "count": count}),)
