"""Lines of words and numbers: GloVe's form, word2vec's text form, fastText's ``.vec``, CSV, TSV.

A look-up is one pass that checks every line; memory grows with the answer, not with the file.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import BinaryIO, TypeVar

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SourceError
from eatlas.sources.archives import Content
from eatlas.sources.files.dialects import (
    HEAD_BYTES,
    NUMERIC,
    Dialect,
    decode,
    encoding_of,
    parse_components,
    table_dialect,
    text_dialect,
)
from eatlas.sources.files.matrix import Chunk, regroup
from eatlas.sources.files.sequential import SequentialSource, index_of
from eatlas.sources.interface import CHUNK, Vector

BLOCK = 1 << 20
MAX_LINE = 1 << 26  # 2.5 million numbers of 25 characters
COMPILE_FROM = 8 << 20
"""Bytes from which numbers are parsed in compiled code; parsing in Python is ten times slower."""
_NEWLINE = 10
# A fault in a small file is said before any work begins.
_CHECKED_AT_ONCE = 1 << 20
Part = TypeVar("Part", "LineRows", "Chunk")


class TextSource(SequentialSource):
    """Words and vectors, one a line."""

    def __init__(self, content: Content, dialect: Dialect, *, name: str, index: str) -> None:
        super().__init__(
            content, name=name, index=index, reading=repr(dialect), encoding=dialect.encoding
        )
        self.dialect = dialect

    @property
    def dim(self) -> int:
        """Number of components of every vector."""
        return self.dialect.dim

    @property
    def expected(self) -> int | None:
        """How many words there are, where the first line or an index says it."""
        return self.dialect.announced or super().expected

    def check(self) -> None:
        """Read the whole file once; what is wrong with it is said."""
        for _ in self._parts():
            pass

    def iter_chunks(self, rows: int = CHUNK, /) -> Iterator[Chunk]:
        """Every word and vector, `rows` rows at a time."""
        size = self.content.stamp.size * (1 if self.content.plain else 4)
        compiled = size >= COMPILE_FROM
        return regroup(self._read(Lines.parsed if compiled else Lines.chunk), rows, self.dim)

    def _parts(self) -> Iterator[LineRows]:
        return self._read(Lines.rows)

    def _read(self, what: Callable[[Lines], Part]) -> Iterator[Part]:
        """Read the whole file, block by block, in one of the ways that :class:`Lines` offers."""
        rows = 0
        with self.content.open() as file:
            for lines in read_lines(file, self.dialect, self.content.label):
                part = what(lines)
                rows += len(part.words)
                yield part
        self._check_count(rows)

    def _read_at(self, file: BinaryIO, start: int, word: bytes) -> Vector | None:
        """Parse the line at a place, if it is that of the word."""
        file.seek(start)
        size, line = 32 * (self.dim + 2), b""
        while b"\n" not in line and len(line) < MAX_LINE and (part := file.read(size)):
            line += part
        line = self.dialect.stripped(line.split(b"\n", 1)[0])
        where = f"{self.content.label}, byte {start}"
        try:
            there, fields = self.dialect.split(line, where)
        except SourceError:
            return None
        return parse_components(fields, where) if there == word else None

    def _check_count(self, rows: int) -> None:
        """Compare the number of rows with the header."""
        announced = self.dialect.announced
        if announced is None or announced == rows:
            if rows:
                return
            raise SourceError(f"{self.content.label}: the file holds no vectors")
        early = rows < announced
        raise SourceError(
            f"{self.content.label}: the file {'ends early' if early else 'has too many lines'}",
            got=f"{rows} vectors",
            allowed=f"{announced} vectors, as its first line announces",
            remedy="get it again; the copy is probably incomplete"
            if early
            else "correct the first line, or find out what was added",
        )


def open_text(content: Content, options: Mapping[str, str], name: str) -> TextSource:
    """Open text: GloVe's form, or word2vec's with a header."""
    return _opened(content, options, name, text_dialect)


def open_table(content: Content, options: Mapping[str, str], name: str) -> TextSource:
    """Open a CSV or TSV file: a term and its numbers a row."""
    return _opened(content, options, name, table_dialect)


def _opened(
    content: Content,
    options: Mapping[str, str],
    name: str,
    dialect_of: Callable[[bytes, str, str], Dialect],
) -> TextSource:
    """Open text in the dialect of its first lines; small files are checked at once."""
    label = content.label
    dialect = dialect_of(content.head(HEAD_BYTES), label, encoding_of(options, label))
    source = TextSource(content, dialect, name=name, index=index_of(options, label))
    if content.stamp.size <= _CHECKED_AT_ONCE:
        source.check()
    return source


@dataclass(frozen=True)
class LineRows:
    """Lines that hold vectors: their words, checked, and where they begin in the file."""

    lines: Lines
    chosen: Sequence[int]
    words: list[bytes]
    starts: NDArray[np.int64]

    def vector(self, k: int) -> Vector:
        """Parse the numbers of a line."""
        lines, number = self.lines, self.chosen[k]
        _, fields = lines.dialect.split(lines.line(number), lines.where(number))
        return parse_components(fields, lines.where(number))


@dataclass(frozen=True)
class Lines:
    """Some whole lines of a file, not looked at yet.

    ``offset`` is where they begin in the file, ``number`` the number of the first.
    """

    data: bytes
    offset: int
    number: int
    label: str
    dialect: Dialect

    def where(self, k: int) -> str:
        """Name a line in a message."""
        return f"{self.label}, line {self.number + k}"

    @cached_property
    def buffer(self) -> NDArray[np.uint8]:
        """The bytes as an array."""
        return np.frombuffer(self.data, np.uint8)

    @cached_property
    def ends(self) -> NDArray[np.int64]:
        """Where each line ends in the data."""
        return np.flatnonzero(self.buffer == _NEWLINE)

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """Where each line begins in the data."""
        return np.concatenate([[0], self.ends[:-1] + 1])

    def line(self, k: int) -> bytes:
        """A line, without what may follow its last number."""
        return self.dialect.stripped(self.data[self.starts[k] : self.ends[k]])

    def rows(self) -> LineRows:
        """Find and check the words of the lines."""
        chosen: Sequence[int] = range(len(self.ends))
        words = self._common_words()
        if words is None:
            chosen = [k for k in chosen if self._holds_vector(k)]
            words = [self.dialect.split(self.line(k), self.where(k))[0] for k in chosen]
        return LineRows(self, chosen, words, self.offset + self.starts[list(chosen)])

    def _common_words(self) -> list[bytes] | None:
        """Words of the lines, if every line has the common form; None if one must be looked at.

        The common form is a word without a separator, and `dim` numbers, each behind one separator
        and without a byte that is no part of numbers. Fields such as ``1e`` or ``-`` pass; they are
        found when the vector is parsed.
        """
        separator, count, dim = self.dialect.separator, len(self.ends), self.dialect.dim
        places = np.flatnonzero(self.buffer == separator[0])
        # fastText and word2vec write a space behind the last number
        spaced = count > 0 and self.buffer[self.ends[0] - 1] == separator[0]
        trailing = int(spaced and not self.dialect.table)
        if len(places) != count * (dim + trailing) or self.number < self.dialect.first_line:
            return None
        columns, ends = places.reshape(count, dim + trailing), self.ends - trailing
        if trailing and (columns[:, -1] != ends).any():
            return None
        first, last = columns[:, 0], columns[:, dim - 1]
        if (first < self.starts).any() or (last + 1 >= ends).any():
            return None
        if (np.diff(columns[:, :dim]) == 1).any() or (self.dialect.table and b'"' in self.data):
            return None
        pairs = zip(self.starts.tolist(), first.tolist(), strict=True)
        words = [self.data[start:end] for start, end in pairs]
        joined, numeric = b"".join(words), NUMERIC + separator + b"\r\n"
        # bytes that are no part of numbers belong to the words, or are a fault
        if len(self.data.translate(None, numeric)) != len(joined.translate(None, numeric)):
            return None
        if not joined.isascii():
            for k, word in enumerate(words):
                decode(word, self.dialect.encoding, self.where(k))
        return words

    def chunk(self) -> Chunk:
        """Words and vectors, parsed in Python."""
        rows = self.rows()
        words = [word.decode(self.dialect.encoding) for word in rows.words]
        vectors = np.empty((len(words), self.dialect.dim), np.float32)
        for k in range(len(words)):
            vectors[k] = rows.vector(k)
        return Chunk(words, vectors)

    def parsed(self) -> Chunk:
        """Words and vectors, parsed in compiled code; in Python, if a line has another form."""
        from eatlas.sources.files.number_parsing import parse  # noqa: PLC0415  (compiles on import)

        dialect, count = self.dialect, len(self.ends)
        vectors = np.empty((count, dialect.dim), np.float32)
        word_ends, done = np.empty(count, np.int64), np.zeros(count, np.bool_)
        separator = np.uint8(dialect.separator[0])
        parse(self.buffer, self.ends, separator, dialect.table, word_ends, vectors, done)
        if not done.all() or self.number < dialect.first_line:
            return self.chunk()
        pairs = enumerate(zip(self.starts.tolist(), word_ends.tolist(), strict=True))
        words = [
            decode(self.data[start:end], dialect.encoding, self.where(k))
            for k, (start, end) in pairs
        ]
        return Chunk(words, vectors)

    def _holds_vector(self, k: int) -> bool:
        """Whether a line is neither blank nor a header."""
        return self.number + k >= self.dialect.first_line and bool(self.line(k).strip())


def read_lines(file: BinaryIO, dialect: Dialect, label: str) -> Iterator[Lines]:
    """Read a file as blocks of whole lines, from its beginning."""
    kept, offset, number = file.read(len(codecs.BOM_UTF8)), 0, 1
    if kept == codecs.BOM_UTF8:
        kept, offset = b"", len(kept)
    while data := file.read(BLOCK):
        end = data.rfind(b"\n") + 1
        if not end:
            kept += data
            if len(kept) >= MAX_LINE:
                raise SourceError(
                    f"{label}, line {number}: this line is too long for a vector",
                    got=f"more than {len(kept):,} bytes",
                    allowed="a word and its numbers on a line",
                )
            continue
        lines = Lines(kept + data[:end], offset, number, label, dialect)
        yield lines
        offset, number = offset + len(lines.data), number + lines.data.count(b"\n")
        kept = data[end:]
    if kept:
        end_of_file = b"" if kept.endswith(b"\n") else b"\n"
        yield Lines(kept + end_of_file, offset, number, label, dialect)
