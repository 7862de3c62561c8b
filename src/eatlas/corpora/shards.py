"""Parts of a corpus that are read apart, each of whole documents: bytes, streams, row groups."""

from __future__ import annotations

import bz2
import hashlib
import io
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import IO, Any, BinaryIO, Literal, cast

from eatlas.corpora.files import ReadingOptions, content_texts, format_of
from eatlas.corpora.parquet import parquet_rows, pyarrow_of
from eatlas.corpora.reading import (
    LONGEST_LINE,
    Account,
    Batch,
    batched,
    texts,
)
from eatlas.corpora.wikipedia import BEGIN
from eatlas.errors import SourceError
from eatlas.sources.archives import Content, locate
from eatlas.sources.files.on_disk import Stamp, open_binary

SIZE, PACKED_SIZE = 64 << 20, 16 << 20
"""Bytes of a shard, and of one that is compressed: a second of work, or some."""
Part = Literal["file", "bytes", "streams", "rows"]
_READ = 1 << 20
_STREAM = b"BZh"
_FIRST_BLOCK = b"1AY&SY"
"""What follows the level of compression in a stream of bzip2 that holds something."""
_BEGINNING = 64
_ANY_STREAM = re.compile(rb"BZh[1-9]" + _FIRST_BLOCK)
_BORDERS = {
    "line": re.compile(rb"\n"),
    "paragraph": re.compile(rb"\n[ \t\v\f\r]*\n"),
    "page": re.compile(rb"(?=<page>)"),
    "stream": re.compile(rb"(?=BZh[1-9]1AY&SY)"),
}
_LONGEST_BORDER = 64
"""Bytes within which a border lies, as far as it is looked for across two reads."""


@dataclass(frozen=True)
class Shard:
    """A part of a corpus file that holds whole documents."""

    path: str
    kind: str
    part: Part
    start: int
    stop: int
    size: int
    mtime_ns: int

    @property
    def identity(self) -> str:
        """Hash of all fields: another one means another part, or another content."""
        return hashlib.sha256(json.dumps(asdict(self)).encode()).hexdigest()

    @property
    def label(self) -> str:
        """What names it in messages."""
        if self.part == "file":
            return self.path
        unit = "row groups" if self.part == "rows" else "bytes"
        return f"{self.path}, {unit} {self.start:,} to {self.stop:,}"


def shards_of(path: Path, reading: ReadingOptions, size: int | None = None) -> list[Shard]:
    """Part a file at borders of documents.

    Plain text, JSON Lines and uncompressed dumps of Wikipedia are parted at bytes; dumps of several
    streams of bzip2 (multistream) at streams; Parquet at row groups. Other files are one shard.
    """
    content = locate(path, long_windows=True)
    kind = format_of(content, reading)
    make = partial(_shard, path, kind, content.stamp)
    if kind == "parquet":
        content.need_plain("Parquet")
        return _row_groups(path, make, size or SIZE)
    border, part = _border(content, kind, reading)
    if border is None:
        return [make("file", 0, content.stamp.size)]
    size = size or (SIZE if part == "bytes" else PACKED_SIZE)
    begins = _begin_page if part == "streams" else None
    with open_binary(path) as file:
        cuts = list(_cuts(file, content.stamp.size, size, border, begins))
    return [make(part, a, b) for a, b in pairwise([0, *cuts, content.stamp.size])]


def _shard(path: Path, kind: str, stamp: Stamp, part: Part, start: int, stop: int) -> Shard:
    return Shard(str(path), kind, part, start, stop, stamp.size, stamp.mtime_ns)


def _border(
    content: Content, kind: str, reading: ReadingOptions
) -> tuple[re.Pattern[bytes] | None, Part]:
    """Return where documents part in the bytes of a file; None if that cannot be seen."""
    if content.plain:
        name = {"text": reading.unit, "jsonl": "line", "wikipedia": "page"}.get(kind)
        return (_BORDERS[name] if name else None), "bytes"
    if kind == "wikipedia" and content.member is None and _begins_with(content.path, _STREAM):
        return _BORDERS["stream"], "streams"
    return None, "file"


