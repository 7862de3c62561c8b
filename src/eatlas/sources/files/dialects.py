"""How lines of text are read: the dialect that the first lines show, and one line in it.

A line is a word and `dim` numbers, separated by one byte; or a row of a table, whose word may be
quoted.
"""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SourceError
from eatlas.sources.interface import Vector
from eatlas.sources.spec import choice

HEAD_BYTES = 1 << 20
MAX_DIM = 1_000_000
NUMERIC = b"0123456789+-.eE"
"""Bytes of numbers as files write them."""
_HEADS = {"", "word", "term"}
_TABLE_SEPARATORS = b",\t;"
_OF_IMAGES = ("img", "image", "file", "filename", "path")
"""Headers of a last column that names images, in a table of their features."""
_DECIMAL_COMMAS = re.compile(rb"([;\t]) *-?\d+,\d+ *(\1|$)")


@dataclass(frozen=True)
class Dialect:
    """The form of all lines of a file, as its first lines show it."""

    separator: bytes
    dim: int
    first_line: int = 1
    announced: int | None = None
    encoding: str = "utf-8"
    table: bool = False

    def stripped(self, line: bytes) -> bytes:
        """A line without what may follow its last number."""
        return line.rstrip(b"\r" if self.table else b" \t\r")

    def split(self, line: bytes, where: str) -> tuple[bytes, list[bytes]]:
        """Word and numbers of a line, checked as far as it can be done without parsing."""
        word, fields = self._cells(line, where) if self.table else self._fields(line, where)
        if b"" in fields or b"".join(fields).translate(None, NUMERIC):
            parse_components(fields, where)  # says what is wrong, or accepts an odd spelling
        if not word.isascii():
            decode(word, self.encoding, where)
        return word, fields

    def _fields(self, line: bytes, where: str) -> tuple[bytes, list[bytes]]:
        fields = line.split(self.separator)
        if len(fields) == self.dim + 1:
            return fields[0], fields[1:]
        word = fields[: -self.dim]
        if not word or (len(word) > 1 and is_number(word[-1])):
            raise self._wrong_length(len(fields) - 1, where)
        return self.separator.join(word), fields[-self.dim :]

    def _cells(self, line: bytes, where: str) -> tuple[bytes, list[bytes]]:
        """Word and numbers of a row of a table."""
        text = decode(line, self.encoding, where)
        try:
            cells = next(csv.reader([text], delimiter=self.separator.decode(), strict=True), [])
        except csv.Error as error:
            raise SourceError(
                f"{where}: a row that cannot be read as a table's",
                got=str(error),
                remedy="a quoted term ends on the line on which it begins, and doubles the "
                "quotation marks in it; if nothing is quoted, say so: ?format=text",
            ) from error
        if len(cells) != self.dim + 1:
            raise self._wrong_length(max(0, len(cells) - 1), where)
        return cells[0].encode(self.encoding), [cell.encode() for cell in cells[1:]]

    def _wrong_length(self, got: int, where: str) -> SourceError:
        origin = "on the lines before" if self.announced is None else "the first line announces"
        return SourceError(
            f"{where}: a vector of the wrong length",
            got=f"{got} numbers",
            allowed=f"{self.dim} numbers, as {origin}",
        )


def decode(raw: bytes, encoding: str, where: str, remedy: str | None = None) -> str:
    """Decode a word; `remedy` is what to do where the file's encoding cannot be chosen."""
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError as error:
        raise SourceError(
            f"{where}: the file is not {encoding.upper()}",
            got=f"byte 0x{raw[error.start]:02x}",
            remedy=remedy
            or "convert it, for example: iconv -f latin1 -t utf-8; or say what it is: "
            "?encoding=latin-1",
        ) from error


def parse_components(fields: Sequence[bytes], where: str) -> Vector:
    """Parse the components of one vector as float32."""
    try:
        numbers = np.array([float(field) for field in fields])
    except ValueError:
        numbers = None
    # Python reads 1_000 as a number; files do not mean it so
    if numbers is None or b"_" in b" ".join(fields):
        wrong = next(field for field in fields if not is_number(field))
        text = wrong.decode("utf-8", "replace")
        raise SourceError(f"{where}: a component is not a number", got=repr(text[:60]))
    with np.errstate(over="ignore"):
        vector: Vector = numbers.astype(np.float32)
    check_finite(vector, where)
    return vector


def check_finite(vectors: NDArray[np.floating], where: str) -> None:
    """Refuse components that are not finite."""
    finite = np.isfinite(vectors)
    if not finite.all():
        raise SourceError(
            f"{where}: a component is not finite",
            got=str(vectors[~finite][0]),
            allowed="finite numbers",
        )


def is_number(field: bytes | str) -> bool:
    """Whether a field reads as a number."""
    try:
        float(field)
    except ValueError:
        return False
    return (b"_" if isinstance(field, bytes) else "_") not in field  # type: ignore[operator]


def text_dialect(head: bytes, label: str, encoding: str = "utf-8") -> Dialect:
    """Read the head of a text file: GloVe's form, or word2vec's with ``count dimension`` first."""
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
    is not a number.
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


def names_images(first: bytes) -> bool:
    """Whether the header of a table ends with a column that names images.

    >>> names_images(b",0,1,img"), names_images(b"word,0,1")
    (True, False)
    """
    last = first.rpartition(b",")[2].strip().strip(b'"').lower()
    return b"," in first and last.decode("ascii", "replace") in _OF_IMAGES


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
    """Cells of a row; none where they cannot be read."""
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


_ENCODINGS = {"utf-8": "utf-8", "utf8": "utf-8", "latin-1": "latin-1", "latin1": "latin-1"}


def encoding_of(options: Mapping[str, str], label: str) -> str:
    """The encoding that the options name."""
    name = options.get("encoding", "utf-8").lower()
    return _ENCODINGS[choice(name, _ENCODINGS, "encoding", label)]
