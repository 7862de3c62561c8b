"""From the bytes of a corpus to texts: lines, JSON Lines, tables, Parquet; what is damaged."""

from __future__ import annotations

import codecs
import csv
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SourceError, did_you_mean
from eatlas.sources.archives import Stamp, check_growth, ends_hash

NAMED = 100
"""Damaged lines of a run that are named one by one in what is written; all are counted."""


@dataclass(frozen=True)
class Damage:
    """A line, or a row, that was skipped."""

    file: str
    line: int
    why: str

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}: {self.why}"


Tell = Callable[[Damage], None]


@dataclass
class Account:
    """Counts of one file; `tell` is called with every damaged line."""

    file: str
    tell: Tell | None = None
    texts: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    """Texts left out although nothing was wrong with them, by reason."""
    damaged: int = 0
    named: list[Damage] = field(default_factory=list)
    """The first damaged lines."""

    def damage(self, line: int, why: str) -> None:
        """Count and report a damaged line."""
        damage = Damage(self.file, line, why)
        self.damaged += 1
        if len(self.named) < NAMED:
            self.named.append(damage)
        if self.tell is not None:
            self.tell(damage)

    def add(self, part: Account, file: str, before: int) -> None:
        """Add a part of the file; its damaged lines are named in `file`, behind so many lines."""
        self.texts += part.texts
        self.skipped += part.skipped
        self.damaged += part.damaged
        self.named += [replace(bad, file=file, line=before + bad.line) for bad in part.named]


def files_read(accounts: Iterable[Account]) -> dict[str, Any]:
    """Say what was read; the hash is of the first and last 64 KiB of a file."""
    accounts = list(accounts)
    named = [damage for account in accounts for damage in account.named]
    return {
        "files": [
            {
                "file": account.file,
                "size": Stamp.of(Path(account.file)).size,
                "ends_sha256": ends_hash(Path(account.file)),
                "texts": account.texts,
                "damaged": account.damaged,
                "skipped": dict(sorted(account.skipped.items())),
            }
            for account in accounts
        ],
        "damaged": [asdict(damage) for damage in named[:NAMED]],
    }


BLOCK = 4 << 20
"""Bytes that are looked through at once; more are no faster."""
LONGEST_LINE = 1 << 28
"""Bytes of the longest line that is read whole."""
LONGEST_CELL = 1 << 24
"""Characters of the longest cell; a quotation mark that is never closed must not eat a file."""
NEWLINE, ZERO = 10, 0
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_SEARCHED = _DECODED = 1 << 16
"""Bytes that are looked at together."""


@dataclass(frozen=True)
class Lines:
    """Some lines of a file; `data` is good until the next are read."""

    data: NDArray[np.uint8]
    number: int
    """Number of the first line in the file, from 1."""
    whole: bool = True
    """Whether the last line ends here; a line that is too long comes in several."""


def read_lines(
    file: BinaryIO,
    label: str,
    *,
    ends: tuple[bytes, ...] = (b"\n",),
    block: int = BLOCK,
    longest: int = BLOCK,
) -> Iterator[Lines]:
    """Read a file as blocks of whole lines."""
    from eatlas.corpora import kernels  # noqa: PLC0415  (compiles on import)

    buffer = np.empty(block, np.uint8)
    held, number, first = 0, 1, True
    while True:
        size = held + file.readinto(buffer[held:])  # type: ignore[attr-defined]
        begin = _after_mark(buffer[: min(size, 4)].tobytes(), label) if first else 0
        at_end = size < len(buffer)
        cut = size if at_end else _last_end(buffer, ends)
        if not cut and len(buffer) < longest:
            buffer, held = np.concatenate([buffer, np.empty_like(buffer)]), size
            continue
        whole = bool(cut) or at_end
        if not whole:
            cut, whole = _cut(buffer.tobytes())
        if cut > begin:
            yield Lines(buffer[begin:cut], number, whole)
        if at_end:
            return
        number += int(kernels.count_lines(buffer[:cut])[0])
        held, first = size - cut, False
        buffer[:held] = buffer[cut:size].copy()