def _begins_with(path: Path, magic: bytes) -> bool:
    with open_binary(path) as file:
        return file.read(len(magic)) == magic


def _begin_page(file: BinaryIO, place: int) -> bool:
    """Whether a page begins with the stream of bzip2 at a place, as in multistream dumps."""
    file.seek(place)
    try:
        head = bz2.BZ2Decompressor().decompress(file.read(_READ), _BEGINNING)
    except (OSError, EOFError):
        return False
    return head.lstrip().startswith(BEGIN)


def _cuts(
    file: BinaryIO,
    size: int,
    step: int,
    border: re.Pattern[bytes],
    begins: Callable[[BinaryIO, int], bool] | None,
) -> Iterator[int]:
    """Yield the first border behind every so many bytes."""
    at = 0
    while at + step < size:
        found = next(
            (one for one in _borders(file, at + step, border) if not begins or begins(file, one)),
            size,
        )
        if found >= size:
            return
        yield found
        at = found


def _borders(file: BinaryIO, place: int, border: re.Pattern[bytes]) -> Iterator[int]:
    """Yield the borders from a place on."""
    tail, begin = b"", place
    while True:
        file.seek(begin + len(tail))
        data = file.read(_READ)
        if not data:
            return
        window = tail + data
        known = max(0, len(tail) - _LONGEST_BORDER)
        end = len(window)
        for found in border.finditer(window, known):
            if found.end() < end:  # one at the very end is seen whole in the next window
                yield begin + found.end()
        keep = min(len(window), _LONGEST_BORDER)
        begin, tail = begin + len(window) - keep, window[len(window) - keep :]


def _row_groups(path: Path, make: Callable[..., Shard], size: int) -> list[Shard]:
    """Put neighbouring row groups together up to a size."""
    pa, parquet = pyarrow_of(path)
    try:
        with parquet.ParquetFile(path) as file:
            sizes = [file.metadata.row_group(k).total_byte_size for k in range(file.num_row_groups)]
    except (pa.ArrowException, OSError) as error:
        raise SourceError(
            f"{path}: this Parquet file is damaged or ends early", got=str(error)
        ) from error
    cuts, held = [0], 0
    for group, more in enumerate(sizes):
        if held and held + more > size:
            cuts.append(group)
            held = 0
        held += more
    return [make("rows", a, b) for a, b in pairwise([*cuts, max(1, len(sizes))])]


def shard_texts(shard: Shard, reading: ReadingOptions, account: Account) -> Iterator[Batch]:
    """Read the documents of a shard, each whole."""
    path, stamp = Path(shard.path), Stamp(shard.size, shard.mtime_ns)
    if shard.kind == "parquet":
        stamp.check(path)
        rows = partial(parquet_rows, path, reading.field, groups=range(shard.start, shard.stop))
        yield from batched(texts(rows, account))
        return
    content = locate(path, long_windows=True) if shard.part == "file" else _part(shard, stamp)
    stamp.check(path)
    yield from content_texts(content, shard.kind, reading, account, LONGEST_LINE)


def _part(shard: Shard, stamp: Stamp) -> Content:
    """Some bytes of a file as content."""

    def opened(path: Path) -> IO[bytes]:
        part: Any = _Bytes(open_binary(path), shard.start, shard.stop)
        return bz2.BZ2File(part) if shard.part == "streams" else part

    plain = shard.part == "bytes"
    return Content(Path(shard.path), stamp, None, plain=plain, _open=opened)


class _Bytes(io.RawIOBase):
    """Some bytes of a file, as a file of their own."""

    def __init__(self, file: BinaryIO, start: int, stop: int) -> None:
        self._file, self._left = file, stop - start
        file.seek(start)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer)[: self._left]
        size = cast("io.RawIOBase", self._file).readinto(view) or 0
        self._left -= size
        return size

    def close(self) -> None:
        self._file.close()
        super().close()
