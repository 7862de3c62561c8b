"""From files, folders and patterns to texts, and the parts of a corpus that are read apart."""

from __future__ import annotations

import bz2
import glob
import hashlib
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import IO, Any, BinaryIO, Literal, cast, get_args

from eatlas.corpora.reading import (
    BLOCK,
    LONGEST_LINE,
    Account,
    Batch,
    batched,
    json_rows,
    line_texts,
    paragraph_texts,
    parquet_rows,
    pyarrow_of,
    read_lines,
    table_rows,
    texts,
)
from eatlas.corpora.wikipedia import BEGIN, is_dump, wikipedia_rows
from eatlas.errors import SourceError, described
from eatlas.notes import Note, warn
from eatlas.paths import is_file, is_folder
from eatlas.sources.archives import Content, Stamp, locate, open_binary

Format = Literal["auto", "text", "jsonl", "csv", "tsv", "parquet", "wikipedia"]
Unit = Literal["line", "paragraph"]
_SUFFIXES: dict[str, Format] = {
    ".txt": "text",
    ".text": "text",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
}
SEPARATORS = {"csv": ",", "tsv": "\t"}
_BLANK_LINES = (b"\n\r\n", b"\n\n")
BEGINNING = 1_024
"""Bytes that show what a file is."""


@dataclass(frozen=True)
class ReadingOptions:
    """How the files of a corpus are read."""

    format: Format = "auto"
    field: str | None = None
    unit: Unit = "line"

    def __post_init__(self) -> None:
        for name, value, allowed in (
            ("format", self.format, get_args(Format)),
            ("unit", self.unit, get_args(Unit)),
        ):
            if value not in allowed:
                raise SourceError(
                    f"a corpus cannot be read with this {name}",
                    got=repr(value),
                    allowed=", ".join(allowed),
                )


def corpus_files(corpus: str | Path | Iterable[str | Path]) -> list[Path]:
    """Find the files of a corpus, each once, in the order of their names."""
    parts = [corpus] if isinstance(corpus, str | Path) else corpus
    if not isinstance(parts, Iterable):
        raise SourceError("this is not a corpus", got=described(parts), allowed="paths of files")
    files = [path for part in parts for path in _files_of(part)]
    if not files:
        raise SourceError("no corpus is named", allowed="files, folders, or patterns of names")
    return sorted(dict.fromkeys(files))


def _files_of(part: Any) -> list[Path]:
    """Files of one path, folder or pattern; hidden ones of a folder are left out."""
    if not isinstance(part, str | Path):
        raise SourceError("this is not a corpus", got=described(part), allowed="paths of files")
    path = Path(part)
    if is_file(path):
        return [path]
    if is_folder(path):
        what = "there is no file in this folder"
        inside = ((inner, inner.relative_to(path).parts) for inner in path.rglob("*"))
        files = [inner for inner, names in inside if not any(n.startswith(".") for n in names)]
    else:
        what = "there is no such file"
        files = [Path(name) for name in glob.glob(str(part), recursive=True)]  # noqa: PTH207  (absolute patterns)
    files = [file for file in files if file.is_file()]
    if not files:
        raise SourceError(
            f"{path}: {what}",
            allowed="a file, a folder with files in it, or a pattern such as 'RC_*.zst'",
        )
    return files


def format_of(content: Content, reading: ReadingOptions) -> str:
    """Return what a file is: as was said, by its name, or else by its first bytes."""
    if reading.format != "auto":
        return reading.format
    for suffix in reversed(content.path.suffixes):
        if suffix.lower() in _SUFFIXES:
            return _SUFFIXES[suffix.lower()]
    head = content.head(BEGINNING)
    if is_dump(head):
        return "wikipedia"
    if head.startswith(b"PAR1"):
        return "parquet"
    return "jsonl" if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") else "text"


