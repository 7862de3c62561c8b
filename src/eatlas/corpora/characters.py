"""Which characters belong to words: a table for compiled loops, as Python's ``re`` sees them."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
from numpy.typing import NDArray

WORD, LOWER = 1, 2
"""Bits of the table: a character of a word (``\\w``), and a letter in lower case."""
_ALL = 0x110000
_LETTERS = 0x10000
"""Lower case is looked for below; beyond are scripts that few texts are written in."""


@cache
def character_table() -> NDArray[np.uint8]:
    """Return the bits of every code point, shape (0x110000,).

    Examples
    --------
    >>> table = character_table()
    >>> [bool(table[ord(c)] & WORD) for c in "aé_-’"]
    [True, True, True, False, False]
    """
    points = np.arange(_ALL, dtype="<u4").tobytes()
    characters = points.decode("utf-32-le", "surrogatepass")
    table = np.zeros(_ALL, np.uint8)
    for run in re.finditer(r"\w+", characters):
        table[run.start() : run.end()] |= WORD
    lower = np.fromiter((c.islower() for c in characters[:_LETTERS]), np.bool_, _LETTERS)
    table[:_LETTERS][lower] |= LOWER
    return table
