"""From files, folders and patterns to the parts of a corpus, which are read one by one."""

from __future__ import annotations

import bz2
import glob
import hashlib
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from itertools import pairwise
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import IO, Any, Literal, get_args

from eatlas.corpora.reading import (
    NAMED,
    TRIED,
    Account,
    Batch,
    batched,
    json_rows,
    line_texts,
    paragraph_texts,
    parquet_rows,
    pyarrow_of,
    table_rows,
    texts,
)
from eatlas.corpora.wikipedia import BEGIN, is_dump, wikipedia_rows
from eatlas.errors import SourceError, described
from eatlas.notes import Note, warn
from eatlas.paths import is_file, is_folder
from eatlas.sources.archives import (
    Content,
    Stamp,
    ends_hash,
    faults_of_library,
    locate,
    open_binary,
)

Unit = Literal["line", "paragraph"]
_KINDS = {
    ".txt": "text",
    ".text": "text",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    **dict.fromkeys((".html", ".htm", ".xhtml", ".mhtml", ".xml"), "page"),
}
"""What a file is, by the ending of its name; compression has endings of its own."""
_PAGE = re.compile(
    rb"(\xef\xbb\xbf)?\s*(<!--.*?-->\s*)*<(\?xml|!doctype\s|html\b|head\b|body\b)",
    re.IGNORECASE | re.DOTALL,
)
BEGINNING = 1_024
"""Bytes that show what a file is."""
SIZE, PACKED_SIZE = 64 << 20, 16 << 20
"""Bytes of a part, and of one that is compressed: a second of work, or some."""
_FIRST_PAGE = _READ = 1 << 20
"""Bytes of a stream of bzip2 that show whether it begins with a page."""
_BORDERS = {
    "line": re.compile(rb"\n"),
    "jsonl": re.compile(rb"\n"),
    "paragraph": re.compile(rb"\n[ \t\v\f\r]*\n"),
    "wikipedia": re.compile(rb"(?=<page>)"),
    "streams": re.compile(rb"(?=BZh[1-9]1AY&SY)"),
}
"""Behind what a file of a kind may be parted."""


@dataclass(frozen=True)
class Part:
    """A file, or a part of it that holds whole documents."""

    path: str
    kind: str
    """line and paragraph of plain text, jsonl, csv, tsv, parquet, wikipedia."""
    field: str | None
    start: int
    stop: int | None
    """Bytes, or row groups; None: to the end of the file."""
    stamp: Stamp
    ends_sha256: str
    copy: int
    """Files of the corpus with the same beginning and end before this one."""

    @property
    def identity(self) -> str:
        """Hash of all fields: another one means another part, or another content."""
        return hashlib.sha256(repr(astuple(self)).encode()).hexdigest()

    @property
    def label(self) -> str:
        """What names it in messages."""
        unit = "row groups" if self.kind == "parquet" else "bytes"
        end = "the end" if self.stop is None else f"{self.stop:,}"
        return self.path if self.start == 0 else f"{self.path}, {unit} {self.start:,} to {end}"


def corpus_files(corpus: str | Path | Iterable[str | Path]) -> list[Path]:
    """Find the files of a corpus, each once, in the order of their names."""
    names = [corpus] if isinstance(corpus, str | Path) else corpus
    names = list(names) if isinstance(names, Iterable) else [names]
    for name in names:
        if not isinstance(name, str | Path):
            raise SourceError("this is not a corpus", got=described(name), allowed="paths of files")
    files = [path for name in names for path in _files_of(name)]
    if not files:
        raise SourceError("no corpus is named", allowed="files, folders, or patterns of names")
    return sorted(dict.fromkeys(files))


def _files_of(name: str | Path) -> list[Path]:
    """Files of one path, folder or pattern; hidden ones of a folder are left out."""
    path, what = Path(name), "there is no such file"
    if is_file(path):
        return [path]
    if is_folder(path):
        what = "there is no file in this folder"
        inside = ((inner, inner.relative_to(path).parts) for inner in path.rglob("*"))
        files = [inner for inner, names in inside if not any(n.startswith(".") for n in names)]
    else:
        files = [Path(match) for match in glob.glob(str(name), recursive=True)]  # noqa: PTH207  (absolute patterns)
    files = [file for file in files if file.is_file()]
    if not files:
        raise SourceError(
            f"{path}: {what}",
            allowed="a file, a folder with files in it, or a pattern such as 'RC_*.zst'",
        )
    return files