def _last_end(buffer: NDArray[np.uint8], ends: tuple[bytes, ...]) -> int:
    """Return where the last of some ends lies, behind it; 0 if there is none."""
    reach = max(map(len, ends)) - 1
    for stop in range(len(buffer), 0, -_SEARCHED):
        begin = max(0, stop - _SEARCHED)
        part = buffer[begin : min(stop + reach, len(buffer))].tobytes()
        for end in ends:
            if at := part.rfind(end) + 1:
                return begin + at + len(end) - 1
    return 0


def _cut(data: bytes) -> tuple[int, bool]:
    """Return where the last whole line ends, or else the last word or character."""
    if at := data.rfind(b"\n") + 1:
        return at, True
    if space := max(data.rfind(b" "), data.rfind(b"\t")) + 1:
        return space, False
    at = len(data)
    while at > 1 and data[at - 1] & 0xC0 == 0x80:
        at -= 1
    return at - 1 or len(data), False


def _after_mark(head: bytes, label: str) -> int:
    """Return the length of a byte order mark of UTF-8."""
    if head.startswith(_UTF16):
        raise SourceError(
            f"{label}: the file is not UTF-8",
            got="UTF-16, to judge by its first bytes",
            remedy="save it as UTF-8",
        )
    return len(codecs.BOM_UTF8) if head.startswith(codecs.BOM_UTF8) else 0


@dataclass(frozen=True)
class Batch:
    """Texts in valid UTF-8, one behind the other with a separator between; good until the next."""

    data: NDArray[np.uint8]
    separator: int


def line_texts(blocks: Iterable[Lines], account: Account) -> Iterator[Batch]:
    """Take every line as a text; lines that are no UTF-8 are skipped."""
    from eatlas.corpora import kernels  # noqa: PLC0415  (compiles on import)

    for lines in blocks:
        damaged = account.damaged
        data = without_bad_lines(lines, account)
        account.texts += int(kernels.count_lines(data)[1]) - (account.damaged - damaged)
        yield Batch(data, NEWLINE)


def paragraph_texts(blocks: Iterable[Lines], account: Account) -> Iterator[Batch]:
    """Take each paragraph, between blank lines, as a text."""
    from eatlas.corpora import kernels  # noqa: PLC0415  (compiles on import)

    for lines in blocks:
        data = without_bad_lines(lines, account)
        data[data == ZERO] = ord(" ")
        kernels.part_paragraphs(data)
        account.texts += sum(1 for text in data.tobytes().split(b"\0") if text.strip())
        yield Batch(data, ZERO)


def batched(texts: Iterable[str], size: int = BLOCK) -> Iterator[Batch]:
    """Put single texts together."""
    coded: list[bytes] = []
    pending = 0
    for text in texts:
        coded.append(text.replace("\0", " ").encode("utf-8", "replace"))  # half a surrogate pair
        pending += len(coded[-1])
        if pending >= size:
            yield Batch(np.frombuffer(b"\0".join(coded), np.uint8), ZERO)
            coded, pending = [], 0
    if coded:
        yield Batch(np.frombuffer(b"\0".join(coded), np.uint8), ZERO)


def without_bad_lines(lines: Lines, account: Account) -> NDArray[np.uint8]:
    """Return the bytes, those of lines that are no UTF-8 turned into spaces."""
    data, at, number = lines.data, 0, lines.number
    while (bad := _first_bad(data, at)) is not None:
        before = data[at:bad].tobytes()
        number += before.count(b"\n")
        begin = at + before.rfind(b"\n") + 1
        behind = data[bad:].tobytes().find(b"\n")
        end = len(data) if behind < 0 else bad + behind
        account.damage(number, f"byte 0x{data[bad]:02x}, which is not UTF-8")
        data[begin:end] = ord(" ")
        at = end
    return data


