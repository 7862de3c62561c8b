"""word2vec's binary form (GoogleNews): ``count dim``, then word, space, dim float32, again."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import BinaryIO, NamedTuple

import numpy as np

from eatlas.errors import SourceError
from eatlas.sources.archives import Content
from eatlas.sources.files.chunks import CHUNK, Chunk
from eatlas.sources.files.components import check_finite
from eatlas.sources.files.dialects import decode
from eatlas.sources.files.hashing import fnv64
from eatlas.sources.files.heads import HEAD_BYTES, MAX_DIM, announcement
from eatlas.sources.files.indexed import IndexedSource
from eatlas.sources.index import Index
from eatlas.sources.protocol import Vector

_BLOCK = 4 << 20
_MAX_WORD = 4096  # word2vec cuts words at 100 bytes; phrases of other tools are longer


class Record(NamedTuple):
    """A word, where its record begins in the file, and the bytes of its vector."""

    word: bytes
    offset: int
    raw: memoryview


class Word2VecBinarySource(IndexedSource):
    """A binary file of word2vec, with or without line breaks after vectors.

    Parameters
    ----------
    content : Content
    name : str
    index : {"auto", "yes", "no"}
    encoding : str
        Encoding of the words.

    Raises
    ------
    SourceError
        If the header and the file do not fit each other.
    """

    def __init__(self, content: Content, *, name: str, index: str, encoding: str) -> None:
        self._encoding = encoding
        self._start, self.count, self._dim = read_header(content.head(HEAD_BYTES), content.label)
        super().__init__(content, name=name, index=index, reading=f"word2vec binary {encoding}")
        least = self.count * (4 * self._dim + 2)
        if content.plain and content.stamp.size - self._start < least - self.count:
            raise self._ends_early(f"{content.stamp.size} bytes")

    @property
    def dim(self) -> int:
        """Number of components of every vector."""
        return self._dim

    def vocabulary(self) -> Iterator[str]:
        """Every word, in the order of the file."""
        return (self._text(record) for record in self._records())

    def iter_chunks(self, rows: int = CHUNK, /) -> Iterator[Chunk]:
        """Every word and vector, `rows` rows at a time."""
        words: list[str] = []
        vectors = np.empty((rows, self.dim), np.float32)
        for record in self._records():
            vectors[len(words)] = np.frombuffer(record.raw, "<f4")
            words.append(self._text(record))
            if len(words) == rows:
                yield self._chunk(words, vectors)
                words = []
        if words:
            yield self._chunk(words, vectors)

    def _chunk(self, words: list[str], vectors: np.ndarray) -> Chunk:
        rows = vectors[: len(words)].copy()
        check_finite(rows, f"{self.content.label}, between {words[0]!r} and {words[-1]!r}")
        return Chunk(words, rows)

    def _key(self, word: str) -> bytes | None:
        try:
            return word.encode(self._encoding)
        except UnicodeEncodeError:
            return None

    def _scan(self, wanted: Collection[bytes], *, for_index: bool) -> Mapping[bytes, Vector]:
        found: dict[bytes, Vector] = {}
        hashes = np.empty(self.count if for_index else 0, np.uint64)
        offsets = np.empty(len(hashes), np.int64)
        for row, record in enumerate(self._records()):
            word = record.word
            if not word.isascii():
                self._text(record)
            if word in wanted:
                if word in found:
                    self._duplicates.add(word)
                else:
                    found[word] = self._vector(record)
            if for_index:
                hashes[row] = fnv64(word)
                offsets[row] = record.offset
        if for_index:
            self._save_index([hashes], [offsets])
        return found

    def _vector(self, record: Record) -> Vector:
        vector = np.frombuffer(record.raw, "<f4").astype(np.float32)
        check_finite(vector, f"{self.content.label}, {self._text(record)!r}")
        return vector

    def _text(self, record: Record) -> str:
        return decode(record.word, self._encoding, f"{self.content.label}, byte {record.offset}")

    def _records(self) -> Iterator[Record]:
        with self.content.open() as file:
            file.read(self._start)
            yield from self._walk(file)

    def _walk(self, file: BinaryIO) -> Iterator[Record]:
        """Records one after another; their bytes are good until the next is asked for."""
        size = 4 * self._dim
        data, at, offset = b"", 0, self._start
        for row in range(self.count):
            space = data.find(b" ", at, at + _MAX_WORD)
            if space < 0 or space + 1 + size > len(data):
                data = data[at:] + file.read(max(_BLOCK, size + _MAX_WORD))
                offset, at = offset + at, 0
                space = data.find(b" ", 0, _MAX_WORD)
                if space < 0 or space + 1 + size > len(data):
                    raise self._no_record(row, data, space)
            end = space + 1 + size
            word = data[at:space].lstrip(b"\n")
            yield Record(word, offset + space - len(word), memoryview(data)[space + 1 : end])
            at = end
        rest = data[at:] + file.read(2)
        if rest.strip(b"\n"):
            raise SourceError(
                f"{self.content.label}: the file goes on after the last vector",
                got=f"more than {self.count} vectors of {self._dim} numbers",
                allowed="what its header announces",
                remedy="correct the header, or get the file again",
            )

    def _no_record(self, row: int, data: bytes, space: int) -> SourceError:
        if space < 0 and len(data) >= _MAX_WORD:
            return SourceError(
                f"{self.content.label}, vector {row + 1}: no word stands here",
                got=repr(data[:20]),
                allowed=f"a word of at most {_MAX_WORD} bytes, a space, {self._dim} numbers",
                remedy="the header's dimension may be wrong, or the file damaged",
            )
        return self._ends_early(f"{row} vectors")

    def _ends_early(self, got: str) -> SourceError:
        return SourceError(
            f"{self.content.label}: the file ends early",
            got=got,
            allowed=f"{self.count} vectors of {self._dim} numbers, as its header announces",
            remedy="get it again; the copy is probably incomplete",
        )

    def _at(self, file: BinaryIO, index: Index, word: bytes) -> list[Vector] | None:
        vectors = []
        size = len(word) + 1 + 4 * self._dim
        for offset in index.find(fnv64(word)):
            file.seek(offset)
            raw = file.read(size)
            if len(raw) < size or raw[: len(word) + 1] != word + b" ":
                return None
            record = Record(word, offset, memoryview(raw)[len(word) + 1 :])
            vectors.append(self._vector(record))
        return vectors


def read_header(head: bytes, label: str) -> tuple[int, int, int]:
    """Where the first record begins, how many there are, and the dimension.

    Raises
    ------
    SourceError
        If the first line is no header.
    """
    line, found, _ = head.partition(b"\n")
    counts = announcement(line) if found else None
    if counts is None or not 0 < counts[1] <= MAX_DIM or not counts[0]:
        raise SourceError(
            f"{label}: the header of word2vec's binary form is not there",
            got=repr(line[:40].decode("utf-8", "replace")),
            allowed=f"a line with the number of words and the dimension (1 to {MAX_DIM:,})",
        )
    return len(line) + 1, counts[0], counts[1]
