"""Lines of a word and its numbers: GloVe's form, word2vec's text form, fastText's ``.vec``.

A look-up is one pass that checks every line; memory grows with the answer, not with the file.
"""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SourceError
from eatlas.sources.archives import Content
from eatlas.sources.files.matrix import MAX_COMPONENTS, Chunk, check_finite
from eatlas.sources.files.sequential import Part, SequentialSource
from eatlas.sources.interface import Vector
from eatlas.sources.spec import choice

HEAD_BYTES = 1 << 20
_BLOCK = 1 << 20
_MAX_LINE = 1 << 26  # 2.5 million numbers of 25 characters
_NUMERIC = b"0123456789+-.eE"
"""Bytes of numbers as files write them."""
_NEWLINE = 10
# A fault in a small file is said before any work begins.
_CHECKED_AT_ONCE = 1 << 20
_ENCODINGS = {"utf-8": "utf-8", "utf8": "utf-8", "latin-1": "latin-1", "latin1": "latin-1"}


def encoding_of(options: Mapping[str, str], label: str) -> str:
    """The encoding that the options name."""
    name = options.get("encoding", "utf-8").lower()
    return _ENCODINGS[choice(name, _ENCODINGS, "encoding", label)]


def decode(raw: bytes, encoding: str, label: str) -> str:
    """Decode a word."""
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError as error:
        raise SourceError(
            f"{label}: the file is not {encoding.upper()}",
            got=f"byte 0x{raw[error.start]:02x}",
            remedy="convert it, for example: iconv -f latin1 -t utf-8; or say what it is: "
            "?encoding=latin-1",
        ) from error


def parse_components(fields: Sequence[bytes], label: str) -> Vector:
    """Parse the components of one vector as float32."""
    try:
        numbers = [] if b"_" in b"".join(fields) else list(map(float, fields))
    except ValueError:
        numbers = []
    if not numbers:  # Python reads 1_000 as a number; files do not mean it so
        wrong = next(field for field in fields if not is_number(field))
        text = wrong[:60].decode("utf-8", "replace")
        raise SourceError(f"{label}: a component is not a number", got=repr(text))
    with np.errstate(over="ignore"):
        vector: Vector = np.array(numbers).astype(np.float32)
    check_finite(vector, label)
    return vector


def is_number(field: bytes) -> bool:
    """Whether a field reads as a number."""
    try:
        float(field)
    except ValueError:
        return False
    return b"_" not in field


# --- the first lines ------------------------------------------------------------------------------


def numbered_lines(head: bytes) -> list[tuple[int, bytes]]:
    """The first two lines that are not blank, with their numbers from 1."""
    lines = head.removeprefix(codecs.BOM_UTF8).split(b"\n", 64)
    numbered = [(i, line.rstrip(b"\r")) for i, line in enumerate(lines, 1) if line.strip()]
    return numbered[:2]


def announcement(line: bytes) -> tuple[int, int] | None:
    """Count and dimension, if a line holds nothing but two whole numbers."""
    fields = line.split()
    # longer numbers are no counts, and int() refuses those of thousands of digits
    if len(fields) == 2 and all(field.isdigit() and len(field) < 16 for field in fields):
        return int(fields[0]), int(fields[1])
    return None


def trailing_numbers(line: bytes) -> int:
    """How many numbers a line ends with; its first field is the word, number or not."""
    fields = line.rstrip(b" \t").split(_separator(line))
    return len(fields) - 1 if len(fields) > 1 and is_number(fields[-1]) else 0


def _separator(line: bytes) -> bytes:
    return b"\t" if line.count(b"\t") > line.count(b" ") else b" "