def _first_bad(data: NDArray[np.uint8], at: int) -> int | None:
    """Return the place of the first byte that is not UTF-8; None if there is none.

    Decoded piece by piece: pieces fit the processor's cache and leave no holes in the heap.
    """
    view = memoryview(data)  # type: ignore[arg-type]  # arrays are buffers
    while at < len(data):
        end = min(at + _DECODED, len(data))
        try:
            at += codecs.utf_8_decode(view[at:end], "strict", end == len(data))[1]
        except UnicodeDecodeError as error:
            return at + error.start
    return None


USUAL = ("text", "body")
"""Where corpora, and Reddit's comments, keep the text."""
GONE = ("[deleted]", "[removed]")
"""What Reddit puts in the place of a comment that is no longer there."""
TRIED = 1000
"""Good lines without the field after which the file is refused."""
Rows = Iterator[tuple[str, str]]
"""Field or column, and the text."""


def texts(rows: Rows, account: Account) -> Iterator[str]:
    """Yield the text of every row that has one; what Reddit deleted is skipped and counted."""
    for name, text in rows:
        if not text or text.isspace():
            account.skipped["empty"] += 1
        elif name == "body" and text in GONE:
            account.skipped[text] += 1
        else:
            account.texts += 1
            if name == "body" and "&" in text:  # so Reddit writes <, > and &
                yield text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
            else:
                yield text


def _wanted(field: str | None) -> tuple[str, ...]:
    return USUAL if field is None else (field,)


def column_of(columns: Collection[str], field: str | None, label: str) -> str:
    """Return the column that holds the text."""
    for name in _wanted(field):
        if name in columns:
            return name
    raise _no_field(columns, field, label, "column")


def _no_field(names: Collection[str], field: str | None, label: str, what: str) -> SourceError:
    wanted = " or ".join(map(repr, _wanted(field)))
    near = did_you_mean(field, sorted(names)) if field is not None else ""
    return SourceError(
        f"{label}: there is no {what} {wanted}{near}",
        got=", ".join(sorted(names)) or f"no {what}",
        remedy=f"name the {what} that holds the text: --field NAME (in Python, field='NAME')",
    )


def table_rows(file: BinaryIO, field: str | None, separator: str, account: Account) -> Rows:
    """Read CSV or TSV: a header, and one column with the texts."""
    before = csv.field_size_limit(LONGEST_CELL)
    # bytes that are no UTF-8 become lone surrogates, which show the rows that hold them
    lines = (
        line.decode(errors="surrogateescape")
        for block in read_lines(file, account.file)
        for line in block.data.tobytes().splitlines(keepends=True)
    )
    try:
        rows = csv.reader(lines, delimiter=separator)
        header = next(rows, None)
        if header is None:
            raise SourceError(f"{account.file}: the file is empty", allowed="a header, then rows")
        name = column_of(header, field, account.file)
        column, line = header.index(name), rows.line_num
        while True:
            first = line + 1
            try:
                row = next(rows)
            except StopIteration:
                return
            except csv.Error as error:
                account.damage(rows.line_num, f"no row: {error}")
                continue
            line = rows.line_num
            if row and len(row) != len(header):
                account.damage(first, f"{len(row)} cells instead of {len(header)}")
            elif row and not row[column].isascii() and not _sound(row[column]):
                account.damage(first, "not UTF-8")
            elif row:
                yield name, row[column]
    finally:
        csv.field_size_limit(before)


