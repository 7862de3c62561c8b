r"""Texts as cells of a CSV file, so that no program takes them for something else.

Spreadsheets run a cell that begins with ``=``, ``+``, ``-`` or ``@`` as a formula; pandas reads the
words ``nan``, ``null`` and ``None`` as missing values, in quotes as well. Such a text gets a
backslash before it, and so does one that begins with a backslash. A leading backslash is therefore
never part of the text: ``frame["word"].str.removeprefix("\\")`` gives every text back.
"""

from __future__ import annotations

import re

MARK = "\\"
STARTS = "=+-@\t\r\n\uff1d\uff0b\uff0d\uff20" + MARK
"""A text that begins so is marked; the last but one are full-width signs, formulas in Japanese
spreadsheets."""
MISSING = frozenset((
    "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>",
    "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null",
))  # fmt: skip
"""What pandas takes for a missing value."""
NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?", re.IGNORECASE | re.ASCII)
_SPECIAL = re.compile(r'[,"\r\n]')
_FIRST = frozenset(STARTS)


def escape_cell(text: str) -> str:
    r"""A text as a cell; negative numbers stay as they are."""
    if text[:1] in _FIRST:
        return text if NUMBER.fullmatch(text) else MARK + text
    return MARK + text if text in MISSING else text


def unescape_cell(cell: str) -> str:
    r"""The text of a cell."""
    return cell.removeprefix(MARK)


def cell(text: str) -> str:
    """A text as a cell, in quotes where it holds commas, quotes or ends of lines."""
    text = escape_cell(text)
    if not _SPECIAL.search(text):
        return text
    doubled = text.replace('"', '""')
    return f'"{doubled}"'
