"""word2vec's binary form (GoogleNews): ``count dim``, then word, space, dim float32, again."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SourceError
from eatlas.sources.archives import Content
from eatlas.sources.files.chunks import CHUNK, Chunk, fill_chunks
from eatlas.sources.files.components import check_finite
from eatlas.sources.files.hashing import fnv64
from eatlas.sources.files.heads import HEAD_BYTES, MAX_DIM, announcement
from eatlas.sources.files.indexed import COMPILE_FROM, IndexedSource, among
from eatlas.sources.files.records import Layout, Records, read_records
from eatlas.sources.index import Index, IndexWriter
from eatlas.sources.protocol import Vector

_COMPILE_FROM_WORDS = 200_000  # a tenth of a second in Python


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
        start, count, dim = read_header(content.head(HEAD_BYTES), content.label)
        self._layout = Layout(count, dim, start, encoding, content.label)
        super().__init__(content, name=name, index=index, reading=f"word2vec binary {encoding}")
        least = count * (self._layout.size + 1)
        if content.plain and content.stamp.size - start < least:
            raise self._layout.ends_early(f"{content.stamp.size} bytes")
        self._compiled = content.stamp.size >= COMPILE_FROM or count >= _COMPILE_FROM_WORDS

    @property
    def dim(self) -> int:
        """Number of components of every vector."""
        return self._layout.dim

    @property
    def expected(self) -> int:
        """How many words the header announces."""
        return self._layout.count

    def vocabulary(self) -> Iterator[str]:
        """Every word, in the order of the file."""
        for records in self._records():
            yield from records.texts()

    def iter_chunks(self, rows: int = CHUNK, /) -> Iterator[Chunk]:
        """Every word and vector, `rows` rows at a time."""
        for words, vectors in fill_chunks(self._records(), rows, self.dim):
            check_finite(vectors, f"{self.content.label}, between {words[0]!r} and {words[-1]!r}")
            yield Chunk(words, vectors)

    def _records(self) -> Iterator[Records]:
        with self.content.open() as file:
            file.read(self._layout.start)
            yield from read_records(file, self._layout, compiled=self._compiled)

    def _word_of(self, line: bytes) -> str:
        return line.partition(b" ")[0].decode(self._layout.encoding, "replace")

    def _key(self, word: str) -> bytes | None:
        try:
            return word.encode(self._layout.encoding)
        except UnicodeEncodeError:
            return None

    def _scan(self, wanted: Collection[bytes], index: IndexWriter | None) -> Mapping[bytes, Vector]:
        hashes = np.sort(np.array([fnv64(word) for word in wanted], np.uint64))
        found: dict[bytes, Vector] = {}
        for records in self._records():
            for k in np.flatnonzero(records.wide).tolist():
                records.text(k)
            for k in np.flatnonzero(among(records.hashes, hashes)).tolist():
                word = records.word(k)
                if word in found:
                    self._duplicates.add(word)
                elif word in wanted:
                    found[word] = self._checked(records.vector(k), records.text(k))
            if index is not None:
                index.add(records.hashes, records.starts + records.offset)
        return found

    def _checked(self, vector: NDArray[np.float32], word: str) -> Vector:
        check_finite(vector, f"{self.content.label}, {word!r}")
        return vector

    def _at(self, file: BinaryIO, index: Index, word: bytes) -> list[Vector] | None:
        vectors: list[Vector] = []
        size = len(word) + 1 + self._layout.size
        for offset in index.find(fnv64(word)):
            file.seek(offset)
            raw = file.read(size)
            if len(raw) < size or raw[: len(word) + 1] != word + b" ":
                return None
            vector = np.frombuffer(raw, "<f4", offset=len(word) + 1).astype(np.float32)
            vectors.append(self._checked(vector, word.decode(self._layout.encoding)))
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
