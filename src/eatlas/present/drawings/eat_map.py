"""The EAT-Map: which target is associated with which attribute, in words and drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Literal, NamedTuple, Self

from markupsafe import Markup

from eatlas.errors import ResultsError
from eatlas.present.drawings.svg import (
    FONT,
    INK,
    NAMESPACE,
    Drawn,
    drawing,
    label,
    muted,
    tag,
    words,
)
from eatlas.present.numbers import effect, p_equals
from eatlas.present.text import isolated, pixels, wrap
from eatlas.results import AssociationResult
from eatlas.results.effects import Rule
from eatlas.results.levels import Attribute
from eatlas.writing import atomic_file

Size = Literal["full", "mini"]
SUFFIX = ".svg"
SYMBOL = "eat-"
"""How the ids of the small maps begin that a page defines once."""
PAPER = "#ffffff"
ON, ON_TEXT = "#b3261e", "#ffffff"  # luminance ratio to OFF 4.9, of the text 6.5
OFF, EDGE = "#dfdfe4", "#74747e"

NEITHER, UNDEFINED = "N", "U"
"""What a column of a map may show besides A and B."""
PATTERNS: dict[str, tuple[str, str, str]] = {
    "AB-Divergent": ("A", "B", "X with A, Y with B"),
    "BA-Divergent": ("B", "A", "X with B, Y with A"),
    "A-Uniform": ("A", "A", "both with A"),
    "B-Uniform": ("B", "B", "both with B"),
    "AX-Singular": ("A", NEITHER, "X with A, Y with neither"),
    "BX-Singular": ("B", NEITHER, "X with B, Y with neither"),
    "AY-Singular": (NEITHER, "A", "Y with A, X with neither"),
    "BY-Singular": (NEITHER, "B", "Y with B, X with neither"),
    "Non-Directional": (NEITHER, NEITHER, "neither with A or B"),
}
"""What X and Y show in each of the nine patterns, and its meaning in words."""

_CELL_W, _CELL_H, _GAP, _SMALL = 138.0, 78.0, 4.0, 20.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 132.0, 16.0, 84.0, 88.0
_WIDTH = _LEFT + 2 * _CELL_W + _GAP + _RIGHT
_HEIGHT = _TOP + 2 * _CELL_H + _GAP + _BOTTOM
_NAME = 13.0
_THUMBNAIL = 30.0
THUMBNAILS = 4
"""Images that stand for a group beside its name."""


@dataclass(frozen=True)
class Column:
    """One target group of an EAT-Map."""

    name: str
    effect_size: float | None
    """Level 2 effect size; None where it is undefined."""
    p: float | None
    """The p-value that the pattern's rule reads; None where there is none over stimuli."""
    significant: bool
    """Whether p is below alpha."""
    attribute: Attribute | None
    """The attribute that the group is associated with, if any."""
    p_low: float | None = None
    """Lower bound of p where only bounds are known."""
    texts: tuple[str, str] = ("", "")
    """What is written in the cells of A and of B, such as a share; empty for most measures."""

    @property
    def state(self) -> str:
        """What the column shows: A, B, NEITHER or UNDEFINED."""
        return UNDEFINED if self.effect_size is None else self.attribute or NEITHER


