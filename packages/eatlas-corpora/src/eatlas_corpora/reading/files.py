"""From files, folders and patterns to the subcorpora, and from their bytes to texts."""

from __future__ import annotations

import codecs
import csv
import glob
import hashlib
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, field, replace
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import IO, Any, BinaryIO, Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

from eatlas.decoding import check_growth, check_parquet_growth
from eatlas.errors import SourceError, described, did_you_mean
from eatlas.paths import is_file, is_folder, is_there
from eatlas.sources.archives import (
    Content,
    Stamp,
    faults_of_library,
    library,
    locate,
    open_binary,
)
from eatlas.sources.download import on_this_machine
from eatlas.sources.outputs import pyarrow_of
from eatlas.stimuli.batteries import is_test

Unit = Literal["line", "paragraph"]
Corpus = str | Path | Iterable[str | Path]
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
_HTML = re.compile(
    rb"(\xef\xbb\xbf)?\s*(<!--.*?-->\s*)*<(\?xml|!doctype\s|html\b|head\b|body\b)",
    re.IGNORECASE | re.DOTALL,
)
BEGINNING = 1_024
"""Bytes that show what a file is."""
SIZE = 64 << 20
"""Bytes of a part: a second of work."""
_BORDERS = {
    "line": re.compile(rb"\n"),
    "jsonl": re.compile(rb"\n"),
    "paragraph": re.compile(rb"\n[ \t\v\f\r]*\n"),
}
"""Behind what a file of a kind may be split."""
EXTRA = "pip install 'eatlas[corpora]'"
NAMED = 100
"""Damaged lines that are named one by one in what is written; all are counted."""


# --- parts ----------------------------------------------------------------------------------------
ENDS = 1 << 16


@dataclass(frozen=True)
class Part:
    """A file, or a part of it that holds whole documents."""

    path: str
    kind: str
    """line and paragraph of plain text, jsonl, csv, tsv, parquet."""
    field: str | None
    start: int
    stop: int | None
    """Bytes; None: to the end of the file."""
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
        end = "the end" if self.stop is None else f"{self.stop:,}"
        return f"{self.path}, bytes {self.start:,} to {end}" if self.start else self.path


def on_disk(corpus: Corpus) -> list[str | Path]:
    """Paths of a corpus; a published corpus is replaced by its paths."""
    names = [corpus] if isinstance(corpus, str | Path) else list(corpus)
    published = (isinstance(name, str) and not is_there(name) for name in names)
    return [
        (by_name and on_this_machine(str(name), "texts")) or name
        for name, by_name in zip(names, published, strict=True)
    ]


def corpus_files(corpus: Corpus) -> list[Path]:
    """Find the files of a corpus, each once, in the order of their names."""
    names = [corpus] if isinstance(corpus, str | Path) else corpus
    names = list(names) if isinstance(names, Iterable) else [names]
    for name in names:
        if not isinstance(name, str | Path):
            raise SourceError("this is not a corpus", got=described(name), allowed="paths of files")
    files = [path for name in names for path in _files_of(name)]
    if not files:
        raise SourceError("no corpus is given", allowed="files, folders, or patterns of names")
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
        remedy = f"a test has this name; repeat the option for each test: --tests {name}"
        raise SourceError(
            f"{path}: {what}",
            allowed="a file, a folder with files in it, or a pattern such as 'RC_*.zst'",
            remedy=remedy if is_test(str(name)) else None,
        )
    return files


def kind_of(content: Content) -> str:
    """Return what a file is, by its name or its first bytes; pages of HTML and XML are refused."""
    endings = [suffix.lower() for suffix in reversed(content.path.suffixes)]
    kind = next((_KINDS[ending] for ending in endings if ending in _KINDS), "")
    if kind not in {"", "text", "page"}:
        return kind
    head = content.head(BEGINNING)
    tag = _HTML.match(head)
    if tag or kind == "page":
        name = tag and tag[0].split(b"<")[-1].decode(errors="replace").strip()
        raise SourceError(
            f"{content.path}: this is a page of HTML or XML; its tags would be read as words",
            got=f"it begins with <{name}" if name else f"the name {content.path.name}",
            allowed="text, JSON Lines, CSV, TSV or Parquet",
            remedy="take the text out first, such as with: pandoc --to plain PAGE.html -o PAGE.txt"
            " (in Python: trafilatura, BeautifulSoup; of a dump of Wikipedia: wikiextractor)",
        )
    if not kind and head.startswith(b"PAR1"):
        return "parquet"
    return "jsonl" if not kind and head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") else "text"


