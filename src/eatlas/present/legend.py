"""The nine EAT patterns and their small maps, drawn once and used wherever they are needed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from markupsafe import Markup

from eatlas.present.anchors import SYMBOL
from eatlas.present.eat_map_svg import NEITHER, UNDEFINED, mini_cells
from eatlas.present.svg import tag
from eatlas.results import ThreeLevelResult
from eatlas.results.ml_eat import Attribute
from eatlas.results.parts import effect_of

_PATTERNS: dict[str, tuple[Attribute | None, Attribute | None, str]] = {
    "AB-Divergent": ("A", "B", "X with A, Y with B"),
    "BA-Divergent": ("B", "A", "X with B, Y with A"),
    "A-Uniform": ("A", "A", "both with A"),
    "B-Uniform": ("B", "B", "both with B"),
    "AX-Singular": ("A", None, "X with A, Y with neither"),
    "BX-Singular": ("B", None, "X with B, Y with neither"),
    "AY-Singular": (None, "A", "Y with A, X with neither"),
    "BY-Singular": (None, "B", "Y with B, X with neither"),
    "Non-Directional": (None, None, "neither with A or B"),
}
LABELS = tuple(_PATTERNS)
_COLUMNS = ("A", "B", NEITHER, UNDEFINED)


@dataclass(frozen=True)
class Pattern:
    """One EAT pattern of the legend."""

    label: str
    mini: Markup
    meaning: str
    found: int
    """How many of the page's results show it."""


def legend(labels: Iterable[str]) -> list[Pattern]:
    """The nine EAT patterns, each with its map and how often it was found."""
    found = list(labels)
    return [
        Pattern(label, mini_of(label), meaning, found.count(label))
        for label, (*_, meaning) in _PATTERNS.items()
    ]


def mini_of(label: str) -> Markup:
    """The small map of a pattern."""
    x, y, _ = _PATTERNS[label]
    return _use(x or NEITHER, y or NEITHER)


def mini(result: ThreeLevelResult) -> Markup:
    """The small map of a result, with undefined columns hatched."""
    read = result.primary
    states = [
        UNDEFINED if effect_of(read.group(role)) is None else read.attribute(role) or NEITHER
        for role in "XY"
    ]
    return _use(*states)


def symbols() -> Markup:
    """The small maps, defined once for the page."""
    drawn = [
        tag(
            "symbol",
            mini_cells(x, y),
            id=f"{SYMBOL}{x}{y}",
            viewBox="0 0 44 44",
        )
        for x in _COLUMNS
        for y in _COLUMNS
    ]
    return Markup(tag("svg", *drawn, class_="symbols", aria_hidden="true"))  # noqa: S704


def _use(x: str, y: str) -> Markup:
    """Use a small map; the label beside it says what it shows."""
    inside = tag("use", href=f"#{SYMBOL}{x}{y}")
    return Markup(  # noqa: S704  (letters alone)
        tag("svg", inside, class_="eat-map mini", width=44, height=44, aria_hidden="true")
    )
