"""Lines of words and numbers: GloVe's form, word2vec's text form, fastText's ``.vec``, CSV, TSV.

One pass reads what is asked for and checks every line's shape; memory grows with the answer, not
with the file. A large file gets an index beside it, so that the next lookup needs no pass.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SourceError
from eatlas.sources.archives import Content
from eatlas.sources.files.chunks import CHUNK, Chunk, fill_chunks
from eatlas.sources.files.dialects import Dialect, decode_all
from eatlas.sources.files.hashing import fnv64
from eatlas.sources.files.indexed import COMPILE_FROM, IndexedSource, among
from eatlas.sources.files.lines import MAX_LINE, Block, read_blocks
from eatlas.sources.index import Index, IndexWriter
from eatlas.sources.protocol import Vector

_COMPILE_CHUNKS_FROM = 8 << 20  # parsing every number in Python is ten times slower


class TextSource(IndexedSource):
    """Words and vectors, one a line.

    Parameters
    ----------
    content : Content
        What to read.
    dialect : Dialect
        How to read a line.
    name : str
    index : {"auto", "yes", "no"}
        Whether to keep an index beside the file.

    Raises
    ------
    SourceError
        If a line is not well formed, whether its word was asked for or not.
    """

    def __init__(self, content: Content, dialect: Dialect, *, name: str, index: str) -> None:
        super().__init__(content, name=name, index=index, reading=repr(dialect))
        self.dialect = dialect
        size = content.stamp.size * (1 if content.plain else 4)
        self._compiled = size >= COMPILE_FROM
        self._compiled_chunks = size >= _COMPILE_CHUNKS_FROM

    @property
    def dim(self) -> int:
        """Number of components of every vector."""
        return self.dialect.dim

    @property
    def expected(self) -> int | None:
        """How many words there are, where the first line or an index says it."""
        return self.dialect.announced or super().expected

    def vocabulary(self) -> Iterator[str]:
        """Every word, in the order of the file."""
        for block in self._blocks(compiled=self._compiled):
            yield from _Lines(block, block.rows()).words()

    def iter_chunks(self, rows: int = CHUNK, /) -> Iterator[Chunk]:
        """Every word and vector, `rows` rows at a time."""
        parts = (
            _Lines(block, block.rows()) for block in self._blocks(compiled=self._compiled_chunks)
        )
        return fill_chunks(parts, rows, self.dim)

    def check(self) -> None:
        """Read the whole file once; what is wrong with it is said."""
        self._scan((), None)

    def _word_of(self, line: bytes) -> str:
        return line.partition(self.dialect.separator)[0].decode(self.dialect.encoding, "replace")

    def _key(self, word: str) -> bytes | None:
        try:
            return word.encode(self.dialect.encoding)
        except UnicodeEncodeError:  # a word that the file's encoding cannot write is not in it
            return None

    def _scan(self, wanted: Collection[bytes], index: IndexWriter | None) -> Mapping[bytes, Vector]:
        hashes = np.sort(np.array([fnv64(word) for word in wanted], np.uint64))
        found: dict[bytes, Vector] = {}
        for block in self._blocks(compiled=self._compiled or index is not None):
            for k in _candidates(block, hashes).tolist():
                word = self._word(block, k)
                if word in found:
                    self._duplicates.add(word)
                elif word in wanted:
                    found[word] = self.dialect.vector(block.split(k)[1], block.where(k))
            if index is not None:
                rows = block.rows()
                index.add(block.hashes[rows], block.starts[rows] + block.offset)
        return found

    def _word(self, block: Block, k: int) -> bytes:
        """The word of a line; a line that the compiled loop did not pass is checked on the way."""
        if block.kinds[k] != 3:
            return block.word(k)
        word, _ = block.split(k)
        block.hashes[k] = fnv64(word)
        return word

    def _blocks(self, *, compiled: bool) -> Iterator[Block]:
        rows = 0
        with self.content.open() as file:
            for block in read_blocks(file, self.dialect, self.content.label, compiled=compiled):
                rows += int((block.kinds != 0).sum())
                block.check_words()
                yield block
        self._check_count(rows)

    def _check_count(self, rows: int) -> None:
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

    def _at(self, file: BinaryIO, index: Index, word: bytes) -> list[Vector] | None:
        """Vectors of a word by the index; None if another word stands where the index leads."""
        vectors = []
        for offset in index.find(fnv64(word)):
            file.seek(offset)
            line = _read_line(file, self.dim)
            where = f"{self.content.label}, byte {offset}"
            try:
                other, fields = self.dialect.split(line, where)
            except SourceError:
                return None
            if fnv64(other) != fnv64(word):
                return None
            if other == word:
                vectors.append(self.dialect.vector(fields, where))
        return vectors


@dataclass(frozen=True)
class _Lines:
    """Lines of a block that hold vectors."""

    block: Block
    lines: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.lines)

    def read(self, first: int, out: NDArray[np.float32]) -> list[str]:
        """Read lines from `first` on, one for each row of `out`; their words."""
        lines = self.lines[first : first + len(out)]
        for row in np.flatnonzero(self._parse(lines, out)).tolist():
            _, fields = self.block.split(lines[row])
            out[row] = self.block.dialect.vector(fields, self.block.where(lines[row]))
        return self.words(first, first + len(out))

    def words(self, first: int = 0, last: int | None = None) -> list[str]:
        """Words of the lines from `first` to before `last`."""
        block, dialect = self.block, self.block.dialect
        lines = self.lines[first:last]
        odd = block.kinds[lines] == 3
        fine = lines[~odd]
        words = decode_all(
            block.data, block.starts[fine], block.word_ends[fine],
            dialect.separator, dialect.encoding,
        )  # fmt: skip
        for row in np.flatnonzero(odd).tolist():  # ascending, so each finds its own place
            words.insert(row, block.split(lines[row])[0].decode(dialect.encoding))
        return words

    def _parse(self, lines: NDArray[np.int64], out: NDArray[np.float32]) -> NDArray[np.bool_]:
        """Read the numbers of lines in compiled code; which of them it could not."""
        odd: NDArray[np.bool_] = self.block.kinds[lines] == 3
        if odd.all():
            return odd
        from eatlas.sources.files import compiled_lines  # noqa: PLC0415  (compiles on import)

        block, done = self.block, ~odd
        separator = np.uint8(block.dialect.separator[0])
        compiled_lines.parse(
            block.data, block.word_ends[lines], block.ends[lines], separator, out, done
        )
        return ~done


def _candidates(block: Block, hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Lines that may hold a wanted word, and lines that must be looked at for their own sake."""
    hit = among(block.hashes, hashes) & (block.kinds != 0)
    return np.flatnonzero(hit | (block.kinds == 3))


def _read_line(file: BinaryIO, dim: int) -> bytes:
    """The line at which a file stands."""
    size, line = 32 * (dim + 2), b""
    while b"\n" not in line and len(line) < MAX_LINE:
        part = file.read(size)
        if not part:
            break
        line += part
    return line.split(b"\n", 1)[0]