@dataclass(frozen=True)
class EATMap:
    """Four cells that show which target is associated with which attribute.

    Columns are the target groups X and Y, rows the attributes A and B; a cell is red where the
    target is associated with the attribute, else gray (Wolfe, Hiniker and Howe 2024, section
    "EAT-Maps"). A cell that is red is also darker and carries a mark, so that the map can be
    read without colours.

    Parameters
    ----------
    X, Y : Column
    A, B : str
        Names of the attributes.
    label, two_sided_label : str
        EAT pattern under the measure's rule and under the two-sided rule.
    rule : Rule
        Level and tail by which the level 2 p-values were read.
    test : str
        Id of the test.
    over_stimuli : bool
        Whether the associations are those of stimuli, each with all its sentences.

    Examples
    --------
    >>> import eatlas
    >>> results = eatlas.run(tests="weat-6")
    >>> sorted(eatlas.plot(results[0]).associated)
    ['YB']
    """

    X: Column
    Y: Column
    A: str
    B: str
    label: str
    two_sided_label: str
    rule: Rule
    test: str = ""
    over_stimuli: bool = False
    thumbnails: Mapping[str, tuple[Drawn, ...]] = field(default_factory=dict, compare=False)
    """Of some images of each group, by role; drawn in a page that defines them."""

    @classmethod
    def of(
        cls, result: AssociationResult, find: Callable[[str, str], Drawn | None] | None = None
    ) -> Self:
        """Make the map of a result that has an EAT pattern.

        `find` goes from a role and a term to its thumbnail, or to None.
        """
        names, read = result.concepts, result.primary

        def column(role: str) -> Column:
            level = result.effect(f"level2.{role}")
            return Column(
                name=names.name(role),
                effect_size=level.d,
                p=None if level.p is None else level.p.tail(level.tail),
                p_low=None if level.p is None else level.p.low(level.tail),
                significant=level.significant,
                attribute=read.attribute(role),
                texts=(result.cell_text(f"{role}A"), result.cell_text(f"{role}B")),
            )

        return cls(
            X=column("X"),
            Y=column("Y"),
            A=names.A,
            B=names.B,
            label=read.label,
            two_sided_label=read.two_sided_label,
            rule=result.rule,
            test=result.test,
            over_stimuli=read.over_stimuli,
            thumbnails={} if find is None else _thumbnails(result, find),
        )

    @property
    def alpha(self) -> float:
        """Significance level."""
        return self.rule.alpha

    @property
    def associated(self) -> frozenset[str]:
        """The red cells, among XA, XB, YA and YB."""
        columns = (("X", self.X), ("Y", self.Y))
        return frozenset(f"{role}{c.attribute}" for role, c in columns if c.attribute)

    @property
    def alt(self) -> str:
        """The map in words, for those who cannot see it."""
        parts = "; ".join(self._in_words(column) for column in (self.X, self.Y))
        over = " over stimuli" if self.over_stimuli else ""
        return f"EAT-Map, pattern {self.label}{over}: {parts}."

    def _in_words(self, column: Column) -> str:
        name, a, b = (isolated(text) for text in (column.name, self.A, self.B))
        if column.effect_size is None or column.p is None:
            return f"{name}, association undefined"
        attribute = isolated(getattr(self, column.attribute)) if column.attribute else None
        found = (
            f"associated with {attribute}" if attribute else f"associated with neither {a} nor {b}"
        )
        p = p_equals(column.p, self.alpha, column.p_low)
        shares = [f"{text} {one}" for text, one in zip(column.texts, (a, b), strict=True) if text]
        return f"{name}, {found} ({', '.join([f'd = {effect(column.effect_size)}', p, *shares])})"

    @property
    def footnotes(self) -> tuple[str, ...]:
        """What the star says and what is relabelled; the two-sided pattern where it differs."""
        star = self.rule.meaning + (", over stimuli" if self.over_stimuli else "")
        if self.two_sided_label == self.label:
            return (star,)
        return star, f"under the two-sided rule: {self.two_sided_label}"

    def glyphs(self, encoding: str = "utf-8") -> tuple[str, str]:
        """Draw the map as two lines of two glyphs, row A above row B, for a terminal.

        Parameters
        ----------
        encoding : str
            Of the terminal; where it lacks the squares, ``#``, ``.`` and ``?`` stand for them.

        Examples
        --------
        >>> import eatlas
        >>> eatlas.plot(eatlas.run(tests="weat-6")[0]).glyphs()
        ('□□', '□■')
        """
        on, off, undefined = ("■", "□", "▨")
        try:
            f"{on}{off}{undefined}".encode(encoding)
        except (UnicodeEncodeError, LookupError):
            on, off, undefined = ("#", ".", "?")
        above, below = (
            "".join(
                undefined if shown == UNDEFINED else on if shown == row else off
                for shown in (self.X.state, self.Y.state)
            )
            for row in "AB"
        )
        return above, below

    def svg(self, size: Size = "full") -> str:
        """Draw the map as SVG that stands alone or in a page.

        Parameters
        ----------
        size : {"full", "mini"}
            With names and numbers, or 44 pixels for the cell of a table.

        Raises
        ------
        ResultsError
            If there is no such size.
        """
        if size == "full":
            return _full(self)
        if size == "mini":
            cells = _small_cells(self.X.state, self.Y.state)
            return drawing(44, 44, cells, title=self.alt, class_="eat-map eat-mini")
        raise ResultsError(
            "an EAT-Map has no such size", got=repr(size), allowed="'full' or 'mini'"
        )

    def save(self, path: str | Path) -> None:
        """Write the map as an SVG file, whole or not at all.

        Raises
        ------
        ResultsError
            If the name does not end in .svg, or the file cannot be written.
        """
        path = Path(path)
        if path.suffix.lower() != SUFFIX:
            raise ResultsError(
                f"{path}: an EAT-Map is saved as SVG",
                got=path.suffix or "a name without an ending",
                allowed=SUFFIX,
                remedy=f"save it as {path.with_suffix(SUFFIX).name}; PDF, PNG and HTML come from "
                'eatlas.plot(result, kind="eat-map").save(...)',
            )
        with atomic_file(path) as file:
            file.write(f'<?xml version="1.0" encoding="UTF-8"?>\n{self.svg()}\n')

    def _repr_svg_(self) -> str:
        return self.svg()

    def _repr_html_(self) -> str:
        return f"<div>{self.svg()}</div>"

    def __str__(self) -> str:
        return self.alt


