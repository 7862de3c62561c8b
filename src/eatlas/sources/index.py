"""A file beside a large file of vectors that says where each word stands.

It must belong to the file as it is now (size, times, inode, hash of both ends), be whole (hashes
of all that it holds), and a word must stand where it says. What fails is not used. The time at
which the inode changed and its number cannot be chosen, so that an index which came with a file
from elsewhere, or is older than a change that restored the time, is made anew. ``eatlas verify``
uses none.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import IO, Any, BinaryIO, Self

import numpy as np
from numpy.typing import NDArray

from eatlas.results.files import umask
from eatlas.sources.files.reading import BUFFER, Stamp, ends_hash

SUFFIX = ".eatlas-index"
_MAGIC = b"eatlas index 3\n"
_HEAD = 1024  # bytes before the arrays: magic, JSON, spaces
_SORTED_AT_ONCE = 250_000  # 4 MB of rows


@dataclass(frozen=True)
class IndexKey:
    """What an index must agree on with the file and the way it is read."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    ends_sha256: str
    reading: str

    @classmethod
    def of(cls, path: Path, stamp: Stamp, reading: str) -> IndexKey:
        """The key of a file; `reading` says how its words and lines are told apart."""
        ends, now = ends_hash(path), path.stat()
        return cls(stamp.size, stamp.mtime_ns, now.st_ctime_ns, now.st_ino, ends, reading)


@dataclass(frozen=True)
class Index:
    """Where the words of a file stand: hashes in ascending order, and offsets of the lines.

    ``sha256`` is that of the whole file.
    """

    hashes: NDArray[np.uint64]
    offsets: NDArray[np.int64]
    sha256: str

    def find(self, word_hash: int) -> list[int]:
        """Offsets of lines that may hold the word, in the order of the file."""
        wanted = np.uint64(word_hash)
        low = np.searchsorted(self.hashes, wanted, side="left")
        high = np.searchsorted(self.hashes, wanted, side="right")
        return [int(offset) for offset in self.offsets[low:high]]


class IndexWriter:
    """Collects places on disk while a file is read, then sorts them part by part.

    Memory stays the same whatever the number of words. A system that does not let us write is no
    error: ``error`` says what happened, and there is no index.

    Parameters
    ----------
    path : Path
        Where the index will lie; it is whole or not there at any time.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._count = 0
        self.error: OSError | None = None
        self._rows: IO[bytes] | None = None
        with self._tolerant():
            # nameless, so that a process that is killed leaves nothing behind
            self._rows = tempfile.TemporaryFile(dir=path.parent, buffering=BUFFER)  # noqa: SIM115

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._rows is not None:
            with contextlib.suppress(OSError):  # what could not be written is not needed
                self._rows.close()

    def add(self, hashes: NDArray[np.uint64], offsets: NDArray[np.int64]) -> None:
        """Note where words stand, in the order of the file."""
        if self._rows is None or self.error is not None:
            return
        rows = np.stack([hashes, offsets.astype(np.uint64)], axis=1)
        with self._tolerant():
            self._rows.write(rows.tobytes())
        self._count += len(rows)

    def finish(self, key: IndexKey, sha256: str) -> None:
        """Write the index of a file whose hash is `sha256`."""
        if self._rows is None or self.error is not None:
            return
        with self._tolerant():
            handle, name = tempfile.mkstemp(dir=self._path.parent, prefix=f".{self._path.name}.")
            try:
                with os.fdopen(handle, "wb") as file:
                    self._write(file, self._rows, key, sha256)
                Path(name).chmod(0o666 & ~umask())
                Path(name).replace(self._path)
            except BaseException:
                with contextlib.suppress(OSError):
                    Path(name).unlink()
                raise

    def _write(self, file: BinaryIO, rows: IO[bytes], key: IndexKey, sha256: str) -> None:
        digests = hashlib.sha256(), hashlib.sha256()
        starts = [_HEAD, _HEAD + 8 * self._count]
        parts = max(1, -(-self._count // _SORTED_AT_ONCE))
        edges = [part * 2**64 // parts for part in range(parts + 1)]
        for low, high in pairwise(edges):
            some = _between(rows, low, high - 1)
            for column, digest in enumerate(digests):
                data = some[:, column].tobytes()
                digest.update(data)
                file.seek(starts[column])
                file.write(data)
                starts[column] += len(data)
        facts = {
            **asdict(key),
            "words": self._count,
            "sha256": sha256,
            "hashes_sha256": digests[0].hexdigest(),
            "offsets_sha256": digests[1].hexdigest(),
        }
        file.seek(0)
        file.write((_MAGIC + json.dumps(facts | {"check": _check(facts)}).encode()).ljust(_HEAD))

    @contextlib.contextmanager
    def _tolerant(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            self.error = error


def read_index(path: Path, key: IndexKey) -> Index | None:
    """Read an index; None unless it is whole and belongs to the file and the reading in `key`."""
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
            facts = json.loads(head.removeprefix(_MAGIC)) if head.startswith(_MAGIC) else {}
            if not _fits(facts, key, path.stat().st_size):
                return None
            hashes = np.fromfile(file, np.uint64, facts["words"])
            offsets = np.fromfile(file, np.int64, facts["words"])
    except (OSError, ValueError, RecursionError):
        return None
    for name, array in (("hashes_sha256", hashes), ("offsets_sha256", offsets)):
        if hashlib.sha256(array.data).hexdigest() != facts[name]:
            return None
    return Index(hashes, offsets, facts["sha256"])


def _between(rows: IO[bytes], first: int, last: int) -> NDArray[np.uint64]:
    """Rows whose hash lies between two numbers, sorted by it; equal words in the file's order."""
    rows.seek(0)
    parts = [np.empty((0, 2), np.uint64)]
    while data := rows.read(BUFFER):
        some = np.frombuffer(data, np.uint64).reshape(-1, 2)
        inside = (some[:, 0] >= np.uint64(first)) & (some[:, 0] <= np.uint64(last))
        parts.append(some[inside])
    found = np.concatenate(parts)
    order = np.argsort(found[:, 0], kind="stable")
    return found[order]


def _check(facts: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def _fits(facts: Any, key: IndexKey, size: int) -> bool:
    """Whether the head of an index is whole, and fits the key and its own size."""
    if not isinstance(facts, dict) or facts.pop("check", None) != _check(facts):
        return False
    words = facts.get("words")
    same = {name: facts.get(name) for name in asdict(key)} == asdict(key)
    return same and isinstance(words, int) and size == _HEAD + 16 * words
