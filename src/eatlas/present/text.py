"""Names of any length and script: made safe, kept apart, and broken into short lines."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import cache, lru_cache

# XML 1.0 has no place for some of these, terminals obey others, and bidi overrides reach beyond
# the name that holds them
_UNSAFE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\ud800-\udfff\ufffe\uffff]")
_ISOLATES = re.compile("[\u2066-\u2069]")
_JOINER = "\u200d"
_FIRST_STRONG, _END = "\u2068", "\u2069"
ELLIPSIS = "…"

Measure = Callable[[str], float]
"""How much room a text takes, in pixels or columns."""


def clean(text: str) -> str:
    """Replace characters that may not be in XML, HTML or a terminal by U+FFFD."""
    return text if text.isprintable() else _UNSAFE.sub("\ufffd", text)  # most are


def one_line(text: str) -> str:
    """A clean text without line breaks or isolates of its own."""
    if not text.isprintable():
        text = _ISOLATES.sub("", clean(text))
    return " ".join(text.split())


@lru_cache(8192)  # a word is in many places of a page
def isolate(name: str) -> str:
    """A name for the middle of a line; right-to-left script keeps to itself."""
    name = one_line(name)
    if not name.isascii() and any(unicodedata.bidirectional(char) in {"R", "AL"} for char in name):
        return f"{_FIRST_STRONG}{name}{_END}"
    return name


_BASELINE = re.compile(r"\{(\w+)(?::[^}]*)?\}")
_CHOICE = re.compile(r"\[([^\]|]+)\|([^\]]+)\]")


def readable(template: str) -> str:
    """A template of sentences as people read it, without placeholders of targets."""
    return _BASELINE.sub(r"[\1]", _CHOICE.sub(r"\1/\2", template))


def clusters(text: str) -> list[str]:
    """Split into what a reader takes for characters: accents and joined emoji stay whole."""
    if text.isascii():
        return list(text)
    characters: list[str] = []
    for char in text:
        joins = char == _JOINER or unicodedata.category(char) in {"Mn", "Mc", "Me", "Sk"}
        if characters and (joins or characters[-1].endswith(_JOINER)):
            characters[-1] += char
        else:
            characters.append(char)
    return characters


SPACING_MARK = 0.3
"""Width of a vowel sign next to its letter."""


def pixels(text: str, size: float) -> float:
    """Estimate the width of a text in a sans-serif font; rather too wide than too narrow."""
    ems = 0.0
    for cluster in clusters(text):
        spacing = sum(unicodedata.category(char) == "Mc" for char in cluster)  # as in Hindi
        ems += max(map(_em, cluster)) + SPACING_MARK * spacing
    return size * ems


@cache
def _em(char: str) -> float:
    if unicodedata.east_asian_width(char) in {"W", "F"} or char >= "\U0001f000":
        return 1.15
    if char in "iljftrI.,:;'|!()[] ":
        return 0.36
    if char in "mwMW@%—":
        return 0.92
    return 0.70 if char.isupper() else 0.58


def wrap(text: str, width: float, measure: Measure, lines: int) -> list[str]:
    """Break a text into at most `lines` lines; what does not fit ends in an ellipsis."""
    broken = [""]
    for word in one_line(text).split():
        joined = f"{broken[-1]} {word}".lstrip()
        if measure(joined) <= width:
            broken[-1] = joined
            continue
        if broken[-1]:
            broken.append("")
        part = ""
        for cluster in clusters(word):  # a word that is too long for a line goes on in the next
            if part and measure(part + cluster) > width:
                broken[-1:] = [part, ""]
                part = ""
            part += cluster
        broken[-1] = part
    if len(broken) <= lines:
        return broken
    last = clusters(broken[lines - 1])
    while last and measure("".join(last).rstrip() + ELLIPSIS) > width:
        last.pop()
    return [*broken[: lines - 1], "".join(last).rstrip() + ELLIPSIS]
