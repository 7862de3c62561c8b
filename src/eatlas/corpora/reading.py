"""From the bytes of a corpus to texts: lines, JSON Lines, tables, Parquet; what is damaged."""

from __future__ import annotations

import codecs
import csv
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SourceError, did_you_mean
from eatlas.sources.archives import (
    check_growth,
    check_parquet_growth,
    faults_of_library,
    library,
)

NAMED = 100
"""Damaged lines that are named one by one in what is written; all are counted."""
EXTRA = "pip install 'eatlas[text]'"


@dataclass
class Account:
    """What was read of a file, or of a part of it."""

    file: str
    texts: int = 0
    damaged: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    """Texts left out although nothing was wrong with them, by reason."""
    named: list[dict[str, Any]] = field(default_factory=list)
    """The first damaged lines: file, line, why."""

    def damage(self, line: int, why: str) -> None:
        """Count a damaged line."""
        self.damaged += 1
        if len(self.named) < NAMED:
            self.named.append({"file": self.file, "line": line, "why": why})


BLOCK = 1 << 20
"""Bytes that are looked through at once; they fit the cache of a processor."""
LONGEST_LINE = 1 << 28
"""Bytes of the longest line, or paragraph, that is read whole."""
LONGEST_CELL = 1 << 24
"""Characters of the longest cell; a quotation mark that is never closed must not eat a file."""
_DECODED = 1 << 16
NEWLINE, ZERO = 10, 0
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_BLANK_LINES = (b"\n\n", b"\n\r\n")
_PARAGRAPH = re.compile(rb"\n(?=[ \t\v\f\r]*\n)")


def blocks(
    file: BinaryIO, label: str, ends: tuple[bytes, ...] = (b"\n",)
) -> Iterator[tuple[bytes, int]]:
    """Yield whole lines, some megabytes at a time, with the number of the first."""
    data, number = b"", 0
    while more := file.read(max(BLOCK, len(data))):
        data = data + more if number else _without_mark(more, label)
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


def _without_mark(data: bytes, label: str) -> bytes:
    """Leave out a byte order mark of UTF-8."""
    if data.startswith(_UTF16):
        raise SourceError(
            f"{label}: the file is not UTF-8",
            got="UTF-16, to judge by its first bytes",
            remedy="save it as UTF-8",
        )
    return data.removeprefix(codecs.BOM_UTF8)


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


class Batch(NamedTuple):
    """Texts in valid UTF-8, one behind the other with a separator between."""

    data: NDArray[np.uint8]
    separator: int


def line_texts(file: BinaryIO, account: Account) -> Iterator[Batch]:
    """Take every line as a text; lines that are no UTF-8 are skipped."""
    for block, number in blocks(file, account.file):
        data = np.frombuffer(_sound(block, number, account) or b"\n", np.uint8)
        ends = data == NEWLINE
        account.texts += int(np.count_nonzero(ends[1:] > ends[:-1])) + (not ends[-1])
        yield Batch(data, NEWLINE)


def paragraph_texts(file: BinaryIO, account: Account) -> Iterator[Batch]:
    """Take each paragraph, between blank lines, as a text."""
    for block, number in blocks(file, account.file, _BLANK_LINES):
        data = _PARAGRAPH.sub(b"\0", _sound(block, number, account).replace(b"\0", b" "))
        account.texts += sum(1 for text in data.split(b"\0") if text.strip())
        yield Batch(np.frombuffer(data, np.uint8), ZERO)


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


def _column(columns: Collection[str], field: str | None, label: str) -> str:
    """The column that holds the text."""
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
        for block, _ in blocks(file, account.file)
        for line in block.splitlines(keepends=True)
    )
    rows = csv.reader(lines, delimiter=separator)
    try:
        header = next(rows, [])
        name = _column(header, field, account.file)
        column = header.index(name)
        while True:
            line = rows.line_num + 1
            try:
                row = next(rows)
                if row and len(row) != len(header):
                    raise csv.Error(f"{len(row)} cells instead of {len(header)}")
                if row:
                    row[column].encode()
                    yield name, row[column]
            except StopIteration:
                return
            except csv.Error as error:
                account.damage(line, str(error))
            except UnicodeEncodeError:
                account.damage(line, "not UTF-8")
    finally:
        csv.field_size_limit(before)


def json_rows(file: BinaryIO, field: str | None, account: Account, tried: int = 1) -> Rows:
    """Read JSON Lines: one object a line, one of its fields the text, as in Reddit's comments.

    A file is refused if the first of them, `tried` at least, lack the field.
    """
    names = _wanted(field)
    msgspec = library("msgspec", account.file, "JSON Lines", EXTRA)
    keys = {f"field{k}": name for k, name in enumerate(names)}
    record = msgspec.defstruct("Line", [(key, str | None, None) for key in keys], rename=keys)
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
            values = zip(names, astuple(decode(line)), strict=True)
        except (ValueError, RecursionError) as error:
            reason = str(error)
            account.damage(number, "not UTF-8" if "utf-8" in reason.lower() else reason)
            continue
        name, text = next((pair for pair in values if pair[1] is not None), ("", ""))
        if name:
            good = True
            yield name, text
            continue
        lacking, example = lacking + 1, line
        account.skipped[f"no {' or '.join(names)}"] += 1
        if lacking == TRIED and not good:
            break
    if lacking >= tried and not good:
        raise _no_field(msgspec.json.decode(example, type=dict), field, account.file, "field")


ROWS = 1024
"""Rows that are read at once; more are hardly faster."""
BUDGET = 64 << 20
"""Bytes of the texts that are read at once; a text that many rows share is small in a file."""


def parquet_rows(
    path: Path, field: str | None, account: Account, first: int, stop: int | None
) -> Rows:
    """Read one column of some row groups; rows that are no UTF-8 are damaged."""
    pa, parquet = pyarrow_of(path)
    size, packed = 0, path.stat().st_size
    with faults_of_library(path, "this Parquet file"), parquet.ParquetFile(path) as file:
        check_parquet_growth(path, file.metadata, packed)
        columns = file.schema_arrow
        name = _column(columns.names, field, account.file)
        kind = getattr(columns.field(name).type, "value_type", columns.field(name).type)
        if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
            raise SourceError(
                f"{account.file}: the column {name!r} holds no texts",
                got=str(kind),
                remedy="name the column that does: --field NAME (in Python, field='NAME')",
            )
        row = sum(file.metadata.row_group(group).num_rows for group in range(first))
        for group in range(first, file.num_row_groups if stop is None else stop):
            rows = _rows_at_once(path, group, name)
            for batch in file.iter_batches(rows, [group], [name]):
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


def _rows_at_once(path: Path, group: int, name: str) -> int:
    """Few rows where the dictionary of a column has texts of megabytes, which many rows share."""
    pa, parquet = pyarrow_of(path)
    with parquet.ParquetFile(path, read_dictionary=[name]) as file:
        for batch in file.iter_batches(1, [group], [name]):
            texts = batch.column(0).dictionary.cast(pa.large_binary()).to_pylist()
            return max(1, min(ROWS, BUDGET // max(map(len, [*texts, b" "]))))
    return ROWS


def pyarrow_of(path: Path) -> tuple[Any, Any]:
    """Import pyarrow where it is needed; `path` is named if it is missing."""
    what = "and write Parquet"
    return library("pyarrow", str(path), what, EXTRA), library(
        "pyarrow.parquet", str(path), what, EXTRA
    )
