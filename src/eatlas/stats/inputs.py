"""What several statistics share: checks, quantiles, and how near numbers are but for rounding.

Vectors that were looked up are what they are: only the sums made of them are rounded, in double
precision. Vectors that a model computed carry the rounding of its arithmetic as well, and that is
larger by many orders of magnitude.
"""

from __future__ import annotations

import math

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from eatlas.errors import EatlasError


def numbers(values: ArrayLike, name: str, ndim: int) -> NDArray[np.float64]:
    """Finite float64 numbers with `ndim` dimensions, or an error that says what is wrong."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise EatlasError(f"{name} must be numbers", got=str(error)) from error
    if array.ndim != ndim:
        raise EatlasError(
            f"{name} must have {ndim} dimension{'s' * (ndim > 1)}",
            got=f"an array of shape {array.shape}",
        )
    bad = np.argwhere(~np.isfinite(array))
    if bad.size:
        place = ", ".join(str(i) for i in bad[0])
        raise EatlasError(f"{name} must be finite", got=f"{array[tuple(bad[0])]} at [{place}]")
    return array


def generator(rng: np.random.Generator | None) -> np.random.Generator:
    """An explicit source of random numbers: a seed or the global state is not one."""
    if isinstance(rng, np.random.Generator):
        return rng
    raise EatlasError(
        "rng must be a numpy Generator",
        got=type(rng).__name__,
        remedy="pass numpy.random.default_rng(seed)",
    )


def check_noise(scale: float | None, precision: float | None) -> None:
    """Refuse an impossible scale or unit roundoff; None means unknown."""
    if scale is not None and not (math.isfinite(scale) and scale > 0):
        raise EatlasError(
            "scale must be the magnitude of what was added up", got=repr(scale), allowed="above 0"
        )
    if precision is not None and not (math.isfinite(precision) and 0 <= precision < 1):
        raise EatlasError(
            "precision must be the unit roundoff of the vectors",
            got=repr(precision),
            allowed="from 0 to below 1, such as 2**-24 for single precision; None if exact",
        )


ROUNDING_UNITS = 16
"""A cosine of unit rows has a rounding error of a few 2^-53; scores that differ by no more than
so many units of it are the same score (largest spread seen for equal rows: 4 units)."""
DOUBLE = ROUNDING_UNITS * 2.0**-53
"""Relative rounding error of one score of exact vectors."""
SINGLE = 2.0**-24
"""Unit roundoff of single precision."""
SPREAD_UNITS = 2
"""Scores of computed vectors without spread differ by at most so many units. Both groups' sums then
differ by no more than the tie tolerance, so that all p-values are 1 as well."""


def relative_tolerance(precision: float | None) -> float:
    """Tolerance for ties of sums, for each score in the design and each unit of its scale."""
    return DOUBLE if precision is None else max(DOUBLE, precision)


def least_spread(scale: float, precision: float | None) -> float:
    """The greatest difference of two scores that is rounding and no spread."""
    if precision is None:
        return DOUBLE * scale
    return max(DOUBLE, SPREAD_UNITS * precision) * scale


def rounding_noise(terms: int, peak: float, precision: float | None) -> float:
    """Rounding error of a mean over so many cosines, or other numbers, of up to some size.

    The noise of computed vectors does not shrink with the cosines: it is relative to the vectors.
    """
    return max((ROUNDING_UNITS + terms) * 2.0**-53 * peak, (precision or 0.0) * max(peak, 1.0))


def t_quantile(outside: float, df: float) -> float:
    """The t > 0 with P(abs(T) > t) = `outside`."""
    return float(-scipy.special.stdtrit(df, outside / 2))


def t_outside(t: float, df: float) -> float:
    """P(abs(T) > abs(t)) for T with Student's t distribution, in (0, 1]."""
    return min(max(2 * float(scipy.special.stdtr(df, -abs(t))), math.ulp(0.0)), 1.0)


def clopper_pearson(successes: int, trials: int, level: float = 0.95) -> tuple[float, float]:
    """Clopper and Pearson's interval, which covers with at least the stated probability."""
    tail, failures = (1 - level) / 2, trials - successes
    low = scipy.special.betaincinv(successes, failures + 1, tail) if successes else 0.0
    high = scipy.special.betainccinv(successes + 1, failures, tail) if failures else 1.0
    return float(low), float(high)
