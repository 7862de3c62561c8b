"""The text format of word2vec, which GloVe and fastText write too, and its binary format.

A look-up reads the whole file once, checks every row, and needs memory for the answer alone; of a
large file it keeps the words and their places in the cache folder, so that the next one reads
these and the rows that are wanted.

An index is called by path, size, times and inode of its file and the way of reading. The inode and
the time of its change cannot be chosen, so that of an earlier state is not found; one that is
damaged, or that leads to another word, is made anew. ``eatlas verify`` uses none.
"""

from __future__ import annotations

import codecs
import hashlib
import io
from array import array
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import ResultsError, SourceError
from eatlas.lazy import import_pandas
from eatlas.numbers import number_of
from eatlas.paths import cache_folder
from eatlas.sources.archives import Content, incomplete, open_binary
from eatlas.sources.memory import MAX_COMPONENTS, Chunk
from eatlas.sources.source import CHUNK, Vector, VectorTable, chunks_of, forward, require_usable
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

Row = tuple[bytes, int, bytes]
"""A word, where it begins in the file, and its numbers, as the file has them."""


class TextSource(VectorTable):
    """Words and vectors, one a line, perhaps below a line ``count dimension``.

    Words are found by a pass through the file, or by an index of it.
    """

    ordered = True

    def __init__(self, content: Content, options: Mapping[str, str], name: str) -> None:
        super().__init__(name)
        encoding = options.get("encoding", "utf-8").lower()
        self.encoding_of_words = _ENCODINGS[choice(encoding, _ENCODINGS, "encoding", content.label)]
        self.content = content
        large = content.plain and content.stamp.size >= _INDEX_FROM
        self._indexed = large and not computes_afresh()
        self._index: tuple[list[bytes], NDArray[np.int64]] | None = None
        self._vectors: dict[bytes, Vector | None] = {}
        self._repeated: set[bytes] = set()
        self._sha256 = ""
        head = content.head(HEAD_BYTES)
        self._dim, self.announced = self.read_head(head)
        if not 0 < self._dim <= MAX_COMPONENTS:
            raise SourceError(
                f"{content.label}, line 1: not a word and its vector",
                got=repr(head.strip()[:60].partition(b"\n")[0].decode("utf-8", "replace")),
                allowed=f"text or word2vec's binary form, to {MAX_COMPONENTS:,} numbers a word",
            )

    dim = forward("_dim")

    @property
    def fingerprint(self) -> str:
        """Hash of the file's bytes; of the bytes inside, if it is compressed."""
        if not self._sha256 and self.index() is None:
            with self.content.open() as file:
                self._sha256 = hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]
        return f"sha256:{self._sha256}"

    @property
    def expected(self) -> int | None:
        """How many words there are, where the first line or an index says it."""
        return self.announced if self._index is None else len(self._index[0])

    @property
    def duplicates(self) -> int:
        """Number of words that a look-up found more than once."""
        return len(self._repeated)

    @property
    def slow_to_list(self) -> bool:
        """Whether a second look at all words takes more than a second, with or without an index."""
        return not self.content.plain and self.content.stamp.size > _SLOW_PACKED

    def blocks(self) -> Iterator[list[Row]]:
        """All rows, in the order of the file; it is hashed by the way, and a large one indexed."""
        digest, indexed = hashlib.sha256(), self._indexed and self.index() is None
        words, starts, end = bytearray(), array("q"), 0
        with self.content.open(digest) as file:
            for rows in self.read(file):
                joined = b"\n".join([word for word, _, _ in rows])
                try:
                    joined.decode(self.encoding_of_words)
                except UnicodeDecodeError as error:
                    encoding = self.encoding_of_words.upper()
                    raise SourceError(
                        f"{self.content.label}, byte {rows[0][1]} or later: not {encoding}",
                        got=f"byte 0x{error.object[error.start]:02x}",
                        remedy="convert it, or state the encoding: ?encoding=latin-1",
                    ) from error
                if indexed:
                    words += joined + b"\n"
                    starts.extend([start for _, start, _ in rows])
                    word, start, numbers = rows[-1]
                    end = start + len(word) + 1 + len(numbers)
                yield rows
        self._sha256 = digest.hexdigest()
        if indexed:
            starts.append(end)
            self.write_index(bytes(words[:-1]), np.array(starts, np.int64))

    def vocabulary(self) -> Iterator[str]:
        """Every word, in the order of the file."""
        index = self.index()
        if index:
            self.content.stamp.check(self.content.path)
        words = index[0] if index else (row[0] for rows in self.blocks() for row in rows)
        yield from (word.decode(self.encoding_of_words) for word in words)

    def iter_chunks(self, rows: int = CHUNK, /) -> Iterator[Chunk]:
        """Every word and vector, `rows` rows at a time, or as many as take 1 GiB."""
        size = max(1, min(rows, _LARGEST // (4 * self.dim)))
        for chunk in chunks_of((row for block in self.blocks() for row in block), size):
            words = [word for word, _, _ in chunk]
            vectors = self.parse_rows(words, [numbers for _, _, numbers in chunk])
            yield [word.decode(self.encoding_of_words) for word in words], vectors

    def lookup(self, keys: Collection[str]) -> Mapping[str, Vector]:
        """Return the vectors of those keys that the file has; one pass for all new keys."""
        words = {key: key.encode(self.encoding_of_words, "backslashreplace") for key in keys}
        if new := {word for word in words.values() if word not in self._vectors}:
            vectors = self._by_index(new)
            if vectors is None:
                vectors = self._by_pass(new)
            self._vectors |= dict.fromkeys(new) | vectors
        answers = ((key, self._vectors[word]) for key, word in words.items())
        return {key: vector for key, vector in answers if vector is not None}

    def _by_pass(self, new: set[bytes]) -> dict[bytes, Vector]:
        """Read the whole file and find the words."""
        vectors: dict[bytes, Vector] = {}
        for rows in self.blocks():
            for word, _, numbers in [row for row in rows if row[0] in new]:
                if word in vectors:
                    self._repeated.add(word)
                else:
                    vectors[word] = self.parse_rows([word], [numbers])[0]
        return vectors

    def _by_index(self, new: set[bytes]) -> dict[bytes, Vector] | None:
        """Answers from the index; None if there is none that can be relied on."""
        index = self.index()
        if index is None:
            return None
        row_of: dict[bytes, int] = {}
        for row, word in enumerate(index[0]):
            if word in new and row_of.setdefault(word, row) != row:
                self._repeated.add(word)
        vectors: dict[bytes, Vector] = {}
        with open_binary(self.content.path) as file:
            for word, row in row_of.items():
                start, end = map(int, index[1][row : row + 2])
                file.seek(start)
                line = file.read(max(0, end - start))
                if not line.startswith(word + b" "):
                    self._index = None
                    self._index_path().unlink(missing_ok=True)
                    return None
                vectors[word] = self.parse_rows([word], [line[len(word) + 1 :]])[0]
        self.content.stamp.check(self.content.path)
        return vectors

    def index(self) -> tuple[list[bytes], NDArray[np.int64]] | None:
        """Words, and where rows begin and the last ends, if there is a sound index of the file."""
        if self._indexed and self._index is None:
            with (
                suppress(Exception),  # damaged: it is made anew
                self._index_path().open("rb") as file,
                np.load(file) as parts,
            ):
                words, starts = parts["words"].tobytes().split(b"\n"), parts["starts"]
                if len(words) + 1 == len(starts):  # else a word holds a line break
                    self._index, self._sha256 = (words, starts), str(parts["sha256"])
        return self._index

    def write_index(self, words: bytes, starts: NDArray[np.int64]) -> None:
        """Keep an index in the cache folder, with checksums, as the zip archive that .npz is."""
        with suppress(ResultsError), atomic_file(self._index_path(), binary=True) as file:
            packed = np.frombuffer(words, np.uint8)
            np.savez(file, words=packed, starts=starts, sha256=np.array(self._sha256))

    def _index_path(self) -> Path:
        """Where the index of the file in its present state lies, or will."""
        path, stamp, form = self.content.path.absolute(), self.content.stamp, type(self).__name__
        now = path.stat()
        state = (str(path), stamp, now.st_ctime_ns, now.st_ino, form, self.encoding_of_words)
        name = hashlib.sha256(repr(state).encode()).hexdigest()
        return cache_folder() / "indexes" / f"{name[:32]}.npz"

    def decode_words(self, words: Sequence[bytes]) -> list[str]:
        """Words for a message."""
        return [word.decode(self.encoding_of_words, "replace") for word in words]

    def wrong_count(self, got: str) -> SourceError:
        """Say that there are more or fewer vectors than the first line announces."""
        announced = f"{self.announced} vectors of {self._dim} numbers, as the first line announces"
        return incomplete(f"{self.content.label}: not as long as announced", got, announced)

    # --- lines of text ----------------------------------------------------------------------------

    def read_head(self, head: bytes) -> tuple[int, int | None]:
        """What the first lines say."""
        lines = first_lines(head)
        if not lines:
            raise SourceError(f"{self.content.label}: the file is empty")
        self._first, first = lines[0]
        header = announcement(first)
        # two whole numbers are no header if the next line has one number as well
        if header and (header[1] == 1 or len(lines) == 1 or len(lines[1][1].split()) != 2):
            self._first += 1
            return header[1], header[0]
        return trailing_numbers(first), None

    def read(self, file: BinaryIO) -> Iterator[list[Row]]:
        """Read line by line, and compare the number of rows with the header."""
        count, start = 0, 0
        rows: list[Row] = []
        if file.peek(3).startswith(codecs.BOM_UTF8):  # type: ignore[attr-defined]
            start = len(file.read(len(codecs.BOM_UTF8)))
        # a longer line is read in pieces, which are no rows of the right length
        for number, line in enumerate(iter(partial(file.readline, _MAX_LINE), b""), 1):
            if number >= self._first and (row := line.rstrip()):
                word, numbers = self._split_line(row, number)
                rows.append((word, start, numbers))
            start += len(line)
            if rows and start - rows[0][1] > _BLOCK:
                yield rows
                count, rows = count + len(rows), []
        if rows:
            yield rows
        count += len(rows)
        if not count or self.announced not in (None, count):
            raise self.wrong_count(f"{count} vectors")

    def _split_line(self, row: bytes, number: int) -> tuple[bytes, bytes]:
        """The word of a line, which may contain spaces, and its numbers.

        Numbers such as ``1e`` pass; they are found when the vector is parsed.
        """
        if row.count(b" ") == self._dim:
            word, _, numbers = row.partition(b" ")
        else:
            word, *fields = row.rsplit(b" ", self._dim)
            last = word.rpartition(b" ")[2]
            if len(fields) < self._dim or (last != word and is_number(last)):
                what = f"{self.content.label}, line {number}: a vector of the wrong length"
                first = self.decode_words([row.partition(b" ")[0]])[0]
                got = f"{number_of(row.count(b' '), 'number')} after {first[:60]!r}"
                raise SourceError(what, got=got, allowed=f"{self._dim} numbers, as in other lines")
            numbers = b" ".join(fields)
        if numbers.translate(None, _NUMERIC):
            (name,) = self.decode_words([word])
            _floats(numbers, f"{self.content.label}, line {number}", name)
        return word, numbers

    def parse_rows(self, words: Sequence[bytes], rows: Sequence[bytes]) -> NDArray[np.float32]:
        """Parse many rows by pandas, and few, or what it does not take, one by one."""
        if len(rows) > 1:
            pd = import_pandas()

            text = io.BytesIO(b"\n".join(rows))
            with suppress(ValueError), np.errstate(over="ignore"):
                frame = pd.read_csv(
                    text, sep=" ", header=None, quoting=3, na_filter=False, dtype=np.float64
                )
                array: NDArray[np.float32] = frame.to_numpy().astype(np.float32)
                if array.shape == (len(rows), self._dim) and np.isfinite(array).all():
                    return array
        labels = [
            f"{self.content.label}, the vector of {word!r}" for word in self.decode_words(words)
        ]
        return np.stack([_floats(row.rstrip(), at) for row, at in zip(rows, labels, strict=True)])


# --- what lines say -------------------------------------------------------------------------------


def first_lines(head: bytes) -> list[tuple[int, bytes]]:
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


def _floats(numbers: bytes, label: str, word: str = "") -> Vector:
    """Parse the components of one vector as float32; `word` is whose it is, for a message."""
    try:
        components = [float(field) for field in numbers.split(b" ")]
        if b"_" in numbers:
            raise ValueError(f"could not convert: {numbers[:60]!r}")
    except ValueError as error:
        got = str(error).rpartition(": b")[2][:60]
        raise SourceError(
            f"{label}: a component is not a number",
            got=f"{got}, in the row of {word[:60]!r}" if word else got,
            remedy="write decimals with a point, as in 0.5" if "," in got else None,
        ) from error
    with np.errstate(over="ignore"):
        vector: Vector = np.array(components).astype(np.float32)
    require_usable(vector, label)
    return vector


# --- word2vec's binary form -----------------------------------------------------------------------


class Word2VecBinarySource(TextSource):
    """``count dim``, then word, space, dim float32, with or without line breaks after vectors."""

    def read_head(self, head: bytes) -> tuple[int, int | None]:
        """What the first line says."""
        line, newline, _ = head.partition(b"\n")
        count, dim = (announcement(line) if newline else None) or (0, 0)
        return dim if count else 0, count

    def read(self, file: BinaryIO) -> Iterator[list[Row]]:
        """Read all records, block by block; line breaks may precede words."""
        size, left = 4 * self._dim, self.announced or 0
        start, data = len(file.readline()), b""
        while left:
            block = file.read(_BLOCK + size)
            data, at, rows = data + block, 0, []
            for _ in range(left):
                space = data.find(b" ", at, at + _MAX_WORD)
                if space < 0 or space + size >= len(data):
                    break
                word, at = data[at:space].lstrip(b"\n"), space + 1 + size
                rows.append((word, start + space - len(word), data[space + 1 : at]))
            if rows:
                yield rows
            left, start, data = left - len(rows), start + at, data[at:]
            if left and len(data) >= _MAX_WORD and b" " not in data[:_MAX_WORD]:
                what = f"{self.content.label}, byte {start}: no word here"
                allowed = f"a word to {_MAX_WORD} bytes, a space, {self._dim} numbers"
                raise incomplete(what, repr(data[:20]), allowed)
            if left and not block:
                raise self.wrong_count(f"{(self.announced or 0) - left} vectors")
        if (data + file.read(2)).strip(b"\n"):
            raise self.wrong_count("more bytes")

    def parse_rows(self, words: Sequence[bytes], rows: Sequence[bytes]) -> NDArray[np.float32]:
        """Numbers of records."""
        size = 4 * self._dim
        array: NDArray[np.float32] = np.frombuffer(b"".join(row[:size] for row in rows), "<f4")
        array = array.astype(np.float32).reshape(len(words), self._dim)
        require_usable(array, self.content.label, self.decode_words(words))
        return array