def parts_of(corpus: Corpus, field: str | None = None, unit: Unit = "line") -> list[Part]:
    """Part the files of a corpus at borders of documents.

    Uncompressed plain text and JSON Lines are split. Other files are one part.
    """
    if unit not in get_args(Unit):
        raise SourceError(
            "the unit cannot be used",
            got=repr(unit),
            allowed=", ".join(get_args(Unit)),
        )
    parts: list[Part] = []
    copies: Counter[str] = Counter()
    for path in corpus_files(corpus):
        content = locate(path, long_windows=True)
        kind = kind_of(content)
        kind = unit if kind == "text" else kind
        hash_ = ends_hash(path)
        whole = Part(str(path), kind, field, 0, None, content.stamp, hash_, copies[hash_])
        copies[hash_] += 1
        if kind == "parquet":
            content.need_plain("Parquet")
        cuts: list[int] = []
        if content.plain and kind in _BORDERS:
            cuts = _cuts(path, SIZE, _BORDERS[kind])
        for start, stop in zip([0, *cuts], [*cuts, None], strict=True):
            parts.append(replace(whole, start=start, stop=stop))
    return parts


def _cuts(path: Path, step: int, border: re.Pattern[bytes]) -> list[int]:
    """The first border behind every so many bytes."""
    size, cuts = path.stat().st_size, [0]
    if size <= step:
        return []
    with open_binary(path) as file, mmap(file.fileno(), 0, access=ACCESS_READ) as data:
        while cuts[-1] < size:
            place = min(cuts[-1] + step, size)
            found = border.search(data, place)
            cuts.append(size if found is None else found.end())
    return cuts[1:-1]


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


# --- texts ----------------------------------------------------------------------------------------


@dataclass
class Account:
    """What was read of a file, or of a part of it."""

    file: str
    texts: int = 0
    damaged: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    """Texts left out although nothing was wrong with them, by reason."""
    named: list[dict[str, Any]] = field(default_factory=list)
    """The first damaged lines: file or part of it, line, why."""

    def __post_init__(self) -> None:
        self.skipped = Counter(self.skipped)

    def damage(self, line: int, why: str) -> None:
        """Count a damaged line."""
        self.damaged += 1
        if len(self.named) < NAMED:
            self.named.append({"file": self.file, "line": line, "why": why})


Batch = tuple[NDArray[np.uint8], int]
"""Texts in valid UTF-8, one behind the other, and the byte between them."""
Values = tuple[str | None, ...]
"""Of a text, what its row has in some other fields; None where it has nothing."""
Rows = Iterator[tuple[str, str, Values]]
"""Field or column, the text, and the values of other fields that are wanted."""
Coded = Iterator[tuple[bytes, int, list[Values]]]
"""Texts in UTF-8 with a separator between them, and the values of each; of plain text none."""
BLOCK = 1 << 20
"""Bytes that are looked through at once; they fit the cache of a processor."""
LONGEST_LINE = 1 << 28
"""Bytes of the longest line, or paragraph, that is read whole."""
LONGEST_CELL = 1 << 24
"""Characters of the longest cell; a quotation mark that is never closed must not eat a file."""
NEWLINE, ZERO = 10, 0
_DECODED = 1 << 16
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_BLANK_LINES = (b"\n\n", b"\n\r\n")
_PARAGRAPH = re.compile(rb"\n(?=[ \t\v\f\r]*\n)")
_SOFT_HYPHEN = "\u00ad".encode()
USUAL = ("text", "body")
"""Where corpora, and Reddit's comments, keep the text."""
GONE = ("[deleted]", "[removed]")
"""What Reddit puts in place of a comment that is no longer there."""
TRIED = 1000
"""Good lines without the field after which the file is refused."""
ROWS = 64
"""Rows of Parquet that are read at once; they may share a text that is small in the file."""


