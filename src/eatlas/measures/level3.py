"""Level 3: the cosines of each target group with each attribute group, few or very many."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from eatlas import kernels
from eatlas.results.ml_eat import CELLS, Level3
from eatlas.results.parts import Cell

Rows = Mapping[str, NDArray[np.float64]]
Moments = Mapping[str, kernels.Moments]

KEPT_CELLS = 10_000
"""Largest number of cosines that a result keeps; 50 targets by 50 attributes take 2,500."""
TABLE_CELLS = 2_000_000
"""Largest number of cosines of two groups that are all computed, 16 MB: 1,400 by 1,400."""
SAMPLED_ROWS = 1_000
"""Of more, quartiles are those of so many rows of either group: of a million cosines, whose
quartiles differ from those of all by some hundredth of their standard deviation."""
QUANTILES = (0.0, 0.25, 0.5, 0.75, 1.0)


def level3(rows: Rows, moments: Moments) -> Level3:
    """Mean, standard deviation and quantiles of all four pairs of groups.

    `moments` are those of the groups of `rows`, asked for where there are too many cosines to
    compute. Mean and standard deviation are exact then too.
    """
    return Level3(**{name: _cell(name[0], name[1], rows, moments) for name in CELLS})


def similarities(rows: Rows) -> tuple[tuple[float, ...], ...] | None:
    """The cosines of all targets with all attributes, to 6 decimals; None for too many."""
    n = {role: len(rows[role]) for role in "XYAB"}
    if (n["X"] + n["Y"]) * (n["A"] + n["B"]) > KEPT_CELLS:
        return None
    targets, attributes = (np.concatenate([rows[role] for role in pair]) for pair in ("XY", "AB"))
    return kept_pairs(kernels.similarities(targets, attributes))


def kept_pairs(table: NDArray[np.float64]) -> tuple[tuple[float, ...], ...] | None:
    """What a result keeps of the associations of all pairs; None for too many."""
    if table.size > KEPT_CELLS:
        return None
    return tuple(tuple(row) for row in np.round(table, 6).tolist())


def _cell(target: str, attribute: str, rows: Rows, moments: Moments) -> Cell:
    t, a = rows[target], rows[attribute]
    n = len(t) * len(a)
    if n > TABLE_CELLS:
        t, a = _some(t), _some(a)
        quantiles = np.quantile(t @ a.T, QUANTILES).tolist()
        mean, sd = kernels.products_mean_and_sd(moments[target], moments[attribute], 1)
        return Cell(mean=mean, sd=sd, n=n, quantiles=quantiles, sampled=len(t) * len(a))
    # up to what is kept, cosines of equal rows are equal to the last bit
    block = kernels.similarities(t, a) if n <= KEPT_CELLS else t @ a.T
    mean, sd = kernels.mean_and_sd(block, 1)
    quantiles = np.quantile(block, QUANTILES).tolist()
    return Cell(mean=mean, sd=None if np.isnan(sd) else sd, n=n, quantiles=quantiles)


def _some(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """At most SAMPLED_ROWS of the rows, as good as random, whatever the order they come in.

    The bytes of a number begin with the last digits of its fraction, so their order says nothing.
    """
    if len(rows) <= SAMPLED_ROWS:
        return rows
    order = sorted(range(len(rows)), key=lambda i: rows[i].tobytes())
    return rows[[order[i] for i in np.linspace(0, len(rows) - 1, SAMPLED_ROWS).astype(int)]]
