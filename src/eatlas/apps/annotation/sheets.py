"""Tables that people filled in with a spreadsheet: commas, semicolons or tabs, with a header."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path

from eatlas.decoding import require_file
from eatlas.errors import EatlasError, SourceError
from eatlas.sources.spec import file_like

LARGEST = 256 << 20
"""Bytes of a table."""
DELIMITERS = ",;\t"
"""Spreadsheets write the second where the comma is a decimal sign."""

OTHER_NAME = "choose another name, or remove that file"


def rows_of(path: Path, columns: Sequence[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """Cells of a table by column, with the number of the line."""
    lines = io.StringIO(_text(path), newline="")
    first = lines.readline()
    lines.seek(0)
    delimiter = max(DELIMITERS, key=first.count)
    rows = csv.reader(lines, delimiter=delimiter)
    try:
        head = [cell.strip().casefold() for cell in next(rows, [])]
        if lacking := [name for name in columns if name not in head]:
            raise SourceError(
                f"{path}: the header has no {', '.join(lacking)}",
                got=first.strip()[:200] or "no header",
                allowed=", ".join(columns),
            )
        for cells in rows:
            if not any(cell.strip() for cell in cells):
                continue
            if len(cells) > len(head):
                raise SourceError(
                    f"{path}, line {rows.line_num}: the row has more cells than the header",
                    got=str(len(cells)),
                    allowed=str(len(head)),
                )
            padded = [*cells, *[""] * (len(head) - len(cells))]
            yield rows.line_num, dict(zip(head, padded, strict=True))
    except csv.Error as error:
        raise SourceError(f"{path}: the table cannot be read", got=str(error)) from error


def label_rows(path: Path) -> Iterator[tuple[str, str, str, str]]:
    """Labels of a table: line, annotator or "", item, label; an empty cell is no label."""
    for number, cells in rows_of(path, ("item", "label")):
        names = ("annotator", "item", "label")
        annotator, item, label = (cells.get(name, "").strip() for name in names)
        if label:
            yield f"{path}, line {number}", annotator, item, label


def require_unlabelled(path: Path) -> None:
    """Refuse to write over what people filled in."""
    if not path.exists():
        return
    try:
        filled = sum(1 for _ in label_rows(path))
    except SourceError as error:
        raise EatlasError(
            f"{path}: this file exists, and is not a table without labels",
            got=error.what,
            remedy=OTHER_NAME,
        ) from error
    if filled:
        raise EatlasError(
            f"{path}: people filled in labels there",
            got=f"{filled:,} labels",
            remedy=OTHER_NAME,
        )


def _text(path: Path) -> str:
    """The text of a file, of a size that a person could have filled in."""
    require_file(path, SourceError)
    try:
        if path.is_file() and path.stat().st_size > LARGEST:
            raise SourceError(f"{path}: too large for a table of labels", allowed="up to 256 MiB")
        data = path.read_bytes()
    except OSError as error:
        near = file_like(path)
        raise SourceError(
            f"{path}: the table cannot be read",
            got=error.strerror or str(error),
            remedy=f"did you mean {near}?" if near else None,
        ) from error
    if data[:4] == b"PK\x03\x04":
        raise SourceError(
            f"{path}: this is a workbook of a spreadsheet", remedy="save the sheet as CSV (UTF-8)"
        )
    try:
        return data.decode("utf-16" if data[:2] in {b"\xff\xfe", b"\xfe\xff"} else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise SourceError(
            f"{path}: the table is not UTF-8",
            got=f"byte {data[error.start]:#04x} at {error.start:,}",
            remedy="save it as CSV (UTF-8)",
        ) from error
