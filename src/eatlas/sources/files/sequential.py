"""Files whose words are found by reading them from end to end: text, and word2vec's binary form.

Lines of a word and its numbers (GloVe's form, word2vec's text form, fastText's ``.vec``), and
records of a word and float32 (GoogleNews), do not list the places of their words. A look-up reads
the whole file once, checks every row, and needs memory for the answer alone; of a large file it
keeps the words and their places in the cache folder, so that the next one reads these and the rows
that are wanted.

An index states path, size, times, inode, both ends and the way of reading. The inode and the time
of its change cannot be chosen, so one of another file or of an earlier state is not believed; one
that is damaged, or that leads to another word, is made anew. ``eatlas verify`` uses none.
"""

from __future__ import annotations

import codecs
import hashlib
import io
import re
from abc import abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import ResultsError, SourceError
from eatlas.folders import cache_folder
from eatlas.sources.archives import (
    Content,
    FileDigest,
    ends_hash,
    incomplete,
    open_binary,
    stream_hash,
)
from eatlas.sources.interface import CHUNK, Vector
from eatlas.sources.memory import MAX_COMPONENTS, Chunk, check_finite
from eatlas.sources.source import VectorTable
from eatlas.sources.spec import choice
from eatlas.untrusted import computes_afresh
from eatlas.writing import atomic_file

HEAD_BYTES = 1 << 20
_INDEX_FROM = 64 << 20  # a pass over less takes well below a second
_SPACE = 32
_SLOW_PACKED = 32 << 20
_BLOCK = 1 << 20
_LARGEST = 1 << 30
_MAX_LINE = 1 << 26  # 2.5 million numbers of 25 characters
_MAX_WORD = 4096  # word2vec cuts words at 100 bytes; phrases of other tools are longer
_NUMERIC = b"0123456789+-.eE"
"""Bytes of numbers as files write them."""
_ENCODINGS = {"utf-8": "utf-8", "utf8": "utf-8", "latin-1": "latin-1", "latin1": "latin-1"}


class Rows(NamedTuple):
    """Consecutive rows of a file."""

    words: list[bytes]
    starts: NDArray[np.int64]
    """Where each row begins in the file: its word, one byte, its components."""
    end: int
    """Where the last row ends in the file."""
    data: bytes
    """The bytes of the file from `offset` on, in which the rows are."""
    offset: int

    def numbers(self, row: int) -> bytes:
        """The components of a row as they are in the file, with what may follow them."""
        last = row + 1 == len(self.words)
        start = self.starts[row] + len(self.words[row]) + 1
        end = self.end if last else self.starts[row + 1]
        return self.data[start - self.offset : end - self.offset]


class Index(NamedTuple):
    """The words of a file, where its rows begin and the last ends, and the hash of the file."""

    words: list[bytes]
    starts: NDArray[np.int64]
    sha256: str