def kind_of(content: Content) -> str:
    """Return what a file is, by its name or its first bytes; pages of HTML and XML are refused."""
    endings = [suffix.lower() for suffix in reversed(content.path.suffixes)]
    ending = next((ending for ending in endings if ending in _KINDS), "")
    kind = _KINDS.get(ending, "")
    if kind not in {"", "text", "page"}:
        return kind
    head = content.head(BEGINNING)
    if kind != "text" and is_dump(head):
        return "wikipedia"
    tag = _PAGE.match(head)
    if tag or kind == "page":
        name = tag and tag[0].split(b"<")[-1].decode(errors="replace").strip()
        raise SourceError(
            f"{content.path}: this is a page of HTML or XML; its tags would be read as words",
            got=f"it begins with <{name}" if name else f"the name {content.path.name}",
            allowed="text, JSON Lines, CSV, TSV, Parquet, or a dump of Wikipedia",
            remedy="take the text out first, such as with: pandoc --to plain PAGE.html -o PAGE.txt"
            " (in Python: trafilatura, BeautifulSoup)",
        )
    if not kind and head.startswith(b"PAR1"):
        return "parquet"
    return "jsonl" if not kind and head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") else "text"


def parts_of(
    corpus: str | Path | Iterable[str | Path], field: str | None = None, unit: Unit = "line"
) -> list[Part]:
    """Part the files of a corpus at borders of documents.

    Plain text, JSON Lines and uncompressed dumps of Wikipedia are parted at bytes; dumps of several
    streams of bzip2 (multistream) at streams; Parquet at row groups. Other files are one part.
    """
    if unit not in get_args(Unit):
        raise SourceError(
            "a corpus cannot be read with this unit",
            got=repr(unit),
            allowed=", ".join(get_args(Unit)),
        )
    parts: list[Part] = []
    copies: dict[str, int] = {}
    wrapped = unit == "line"
    for path in corpus_files(corpus):
        content = locate(path, long_windows=True)
        kind = kind_of(content)
        if kind == "text":
            kind = unit
            if wrapped and is_wrapped(content.head(SAMPLE).decode(errors="replace")):
                wrapped = False  # one file speaks for the others
                warn(Note("source.wrapped-lines", values={"file": str(path)}), stacklevel=4)
        hash_ = ends_hash(path)
        copy = copies[hash_] = copies.get(hash_, -1) + 1
        whole = Part(str(path), kind, field, 0, None, content.stamp, hash_, copy)
        cuts = _cuts(content, kind)
        for start, stop in zip([0, *cuts], [*cuts, None], strict=True):
            parts.append(replace(whole, start=start, stop=stop))
    return parts


def _cuts(content: Content, kind: str) -> list[int]:
    """Where a file may be parted, every so many bytes; row groups of Parquet."""
    path = content.path
    if kind == "parquet":
        return _row_groups(content.need_plain("Parquet"))
    if content.plain and kind in _BORDERS:
        return _borders(path, SIZE, _BORDERS[kind])
    if kind == "wikipedia" and path.suffix.lower() == ".bz2":
        return _borders(path, PACKED_SIZE, _BORDERS["streams"], _begins_page)
    return []


def _begins_page(packed: bytes) -> bool:
    """Whether a page begins with a stream of bzip2, as in multistream dumps."""
    try:
        head = bz2.BZ2Decompressor().decompress(packed, 64)
    except (OSError, EOFError):
        return False
    return head.lstrip().startswith(BEGIN)


def _borders(
    path: Path,
    step: int,
    border: re.Pattern[bytes],
    begins: Callable[[bytes], bool] = lambda _stream: True,
) -> list[int]:
    """The first border behind every so many bytes."""
    size, cuts = path.stat().st_size, [0]
    if size <= step:
        return []
    with open_binary(path) as file, mmap(file.fileno(), 0, access=ACCESS_READ) as data:
        while cuts[-1] < size:
            place = min(cuts[-1] + step, size)
            cuts.append(size)
            for match in border.finditer(data, place):
                if begins(data[match.end() : match.end() + _FIRST_PAGE]):
                    cuts[-1] = match.end()
                    break
    return cuts[1:-1]


def _row_groups(path: Path) -> list[int]:
    """Where neighbouring row groups are parted, so that each part is up to a size."""
    _, parquet = pyarrow_of(path)
    with faults_of_library(path, "this Parquet file"):
        facts = parquet.read_metadata(path)
        sizes = [facts.row_group(k).total_byte_size for k in range(facts.num_row_groups)]
    cuts, held = [], 0
    for group, size in enumerate(sizes):
        if held and held + size > SIZE:
            cuts.append(group)
            held = 0
        held += size
    return cuts


