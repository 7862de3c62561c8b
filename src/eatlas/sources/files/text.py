"""Lines of words and numbers: GloVe's form, word2vec's text form, fastText's ``.vec``, CSV, TSV.

One pass reads what is asked for and checks every line's shape; memory grows with the answer, not
with the file. A large file gets an index beside it, so that the next lookup needs no pass.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SourceError
from eatlas.sources.archives import Content
from eatlas.sources.files.chunks import CHUNK, Chunk, regroup
from eatlas.sources.files.dialects import Dialect
from eatlas.sources.files.hashing import fnv64
from eatlas.sources.files.indexed import IndexedSource
from eatlas.sources.files.lines import MAX_LINE, Block, read_blocks
from eatlas.sources.index import Index
from eatlas.sources.protocol import Vector

# Compiling takes seconds once for each installation, loading what was compiled half a second; line
# by line in Python, 64 MiB take less than that.
_COMPILE_FROM = 64 << 20
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
        self._compiled = size >= _COMPILE_FROM
        self._compiled_chunks = size >= _COMPILE_CHUNKS_FROM

    @property
    def dim(self) -> int:
        """Number of components of every vector."""
        return self.dialect.dim

    def vocabulary(self) -> Iterator[str]:
        """Every word, in the order of the file."""
        for block in self._blocks(compiled=self._compiled):
            for k in block.rows().tolist():
                word = block.split(k)[0] if block.kinds[k] == 3 else block.word(k)
                yield word.decode(self.dialect.encoding)

    def iter_chunks(self, rows: int = CHUNK, /) -> Iterator[Chunk]:
        """Every word and vector, `rows` rows at a time."""
        return regroup(self._pieces(rows), rows)

    def check(self) -> None:
        """Read the whole file once; what is wrong with it is said."""
        self._scan((), for_index=False)

    def _pieces(self, rows: int) -> Iterator[Chunk]:
        for block in self._blocks(compiled=self._compiled_chunks):
            lines = block.rows()
            for start in range(0, len(lines), rows):
                yield self._chunk(block, lines[start : start + rows])

    def _key(self, word: str) -> bytes | None:
        try:
            return word.encode(self.dialect.encoding)
        except UnicodeEncodeError:  # a word that the file's encoding cannot write is not in it
            return None

    def _scan(self, wanted: Collection[bytes], *, for_index: bool) -> Mapping[bytes, Vector]:
        hashes = np.sort(np.array([fnv64(word) for word in wanted], np.uint64))
        found: dict[bytes, Vector] = {}
        words: list[NDArray[np.uint64]] = []
        offsets: list[NDArray[np.int64]] = []
        for block in self._blocks(compiled=self._compiled or for_index):
            for k in _candidates(block, hashes).tolist():
                word, fields = block.split(k)
                block.hashes[k] = fnv64(word) if for_index else 0
                if word in wanted:
                    self._keep(found, word, block, k, fields)
            if for_index:
                rows = block.rows()
                words.append(block.hashes[rows])
                offsets.append(block.starts[rows] + block.offset)
        if for_index:
            self._save_index(words, offsets)
        return found

    def _keep(
        self, found: dict[bytes, Vector], word: bytes, block: Block, k: int, fields: object
    ) -> None:
        if word in found:
            self._duplicates.add(word)
        else:
            found[word] = self.dialect.vector(fields, block.where(k))  # type: ignore[arg-type]

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

    def _chunk(self, block: Block, lines: NDArray[np.int64]) -> Chunk:
        vectors = np.empty((len(lines), self.dim), np.float32)
        done = self._parse(block, lines, vectors)
        words = []
        for row, k in enumerate(lines.tolist()):
            if done[row]:
                words.append(block.word(k).decode(self.dialect.encoding))
                continue
            word, fields = block.split(k)
            words.append(word.decode(self.dialect.encoding))
            vectors[row] = self.dialect.vector(fields, block.where(k))
        return Chunk(words, vectors)

    def _parse(
        self, block: Block, lines: NDArray[np.int64], out: NDArray[np.float32]
    ) -> NDArray[np.bool_]:
        """Read the numbers of lines in compiled code; which of them it could."""
        done: NDArray[np.bool_] = block.kinds[lines] != 3
        if done.any():
            from eatlas.sources.files import _line_kernels  # noqa: PLC0415  (compiles on import)

            good = np.zeros(int(done.sum()), np.bool_)
            chosen = lines[done]
            part = np.empty((len(chosen), self.dim), np.float32)
            separator = np.uint8(self.dialect.separator[0])
            _line_kernels.parse(
                block.data, block.word_ends[chosen], block.ends[chosen], separator, part, good
            )
            out[done] = part
            done[done] = good
        return done

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


def _candidates(block: Block, hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Lines that may hold a wanted word, and lines that must be looked at for their own sake."""
    if len(hashes):
        at = np.minimum(np.searchsorted(hashes, block.hashes), len(hashes) - 1)
        hit = (hashes[at] == block.hashes) & (block.kinds != 0)
        return np.flatnonzero(hit | (block.kinds == 3))
    return block.odd()


def _read_line(file: BinaryIO, dim: int) -> bytes:
    """The line at which a file stands."""
    size, line = 32 * (dim + 2), b""
    while b"\n" not in line and len(line) < MAX_LINE:
        part = file.read(size)
        if not part:
            break
        line += part
    return line.split(b"\n", 1)[0]
