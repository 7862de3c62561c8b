"""Which terms drive an association: effect sizes with each term left out in turn."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from eatlas.errors import UndefinedWarning
from eatlas.stats.inputs import whole
from eatlas.stats.weighted import (
    ROLES,
    TARGETS,
    Array,
    Layout,
    Weighable,
    design,
    without_each_other,
    without_each_unit,
)

Side = Literal["targets", "attributes"]


@dataclass(frozen=True)
class Driver:
    """A term that holds an effect size up: without it, d is nearer to 0."""

    side: Side
    """Whether it is a target or an attribute."""
    index: int
    """Its row or column in the block of cosines."""
    change: float
    """d without the term less d; of the sign opposite to d."""


@dataclass(frozen=True)
class Influence:
    """One effect size, and how much it changes without each term."""

    estimate: float
    """The effect size d of all terms; NaN without spread."""
    targets: tuple[float, ...]
    """d without each target less d, X then Y. 0 for the targets that a level 2 does not use;
    NaN where no effect size is left."""
    attributes: tuple[float, ...]
    """The same for each attribute, A then B."""

    def drivers(self, count: int | None = None) -> tuple[Driver, ...]:
        """Terms without which d is nearer to 0 (or past it), the strongest first.

        Parameters
        ----------
        count : int, optional
            So many at most; all by default.

        Raises
        ------
        EatlasError
            For a negative count.

        Examples
        --------
        >>> found = Influence(1.0, (-0.2, 0.1, 0.0), (-0.5, 0.3)).drivers()
        >>> [(driver.side, driver.index, driver.change) for driver in found]
        [('attributes', 0, -0.5), ('targets', 0, -0.2)]
        """
        changes: dict[Side, tuple[float, ...]] = {
            "targets": self.targets,
            "attributes": self.attributes,
        }
        holding = [
            Driver(side, i, change)
            for side, values in changes.items()
            for i, change in enumerate(values)
            if change * self.estimate < 0
        ]
        holding.sort(key=lambda driver: -abs(driver.change))
        return tuple(holding if count is None else holding[: whole(count, "count", 0)])


@dataclass(frozen=True)
class Influences:
    """The influence of every term on the three effect sizes of one test."""

    level1: Influence
    """On the differential association of X and Y."""
    level2_x: Influence
    """On the association of X alone."""
    level2_y: Influence
    """On the association of Y alone."""


def influence(cosines: ArrayLike, n_x: int, n_a: int, *, ddof: int = 1) -> Influences:
    """Leave out each target and each attribute in turn and find the change of each effect size.

    Parameters
    ----------
    cosines : array_like, shape (n_targets, n_attributes)
        Rows X then Y, columns A then B; 2 of each or more.
    n_x, n_a : int
        Rows of X, columns of A.
    ddof : {1, 0}
        The standard deviation divides by N - ddof; N is one less where a term is left out.

    Returns
    -------
    Influences
        Exact: every effect size is computed again, not approximated.

    Raises
    ------
    EatlasError
        For input outside these ranges.

    Warns
    -----
    UndefinedWarning
        When the scores have no spread, or none without some term.

    Examples
    --------
    >>> block = np.zeros((4, 4))
    >>> block[:, :2] = [[0.9, 0.8], [0.1, 0.2], [0.0, 0.2], [0.1, 0.3]]
    >>> found = influence(block, 2, 2)  # scores 0.85, 0.15 and 0.1, 0.2: the first makes d
    >>> found.level1.drivers(1)[0].side, found.level1.drivers(1)[0].index
    ('targets', 0)
    """
    return influence_in(design(cosines, n_x, n_a, dict.fromkeys(ROLES, 2)), ddof=ddof)


def influence_in(test: Layout, *, ddof: int = 1) -> Influences:
    """As :func:`influence`, of a layout whose groups have 2 units or more."""
    ddof = whole(ddof, "ddof", 0, 1)
    level1, x, y = test.levels
    unused_x, unused_y = (np.zeros(test.groups[role]) for role in TARGETS)
    d1, d_x, d_y = (_estimate(level, ddof) for level in test.levels)
    found = Influences(
        _influence(d1, without_each_unit(level1, ddof) - d1, without_each_other(level1, ddof) - d1),
        _influence(
            d_x,
            np.concatenate([without_each_other(x, ddof) - d_x, unused_y]),
            without_each_unit(x, ddof) - d_x,
        ),
        _influence(
            d_y,
            np.concatenate([unused_x, without_each_other(y, ddof) - d_y]),
            without_each_unit(y, ddof) - d_y,
        ),
    )
    _warn(found)
    return found


def _estimate(level: Weighable, ddof: int) -> float:
    units, others = level.shape
    return float(level.effect(np.ones((1, units)), np.ones((1, others)), ddof)[0])


def _influence(d: float, targets: Array, attributes: Array) -> Influence:
    return Influence(d, tuple(targets.tolist()), tuple(attributes.tolist()))


def _warn(found: Influences) -> None:
    named = {
        "level 1": found.level1,
        "level 2 of X": found.level2_x,
        "level 2 of Y": found.level2_y,
    }
    notes = []
    for name, one in named.items():
        lost = sum(map(math.isnan, one.targets + one.attributes))
        if math.isnan(one.estimate):
            notes.append(f"{name} has no effect size: its scores do not differ")
        elif lost:
            notes.append(f"{name} has no effect size without any one of {lost} terms")
    if notes:
        warnings.warn("; ".join(notes), UndefinedWarning, stacklevel=4)
