"""The plain ways to do what the compiled loops do."""

import re

from eatlas_corpora.reading.matching import HYPHENS, SPACES

SPACE = "".join(SPACES)
WORD = r"[\w\u0300-\u036f]"
GAP = f"(?:[{SPACE}]|{'|'.join(HYPHENS)})[{SPACE}]*"


def pattern(spelling: str, *, either: bool) -> str:
    """A regular expression for one spelling."""
    parts = re.split(rf"[{SPACE}{re.escape(''.join(HYPHENS)) if either else ''}]+", spelling)
    return (GAP if either else f"[{SPACE}]+").join(map(re.escape, parts))


def found(text: str, spellings: list[str], *, either: bool = True, ignore: bool = False):
    """What a regular expression of all spellings finds, the longest first at every place."""
    each = [
        re.compile(rf"(?<!{WORD}){pattern(one, either=either)}(?!{WORD})", re.IGNORECASE * ignore)
        for one in spellings
    ]
    at, places = 0, []
    while at <= len(text):
        ends = [m.end() for one in each if (m := one.match(text, at))]
        if ends and max(ends) > at:
            places.append(text[at : max(ends)])
            at = max(ends)
        else:
            at += 1
    return places


def window(text: str, start: int, end: int, words: int) -> str:
    """Words on either side of a place in one text, white space as single spaces."""
    before, behind = text[:start], text[end:]
    left = re.search(rf"(?:\S+\s+){{0,{words}}}\S*$", before)[0].lstrip()
    right = re.match(rf"\S*(?:\s+\S+){{0,{words}}}", behind)[0]
    return " ".join((left + text[start:end] + right).split())