def read_part(part: Part, account: Account) -> Iterator[Batch]:
    """Read the texts of a part, compressed or not; soft hyphens are left out."""
    return (batch for batch, _ in read_documents(part, account))


def read_documents(
    part: Part, account: Account, fields: Sequence[str] = ()
) -> Iterator[tuple[Batch, list[Values]]]:
    """Read the texts of a part with the values of other fields of their rows."""
    for data, separator, values in _batches_of(part, account, fields):
        yield (np.frombuffer(data.replace(_SOFT_HYPHEN, b""), np.uint8), separator), values
    if account.damaged and not account.texts and not part.start:
        raise SourceError(
            f"{part.label}: none of its text can be read",
            got=f"line {account.named[0]['line']}: {account.named[0]['why']}",
            remedy="if the file has another encoding, convert it: iconv -f WINDOWS-1252 -t UTF-8",
        )


def _batches_of(part: Part, account: Account, fields: Sequence[str]) -> Coded:
    """Bytes of whole texts with a separator between them, some megabytes at a time."""
    path = Path(part.path)
    part.stamp.check(path)
    if part.kind == "parquet":
        yield from batch_texts(texts(parquet_rows(path, part.field, account, fields), account))
        return
    content = locate(path, long_windows=True)
    if (part.start, part.stop) != (0, None):

        def open_part(path: Path) -> IO[bytes]:
            return cast("IO[bytes]", _Bytes(path, part))

        content = replace(content, _open=open_part)
    with content.open() as file:
        if part.kind == "line":
            yield from ((data, separator, []) for data, separator in line_texts(file, account))
        elif part.kind == "paragraph":
            yield from ((data, separator, []) for data, separator in paragraph_texts(file, account))
        else:
            yield from batch_texts(texts(_rows(part, file, account, fields), account))


def _rows(part: Part, file: BinaryIO, account: Account, fields: Sequence[str]) -> Rows:
    if part.kind == "jsonl":
        tried = TRIED if part.start else 1  # a last part may hold a line or two
        return json_rows(file, part.field, account, tried, fields)
    return table_rows(file, part.field, "," if part.kind == "csv" else "\t", account, fields)


def blocks(
    file: BinaryIO, label: str, ends: tuple[bytes, ...] = (b"\n",)
) -> Iterator[tuple[bytes, int]]:
    """Yield whole lines, some megabytes at a time, with the number of the first."""
    data, number = b"", 0
    while more := file.read(max(BLOCK, len(data))):
        if not number and more.startswith(_UTF16):
            raise SourceError(
                f"{label}: the file is not UTF-8",
                got="its first bytes look like UTF-16",
                remedy="save it as UTF-8",
            )
        data = data + more if number else more.removeprefix(codecs.BOM_UTF8)
        number = number or 1
        cut = max((at + len(end) for end in ends if (at := data.rfind(end)) >= 0), default=0)
        if not cut and len(data) >= LONGEST_LINE:
            cut = max(data.rfind(b"\n"), data.rfind(b" ")) + 1
            if not cut:
                raise SourceError(
                    f"{label}: a text is too long",
                    got=f"more than {LONGEST_LINE:,} bytes without a space",
                )
        if cut:
            yield data[:cut], number
            number += data.count(b"\n", 0, cut)
            data = data[cut:]
    if data:
        yield data, number


def _sound(data: bytes, number: int, account: Account) -> bytes:
    """Empty the lines that are not UTF-8."""
    view, at = memoryview(data), 0
    try:  # piece by piece: pieces fit the processor's cache
        while at < len(data):
            end = at + _DECODED
            at += codecs.utf_8_decode(view[at:end], "strict", end >= len(data))[1]
    except UnicodeDecodeError:
        lines = data.split(b"\n")
        for k, line in enumerate(lines):
            try:
                line.decode()
            except UnicodeDecodeError:
                account.damage(number + k, "not UTF-8")
                lines[k] = b""
        return b"\n".join(lines)
    return data


