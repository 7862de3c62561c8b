"""Files whose words are found by reading them from end to end: text, and word2vec's binary form.

A look-up reads the whole file once, checks every row, and needs memory for the answer alone; of a
large file it keeps the words and their places in the cache folder, so that the next one reads
these and the rows that are wanted.

An index states path, size, times and inode of its file and the way of reading. The inode and the
time of its change cannot be chosen, so one of another file or of an earlier state is not believed;
one that is damaged, or that leads to another word, is made anew. ``eatlas verify`` uses none.
"""

from __future__ import annotations

import codecs
import hashlib
import io
from abc import abstractmethod
from array import array
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import ResultsError, SourceError
from eatlas.folders import cache_folder
from eatlas.sources.archives import Content, incomplete, open_binary
from eatlas.sources.interface import CHUNK, Vector, cut
from eatlas.sources.memory import MAX_COMPONENTS, Chunk, check_finite
from eatlas.sources.source import VectorTable
from eatlas.sources.spec import choice
from eatlas.untrusted import computes_afresh
from eatlas.writing import atomic_file

HEAD_BYTES = 1 << 20
_INDEX_FROM = 64 << 20  # a pass over less takes well below a second
_SLOW_PACKED = 32 << 20
_BLOCK = 1 << 17  # larger ones cost more in fresh pages than they save in calls
_LARGEST = 1 << 30
_MAX_LINE = 1 << 26  # 2.5 million numbers of 25 characters
_MAX_WORD = 4096  # word2vec cuts words at 100 bytes; phrases of other tools are longer
_NUMERIC = b"0123456789+-.eE "
"""Bytes of numbers as files write them, and what separates them."""
_ENCODINGS = {"utf-8": "utf-8", "utf8": "utf-8", "latin-1": "latin-1", "latin1": "latin-1"}


class Rows(NamedTuple):
    """Some rows of a file: words, where they begin in it, and numbers as it has them."""

    words: list[str]
    starts: list[int]
    numbers: list[bytes]


class Index(NamedTuple):
    """The words of a file in UTF-8, where its rows begin and the last ends, its hash."""

    words: list[bytes]
    starts: NDArray[np.int64]
    sha256: str


