"""The header of a GGUF file: what it says about a model, read without its weights.

The format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any, BinaryIO

from eatlas.errors import SourceError

MAGIC = b"GGUF"
VERSIONS = (2, 3)
_PLAIN = {
    0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q",
    12: "<d",
}  # fmt: skip
"""Types of one value of fixed size, by their number in the file."""
_TEXT, _ARRAY = 8, 9
_LONGEST = 2**24
"""Characters of a text and values of an array beyond this mean that the file is damaged; the
largest vocabularies have 300,000 tokens."""


@dataclass(frozen=True)
class GGUFHeader:
    """Metadata without arrays, and the number of weights."""

    values: dict[str, Any]
    weights: int


def read_gguf_header(path: Path) -> GGUFHeader:
    """Read the header of a GGUF file.

    Raises
    ------
    SourceError
        If it is none, is cut off, or of a version that is not known.
    """
    try:
        with path.open("rb") as file:
            return _read(_Reader(file), path)
    except (struct.error, UnicodeDecodeError, EOFError, RecursionError) as error:
        raise SourceError(
            f"{path}: the header of this GGUF file is damaged or cut off",
            remedy="fetch the file again",
        ) from error
    except OSError as error:
        raise SourceError(f"{path}: the file cannot be read", got=str(error)) from error


def _read(reader: _Reader, path: Path) -> GGUFHeader:
    magic = reader.take(4)
    version: int = reader.number("<I")
    if magic != MAGIC or version not in VERSIONS:
        raise SourceError(
            f"{path}: this is no GGUF file that can be read",
            got=f"version {version}" if magic == MAGIC else repr(magic),
            allowed=f"a file that begins with GGUF, of version {VERSIONS[0]} or {VERSIONS[1]}",
        )
    tensors, count = reader.number("<Q"), reader.number("<Q")
    values = {}
    for _ in range(count):
        key, value = reader.text(), reader.value(reader.number("<I"))
        if value is not None:
            values[key] = value
    return GGUFHeader(values, sum(_size(reader) for _ in range(tensors)))


def _size(reader: _Reader) -> int:
    """Number of weights of the next tensor."""
    reader.text()
    sizes = [reader.number("<Q") for _ in range(reader.number("<I"))]
    reader.take(4 + 8)  # the type of its numbers, and where they begin
    return prod(sizes)


class _Reader:
    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def take(self, size: int) -> bytes:
        if size > _LONGEST:
            raise EOFError
        data = self._file.read(size)
        if len(data) < size:
            raise EOFError
        return data

    def number(self, kind: str) -> Any:
        return struct.unpack(kind, self.take(struct.calcsize(kind)))[0]

    def text(self) -> str:
        return self.take(self.number("<Q")).decode("utf-8")

    def value(self, kind: int) -> Any:
        """Return the next value; None for an array, which is stepped over."""
        if kind == _TEXT:
            return self.text()
        if kind in _PLAIN:
            return self.number(_PLAIN[kind])
        if kind != _ARRAY:
            raise EOFError
        inner, length = self.number("<I"), self.number("<Q")
        if length > _LONGEST:
            raise EOFError
        self._skip(inner, length)
        return None

    def _skip(self, kind: int, length: int) -> None:
        if kind in _PLAIN:
            self.take(struct.calcsize(_PLAIN[kind]) * length)
            return
        step: Callable[[], Any] = (
            (lambda: self.take(self.number("<Q"))) if kind == _TEXT else (lambda: self.value(kind))
        )
        for _ in range(length):
            step()
