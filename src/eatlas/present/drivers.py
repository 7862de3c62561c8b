"""Which single terms drive an effect size: leave-one-out, the strongest first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from eatlas.present.drawings.bars import change_bar
from eatlas.present.levels import LevelRow
from eatlas.results import AssociationResult

SHOWN = 8
"""Terms of each effect size; the results file has them all."""


@dataclass(frozen=True)
class Term:
    """What an effect size is without one term."""

    name: str
    group: str
    """Name of the concept that it stands for."""
    change: float
    d: float
    bar: Markup
    holds: bool
    """Whether the effect size rests on it: without it, it is nearer to zero or past it."""


@dataclass(frozen=True)
class Panel:
    """The terms that change one effect size most."""

    row: LevelRow
    terms: tuple[Term, ...]
    total: int
    """Terms that have been left out in turn."""


def panels(result: AssociationResult, levels: Sequence[LevelRow]) -> list[Panel]:
    """One panel for each defined effect size, all bars to one scale."""
    found = [
        (row, row.d, _changes(result, row))
        for row in levels
        if row.influence is not None and row.d is not None
    ]
    limit = max((abs(c[0]) for *_, changes in found for c in changes), default=0.0)
    return [
        Panel(row, tuple(_term(d, *change, limit) for change in changes[:SHOWN]), len(changes))
        for row, d, changes in found
        if changes
    ]


def _changes(result: AssociationResult, row: LevelRow) -> list[tuple[float, str, str]]:
    """Change, term and concept, the largest change first."""
    if row.influence is None:
        return []
    changes = [
        (change, term, result.concepts.name(role))
        for role in "XYAB"
        for term, change in zip(
            result.coverage.group(role).stimuli, row.influence.group(role), strict=False
        )
        if change is not None
    ]
    return sorted(changes, key=lambda found: -abs(found[0]))


def _term(d: float, change: float, name: str, group: str, limit: float) -> Term:
    holds = change * d < 0
    bar = Markup(change_bar(change, limit, strong=holds))  # noqa: S704  (numbers alone)
    return Term(name, group, change, d + change, bar, holds)
