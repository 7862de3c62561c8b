"""From files, folders and patterns to texts, and the parts of a corpus that are read apart."""

from __future__ import annotations

import bz2
import glob
import hashlib
import io
import json
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
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
from eatlas.errors import SourceError, SourceWarning, described
from eatlas.paths import is_file, is_folder
from eatlas.sources.archives import Content, locate
from eatlas.sources.files.on_disk import Stamp, open_binary

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
    given = [corpus] if isinstance(corpus, str | Path) else corpus
    if not isinstance(given, Iterable):
        raise SourceError("this is not a corpus", got=described(given), allowed="paths of files")
    found = [path for one in given for path in _files_of(one)]
    if not found:
        raise SourceError("no corpus is named", allowed="files, folders, or patterns of names")
    return sorted(dict.fromkeys(found))


def _files_of(one: Any) -> list[Path]:
    """Files of one path, folder or pattern; hidden ones of a folder are left out."""
    if not isinstance(one, str | Path):
        raise SourceError("this is not a corpus", got=described(one), allowed="paths of files")
    path = Path(one)
    if is_file(path):
        return [path]
    if is_folder(path):
        inside = (inner for inner in path.rglob("*") if inner.is_file())
        hidden = [p for p in inside if not any(n.startswith(".") for n in _below(p, path))]
        return _some(hidden, f"{path}: there is no file in this folder")
    matching = [Path(name) for name in glob.glob(str(one), recursive=True)]  # noqa: PTH207  (absolute patterns)
    return _some([p for p in matching if p.is_file()], f"{path}: there is no such file")


def _below(path: Path, folder: Path) -> tuple[str, ...]:
    return path.relative_to(folder).parts


def _some(paths: list[Path], otherwise: str) -> list[Path]:
    if not paths:
        raise SourceError(
            otherwise, allowed="a file, a folder with files in it, or a pattern such as 'RC_*.zst'"
        )
    return paths


def read_texts(path: Path, reading: ReadingOptions, account: Account) -> Iterator[Batch]:
    """Read the texts of a file, compressed or not, in flat memory."""
    content = locate(path, long_windows=True)
    kind = format_of(content, reading)
    if kind == "parquet":
        content.need_plain("Parquet")
        yield from batched(texts(partial(parquet_rows, path, reading.field), account))
        return
    yield from content_texts(content, kind, reading, account)


def content_texts(
    content: Content, kind: str, reading: ReadingOptions, account: Account, longest: int = BLOCK
) -> Iterator[Batch]:
    """Read texts of one kind, all but Parquet."""
    with content.open() as file:
        if kind == "jsonl":
            yield from batched(texts(partial(json_rows, file, reading.field), account))
        elif kind in SEPARATORS:
            rows = partial(table_rows, file, reading.field, SEPARATORS[kind])
            yield from batched(texts(rows, account))
        elif kind == "wikipedia":
            yield from batched(texts(partial(wikipedia_rows, file), account))
        elif reading.unit == "line":
            yield from line_texts(read_lines(file, account.file, longest=longest), account)
        else:
            lines = read_lines(file, account.file, ends=_BLANK_LINES, longest=longest)
            yield from paragraph_texts(lines, account)


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


BEGINNING = 1_024
"""Bytes that show whether a file is a page of HTML."""
SAMPLE = 65_536
"""Bytes of a text whose lines are looked at."""
LOOKED_AT = 20
"""Texts of a corpus whose lines are looked at; one that is wrapped speaks for others."""
LINES = 20
"""Fewer different lines say nothing."""
WIDEST = 120
"""Characters; who wraps lines wraps them before."""
FULL = 0.7
"""Share of full lines in a text that is wrapped; of one sentence a line some tenth are full."""
LOWER = 0.3
"""Share of its lines that begin in lower case."""
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
    if reading.unit == "line" and (wrapped := _first_wrapped(files, reading)):
        warnings.warn(
            f"{wrapped}: sentences seem to continue on the next line, but each line is read as a "
            "text of its own, at whose end contexts end; --unit paragraph (unit='paragraph') reads "
            "the text between blank lines",
            SourceWarning,
            stacklevel=4,
        )


def _pages(files: Sequence[Path]) -> Iterator[tuple[Path, str]]:
    """Files that look like web pages, each with the reason."""
    for path in files:
        content = locate(path, long_windows=True)
        suffixes = {suffix.lower() for suffix in content.path.suffixes}
        kind = format_of(content, ReadingOptions())
        if kind == "wikipedia":
            continue
        if suffixes & _MARKUP_SUFFIXES:
            yield path, f"the name {content.path.name}"
        elif kind == "text" and (begins := _tag(content.head(BEGINNING))):
            yield path, f"it begins with {begins}"


def _tag(beginning: bytes) -> str:
    """The tag that a page of HTML or XML begins with; empty for other texts."""
    found = _MARKUP.match(beginning)
    if found is None:
        return ""
    return f"<{found[0].split(b'<')[-1].decode(errors='replace').strip()}"


def _first_wrapped(files: Sequence[Path], reading: ReadingOptions) -> Path | None:
    """Return the first text, of some, whose lines are wrapped."""
    looked = 0
    for path in files:
        content = locate(path, long_windows=True)
        if format_of(content, reading) != "text":
            continue
        if is_wrapped(content.head(SAMPLE).decode(errors="replace")):
            return path
        looked += 1
        if looked == LOOKED_AT:
            break
    return None


def is_wrapped(text: str) -> bool:
    r"""Whether sentences of a text go on in the next line.

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