def line_texts(file: BinaryIO, account: Account) -> Iterator[tuple[bytes, int]]:
    """Take every line as a text; lines that are no UTF-8 are skipped."""
    for block, number in blocks(file, account.file):
        data = _sound(block, number, account) or b"\n"
        ends = np.frombuffer(data, np.uint8) == NEWLINE
        account.texts += int(np.count_nonzero(ends[1:] > ends[:-1])) + (not ends[-1])
        yield data, NEWLINE


def paragraph_texts(file: BinaryIO, account: Account) -> Iterator[tuple[bytes, int]]:
    """Take each paragraph, between blank lines, as a text."""
    for block, number in blocks(file, account.file, _BLANK_LINES):
        data = _PARAGRAPH.sub(b"\0", _sound(block, number, account).replace(b"\0", b" "))
        account.texts += sum(1 for text in data.split(b"\0") if text.strip())
        yield data, ZERO


def batch_texts(texts: Iterable[tuple[str, Values]], size: int = BLOCK) -> Coded:
    """Put single texts together."""
    coded: list[bytes] = []
    values: list[Values] = []
    pending = 0
    for text, own in texts:
        coded.append(text.replace("\0", " ").encode("utf-8", "replace"))  # half a surrogate pair
        values.append(own)
        pending += len(coded[-1])
        if pending >= size:
            yield b"\0".join(coded), ZERO, values
            coded, values, pending = [], [], 0
    if coded:
        yield b"\0".join(coded), ZERO, values


def texts(rows: Rows, account: Account) -> Iterator[tuple[str, Values]]:
    """Yield the text of every row that has one; what Reddit deleted is skipped and counted."""
    for name, text, values in rows:
        if not text or text.isspace():
            account.skipped["empty"] += 1
        elif name == "body" and text in GONE:
            account.skipped[text] += 1
        else:
            account.texts += 1
            if name == "body" and "&" in text:  # so Reddit writes <, > and &
                plain = text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
                yield plain, values
            else:
                yield text, values


def _fields_to_read(field: str | None) -> tuple[str, ...]:
    return USUAL if field is None else (field,)


def _column(columns: Collection[str], field: str | None, label: str) -> str:
    """The column that holds the text."""
    for name in _fields_to_read(field):
        if name in columns:
            return name
    raise _no_field(columns, field, label, "column")


def _no_field(names: Collection[str], field: str | None, label: str, what: str) -> SourceError:
    wanted = " or ".join(map(repr, _fields_to_read(field)))
    near = did_you_mean(field, sorted(names)) if field is not None else ""
    return SourceError(
        f"{label}: there is no {what} {wanted}{near}",
        got=", ".join(sorted(names)) or f"no {what}",
        remedy=f"name the {what} that holds the text: --field NAME (in Python, field='NAME')",
    )


def value_of(cell: object) -> str | None:
    """A cell as a value of a field: numbers as they are written; None of what is empty."""
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    text = str(cell).strip() if isinstance(cell, str | int | float) else ""
    return text or None


def table_rows(
    file: BinaryIO, field: str | None, separator: str, account: Account, fields: Sequence[str] = ()
) -> Rows:
    """Read CSV or TSV: a header, and one column with the texts."""
    before = csv.field_size_limit(LONGEST_CELL)
    # bytes that are no UTF-8 become lone surrogates, which show the rows that hold them
    lines = (
        line.decode(errors="surrogateescape")
        for block, _ in blocks(file, account.file)
        for line in block.splitlines(keepends=True)
    )
    rows = csv.reader(lines, delimiter=separator)
    try:
        header = next(rows, [])
        name = _column(header, field, account.file)
        column = header.index(name)
        others = [header.index(other) if other in header else None for other in fields]
        while True:
            line = rows.line_num + 1
            try:
                row = next(rows)
                if row and len(row) != len(header):
                    raise csv.Error(f"{len(row)} cells instead of {len(header)}")
                if row:
                    row[column].encode()
                    values = tuple(None if i is None else value_of(row[i]) for i in others)
                    yield name, row[column], values
            except StopIteration:
                return
            except csv.Error as error:
                account.damage(line, str(error))
            except UnicodeEncodeError:
                account.damage(line, "not UTF-8")
    finally:
        csv.field_size_limit(before)


