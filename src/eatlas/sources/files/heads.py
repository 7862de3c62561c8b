"""What the first lines of a text file tell: separator, dimension, header."""

from __future__ import annotations

import codecs
import csv
import re

from eatlas.errors import SourceError
from eatlas.sources.files.components import is_number
from eatlas.sources.files.dialects import Dialect

HEAD_BYTES = 1 << 20
MAX_DIM = 1_000_000
_HEADS = {"", "word", "term"}
_TABLE_SEPARATORS = b",\t;"
_DECIMAL_COMMAS = re.compile(rb"([;\t]) *-?\d+,\d+ *(\1|$)")


def text_dialect(head: bytes, label: str, encoding: str = "utf-8") -> Dialect:
    """Read the head of a text file: GloVe's form, or word2vec's with ``count dimension`` first.

    Raises
    ------
    SourceError
        If there are no words and vectors in it.
    """
    lines = numbered_lines(head)
    if not lines:
        raise SourceError(f"{label}: the file is empty", allowed="one word and its vector a line")
    number, first = lines[0]
    announced = announcement(first)
    if announced is not None and _fits(lines[1:], announced[1]):
        separator = separator_of(lines[1][1] if len(lines) > 1 else first)
        if not 0 < announced[1] <= MAX_DIM:
            raise SourceError(
                f"{label}, line {number}: the header announces vectors that cannot be",
                got=f"{announced[1]} numbers each",
                allowed=f"1 to {MAX_DIM:,}",
            )
        return Dialect(separator, announced[1], number + 1, announced[0], encoding)
    separator = separator_of(first)
    fields = first.rstrip(b" \t").split(separator)
    dim = trailing_numbers(fields)
    if dim < 1:
        raise SourceError(
            f"{label}, line {number}: this is not a word and its vector",
            got=repr(first[:60].decode("utf-8", "replace")),
            allowed="word number number ..., separated by spaces or tabs",
        )
    return Dialect(separator, dim, number, None, encoding)


def table_dialect(head: bytes, label: str, encoding: str = "utf-8") -> Dialect:
    """Read the head of a CSV or TSV file: first column the term, then numbers.

    The first row is a header if its first cell is empty, ``word`` or ``term``, or if a later cell
    is no number.

    Raises
    ------
    SourceError
        If there is no row of a term and numbers.
    """
    lines = numbered_lines(head)
    if not lines:
        raise SourceError(f"{label}: the file is empty", allowed="a term and its vector a row")
    number, first = lines[0]
    for line, raw in lines:
        if _DECIMAL_COMMAS.search(raw):
            raise SourceError(
                f"{label}, line {line}: numbers have commas before their decimals",
                got=repr(raw[:60].decode(encoding, "replace")),
                allowed="decimal points, as in 0.5",
                remedy="write the table with decimal points",
            )
    separator = max((bytes([c]) for c in _TABLE_SEPARATORS), key=first.count)
    cells = cells_of(first, separator, encoding)
    if len(cells) < 2:
        raise SourceError(
            f"{label}, line {number}: a vector of the wrong length",
            got="0 numbers",
            allowed="a term and numbers, separated by commas, semicolons or tabs",
        )
    header = cells[0].strip().lower() in _HEADS or not all(map(is_number, cells[1:]))
    if header and len(lines) < 2:
        raise SourceError(
            f"{label}: the table has a header and no rows", allowed="a term and its vector a row"
        )
    first_line = lines[1][0] if header else number
    return Dialect(separator, len(cells) - 1, first_line, None, encoding, table=True)


def numbered_lines(head: bytes) -> list[tuple[int, bytes]]:
    """The first two lines that are not blank, with their numbers from 1."""
    lines = head.removeprefix(codecs.BOM_UTF8).split(b"\n", 64)
    numbered = [(i, line.rstrip(b"\r")) for i, line in enumerate(lines, 1) if line.strip()]
    return numbered[:2]


def announcement(line: bytes) -> tuple[int, int] | None:
    """Count and dimension, if a line holds nothing but two whole numbers."""
    fields = line.split()
    # longer numbers are no counts, and int() refuses those of thousands of digits
    if len(fields) == 2 and all(field.isdigit() and len(field) < 16 for field in fields):
        return int(fields[0]), int(fields[1])
    return None


def cells_of(line: bytes, separator: bytes, encoding: str) -> list[str]:
    """Cells of a row, as well as they can be told."""
    try:
        return next(
            csv.reader([line.decode(encoding, "replace")], delimiter=separator.decode()), []
        )
    except csv.Error:
        return []


def separator_of(line: bytes) -> bytes:
    """Tab or space, whichever there are more of."""
    return b"\t" if line.count(b"\t") > line.count(b" ") else b" "


def trailing_numbers(fields: list[bytes]) -> int:
    """How many numbers a line ends with; its first field is the word, number or not."""
    count = len(fields) - 1
    return count if count > 0 and is_number(fields[-1]) else 0


def _fits(lines: list[tuple[int, bytes]], dim: int) -> bool:
    """Whether two whole numbers are a header: not if the next line has one number as well."""
    if dim == 1 or not lines:
        return True
    return len(lines[0][1].split()) != 2
