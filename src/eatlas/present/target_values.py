"""Numbers of single targets in order, and what they can be, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eatlas.present.numbers import effect
from eatlas.present.text import isolated
from eatlas.results import AssociationResult

if TYPE_CHECKING:
    from eatlas.results.groups import TargetValue
    from eatlas.results.target_values import Range, TargetValuesResult

ENDS = 6
"""Targets that a terminal shows at either end."""
DECIMALS = 3
"""Many a mean of such numbers is 0 to two."""


def in_order(result: AssociationResult) -> tuple[TargetValue, ...]:
    """Targets from the largest number to the smallest; undefined ones are last.

    Examples
    --------
    >>> import eatlas
    >>> first, *_, last = in_order(eatlas.run(tests="divdist-face-validity", measures="ripa")[0])
    >>> first.term, last.term
    ('nurse', 'businessman')
    """

    def place(one: TargetValue) -> tuple[bool, float, str]:
        return one.value is None, -(one.value or 0.0), one.term

    return tuple(sorted(result.values or (), key=place))


def ends(result: AssociationResult, most: int = ENDS) -> tuple[tuple[TargetValue, ...], int]:
    """Targets at either end, and how many between them are left out."""
    every = in_order(result)
    if len(every) <= 2 * most + 1:
        return every, 0
    return (*every[:most], *every[-most:]), len(every) - 2 * most


def legend(result: AssociationResult) -> str:
    """What the number for all targets, and those of single ones, can be.

    Examples
    --------
    >>> import eatlas
    >>> print(legend(eatlas.run(tests="divdist-face-validity", measures="mac")[0]))
    All targets: cosine distance, 0 to 2, 1 without bias.
    """
    shown: TargetValuesResult = result  # type: ignore[assignment]  # its values are there
    said = [f"All targets: {in_words(shown.whole)}."]
    if shown.each != shown.whole:
        said.append(f"Each: {in_words(shown.each)}.")
    return " ".join(said)


def in_words(span: Range) -> str:
    """A range in words."""
    said = [span.unit]
    if span.low is not None and span.high is not None:
        said.append(f"{_number(span.low)} to {_number(span.high)}")
    if span.neutral is not None:
        said.append(f"{_number(span.neutral)} without bias")
    if span.larger is not None:
        said.append(f"larger towards {isolated(span.larger)}")
    return ", ".join(said)


def _number(value: float) -> str:
    """A whole number without decimals."""
    return effect(value, 0 if value == int(value) else DECIMALS)
