"""Characters of words, the ways to write a letter, and abbreviations."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from itertools import chain

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


APOSTROPHE, SOFT_HYPHEN = "'", "\u00ad"
APOSTROPHES = (APOSTROPHE, "\u2018", "\u2019", "\u02bb", "\u02bc")
"""Typewriter's, left and right quotation mark, and the two that Unicode takes for letters."""
_ONE_FORM = {ord(SOFT_HYPHEN): "", **{ord(one): APOSTROPHE for one in APOSTROPHES}}


def one_form(text: str) -> str:
    """Form in which terms and texts are compared: NFC, one apostrophe, no soft hyphens."""
    return unicodedata.normalize("NFC", text.translate(_ONE_FORM))


def folded(text: str) -> str:
    """Form in which texts are compared without case."""
    return one_form(text).casefold()


def letters(text: str) -> list[str]:
    """Part a text into letters with their marks, each decomposed (NFD)."""
    parts: list[str] = []
    for character in unicodedata.normalize("NFC", text):
        if parts and unicodedata.combining(character):
            parts[-1] += character
        else:
            parts.append(character)
    return [unicodedata.normalize("NFD", part) for part in parts]


@cache
def ways_to_write(letter: str) -> tuple[str, ...]:
    """A letter with its marks, decomposed, as one character and as several."""
    composed = unicodedata.normalize("NFC", letter)
    return tuple(dict.fromkeys((composed, letter, *_never_composed().get(letter, ()))))


@cache
def _never_composed() -> dict[str, list[str]]:
    """Characters that NFC replaces, such as letters of Bengali, by what they decompose to."""
    composed: dict[str, list[str]] = {}
    for character in map(chr, chain(range(0x340, 0x3000), range(0xF900, 0xFB50))):
        if unicodedata.normalize("NFC", character) != character:
            composed.setdefault(unicodedata.normalize("NFD", character), []).append(character)
    return composed


WORD, LOWER = 1, 2
"""Bits of the table: a character of a word (letter, digit, ``_``, mark of a letter), and a letter
in lower case."""
_ALL = 0x110000
_LETTERS = 0x10000
"""Lower case is looked for below; beyond are scripts that few texts are written in."""
_MARKS = 0x20000
"""Marks of letters are below; those beyond choose a variant of a character."""
_NO_MARKS = frozenset(map(chr, range(0xFE00, 0xFE10)))
"""They choose how a character is drawn, such as an emoji, which is no letter."""


@cache
def character_table() -> NDArray[np.uint8]:
    """Return the bits of every code point, shape (0x110000,)."""
    points = np.arange(_ALL, dtype="<u4").tobytes()
    characters = points.decode("utf-32-le", "surrogatepass")
    table = np.zeros(_ALL, np.uint8)
    for run in re.finditer(r"\w+", characters):
        table[run.start() : run.end()] |= WORD
    marks = (c for c in characters[:_MARKS] if unicodedata.category(c) in {"Mn", "Mc"})
    table[[ord(c) for c in marks if c not in _NO_MARKS]] |= WORD
    table[[ord(c) for c in APOSTROPHES]] &= ~np.uint8(WORD)
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
