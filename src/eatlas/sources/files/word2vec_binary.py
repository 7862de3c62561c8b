"""word2vec's binary form (GoogleNews): ``count dim``, then word, space, dim float32, again."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SourceError
from eatlas.sources.archives import Content
from eatlas.sources.files.matrix import MAX_COMPONENTS, Chunk, check_finite
from eatlas.sources.files.on_disk import incomplete
from eatlas.sources.files.sequential import Part, SequentialSource
from eatlas.sources.files.text import HEAD_BYTES, announcement, decode, encoding_of
from eatlas.sources.interface import Vector

_BLOCK = 4 << 20
_SPACE = 32
_MAX_WORD = 4096  # word2vec cuts words at 100 bytes; phrases of other tools are longer


class Word2VecBinarySource(SequentialSource):
    """A binary file of word2vec, with or without line breaks after vectors."""

    between = b" "

    def __init__(self, content: Content, *, name: str, encoding: str) -> None:
        reading = f"word2vec binary {encoding}"
        super().__init__(content, name=name, reading=reading, encoding=encoding)
        line, newline, _ = content.head(HEAD_BYTES).partition(b"\n")
        counts = announcement(line) if newline else None
        if counts is None or not 0 < counts[1] <= MAX_COMPONENTS or not counts[0]:
            raise SourceError(
                f"{content.label}: the header of word2vec's binary form is not there",
                got=repr(line[:40].decode("utf-8", "replace")),
                allowed=f"a line with the number of words and the dimension, to {MAX_COMPONENTS}",
            )
        self._start, (self._count, self._dim) = len(line) + 1, counts
        if content.plain and content.stamp.size < self._start + self._count * (4 * self._dim + 1):
            raise self._ends_early(f"{content.stamp.size} bytes")

    @property
    def dim(self) -> int:
        """Number of components of every vector."""
        return self._dim

    @property
    def expected(self) -> int:
        """How many words the header announces."""
        return self._count

    def part(self, data: bytes, offset: int) -> Records:
        """Some records, from a place of the file on."""
        return Records(data, offset, self._dim, self._encoding, self.content.label)

    def parts(self) -> Iterator[Records]:
        """Read all records, block by block."""
        block = max(_BLOCK, 2 * (_MAX_WORD + 4 * self._dim))
        rest, offset, done = b"", self._start, 0
        with self.content.open() as file:
            file.read(self._start)
            while done < self._count:
                rest += file.read(block - len(rest))
                records = self.part(rest, offset).first(self._count - done)
                if not records.words:
                    raise self._no_record(rest, done)
                yield records
                done += len(records.words)
                rest, offset = rest[records.end - offset :], records.end
            if (rest + file.read(2)).strip(b"\n"):
                raise SourceError(
                    f"{self.content.label}: the file continues after the last vector",
                    got=f"more than {self._count} vectors of {self._dim} numbers",
                    allowed="what its header announces",
                    remedy="correct the header, or get the file again",
                )

    def _no_record(self, data: bytes, done: int) -> SourceError:
        if len(data) >= _MAX_WORD and b" " not in data[:_MAX_WORD]:
            return SourceError(
                f"{self.content.label}, vector {done + 1}: there is no word here",
                got=repr(data[:20]),
                allowed=f"a word of at most {_MAX_WORD} bytes, a space, {self._dim} numbers",
                remedy="the header's dimension may be wrong, or the file damaged",
            )
        return self._ends_early(f"{done} vectors")

    def _ends_early(self, got: str) -> SourceError:
        announced = f"{self._count} vectors of {self._dim} numbers, as its header announces"
        return incomplete(f"{self.content.label}: the file ends early", got, announced)


def open_word2vec(content: Content, options: Mapping[str, str], name: str) -> Word2VecBinarySource:
    """Open a binary file of word2vec."""
    return Word2VecBinarySource(content, name=name, encoding=encoding_of(options, content.label))


class Records(Part):
    """Whole records ``word, space, numbers`` from the beginning of some bytes.

    Line breaks may precede words.
    """

    def __init__(self, data: bytes, offset: int, dim: int, encoding: str, label: str) -> None:
        self.data, self.dim, self.encoding, self.label = data, dim, encoding, label
        size = 4 * dim
        pattern = rb"([^ ]{0,%d}+) .{%d}" % (_MAX_WORD - 1, size)
        words = re.findall(pattern, data, re.DOTALL)
        ends = np.cumsum(np.fromiter(map(len, words), np.int64, len(words)) + 1 + size) - 1 - size
        buffer = np.frombuffer(data, np.uint8)
        # where a word is missing the pattern skips bytes, and the words do not follow one another
        if len(words) and (ends[-1] >= len(data) or (buffer[ends] != _SPACE).any()):
            match = re.match(pattern, data, re.DOTALL)
            words = [match[1]] if match else []
            ends = np.array([len(word) for word in words], np.int64)
        self.words: list[bytes] = [word.lstrip(b"\n") for word in words]
        lengths = np.fromiter(map(len, self.words), np.int64, len(words))
        self.starts: NDArray[np.int64] = ends - lengths + offset
        self._vectors = ends + 1
        """Where the vectors begin in the data."""
        self._offset = offset
        self.end = offset + int(self._vectors[-1]) + size if words else offset

    def first(self, most: int) -> Records:
        """Keep the first records alone, and check their words."""
        del self.words[most:]
        self.starts, self._vectors = self.starts[:most], self._vectors[:most]
        if self.words:
            self.end = self._offset + int(self._vectors[-1]) + 4 * self.dim
        if not b"".join(self.words).isascii():
            for word, start in zip(self.words, self.starts.tolist(), strict=True):
                decode(word, self.encoding, f"{self.label}, byte {start}")
        return self

    def vector(self, k: int) -> Vector:
        """One vector."""
        vector: Vector = np.frombuffer(self.data, "<f4", self.dim, int(self._vectors[k])).astype(
            np.float32
        )
        check_finite(vector, f"{self.label}, {self.words[k].decode(self.encoding, 'replace')!r}")
        return vector

    def chunk(self) -> Chunk:
        """All words and vectors."""
        data = np.frombuffer(self.data, np.uint8)
        windows = np.lib.stride_tricks.sliding_window_view(data, 4 * self.dim)
        vectors = windows[self._vectors].view("<f4").astype(np.float32, copy=False)
        words = [word.decode(self.encoding) for word in self.words]
        check_finite(vectors, f"{self.label}, between {words[0]!r} and {words[-1]!r}")
        return Chunk(words, vectors)
