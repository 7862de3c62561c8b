"""What is kept under which key, and the check that it is as it was written."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np

from eatlas.sources.passages import Passage
from eatlas.sources.protocol import Vector

ANSWER = "answer"
"""Kind of an entry that holds what a language model answered to a question."""
SAME = "same"
"""Kind of an entry that points to another: what is kept there was computed of the same tokens."""
SHARED = "2"
"""Of the keys of what is shared so; an older entry has no pointer, and is not used."""
ABOUT = "about"
"""Kind of an entry that says what a language model is."""


def hashed(*parts: str) -> bytes:
    """Hash of several texts, none of which can be taken for a part of another."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.digest()


def key_of(fingerprint: str, passage: Passage, *, with_span: bool, shared: bool = False) -> bytes:
    """Hash of what a vector depends on.

    Parameters
    ----------
    fingerprint : str
        Of the source: the model's content, and how it makes one vector of a text.
    passage : Passage
    with_span : bool
        Whether the place of the stimulus matters, as it does at level ``word``. At level
        ``sentence`` it matters whether the text is a stimulus alone, for that is put into a prompt.
    shared : bool
        Whether texts of the same tokens share one vector.

    Examples
    --------
    >>> one, other = Passage("An ant.", (3, 6)), Passage("An ant.", (0, 2))
    >>> key_of("m", one, with_span=True) == key_of("m", other, with_span=True)
    False
    >>> key_of("m", one, with_span=False) == key_of("m", other, with_span=False)
    True
    """
    alone = passage.span == (0, len(passage.text))
    span = repr(passage.span) if with_span else "alone" * alone
    return hashed(*[SHARED] * shared, fingerprint, span, passage.text)


@dataclass(frozen=True)
class Entry:
    """What is kept under one key."""

    data: bytes
    kind: str
    """What the bytes are: the type of a vector's numbers, such as <f4, or answer, or about."""
    mark: str = ""
    """What the source has to say of it, such as that a text was cut."""


def entry_of(vector: Vector, mark: str = "") -> Entry:
    """Write a vector down, bit for bit."""
    array = np.ascontiguousarray(vector)
    return Entry(array.tobytes(), array.dtype.str, mark)


def vector_of(entry: Entry) -> Vector:
    """Read what :func:`entry_of` wrote; the vector cannot be written to.

    >>> vector_of(entry_of(np.array([1.5, 2.0])))
    array([1.5, 2. ])
    """
    return np.frombuffer(entry.data, np.dtype(entry.kind))


Row = tuple[bytes, str, str, bytes, bytes]


def packed(key: bytes, entry: Entry) -> Row:
    """A row of the table: key, mark, kind, data, check."""
    return key, entry.mark, entry.kind, entry.data, _check(key, entry)


def unpacked(key: object, mark: object, kind: object, data: object, check: object) -> Entry | None:
    """The entry of a row; None where the row is not what :func:`packed` made."""
    if not (isinstance(key, bytes) and isinstance(mark, str)):
        return None
    if not (isinstance(kind, str) and isinstance(data, bytes)):
        return None
    entry = Entry(data, kind, mark)
    return entry if check == _check(key, entry) else None


def _check(key: bytes, entry: Entry) -> bytes:
    digest = hashlib.blake2b(digest_size=16)
    mark = entry.mark.encode("utf-8", "surrogatepass")
    for part in (key, mark, entry.kind.encode(), entry.data):
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.digest()
