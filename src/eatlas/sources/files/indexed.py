"""What text and word2vec's binary form share: known words, a hash beside the pass, an index."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SourceWarning
from eatlas.sources.archives import Content
from eatlas.sources.care import computes_afresh
from eatlas.sources.files.hashing import fnv64
from eatlas.sources.files.reading import FileDigest, open_binary, stream_hash
from eatlas.sources.index import SUFFIX, Index, IndexKey, IndexWriter, read_index
from eatlas.sources.memory import duplicate_note
from eatlas.sources.protocol import Vector

INDEX_CHOICES = ("auto", "yes", "no")
_INDEX_FROM = 64 << 20  # a pass over less takes well below a second
_SLOW, _SLOW_PACKED = 256 << 20, 32 << 20
COMPILE_FROM = 64 << 20
"""Bytes from which a pass is compiled: compiling takes seconds once for each installation, loading
what was compiled most of a second; in Python, 64 MiB take less than that."""


class IndexedSource(ABC):
    """A file whose words have places, found by a pass or by an index.

    Parameters
    ----------
    content : Content
    name : str
        What names it in results.
    index : {"auto", "yes", "no"}
        Whether to keep an index beside the file; ``auto``: if it is 64 MiB or more, not
        compressed, and its folder can be written to.
    reading : str
        How the file is read; an index made by another reading is not used.
    """

    ordered = False
    """Whether the format has its words in order of frequency."""

    def __init__(self, content: Content, *, name: str, index: str, reading: str) -> None:
        self.content = content
        self._name = name
        self._reading = reading
        self._wishes_index = index
        large = content.stamp.size >= _INDEX_FROM
        wished = index == "yes" or (index == "auto" and large)
        self._indexed = content.plain and wished and not computes_afresh()
        self._index_known: Index | None = None
        self._known: dict[bytes, Vector | None] = {}
        self._duplicates: set[bytes] = set()
        self._digest = FileDigest([content.path], [content.stamp])
        self._stream_digest: str | None = None

    @property
    def name(self) -> str:
        """The source as it was asked for."""
        return self._name

    @property
    def notes(self) -> tuple[str, ...]:
        """Duplicates among the words that were looked up."""
        return (*duplicate_note(self.name, len(self._duplicates)),)

    @property
    def fingerprint(self) -> str:
        """Hash of the file's bytes; of the bytes inside, if it is compressed."""
        return f"sha256:{self._sha256()}"

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

    @property
    def expected(self) -> int | None:
        """How many words there are, where an index says it."""
        return None if self._index_known is None else len(self._index_known.hashes)

    @property
    def gets_index(self) -> bool:
        """Whether an index lies beside the file, or will after the first look-up."""
        return self._indexed

    @property
    def slow_to_list(self) -> bool:
        """Whether a second look at all words takes more than a second: nothing says where they are.

        The file alone decides, and not whether an index lies beside it.
        """
        size = self.content.stamp.size
        if not self.content.plain:
            return size > _SLOW_PACKED
        return self._wishes_index == "no" and size > _SLOW

    def places(self) -> Index | None:
        """The index beside the file, if there is one that can be relied on."""
        if self._indexed and self._index_known is None:
            self._index_known = read_index(self._index_path, self._index_key())
        return self._index_known

    def start_of(self, word: str) -> int | None:
        """Where the line of a word begins, by the index; of the first of equal words."""
        raw, index = self._key(word), self.places()
        if raw is None or index is None:
            return None
        # equal hashes of different words, once in 1e8 large files, would take one for the other
        return min(index.find(fnv64(raw)), default=None)

    def words_at(self, starts: Sequence[int], end: int | None) -> list[str]:
        """Words of lines that stand one after the other, and where the last of them ends."""
        with open_binary(self.content.path) as file:
            file.seek(starts[0])
            data = file.read() if end is None else file.read(end - starts[0])
        ends = [*starts[1:], starts[0] + len(data)]
        return [
            self._word_of(data[start - starts[0] : stop - starts[0]])
            for start, stop in zip(starts, ends, strict=True)
        ]

    @abstractmethod
    def _word_of(self, line: bytes) -> str:
        """The word with which a line begins; of a phrase with separators, the first word."""

    @abstractmethod
    def _key(self, word: str) -> bytes | None:
        """A word as the file's bytes write it; None if they cannot."""

    @abstractmethod
    def _scan(self, wanted: Collection[bytes], index: IndexWriter | None) -> Mapping[bytes, Vector]:
        """Read the whole file once; tell the writer, if there is one, where each word stands."""

    @abstractmethod
    def _at(self, file: BinaryIO, index: Index, word: bytes) -> list[Vector] | None:
        """Vectors of a word by the index; None if the index does not lead to it."""

    def _by_pass(self, new: Collection[bytes]) -> Mapping[bytes, Vector]:
        if self.content.plain:
            self._digest.start()
        if not self._indexed:
            return self._scan(new, None)
        with IndexWriter(self._index_path) as writer:
            found = self._scan(new, writer)
            if writer.error is None:
                writer.finish(self._index_key(), self._digest.result())
        if writer.error is not None and self._wishes_index == "yes":
            warnings.warn(
                f"{self._index_path}: the index could not be written "
                f"({writer.error.strerror}); the next lookup reads the whole file again",
                SourceWarning,
                stacklevel=4,
            )
        return found

    def _by_index(self, new: Collection[bytes]) -> Mapping[bytes, Vector] | None:
        """Answers from the index; None if there is none that can be relied on."""
        if not self._indexed:
            return None
        if self._index_known is None:
            self._index_known = read_index(self._index_path, self._index_key())
        if self._index_known is None:
            return None
        found: dict[bytes, Vector] = {}
        with open_binary(self.content.path) as file:
            for word in new:
                vectors = self._at(file, self._index_known, word)
                if vectors is None:
                    self._index_known = None
                    return None
                if vectors:
                    found[word] = vectors[0]
                if len(vectors) > 1:
                    self._duplicates.add(word)
        self.content.stamp.check(self.content.path)
        return found

    @property
    def _index_path(self) -> Path:
        return self.content.path.with_name(self.content.path.name + SUFFIX)

    def _index_key(self) -> IndexKey:
        return IndexKey.of(self.content.path, self.content.stamp, self._reading)

    def _sha256(self) -> str:
        if not self.content.plain:
            if self._stream_digest is None:
                with self.content.open() as file:
                    self._stream_digest = stream_hash(file)
            return self._stream_digest
        if self._index_known is None and self._indexed and not self._digest.started:
            self._index_known = read_index(self._index_path, self._index_key())
        return self._index_known.sha256 if self._index_known else self._digest.result()


def among(hashes: NDArray[np.uint64], wanted: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Which hashes are among the wanted ones, which are sorted."""
    if not len(wanted):
        return np.zeros(len(hashes), np.bool_)
    at = np.minimum(np.searchsorted(wanted, hashes), len(wanted) - 1)
    return np.asarray(wanted[at] == hashes)
