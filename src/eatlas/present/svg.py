"""The little of SVG that the figures need, written as text."""

from __future__ import annotations

from functools import cache
from html import escape

from eatlas.present.text import clean

NAMESPACE = "http://www.w3.org/2000/svg"
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', Helvetica, Arial, sans-serif"
INK = "#1d1d21"
MUTED = "#5a5a63"


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


@cache
def _name(key: str) -> str:
    return key.rstrip("_").replace("_", "-")


def _show(value: object) -> str:
    """A value as it stands in an attribute; numbers need no escape, and there are many."""
    if isinstance(value, float):
        return f"{value:.2f}".rstrip("0").rstrip(".")
    return str(value) if isinstance(value, int) else escape(clean(str(value)))
