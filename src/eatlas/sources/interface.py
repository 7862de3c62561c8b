"""Items that are looked up or encoded, and the answers of sources."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SourceError
from eatlas.stimuli import Concept, Image

T = TypeVar("T")
Vector = NDArray[np.floating]
CHUNK = 8192
"""Rows of a chunk by default: 10 MB of 300 single-precision
components."""
LARGEST = 1e100
"""Squares of larger components, summed over a vocabulary, would leave the range of float64."""
Kind = Literal["text", "image"]
Tell = Callable[[int, int], None]
"""Called with the number of items that are encoded and the number of all."""
Unknown = Literal["", "part", "all"]
"""How much of a stimulus a tokenizer takes for its one piece of all that it does not know."""


@dataclass(frozen=True, order=True)
class Item:
    """What is looked up or encoded: a text or an image, and the place of the stimulus in it.

    A test knows an item by an id, its term; two tests may hold one item under two ids.

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


@dataclass(frozen=True)
class Read:
    """What a model reads of an item: items with the same tokens share a vector."""

    tokens: str
    unknown: Unknown = ""
    cut: bool = False


def usable(vectors: NDArray[np.floating], words: Sequence[str], name: str) -> NDArray[np.floating]:
    """Return the vectors, if all their components are finite and can be squared."""
    largest = min(LARGEST, float(np.finfo(vectors.dtype).max))
    finite = np.abs(vectors) <= largest  # neither NaN nor an infinity is
    if finite.all():
        return vectors
    row = int(np.argmin(finite.all(axis=1)))
    raise SourceError(
        f"{name}: the vector of {words[row]!r} has a component that is not usable",
        got=str(vectors[row][~finite[row]][0]),
        allowed=f"finite numbers up to {LARGEST:g}",
    )


def items_of(concept: Concept) -> dict[str, Item]:
    """Return the item of each term: its sentence, its word, or its image."""
    if concept.images:
        return {image.name: image_item(image) for image in concept.images}
    if not concept.sentences:
        return {term: word_alone(term) for term in concept.terms}
    return {part.term: Item(part.text, part.span) for part in concept.sentences}


def image_item(image: Image, key: str | None = None) -> Item:
    """Return the item of an image: to be encoded, or to be looked up by a key."""
    if key is None and not image.path:
        raise SourceError(
            f"the image {image.name} was not found",
            got=f"its name and SHA-256 {image.sha256 or 'unknown'}, and no file",
            remedy="load the test from its file, beside its images; eatlas verify takes it as "
            "--tests FILE.toml",
        )
    content = image.path if key is None else key
    return Item(content, kind="image", sha256=image.sha256, name=image.name)


def word_alone(word: str) -> Item:
    """Return the item of a word without a context.

    >>> word_alone("ivy")
    Item(content='ivy', span=(0, 3), kind='text', sha256='', name='')
    """
    return Item(word, (0, len(word)))


def cut(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Hand out items in their order, `size` at a time; the last list may be shorter."""
    rest = iter(items)
    while batch := list(islice(rest, size)):
        yield batch
