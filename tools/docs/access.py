"""Small repairs of the theme's HTML, so that screen readers and axe find no fault.

What the theme's script makes in the browser, `docs/assets/access.js` repairs there.
"""

from __future__ import annotations

import re
from typing import Any

SEARCH = re.compile(r'(<div class="md-search"[^>]*role="dialog")(?![^>]*aria-label)')
NESTED = re.compile(r'<nav class="md-nav" (data-md-level="\d+") aria-labelledby="[^"]*"[^>]*>')
"""Menus within the menu: landmarks of their own, with a name that others have too."""


def on_page_content(content: str, **_: Any) -> str:
    """Empty heads of columns become empty cells."""
    return re.sub(r"<th( [^>]*)?></th>", r"<td\1></td>", content)


def on_post_page(output: str, **_: Any) -> str:
    """Name the search, and leave one landmark for each menu.

    Examples
    --------
    >>> on_post_page('<div class="md-search" data-md-component="search" role="dialog">')
    '<div class="md-search" data-md-component="search" role="dialog" aria-label="Search">'
    """
    named = SEARCH.sub(r'\1 aria-label="Search"', output)
    return NESTED.sub(r'<nav class="md-nav" \1 role="presentation">', named)
