"""Drawing an EAT-Map: with its own colours where it stands alone, with classes for a page."""

from __future__ import annotations

from functools import lru_cache

from eatlas.present.eat_map_content import Column, Content
from eatlas.present.numerals import effect, p_equals
from eatlas.present.svg import FONT, INK, MUTED, drawing, label, tag, words
from eatlas.present.text import isolated, pixels, wrap

PAPER = "#ffffff"
ON, ON_TEXT = "#b3261e", "#ffffff"  # luminance ratio to OFF 4.9, of the text 6.5
OFF, EDGE = "#dfdfe4", "#74747e"

NEITHER, UNDEFINED = "N", "U"
"""What a column of a small map may show besides A and B."""

_CELL_W, _CELL_H, _GAP = 138.0, 78.0, 4.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 132.0, 16.0, 84.0, 88.0
_WIDTH = _LEFT + 2 * _CELL_W + _GAP + _RIGHT
_HEIGHT = _TOP + 2 * _CELL_H + _GAP + _BOTTOM
_NAME = 13.0


def full(shown: Content) -> str:
    """The map with names, numbers and pattern."""
    columns = (shown.X, shown.Y)
    title_x = _LEFT + _CELL_W + _GAP / 2
    return drawing(
        _WIDTH,
        _HEIGHT,
        tag("rect", width=_WIDTH, height=_HEIGHT, fill=PAPER, class_="eat-paper"),
        label(shown.label, title_x, 27, size=17, font_weight=650, text_anchor="middle"),
        *(_row_name(name, row) for row, name in enumerate((shown.A, shown.B))),
        *(_column(shown, column, place) for place, column in enumerate(columns)),
        *(
            label(note, title_x, _HEIGHT - 24 + 15.0 * line, size=11, **_muted("middle"))
            for line, note in enumerate(shown.footnotes)
        ),
        title=f"EAT-Map of {shown.test}" if shown.test else "EAT-Map",
        alt=shown.alt,
        class_="eat-map",
        font_family=FONT,
        fill=INK,
    )


def mini(shown: Content) -> str:
    """The map as a mark of 44 pixels, for the cell of a table."""
    states = (
        UNDEFINED if column.effect_size is None else column.attribute or NEITHER
        for column in (shown.X, shown.Y)
    )
    return drawing(44, 44, mini_cells(*states), title=shown.alt, class_="eat-map eat-mini")


def mini_cells(x: str, y: str) -> str:
    """The four cells of a small map; each column A, B, neither or undefined."""
    return "".join(
        _mini_cell(state, attribute, 1 + 22.0 * place, 1 + 22.0 * row)
        for place, state in enumerate((x, y))
        for row, attribute in enumerate("AB")
    )


def _row_name(name: str, row: int) -> str:
    middle = _TOP + row * (_CELL_H + _GAP) + _CELL_H / 2
    return _lines(name, _LEFT - 26, 4, _LEFT - 12, middle, "end")


def _column(shown: Content, column: Column, place: int) -> str:
    left = _LEFT + place * (_CELL_W + _GAP)
    middle = left + _CELL_W / 2
    cells = [
        _cell(column, attribute, left, _TOP + row * (_CELL_H + _GAP))
        for row, attribute in enumerate("AB")
    ]
    under = _TOP + 2 * _CELL_H + _GAP + 23
    star = "*" if column.significant else ""
    known = column.effect_size is not None
    d = f"d = {effect(column.effect_size)}{star}" if known else "d undefined"
    p = "" if column.p is None or not known else p_equals(column.p, shown.alpha, column.p_low)
    return tag(
        "g",
        _lines(column.name, _CELL_W - 8, 2, middle, _TOP - 24, "middle"),
        *cells,
        label(d, middle, under, size=15, font_weight=600, text_anchor="middle"),
        label(p, middle, under + 18, size=12, **_muted("middle")),
    )


def _lines(name: str, width: float, most: int, x: float, middle: float, anchor: str) -> str:
    """A name on one or more lines around a height; the whole of it as a tooltip."""
    lines = _broken(name, width, most)
    first = middle - (len(lines) - 1) * 8.0 + 4.5
    written = [
        label(isolated(line), x, first + 16.0 * number, size=_NAME, text_anchor=anchor)
        for number, line in enumerate(lines)
    ]
    return tag("g", tag("title", words(name)), *written, font_weight=550)


@lru_cache(4096)
def _broken(name: str, width: float, most: int) -> list[str]:
    return wrap(name, width, lambda text: pixels(text, _NAME), most)


def _cell(column: Column, attribute: str, x: float, y: float) -> str:
    on = column.attribute == attribute
    rect = _rect(x, y, _CELL_W, _CELL_H, on=on)
    middle, height = x + _CELL_W / 2, y + _CELL_H / 2
    if column.effect_size is None:
        return rect + _hatch(x, y, _CELL_W, _CELL_H) + _undefined(middle, height)
    return rect + _associated(middle, height) if on else rect


def _associated(x: float, y: float) -> str:
    text = label(
        "associated", x + 10, y + 4.5, size=13, font_weight=600, text_anchor="middle",
        fill=ON_TEXT, class_="eat-on-text",
    )  # fmt: skip
    return tag("circle", cx=x - 37, cy=y, r=5, fill=ON_TEXT, class_="eat-on-text") + text


def _undefined(x: float, y: float) -> str:
    plate = tag(
        "rect", x=x - 37, y=y - 12, width=74, height=24, rx=3, fill=PAPER, class_="eat-plate"
    )
    return plate + label("undefined", x, y + 4, size=12, **_muted("middle"))


def _mini_cell(state: str, attribute: str, x: float, y: float) -> str:
    side = 20.0
    if state == UNDEFINED:
        return _rect(x, y, side, side, on=False) + _hatch(x, y, side, side)
    on = state == attribute
    dot = tag("circle", cx=x + 10, cy=y + 10, r=3.5, fill=ON_TEXT, class_="eat-on-text")
    return _rect(x, y, side, side, on=on) + (dot if on else "")


def _rect(x: float, y: float, width: float, height: float, *, on: bool) -> str:
    inset = 0.0 if on else 0.5
    return tag(
        "rect",
        x=x + inset,
        y=y + inset,
        width=width - 2 * inset,
        height=height - 2 * inset,
        rx=3,
        fill=ON if on else OFF,
        stroke=None if on else EDGE,
        class_="eat-on" if on else "eat-off",
    )


def _hatch(x: float, y: float, width: float, height: float, step: float = 8.0) -> str:
    """Diagonal strokes within a rectangle, clipped by arithmetic: a pattern would need an id."""
    strokes = []
    offset = step
    while offset < width + height:
        x1, y1 = (offset, 0.0) if offset <= width else (width, offset - width)
        x2, y2 = (0.0, offset) if offset <= height else (offset - height, height)
        strokes.append(f"M{x + x1:g} {y + y1:g}L{x + x2:g} {y + y2:g}")
        offset += step
    return tag("path", d="".join(strokes), stroke=EDGE, fill="none", class_="eat-hatch")


def _muted(anchor: str) -> dict[str, object]:
    return {"text_anchor": anchor, "fill": MUTED, "class_": "eat-muted"}