@dataclass(frozen=True)
class Dialect:
    """The form of all lines of a file, as its first lines show it."""

    separator: bytes
    dim: int
    first_line: int
    announced: int | None
    encoding: str

    @classmethod
    def of(cls, head: bytes, label: str, encoding: str) -> Dialect:
        """Read the head of a file: GloVe's form, or ``count dimension`` first."""
        lines = numbered_lines(head)
        if not lines:
            raise SourceError(f"{label}: the file is empty", allowed="a word and its vector a line")
        number, first = lines[0]
        announced = announcement(first)
        # two whole numbers are no header if the next line has one number as well
        vectors = lines[1:] and len(lines[1][1].split()) == 2
        if announced is not None and (announced[1] == 1 or not vectors):
            separator, dim = _separator(lines[-1][1]), announced[1]
            dialect = cls(separator, dim, number + 1, announced[0], encoding)
        else:
            dialect = cls(_separator(first), trailing_numbers(first), number, None, encoding)
        if not 0 < dialect.dim <= MAX_COMPONENTS:
            raise SourceError(
                f"{label}, line {number}: this is not a word and its vector",
                got=repr(first[:60].decode("utf-8", "replace")),
                allowed=f"a word and 1 to {MAX_COMPONENTS:,} numbers, separated by spaces or tabs",
            )
        return dialect

    def split(self, line: bytes, label: str) -> tuple[bytes, list[bytes]]:
        """Word and numbers of a line, checked as far as it can be done without parsing."""
        fields = line.split(self.separator)
        word = fields[: -self.dim]
        if not word or (len(word) > 1 and is_number(word[-1])):
            origin = "on the lines before" if self.announced is None else "the first line announces"
            raise SourceError(
                f"{label}: a vector of the wrong length",
                got=f"{len(fields) - 1} numbers",
                allowed=f"{self.dim} numbers, as {origin}",
            )
        numbers = fields[-self.dim :]
        if b"" in numbers or b"".join(numbers).translate(None, _NUMERIC):
            parse_components(numbers, label)  # says what is wrong, or accepts an odd spelling
        key = self.separator.join(word)
        decode(key, self.encoding, label)
        return key, numbers


# --- all lines ------------------------------------------------------------------------------------


class TextSource(SequentialSource):
    """Words and vectors, one a line."""

    def __init__(self, content: Content, dialect: Dialect, name: str) -> None:
        super().__init__(content, name=name, reading=repr(dialect), encoding=dialect.encoding)
        self.dialect = dialect
        if content.stamp.size <= _CHECKED_AT_ONCE:
            for _ in self.parts():
                pass

    @property
    def dim(self) -> int:
        """Number of components of every vector."""
        return self.dialect.dim

    @property
    def expected(self) -> int | None:
        """How many words there are, where the first line or an index says it."""
        return self.dialect.announced or super().expected

    def parts(self) -> Iterator[Lines]:
        """Read the whole file, block by block, and compare the number of rows with the header."""
        rows, announced, label = 0, self.dialect.announced, self.content.label
        with self.content.open() as file:
            for lines in _read_lines(file, self.dialect, label):
                yield lines
                rows += len(lines.words)
        if not rows:
            raise SourceError(f"{label}: the file holds no vectors")
        if announced not in (None, rows):
            early = rows < (announced or 0)
            raise SourceError(
                f"{label}: the file {'ends early' if early else 'has too many lines'}",
                got=f"{rows} vectors",
                allowed=f"{announced} vectors, as its first line announces",
                remedy="get it again; the copy is probably incomplete" if early else None,
            )

    def part(self, data: bytes, offset: int) -> Lines:
        """The line at a place."""
        data = data.removesuffix(b"\n") + b"\n"  # the last one may have no end
        return Lines(data, offset, self.dialect.first_line, self.content.label, self.dialect)


def open_text(content: Content, options: Mapping[str, str], name: str) -> TextSource:
    """Open text: GloVe's form, or word2vec's with a header."""
    encoding = encoding_of(options, content.label)
    return TextSource(content, Dialect.of(content.head(HEAD_BYTES), content.label, encoding), name)


def _read_lines(file: BinaryIO, dialect: Dialect, label: str) -> Iterator[Lines]:
    """Read a file as blocks of whole lines, from its beginning."""
    rest, offset, number = file.read(len(codecs.BOM_UTF8)), 0, 1
    if rest == codecs.BOM_UTF8:
        rest, offset = b"", len(rest)
    while data := file.read(_BLOCK):
        whole, newline, after = data.rpartition(b"\n")
        rest += whole + newline
        if newline:
            yield Lines(rest, offset, number, label, dialect)
            offset, number = offset + len(rest), number + rest.count(b"\n")
            rest = b""
        rest += after
        if len(rest) >= _MAX_LINE:
            raise SourceError(
                f"{label}, line {number}: this line is too long for a vector",
                got=f"more than {len(rest):,} bytes",
                allowed="a word and its numbers on a line",
            )
    if rest:
        end_of_file = b"" if rest.endswith(b"\n") else b"\n"
        yield Lines(rest + end_of_file, offset, number, label, dialect)


