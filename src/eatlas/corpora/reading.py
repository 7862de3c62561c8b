"""From the bytes of a corpus to texts: lines, JSON Lines, tables, Parquet; what is damaged."""

from __future__ import annotations

import codecs
import csv
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SourceError, did_you_mean
from eatlas.sources.archives import check_growth
from eatlas.sources.files.on_disk import fill

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
    """Texts that were looked through."""
    skipped: Counter[str] = field(default_factory=Counter)
    """Texts left out although nothing was wrong with them, by reason."""
    damaged: int = 0
    named: list[Damage] = field(default_factory=list)
    """The first damaged lines."""

    def damage(self, line: int, why: str) -> None:
        """Count and report a damaged line."""
        one = Damage(self.file, line, why)
        self.damaged += 1
        if len(self.named) < NAMED:
            self.named.append(one)
        if self.tell is not None:
            self.tell(one)


BLOCK = 4 << 20
"""Bytes that are looked through at once; more are no faster."""
_NEWLINE = b"\n"
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True)
class Lines:
    """Some lines of a file; `data` is good until the next are read."""

    data: NDArray[np.uint8]
    number: int
    """Number of the first line in the file, from 1."""
    whole: bool = True
    """Whether the last line ends here; a line longer than a block comes in several."""


def read_lines(
    file: BinaryIO,
    label: str,
    *,
    ends: tuple[bytes, ...] = (_NEWLINE,),
    block: int = BLOCK,
    longest: int = BLOCK,
) -> Iterator[Lines]:
    """Read a file as blocks of whole lines."""
    from eatlas.corpora import kernels  # noqa: PLC0415  (compiles on import)

    buffer = np.empty(block, np.uint8)
    kept, number, first = 0, 1, True
    while True:
        size = kept + fill(file, buffer, kept)
        begin = _after_mark(buffer[:size], label) if first else 0
        at_end = size < len(buffer)
        cut = size if at_end else _last_end(buffer, ends)
        if not cut and len(buffer) < longest:
            buffer, kept = np.concatenate([buffer, np.empty_like(buffer)]), size
            continue
        whole = bool(cut) or at_end
        if not whole:
            cut, whole = _cut(buffer.tobytes())
        if cut > begin:
            yield Lines(buffer[begin:cut], number, whole)
        if at_end:
            return
        number += int(kernels.count_lines(buffer[:cut])[0])
        kept, first = size - cut, False
        buffer[:kept] = buffer[cut:size].copy()


_SEARCHED = _DECODED = 1 << 16
"""Bytes that are looked at together."""


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
    """Return where the last whole line ends, or else the last word."""
    if at := data.rfind(_NEWLINE) + 1:
        return at, True
    if space := max(data.rfind(b" "), data.rfind(b"\t")) + 1:
        return space, False
    at = len(data)
    while at > 1 and data[at - 1] & 0xC0 == 0x80:
        at -= 1
    return at - 1 or len(data), False  # a character is not cut


def _after_mark(head: NDArray[np.uint8], label: str) -> int:
    """Return the length of a byte order mark of UTF-8."""
    mark = head[:4].tobytes()
    if mark.startswith(_UTF16):
        raise SourceError(
            f"{label}: the file is not UTF-8",
            got="UTF-16, to judge by its first bytes",
            remedy="save it as UTF-8",
        )
    return len(codecs.BOM_UTF8) if mark.startswith(codecs.BOM_UTF8) else 0


NEWLINE, ZERO = 10, 0


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
    some: list[bytes] = []
    pending = 0
    for text in texts:
        coded = text.replace("\0", " ").encode("utf-8", "replace")  # half a pair of surrogates
        some.append(coded)
        pending += len(coded)
        if pending >= size:
            yield _joined(some)
            some, pending = [], 0
    if some:
        yield _joined(some)


def _joined(texts: list[bytes]) -> Batch:
    return Batch(np.frombuffer(b"\0".join(texts), np.uint8), ZERO)


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


Texts = Callable[[Iterable[Lines], Account], Iterator[Batch]]


USUAL = ("text", "body")
"""Where corpora, and Reddit's comments, keep the text."""
GONE = ("[deleted]", "[removed]")
"""What Reddit puts in the place of a comment that is no longer there."""
LONGEST_CELL = 1 << 24
"""Characters of the longest cell; a quotation mark that is never closed must not eat a file."""
LONGEST_LINE = 1 << 28
"""Bytes of the longest line that is read; a longer one counts as damaged."""
TRIED = 1000
"""Good lines without the field after which the file is refused."""
Rows = Iterator[tuple[str, str]]
"""Field or column, and the text."""


def texts(read: Callable[[Account], Rows], account: Account) -> Iterator[str]:
    """Yield the text of every row that has one.

    Rows that cannot be read, or whose text is none, are damaged: counted, reported and skipped.
    What Reddit puts in the place of deleted comments is skipped and counted.
    """
    for name, text in read(account):
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