def _sound(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def json_rows(file: BinaryIO, field: str | None, account: Account) -> Rows:
    """Read JSON Lines: one object a line, one of its fields the text, as in Reddit's comments."""
    names = _wanted(field)
    try:
        msgspec: Any = import_module("msgspec")
    except ImportError as error:
        raise SourceError(
            "msgspec is needed to read JSON Lines", remedy="pip install 'eatlas[text]'"
        ) from error
    keys = {f"field{k}": name for k, name in enumerate(names)}
    record = msgspec.defstruct("Line", [(key, str | None, None) for key in keys], rename=keys)
    decode = msgspec.json.Decoder(record).decode
    lacking, seen, line = 0, False, b""
    for number, line in _json_lines(file, account):
        try:
            values = msgspec.structs.astuple(decode(line))
        except (ValueError, RecursionError) as error:
            reason = str(error)
            account.damage(number, "not UTF-8" if "utf-8" in reason.lower() else reason)
            continue
        for name, text in zip(names, values, strict=True):
            if text is not None:
                seen = True
                yield name, text
                break
        else:
            account.skipped[f"no {' or '.join(names)}"] += 1
            lacking += not seen
            if lacking == TRIED:
                break
    if lacking and not seen:
        raise _no_field(msgspec.json.decode(line, type=dict), field, account.file, "field")


def _json_lines(file: BinaryIO, account: Account) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that hold something with their numbers; one that is too long is damaged."""
    cut = False
    for block in read_lines(file, account.file, longest=LONGEST_LINE):
        data, number = block.data.tobytes(), block.number
        if not block.whole or cut:
            if not cut:
                account.damage(number, f"longer than {LONGEST_LINE:,} bytes")
            begin = data.find(b"\n") + 1
            cut = not begin
            data, number = data[begin:] if begin else b"", number + 1
        for at, line in enumerate(data.split(b"\n"), start=number):
            if line and not line.isspace():
                yield at, line


ROWS = 1024
"""Rows that are read at once; more are hardly faster."""
BUDGET = 64 << 20
"""Bytes of the texts that are read at once; a text that many rows share is small in a file."""


def parquet_rows(
    path: Path, field: str | None, account: Account, groups: range | None = None
) -> Rows:
    """Read one column of Parquet, some rows at a time; rows that are no UTF-8 are damaged."""
    pa, parquet = pyarrow_of(path)
    size, packed = 0, path.stat().st_size
    try:
        with parquet.ParquetFile(path) as file:
            groups = range(file.num_row_groups) if groups is None else groups
            row = sum(file.metadata.row_group(group).num_rows for group in range(groups.start))
            name = column_of(file.schema_arrow.names, field, account.file)
            kind = file.schema_arrow.field(name).type
            if pa.types.is_dictionary(kind):
                kind = kind.value_type
            if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
                raise SourceError(
                    f"{account.file}: the column {name!r} holds no texts",
                    got=str(kind),
                    remedy="name the column that does: --field NAME (in Python, field='NAME')",
                )
            for batch in _batches(file, path, name, groups):
                for cell in batch.column(0).cast(pa.large_binary()).to_pylist():
                    row += 1
                    size += len(cell or b"")
                    try:
                        text = (cell or b"").decode()
                    except UnicodeDecodeError:
                        account.damage(row, "not UTF-8")
                        continue
                    yield name, text
                check_growth(str(path), size, packed)
    except (pa.ArrowException, OSError) as error:
        raise SourceError(
            f"{path}: this Parquet file is damaged or ends early", got=str(error)
        ) from error


def _batches(file: Any, path: Path, name: str, groups: range) -> Iterator[Any]:
    """Batches of a column: few rows where its dictionary has texts of megabytes."""
    pa, parquet = pyarrow_of(path)
    packed = path.stat().st_size
    with parquet.ParquetFile(path, read_dictionary=[name]) as by_dictionary:
        for group in groups:
            facts = file.metadata.row_group(group)
            columns = (facts.column(number) for number in range(facts.num_columns))
            size = sum(c.total_uncompressed_size for c in columns if c.path_in_schema == name)
            check_growth(str(path), size, packed)
            for first in by_dictionary.iter_batches(1, [group], [name]):
                longest = pa.compute.max(pa.compute.binary_length(first.column(0).dictionary))
                rows = BUDGET // (longest.as_py() or 1)
                yield from file.iter_batches(max(1, min(ROWS, rows)), [group], [name])
                break


def pyarrow_of(path: Path) -> tuple[Any, Any]:
    """Import pyarrow where it is needed; `path` is named if it is missing."""
    try:
        import_module("pyarrow.compute")
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError as error:
        raise SourceError(
            f"{path}: pyarrow is needed to read and write Parquet",
            remedy="pip install 'eatlas[text]'",
        ) from error