def read_part(part: Part, account: Account) -> Iterator[Batch]:
    """Read the texts of a part, compressed or not."""
    path = Path(part.path)
    part.stamp.check(path)
    if part.kind == "parquet":
        rows = parquet_rows(path, part.field, account, part.start, part.stop)
        yield from batched(texts(rows, account))
        return
    content = locate(path, long_windows=True)
    plain = content.plain
    if (part.start, part.stop) != (0, None):

        def open_part(path: Path) -> IO[bytes]:
            some: Any = _Bytes(path, part)
            return some if plain else bz2.BZ2File(some)

        content = replace(content, _open=open_part)
    with content.open() as file:
        if part.kind == "line":
            yield from line_texts(file, account)
        elif part.kind == "paragraph":
            yield from paragraph_texts(file, account)
        elif part.kind == "jsonl":
            tried = TRIED if part.start else 1  # a last part may hold a line or two
            yield from batched(texts(json_rows(file, part.field, account, tried), account))
        elif part.kind == "wikipedia":
            yield from batched(texts(wikipedia_rows(file, account), account))
        else:
            rows = table_rows(file, part.field, "," if part.kind == "csv" else "\t", account)
            yield from batched(texts(rows, account))
    if account.damaged and not account.texts and not part.start:
        raise SourceError(
            f"{part.label}: no text of it can be read",
            got=f"line {account.named[0]['line']}: {account.named[0]['why']}",
            remedy="if it is in another encoding: iconv -f WINDOWS-1252 -t UTF-8",
        )
    if account.damaged and part.start and plain:  # lines are numbered within the file
        with path.open("rb") as whole:
            sizes = (min(_READ, part.start - at) for at in range(0, part.start, _READ))
            before = sum(whole.read(size).count(b"\n") for size in sizes)
        account.named = [{**line, "line": before + line["line"]} for line in account.named]


class _Bytes(io.RawIOBase):
    """The bytes of a part, as a file of their own."""

    def __init__(self, path: Path, part: Part) -> None:
        self._file = open_binary(path)
        self._file.seek(part.start)
        self._left = (part.stamp.size if part.stop is None else part.stop) - part.start

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        size: int = self._file.readinto(memoryview(buffer)[: self._left])  # type: ignore[attr-defined]
        self._left -= size
        return size

    def close(self) -> None:
        self._file.close()
        super().close()


SAMPLE = 65_536
"""Bytes of a text whose lines are looked at."""
LINES, WIDEST = 20, 120
"""Fewer different lines say nothing; who wraps lines wraps them before so many characters."""
FULL, LOWER = 0.7, 0.3
"""In a text that is wrapped, shares of lines that are full, and that begin in lower case; of one
sentence a line some tenth are full."""


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


class Reader:
    """Has a collector, one in each process, look at parts of a corpus.

    A collector begins with a part, takes its batches of texts, and then has a result.
    """

    def __init__(self, make: Callable[[], Any]) -> None:
        self.make, self._collector = make, make()

    def __reduce__(self) -> tuple[Any, ...]:
        return Reader, (self.make,)

    def __call__(self, part: Part) -> tuple[Any, Account]:
        """What was found in a part, all of it or nothing, and what was read."""
        self._collector.begin(part)
        account = Account(part.path)
        for batch in read_part(part, account):
            self._collector.take(batch)
        return self._collector.result(), account


def files_read(parts: Sequence[Part], accounts: Sequence[Account]) -> dict[str, Any]:
    """Say what was read; hashes are of the first and last 64 KiB of files, whatever their names."""
    files: dict[str, dict[str, Any]] = {}
    for part, account in zip(parts, accounts, strict=True):
        head = {"file": part.path, "size": part.stamp.size, "ends_sha256": part.ends_sha256}
        file = files.setdefault(part.path, {**head, "texts": 0, "damaged": 0, "skipped": {}})
        file["texts"] += account.texts
        file["damaged"] += account.damaged
        file["skipped"] = dict(sorted((Counter(file["skipped"]) + account.skipped).items()))
    damaged = [line for account in accounts for line in account.named]
    ends = sorted((file["size"], file["ends_sha256"]) for file in files.values())
    return {
        "corpus_sha256": hashlib.sha256(json.dumps(ends).encode()).hexdigest(),
        "files": list(files.values()),
        "damaged": damaged[:NAMED],
    }