def column_of(columns: Collection[str], field: str | None, label: str) -> str:
    """Return the column that holds the text."""
    for name in _wanted(field):
        if name in columns:
            return name
    raise _no_field(columns, field, label, "column")


def _wanted(field: str | None) -> tuple[str, ...]:
    return USUAL if field is None else (field,)


def _no_field(
    there: Collection[str], field: str | None, label: str, what: str, where: str = ""
) -> SourceError:
    """Say that a file holds no text where it was looked for."""
    names = sorted(there)
    wanted = " or ".join(map(repr, _wanted(field)))
    near = did_you_mean(field, names) if field is not None else ""
    return SourceError(
        f"{label}: {where}there is no {what} {wanted}{near}",
        got=", ".join(names) or f"no {what}",
        remedy=f"name the {what} that holds the text: --field NAME (in Python, field='NAME')",
    )


def table_rows(file: BinaryIO, field: str | None, separator: str, account: Account) -> Rows:
    """Read CSV or TSV: a header, and one column with the texts."""
    bad: list[int] = []
    before = csv.field_size_limit(LONGEST_CELL)
    try:
        rows = csv.reader(_decoded(file, account.file, bad), delimiter=separator)
        header = next(rows, None)
        if header is None:
            raise SourceError(f"{account.file}: the file is empty", allowed="a header, then rows")
        name = column_of(header, field, account.file)
        place, line = header.index(name), rows.line_num
        while True:
            try:
                row = next(rows)
            except StopIteration:
                return
            except csv.Error as error:
                account.damage(rows.line_num, f"no row: {error}")
                continue
            first, line = line + 1, rows.line_num
            if bad and bad[-1] >= first:
                account.damage(bad[-1], "not UTF-8")
            elif row and len(row) != len(header):
                account.damage(first, f"{len(row)} cells instead of {len(header)}")
            elif row:
                yield name, row[place]
    finally:
        csv.field_size_limit(before)


def _decoded(file: BinaryIO, label: str, bad: list[int]) -> Iterator[str]:
    """Yield the lines as text, and note the number of the last that is not UTF-8."""
    for block in read_lines(file, label):
        for number, line in enumerate(
            block.data.tobytes().splitlines(keepends=True), start=block.number
        ):
            try:
                yield line.decode()
            except UnicodeDecodeError:
                bad[:] = [number]
                yield line.decode("utf-8", "replace")


def json_rows(file: BinaryIO, field: str | None, account: Account) -> Rows:
    """Read JSON Lines: one object a line, one of its fields the text, as in Reddit's comments."""
    names = _wanted(field)
    decode, keys = _parsers(names)
    lacking, found, line = 0, False, b""
    for number, line in _json_lines(file, account):
        try:
            values = decode(line)
        except (ValueError, RecursionError) as error:
            account.damage(number, _why(error))
            continue
        for name, text in zip(names, values, strict=True):
            if text is not None:
                found = True
                yield name, text
                break
        else:
            account.skipped[f"no {' or '.join(names)}"] += 1
            lacking += not found
            if lacking == TRIED:
                break
    if lacking and not found:
        raise _no_field(keys(line), field, account.file, "field", "no line has it; ")


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


def _parsers(
    names: tuple[str, ...],
) -> tuple[Callable[[bytes], tuple[str | None, ...]], Callable[[bytes], list[str]]]:
    """Return what takes some fields out of a line, and what names all its fields."""
    try:
        msgspec: Any = import_module("msgspec")
    except ImportError as error:
        raise SourceError(
            "msgspec is needed to read JSON Lines", remedy="pip install 'eatlas[text]'"
        ) from error
    places = [f"field{k}" for k in range(len(names))]
    record = msgspec.defstruct(
        "Line",
        [(place, str | None, None) for place in places],
        rename=dict(zip(places, names, strict=True)),
    )
    decode = msgspec.json.Decoder(record).decode

    def values(line: bytes) -> tuple[str | None, ...]:
        found: tuple[str | None, ...] = msgspec.structs.astuple(decode(line))
        return found

    def keys(line: bytes) -> list[str]:
        try:
            whole = msgspec.json.decode(line)
        except ValueError:
            return []
        return list(whole) if isinstance(whole, dict) else []

    return values, keys


def _why(error: Exception) -> str:
    said = str(error)
    if isinstance(error, UnicodeDecodeError) or "UTF-8" in said or "utf-8" in said:
        return "not UTF-8"
    return (
        "the text is not a string: " + said
        if "Expected `str" in said
        else f"no JSON object: {said}"
    )


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
            row = sum(file.metadata.row_group(one).num_rows for one in range(groups.start))
            schema = file.schema_arrow
            name = column_of(schema.names, field, account.file)
            kind = schema.field(name).type
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
                    except UnicodeDecodeError as error:
                        byte = error.object[error.start]
                        account.damage(row, f"byte 0x{byte:02x}, which is not UTF-8")
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
            size = sum(one.total_uncompressed_size for one in columns if one.path_in_schema == name)
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
