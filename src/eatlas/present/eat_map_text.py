"""The EAT-Map as text, for tables and terminals."""

from __future__ import annotations

from dataclasses import dataclass

from rich.cells import cell_len
from rich.markup import escape

from eatlas.present.eat_map_content import Column, Content
from eatlas.present.numerals import effect, p_equals
from eatlas.present.text import wrap
from eatlas.results import ThreeLevelResult

CELL = 20
NAME = 20
_ASCII = str.maketrans({"−": "-", "…": "~", "–": "-"})


@dataclass(frozen=True)
class Glyphs:
    """What the map is drawn with."""

    on: str
    off: str
    undefined: str
    top: str
    middle: str
    bottom: str
    line: str
    wall: str


FANCY = Glyphs("■", "□", "▨", "┌┬┐", "├┼┤", "└┴┘", "─", "│")
PLAIN = Glyphs("#", ".", "?", "+++", "+++", "+++", "-", "|")


def mini(result: ThreeLevelResult, *, encoding: str = "utf-8") -> tuple[str, str]:
    """Two lines of two glyphs: row A above row B, column X before column Y.

    Parameters
    ----------
    result : ThreeLevelResult
    encoding : str
        Of the terminal; where it lacks the squares, ``#`` and ``.`` stand for them.

    Examples
    --------
    >>> import eatlas
    >>> mini(eatlas.run(tests="weat-6")[0])
    ('□□', '□■')
    """
    shown, glyphs = Content.of(result), _glyphs(encoding)
    above, below = (
        "".join(_glyph(column, row, glyphs) for column in (shown.X, shown.Y)) for row in "AB"
    )
    return above, below


def full(result: ThreeLevelResult, *, encoding: str = "utf-8", markup: bool = False) -> str:
    """A framed map with names, effect sizes and significance, 64 columns wide.

    Parameters
    ----------
    result : ThreeLevelResult
    encoding : str
        Of the terminal.
    markup : bool
        With rich's markup: associated cells red, the others dim; names are escaped.
    """
    shown, glyphs = Content.of(result), _glyphs(encoding)
    write = _Writer(shown, glyphs, markup=markup)
    text = "\n".join(line.rstrip() for line in write.lines())
    return text if glyphs is FANCY else text.translate(_ASCII)


@dataclass(frozen=True)
class _Writer:
    shown: Content
    glyphs: Glyphs
    markup: bool

    def lines(self) -> list[str]:
        """The whole map, top to bottom."""
        shown, glyphs = self.shown, self.glyphs
        columns = (shown.X, shown.Y)
        heads = [wrap(column.name, CELL, cell_len, 2) for column in columns]
        height = max(map(len, heads))
        heads = [[""] * (height - len(head)) + head for head in heads]
        numbers = [self._numbers(column) for column in columns]
        return [
            " " * (NAME + 1) + _fit(shown.label, 2 * CELL + 3, "^"),
            *(self._line("", *(self._plain(head[i]) for head in heads)) for i in range(height)),
            self._rule(glyphs.top),
            *self._row(shown.A, "A"),
            self._rule(glyphs.middle),
            *self._row(shown.B, "B"),
            self._rule(glyphs.bottom),
            *(self._line("", *(self._plain(pair[i]) for pair in numbers)) for i in range(2)),
            *(" " * (NAME + 1) + _fit(note, 2 * CELL + 3, "^") for note in shown.footnotes),
        ]

    def _row(self, name: str, attribute: str) -> list[str]:
        """One attribute: its name on up to two lines, its cells beside the first."""
        names = wrap(name, NAME, cell_len, 2)
        cells = [self._cell(column, attribute) for column in (self.shown.X, self.shown.Y)]
        empty = [self._styled(" " * CELL, on=False)] * 2
        wall = self.glyphs.wall
        return [
            self._safe(_fit(part, NAME, ">")) + f" {wall}" + wall.join(beside) + wall
            for part, beside in zip(names, [cells, empty], strict=False)
        ]

    def _cell(self, column: Column, attribute: str) -> str:
        on = column.attribute == attribute
        word = "undefined" if column.effect_size is None else "associated" if on else ""
        text = f"{_glyph(column, attribute, self.glyphs)} {word}".rstrip()
        return self._styled(_fit(text, CELL, "^"), on=on)

    def _numbers(self, column: Column) -> tuple[str, str]:
        if column.effect_size is None or column.p is None:
            return "d undefined", ""
        star = "*" if column.significant else ""
        return (
            f"d = {effect(column.effect_size)}{star}",
            p_equals(column.p, self.shown.alpha, column.p_low),
        )

    def _line(self, name: str, *cells: str) -> str:
        return f"{_fit(name, NAME, '>')}  {' '.join(cells)}"

    def _rule(self, corners: str) -> str:
        left, middle, right = tuple(corners)
        line = self.glyphs.line * CELL
        return " " * (NAME + 1) + left + middle.join([line] * 2) + right

    def _plain(self, text: str) -> str:
        return self._safe(_fit(text, CELL, "^"))

    def _safe(self, text: str) -> str:
        return escape(text) if self.markup else text

    def _styled(self, text: str, *, on: bool) -> str:
        if not self.markup:
            return text
        return f"[bold red]{text}[/]" if on else f"[dim]{text}[/]"


def _glyphs(encoding: str) -> Glyphs:
    try:
        "".join((FANCY.on, FANCY.off, FANCY.undefined, FANCY.middle)).encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return PLAIN
    return FANCY


def _glyph(column: Column, attribute: str, glyphs: Glyphs) -> str:
    if column.effect_size is None:
        return glyphs.undefined
    return glyphs.on if column.attribute == attribute else glyphs.off


def _fit(text: str, width: int, align: str) -> str:
    """Pad a text to a number of terminal columns; wide characters take two."""
    room = max(0, width - cell_len(text))
    left = {"<": 0, ">": room, "^": room // 2}[align]
    return " " * left + text + " " * (room - left)
