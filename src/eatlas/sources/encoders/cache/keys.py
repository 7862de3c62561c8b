"""Under which key a vector is kept, and the check that it is as it was written."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np

from eatlas.sources.passages import Passage
from eatlas.sources.protocol import Vector


def key_of(fingerprint: str, passage: Passage, *, with_span: bool) -> bytes:
    """Hash of what a vector depends on.

    Parameters
    ----------
    fingerprint : str
        Of the source: the model's content, and how it makes one vector of a text.
    passage : Passage
    with_span : bool
        Whether the place of the stimulus matters, as it does at level ``word``. At level
        ``sentence`` it matters whether the text is a stimulus alone, for that is put into a prompt.

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
    digest = hashlib.sha256()
    for part in (fingerprint, span, passage.text):
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.digest()


@dataclass(frozen=True)
class Entry:
    """What is kept of one passage."""

    vector: Vector
    mark: str = ""
    """What the source has to say of this passage, such as that it was cut."""


Row = tuple[bytes, str, str, bytes, bytes]


def packed(key: bytes, entry: Entry) -> Row:
    """A row of the table: key, mark, type of the numbers, numbers, check."""
    array = np.ascontiguousarray(entry.vector)
    data, kind = array.tobytes(), array.dtype.str
    return key, entry.mark, kind, data, _check(key, entry.mark, kind, data)


def unpacked(key: object, mark: object, kind: object, data: object, check: object) -> Entry | None:
    """The entry of a row; None where the row is not what :func:`packed` made."""
    if not (isinstance(key, bytes) and isinstance(mark, str)):
        return None
    if not (isinstance(kind, str) and isinstance(data, bytes)):
        return None
    if check != _check(key, mark, kind, data):
        return None
    return Entry(np.frombuffer(data, np.dtype(kind)), mark)


def _check(key: bytes, mark: str, kind: str, data: bytes) -> bytes:
    digest = hashlib.blake2b(digest_size=16)
    for part in (key, mark.encode("utf-8", "surrogatepass"), kind.encode(), data):
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.digest()
