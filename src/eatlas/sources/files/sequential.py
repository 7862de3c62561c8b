"""Files whose words are found by reading them from end to end, and the index that spares it.

Text and word2vec's binary form do not list the places of their words. A look-up reads the whole
file once, whatever the number of words; of a large file it keeps the words and their places in the
cache folder, so that the next one reads these and the lines of the words alone.

The name of an index is a hash of path, size, times, inode, both ends and the way of reading. The
inode and the time of its change cannot be chosen, so an index of another file or of an earlier
state is never found; one that is damaged, or that leads to another word, is made anew. ``eatlas
verify`` uses none.
"""

from __future__ import annotations

import contextlib
import hashlib
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import ResultsError, SourceError
from eatlas.folders import cache_folder
from eatlas.sources.archives import Content
from eatlas.sources.files.matrix import Chunk, find_rows, regroup
from eatlas.sources.files.on_disk import FileDigest, ends_hash, open_binary, stream_hash
from eatlas.sources.interface import CHUNK, Vector
from eatlas.sources.source import VectorTable
from eatlas.untrusted import computes_afresh
from eatlas.writing import atomic_file

_INDEX_FROM = 64 << 20  # a pass over less takes well below a second
_SLOW_PACKED = 32 << 20


class Part(ABC):
    """Some consecutive rows of a file: their words, checked, and where they begin in the file."""

    words: list[bytes]
    starts: NDArray[np.int64]
    end: int
    """Where the last row ends in the file."""

    @abstractmethod
    def vector(self, k: int) -> Vector:
        """The vector of a row, finite."""

    @abstractmethod
    def chunk(self) -> Chunk:
        """All words and vectors."""


class Index(NamedTuple):
    """The words of a file, where its rows begin and the last ends, and the hash of the file."""

    words: list[bytes]
    starts: NDArray[np.int64]
    sha256: str


