"""The EAT-Map: which target is associated with which attribute, in words and drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Literal, NamedTuple, Self

from markupsafe import Markup

from eatlas.errors import ResultsError
from eatlas.present.drawings.map_cells import (
    EDGE,
    NEITHER,
    OFF,
    ON,
    ON_TEXT,
    UNDEFINED,
    Column,
    cell,
    large,
)
from eatlas.present.drawings.svg import NAMESPACE, Drawn, drawing, inlined, tag
from eatlas.present.numbers import effect, p_equals
from eatlas.present.text import isolated
from eatlas.results import AssociationResult
from eatlas.results.effects import Rule
from eatlas.writing import atomic_file

Size = Literal["full", "mini"]
SUFFIX = ".svg"
SYMBOL = "eat-"
"""How the ids of the small maps begin that a page defines once."""
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

_SMALL = 20.0
THUMBNAILS = 4
"""Images that stand for a group beside its name."""


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
    level1: float | None = None
    """Effect size of level 1, where there is one."""
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
                interval=level.interval,
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
            level1=next((one.d for one in result.effects() if one.place == "level1"), None),
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
        """A column in words, for readers who do not see the drawing."""
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
    def comparison(self) -> str:
        """Which target is closer to which attribute than the other; empty without level 1."""
        if not self.level1:
            return ""
        attribute = self.A if self.level1 > 0 else self.B
        x, y, closer = map(isolated, (self.X.name, self.Y.name, attribute))
        return f"{x} closer to {closer} than {y}: d = {effect(self.level1)}"

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
            return large(
                {"X": self.X, "Y": self.Y}, {"A": self.A, "B": self.B}, self.thumbnails,
                heading=self.label, comparison=self.comparison, alpha=self.alpha,
                notes=self.footnotes, alt=self.alt,
                title=f"EAT-Map of {self.test}" if self.test else "EAT-Map",
            )  # fmt: skip
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
        tag("svg", inside, class_="mini", aria_hidden="true")
    )


def symbols(*, undefined: bool = True) -> Markup:
    """Define the small maps, once for the page; those with undefined columns where needed."""
    states = ("A", "B", NEITHER, *([UNDEFINED] if undefined else []))
    drawn = [
        tag("symbol", _small_cells(x, y), id=f"{SYMBOL}{x}{y}", viewBox="0 0 44 44")
        for x in states
        for y in states
    ]
    return Markup(inlined(tag("svg", *drawn, class_="symbols", aria_hidden="true")))  # noqa: S704


def small_map(x: str, y: str, colours: Mapping[str, str]) -> str:
    """Draw the small map of two columns as an SVG file, for the style of a page."""
    cells = _small_cells(x, y)
    for name, colour in (("on", ON), ("on-text", ON_TEXT), ("off", OFF), ("edge", EDGE)):
        cells = cells.replace(f'"{colour}"', f'"{colours.get(name, colour)}"')
    return tag("svg", cells, xmlns=NAMESPACE, viewBox="0 0 44 44").replace('"', "'")


def _small_cells(*states: str) -> str:
    """Draw the four cells of a small map, X left and Y right."""
    drawn = []
    for place, state in enumerate(states):
        for row, attribute in enumerate("AB"):
            x, y = 1 + 22.0 * place, 1 + 22.0 * row
            on, hatched = state == attribute, state == UNDEFINED
            drawn.append(cell(x, y, _SMALL, _SMALL, on=on, hatched=hatched))
            if state == attribute:
                dot = {"cx": x + _SMALL / 2, "cy": y + _SMALL / 2, "r": 3.5}
                drawn.append(tag("circle", **dot, fill=ON_TEXT, class_="eat-on-text"))
    return "".join(drawn)
