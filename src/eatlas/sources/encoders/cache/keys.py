"""Under which key a vector is kept, and the check that it is as it was written."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

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
        Whether the place of the stimulus matters, as it does at level ``word``.

    Examples
    --------
    >>> one, other = Passage("An ant.", (3, 6)), Passage("An ant.", (0, 2))
    >>> key_of("m", one, with_span=True) == key_of("m", other, with_span=True)
    False
    >>> key_of("m", one, with_span=False) == key_of("m", other, with_span=False)
    True
    """
    span = repr(passage.span) if with_span else ""
    digest = hashlib.sha256()
    for part in (fingerprint, span, passage.text):
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.digest()


def packed(key: bytes, vector: Vector) -> tuple[bytes, str, bytes, bytes]:
    """A row of the table: key, type of the numbers, numbers, check."""
    array = np.ascontiguousarray(vector)
    data, kind = array.tobytes(), array.dtype.str
    return key, kind, data, _check(key, kind, data)


def unpacked(key: object, kind: object, data: object, check: object) -> Vector | None:
    """The vector of a row; None where the row is not what :func:`packed` made."""
    if not (isinstance(key, bytes) and isinstance(kind, str) and isinstance(data, bytes)):
        return None
    if check != _check(key, kind, data):
        return None
    vector: Vector = np.frombuffer(data, np.dtype(kind))
    return vector


def by_key(
    fingerprint: str, passages: Mapping[Passage, Vector], *, with_span: bool
) -> dict[bytes, Vector]:
    """Vectors by their keys."""
    return {key_of(fingerprint, p, with_span=with_span): v for p, v in passages.items()}


def _check(key: bytes, kind: str, data: bytes) -> bytes:
    return hashlib.blake2b(b"%b %b %b" % (key, kind.encode(), data), digest_size=16).digest()