def json_rows(
    file: BinaryIO,
    field: str | None,
    account: Account,
    tried: int = 1,
    fields: Sequence[str] = (),
) -> Rows:
    """Read JSON Lines: one object a line, one of its fields the text, as in Reddit's comments.

    A file is refused if the first of them, `tried` at least, lack the field.
    """
    names = _fields_to_read(field)
    msgspec = library("msgspec", account.file, "JSON Lines", EXTRA)
    others = [name for name in fields if name not in names]
    keys = {f"field{k}": name for k, name in enumerate((*names, *others))}
    kinds = [str | None] * len(names) + [Any] * len(others)
    columns = [(key, kind, None) for key, kind in zip(keys, kinds, strict=True)]
    record = msgspec.defstruct("Line", columns, rename=keys)
    decode, astuple = msgspec.json.Decoder(record).decode, msgspec.structs.astuple
    lines = (
        (number, line)
        for block, first in blocks(file, account.file)
        for number, line in enumerate(block.split(b"\n"), start=first)
        if line and not line.isspace()
    )
    lacking, good, example = 0, False, b"{}"
    for number, line in lines:
        try:
            cells = dict(zip(keys.values(), astuple(decode(line)), strict=True))
        except (ValueError, RecursionError) as error:
            reason = str(error)
            account.damage(number, "not UTF-8" if "utf-8" in reason.lower() else reason)
            continue
        name = next((name for name in names if cells[name] is not None), "")
        if name:
            good = True
            yield name, cells[name], tuple(value_of(cells[other]) for other in fields)
            continue
        lacking, example = lacking + 1, line
        account.skipped[f"no {' or '.join(names)}"] += 1
        if lacking == TRIED and not good:
            break
    if lacking >= tried and not good:
        raise _no_field(msgspec.json.decode(example, type=dict), field, account.file, "field")


def parquet_rows(
    path: Path, field: str | None, account: Account, fields: Sequence[str] = ()
) -> Rows:
    """Read one column of Parquet; rows that are no UTF-8 are damaged."""
    pa, parquet = pyarrow_of(path)
    row = size = 0
    packed = path.stat().st_size
    with faults_of_library(path, "this Parquet file"), parquet.ParquetFile(path) as file:
        check_parquet_growth(path, file.metadata, packed)
        columns = file.schema_arrow
        name = _column(columns.names, field, account.file)
        kind = getattr(columns.field(name).type, "value_type", columns.field(name).type)
        if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
            raise SourceError(
                f"{account.file}: the column {name!r} does not contain text",
                got=str(kind),
                remedy="name the column that does: --field NAME (in Python, field='NAME')",
            )
        others = [other for other in fields if other in columns.names]
        for batch in file.iter_batches(ROWS, columns=list(dict.fromkeys((name, *others)))):
            cells = batch.column(name).cast(pa.large_binary()).to_pylist()
            none = [None] * len(cells)
            beside = [batch.column(f).to_pylist() if f in others else none for f in fields]
            for k, cell in enumerate(cells):
                row += 1
                size += len(cell or b"")
                try:
                    text = (cell or b"").decode()
                except UnicodeDecodeError:
                    account.damage(row, "not UTF-8")
                    continue
                yield name, text, tuple(value_of(column[k]) for column in beside)
            check_growth(str(path), size, packed)


# --- what looks at the parts ----------------------------------------------------------------------


def look_at(collector: Callable[[Part, Iterator[Batch]], Any], part: Part) -> tuple[Any, Account]:
    """Have a collector look at a part: all that it found or nothing, and what was read."""
    account = Account(part.label)
    return collector(part, read_part(part, account)), account


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


def ends_hash(path: Path) -> str:
    """Hash of the first and last 64 KiB of a file: cheap, and different for most contents."""
    with open_binary(path) as file:
        digest = hashlib.sha256(file.read(ENDS))
        file.seek(max(0, path.stat().st_size - ENDS))
        digest.update(file.read(ENDS))
    return digest.hexdigest()
