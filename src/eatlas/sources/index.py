"""A file beside a large file of vectors that says where each word stands.

Never trusted: it must belong to the file as it is now (size, time, hash of both ends), be whole
(hash of what it holds), and the word must stand where it says. What fails is not used.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from eatlas.sources.files.reading import Stamp, ends_hash

SUFFIX = ".eatlas-index"
_MAGIC = b"eatlas index 1\n"
_HEAD = 1024  # bytes before the arrays: magic, JSON, spaces


@dataclass(frozen=True)
class IndexKey:
    """What an index must agree on with the file and the way it is read."""

    size: int
    mtime_ns: int
    ends_sha256: str
    reading: str

    @classmethod
    def of(cls, path: Path, stamp: Stamp, reading: str) -> IndexKey:
        """The key of a file; `reading` says how its words and lines are told apart."""
        return cls(stamp.size, stamp.mtime_ns, ends_hash(path), reading)


@dataclass(frozen=True)
class Index:
    """Where the words of a file stand: hashes in ascending order, and offsets of the lines."""

    key: IndexKey
    hashes: NDArray[np.uint64]
    offsets: NDArray[np.int64]
    sha256: str | None = None

    @classmethod
    def build(
        cls, key: IndexKey, hashes: list[NDArray[np.uint64]], offsets: list[NDArray[np.int64]]
    ) -> Index:
        """Sort what a pass found."""
        all_hashes = np.concatenate([np.empty(0, np.uint64), *hashes])
        order = np.argsort(all_hashes, kind="stable")  # equal words stay in the file's order
        return cls(key, all_hashes[order], np.concatenate([np.empty(0, np.int64), *offsets])[order])

    def find(self, word_hash: int) -> list[int]:
        """Offsets of lines that may hold the word, in the order of the file."""
        wanted = np.uint64(word_hash)
        low = np.searchsorted(self.hashes, wanted, side="left")
        high = np.searchsorted(self.hashes, wanted, side="right")
        return [int(offset) for offset in self.offsets[low:high]]

    def with_hash(self, sha256: str) -> Index:
        """The same with the hash of the whole file."""
        return replace(self, sha256=sha256)

    def write(self, path: Path) -> None:
        """Write to a file, which is whole or not there at any time.

        Raises
        ------
        OSError
            If it cannot be written; nothing is left behind then.
        """
        arrays = self.hashes.tobytes() + self.offsets.tobytes()
        facts = {
            **asdict(self.key),
            "words": len(self.hashes),
            "sha256": self.sha256,
            "arrays_sha256": hashlib.sha256(arrays).hexdigest(),
        }
        head = (_MAGIC + json.dumps(facts).encode()).ljust(_HEAD)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(head)
                file.write(arrays)
            Path(name).replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                Path(name).unlink()
            raise


def read_index(path: Path, key: IndexKey) -> Index | None:
    """Read an index; None unless it is whole and belongs to the file and the reading in `key`."""
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
            facts = json.loads(head.removeprefix(_MAGIC)) if head.startswith(_MAGIC) else {}
            words = _words(facts, key, path.stat().st_size)
            arrays = file.read() if words is not None else b""
    except (OSError, ValueError, RecursionError):
        return None
    if words is None or hashlib.sha256(arrays).hexdigest() != facts.get("arrays_sha256"):
        return None
    hashes = np.frombuffer(arrays, np.uint64, count=words)
    offsets = np.frombuffer(arrays, np.int64, offset=8 * words)
    sha256 = facts.get("sha256")
    return Index(key, hashes, offsets, sha256 if isinstance(sha256, str) else None)


def _words(facts: object, key: IndexKey, size: int) -> int | None:
    """How many words an index has, if its head fits the key and its own size."""
    if not isinstance(facts, dict) or {name: facts.get(name) for name in asdict(key)} != asdict(
        key
    ):
        return None
    words = facts.get("words")
    return words if isinstance(words, int) and size == _HEAD + 16 * words else None