SIZE, PACKED_SIZE = 64 << 20, 16 << 20
"""Bytes of a shard, and of one that is compressed: a second of work, or some."""
Part = Literal["file", "bytes", "streams", "rows"]
_READ = 1 << 20
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
    kind, stamp = format_of(content, reading), content.stamp
    part: Part = "file"
    cuts: Iterable[int] = ()
    end = stamp.size
    if kind == "parquet":
        content.need_plain("Parquet")
        part, (cuts, end) = "rows", _row_groups(path, size or SIZE)
    elif content.plain and kind in {"text", "jsonl", "wikipedia"}:
        name = {"text": reading.unit, "jsonl": "line", "wikipedia": "page"}[kind]
        part, cuts = "bytes", _cuts(path, end, size or SIZE, _BORDERS[name])
    elif kind == "wikipedia" and content.member is None and _begins_with(path, b"BZh"):
        cuts = _cuts(path, end, size or PACKED_SIZE, _BORDERS["stream"], _begin_page)
        part = "streams"
    return [
        Shard(str(path), kind, part, a, b, stamp.size, stamp.mtime_ns)
        for a, b in pairwise([0, *cuts, end])
    ]


def _begins_with(path: Path, magic: bytes) -> bool:
    with open_binary(path) as file:
        return file.read(len(magic)) == magic


def _begin_page(file: BinaryIO, start: int) -> bool:
    """Whether a page begins with the stream of bzip2 at a place, as in multistream dumps."""
    file.seek(start)
    try:
        head = bz2.BZ2Decompressor().decompress(file.read(_READ), 64)
    except (OSError, EOFError):
        return False
    return head.lstrip().startswith(BEGIN)


def _cuts(
    path: Path,
    size: int,
    step: int,
    border: re.Pattern[bytes],
    begins: Callable[[BinaryIO, int], bool] = lambda _file, _place: True,
) -> Iterator[int]:
    """Yield the first border behind every so many bytes."""
    at = 0
    with open_binary(path) as file:
        while at + step < size:
            places = _borders(file, at + step, border)
            at = next((border_at for border_at in places if begins(file, border_at)), size)
            if at >= size:
                return
            yield at


def _borders(file: BinaryIO, start: int, border: re.Pattern[bytes]) -> Iterator[int]:
    """Yield the borders from a place on."""
    tail, begin = b"", start
    while True:
        file.seek(begin + len(tail))
        data = file.read(_READ)
        if not data:
            return
        window = tail + data
        for match in border.finditer(window, max(0, len(tail) - _LONGEST_BORDER)):
            if match.end() < len(window):  # one at the very end is seen whole in the next window
                yield begin + match.end()
        keep = min(len(window), _LONGEST_BORDER)
        begin, tail = begin + len(window) - keep, window[len(window) - keep :]


def _row_groups(path: Path, size: int) -> tuple[list[int], int]:
    """Where neighbouring row groups are parted, so that each part is up to a size; their number."""
    pa, parquet = pyarrow_of(path)
    try:
        with parquet.ParquetFile(path) as file:
            sizes = [file.metadata.row_group(k).total_byte_size for k in range(file.num_row_groups)]
    except (pa.ArrowException, OSError) as error:
        raise SourceError(
            f"{path}: this Parquet file is damaged or ends early", got=str(error)
        ) from error
    cuts, held = [], 0
    for group, more in enumerate(sizes):
        if held and held + more > size:
            cuts.append(group)
            held = 0
        held += more
    return cuts, max(1, len(sizes))


def read_texts(
    path: Path, reading: ReadingOptions, account: Account, shard: Shard | None = None
) -> Iterator[Batch]:
    """Read the texts of a file, or of a shard of it, compressed or not, in flat memory."""
    content = locate(path, long_windows=True)
    if shard is not None:
        stamp = Stamp(shard.size, shard.mtime_ns)
        stamp.check(path)
        if shard.part in {"bytes", "streams"}:
            content = _part(shard, stamp)
    kind = shard.kind if shard else format_of(content, reading)
    if kind == "parquet":
        content.need_plain("Parquet")
        groups = range(shard.start, shard.stop) if shard else None
        yield from batched(texts(parquet_rows(path, reading.field, account, groups), account))
        return
    longest = LONGEST_LINE if shard else BLOCK
    with content.open() as file:
        if kind == "jsonl":
            yield from batched(texts(json_rows(file, reading.field, account), account))
        elif kind in SEPARATORS:
            rows = table_rows(file, reading.field, SEPARATORS[kind], account)
            yield from batched(texts(rows, account))
        elif kind == "wikipedia":
            yield from batched(texts(wikipedia_rows(file, account), account))
        elif reading.unit == "line":
            yield from line_texts(read_lines(file, account.file, longest=longest), account)
        else:
            lines = read_lines(file, account.file, ends=_BLANK_LINES, longest=longest)
            yield from paragraph_texts(lines, account)