class SequentialSource(VectorTable):
    """A file whose words are found by a pass, or by an index."""

    between = b"\n"
    """A byte that no word holds."""

    def __init__(self, content: Content, *, name: str, reading: str, encoding: str) -> None:
        super().__init__(name)
        self.content, self._reading, self._encoding = content, reading, encoding
        self._indexed = (
            content.plain and content.stamp.size >= _INDEX_FROM and not computes_afresh()
        )
        self._index: Index | None = None
        self._vectors: dict[bytes, Vector | None] = {}
        self._digest = FileDigest([(content.path, content.stamp)])
        self._stream_digest = ""

    @abstractmethod
    def parts(self) -> Iterator[Part]:
        """Read the whole file once, checking every row."""

    @abstractmethod
    def part(self, data: bytes, offset: int) -> Part:
        """Rows of some bytes of the file, which begin at `offset`."""

    @property
    def fingerprint(self) -> str:
        """Hash of the file's bytes; of the bytes inside, if it is compressed."""
        if self.content.plain:
            index = None if self._digest.started else self.index()
            return f"sha256:{index.sha256 if index else self._digest.result()}"
        if not self._stream_digest:
            with self.content.open() as file:
                self._stream_digest = stream_hash(file)
        return f"sha256:{self._stream_digest}"

    @property
    def expected(self) -> int | None:
        """How many words there are, where an index says it."""
        return None if self._index is None else len(self._index.words)

    @property
    def in_passes(self) -> bool:
        """Whether there is no index, and will be none after the first look-up."""
        return not self._indexed

    @property
    def slow_to_list(self) -> bool:
        """Whether a second look at all words takes more than a second.

        The file alone decides, and not whether there is an index today.
        """
        return not self.content.plain and self.content.stamp.size > _SLOW_PACKED

    def vocabulary(self) -> Iterator[str]:
        """Every word, in the order of the file."""
        if index := self.index():
            self.content.stamp.check(self.content.path)
            yield from (word.decode(self._encoding) for word in index.words)
            return
        for part in self.parts():
            yield from (word.decode(self._encoding) for word in part.words)

    def iter_chunks(self, rows: int = CHUNK, /) -> Iterator[Chunk]:
        """Every word and vector, `rows` rows at a time."""
        return regroup((part.chunk() for part in self.parts()), rows, self.dim)

    def lookup(self, keys: Collection[str]) -> Mapping[str, Vector]:
        """Return the vectors of those keys that the file has; one pass for all new keys."""
        raw = {key: key.encode(self._encoding, "replace") for key in keys}
        raw = {key: word for key, word in raw.items() if word.decode(self._encoding) == key}
        if new := {word for word in raw.values() if word not in self._vectors}:
            vectors = self._by_index(new)
            self._vectors |= dict.fromkeys(new)
            self._vectors |= self._by_pass(new) if vectors is None else vectors
        answers = ((key, self._vectors[word]) for key, word in raw.items())
        return {key: vector for key, vector in answers if vector is not None}

    def _by_pass(self, new: Collection[bytes]) -> Mapping[bytes, Vector]:
        """Read the whole file, find the words, and keep the index, where there is to be one."""
        if self.content.plain:
            self._digest.start()
        vectors: dict[bytes, Vector] = {}
        words: list[bytes] = []
        starts: list[NDArray[np.int64]] = []
        end = 0
        wanted = frozenset(new)
        for part in self.parts():
            if not wanted.isdisjoint(part.words):
                for k, word in enumerate(part.words):
                    if word in vectors:
                        self._repeated.add(word)
                    elif word in wanted:
                        vectors[word] = part.vector(k)
            if self._indexed:
                words.append(self.between.join(part.words))
                starts.append(part.starts)
                end = part.end
        if self._indexed:
            places = np.concatenate([*starts, [end]])
            self._write(self.between.join(words), places, self._digest.result())
        return vectors

    def _by_index(self, new: Collection[bytes]) -> Mapping[bytes, Vector] | None:
        """Answers from the index; None if there is none that can be relied on."""
        index = self.index()
        if index is None:
            return None
        rows, again = find_rows(index.words, new)
        vectors: dict[bytes, Vector] = {}
        with open_binary(self.content.path) as file:
            for word, row in rows.items():
                start, end = map(int, index.starts[row : row + 2])
                file.seek(start)
                try:
                    part = self.part(file.read(max(0, end - start)), start)
                    if part.words != [word]:
                        raise SourceError("another word")
                except SourceError:
                    self._index = None
                    return None
                vectors[word] = part.vector(0)
        self._repeated |= again
        self.content.stamp.check(self.content.path)
        return vectors

    # --- the index in the cache folder ------------------------------------------------------------

    def index(self) -> Index | None:
        """The index of the file as it is now, if there is one that can be relied on."""
        if self._indexed and self._index is None:
            with contextlib.suppress(OSError, ValueError):  # damaged: it is made anew
                head, _, rest = self._path().read_bytes().partition(b"\n")
                sha256, digest, size = head.decode().split()
                if hashlib.sha256(rest).hexdigest() == digest:
                    starts = np.frombuffer(rest, np.int64, int(size))
                    words = rest[starts.nbytes :].split(self.between)
                    self._index = Index(words, starts, sha256)
        return self._index

    def _write(self, words: bytes, starts: NDArray[np.int64], sha256: str) -> None:
        """Keep an index, and remove those of earlier states of the file."""
        path, body = self._path(), starts.tobytes() + words
        with contextlib.suppress(ResultsError), atomic_file(path, binary=True) as file:
            digest = hashlib.sha256(body).hexdigest()
            file.write(f"{sha256} {digest} {len(starts)}\n".encode() + body)
            self._index = Index(words.split(self.between), starts, sha256)
        for old in path.parent.glob(f"{path.name.partition('-')[0]}-*.index"):
            if old != path:
                with contextlib.suppress(OSError):
                    old.unlink()

    def _path(self) -> Path:
        """Where the index of the file as it is now lies, or will."""
        path, stamp = self.content.path.absolute(), self.content.stamp
        now = path.stat()
        facts = (
            str(path), stamp.size, stamp.mtime_ns, now.st_ctime_ns, now.st_ino, ends_hash(path),
            self._reading,
        )  # fmt: skip
        of_file, of_state = (hashlib.sha256(repr(x).encode()).hexdigest() for x in (path, facts))
        return cache_folder() / "indexes" / f"{of_file[:16]}-{of_state[:32]}.index"
