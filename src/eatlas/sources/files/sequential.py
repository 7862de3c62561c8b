"""Files whose words are found by reading them from end to end, and the index that spares it.

Text and word2vec's binary form do not list the places of their words. A look-up reads the whole
file once, whatever the number of words; of a large file it keeps an index in the cache folder, so
that the next one reads the index and the lines of the words alone.

An index belongs to the file as it is now: its name is a hash of path, size, times, inode, both
ends and the way of reading. The inode and the time of its change cannot be chosen, so an index of
another file or of an earlier state is never found; one that is damaged, or that leads to another
word, is made anew. ``eatlas verify`` uses none.
"""

from __future__ import annotations

import contextlib
import hashlib
import warnings
import zipfile
import zlib
from abc import abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import ResultsError, SourceWarning
from eatlas.folders import cache_folder
from eatlas.sources.archives import Content
from eatlas.sources.files.on_disk import (
    FileDigest,
    ends_hash,
    open_binary,
    stream_hash,
)
from eatlas.sources.files.words import find_rows
from eatlas.sources.interface import Vector
from eatlas.sources.source import VectorTable
from eatlas.sources.spec import choice
from eatlas.untrusted import computes_afresh
from eatlas.writing import atomic_file

INDEX_CHOICES = ("auto", "yes", "no")
_INDEX_FROM = 64 << 20  # a pass over less takes well below a second
_SLOW, _SLOW_PACKED = 256 << 20, 32 << 20


class ReadRows(Protocol):
    """Some rows of a file as they were read: their words, and where they begin in the file."""

    @property
    def words(self) -> list[bytes]:
        """The words, checked."""
        ...

    @property
    def starts(self) -> NDArray[np.int64]:
        """Places in the file."""
        ...

    def vector(self, k: int) -> Vector:
        """The vector of a row, finite."""
        ...