def _thumbnails(
    result: AssociationResult, find: Callable[[str, str], Drawn | None]
) -> dict[str, tuple[Drawn, ...]]:
    """The first thumbnails of each group, of those with images."""
    found = {}
    for role, group in result.coverage.items():
        images = (find(role, term) for term in group.used if term in group.image)
        if some := tuple(islice((one for one in images if one is not None), THUMBNAILS)):
            found[role] = some
    return found


class Pattern(NamedTuple):
    """One EAT pattern of the legend."""

    label: str
    mini: Markup
    meaning: str
    found: int
    """How many of the page's results show it."""


def legend(labels: Iterable[str]) -> list[Pattern]:
    """Return the nine EAT patterns, each with its map and how often it was found."""
    found = list(labels)
    return [
        Pattern(label, mini_of(label), meaning, found.count(label))
        for label, (*_, meaning) in PATTERNS.items()
    ]


def mini_of(shown: str | EATMap) -> Markup:
    """Use the small map of a pattern or of a result; the label beside it says what it shows."""
    x, y = PATTERNS[shown][:2] if isinstance(shown, str) else (shown.X.state, shown.Y.state)
    inside = tag("use", href=f"#{SYMBOL}{x}{y}")
    return Markup(  # noqa: S704  (letters alone)
        tag("svg", inside, class_="eat-map mini", width=44, height=44, aria_hidden="true")
    )


def symbols(*, undefined: bool = True) -> Markup:
    """Define the small maps, once for the page; those with undefined columns where needed."""
    states = ("A", "B", NEITHER, *([UNDEFINED] if undefined else []))
    drawn = [
        tag("symbol", _small_cells(x, y), id=f"{SYMBOL}{x}{y}", viewBox="0 0 44 44")
        for x in states
        for y in states
    ]
    return Markup(tag("svg", *drawn, class_="symbols", aria_hidden="true"))  # noqa: S704


def small_map(x: str, y: str, colours: Mapping[str, str]) -> str:
    """Draw the small map of two columns as an SVG file, for the style of a page.

    Parameters
    ----------
    x, y : str
        What the columns of X and Y show: "A", "B", `NEITHER` or `UNDEFINED`.
    colours : mapping
        Other colours than those of paper, by the names that the style of a page gives them: "on",
        "on-text", "off" and "edge".
    """
    cells = _small_cells(x, y)
    for name, colour in (("on", ON), ("on-text", ON_TEXT), ("off", OFF), ("edge", EDGE)):
        cells = cells.replace(f'"{colour}"', f'"{colours.get(name, colour)}"')
    return tag("svg", cells, xmlns=NAMESPACE, viewBox="0 0 44 44").replace('"', "'")


def _full(shown: EATMap) -> str:
    """Draw the map with names, numbers and pattern."""
    middle = _LEFT + _CELL_W + _GAP / 2
    images = shown.thumbnails
    height = _HEIGHT + (_THUMBNAIL + 8 if images.keys() & set("XY") else 0)
    return drawing(
        _WIDTH,
        height,
        tag("rect", width=_WIDTH, height=height, fill=PAPER, class_="eat-paper"),
        label(shown.label, middle, 27, size=17, font_weight=650, text_anchor="middle"),
        *(
            _row(name, _top(row), images.get(role, ()))
            for row, (role, name) in enumerate((("A", shown.A), ("B", shown.B)))
        ),
        *(
            _column(column, _LEFT + place * (_CELL_W + _GAP), shown.alpha, images.get(role, ()))
            for place, (role, column) in enumerate((("X", shown.X), ("Y", shown.Y)))
        ),
        *(
            muted(note, middle, height - 24 + 15.0 * line)
            for line, note in enumerate(shown.footnotes)
        ),
        title=f"EAT-Map of {shown.test}" if shown.test else "EAT-Map",
        alt=shown.alt,
        class_="eat-map",
        font_family=FONT,
        fill=INK,
    )


def _top(row: int) -> float:
    return _TOP + row * (_CELL_H + _GAP)


def _row(name: str, top: float, images: Sequence[Drawn]) -> str:
    """The name of an attribute before its cells, with thumbnails below it."""
    middle = top + _CELL_H / 2
    if not images:
        return _lines(name, _LEFT - 26, 4, _LEFT - 12, middle, "end")
    side = 24.0
    left = _LEFT - 12 - len(images) * (side + 3) + 3
    drawn = [one.drawn(left + i * (side + 3), middle + 4, side) for i, one in enumerate(images)]
    return _lines(name, _LEFT - 26, 2, _LEFT - 12, middle - 16, "end") + "".join(drawn)


