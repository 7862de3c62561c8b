"""word2vec's binary form (GoogleNews): ``count dim``, then word, space, dim float32, again."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SourceError
from eatlas.sources.archives import Content
from eatlas.sources.files.dialects import (
    HEAD_BYTES,
    MAX_DIM,
    announcement,
    check_finite,
    decode,
    encoding_of,
)
from eatlas.sources.files.matrix import Chunk, regroup
from eatlas.sources.files.on_disk import incomplete
from eatlas.sources.files.sequential import SequentialSource, index_of
from eatlas.sources.interface import CHUNK, Vector

BLOCK = 4 << 20
_SPACE = 32
MAX_WORD = 4096  # word2vec cuts words at 100 bytes; phrases of other tools are longer
_NO_WORD = (
    "if the dimension in the header is right, name the encoding of the words: ?encoding=latin-1; "
    "else correct the header, or get the file again; words of this form cannot hold spaces"
)


class Word2VecBinarySource(SequentialSource):
    """A binary file of word2vec, with or without line breaks after vectors."""

    between = b" "

    def __init__(self, content: Content, *, name: str, index: str, encoding: str) -> None:
        reading = f"word2vec binary {encoding}"
        super().__init__(content, name=name, index=index, reading=reading, encoding=encoding)
        self._start, self._count, self._dim = read_header(content.head(HEAD_BYTES), content.label)
        least = self._count * (4 * self._dim + 1)
        if content.plain and content.stamp.size - self._start < least:
            raise self._ends_early(f"{content.stamp.size} bytes")

    @property
    def dim(self) -> int:
        """Number of components of every vector."""
        return self._dim

    @property
    def expected(self) -> int:
        """How many words the header announces."""
        return self._count

    def iter_chunks(self, rows: int = CHUNK, /) -> Iterator[Chunk]:
        """Every word and vector, `rows` rows at a time."""
        pieces = (records.chunk(self._encoding) for records in self._parts())
        for words, vectors in regroup(pieces, rows, self.dim):
            check_finite(vectors, f"{self.content.label}, between {words[0]!r} and {words[-1]!r}")
            yield Chunk(words, vectors)

    def _parts(self) -> Iterator[Records]:
        """Read all records, block by block."""
        size, label = 4 * self._dim, self.content.label
        block = max(BLOCK, 2 * (MAX_WORD + size))
        kept, offset, done = b"", self._start, 0
        with self.content.open() as file:
            file.read(self._start)
            while done < self._count:
                kept += file.read(block - len(kept))
                records = _records(kept, offset, size, self._count - done, label)
                if not records.words:
                    raise self._no_record(kept, done)
                records.check_words(self._encoding)
                yield records
                done += len(records.words)
                used = int(records.vectors[-1]) + size
                kept, offset = kept[used:], offset + used
            if (kept + file.read(2)).strip(b"\n"):
                raise SourceError(
                    f"{label}: the file continues after the last vector",
                    got=f"more than {self._count} vectors of {self._dim} numbers",
                    allowed="what its header announces",
                    remedy="correct the header, or get the file again",
                )

    def _no_record(self, data: bytes, done: int) -> SourceError:
        if len(data) >= MAX_WORD and b" " not in data[:MAX_WORD]:
            return SourceError(
                f"{self.content.label}, vector {done + 1}: there is no word here",
                got=repr(data[:20]),
                allowed=f"a word of at most {MAX_WORD} bytes, a space, {self._dim} numbers",
                remedy="the header's dimension may be wrong, or the file damaged",
            )
        return self._ends_early(f"{done} vectors")

    def _ends_early(self, got: str) -> SourceError:
        announced = f"{self._count} vectors of {self._dim} numbers, as its header announces"
        return incomplete(f"{self.content.label}: the file ends early", got, announced)

    def _read_at(self, file: BinaryIO, start: int, word: bytes) -> Vector | None:
        file.seek(start)
        head = len(word) + 1
        raw = file.read(head + 4 * self._dim)
        if len(raw) < head + 4 * self._dim or raw[:head] != word + b" ":
            return None
        vector: Vector = np.frombuffer(raw, "<f4", offset=head).astype(np.float32)
        check_finite(vector, f"{self.content.label}, {word.decode(self._encoding)!r}")
        return vector


def open_word2vec(content: Content, options: Mapping[str, str], name: str) -> Word2VecBinarySource:
    """Open a binary file of word2vec."""
    index, encoding = index_of(options, content.label), encoding_of(options, content.label)
    return Word2VecBinarySource(content, name=name, index=index, encoding=encoding)


@dataclass(frozen=True)
class Records:
    """Some whole records ``word, space, numbers``: words, and where they begin in the file."""

    data: bytes
    offset: int
    size: int
    label: str
    words: list[bytes]
    starts: NDArray[np.int64]
    vectors: NDArray[np.int64]
    """Where the vectors begin in the data."""

    def check_words(self, encoding: str) -> None:
        """Refuse words that are none of the encoding."""
        if b"".join(self.words).isascii():
            return
        for word, start in zip(self.words, self.starts.tolist(), strict=True):
            decode(word, encoding, f"{self.label}, byte {start}", _NO_WORD)

    def vector(self, k: int) -> Vector:
        """One vector."""
        at, dim = int(self.vectors[k]), self.size // 4
        vector: Vector = np.frombuffer(self.data, "<f4", dim, at).astype(np.float32)
        check_finite(vector, f"{self.label}, {self.words[k].decode('utf-8', 'replace')!r}")
        return vector

    def chunk(self, encoding: str) -> Chunk:
        """All words and vectors."""
        data = np.frombuffer(self.data, np.uint8)
        windows = np.lib.stride_tricks.sliding_window_view(data, self.size)
        vectors = windows[self.vectors].view("<f4").astype(np.float32, copy=False)
        return Chunk(b" ".join(self.words).decode(encoding).split(" "), vectors)


def _records(data: bytes, offset: int, size: int, most: int, label: str) -> Records:
    """Find whole records from the beginning of some bytes; line breaks may precede words."""
    pattern = rb"([^ ]{0,%d}+) .{%d}" % (MAX_WORD - 1, size)
    words = re.findall(pattern, data, re.DOTALL)[:most]
    lengths = np.fromiter(map(len, words), np.int64, len(words))
    ends = np.cumsum(lengths + 1 + size) - 1 - size
    buffer = np.frombuffer(data, np.uint8)
    # where a word is missing the pattern skips bytes, and the words do not follow one another
    if len(words) and (ends[-1] >= len(data) or (buffer[ends] != _SPACE).any()):
        words = [data[: data.find(b" ", 0, MAX_WORD)]] if re.match(pattern, data, re.DOTALL) else []
        ends = np.array([len(word) for word in words], np.int64)
    if b"\n" in b"".join(words):
        words = [word.lstrip(b"\n") for word in words]
    starts = ends - np.fromiter(map(len, words), np.int64, len(words)) + offset
    return Records(data, offset, size, label, words, starts, ends + 1)


def read_header(head: bytes, label: str) -> tuple[int, int, int]:
    """Where the first record begins, how many there are, and the dimension."""
    line, found, _ = head.partition(b"\n")
    counts = announcement(line) if found else None
    if counts is None or not 0 < counts[1] <= MAX_DIM or not counts[0]:
        raise SourceError(
            f"{label}: the header of word2vec's binary form is not there",
            got=repr(line[:40].decode("utf-8", "replace")),
            allowed=f"a line with the number of words and the dimension (1 to {MAX_DIM:,})",
        )
    return len(line) + 1, counts[0], counts[1]