class SequentialSource(VectorTable):
    """A file whose words are found by a pass, or by an index."""

    between = b"\n"
    """A byte that no word holds."""

    def __init__(
        self, content: Content, *, name: str, index: str, reading: str, encoding: str
    ) -> None:
        super().__init__(name)
        self.content = content
        self._reading, self._encoding = reading, encoding
        self._wishes_index = index
        large = content.stamp.size >= _INDEX_FROM
        wanted = index == "yes" or (index == "auto" and large)
        self._indexed = content.plain and wanted and not computes_afresh()
        self._index_known: Index | None = None
        self._known: dict[bytes, Vector | None] = {}
        self._digest = FileDigest([content.path], [content.stamp])
        self._stream_digest: str | None = None

    @abstractmethod
    def _parts(self) -> Iterator[ReadRows]:
        """Read the whole file once, checking every row."""

    @abstractmethod
    def _read_at(self, file: BinaryIO, start: int, word: bytes) -> Vector | None:
        """The vector of a word that should be at a place; None if it is not."""

    @property
    def fingerprint(self) -> str:
        """Hash of the file's bytes; of the bytes inside, if it is compressed."""
        if self.content.plain:
            index = None if self._digest.started else self.index()
            return f"sha256:{index.sha256 if index else self._digest.result()}"
        if self._stream_digest is None:
            with self.content.open() as file:
                self._stream_digest = stream_hash(file)
        return f"sha256:{self._stream_digest}"

    @property
    def expected(self) -> int | None:
        """How many words there are, where an index says it."""
        return None if self._index_known is None else len(self._index_known.starts)

    @property
    def in_passes(self) -> bool:
        """Whether there is no index, and will be none after the first look-up."""
        return not self._indexed

    @property
    def slow_to_list(self) -> bool:
        """Whether a second look at all words takes more than a second.

        The file alone decides, and not whether there is an index today.
        """
        size = self.content.stamp.size
        if not self.content.plain:
            return size > _SLOW_PACKED
        return self._wishes_index == "no" and size > _SLOW

    def vocabulary(self) -> Iterator[str]:
        """Every word, in the order of the file."""
        if index := self.index():
            self.content.stamp.check(self.content.path)
            yield from (word.decode(self._encoding) for word in index.words)
            return
        for part in self._parts():
            yield from (word.decode(self._encoding) for word in part.words)

    def lookup(self, keys: Collection[str]) -> Mapping[str, Vector]:
        """Return the vectors of those keys that the file has; one pass for all new keys."""
        wanted = {key: raw for key in keys if (raw := self._key(key)) is not None}
        new = {raw for raw in wanted.values() if raw not in self._known}
        if new:
            found = self._by_index(new)
            self._known.update(dict.fromkeys(new))
            self._known.update(self._by_pass(new) if found is None else found)
        answers = ((key, self._known[raw]) for key, raw in wanted.items())
        return {key: vector for key, vector in answers if vector is not None}

    def _key(self, word: str) -> bytes | None:
        """A word as the file's bytes write it; None if they cannot."""
        try:
            return word.encode(self._encoding)
        except UnicodeEncodeError:
            return None

    def _by_pass(self, new: Collection[bytes]) -> Mapping[bytes, Vector]:
        """Read the whole file, find the words, and keep the index, where there is to be one."""
        if self.content.plain:
            self._digest.start()
        found: dict[bytes, Vector] = {}
        words: list[bytes] = []
        starts: list[NDArray[np.int64]] = []
        wanted = frozenset(new)
        for part in self._parts():
            if not wanted.isdisjoint(part.words):
                for k, word in enumerate(part.words):
                    if word in found:
                        self._repeated.add(word)
                    elif word in wanted:
                        found[word] = part.vector(k)
            if self._indexed:
                words.append(self.between.join(part.words))
                starts.append(part.starts)
        if self._indexed:
            blob = self.between.join(words)
            self._keep(Index(blob, np.concatenate(starts), self._digest.result(), self.between))
        return found

    def _by_index(self, new: Collection[bytes]) -> Mapping[bytes, Vector] | None:
        """Answers from the index; None if there is none that can be relied on."""
        index = self.index()
        if index is None:
            return None
        rows, again = find_rows(index.words, new)
        found: dict[bytes, Vector] = {}
        with open_binary(self.content.path) as file:
            for word, row in rows.items():
                vector = self._read_at(file, int(index.starts[row]), word)
                if vector is None:
                    self._index_known = None
                    return None
                found[word] = vector
        self._repeated |= again
        self.content.stamp.check(self.content.path)
        return found

    def index(self) -> Index | None:
        """The index of the file as it is now, if there is one that can be relied on."""
        if self._indexed and self._index_known is None:
            self._index_known = read_index(self._index_path())
        return self._index_known

    def _keep(self, index: Index) -> None:
        """Write an index; where an index was requested, warn if that fails."""
        path = self._index_path()
        try:
            write_index(path, index)
            self._index_known = index
        except ResultsError as error:
            if self._wishes_index == "yes":
                warnings.warn(
                    f"{path}: the index could not be written ({error.got}); the next lookup reads "
                    "the whole file again",
                    SourceWarning,
                    stacklevel=4,
                )

    def _index_path(self) -> Path:
        """Where the index of the file as it is now lies, or will."""
        path, stamp = self.content.path.absolute(), self.content.stamp
        now = path.stat()
        facts = (
            str(path), stamp.size, stamp.mtime_ns, now.st_ctime_ns, now.st_ino, ends_hash(path),
            self._reading,
        )  # fmt: skip
        of_file, of_state = (hashlib.sha256(repr(x).encode()).hexdigest() for x in (path, facts))
        return cache_folder() / "indexes" / f"{of_file[:16]}-{of_state[:32]}.npz"


def index_of(options: Mapping[str, str], label: str) -> str:
    """Whether the options request an index."""
    return choice(options.get("index", "auto"), INDEX_CHOICES, "index", label)


@dataclass(frozen=True)
class Index:
    """The words of a file, joined, and where their rows begin; the hash of the whole file."""

    joined: bytes
    starts: NDArray[np.int64]
    sha256: str
    between: bytes

    @property
    def words(self) -> Sequence[bytes]:
        """The words in the order of the file."""
        return self.joined.split(self.between) if len(self.starts) else []


def write_index(path: Path, index: Index) -> None:
    """Write an index, and remove those of earlier states of the file."""
    arrays: dict[str, NDArray[Any]] = {
        "joined": np.frombuffer(index.joined, np.uint8),
        "starts": index.starts,
        "sha256": np.array(index.sha256),
        "between": np.array(index.between),
    }
    # np.savez of numpy 2.0 leaves the archive open where the disk is full
    with atomic_file(path, binary=True) as file, zipfile.ZipFile(file, "w") as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array, allow_pickle=False)
    for other in path.parent.glob(f"{path.name.partition('-')[0]}-*.npz"):
        if other != path:
            with contextlib.suppress(OSError):
                other.unlink()


def read_index(path: Path) -> Index | None:
    """Read an index; None unless it is there and whole, to judge by its checksums."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            keys = ("joined", "starts", "sha256", "between")
            joined, starts, sha256, between = (arrays[key] for key in keys)
    except (OSError, ValueError, LookupError, EOFError, RuntimeError, NotImplementedError,
            zipfile.BadZipFile, zlib.error, AttributeError):  # fmt: skip
        return None
    index = Index(joined.tobytes(), starts, str(sha256), between.tobytes())
    return index if len(index.words) == len(starts) else None
