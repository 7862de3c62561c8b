"""GGUF files: read once by a library, after their heads are checked.

The library's reader believes the lengths that a file announces, and takes an object for each value
of an array: sixty bytes that announce 2^61 values would keep it busy for ever.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, lru_cache
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any
from unittest.mock import patch

from eatlas.paths import stamp_of
from eatlas.sources.archives import incomplete

MOST_VALUES = 4_000_000
"""In all arrays of a head together; the largest vocabularies with their merges have 1.3 million."""
MOST_ENTRIES = 100_000
"""Of metadata, and tensors; large mixtures of experts have about a thousand."""
MOST_AXES = 8
_VERSIONS = {2, 3}
_STRING, _ARRAY = 8, 9
_BYTES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
"""Of numbers and truth values by their kind."""


# --- the head -------------------------------------------------------------------------------------


def require_sound_head(path: Path) -> None:
    """Refuse a file whose head announces more than the file holds, or than any model has."""
    if path.stat().st_size < 24:
        raise incomplete(f"{path}: this is not a GGUF file", "fewer than 24 bytes")
    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as data:
        _Head(path, data).check()


class _Head:
    """Goes through a head, from length to length."""

    def __init__(self, path: Path, data: mmap) -> None:
        self.path, self.data, self.at, self.values = path, data, 4, 0
        self.order = ">" if data[4:6] == b"\0\0" else "<"  # the version is a small number

    def check(self) -> None:
        """Refuse what the file cannot hold; other versions are for the library to refuse."""
        if self.number("I") not in _VERSIONS:
            return
        tensors, entries = self.number("Q"), self.number("Q")
        self.require(max(tensors, entries) <= MOST_ENTRIES, f"{max(tensors, entries):,} entries")
        for _ in range(entries):
            self.skip(self.number("Q"))
            self.check_value(self.number("I"))
        for _ in range(tensors):
            self.skip(self.number("Q"))
            axes = self.number("I")
            self.require(axes <= MOST_AXES, f"a tensor of {axes:,} axes")
            self.skip(8 * axes + 4 + 8)

    def check_value(self, kind: int) -> None:
        """Go past a value, or all values of an array."""
        count = 1
        if kind == _ARRAY:
            kind, count = self.number("I"), self.number("Q")
            self.values += count
            self.require(self.values <= MOST_VALUES, f"arrays of {self.values:,} values")
        if kind == _STRING:
            for _ in range(count):
                self.skip(self.number("Q"))
        else:
            self.require(kind in _BYTES, f"a value of the kind {kind}")
            self.skip(count * _BYTES[kind])

    def number(self, form: str) -> int:
        """The next number."""
        at = self.at
        self.skip(struct.calcsize(f"<{form}"))
        (number,) = struct.unpack_from(f"{self.order}{form}", self.data, at)
        return int(number)

    def skip(self, size: int) -> None:
        """Go on, if the file holds so much."""
        self.require(size <= len(self.data) - self.at, f"{size:,} bytes from byte {self.at:,} on")
        self.at += size

    def require(self, holds: bool, got: str) -> None:  # noqa: FBT001
        """Refuse the file unless something holds."""
        if not holds:
            raise incomplete(
                f"{self.path}: the head of this GGUF file is not sound",
                f"it announces {got}",
                f"no more than the file holds, {MOST_ENTRIES:,} entries, and {MOST_VALUES:,} "
                "values in arrays",
            )


# --- the library's reader -------------------------------------------------------------------------


def gguf_reader(path: str | Path) -> Any:
    """The library's reader of a GGUF file, which takes seconds; the last one is stored."""
    return _gguf_reader(*state_of(path))


def state_of(path: str | Path) -> tuple[Path, tuple[int, ...] | None]:
    """Where a file lies, by whatever path it is named, and the stamp of its present state."""
    real = Path(path).resolve()
    return real, stamp_of(real)


@lru_cache(maxsize=1)
def _gguf_reader(path: Path, _: object) -> Any:
    from gguf.gguf_reader import GGUFReader  # noqa: PLC0415  (not the one that is replaced below)

    require_sound_head(path)
    return GGUFReader(path)


def forget_gguf() -> None:
    """Let go of the file that was read last."""
    _gguf_reader.cache_clear()


@contextmanager
def one_reading_of_gguf(path: Path) -> Iterator[None]:
    """Let configuration, tokenizer and weights share one reading of a GGUF file, which is slow."""
    if not path.is_file():
        yield
        return
    import gguf  # noqa: PLC0415

    with (
        patch.object(gguf, "GGUFReader", lambda file, *_: gguf_reader(file)),
        patch.object(gguf, "get_tensor_name_map", cache(gguf.get_tensor_name_map)),
    ):
        yield


def gguf_numbers(path: Path) -> dict[str, int]:
    """Whole numbers and truth values among the metadata of a GGUF file."""
    fields = gguf_reader(path).fields.items()
    values = {key: field.contents() for key, field in fields if len(field.types) == 1}
    return {key: value for key, value in values.items() if isinstance(value, int)}
