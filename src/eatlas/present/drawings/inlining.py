"""Drawings inside a page, without what the page says already."""

from __future__ import annotations

import re

_SAID = re.compile(
    r'(?<=<svg)((?: [\w-]+="[^"]*")*?) xmlns="[^"]*"|<desc>.*?</desc>| font-family="[^"]*"'
    r'| fill="#[0-9a-f]{6}"(?= class="eat-muted")| font-size="11"(?=[^>]* class="word)'
    r'| stroke="none"(?= class="word)|(?<=\.\d)\d(?=[" a-zA-Z-])',
    re.DOTALL,
)
_WORDS = re.compile(r'(<title>.*?</title>|aria-label="[^"]*"|(?<=>)[^<>]+(?=</text>))', re.DOTALL)
"""What readers read, which stays as it is."""


def inlined(svg: str) -> str:
    """Leave out of a drawing what its page has: letters, muted colours, its text a second time.

    A drawing as a file of its own needs all of it. Coordinates keep a tenth of a pixel.

    Examples
    --------
    >>> inlined('<svg xmlns="http://www.w3.org/2000/svg"><desc>a</desc><path d="M1.23 2"/></svg>')
    '<svg><path d="M1.2 2"/></svg>'
    """
    parts = _WORDS.split(svg)
    return "".join(part if i % 2 else _SAID.sub(r"\1", part) for i, part in enumerate(parts))
