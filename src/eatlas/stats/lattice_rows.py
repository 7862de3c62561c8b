"""Rows of scores as deviations on a lattice, whose sums are exact in any order."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eatlas.stats.precision import ROUNDING_UNITS

Array = NDArray[np.float64]

SUM_BITS = 52
"""Sums of abs(deviations) stay below 2**53 units: doubles add them without rounding, in any
order, also in a matrix product."""


def lattice_deviations(
    rows: Array, scale: float | None, *, studentised: bool
) -> tuple[Array, Array]:
    """Each row less its mean, in standard deviations if wanted, and the tie tolerance of sums.

    All figures of a row come from its sorted scores, so that the order of terms changes nothing.
    A row without spread has deviations and tolerance 0.

    Parameters
    ----------
    rows : array, shape (k, N)
        Finite scores.
    scale : float or None
        Magnitude of what was added up to make a score; None takes each row's greatest magnitude.
    studentised : bool
        Divide by the row's standard deviation.

    Returns
    -------
    deviations : array, shape (k, N)
        Multiples of a power of two, another one for each row; unless studentised, all divided by
        one power of two.
    tolerance : array, shape (k,)
        Two sums of a row's deviations tie when they differ by no more.

    Examples
    --------
    >>> lattice_deviations(np.array([[1.0, 2.0, 3.0]]), None, studentised=True)[0]
    array([[-1.,  0.,  1.]])
    """
    size = rows.shape[1]
    peak = np.abs(rows).max(axis=1)
    # powers of two bring any finite row into range and change no digit
    shift = np.frexp(peak if studentised else np.full_like(peak, peak.max()))[1]
    # numpy adds up in the order of the memory, which shall not matter
    rows = np.ldexp(np.ascontiguousarray(rows), -shift[:, None])
    with np.errstate(over="ignore"):  # scores far below their rounding error: infinitely many ties
        scales = np.ldexp(peak if scale is None else np.full_like(peak, scale), -shift)
    tolerance = ROUNDING_UNITS * size * 2.0**-53 * scales
    ordered = np.sort(rows, axis=1)
    mean = np.add.reduce(ordered, axis=1) / size
    deviations, ordered = rows - mean[:, None], ordered - mean[:, None]
    flat = np.add.reduce(ordered[:, size // 2 :], axis=1) * 2 <= tolerance
    deviations[flat] = ordered[flat] = tolerance[flat] = 0.0
    if studentised:
        sd = np.sqrt(np.add.reduce(ordered**2, axis=1) / (size - 1))
        sd[flat] = 1.0
        deviations, ordered = deviations / sd[:, None], ordered / sd[:, None]
        tolerance = tolerance / sd
    unit = np.frexp(np.add.reduce(np.abs(ordered), axis=1))[1] - SUM_BITS
    lattice = np.ldexp(np.rint(np.ldexp(deviations, -unit[:, None])), unit[:, None])
    return lattice, np.where(flat, 0.0, tolerance + np.ldexp(float(size), unit))