class SequentialSource(VectorTable):
    """A file whose words are found by a pass, or by an index."""

    between = b"\n"
    """A byte that no word holds."""
    ordered = True

    def __init__(self, content: Content, encoding: str, name: str) -> None:
        super().__init__(name)
        self.content, self.encoding_of_words = content, encoding
        self._indexed = (
            content.plain and content.stamp.size >= _INDEX_FROM and not computes_afresh()
        )
        self._index: Index | None = None
        self._vectors: dict[bytes, Vector | None] = {}
        self._digest = FileDigest([(content.path, content.stamp)])
        self._stream_digest = ""

    @abstractmethod
    def rows(self) -> Iterator[Rows]:
        """Read the whole file once, checking every row."""

    @abstractmethod
    def rows_at(self, data: bytes, offset: int) -> Rows:
        """Rows of some bytes of the file, which begin at `offset`."""

    @abstractmethod
    def vector(self, rows: Rows, row: int) -> Vector:
        """The vector of one of some rows, finite."""

    @abstractmethod
    def vectors_of(self, rows: Rows) -> NDArray[np.float32]:
        """The vectors of some rows, finite."""

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
        """Whether a second look at all words takes more than a second, with or without an index."""
        return not self.content.plain and self.content.stamp.size > _SLOW_PACKED

    def vocabulary(self) -> Iterator[str]:
        """Every word, in the order of the file."""
        index = self.index()
        if index:
            self.content.stamp.check(self.content.path)
        for words in [index.words] if index else (rows.words for rows in self.rows()):
            yield from (word.decode(self.encoding_of_words) for word in words)

    def iter_chunks(self, rows: int = CHUNK, /) -> Iterator[Chunk]:
        """Every word and vector, `rows` rows at a time, or as many as take 1 GiB."""
        return regrouped(self._chunks(), max(1, min(rows, _LARGEST // (4 * self.dim))))

    def _chunks(self) -> Iterator[Chunk]:
        for rows in self.rows():
            words = [word.decode(self.encoding_of_words) for word in rows.words]
            if words:
                yield Chunk(words, self.vectors_of(rows))

    def lookup(self, keys: Collection[str]) -> Mapping[str, Vector]:
        """Return the vectors of those keys that the file has; one pass for all new keys."""
        raw = {key: key.encode(self.encoding_of_words, "replace") for key in keys}
        raw = {key: word for key, word in raw.items() if word.decode(self.encoding_of_words) == key}
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
        for rows in self.rows():
            if not wanted.isdisjoint(rows.words):
                for row, word in enumerate(rows.words):
                    if word in vectors:
                        self._repeated.add(word)
                    elif word in wanted:
                        vectors[word] = self.vector(rows, row)
            if self._indexed and rows.words:
                words.append(self.between.join(rows.words))
                starts.append(rows.starts)
                end = rows.end
        if self._indexed:
            places = np.concatenate([*starts, [end]])
            self._write(self.between.join(words), places, self._digest.result())
        return vectors

    def _by_index(self, new: Collection[bytes]) -> Mapping[bytes, Vector] | None:
        """Answers from the index; None if there is none that can be relied on."""
        index = self.index()
        if index is None:
            return None
        places: dict[bytes, int] = {}
        for place, word in enumerate(index.words):
            if word in new and places.setdefault(word, place) != place:
                self._repeated.add(word)
        vectors: dict[bytes, Vector] = {}
        with open_binary(self.content.path) as file:
            for word, place in places.items():
                start, end = map(int, index.starts[place : place + 2])
                file.seek(start)
                rows = None
                with suppress(SourceError):
                    rows = self.rows_at(file.read(max(0, end - start)), start)
                if rows is None or rows.words != [word]:
                    self._index = None
                    return None
                vectors[word] = self.vector(rows, 0)
        self.content.stamp.check(self.content.path)
        return vectors

    # --- the index in the cache folder ------------------------------------------------------------

    def index(self) -> Index | None:
        """The index of the file as it is now, if there is one that can be relied on."""
        if self._indexed and self._index is None:
            with suppress(OSError, ValueError):  # damaged: it is made anew
                head, _, rest = self._path().read_bytes().partition(b"\n")
                state, sha256, digest, size = head.decode().split()
                if state == self._state() and hashlib.sha256(rest).hexdigest() == digest:
                    starts = np.frombuffer(rest, np.int64, int(size))
                    words = rest[starts.nbytes :].split(self.between)
                    self._index = Index(words, starts, sha256)
        return self._index

    def _write(self, words: bytes, starts: NDArray[np.int64], sha256: str) -> None:
        """Keep an index, in place of that of an earlier state of the file."""
        body = starts.tobytes() + words
        with suppress(ResultsError), atomic_file(self._path(), binary=True) as file:
            digest = hashlib.sha256(body).hexdigest()
            file.write(f"{self._state()} {sha256} {digest} {len(starts)}\n".encode() + body)
            self._index = Index(words.split(self.between), starts, sha256)

    def _path(self) -> Path:
        """Where the index of the file lies, or will."""
        name = hashlib.sha256(str(self.content.path.absolute()).encode()).hexdigest()
        return cache_folder() / "indexes" / f"{name[:32]}.index"

    def _state(self) -> str:
        """Hash of what makes an index that of the file as it is now."""
        path, stamp = self.content.path.absolute(), self.content.stamp
        now = path.stat()
        facts = (
            str(path), stamp.size, stamp.mtime_ns, now.st_ctime_ns, now.st_ino, ends_hash(path),
            type(self).__name__, self.encoding_of_words,
        )  # fmt: skip
        return hashlib.sha256(repr(facts).encode()).hexdigest()


def regrouped(pieces: Iterable[Chunk], rows: int) -> Iterator[Chunk]:
    """Cut chunks anew, so that each but the last has `rows` rows."""
    words: list[str] = []
    parts: list[NDArray[np.floating]] = []
    for piece in pieces:
        words += piece.words
        parts.append(piece.vectors)
        if len(words) >= rows:
            vectors = np.concatenate(parts)
            whole = len(words) - len(words) % rows
            for start in range(0, whole, rows):
                yield Chunk(words[start : start + rows], vectors[start : start + rows])
            words, parts = words[whole:], [vectors[whole:]]
    if words:
        yield Chunk(words, np.concatenate(parts))


# --- text -----------------------------------------------------------------------------------------


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


def is_number(field: bytes) -> bool:
    """Whether a field reads as a number; unlike Python, files do not take 1_000 for one."""
    try:
        float(field)
    except ValueError:
        return False
    return b"_" not in field


def separator_of(line: bytes) -> bytes:
    """What separates the fields of a line."""
    return b"\t" if line.count(b"\t") > line.count(b" ") else b" "


def trailing_numbers(line: bytes) -> int:
    """How many numbers a line ends with; its first field is the word, number or not."""
    fields = line.rstrip(b" \t").split(separator_of(line))
    return len(fields) - 1 if len(fields) > 1 and is_number(fields[-1]) else 0


def require_encoded(raw: bytes, encoding: str, label: str) -> None:
    """Refuse a word that is not in the encoding."""
    try:
        raw.decode(encoding)
    except UnicodeDecodeError as error:
        raise SourceError(
            f"{label}: the file is not {encoding.upper()}",
            got=f"byte 0x{raw[error.start]:02x}",
            remedy="convert it, for example: iconv -f latin1 -t utf-8; or say what it is: "
            "?encoding=latin-1",
        ) from error


class TextSource(SequentialSource):
    """Words and vectors, one a line, perhaps below a line ``count dimension``."""

    def __init__(self, content: Content, encoding: str, name: str) -> None:
        super().__init__(content, encoding, name)
        lines = numbered_lines(content.head(HEAD_BYTES))
        if not lines:
            raise SourceError(
                f"{content.label}: the file is empty", allowed="a word and its vector a line"
            )
        number, first = lines[0]
        announced = announcement(first)
        # two whole numbers are no header if the next line has one number as well
        vectors = lines[1:] and len(lines[1][1].split()) == 2
        self.announced: int | None = None
        self._separator, self._dim, self._first = (
            separator_of(first),
            trailing_numbers(first),
            number,
        )
        if announced is not None and (announced[1] == 1 or not vectors):
            self.announced, self._dim = announced
            self._separator, self._first = separator_of(lines[-1][1]), number + 1
        if not 0 < self._dim <= MAX_COMPONENTS:
            raise SourceError(
                f"{content.label}, line {number}: this is not a word and its vector",
                got=repr(first[:60].decode("utf-8", "replace")),
                allowed=f"a word and 1 to {MAX_COMPONENTS:,} numbers, separated by spaces or tabs",
            )
        if content.stamp.size <= HEAD_BYTES:  # a fault in a small file is said at once
            for _ in self.rows():
                pass

    @property
    def dim(self) -> int:
        """Number of components of every vector."""
        return self._dim

    @property
    def expected(self) -> int | None:
        """How many words there are, where the first line or an index says it."""
        return self.announced or super().expected

    def rows(self) -> Iterator[Rows]:
        """Read the whole file, block by block, and compare the number of rows with the header."""
        label, count = self.content.label, 0
        offset, number = 0, 1
        with self.content.open() as file:
            rest = file.read(len(codecs.BOM_UTF8))
            if rest == codecs.BOM_UTF8:
                rest, offset = b"", len(rest)
            while data := file.read(_BLOCK):
                whole, newline, after = data.rpartition(b"\n")
                rest += whole + newline
                if newline:
                    rows = self.rows_at(rest, offset, number)
                    yield rows
                    offset, number = offset + len(rest), number + rest.count(b"\n")
                    count, rest = count + len(rows.words), b""
                rest += after
                if len(rest) >= _MAX_LINE:
                    raise SourceError(
                        f"{label}, line {number}: this line is too long for a vector",
                        got=f"more than {len(rest):,} bytes",
                        allowed="a word and its numbers on a line",
                    )
            if rest:
                rows = self.rows_at(rest, offset, number)
                yield rows
                count += len(rows.words)
        if not count:
            raise SourceError(f"{label}: the file holds no vectors")
        if self.announced not in (None, count):
            early = count < (self.announced or 0)
            raise SourceError(
                f"{label}: the file {'ends early' if early else 'has too many lines'}",
                got=f"{count} vectors",
                allowed=f"{self.announced} vectors, as its first line announces",
                remedy="get it again; the copy is probably incomplete" if early else None,
            )

    def rows_at(self, data: bytes, offset: int, number: int | None = None) -> Rows:
        """Rows of whole lines; those of the common form are taken apart no further than the word.

        The common form is a word and `dim` numbers, each behind one separator. Fields such as
        ``1e`` pass; they are found when the vector is parsed.
        """
        separator, number = self._separator, self._first if number is None else number
        words: list[bytes] = []
        starts: list[int] = []
        lines: list[int] = []
        start = offset
        for line_number, whole in enumerate(data.split(b"\n"), start=number):
            line = whole.rstrip(b" \t\r")
            if line and line_number >= self._first:
                common = line.count(separator) == self._dim
                word = line[: line.find(separator)] if common else self._word(line, line_number)
                words.append(word)
                starts.append(start)
                lines.append(line_number)
            start += len(whole) + 1
        rows = Rows(words, np.array(starts, np.int64), offset + len(data), data, offset)
        joined, numeric = b"".join(words), _NUMERIC + separator + b" \t\r\n"
        # bytes that are no part of numbers belong to the words, or are a fault
        if len(data.translate(None, numeric)) != len(joined.translate(None, numeric)):
            for row, line_number in enumerate(lines):
                fields = rows.numbers(row).rstrip().split(separator)
                _floats(fields, f"{self.content.label}, line {line_number}")
        if not joined.isascii():
            for word, line_number in zip(words, lines, strict=True):
                label = f"{self.content.label}, line {line_number}"
                require_encoded(word, self.encoding_of_words, label)
        return rows

    def _word(self, line: bytes, number: int) -> bytes:
        """The word of a line in an odd form: one of several fields."""
        word, *numbers = line.rsplit(self._separator, self._dim)
        _, separator, last = word.rpartition(self._separator)
        if len(numbers) < self._dim or (separator and is_number(last)):
            announces = "the first line announces"
            raise SourceError(
                f"{self.content.label}, line {number}: a vector of the wrong length",
                got=f"{line.count(self._separator)} numbers",
                allowed=f"{self._dim} numbers, as "
                f"{'on the lines before' if self.announced is None else announces}",
            )
        return word

    def vector(self, rows: Rows, row: int) -> Vector:
        """Parse the numbers of a row."""
        word = rows.words[row].decode(self.encoding_of_words, "replace")
        label = f"{self.content.label}, the vector of {word!r}"
        return _floats(rows.numbers(row).rstrip().split(self._separator), label)

    def vectors_of(self, rows: Rows) -> NDArray[np.float32]:
        """Parse all numbers by pandas, or row by row where one of them is odd."""
        import pandas as pd  # noqa: PLC0415  (a look-up does without)

        lines = (rows.numbers(row).rstrip() for row in range(len(rows.words)))
        text = io.BytesIO(b"\n".join(lines))
        separator = self._separator.decode()
        frame = pd.read_csv(text, sep=separator, header=None, quoting=3, na_filter=False)
        if frame.shape == (len(rows.words), self._dim) and all(
            d.kind in "fiu" for d in frame.dtypes
        ):
            with np.errstate(over="ignore"):
                vectors = frame.to_numpy(np.float64).astype(np.float32)
            if np.isfinite(vectors).all():
                return vectors
        return np.stack([self.vector(rows, row) for row in range(len(rows.words))])


def _floats(fields: Sequence[bytes], label: str) -> Vector:
    """Parse the components of one vector as float32."""
    wrong = next((field for field in fields if not is_number(field)), None)
    if wrong is not None:
        text = wrong[:60].decode("utf-8", "replace")
        raise SourceError(f"{label}: a component is not a number", got=repr(text))
    with np.errstate(over="ignore"):
        vector: Vector = np.array([float(field) for field in fields]).astype(np.float32)
    check_finite(vector, label)
    return vector


# --- word2vec's binary form -----------------------------------------------------------------------


class Word2VecBinarySource(SequentialSource):
    """``count dim``, then word, space, dim float32, with or without line breaks after vectors."""

    between = b" "

    def __init__(self, content: Content, encoding: str, name: str) -> None:
        super().__init__(content, encoding, name)
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

    def rows(self) -> Iterator[Rows]:
        """Read all records, block by block."""
        block = max(4 * _BLOCK, 2 * (_MAX_WORD + 4 * self._dim))
        rest, offset, done = b"", self._start, 0
        with self.content.open() as file:
            file.read(self._start)
            while done < self._count:
                rest += file.read(block - len(rest))
                rows = self.rows_at(rest, offset, self._count - done)
                if not rows.words:
                    raise self._no_record(rest, done)
                yield rows
                done += len(rows.words)
                rest, offset = rest[rows.end - offset :], rows.end
            if (rest + file.read(2)).strip(b"\n"):
                raise SourceError(
                    f"{self.content.label}: the file continues after the last vector",
                    got=f"more than {self._count} vectors of {self._dim} numbers",
                    allowed="what its header announces",
                    remedy="correct the header, or get the file again",
                )

    def rows_at(self, data: bytes, offset: int, most: int | None = None) -> Rows:
        """Whole records at the beginning of some bytes; line breaks may precede words."""
        size = 4 * self._dim
        pattern = rb"([^ ]{0,%d}+) .{%d}" % (_MAX_WORD - 1, size)
        words = re.findall(pattern, data, re.DOTALL)
        spaces = np.cumsum(np.fromiter(map(len, words), np.int64, len(words)) + 1 + size) - 1 - size
        # where a word is missing the pattern skips bytes, and the words do not follow one another
        buffer = np.frombuffer(data, np.uint8)
        if len(words) and (spaces[-1] >= len(data) or (buffer[spaces] != _SPACE).any()):
            match = re.match(pattern, data, re.DOTALL)
            words = [match[1]] if match else []
            spaces = np.array([len(word) for word in words], np.int64)
        words, spaces = [word.lstrip(b"\n") for word in words[:most]], spaces[:most]
        starts = offset + spaces - np.fromiter(map(len, words), np.int64, len(words))
        end = int(spaces[-1]) + 1 + size if words else 0
        if not b"".join(words).isascii():
            for word, start in zip(words, starts.tolist(), strict=True):
                require_encoded(word, self.encoding_of_words, f"{self.content.label}, byte {start}")
        return Rows(words, starts, offset + end, data, offset)

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

    def vector(self, rows: Rows, row: int) -> Vector:
        """Numbers of one record."""
        vector: Vector = np.frombuffer(rows.numbers(row), "<f4", self._dim).astype(np.float32)
        word = rows.words[row].decode(self.encoding_of_words, "replace")
        check_finite(vector, f"{self.content.label}, {word!r}")
        return vector

    def vectors_of(self, rows: Rows) -> NDArray[np.float32]:
        """Numbers of all records."""
        data = np.frombuffer(rows.data, np.uint8)
        windows = np.lib.stride_tricks.sliding_window_view(data, 4 * self._dim)
        lengths = np.fromiter(map(len, rows.words), np.int64, len(rows.words))
        taken = windows[rows.starts + lengths + 1 - rows.offset].view("<f4")
        vectors: NDArray[np.float32] = taken.astype(np.float32)
        first, last = (rows.words[i].decode(self.encoding_of_words, "replace") for i in (0, -1))
        check_finite(vectors, f"{self.content.label}, between {first!r} and {last!r}")
        return vectors


def open_text(content: Content, options: Mapping[str, str], name: str) -> SequentialSource:
    """Open text: GloVe's form, or word2vec's with a header."""
    return TextSource(content, encoding_of(options, content.label), name)


def open_word2vec(content: Content, options: Mapping[str, str], name: str) -> SequentialSource:
    """Open a binary file of word2vec."""
    return Word2VecBinarySource(content, encoding_of(options, content.label), name)


def encoding_of(options: Mapping[str, str], label: str) -> str:
    """The encoding that the options name."""
    name = options.get("encoding", "utf-8").lower()
    return _ENCODINGS[choice(name, _ENCODINGS, "encoding", label)]
