"""What a browser makes of a page: well-formed nesting, text, links, colours."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree as ET

VOID = {"meta", "br", "link", "img", "input", "hr", "col", "wbr"}


class Page(HTMLParser):
    """Parse a page strictly: every element is closed, in order."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, Any]]] = []
        self.words: list[str] = []
        self.style = ""
        self.scripts: list[str] = []
        self.feed(html)
        self.close()
        assert not self.open, f"unclosed: {self.open}"

    def handle_starttag(self, tag, attrs):
        assert len(dict(attrs)) == len(attrs), f"an attribute stands twice in <{tag}>"
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "style":
            self.style += data
        elif self.open and self.open[-1] == "script":
            self.scripts.append(data)
        else:
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    def all(self, tag: str) -> list[dict[str, Any]]:
        return [attributes for name, attributes in self.tags if name == tag]

    def ids(self) -> list[str]:
        return [attributes["id"] for _, attributes in self.tags if "id" in attributes]


def svg_root(text: str) -> ET.Element:
    """Parse a drawing; it must be well formed."""
    return ET.fromstring(text.encode())  # noqa: S314  (of our own making)


def texts(plot: Any) -> list[str]:
    """What is written in a drawing."""
    svg = "{http://www.w3.org/2000/svg}"
    return ["".join(node.itertext()) for node in svg_root(plot.svg).iter(f"{svg}text")]


def luminance(colour: str) -> float:
    """WCAG 2.2 relative luminance of #rrggbb."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """WCAG 2.2 contrast ratio."""
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def variables(css: str) -> dict[str, str]:
    """Colours that a block of CSS declares."""
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", css))
