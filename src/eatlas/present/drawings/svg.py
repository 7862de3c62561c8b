"""The little of SVG that the figures need, written as text."""

from __future__ import annotations

from functools import cache, lru_cache
from html import escape

from eatlas.present.text import clean, isolated, one_line, pixels, wrap

NAMESPACE = "http://www.w3.org/2000/svg"
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', Helvetica, Arial, sans-serif"
INK = "#1d1d21"
MUTED = "#5a5a63"
WIDTH = 460.0
"""Of a figure: narrow enough for a telephone to show it whole, letters and all."""
LEFT, RIGHT = 10.0, 14.0
NAME = 12.5
LARGEST = 14.0
"""Letters of a figure on a telephone, where the page's style makes them larger: names must fit."""


def tag(name: str, *children: str, **attributes: object) -> str:
    """One element; `children` are markup already, attribute values are escaped here.

    A trailing underscore is dropped from attribute names, and others become hyphens.

    Examples
    --------
    >>> tag("rect", width=4, stroke_width=1)
    '<rect width="4" stroke-width="1"/>'
    """
    written = "".join(
        f' {_name(key)}="{_show(value)}"' for key, value in attributes.items() if value is not None
    )
    inside = "".join(children)
    return f"<{name}{written}>{inside}</{name}>" if inside else f"<{name}{written}/>"


def words(text: str) -> str:
    """Text content, escaped."""
    return escape(clean(text), quote=False)


def label(text: str, x: float, y: float, *, size: float = 13, **attributes: object) -> str:
    """A line of text at a point."""
    return tag("text", words(text), x=x, y=y, font_size=size, **attributes)


def muted(text: str, x: float, y: float, *, size: float = 11, anchor: str = "middle") -> str:
    """A line of text that keeps in the background, such as the number of a tick."""
    return label(text, x, y, size=size, text_anchor=anchor, fill=MUTED, class_="eat-muted")


def drawing(
    width: float, height: float, *children: str, title: str, alt: str = "", **attributes: object
) -> str:
    """A whole drawing with its title and, where given, a description for those who cannot see it.

    It holds no ids, so that any number of drawings may stand on one page.
    """
    return tag(
        "svg",
        tag("title", words(title)),
        tag("desc", words(alt)) if alt else "",
        *children,
        xmlns=NAMESPACE,
        viewBox=f"0 0 {_show(width)} {_show(height)}",
        width=width,
        height=height,
        role="img",
        aria_label=clean(alt or title),
        **attributes,
    )


def figure(height: float, *children: str, title: str, alt: str) -> str:
    """A figure in the width and with the letters that all figures of a page share."""
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


@cache
def _name(key: str) -> str:
    return key.rstrip("_").replace("_", "-")


def _show(value: object) -> str:
    """A value as it stands in an attribute; numbers need no escape, and there are many."""
    if isinstance(value, float):
        return f"{value:.2f}".rstrip("0").rstrip(".")
    return str(value) if isinstance(value, int) else escape(clean(str(value)))