class SequentialSource(VectorTable):
    """A file whose words are found by a pass, or by an index: word, space, numbers."""

    def __init__(self, content: Content, options: Mapping[str, str], name: str) -> None:
        super().__init__(name)
        encoding = options.get("encoding", "utf-8").lower()
        self.encoding_of_words = _ENCODINGS[choice(encoding, _ENCODINGS, "encoding", content.label)]
        self.content = content
        large = content.plain and content.stamp.size >= _INDEX_FROM
        self._indexed = large and not computes_afresh()
        self._index: Index | None = None
        self._vectors: dict[str, Vector | None] = {}
        self._sha256 = ""
        self._dim, self.announced = self.read_head(content.head(HEAD_BYTES))

    @abstractmethod
    def read_head(self, head: bytes) -> tuple[int, int | None]:
        """The dimension, and the number of rows where the file begins with it."""

    @abstractmethod
    def read(self, digest: Any) -> Iterator[Rows]:
        """Read the whole file once, checking every row."""

    @abstractmethod
    def parsed(self, words: Sequence[str], rows: Sequence[bytes]) -> NDArray[np.float32]:
        """The numbers of some rows, finite, shape (len(words), dim)."""

    @property
    def dim(self) -> int:
        """Number of components of every vector."""
        return self._dim

    @property
    def fingerprint(self) -> str:
        """Hash of the file's bytes; of the bytes inside, if it is compressed."""
        if not self._sha256 and (index := self.index()):
            self._sha256 = index.sha256
        if not self._sha256:
            with self.content.open() as file:
                self._sha256 = hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]
        return f"sha256:{self._sha256}"

    @property
    def expected(self) -> int | None:
        """How many words there are, where the first line or an index says it."""
        return self.announced if self._index is None else len(self._index.words)

    @property
    def in_passes(self) -> bool:
        """Whether there is no index, and will be none after the first look-up."""
        return not self._indexed

    @property
    def slow_to_list(self) -> bool:
        """Whether a second look at all words takes more than a second, with or without an index."""
        return not self.content.plain and self.content.stamp.size > _SLOW_PACKED

    def rows(self) -> Iterator[Rows]:
        """All rows, in the order of the file, which is hashed by the way."""
        digest = hashlib.sha256()
        yield from self.read(digest)
        self._sha256 = digest.hexdigest()

    def rows_of(self, raws: list[bytes], starts: list[int], numbers: list[bytes]) -> Rows:
        """Rows with their words as text."""
        try:
            return Rows([raw.decode(self.encoding_of_words) for raw in raws], starts, numbers)
        except UnicodeDecodeError as error:
            place = starts[raws.index(error.object)]
            encoding = self.encoding_of_words.upper()
            raise SourceError(
                f"{self.content.label}, byte {place}: the file is not {encoding}",
                got=f"byte 0x{error.object[error.start]:02x}",
                remedy="convert it, for example: iconv -f latin1 -t utf-8; or say what it is: "
                "?encoding=latin-1",
            ) from error

    def vocabulary(self) -> Iterator[str]:
        """Every word, in the order of the file."""
        index = self.index()
        if index is None:
            yield from (word for rows in self.rows() for word in rows.words)
        else:
            self.content.stamp.check(self.content.path)
            yield from (word.decode() for word in index.words)

    def iter_chunks(self, rows: int = CHUNK, /) -> Iterator[Chunk]:
        """Every word and vector, `rows` rows at a time, or as many as take 1 GiB."""
        pairs = (
            pair for some in self.rows() for pair in zip(some.words, some.numbers, strict=True)
        )
        for chunk in cut(pairs, max(1, min(rows, _LARGEST // (4 * self.dim)))):
            words = [word for word, _ in chunk]
            yield Chunk(words, self.parsed(words, [numbers for _, numbers in chunk]))

    def lookup(self, keys: Collection[str]) -> Mapping[str, Vector]:
        """Return the vectors of those keys that the file has; one pass for all new keys."""
        if new := {key for key in keys if key not in self._vectors}:
            vectors = self._by_index(new)
            if vectors is None:
                vectors = self._by_pass(new)
            self._vectors |= dict.fromkeys(new) | vectors
        answers = ((key, self._vectors[key]) for key in keys)
        return {key: vector for key, vector in answers if vector is not None}

    def _by_pass(self, new: set[str]) -> dict[str, Vector]:
        """Read the whole file, find the words, and keep the index, where there is to be one."""
        vectors: dict[str, Vector] = {}
        words, starts, end = bytearray(), array("q"), 0
        for rows in self.rows():
            if not new.isdisjoint(rows.words):
                for word, numbers in zip(rows.words, rows.numbers, strict=True):
                    if word in vectors:
                        self._repeated.add(word)
                    elif word in new:
                        vectors[word] = self.parsed([word], [numbers])[0]
            if self._indexed:
                words += "".join(f"{word}\n" for word in rows.words).encode()
                starts.extend(rows.starts)
                last = rows.words[-1].encode(self.encoding_of_words)
                end = rows.starts[-1] + len(last) + 1 + len(rows.numbers[-1])
        if self._indexed:
            starts.append(end)
            self._write(bytes(words[:-1]), np.array(starts, np.int64))
        return vectors

    def _by_index(self, new: set[str]) -> dict[str, Vector] | None:
        """Answers from the index; None if there is none that can be relied on."""
        index = self.index()
        if index is None:
            return None
        places: dict[str, int] = {}
        wanted = {word.encode("utf-8", "replace"): word for word in new}
        for place, raw in enumerate(index.words):
            if raw in wanted and places.setdefault(wanted[raw], place) != place:
                self._repeated.add(wanted[raw])
        vectors: dict[str, Vector] = {}
        with open_binary(self.content.path) as file:
            for word, place in places.items():
                start, end = map(int, index.starts[place : place + 2])
                file.seek(start)
                begin = word.encode(self.encoding_of_words) + b" "
                row = file.read(max(0, end - start))
                if not row.startswith(begin):
                    self._index = None
                    return None
                vectors[word] = self.parsed([word], [row[len(begin) :]])[0]
        self.content.stamp.check(self.content.path)
        return vectors

    # --- the index in the cache folder ------------------------------------------------------------

    def index(self) -> Index | None:
        """The index of the file as it is now, if there is one that can be relied on."""
        if self._indexed and self._index is None:
            with suppress(OSError, ValueError):  # damaged: it is made anew
                head, _, body = self._path().read_bytes().partition(b"\n")
                state, sha256, digest, size = head.decode().split()
                if state == self._state() and hashlib.sha256(body).hexdigest() == digest:
                    starts = np.frombuffer(body, np.int64, int(size))
                    words = body[starts.nbytes :].split(b"\n")
                    if len(words) + 1 == len(starts):  # else a word holds a line break
                        self._index = Index(words, starts, sha256)
        return self._index

    def _write(self, words: bytes, starts: NDArray[np.int64]) -> None:
        """Keep an index, in place of that of an earlier state of the file."""
        body = starts.tobytes() + words
        head = f"{self._state()} {self._sha256} {hashlib.sha256(body).hexdigest()} {len(starts)}\n"
        with suppress(ResultsError), atomic_file(self._path(), binary=True) as file:
            file.write(head.encode() + body)

    def _path(self) -> Path:
        """Where the index of the file lies, or will."""
        name = hashlib.sha256(str(self.content.path.absolute()).encode()).hexdigest()
        return cache_folder() / "indexes" / f"{name[:32]}.index"

    def _state(self) -> str:
        """Hash of what makes an index that of the file as it is now."""
        path, stamp = self.content.path.absolute(), self.content.stamp
        now = path.stat()
        facts = (str(path), stamp.size, stamp.mtime_ns, now.st_ctime_ns, now.st_ino,
                 type(self).__name__, self.encoding_of_words)  # fmt: skip
        return hashlib.sha256(repr(facts).encode()).hexdigest()


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


def is_number(field: bytes | str) -> bool:
    """Whether a field reads as a number; unlike Python, files do not take 1_000 for one."""
    try:
        float(field)
    except ValueError:
        return False
    return "_" not in str(field)


def trailing_numbers(line: bytes) -> int:
    """How many numbers a line ends with; its first field is the word, number or not."""
    fields = line.rstrip().split(b" ")
    return len(fields) - 1 if len(fields) > 1 and is_number(fields[-1]) else 0


class TextSource(SequentialSource):
    """Words and vectors, one a line, perhaps below a line ``count dimension``."""

    def read_head(self, head: bytes) -> tuple[int, int | None]:
        """What the first lines say."""
        label, lines = self.content.label, numbered_lines(head)
        if not lines:
            raise SourceError(f"{label}: the file is empty", allowed="a word and its vector a line")
        self._first, first = lines[0]
        dim, announced, header = trailing_numbers(first), None, announcement(first)
        # two whole numbers are no header if the next line has one number as well
        if header and (header[1] == 1 or len(lines) == 1 or len(lines[1][1].split()) != 2):
            announced, dim = header
            self._first += 1
        if not 0 < dim <= MAX_COMPONENTS:
            raise SourceError(
                f"{label}, line {lines[0][0]}: this is not a word and its vector",
                got=repr(first[:60].decode("utf-8", "replace")),
                allowed=f"a word and 1 to {MAX_COMPONENTS:,} numbers, separated by spaces",
            )
        return dim, announced

    def read(self, digest: Any) -> Iterator[Rows]:
        """Read line by line, and compare the number of rows with the header."""
        label, count, start = self.content.label, 0, 0
        raws: list[bytes] = []
        starts: list[int] = []
        rows: list[bytes] = []
        with self.content.open(digest) as file:
            if file.peek(3).startswith(codecs.BOM_UTF8):  # type: ignore[attr-defined]
                start = len(file.read(len(codecs.BOM_UTF8)))
            for number, line in enumerate(iter(partial(file.readline, _MAX_LINE), b""), 1):
                row = line.rstrip()
                if row and number >= self._first:
                    raw, numbers = self._cut(row, number)
                    raws.append(raw)
                    starts.append(start)
                    rows.append(numbers)
                    count += 1
                start += len(line)
                if starts and start - starts[0] > _BLOCK:
                    yield self.rows_of(raws, starts, rows)
                    raws, starts, rows = [], [], []
            if starts:
                yield self.rows_of(raws, starts, rows)
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

    def _cut(self, row: bytes, number: int) -> tuple[bytes, bytes]:
        """The word of a line, which may hold spaces itself, and its numbers.

        Numbers such as ``1e`` pass; they are found when the vector is parsed.
        """
        if row.count(b" ") == self._dim:
            word, _, numbers = row.partition(b" ")
        else:
            word, *fields = row.rsplit(b" ", self._dim)
            last = word.rpartition(b" ")[2]
            if len(fields) < self._dim or (last != word and is_number(last)):
                before = "on the lines before" if self.announced is None else "the first line says"
                raise SourceError(
                    f"{self.content.label}, line {number}: a vector of the wrong length",
                    got=f"{row.count(b' ')} numbers",
                    allowed=f"{self._dim} numbers, as {before}",
                )
            numbers = b" ".join(fields)
        if numbers.translate(None, _NUMERIC):
            _floats(numbers, f"{self.content.label}, line {number}")
        return word, numbers

    def parsed(self, words: Sequence[str], rows: Sequence[bytes]) -> NDArray[np.float32]:
        """Parse many rows by pandas, and few, or what it does not take, one by one."""
        if len(rows) > 1:
            import pandas as pd  # noqa: PLC0415  (a look-up does without)

            text = io.BytesIO(b"\n".join(rows))
            with suppress(ValueError), np.errstate(over="ignore"):
                frame = pd.read_csv(
                    text, sep=" ", header=None, quoting=3, na_filter=False, dtype=np.float64
                )
                array: NDArray[np.float32] = frame.to_numpy().astype(np.float32)
                if array.shape == (len(rows), self._dim) and np.isfinite(array).all():
                    return array
        labels = (f"{self.content.label}, the vector of {word!r}" for word in words)
        return np.stack([_floats(row.rstrip(), at) for row, at in zip(rows, labels, strict=True)])


def _floats(numbers: bytes, label: str) -> Vector:
    """Parse the components of one vector as float32."""
    try:
        components = [float(field) for field in numbers.split(b" ")]
        if b"_" in numbers:
            raise ValueError(f"could not convert: {numbers[:60]!r}")
    except ValueError as error:
        raise SourceError(
            f"{label}: a component is not a number", got=str(error).rpartition(": b")[2][:60]
        ) from error
    with np.errstate(over="ignore"):
        vector: Vector = np.array(components).astype(np.float32)
    check_finite(vector, label)
    return vector


# --- word2vec's binary form -----------------------------------------------------------------------


class Word2VecBinarySource(SequentialSource):
    """``count dim``, then word, space, dim float32, with or without line breaks after vectors."""

    def read_head(self, head: bytes) -> tuple[int, int | None]:
        """What the first line says."""
        line, newline, _ = head.partition(b"\n")
        count, dim = (announcement(line) if newline else None) or (0, 0)
        if not 0 < dim <= MAX_COMPONENTS or not count:
            raise SourceError(
                f"{self.content.label}: the header of word2vec's binary form is not there",
                got=repr(line[:40].decode("utf-8", "replace")),
                allowed=f"a line with the number of words and the dimension, to {MAX_COMPONENTS}",
            )
        size = self.content.stamp.size
        if self.content.plain and size < len(line) + 1 + count * (4 * dim + 1):
            raise self._ends_early(f"{size} bytes", count, dim)
        return dim, count

    def read(self, digest: Any) -> Iterator[Rows]:
        """Read all records, block by block; line breaks may precede words."""
        size, count, done = 4 * self._dim, self.announced or 0, 0
        with self.content.open(digest) as file:
            start, data = len(file.readline()), b""
            while done < count:
                block = file.read(_BLOCK + size)
                data, at = data + block, 0
                raws: list[bytes] = []
                starts: list[int] = []
                rows: list[bytes] = []
                for _ in range(count - done):
                    space = data.find(b" ", at, at + _MAX_WORD)
                    if space < 0 or space + size >= len(data):
                        break
                    raws.append(raw := data[at:space].lstrip(b"\n"))
                    starts.append(start + space - len(raw))
                    at = space + 1 + size
                    rows.append(data[space + 1 : at])
                if raws:
                    yield self.rows_of(raws, starts, rows)
                done, start, data = done + len(raws), start + at, data[at:]
                if done < count and len(data) >= _MAX_WORD and b" " not in data[:_MAX_WORD]:
                    raise SourceError(
                        f"{self.content.label}, vector {done + 1}: there is no word here",
                        got=repr(data[:20]),
                        allowed=f"a word to {_MAX_WORD} bytes, a space, {self._dim} numbers",
                        remedy="the header's dimension may be wrong, or the file damaged",
                    )
                if done < count and not block:
                    raise self._ends_early(f"{done} vectors", count, self._dim)
            if (data + file.read(2)).strip(b"\n"):
                raise SourceError(
                    f"{self.content.label}: the file continues after the last vector",
                    got=f"more than {count} vectors of {self._dim} numbers",
                    allowed="what its header announces",
                    remedy="correct the header, or get the file again",
                )

    def _ends_early(self, got: str, count: int, dim: int) -> SourceError:
        announced = f"{count} vectors of {dim} numbers, as its header announces"
        return incomplete(f"{self.content.label}: the file ends early", got, announced)

    def parsed(self, words: Sequence[str], rows: Sequence[bytes]) -> NDArray[np.float32]:
        """Numbers of records."""
        size = 4 * self._dim
        joined = b"".join(row[:size] for row in rows)
        array: NDArray[np.float32] = np.frombuffer(joined, "<f4").astype(np.float32)
        array = array.reshape(len(words), self._dim)
        between = f"{words[0]!r}" if len(words) == 1 else f"between {words[0]!r} and {words[-1]!r}"
        check_finite(array, f"{self.content.label}, {between}")
        return array
