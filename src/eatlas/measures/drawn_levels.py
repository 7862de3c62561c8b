"""From associations of draws to what a record keeps of them."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import UndefinedWarning
from eatlas.kernels import Drawn
from eatlas.measures.patterns import eat_pattern
from eatlas.results.draws import (
    CombinedEffect,
    Model,
    NormalP,
    OverDraws,
    Variance,
    VarianceShares,
)
from eatlas.results.ml_eat import Attribute
from eatlas.stats.draws import Components, DrawEffects, draw_effects
from eatlas.stats.effect_size import borenstein_variance, union_variance
from eatlas.stats.meta import random_effects
from eatlas.stats.permutation.result import SMALLEST
from eatlas.stats.precision import relative_tolerance

Array = NDArray[np.float64]
QUANTILES = (0.025, 0.25, 0.5, 0.75, 0.975)
_OF_SIGN: dict[int, Attribute | None] = {1: "A", 0: None, -1: "B"}


@dataclass(frozen=True)
class DrawnLevel:
    """One differential association in every draw."""

    what: str
    """What it is called in remarks."""
    scores: Array
    """Associations of its units, shape (draws, units)."""
    n: tuple[int, int]
    """Units of its two groups."""
    effects: DrawEffects
    magnitude: float = 1.0
    """Magnitude of what was summed into a score, 1 for cosines."""
    precision: float | None = None
    """Unit roundoff of what was summed; None where that is exact."""

    @classmethod
    def of(
        cls,
        what: str,
        scores: Array,
        n: tuple[int, int],
        ddof: int,
        magnitude: float = 1.0,
        precision: float | None = None,
    ) -> DrawnLevel:
        """Find the effect size of every draw."""
        found = draw_effects(scores, n[0], ddof=ddof, scale=magnitude, precision=precision)
        return cls(what, scores, n, found, magnitude, precision)


def levels_of(
    drawn: Drawn,
    sizes: tuple[int, int, int, int],
    ddof: int,
    magnitude: float = 1.0,
    precision: float | None = None,
) -> tuple[DrawnLevel, DrawnLevel, DrawnLevel]:
    """Level 1, level 2 of X and level 2 of Y."""
    targets, attributes = sizes[:2], sizes[2:]
    how = ddof, magnitude, precision
    return (
        DrawnLevel.of("level 1", drawn.targets, targets, *how),
        DrawnLevel.of("level 2 of X", drawn.attributes[:, 0], attributes, *how),
        DrawnLevel.of("level 2 of Y", drawn.attributes[:, 1], attributes, *how),
    )


@dataclass(frozen=True)
class Combining:
    """How effect sizes of draws are combined."""

    model: Model
    variance: Variance
    ddof: int

    def combined(self, found: DrawEffects, n: tuple[int, int]) -> CombinedEffect | None:
        """Combine the draws that have a variance; None for fewer than two, and of two units."""
        if sum(n) < 3:
            return None
        usable = found.defined
        v = np.full(found.d.shape, np.nan)
        v[usable] = self.variances(found.d[usable], found.sd[usable], n)
        # without any spread within groups a draw has no sampling error that could be weighed
        usable &= v > 0
        if usable.sum() < 2:
            return None
        with warnings.catch_warnings():
            # of two draws: they have no prediction interval, which the record says
            warnings.simplefilter("ignore", UndefinedWarning)
            pooled = random_effects(found.d[usable], v[usable], method=self.model.upper())
        ends = pooled.prediction_low, pooled.prediction_high
        upper, lower = (max(math.erfc(s * pooled.z / math.sqrt(2)) / 2, SMALLEST) for s in (1, -1))
        return CombinedEffect(
            draws=pooled.k,
            effect_size=pooled.mean,
            se=pooled.se,
            interval=(pooled.low, pooled.high),
            z=pooled.z,
            p=NormalP(greater=upper, less=lower, two_sided=pooled.p),
            tau2=pooled.tau2,
            q=pooled.q,
            i2=pooled.i2,
            prediction=ends if all(map(math.isfinite, ends)) else None,
        )

    def variances(self, d: Array, sd: Array, n: tuple[int, int]) -> Array:
        """What stands for the sampling variance of each draw.

        By default one number for all draws: a variance that is a function of a draw's own d would
        weigh large effects more, and the combined effect would exceed their mean.
        """
        if self.variance == "common":
            own = union_variance(d, *n, ddof=self.ddof)
            return np.full(d.shape, own.mean() if d.size else 0.0)
        if self.variance == "union":
            return union_variance(d, *n, ddof=self.ddof)
        if self.variance == "borenstein":
            return borenstein_variance(d, *n)
        return np.asarray(sd**2)

    def over_draws(self, level: DrawnLevel, parts: Components | None) -> OverDraws:
        """Everything that is kept of one effect size."""
        found = level.effects
        d = found.d[found.defined]
        return OverDraws(
            undefined=int(len(found.d) - d.size),
            sd=float(d.std(ddof=1)) if d.size > 1 else None,
            quantiles=np.quantile(d, QUANTILES).tolist() if d.size else None,
            combined=self.combined(found, level.n),
            shares=parts and shares(parts, level.magnitude, level.precision),
        )


def shares(
    parts: Components, magnitude: float = 1.0, precision: float | None = None
) -> VarianceShares | None:
    """Shares of the variance components; None where there is no variance."""
    within = None if math.isnan(parts.within) else parts.within
    whole = (within or 0.0) + parts.units + parts.groups
    # rounding makes no variance
    if whole <= (relative_tolerance(precision) * magnitude) ** 2:
        return None
    return VarianceShares(
        variance=whole,
        contexts=None if within is None else within / whole,
        stimuli=parts.units / whole,
        groups=parts.groups / whole,
    )


def pattern_shares(x: NDArray[np.int64], y: NDArray[np.int64]) -> dict[str, float]:
    """Share of draws with each of the nine patterns; 1 is an association with A, -1 with B.

    Examples
    --------
    >>> found = pattern_shares(np.array([1, 1, 0, 1]), np.array([-1, -1, 0, -1]))
    >>> found["AB-Divergent"], found["Non-Directional"], len(found)
    (0.75, 0.25, 9)
    """
    counts = Counter(zip(x.tolist(), y.tolist(), strict=True))
    return {
        eat_pattern(_OF_SIGN[i], _OF_SIGN[j])[0]: round(counts[i, j] / len(x), 6)
        for i in _OF_SIGN
        for j in _OF_SIGN
    }


def kept(d: Array, limit: int) -> list[list[float | None]]:
    """Effect sizes of the first draws, a row each; undefined is None."""
    rows = np.round(d[:limit], 4).tolist()
    return [[None if math.isnan(value) else value for value in row] for row in rows]