class Lines(Part):
    """Some whole lines of a file: words, checked, and vectors that are parsed when needed.

    ``offset`` is where they begin in the file, ``number`` the number of the first.
    """

    def __init__(self, data: bytes, offset: int, number: int, label: str, dialect: Dialect) -> None:
        self.data, self.number, self.label, self.dialect = data, number, label, dialect
        self.end = offset + len(data)
        self._buffer = np.frombuffer(data, np.uint8)
        self._ends = np.flatnonzero(self._buffer == _NEWLINE)
        starts = np.concatenate([[0], self._ends[:-1] + 1])
        self._rows: Sequence[int] = range(len(starts))
        """Lines that hold vectors, neither blank nor a header."""
        words = self._common_words(starts) if len(starts) > 1 else None
        self._common = words is not None
        self._starts = starts
        if words is None:
            first = dialect.first_line - number
            self._rows = [k for k in self._rows if k >= first and self._line(k).strip()]
            words = [dialect.split(self._line(k), self._where(k))[0] for k in self._rows]
        self.words: list[bytes] = words
        self.starts: NDArray[np.int64] = offset + starts[list(self._rows)]

    def _where(self, k: int) -> str:
        """Name a line in a message."""
        return f"{self.label}, line {self.number + k}"

    def _line(self, k: int) -> bytes:
        """A line, without what may follow its last number."""
        return self.data[self._starts[k] : self._ends[k]].rstrip(b" \t\r")

    def _common_words(self, starts: NDArray[np.int64]) -> list[bytes] | None:
        """Words of the lines, if every line has the common form; None if one must be looked at.

        The common form is a word without a separator, and `dim` numbers, each behind one separator
        and without a byte that is no part of numbers. Fields such as ``1e`` or ``-`` pass; they are
        found when the vector is parsed.
        """
        separator, count, dim = self.dialect.separator, len(self._ends), self.dialect.dim
        places = np.flatnonzero(self._buffer == separator[0])
        # fastText and word2vec write a space behind the last number
        trailing = int(count > 0 and self._buffer[self._ends[0] - 1] == separator[0])
        if len(places) != count * (dim + trailing) or self.number < self.dialect.first_line:
            return None
        columns, ends = places.reshape(count, dim + trailing), self._ends - trailing
        if trailing and (columns[:, -1] != ends).any():
            return None
        first, last = columns[:, 0], columns[:, dim - 1]
        if (first < starts).any() or (last + 1 >= ends).any():
            return None
        if (np.diff(columns[:, :dim]) == 1).any():
            return None
        pairs = zip(starts.tolist(), first.tolist(), strict=True)
        words = [self.data[start:end] for start, end in pairs]
        joined, numeric = b"".join(words), _NUMERIC + separator + b"\r\n"
        # bytes that are no part of numbers belong to the words, or are a fault
        if len(self.data.translate(None, numeric)) != len(joined.translate(None, numeric)):
            return None
        if not joined.isascii():
            for k, word in enumerate(words):
                decode(word, self.dialect.encoding, self._where(k))
        return words

    def vector(self, k: int) -> Vector:
        """Parse the numbers of a row."""
        number = self._rows[k]
        _, fields = self.dialect.split(self._line(number), self._where(number))
        return parse_components(fields, self._where(number))

    def chunk(self) -> Chunk:
        """All words and vectors: lines of the common form by pandas, others one by one."""
        words = [word.decode(self.dialect.encoding) for word in self.words]
        vectors = self._parsed() if self._common else None
        if vectors is None or not np.isfinite(vectors).all():
            vectors = np.empty((len(words), self.dialect.dim), np.float32)
            for k in range(len(words)):
                vectors[k] = self.vector(k)
        return Chunk(words, vectors)

    def _parsed(self) -> NDArray[np.float32] | None:
        """Numbers of lines of the common form; None where one is no number."""
        import pandas as pd  # noqa: PLC0415  (a look-up does without)

        frame = pd.read_csv(
            io.BytesIO(self.data.replace(b"\r\n", b"\n")),
            sep=self.dialect.separator.decode(),
            lineterminator="\n",
            header=None,
            usecols=range(1, self.dialect.dim + 1),
            quoting=3,
            na_filter=False,
            encoding=self.dialect.encoding,
        )
        if len(frame) != len(self.words) or any(kind.kind not in "fiu" for kind in frame.dtypes):
            return None
        with np.errstate(over="ignore"):
            return frame.to_numpy(np.float64).astype(np.float32)
