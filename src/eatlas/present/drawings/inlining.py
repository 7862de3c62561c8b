"""Drawings inside a page, without what the page says already."""

from __future__ import annotations

import re

_SAID = re.compile(
    r'(?<=<svg)((?: [\w-]+="[^"]*")*?) xmlns="[^"]*"|<desc>.*?</desc>| font-family="[^"]*"'
    r'| width="[\d.]+" height="[\d.]+"(?= role="img")'
    # colours of classes that the style knows, and of their groups
    r'| (?:fill|stroke)="#[0-9a-f]{6}"(?=[^<>]* class="(?:eat-|fig-|figure|on))'
    r'| stroke="#[0-9a-f]{6}"(?= class="diagonal")'
    r"|(?<=\.\d)\d(?=[\" a-zA-Z-])|(?<!=\"0)\.0\d?(?=[\" a-zA-Z-])",
    re.DOTALL,
)
_SMALL = re.compile(
    r' font-size="11" text-anchor="(middle|end|start)"(?: fill="#[0-9a-f]{6}")? class="eat-muted"'
)
_ANCHORS = {"middle": ' class="t"', "end": ' class="t e"', "start": ' class="t s"'}
_WORDS = re.compile(r'(<title>.*?</title>|aria-label="[^"]*"|(?<=>)[^<>]+(?=</text>))', re.DOTALL)
"""What readers read, which stays as it is."""


def inlined(svg: str) -> str:
    """Leave out of a drawing what its page has: letters, colours of the style, its text once more.

    A drawing as a file of its own needs all of it. Coordinates keep a tenth of a pixel.

    Examples
    --------
    >>> inlined('<svg xmlns="http://www.w3.org/2000/svg"><desc>a</desc><path d="M1.23 2.0"/></svg>')
    '<svg><path d="M1.2 2"/></svg>'
    """
    parts = _WORDS.split(svg)
    return "".join(part if i % 2 else _shorter(part) for i, part in enumerate(parts))


def _shorter(part: str) -> str:
    small = _SMALL.sub(lambda found: _ANCHORS[found[1]], part)
    return _SAID.sub(r"\1", small)
