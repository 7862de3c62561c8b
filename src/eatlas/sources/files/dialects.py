"""How one line is read: text with the last `dim` fields for numbers, or a row of a table.

This is the slow way, exact about faults; :mod:`eatlas.sources.files.lines` uses it for what the
compiled loop does not pass, and for small files.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SourceError
from eatlas.sources.files.components import is_number, parse_components
from eatlas.sources.protocol import Vector

_IN_NUMBERS = b"0123456789+-.eE"
Fields = Sequence[bytes] | Sequence[str]


@dataclass(frozen=True)
class Dialect:
    """What the first lines of a file tell about all others.

    Parameters
    ----------
    separator : bytes
        One byte between fields.
    dim : int
        Numbers a line.
    first_line : int
        Number of the first line that holds a vector; what stands before is a header.
    announced : int, optional
        How many vectors the header announces.
    encoding : str
        Encoding of the words.
    table : bool
        Whether words may be quoted, and nothing else may hold a separator.
    """

    separator: bytes
    dim: int
    first_line: int = 1
    announced: int | None = None
    encoding: str = "utf-8"
    table: bool = False

    def split(self, line: bytes, where: str) -> tuple[bytes, Fields]:
        """Word and numbers of a line, checked as far as it can be done without parsing.

        Raises
        ------
        SourceError
            If the line has another number of fields, or a field that is no number.
        """
        word, fields = self._cells(line, where) if self.table else self._fields(line, where)
        if self._looks_odd(fields):
            parse_components(fields, where)  # says what is wrong, or accepts an odd spelling
        if not word.isascii():
            decode(word, self.encoding, where)
        return word, fields

    def vector(self, fields: Fields, where: str) -> Vector:
        """Parse the numbers of a line."""
        return parse_components(fields, where)

    def _looks_odd(self, fields: Fields) -> bool:
        """Whether a field is empty, or has a character that numbers have not."""
        if isinstance(fields[0], bytes):
            return b"" in fields or bool(b"".join(fields).translate(None, _IN_NUMBERS))  # type: ignore[arg-type]
        return "" in fields or bool("".join(fields).encode().translate(None, _IN_NUMBERS))  # type: ignore[arg-type]

    def _fields(self, line: bytes, where: str) -> tuple[bytes, Fields]:
        fields = line.rstrip(b" \t\r").split(self.separator)
        if len(fields) == self.dim + 1:
            return fields[0], fields[1:]
        word = fields[: -self.dim]
        if not word or (len(word) > 1 and is_number(word[-1])):
            raise self._wrong_length(len(fields) - 1, where)
        return self.separator.join(word), fields[-self.dim :]

    def _cells(self, line: bytes, where: str) -> tuple[bytes, Fields]:
        text = decode(line, self.encoding, where).rstrip("\r")
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
        return cells[0].encode(self.encoding), cells[1:]

    def _wrong_length(self, got: int, where: str) -> SourceError:
        told = "on the lines before" if self.announced is None else "the first line announces"
        return SourceError(
            f"{where}: a vector of the wrong length",
            got=f"{got} numbers",
            allowed=f"{self.dim} numbers, as {told}",
        )


def decode(raw: bytes, encoding: str, where: str, remedy: str | None = None) -> str:
    """Decode a word; `remedy` is what to do where the file's encoding cannot be chosen.

    Raises
    ------
    SourceError
        If its bytes are none of the encoding.
    """
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


def decode_all(
    data: NDArray[np.uint8],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    separator: bytes,
    encoding: str,
) -> list[str]:
    """Decode words of a block, each of which ends at a separator and holds none.

    Raises
    ------
    UnicodeDecodeError
        If the bytes of one are none of the encoding; :func:`decode` says it better.
    """
    if not len(starts):
        return []
    lengths = ends - starts + 1  # with the separator
    behind = np.cumsum(lengths)
    places = np.arange(behind[-1]) + np.repeat(starts - (behind - lengths), lengths)
    joined: str = data[places[:-1]].tobytes().decode(encoding)
    return joined.split(separator.decode())
