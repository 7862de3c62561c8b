"""What vl-convert's renderer needs to show names in any script, where no browser helps.

It takes one font for a whole text. Where that font lacks a sign, it looks for one that has all of
the text's, bold or not, and replaces sign by sign only if both fonts take as many glyphs. So a
text in right-to-left script gets a regular font that has it, and joined emoji fall apart into
their parts rather than into empty boxes. Spans with fonts of their own would say more, but crash
the renderer (usvg 0.45) where glyphs join.
"""

from __future__ import annotations

import re
import unicodedata

from eatlas.present import text as names

_JOINED = re.compile("(?<=[\u2190-\u2bff\U0001f000-\U0001faff])\u200d|\ufe0f")
# flags are pairs of letters, skin tones follow their emoji; a non-joiner keeps the glyphs apart
_LIGATED = re.compile(
    "(?<=[\U0001f1e6-\U0001f1ff])(?=[\U0001f1e6-\U0001f1ff])|(?=[\U0001f3fb-\U0001f3ff])"
)
_NON_JOINER = "\u200c"
_RIGHT_TO_LEFT = (
    "'DejaVu Sans', 'Noto Sans Hebrew', 'Noto Sans Arabic', 'Segoe UI', Arial, sans-serif"
)
# letters and digits of DejaVu Sans Bold are up to 1.2 times as wide as names.pixels takes them
_WIDER = 1.2
_TEXT = re.compile(r'(<text [^>]*font-family=")([^"]*)("[^>]*>)(.*?)(?=</text>)', re.DOTALL)


def with_fonts(svg: str) -> str:
    """Choose fonts by script and take joined emoji apart in every text of a drawing."""
    return _TEXT.sub(_rewritten, svg)


def pixels(text: str, size: float) -> float:
    """Estimate the width of a text whose joined emoji are taken apart."""
    return names.pixels(_apart(text), size)


def lines_of(text: str, width: float, size: float = 12.0) -> list[str]:
    """Break a name or a note into as many lines as it takes; nothing is cut."""
    wider = widening(text)
    broken = names.wrap(text, width, lambda part: wider * pixels(part, size), lines=len(text) + 1)
    return [names.isolated(line) for line in broken]


def widening(text: str) -> float:
    """How much more room the font takes that a text in its script gets.

    Examples
    --------
    >>> widening("names"), widening("names, שמות")
    (1.0, 1.2)
    """
    return _WIDER if _is_right_to_left(text) else 1.0


def _rewritten(found: re.Match[str]) -> str:
    start, family, rest, text = found.groups()
    if _is_right_to_left(text):
        family = _RIGHT_TO_LEFT
    return f"{start}{family}{rest}{_apart(text)}"


def _is_right_to_left(text: str) -> bool:
    return any(unicodedata.bidirectional(char) in {"R", "AL"} for char in text)


def _apart(text: str) -> str:
    """Emoji one by one."""
    return _LIGATED.sub(_NON_JOINER, _JOINED.sub("", text))
