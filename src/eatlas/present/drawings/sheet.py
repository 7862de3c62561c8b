"""Drawings of blocks below each other, on one long page or on several, under a title."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from html import escape, unescape
from re import search
from typing import Any

from markupsafe import Markup

from eatlas.present.drawings.svg import (
    LARGEST,
    LEFT,
    RIGHT,
    aside,
    broken,
    figure,
    inset,
    label,
    size_of,
)
from eatlas.present.drawings.svg import tag as element
from eatlas.present.text import isolate

TITLE, ABOUT = 13.0, 11.0
"""Pixels of the letters of a title, and of what is below it and of the key."""
MOST_LINES, MOST_ABOUT = 8, 4
"""Lines of a title; of what is below it, and of the key."""


@dataclass(frozen=True)
class Block:
    """A part of a drawing that is whole on a page."""

    parts: tuple[str, ...]
    top: float
    bottom: float


@dataclass(frozen=True)
class Drawing:
    """A drawing with its title, description and alternative text."""

    width: float
    blocks: tuple[Block, ...]
    alt: str
    """What it shows, in words."""
    title: str = ""
    about: str = ""
    """What it is of, below the title."""
    key: str = ""
    """What marks are, in one line below."""
    notes: tuple[str, ...] = ()
    """What a caption explains."""
    heads: tuple[str, ...] = ()
    """Heads of columns, above the first block of each page."""
    around: Callable[[float, float], tuple[str, float]] = lambda _, last: ("", last)
    """What is behind the blocks of a page, such as a grid: from their upper and lower edge, what is
    drawn, and its own lower edge."""
    kind: str = "figure"

    def pages(self, most: float = math.inf) -> list[str]:
        """Draw as many blocks on each page as fit into a height, one at least."""
        pages: list[list[Block]] = []
        lines, more = len(self._title(" (10 of 10)")), len(self._lines(self.about))
        above = 16.0 * lines + 14.0 * more + (8.0 if lines or more else 0.0)
        above += self.blocks[0].top if self.blocks else 0.0
        below = self.around(0.0, 0.0)[1] + 15.0 * len(self._lines(self.key)) + 10
        room = most - above - below
        for block in self.blocks:
            if pages and block.bottom - pages[-1][0].top <= room:
                pages[-1].append(block)
            else:
                pages.append([block])
        return [
            self._page(blocks, f" ({n} of {len(pages)})" if len(pages) > 1 else "")
            for n, blocks in enumerate(pages, start=1)
        ]

    def _lines(self, text: str, most: int = MOST_ABOUT, size: float = ABOUT) -> list[str]:
        """A text on so many lines at most; none of an empty one."""
        return broken(text, self.width - LEFT - RIGHT, most, size) if text else []

    def _title(self, of: str) -> list[str]:
        """The lines of a title that ends in the number of its page."""
        text = f"{isolate(self.title)}{of}" if self.title else ""
        return self._lines(text, MOST_LINES, TITLE + 0.5)

    def _page(self, blocks: Sequence[Block], of: str) -> str:
        """One page: title, heads, blocks, key."""
        y, above = 0.0, []
        for line in self._title(of):
            y += 16.0
            above.append(label(isolate(line), LEFT, y, size=TITLE, font_weight=700))
        for line in self._lines(self.about):
            y += 14.0
            above.append(aside(line, LEFT, y, anchor="start"))
        y += 8.0 if above else 0.0
        first, height = self.blocks[0].top, blocks[-1].bottom - blocks[0].top
        behind, last = self.around(first, first + height)
        lines = self._lines(self.key)
        key = [aside(line, LEFT, 15.0 * n + 14, anchor="start") for n, line in enumerate(lines)]
        inside = [
            behind,
            *self.heads,
            _shift_down(first - blocks[0].top, *(part for block in blocks for part in block.parts)),
            _shift_down(last, *key),
        ]
        look: Any = {"alt": self.alt, "width": self.width, "kind": self.kind}
        foot, title = 15.0 * len(lines) + 10, self.title or self.alt
        return figure(y + last + foot, *above, _shift_down(y, *inside), title=title, **look)

    @property
    def on_page(self) -> Markup:
        """The drawing and its caption, within a figure of a page."""
        (drawn,) = replace(self, title="", about="").pages()
        notes = " ".join(self.notes)
        return Markup(drawn + f"<figcaption>{escape(notes)}</figcaption>" * bool(notes))  # noqa: S704


def _shift_down(y: float, *parts: str) -> str:
    """Parts further down."""
    if not y or not any(parts):
        return "".join(parts)
    return element("g", *parts, transform=f"translate(0 {y:g})")


class Sheet:
    """Parts below each other on a width, in blocks."""

    def __init__(self, width: float, top: float = 4.0) -> None:
        self.width, self.y, self.top = width, top, top
        self.parts: list[str] = []
        self.blocks: list[Block] = []

    def add(self, *parts: str) -> None:
        """Draw parts at places of their own."""
        self.parts += parts

    def write(self, text: str, *, size: float = 12, most: int = 3, **look: Any) -> None:
        """Write a text on as many lines as it takes, up to so many."""
        wrapped = max(size, LARGEST)  # as on a telephone
        for line in broken(text, self.width - LEFT - RIGHT, most, wrapped) if text else ():
            self.y += size + 4
            self.parts.append(label(isolate(line), LEFT, self.y, size=size, **look))

    def heading(self, text: str) -> None:
        """Write the heading of rows."""
        self.write(text, font_weight=700)
        self.y += 6

    def begin(self, y: float) -> None:
        """Begin the first block below heads of columns."""
        self.y = self.top = y

    def end_block(self) -> None:
        """Let another page begin here."""
        if self.y > self.top:
            self.blocks.append(Block(tuple(self.parts), self.top, self.y))
        self.parts, self.top = [], self.y

    def close(self, alt: str, **more: Any) -> Drawing:
        """Make the drawing."""
        self.end_block()
        return Drawing(self.width, tuple(self.blocks), alt, **more)


def alt_of(drawing: str) -> str:
    """What a drawing shows, in words."""
    text = search(r'aria-label="([^"]*)"', drawing)
    return unescape(text[1]) if text else ""


def side_by_side(drawings: Sequence[str], width: float, columns: int = 1, **more: Any) -> Drawing:
    """Drawings in rows of so many columns, each in the middle of its place."""
    sheet, column = Sheet(width, 0.0), width / columns
    for i in range(0, len(drawings), columns):
        row = drawings[i : i + columns]
        for n, drawing in enumerate(row):
            x = n * column + (column - size_of(drawing)[0]) / 2
            sheet.add(inset(drawing, x, sheet.y))
        sheet.y += max(size_of(drawing)[1] for drawing in row)
        sheet.end_block()
    return sheet.close(" ".join(map(alt_of, drawings)), **more)


def below(drawings: Iterable[Drawing], **more: Any) -> Drawing:
    """Drawings below each other; one alone is itself."""
    first, *others = drawings
    if not others:
        return replace(first, **more)
    sheet = Sheet(first.width, 0.0)
    for drawing in (first, *others):
        headed = replace(drawing, key="")
        (whole,) = headed.pages()
        sheet.add(inset(whole, 0.0, sheet.y))
        sheet.y += size_of(whole)[1]
        sheet.end_block()
    notes = tuple(dict.fromkeys(note for drawing in (first, *others) for note in drawing.notes))
    alt = " ".join(drawing.alt for drawing in (first, *others))
    return sheet.close(alt, **{"key": first.key, "notes": notes, **more})