def _part(shard: Shard, stamp: Stamp) -> Content:
    """Some bytes of a file as content."""

    def open_part(path: Path) -> IO[bytes]:
        part: Any = _Bytes(open_binary(path), shard.start, shard.stop)
        return bz2.BZ2File(part) if shard.part == "streams" else part

    return Content(Path(shard.path), stamp, None, plain=shard.part == "bytes", _open=open_part)


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


SAMPLE = 65_536
"""Bytes of a text whose lines are looked at."""
LOOKED_AT = 20
"""Texts of a corpus whose lines are looked at; one that is wrapped speaks for others."""
LINES, WIDEST = 20, 120
"""Fewer different lines say nothing; who wraps lines wraps them before so many characters."""
FULL, LOWER = 0.7, 0.3
"""In a text that is wrapped, shares of lines that are full, and that begin in lower case; of one
sentence a line some tenth are full."""
_MARKUP_SUFFIXES = {".html", ".htm", ".xhtml", ".mhtml", ".xml"}
_MARKUP = re.compile(
    rb"(\xef\xbb\xbf)?\s*(<!--.*?-->\s*)*<(\?xml|!doctype\s|html\b|head\b|body\b)",
    re.IGNORECASE | re.DOTALL,
)


def look_at(files: Sequence[Path], reading: ReadingOptions) -> None:
    """Refuse pages of HTML, and say where lines are parts of sentences, before anything is read."""
    if reading.format == "auto" and (pages := list(_pages(files))):
        first, got = pages[0]
        more = f", and so are {len(pages) - 1:,} more of {len(files):,} files"
        raise SourceError(
            f"{first}: this is a page of HTML or XML{more if len(pages) > 1 else ''}; its tags "
            "would be read as words",
            got=got,
            allowed="text, JSON Lines, CSV, TSV, Parquet, or a dump of Wikipedia",
            remedy="take the text out first, such as with: pandoc --to plain PAGE.html -o PAGE.txt"
            " (in Python: trafilatura, BeautifulSoup); the format text reads a page as it is",
        )
    looked = 0
    for path in files if reading.unit == "line" else ():
        content = locate(path, long_windows=True)
        if format_of(content, reading) != "text":
            continue
        if is_wrapped(content.head(SAMPLE).decode(errors="replace")):
            warn(Note("source.wrapped-lines", values={"file": str(path)}), stacklevel=4)
            return
        looked += 1
        if looked == LOOKED_AT:
            return


def _pages(files: Sequence[Path]) -> Iterator[tuple[Path, str]]:
    """Files that look like web pages, each with the reason."""
    for path in files:
        content = locate(path, long_windows=True)
        kind = format_of(content, ReadingOptions())
        if kind == "wikipedia":
            continue
        if _MARKUP_SUFFIXES.intersection(map(str.lower, content.path.suffixes)):
            yield path, f"the name {content.path.name}"
        elif kind == "text" and (match := _MARKUP.match(content.head(BEGINNING))):
            tag = match[0].split(b"<")[-1].decode(errors="replace").strip()
            yield path, f"it begins with <{tag}"


def is_wrapped(text: str) -> bool:
    """Whether sentences of a text go on in the next line.

    Lines are then full: the first word of the next would not have fitted, within the width that
    most lines keep. And many begin in lower case, unlike verses and lists.
    """
    lines = [line.strip() for line in text.splitlines()[:-1]]  # the last may be cut
    pairs = {(line, after) for line, after in pairwise(lines) if line and after}
    if len(pairs) < LINES:
        return False
    width = sorted(len(line) for line, _ in pairs)[int(0.95 * len(pairs))]
    full = [len(line) + 1 + len(after.split()[0]) > width for line, after in pairs]
    lower = [after[0].islower() for _, after in pairs]
    return width <= WIDEST and sum(full) > FULL * len(full) and sum(lower) > LOWER * len(lower)
