"""Check that a built site loads nothing from another host: python tools/docs/check_site.py DIR."""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path

LOADING = {
    "script": "src",
    "img": "src",
    "iframe": "src",
    "source": "src",
    "video": "src",
    "audio": "src",
    "embed": "src",
    "object": "data",
    "image": "href",
    "use": "href",
}
"""Elements that load what the attribute names; a `link` does so too, unless it only points."""
POINTING = {"canonical", "next", "prev", "edit", "author", "license"}
OTHER_HOST = re.compile(r"\s*(https?:)?//", re.IGNORECASE)
STYLE = re.compile(r"(?:@import\s+[\"']?|url\(\s*[\"']?)((?:https?:)?//[^\"')\s]+)", re.IGNORECASE)


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        attribute = LOADING.get(tag)
        if tag == "link" and not POINTING & set(given.get("rel", "").split()):
            attribute = "href"
        places = [given.get(attribute or "", ""), given.get("srcset", "")]
        self.found += [f"<{tag}> {place}" for place in places if OTHER_HOST.match(place)]
        self.found += STYLE.findall(given.get("style", ""))


def foreign(site: Path) -> list[str]:
    """What pages and style sheets of a site load from other hosts, with the file's name."""
    found = []
    for path in sorted(site.rglob("*")):
        if path.suffix == ".html":
            page = _Page()
            page.feed(path.read_text(encoding="utf-8"))
            found += [f"{path.relative_to(site)}: {place}" for place in page.found]
        elif path.suffix == ".css":
            places = STYLE.findall(path.read_text(encoding="utf-8"))
            found += [f"{path.relative_to(site)}: {place}" for place in places]
    return found


def main(directory: str) -> int:
    site = Path(directory)
    found = foreign(site)
    for place in found:
        print(f"loaded from another host: {place}", file=sys.stderr)
    pages = sum(1 for _ in site.rglob("*.html"))
    if not found:
        print(f"{pages} pages, nothing loaded from another host: {site / 'index.html'}")
    return bool(found) or not pages


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
