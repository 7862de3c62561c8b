"""Tables of the compiled loops: characters of words, letters in lower case, abbreviations."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
from numpy.typing import NDArray

FNV_START, FNV_PRIME = 14695981039346656037, 1099511628211
_MASK = (1 << 64) - 1


def fnv64(word: bytes) -> int:
    """Hash a word as the compiled loop does."""
    value = FNV_START
    for byte in word:
        value = ((value ^ byte) * FNV_PRIME) & _MASK
    return value


WORD, LOWER = 1, 2
"""Bits of the table: a character of a word (``\\w``), and a letter in lower case."""
_ALL = 0x110000
_LETTERS = 0x10000
"""Lower case is looked for below; beyond are scripts that few texts are written in."""


@cache
def character_table() -> NDArray[np.uint8]:
    """Return the bits of every code point, shape (0x110000,)."""
    points = np.arange(_ALL, dtype="<u4").tobytes()
    characters = points.decode("utf-32-le", "surrogatepass")
    table = np.zeros(_ALL, np.uint8)
    for run in re.finditer(r"\w+", characters):
        table[run.start() : run.end()] |= WORD
    lower = np.fromiter((c.islower() for c in characters[:_LETTERS]), np.bool_, _LETTERS)
    table[:_LETTERS][lower] |= LOWER
    return table


BEFORE_MORE = frozenset(
    {"mr", "mrs", "ms", "messrs", "dr", "prof", "st", "mt", "ft", "rev", "fr", "hon", "gov", "sen"}
    | {"rep", "pres", "gen", "col", "capt", "cmdr", "lt", "sgt", "maj", "adm", "vs", "viz", "cf"}
    | {"e.g", "i.e", "vol", "vols", "fig", "figs", "op", "eds", "pp", "p", "sec", "approx", "ca"}
    | {"dept", "univ"}
)
"""Abbreviations behind which a sentence goes on, in lower case. Those that end sentences as well,
such as etc. and Inc., or are words of their own, such as no. and art., are none of them."""


@cache
def abbreviations() -> NDArray[np.uint64]:
    """Return the hashes of the abbreviations, in order."""
    return np.array(sorted(fnv64(word.encode()) for word in BEFORE_MORE), np.uint64)
