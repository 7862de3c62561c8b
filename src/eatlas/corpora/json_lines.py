"""JSON Lines: one object a line, one of its fields the text; Reddit's comments are such."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any, BinaryIO

from eatlas.corpora.account import Account
from eatlas.corpora.blocks import read_lines
from eatlas.corpora.fields import USUAL, no_field, usable
from eatlas.errors import SourceError

LONGEST = 1 << 28
"""Bytes of the longest line that is read; a longer one counts as damaged."""
_TRIED = 1000
"""Good lines without the field after which the file is refused."""


def texts(file: BinaryIO, field: str | None, account: Account) -> Iterator[str]:
    """Yield the text of every line that has one.

    Lines that are no JSON object in UTF-8, or whose text is none, are damaged: counted, told and
    skipped. What Reddit puts in the place of deleted comments is skipped and counted.

    Raises
    ------
    SourceError
        If none of the first lines has such a field.
    """
    parser = _Parser(field)
    lacking, found = 0, False
    for number, line in _lines(file, account):
        if line.isspace() or not line:
            continue
        try:
            name, text = parser.parse(line)
        except (ValueError, RecursionError) as error:
            account.damage(number, _why(error))
            continue
        if text is None:
            account.skipped[f"no {' or '.join(parser.names)}"] += 1
            lacking += not found
            if lacking == _TRIED:
                break
            continue
        found = True
        good = usable(text, account.skipped, reddit=name == "body")
        if good is not None:
            account.texts += 1
            yield good
    if lacking and not found:
        raise no_field(parser.keys(line), field, account.file, "field", "no line has it; ")


def _lines(file: BinaryIO, account: Account) -> Iterator[tuple[int, bytes]]:
    """Yield the lines with their numbers; one that is too long is damaged."""
    cut = False
    for block in read_lines(file, account.file, longest=LONGEST):
        data = block.data.tobytes()
        if not block.whole or cut:
            if not cut:
                account.damage(block.number, f"longer than {LONGEST:,} bytes")
            begin = data.find(b"\n") + 1
            cut = not begin
            if cut:
                continue
            yield from enumerate(data[begin:].splitlines(), start=block.number + 1)
            continue
        lines = data.split(b"\n")
        yield from enumerate(lines[:-1] if not lines[-1] else lines, start=block.number)


class _Parser:
    """Takes one field out of a line; the rest is checked and not kept."""

    def __init__(self, field: str | None) -> None:
        try:
            msgspec: Any = import_module("msgspec")
        except ImportError as error:
            raise SourceError(
                "msgspec is needed to read JSON Lines", remedy="pip install 'eatlas[text]'"
            ) from error
        self.names = USUAL if field is None else (field,)
        places = [f"field{k}" for k in range(len(self.names))]
        record = msgspec.defstruct(
            "Line",
            [(place, str | None, None) for place in places],
            rename=dict(zip(places, self.names, strict=True)),
        )
        self._places = list(zip(places, self.names, strict=True))
        self._decode = msgspec.json.Decoder(record).decode
        self._any = msgspec.json.decode

    def parse(self, line: bytes) -> tuple[str, str | None]:
        """Return the first of the fields that is there, and its text."""
        record = self._decode(line)
        for place, name in self._places:
            text: str | None = getattr(record, place)
            if text is not None:
                return name, text
        return "", None

    def keys(self, line: bytes) -> list[str]:
        """Return the fields of a line."""
        try:
            record = self._any(line)
        except ValueError:
            return []
        return list(record) if isinstance(record, dict) else []


def _why(error: Exception) -> str:
    said = str(error)
    if isinstance(error, UnicodeDecodeError) or "UTF-8" in said or "utf-8" in said:
        return "not UTF-8"
    return "the text is no text: " + said if "Expected `str" in said else f"no JSON object: {said}"
