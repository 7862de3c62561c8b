"""Tables as CSV or TSV: a header, and one column with the texts."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import BinaryIO

from eatlas.corpora.account import Account
from eatlas.corpora.blocks import read_lines
from eatlas.corpora.fields import choose, usable
from eatlas.errors import SourceError

LONGEST = 1 << 24
"""Characters of the longest cell; a quotation mark that is never closed must not eat a file."""


def texts(
    file: BinaryIO, field: str | None, account: Account, *, separator: str = ","
) -> Iterator[str]:
    """Yield the text of every row that has one; rows that cannot be read are damaged.

    Raises
    ------
    SourceError
        If the file is empty or has no such column.
    """
    bad: list[int] = []
    before = csv.field_size_limit(LONGEST)
    try:
        rows = csv.reader(_decoded(file, account.file, bad), delimiter=separator)
        header = _next(rows)
        if header is None:
            raise SourceError(f"{account.file}: the file is empty", allowed="a header, then rows")
        name = choose(header, field, account.file)
        place, line = header.index(name), rows.line_num
        for row in _rows(rows, account):
            first, line = line + 1, rows.line_num
            if bad and bad[-1] >= first:
                account.damage(bad[-1], "not UTF-8")
            elif row and len(row) != len(header):
                account.damage(first, f"{len(row)} cells instead of {len(header)}")
            elif row and (text := usable(row[place], account.skipped, reddit=name == "body")):
                account.texts += 1
                yield text
    finally:
        csv.field_size_limit(before)


def _next(rows: Iterator[list[str]]) -> list[str] | None:
    return next(rows, None)


def _rows(rows: Iterator[list[str]], account: Account) -> Iterator[list[str]]:
    while True:
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            account.damage(rows.line_num, f"no row: {error}")  # type: ignore[attr-defined]
            continue
        yield row


def _decoded(file: BinaryIO, label: str, bad: list[int]) -> Iterator[str]:
    """Yield the lines as text, and note the numbers of those that are no UTF-8."""
    for block in read_lines(file, label):
        for number, line in enumerate(
            block.data.tobytes().splitlines(keepends=True), start=block.number
        ):
            try:
                yield line.decode()
            except UnicodeDecodeError:
                bad[:] = [number]
                yield line.decode("utf-8", "replace")
