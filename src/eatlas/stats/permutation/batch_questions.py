"""The integer questions of many rows at once; row for row those of `question`.

Fixed point, tie tolerance and orientation in array operations that give the same integers. Where
floating point could decide otherwise than `math.fsum` does, the row is asked by itself.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eatlas.stats.permutation.question import SUM_BITS, tie_tolerance
from eatlas.stats.precision import DOUBLE, relative_tolerance

Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Questions:
    """Which subset sums count as extreme in each of R rows; see `Question`."""

    values: Integers
    """Ascending, shape (R, N)."""
    at_least: Integers
    """The upper tail is T >= this."""
    below: Integers
    """The lower tail is T < this."""
    mirror: Integers
    """The far side is T < this."""
    balanced: bool
    central: Flags
    mirrored: Flags
    degenerate: Flags


def ask_rows(
    scores: NDArray[np.float64], n: int, scale: float | None, precision: float | None = None
) -> Questions:
    """State the question of each row for its first `n` scores; at most 64 scores in a row."""
    w, q, peak = _to_fixed(scores)
    scales = peak if scale is None else np.full_like(peak, scale)
    relative = relative_tolerance(precision)
    if relative == DOUBLE:
        return _orient(w, n, _tolerances(scores.shape[1], scales, q))
    tolerances = [
        min(tie_tolerance(scores.shape[1], one, lattice, relative), 1 << SUM_BITS + 1)
        for one, lattice in zip(scales.tolist(), q.tolist(), strict=True)
    ]
    return _orient(w, n, np.array(tolerances, np.int64))


def _to_fixed(
    scores: NDArray[np.float64],
) -> tuple[Integers, Integers, NDArray[np.float64]]:
    """`to_fixed` of each row, and the greatest magnitudes."""
    peak = np.abs(scores).max(axis=1)
    shift = np.frexp(peak)[1].astype(np.int64)
    unit = np.ldexp(scores, -shift[:, None])
    magnitudes = np.abs(unit)
    total, size = magnitudes.sum(axis=1), scores.shape[1]
    slack = size * 2.0**-52
    exponent = np.frexp(total * (1 - slack))[1].astype(np.int64)
    # a sum this near a power of two may have been rounded across it
    near = np.flatnonzero(exponent != np.frexp(total * (1 + slack))[1])
    for row in near.tolist():
        exponent[row] = math.frexp(math.fsum(magnitudes[row]))[1]
    bits = SUM_BITS - exponent
    w = np.rint(np.ldexp(unit, bits[:, None])).astype(np.int64)
    return w, np.where(peak > 0, bits - shift, 0), peak


def _tolerances(size: int, scales: NDArray[np.float64], q: Integers) -> Integers:
    """`tie_tolerance` of each row, cut off where it exceeds every sum.

    16 N 2^-53 scale 2^q with scale = m 2^(e - 53), m a whole number: m N shifted to the right.
    """
    fraction, e = np.frexp(scales)
    m = np.ldexp(fraction, 53).astype(np.int64)
    right = 102 - e - q
    tolerance: Integers = ((m * size) >> np.clip(right, 0, 63)) + 1
    for row in np.flatnonzero(right < 0).tolist():
        exact = tie_tolerance(size, float(scales[row]), int(q[row]))
        tolerance[row] = min(exact, 1 << SUM_BITS + 1)
    return tolerance


def _orient(w: Integers, n: int, tolerance: Integers) -> Questions:
    """Turn each question to the smaller group and to the upper tail."""
    size, whole = w.shape[1], w.sum(axis=1)
    observed = w[:, :n].sum(axis=1)
    other = 2 * n > size
    if other:
        n, observed = size - n, whole - observed
    turned = observed < -_floor_share(-whole, n, size)
    sign = np.where(turned, -1, 1)
    w, observed, whole = w * sign[:, None], observed * sign, whole * sign
    ordered = np.sort(w, axis=1)
    spread = ordered[:, size - n :].sum(axis=1) - ordered[:, :n].sum(axis=1)
    return Questions(
        values=ordered,
        at_least=observed - tolerance,
        below=observed + tolerance + 1,
        mirror=_floor_share(whole, 2 * n, size) - observed + tolerance + 1,
        balanced=2 * n == size,
        central=observed - tolerance <= _floor_share(whole, n, size),
        mirrored=turned ^ other,
        degenerate=spread <= tolerance,
    )


def _floor_share(whole: Integers, n: int, size: int) -> Integers:
    """floor(n whole / size) without overflow, for n up to `size`."""
    quotient, rest = np.divmod(whole, size)
    share: Integers = n * quotient + n * rest // size
    return share
