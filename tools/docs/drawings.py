"""Drawings inlined into the pages, so that they take the page's colours, light or dark.

`![words](images/NAME.svg){ .drawing }` alone in its paragraph becomes the drawing itself with the
words as its caption. Elsewhere, where no one inlines it, the same line shows the file.
"""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

IMAGE = re.compile(
    r'<p><img alt="(?P<alt>[^"]*)" class="(?P<classes>drawing[^"]*)" src="(?P<src>[^"]+)" ?/?></p>'
)


def on_page_content(content: str, config: Any, **_: Any) -> str:
    """MkDocs hands over the page's HTML."""
    docs = Path(config.docs_dir)

    def inlined(match: re.Match[str]) -> str:
        path = docs / "images" / Path(match["src"]).name
        svg = path.read_text(encoding="utf-8").strip()
        svg = re.sub(r"<\?xml.*?\?>\s*", "", svg)
        caption = html.unescape(match["alt"])
        return (
            f'<figure class="{match["classes"]}">{svg}'
            f"<figcaption>{html.escape(caption)}</figcaption></figure>"
        )

    return IMAGE.sub(inlined, content)