def _column(column: Column, left: float, alpha: float, images: Sequence[Drawn] = ()) -> str:
    """One target: its name, a cell for each attribute, and its numbers below."""
    middle, under = left + _CELL_W / 2, _top(2) - _GAP + 23
    start = middle - (len(images) * (_THUMBNAIL + 4) - 4) / 2
    d, p = "d undefined", ""
    if column.effect_size is not None:
        d = f"d = {effect(column.effect_size)}{'*' if column.significant else ''}"
        p = "" if column.p is None else p_equals(column.p, alpha, column.p_low)
    return tag(
        "g",
        _lines(column.name, _CELL_W - 8, 2, middle, _TOP - 24, "middle"),
        *(
            _large_cell(column.state, role, left, _top(row), column.texts[row])
            for row, role in enumerate("AB")
        ),
        label(d, middle, under, size=15, font_weight=600, text_anchor="middle"),
        muted(p, middle, under + 18, size=12),
        *(
            one.drawn(start + i * (_THUMBNAIL + 4), under + 27, _THUMBNAIL)
            for i, one in enumerate(images)
        ),
    )


def _lines(name: str, width: float, most: int, x: float, middle: float, anchor: str) -> str:
    """Write a name on one or more lines around a height; the whole of it is a tooltip."""
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


def _large_cell(state: str, attribute: str, x: float, y: float, text: str = "") -> str:
    """Draw a cell with a word in it, so that nobody needs the colour, and a text below that."""
    cell = _cell(state, attribute, x, y, _CELL_W, _CELL_H)
    middle, height = x + _CELL_W / 2, y + _CELL_H / 2
    if state == UNDEFINED:
        plate = {"x": middle - 37, "y": height - 12, "width": 74, "height": 24, "rx": 3}
        cell += tag("rect", **plate, fill=PAPER, class_="eat-plate")
        cell += muted("undefined", middle, height + 4, size=12)
    elif state == attribute:
        cell += tag("circle", cx=middle - 37, cy=height, r=5, fill=ON_TEXT, class_="eat-on-text")
        cell += label(
            "associated", middle + 10, height + 4.5, font_weight=600, text_anchor="middle",
            fill=ON_TEXT, class_="eat-on-text",
        )  # fmt: skip
    if text and state == attribute:
        cell += label(
            text, middle, height + 24, size=12, text_anchor="middle",
            fill=ON_TEXT, class_="eat-on-text",
        )  # fmt: skip
    elif text:
        below = 24 if state == UNDEFINED else 4.5
        cell += label(text, middle, height + below, size=12, text_anchor="middle")
    return cell


def _small_cells(*states: str) -> str:
    """Draw the four cells of a small map, X left and Y right."""
    drawn = []
    for place, state in enumerate(states):
        for row, attribute in enumerate("AB"):
            x, y = 1 + 22.0 * place, 1 + 22.0 * row
            drawn.append(_cell(state, attribute, x, y, _SMALL, _SMALL))
            if state == attribute:
                dot = {"cx": x + _SMALL / 2, "cy": y + _SMALL / 2, "r": 3.5}
                drawn.append(tag("circle", **dot, fill=ON_TEXT, class_="eat-on-text"))
    return "".join(drawn)


def _cell(state: str, attribute: str, x: float, y: float, width: float, height: float) -> str:
    """Draw the rectangle of a cell, hatched where the association is undefined."""
    on = state == attribute
    inset = 0.0 if on else 0.5
    rect = tag(
        "rect", x=x + inset, y=y + inset, width=width - 2 * inset, height=height - 2 * inset, rx=3,
        fill=ON if on else OFF, stroke=None if on else EDGE, class_="eat-on" if on else "eat-off",
    )  # fmt: skip
    return rect + _hatch(x, y, width, height) if state == UNDEFINED else rect


def _hatch(x: float, y: float, width: float, height: float, step: float = 8.0) -> str:
    """Draw diagonals within a rectangle, clipped by arithmetic: a pattern would need an id."""
    strokes = []
    offset = step
    while offset < width + height:
        x1, y1 = min(offset, width), max(0.0, offset - width)
        x2, y2 = max(0.0, offset - height), min(offset, height)
        strokes.append(f"M{x + x1:g} {y + y1:g}L{x + x2:g} {y + y2:g}")
        offset += step
    return tag("path", d="".join(strokes), stroke=EDGE, fill="none", class_="eat-hatch")
