"""Figures of rows on one axis: what they share."""

from __future__ import annotations

from functools import lru_cache

from eatlas.present.svg import FONT, INK, drawing, label, tag, words
from eatlas.present.text import isolated, one_line, pixels, wrap

WIDTH = 460.0
"""Narrow enough for a telephone to show it whole, letters and all."""
LEFT, RIGHT = 10.0, 14.0
NAME = 12.5
LARGEST = 14.0
"""Letters of a figure on a telephone, where the page's style makes them larger: names must fit."""


def figure(height: float, *children: str, title: str, alt: str) -> str:
    """A whole figure with the page's letters."""
    return drawing(
        WIDTH, height, *children, title=title, alt=alt, class_="figure", font_family=FONT, fill=INK
    )


def row_name(y: float, *names: str) -> str:
    """The names of a row above it; the whole of them as a tooltip."""
    room = (WIDTH - LEFT - RIGHT) / len(names) - 12
    shown = " – ".join(short(name, room) for name in names)
    whole = " – ".join(one_line(name) for name in names)
    return tag("g", tag("title", words(whole)), label(shown, LEFT, y, size=NAME, font_weight=550))


@lru_cache(4096)
def short(name: str, width: float) -> str:
    """A name on one line of a width; what does not fit ends in an ellipsis."""
    return isolated(wrap(name, width, lambda text: pixels(text, LARGEST), 1)[0])
