"""How near two numbers are that differ by rounding alone.

Vectors that were looked up are what they are: only the sums made of them are rounded, in double
precision. Vectors that a model computed carry the rounding of its arithmetic as well, and that is
larger by many orders of magnitude.
"""

from __future__ import annotations

import math

from eatlas.errors import EatlasError

ROUNDING_UNITS = 16
"""A cosine of unit rows carries a rounding error of a few 2^-53; scores that differ by no more than
so many units of it are the same score (largest spread seen for equal rows: 4 units)."""
DOUBLE = ROUNDING_UNITS * 2.0**-53
"""Relative rounding error of one score of exact vectors."""
SINGLE = 2.0**-24
"""Unit roundoff of single precision."""
SPREAD_UNITS = 2
"""Scores of computed vectors without spread differ by at most so many units. Both groups' sums then
differ by no more than the tie tolerance, so that all p-values are 1 as well."""


def relative_tolerance(precision: float | None) -> float:
    """Tolerance for ties of sums, for each score in the design and each unit of its scale.

    Examples
    --------
    >>> relative_tolerance(None) == 16 * 2.0**-53, relative_tolerance(2.0**-24) == 2.0**-24
    (True, True)
    """
    return DOUBLE if precision is None else max(DOUBLE, precision)


def least_spread(scale: float, precision: float | None) -> float:
    """The greatest difference of two scores that is rounding and no spread.

    Examples
    --------
    >>> least_spread(1.0, None) == 16 * 2.0**-53, least_spread(1.0, 2.0**-24) == 2.0**-23
    (True, True)
    """
    if precision is None:
        return DOUBLE * scale
    return max(DOUBLE, SPREAD_UNITS * precision) * scale


def rounding_noise(terms: int, peak: float, precision: float | None) -> float:
    """Rounding error of a mean over so many cosines, or other numbers, of up to some size.

    That of computed vectors does not shrink with the cosines: it is relative to the vectors.

    Examples
    --------
    >>> rounding_noise(48, 1.0, None) == 2.0**-47, rounding_noise(48, 1.0, 2.0**-24) == 2.0**-24
    (True, True)
    """
    return max((ROUNDING_UNITS + terms) * 2.0**-53 * peak, (precision or 0.0) * max(peak, 1.0))


def checked_precision(precision: float | None) -> float | None:
    """The unit roundoff of vectors, from 0 to below 1; None stays None.

    Examples
    --------
    >>> checked_precision(2.0**-24) == SINGLE
    True
    """
    if precision is None or (math.isfinite(precision) and 0 <= precision < 1):
        return precision
    raise EatlasError(
        "precision must be the unit roundoff of the vectors",
        got=repr(precision),
        allowed="from 0 to below 1, such as 2**-24 for single precision; None for exact vectors",
    )
