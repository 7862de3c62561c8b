"""Compiled inversion of many rows. Import only where it is needed.

One row is one tail by the trapezoid rule of `eatlas.stats.permutation.inversion`, with two
differences. The part of size n of the characteristic function is found exactly, as the coefficient
of z**n of

    prod_j (1 - pi_j + pi_j exp(i theta x_j) z),

so there is no second variable; and only the first lobe and what follows it are evaluated. What is
left out is judged as there: random phases of the size that theory and the last nodes show, and
revivals at the places where the bound of `guard` is highest.
"""

from __future__ import annotations

import math

import numba as nb
import numpy as np
from numpy.typing import NDArray

from eatlas.stats.permutation.inversion import MARGIN, OCTAVES, PERSISTENT, SAFETY

Array = NDArray[np.float64]

LANES = 16
"""Nodes evaluated together, side by side in the processor's registers."""
GOAL = 1e-5
"""Stated error at which no further node is evaluated."""
LOBE = 20.0
"""Nodes of a revival."""
PAD = 4
"""Samples of the bound within 2 pi / range."""
FINEST = 256
"""The bound is looked at where lattices of up to so many steps over the range revive."""
STRATA = 8
"""Parts of that band, of growing size; g is evaluated where the bound of each is highest."""


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def _coefficients(
    chance: Array, n: int, turn_re: Array, turn_im: Array, re: Array, im: Array
) -> None:
    """Row n of `re` + i `im` becomes g at LANES nodes, whose turns exp(i theta x_j) are given."""
    size = chance.size
    re[:] = 0.0
    im[:] = 0.0
    re[0] = 1.0
    for j in range(size):
        p, q = chance[j], 1.0 - chance[j]
        least = max(0, n - (size - 1 - j))
        for k in range(min(j + 1, n), max(least, 1) - 1, -1):
            for i in range(LANES):
                a, b = p * turn_re[j, i], p * turn_im[j, i]
                c, d = re[k - 1, i], im[k - 1, i]
                re[k, i] = q * re[k, i] + a * c - b * d
                im[k, i] = q * im[k, i] + a * d + b * c
        if least == 0:
            for i in range(LANES):
                re[0, i] *= q
                im[0, i] *= q


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def _fan(x: Array, step: float, re: Array, im: Array) -> None:
    """exp(i l step x_j) for l below LANES."""
    for j in range(x.size):
        a, b = math.cos(step * x[j]), math.sin(step * x[j])
        c, d = 1.0, 0.0
        for i in range(LANES):
            re[j, i], im[j, i] = c, d
            c, d = c * a - d * b, c * b + d * a


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def _phases(x: Array, start: float, fan_re: Array, fan_im: Array, re: Array, im: Array) -> None:
    """exp(i (start + l step) x_j)."""
    for j in range(x.size):
        a, b = math.cos(start * x[j]), math.sin(start * x[j])
        for i in range(LANES):
            re[j, i] = a * fan_re[j, i] - b * fan_im[j, i]
            im[j, i] = a * fan_im[j, i] + b * fan_re[j, i]


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def _highest(x: Array, v: Array, first: float, last: float, work: Array, peaks: Array) -> None:
    """Where abs(sum v exp(i theta x)) is highest in each of STRATA parts of [first, last]."""
    step = 2 * math.pi / (PAD * (x[-1] - x[0]))
    _fan(x, step, work[0], work[1])
    ratio = (last / first) ** (1.0 / STRATA)
    sum_re, sum_im = np.empty(LANES), np.empty(LANES)
    now, turn = work[2], work[3]
    for j in range(x.size):
        now[j, 0], now[j, 1] = v[j] * math.cos(first * x[j]), v[j] * math.sin(first * x[j])
        turn[j, 0], turn[j, 1] = math.cos(LANES * step * x[j]), math.sin(LANES * step * x[j])
    start, stratum, best, end = first, 0, -1.0, first * ratio
    while stratum < STRATA:
        sum_re[:] = 0.0
        sum_im[:] = 0.0
        for j in range(x.size):
            a, b = now[j, 0], now[j, 1]
            for i in range(LANES):
                sum_re[i] += a * work[0, j, i] - b * work[1, j, i]
                sum_im[i] += a * work[1, j, i] + b * work[0, j, i]
            c, d = turn[j, 0], turn[j, 1]
            now[j, 0], now[j, 1] = a * c - b * d, a * d + b * c
        for i in range(LANES):
            height = sum_re[i] ** 2 + sum_im[i] ** 2
            if height > best:
                best, peaks[stratum] = height, start + i * step
        start += LANES * step
        if start >= end:
            stratum, best, end = stratum + 1, -1.0, end * ratio


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def _integrate(  # noqa: PLR0913, PLR0917  (compiled code passes arrays, not objects)
    x: Array,
    chance: Array,
    n: int,
    targets: Array,
    lam: float,
    step: float,
    theory: float,
    most: int,
    work: Array,
    sums: Array,
    value: Array,
    sizes: Array,
) -> tuple[float, float]:
    """Add the nodes to `value`, their magnitudes to `sizes`; until the rest is small enough.

    Returns where the nodes end, and the standard deviation of what is left out.
    """
    _fan(x, step, work[0], work[1])
    last, end, rough = 0.0, 0.0, math.inf
    for block in range((most + LANES - 1) // LANES):
        start = block * LANES * step
        _phases(x, start, work[0], work[1], work[2], work[3])
        _coefficients(chance, n, work[2], work[3], sums[0], sums[1])
        before, last = last, 0.0
        for i in range(LANES):
            theta = start + i * step
            a, b = sums[0, n, i], sums[1, n, i]
            last += (a * a + b * b) / LANES
            weight = (1.0 if theta == 0 else 2.0) * step / (2 * math.pi)
            weight /= lam * lam + theta * theta
            # g / (lam + i theta)
            c, d = (a * lam + b * theta) * weight, (b * lam - a * theta) * weight
            for k in range(targets.size):
                turn = theta * targets[k]
                value[k] += c * math.cos(turn) + d * math.sin(turn)
                sizes[k] += math.hypot(c, d)
        end = start + LANES * step
        seen = max(theory, last, min(before, 16 * last))
        rough = step / math.pi * math.sqrt(seen / (step * end) / 2)
        if SAFETY * rough < GOAL * min(value):
            break
    return end, rough


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def _bound_revivals(
    x: Array,
    chance: Array,
    n: int,
    end: float,
    step: float,
    theory: float,
    work: Array,
    sums: Array,
) -> float:
    """What revivals beyond `end` may add: g where the bound is highest, and far out."""
    limit = 2 * math.pi * FINEST / (x[-1] - x[0])
    if limit <= end:
        return 0.0
    where = np.empty(LANES)
    _highest(x, chance * (1 - chance), end, limit, work, where)
    for i in range(LANES - STRATA):
        where[STRATA + i] = limit * (1 - 0.5 * (i + 0.5) / (LANES - STRATA))
    for j in range(x.size):
        for i in range(LANES):
            work[2, j, i] = math.cos(where[i] * x[j])
            work[3, j, i] = math.sin(where[i] * x[j])
    _coefficients(chance, n, work[2], work[3], sums[0], sums[1])
    in_phase, far = 0.0, 0.0
    for i in range(LANES):
        height = sums[0, n, i] ** 2 + sums[1, n, i] ** 2
        if i >= STRATA:
            far += height / (LANES - STRATA)
        elif height > PERSISTENT * theory:
            in_phase += LOBE * step / math.pi * math.sqrt(height) / where[i]
    if far > PERSISTENT * theory:
        in_phase += OCTAVES * math.sqrt(far) / math.pi
    return in_phase


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def integrate_rows(  # noqa: PLR0913, PLR0917
    rows: Array,
    chances: Array,
    n: int,
    targets: Array,
    lam: Array,
    steps: Array,
    theory: Array,
    most: int,
    values: Array,
    sizes: Array,
    lost: Array,
) -> None:
    """Integrals along the contour of each row, magnitudes of their terms, and what is left out.

    At most `most` nodes are evaluated for each row; the arguments are those of a `Contour`.
    """
    size = rows.shape[1]
    work, sums = np.empty((4, size, LANES)), np.empty((2, n + 1, LANES))
    for r in range(rows.shape[0]):
        x, chance, step = rows[r], chances[r], steps[r]
        end, rough = _integrate(
            x, chance, n, targets[r], lam[r], step, theory[r], most, work, sums, values[r], sizes[r]
        )
        lost[r] = SAFETY * rough
        if min(values[r]) > 0:
            lost[r] += MARGIN * _bound_revivals(x, chance, n, end, step, theory[r], work, sums)
