"""Compiled loops of batches: counts, inversions, maxima. Import only where a batch is large.

In the inversion one row is one tail by the trapezoid rule of `inversion`, with two differences.
The part of size n of the characteristic function is found exactly, as the coefficient of z**n of

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

Array = NDArray[np.float64]
Integers = NDArray[np.int64]


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def merge(x: Integers, i: int, i_end: int, j: int, j_end: int, item: int, out: Integers) -> None:
    """Merge ascending x[i:i_end] and x[j:j_end] + item into `out`; no branch on the data."""
    o = 0
    while i < i_end and j < j_end:
        a = x[i]
        b = x[j] + item
        left = a <= b
        out[o] = min(a, b)
        i += left
        j += not left
        o += 1
    while i < i_end:
        out[o] = x[i]
        i += 1
        o += 1
    while j < j_end:
        out[o] = x[j] + item
        j += 1
        o += 1


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def _sums(items: Integers, limits: Integers, source: Integers, target: Integers) -> Integers:
    """Ascending sums of k of the items in [limits[j, k]:limits[j, k + 1]], with j all items.

    The two buffers take turns, one item at a time; returns the one written last.
    """
    source[0] = 0
    for j in range(1, items.size + 1):
        item = items[j - 1]
        target[0] = 0
        for k in range(1, j):
            merge(
                source,
                limits[j - 1, k],
                limits[j - 1, k + 1],
                limits[j - 1, k - 1],
                limits[j - 1, k],
                item,
                target[limits[j, k] : limits[j, k + 1]],
            )
        target[limits[j, j]] = source[limits[j - 1, j - 1]] + item
        source, target = target, source
    return source


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def _pairs(a: Integers, b: Integers, first: int, second: int) -> tuple[int, int]:
    """The number of pairs with a[i] + b[j] >= first, and >= second; both ascending.

    The thresholds mostly differ by the tie tolerance: side by side, the second loop takes the
    turns of the first and is foreseen by the processor.
    """
    first_count, second_count = 0, 0
    i, j = b.size, b.size
    for x in a:
        while i > 0 and b[i - 1] >= first - x:
            i -= 1
        while j > 0 and b[j - 1] >= second - x:
            j -= 1
        first_count += b.size - i
        second_count += b.size - j
    return first_count, second_count


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def count_rows(
    rows: Integers, n: int, thresholds: Integers, limits: Integers, counts: Integers
) -> None:
    """counts[r, i] = #{n-subsets of rows[r] with sum >= thresholds[r, i]}.

    `limits` has the first place of the sums of k of j items in [j, k]. Thresholds come in pairs.
    """
    size = rows.shape[1]
    low = size // 2
    high = size - low
    buffers = np.empty((4, 1 << high), np.int64)
    for r in range(rows.shape[0]):
        a = _sums(rows[r, :low], limits, buffers[0], buffers[1])
        b = _sums(rows[r, low:], limits, buffers[2], buffers[3])
        for k in range(max(0, n - high), min(low, n) + 1):
            mine = a[limits[low, k] : limits[low, k + 1]]
            other = b[limits[high, n - k] : limits[high, n - k + 1]]
            for i in range(0, thresholds.shape[1], 2):
                first, second = _pairs(mine, other, thresholds[r, i], thresholds[r, i + 1])
                counts[r, i] += first
                counts[r, i + 1] += second


LANES = 16
"""Nodes evaluated together, side by side in the processor's registers."""
LEAST_Z = 2.0
"""The contour is tilted to at least this many standard deviations, away from the pole at 0."""
ALIAS = 1e-10
"""Relative error left to aliasing."""
STEPS = 100
"""Newton steps at most; ten suffice except at the edge of the support."""
GOAL = 1e-5
"""Stated error at which no further node is evaluated."""
SAFETY, MARGIN, PERSISTENT, LOBE, OCTAVES = 4.0, 4.0, 10.0, 20.0, 20.0
"""As in `inversion`: standard deviations of the random-phase remainder; factor of revivals; excess
over theory that is no accident; nodes of a revival; octaves beyond the band."""
PAD = 4
"""Samples of the bound within 2 pi / range."""
FINEST = 256
"""The bound is looked at where lattices of up to so many steps over the range revive."""
STRATA = 8
"""Parts of that band, of growing size; g is evaluated where the bound of each is highest."""
EPS = 2.0**-52


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def _softplus(z: float) -> float:
    return max(z, 0.0) + math.log1p(math.exp(-abs(z)))


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def _dual(x: Array, n: int, t: float, mu: float, lam: float) -> float:
    total = -mu * n - lam * t
    for one in x:
        total += _softplus(mu + lam * one)
    return total


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def _tilt(x: Array, n: int, t: float) -> tuple[bool, float, float]:
    """Whether n scores with sum t can be expected, and (mu, lam): `saddlepoint.solve`."""
    mu, lam = math.log(n / (x.size - n)), 0.0
    value = _dual(x, n, t, mu, lam)
    for _ in range(STEPS):
        a, b, s0, s1, s2 = -float(n), -t, 0.0, 0.0, 0.0
        for one in x:
            p = 1.0 / (1.0 + math.exp(-(mu + lam * one)))
            v = p * (1 - p)
            a += p
            b += p * one
            s0 += v
            s1 += v * one
            s2 += v * one * one
        det = s0 * s2 - s1 * s1
        if not det > 1e-30:
            return False, mu, lam
        if abs(a) < 1e-10 * x.size and abs(b) < 1e-10 * x.size:
            return True, mu, lam
        step_mu, step_lam = (s2 * a - s1 * b) / det, (s0 * b - s1 * a) / det
        for _ in range(40):
            risen = _dual(x, n, t, mu - step_mu, lam - step_lam)
            if risen <= value + 1e-12 * abs(value):
                break
            step_mu /= 2
            step_lam /= 2
        mu, lam, value = mu - step_mu, lam - step_lam, risen
    return False, mu, lam


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def _period(x: Array, logit: Array, targets: Array, lam: float, sd: float, needed: float) -> float:
    """The least period in T that keeps every alias of the tail negligible; see `contour.period`."""
    base = 0.0
    for one in logit:
        base += _softplus(one)
    low, high = min(targets), max(targets)
    up, down = math.inf, math.inf
    for i in range(12):
        s = 0.5 * 60.0 ** (i / 11) / sd
        total = needed - base - s * low
        for j in range(x.size):
            total += _softplus(logit[j] + s * x[j])
        up = min(up, total / s)
        s = lam * (i + 1) / 12
        total = needed - base + s * high
        for j in range(x.size):
            total += _softplus(logit[j] - s * x[j])
        down = min(down, total / s)
    return max(up, down)


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
def _turned(x: Array, start: float, fan_re: Array, fan_im: Array, re: Array, im: Array) -> None:
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
def _integrated(  # noqa: PLR0913, PLR0917  (compiled code passes arrays, not objects)
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
        _turned(x, start, work[0], work[1], work[2], work[3])
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
def _revived(
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
def invert_rows(rows: Array, n: int, thresholds: Array, most: int, out: Array) -> None:
    """out[r, i] = log #{T >= thresholds[r, i]} and its stated relative error, infinite without one.

    Rows (R, N) are ascending with mean 0 and standard deviation 1; thresholds (R, m) are sums of n
    of them. At most `most` nodes are evaluated for each row.
    """
    size = rows.shape[1]
    work, sums = np.empty((4, size, LANES)), np.empty((2, n + 1, LANES))
    for r in range(rows.shape[0]):
        x, targets = rows[r], thresholds[r]
        out[r, :, 0] = 0.0
        out[r, :, 1] = math.inf
        sigma = math.sqrt(n * (size - n) / (size - 1.0))
        centre, top = min(targets), x[size - n :].sum()
        found, mu, lam = _tilt(x, n, max(centre, min(LEAST_Z * sigma, (centre + top) / 2)))
        if not found or lam <= 0:
            continue
        chance = 1.0 / (1.0 + np.exp(-(mu + lam * x)))
        v = chance * (1 - chance)
        spread = v.sum()
        middle = (v * x).sum() / spread
        # sum and size uncorrelated
        x, targets, mu = x - middle, targets - n * middle, mu + lam * middle
        logit = mu + lam * x
        sd = math.sqrt((v * x * x).sum())
        log_weight, log_theory = -mu * n, -0.5 * math.log(max(1.0, spread))
        for j in range(size):
            log_weight += _softplus(logit[j])
            log_theory += math.log1p(-2 * v[j])
            if j and x[j] == x[j - 1]:  # two scores that make one atom
                log_theory += math.log(1.5)
        theory = math.exp(min(0.0, log_theory))
        needed = 3.0 - math.log(ALIAS) + math.log(2 * math.pi * math.sqrt(spread) * sd * lam)
        step = 2 * math.pi / _period(x, logit, targets, lam, sd, needed)
        value, sizes = np.zeros(targets.size), np.zeros(targets.size)
        end, rough = _integrated(
            x, chance, n, targets, lam, step, theory, most, work, sums, value, sizes
        )
        if not min(value) > 0:
            continue
        in_phase = _revived(x, chance, n, end, step, theory, work, sums)
        for k in range(targets.size):
            log_count = log_weight - lam * targets[k] + math.log(value[k])
            lost = SAFETY * rough + MARGIN * in_phase + EPS * size * sizes[k]
            logs = 4 * EPS * (abs(log_weight) + abs(lam * targets[k]))
            out[r, k, 0] = log_count
            out[r, k, 1] = lost / value[k] + logs + 4 * ALIAS + math.exp(min(0.0, -log_count))


# scores are finite, so the greatest of several may be found in any order: four at a time
@nb.njit(cache=True, nogil=True, fastmath={"nnan", "nsz"})  # type: ignore[misc, unused-ignore]
def fold(low: Array, high: Array, spans: Integers, best: Array) -> None:
    """best[i] = max(best[i], abs(sum)) over all columns; pairs in the order of `spans`."""
    for s in range(spans.shape[0]):
        place = spans[s, 4]
        for a in range(spans[s, 0], spans[s, 1]):
            mine = low[a]
            for b in range(spans[s, 2], spans[s, 3]):
                other = high[b]
                top = best[place]
                for row in range(low.shape[1]):
                    top = max(top, abs(mine[row] + other[row]))
                best[place] = top
                place += 1
