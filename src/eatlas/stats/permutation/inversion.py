"""Subset-sum tails by Fourier inversion on the saddlepoint contour, with a stated error.

Under the saddlepoint tilt, with the sum T decorrelated from the size K,

    #{T >= t} = exp(log Z - mu n - lam t) / (2 pi)^2
                * integral phi(psi, theta) exp(-i (psi n + theta t)) / (lam + i theta),
    phi(psi, theta) = prod_j (1 - pi_j + pi_j exp(i (psi + theta x_j)))

(Pagano and Tritchler 1983, tilted). The trapezoid rule converges geometrically; its aliases and
what lies beyond the sampled nodes are bounded.

The saddlepoint contour makes the integral least oscillating, not the error least: what is left out
counts relative to the integral, and the flatter the tilt, the less |phi| is far out. One row is
therefore integrated along a flatter contour where that is needed.

The contour of many rows is found at once, and that of one as the first of such rows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas.stats.permutation.problem import Numbers

Array = NDArray[np.float64]
Integers = NDArray[np.int64]
Complex = NDArray[np.complex128]
Flags = NDArray[np.bool_]

BLOCK = 1 << 12
"""Grid cells handled at once: few enough complex numbers to stay in the first caches."""
LEAST_ROWS = 16
"""Nodes handled at once at least."""
FACTORS = 4
"""So many factors of phi are multiplied as polynomials in exp(i psi), which are then evaluated."""
LEAST_NODES = 64
"""Nodes to evaluate even beyond the effort: thousands of scores need some 30."""
SAFETY = 6.0
"""Standard deviations of what is left out in the stated error: of 970 designs of 30 to 46 scores,
normal, skewed, heavy-tailed or uniform, the root mean square of the error was 1.0 of them, and the
greatest 4.4, but for two with a revival just beyond the band: 6.0 and 6.5."""
PERSISTENT = 10.0
"""A mean of |g|**2 so many times that of theory is no accident."""
OCTAVES = 20.0
"""Octaves beyond the band in which revivals may still add up, times log 2."""
MARGIN = 4.0
"""Revivals are seen in a sample only. On 120 clustered and near-lattice designs of 34 to 40 scores,
of which 63 were refused, the error exceeded the estimate in 21 of 171 tails, 2.6 times at most,
and never exceeded 1e-7 where the estimate was at most 1e-7."""
EPS = 2.0**-52
STEPS = 200
"""Newton steps at most; ten suffice except at the edge of the support."""
LEAST_Z = 2.0
"""The contour is tilted to at least this many standard deviations, away from the pole at 0."""
BELOW = 3.0
"""By how much a scale is below what is expected of the log of an integral."""
FLATTER = (0.96, 0.92, 0.86, 0.8, 0.73, 0.66, 0.57, 0.47)
"""Means of the sum under the contours that are tried for one row, as proportions of the mean under
the steepest. Of 32 v 32 at d = 1.2, .73 states a tenth of the steepest's error."""
ENOUGH = 1e-13
"""A mean square of |g| far out, relative to the integral's, for which nothing flatter is tried."""
ALIAS = 1e-11
"""Relative error left to aliasing in each variable."""
AT_THE_MEAN = 1e-2
"""Standard deviations from the mean within which the saddlepoint approximation is the normal one,
as the difference of its other terms is lost in rounding."""
FREE = 1.0
"""Variance of the size under the tilt: of less, near the greatest sum, nearly all memberships are
settled, and the saddlepoint approximation does not hold."""
CHERNOFF = np.geomspace(0.5, 30.0, 12)
"""Exponents tried in the Chernoff bounds, in units of 1 / standard deviation."""
LATTICE = 1e-7
"""Distances are multiples of a common step when no more than this is left of the range."""
LATTICE_STEPS = 500_000
"""Lattices of up to so many steps over the range are found."""

Effort = tuple[int, int]
"""Factors of phi to evaluate, about 5 ns each; and up to how many steps over the range of the
scores lattices revive inside the scanned band."""
Inverted = tuple[float, float]
"""Natural logarithm of the number of subsets, and the stated relative error of that number."""


@dataclass(frozen=True)
class Contour:
    """Tilted problems of rows, or of one, with the sum decorrelated from the size."""

    x: Array
    """Scores less a constant that makes sum and size uncorrelated, shape (R, N)."""
    chance: Array
    """pi_j, shape (R, N)."""
    logit: Array
    """log(pi_j / (1 - pi_j)), which stays finite where pi_j rounds to 0 or 1; shape (R, N)."""
    n: int
    """Size of the subsets."""
    targets: Array
    """Thresholds in the coordinates of x, shape (R, m)."""
    lam: Any
    """Tilt along the scores, shape (R,), or a number for one row, as all that follows; NaN or 0 at
    the edge of the support."""
    log_z: Any
    """Sum of log(1 + exp(logit))."""
    log_weight: Any
    """log Z - mu n; the count is exp(log_weight - lam t) times the integral."""
    sd_size: Any
    """Standard deviation of the size under the tilt."""
    sd_sum: Any
    """Standard deviation of the decorrelated sum under the tilt."""
    log_scale: Any
    """About the log of the integral / (2 pi)^2, never far above it."""
    hazard: Any
    """About the proportion of sums in the tail within a unit of its end: the steepest tilt."""

    def rows(self, which: Any) -> Contour:
        """Some of the rows, or one."""
        parts = {name: value[which] for name, value in vars(self).items() if name != "n"}
        return Contour(n=self.n, **parts)

    @property
    def v(self) -> Array:
        """Variance of the membership of each score under the tilt."""
        return self.chance * (1 - self.chance)


def contours(values: Integers, n: int, thresholds: Sequence[Numbers]) -> Contour:
    """The contours of ascending rows for sums at or above the thresholds, each one for each row."""
    x, targets = standardise_rows(values, n, thresholds)
    size = x.shape[1]
    sigma = math.sqrt(n * (size - n) / (size - 1.0))
    centre, top = targets.min(axis=1), x[:, size - n :].sum(axis=1)
    means = np.maximum(centre, np.minimum(LEAST_Z * sigma, (centre + top) / 2))
    return _tilt_to(x, n, targets, means)


def _tilt_to(x: Array, n: int, targets: Array, means: Array) -> Contour:
    """The contours under which sums have these means, one for each row."""
    mu, lam = _tilts(x, n, means)
    chance = _chances(mu[:, None] + lam[:, None] * x)
    v = chance * (1 - chance)
    spread = v.sum(axis=1)
    middle = (v * x).sum(axis=1) / spread
    x, mu = x - middle[:, None], mu + lam * middle
    logit = mu[:, None] + lam[:, None] * x
    log_z = _softplus(logit).sum(axis=1)
    sd_size, sd_sum = np.sqrt(spread), np.sqrt((v * x * x).sum(axis=1))
    return Contour(
        x=x,
        chance=chance,
        logit=logit,
        n=n,
        targets=targets - n * middle[:, None],
        lam=lam,
        log_z=log_z,
        log_weight=log_z - mu * n,
        sd_size=sd_size,
        sd_sum=sd_sum,
        log_scale=-np.log(2 * math.pi * sd_size * sd_sum * lam) - BELOW,
        hazard=lam,
    )


def flatten(c: Contour) -> Contour:
    """The steepest contour of a row along which what is left out is not more than it must be.

    Or that along which it is least.
    """
    must = math.log(float(c.hazard)) - log_count_along(c)
    far = _log_far_out(c, period(c))
    if far <= max(must, math.log(ENOUGH)):
        return c
    flat = c.n * float(c.x.mean())
    means = flat + np.array(FLATTER) * (float(c.chance @ c.x) - flat)
    x, targets = (np.repeat(of[None], means.size, axis=0) for of in (c.x, c.targets))
    with np.errstate(invalid="ignore", divide="ignore"):
        rows = _tilt_to(x, c.n, targets, means)
        # the count is the same along every contour
        scale = log_count_along(c) - BELOW - rows.log_weight + rows.lam * rows.targets.min(axis=1)
        rows = replace(rows, log_scale=scale, hazard=np.repeat(c.hazard, means.size))
        periods = period(rows)
    best = c
    for i in np.flatnonzero(rows.lam > 0).tolist():
        row = rows.rows(i)
        if (further := _log_far_out(row, periods[i])) < far:
            best, far = row, further
        if far <= must:
            break
    return best


def _log_far_out(c: Contour, period: float) -> float:
    """Log of the mean square of |g| far out, relative to the integral's, over a period."""
    return log_mean_square(c) - 2 * float(c.log_scale + BELOW) - math.log(period)


def log_count_along(c: Contour) -> float:
    """About log #{T >= t} of the least threshold of a row."""
    return float(c.log_weight - c.lam * c.targets.min() + c.log_scale + BELOW)


def standardise_rows(
    values: Integers, n: int, thresholds: Sequence[Numbers]
) -> tuple[Array, Array]:
    """Rows with mean 0 and standard deviation 1, and thresholds of sums of n in the same units.

    All is centred in integers first. Rows without spread are all 0.
    """
    size = values.shape[1]
    values = np.ascontiguousarray(values)  # the order of sums is that of memory
    middle, rest = np.divmod(values.sum(axis=1), size)
    unit = np.std((values - values[:, size // 2, None]).astype(np.float64), axis=1)
    unit = np.where(unit > 0, unit, 1.0)[:, None]
    x = ((values - middle[:, None]).astype(np.float64) - (rest / size)[:, None]) / unit
    whole, part = np.divmod(n * rest, size)
    away = np.stack([t - n * middle - whole for t in thresholds], axis=1).astype(np.float64)
    return x, (away - (part / size)[:, None]) / unit


def saddlepoint(values: Integers, n: int, threshold: Numbers) -> Array:
    """About the proportion of subsets whose sum reaches the threshold, of each row.

    The saddlepoint approximation (Lugannani and Rice 1980) of the sum given the size of the subset
    (Robinson 1982, Saddlepoint approximations for permutation tests and confidence intervals,
    Journal of the Royal Statistical Society B 44; Skovgaard 1987). NaN near the greatest sum.
    """
    x, targets = standardise_rows(values, n, [threshold])
    size, t = x.shape[1], targets[:, 0]
    mu, lam = _tilts(x, n, t)
    logit = mu[:, None] + lam[:, None] * x
    chance = _chances(logit)
    v = chance * (1 - chance)
    s0, s1, s2 = v.sum(axis=1), (v * x).sum(axis=1), (v * x * x).sum(axis=1)
    log_z = _softplus(logit).sum(axis=1) - mu * n - lam * t
    flat = size * math.log(size / (size - n)) - n * math.log(n / (size - n))
    with np.errstate(divide="ignore", invalid="ignore"):
        w = np.copysign(np.sqrt(2 * np.maximum(flat - log_z, 0.0)), lam)
        u = lam * np.sqrt((s0 * s2 - s1 * s1) * size / (n * (size - n)))
        more = np.exp(-w * w / 2) / math.sqrt(2 * math.pi) * (1 / u - 1 / w)
    more = np.where(np.abs(w) < AT_THE_MEAN, 0.0, more)
    beyond = np.array([math.erfc(z / math.sqrt(2)) / 2 for z in w.tolist()])
    return np.where(s0 < FREE, np.nan, np.clip(beyond + more, 0.0, 1.0))


def _softplus(z: Array) -> Array:
    """The logarithm of 1 + exp(z)."""
    small = np.abs(z)
    np.log1p(np.exp(np.negative(small, out=small), out=small), out=small)
    return np.add(small, np.maximum(z, 0.0), out=small)


def _chances(z: Array) -> Array:
    with np.errstate(over="ignore"):
        return np.asarray(1 / (1 + np.exp(-z)))


def _tilts(x: Array, n: int, t: Array) -> tuple[Array, Array]:
    """The tilt along the size and that along the scores, of each row.

    By damped Newton on the dual, log Z - mu n - lam t. NaN where t is too near the edge of the
    support.
    """

    def dual(state: Array, x: Array, t: Array) -> Array:
        z = state[0][:, None] + state[1][:, None] * x
        return np.asarray(_softplus(z).sum(axis=1) - state[0] * n - state[1] * t)

    size, rows = x.shape[1], np.arange(len(x))
    tilts, state = np.full((2, len(x)), np.nan), np.zeros((2, len(x)))
    state[0] = math.log(n / (size - n))
    value = dual(state, x, t)
    for _ in range(STEPS):
        own = x[rows]
        chance = _chances(state[0][:, None] + state[1][:, None] * own)
        v = chance * (1 - chance)
        a, b = chance.sum(axis=1) - n, (chance * own).sum(axis=1) - t
        s0, s1, s2 = v.sum(axis=1), (v * own).sum(axis=1), (v * own * own).sum(axis=1)
        det = s0 * s2 - s1 * s1
        inside, settled = det > 1e-200, np.maximum(np.abs(a), np.abs(b)) < 1e-11 * size
        tilts[:, rows[inside & settled]] = state[:, inside & settled]
        going = inside & ~settled
        if not going.any():
            break
        with np.errstate(divide="ignore", invalid="ignore"):
            step = np.stack([s2 * a - s1 * b, s0 * b - s1 * a]) / det
        rows, own, t, state, value, step = (
            rows[going], own[going], t[going], state[:, going], value[going], step[:, going],
        )  # fmt: skip
        for _ in range(40):  # halved until the dual does not rise
            risen = dual(state - step, own, t)
            worse = risen > value + 1e-12 * np.abs(value)
            if not worse.any():
                break
            step = np.where(worse, step / 2, step)
        state, value = state - step, risen
    return tilts[0], tilts[1]


def _log_mgf(c: Contour, direction: Any, s: Any) -> Any:
    """Log E exp(s * sum of `direction` over the subset), of each row."""
    return _softplus(c.logit + np.asarray(s)[..., None] * direction).sum(axis=-1) - c.log_z


def size_nodes(c: Contour) -> int:
    """Nodes in psi: P(K = n +- nodes) is negligible by Chernoff's bound; N + 1 is exact."""
    needed = -math.log(ALIAS) - c.log_scale
    reach = [
        min((needed + _log_mgf(c, sign, s) - sign * s * c.n) / s for s in CHERNOFF / c.sd_size)
        for sign in (1.0, -1.0)
    ]
    return int(min(c.x.size + 1, math.ceil(max(reach)) + 1))


def period(c: Contour) -> Any:
    """The least period in T that keeps every alias of the tail negligible, of each row.

    An alias from above weighs at most P(T >= t + period); one from below at most
    E exp(-s (T - t + period)) for any s in (0, lam], as exp(-lam u) <= exp(-s u) for u >= 0.
    """
    needed = -math.log(ALIAS) - c.log_scale
    low, high = c.targets.min(axis=-1), c.targets.max(axis=-1)
    up = down = np.full(np.shape(c.lam), np.inf)
    for exponent in CHERNOFF:
        s = exponent / c.sd_sum
        up = np.minimum(up, (needed + _log_mgf(c, c.x, s) - s * low) / s)
    for share in np.linspace(0.1, 1.0, 10):
        s = c.lam * share
        down = np.minimum(down, (needed + _log_mgf(c, c.x, -s) + s * high) / s)
    return np.maximum(up, down)


def log_counts_with_errors(
    c: Contour, value: Array, lost: Any, sizes: Array
) -> tuple[Array, Array]:
    """Log counts and their stated relative errors, from integrals, shape (..., m).

    `lost` is what may be left out of an integral, and `sizes` are sums of the magnitudes of its
    terms. A log count is -inf, and its error infinite, where an integral is not positive.
    """
    tilt, log_weight = np.asarray(c.lam)[..., None], np.asarray(c.log_weight)[..., None]
    noise = EPS * c.x.shape[-1] * sizes
    logs = 4 * EPS * (np.abs(log_weight) + np.abs(tilt * c.targets))
    with np.errstate(divide="ignore", invalid="ignore"):
        log_count = np.where(value > 0, log_weight - tilt * c.targets + np.log(value), -np.inf)
        error = (lost + noise) / value + logs + 4 * ALIAS + np.exp(np.minimum(0.0, -log_count))
    return log_count, np.where(value > 0, error, np.inf)


def on_lattice(x: Array) -> Flags:
    """Whether all distances of an ascending row are multiples of one step, by Euclid's algorithm.

    Sums of such rows tie by the million, and revive far beyond any band.
    """
    reach = x[:, -1] - x[:, 0]
    noise = LATTICE * reach
    step = reach.copy()
    for j in range(1, x.shape[1] - 1):
        if not (step * LATTICE_STEPS > reach).any():
            break
        whole = distance = x[:, j] - x[:, 0]
        while (going := distance > noise).any():
            left = np.where(going, np.mod(step, np.where(going, distance, 1.0)), step)
            # a remainder just below the divisor is none
            left = np.where(going & (distance - left < noise), 0.0, left)
            step, distance = np.where(going, distance, step), np.where(going, left, distance)
        # longer and longer distances fix the step more and more precisely
        step = np.where(whole > noise, whole / np.maximum(np.rint(whole / step), 1.0), step)
    return np.asarray(step * LATTICE_STEPS > reach)


def contour_of(values: Integers, n: int, thresholds: Sequence[int]) -> Contour | None:
    """The contour of one row; None at the edge of the support."""
    with np.errstate(invalid="ignore", divide="ignore"):
        contour = contours(values[None], n, thresholds).rows(0)
    return contour if contour.lam > 0 else None


def invert(steepest: Contour | None, effort: Effort) -> list[Inverted] | None:
    """Log #{T >= t} for each threshold t of a row, all from one contour; None on a lattice."""
    if steepest is None or on_lattice(steepest.x[None])[0]:
        return None
    c = flatten(steepest)
    cells, finest = effort
    psi = size_nodes(c)
    nodes = choose(c, max(LEAST_NODES, cells // (psi * c.x.size)), finest)
    theta = nodes.theta
    g = _transform(c, psi, nodes.taken, nodes.grid)
    weight = np.where(nodes.taken == 0, 1.0, 2.0) * nodes.grid.step / (2 * math.pi)
    integrand = weight * g / (c.lam + 1j * theta)
    terms = (integrand * np.exp(-1j * theta * c.targets[:, None])).real
    sampled = np.abs(_transform(c, psi, nodes.sampled, nodes.grid)) ** 2
    lost = SAFETY * _rough(c, nodes, np.abs(g) ** 2, sampled) + nodes.certain
    answers = log_counts_with_errors(c, terms.sum(axis=1), lost, np.abs(terms).sum(axis=1))
    return list(zip(*(part.tolist() for part in answers), strict=True))


def _rough(c: Contour, nodes: Nodes, seen: Array, sampled: Array) -> float:
    """What the nodes left out may add, in standard deviations if their phases are random.

    Random phases: step / pi * sqrt(sum |g|**2 / theta**2 / 2), with the sampled |g|**2 inside the
    band and the mean square of theory beyond. Where |g|**2 far exceeds theory the sums cluster
    and revivals add up in phase: their magnitudes count, and where the last octave of the band
    still shows them they go on beyond it.

    Infinite where the band ends before the first node: far outliers stretch the range so much
    that nothing is known about revivals.
    """
    if not nodes.end:
        return math.inf
    theory, last, in_phase = math.exp(log_mean_square(c)), nodes.last_square, 0.0
    if nodes.sampled.size:
        # over the last octave: evaluated nodes, and sampled ones for those that they stand for
        theta = nodes.grid.step * nodes.sampled
        old, new = nodes.theta >= nodes.end / 2, theta >= nodes.end / 2
        count = np.count_nonzero(old) + float(nodes.share[new].sum())
        last = float(seen[old].sum() + nodes.share[new] @ sampled[new]) / max(count, 1.0)
        total = np.bincount(nodes.stratum, nodes.share * sampled)
        revived = total > PERSISTENT * theory * np.bincount(nodes.stratum, nodes.share)
        sizes = nodes.share * np.sqrt(sampled) / theta
        in_phase = nodes.grid.step / math.pi * float(sizes[revived[nodes.stratum]].sum())
    beyond = max(theory, last) / (nodes.grid.step * nodes.end)
    # sums nearer to t than the band resolves err as Poisson's would, along every contour
    must = math.log(float(c.hazard)) - log_count_along(c)
    crowded = math.exp(max(0.0, must - _log_far_out(c, 2 * math.pi / nodes.grid.step)))
    square = crowded * (float(nodes.weight @ sampled) + beyond) / 2
    rough = nodes.grid.step / math.pi * math.sqrt(square)
    if last > PERSISTENT * theory:
        in_phase += OCTAVES * math.sqrt(last) / math.pi
    return rough + MARGIN * in_phase


@dataclass(frozen=True)
class Grid:
    """exp(i theta x) of all scores x at multiples of a step."""

    x: Array
    step: float
    tables: tuple[Complex, Complex] | None
    """At every so many steps, as there are fine ones, and at 0, 1, ... steps; shape (N, rows) and
    (N, columns). None where they would be large."""

    @classmethod
    def of(cls, x: Array, step: float, count: int) -> Grid:
        """Table the first `count` multiples."""
        large = x.size * math.isqrt(count) > CELLS
        return cls(x, step, None if large else _tables(x, step, count))

    def turns(self, places: Integers) -> Complex:
        """At some multiples, shape (N, places)."""
        if self.tables is None:
            return np.asarray(np.exp(1j * self.step * self.x[:, None] * places))
        coarse, fine = self.tables
        row, column = np.divmod(places, fine.shape[1])
        return np.asarray(coarse[:, row] * fine[:, column])


def _tables(x: Array, step: float, count: int) -> tuple[Complex, Complex]:
    """Two tables whose products are exp(i theta x) at the first `count` multiples of a step."""
    columns = math.isqrt(count) + 1
    fine, coarse = np.arange(columns), columns * np.arange(-(-count // columns))
    first, second = (np.exp(1j * step * x[:, None] * part) for part in (coarse, fine))
    return first, second


def waves(x: Array, weights: Array, step: float, count: int) -> Array:
    """|sum over the scores of weights exp(i theta x)| at the first multiples of a step.

    Of each row of weights, shape (rows, count).
    """
    sums: Any = 0.0
    scores = max(1, CELLS // (math.isqrt(count) + 1))
    for start in range(0, x.size, scores):
        part = slice(start, start + scores)
        coarse, fine = _tables(x[part], step, count)
        sums = sums + np.stack([(coarse * w[part, None]).T @ fine for w in weights])
    return np.asarray(np.abs(sums.reshape(len(weights), -1)[:, :count]), np.float64)


def _transform(c: Contour, psi_nodes: int, places: Integers, grid: Grid) -> Complex:
    """g(theta): phi averaged over psi against exp(-i psi n), the part of size n."""
    psi = 2 * math.pi / psi_nodes * (np.arange(psi_nodes) - psi_nodes // 2)
    turns = np.exp(1j * psi * np.arange(FACTORS + 1)[:, None])
    back = np.exp(-1j * psi * c.n) / psi_nodes
    rows = max(LEAST_ROWS, BLOCK // psi_nodes)
    out = np.empty(places.size, np.complex128)
    for start in range(0, places.size, rows):
        part = places[start : start + rows]
        # coefficients of 1 and exp(i psi), those of more factors of 1 at the end
        factors = np.zeros((-(-c.x.size // FACTORS) * FACTORS, 2, part.size), np.complex128)
        factors[:, 0] = 1.0
        factors[: c.x.size, 0] -= c.chance[:, None]
        factors[: c.x.size, 1] = c.chance[:, None] * grid.turns(part)
        phi = np.ones((part.size, psi_nodes), np.complex128)
        for factor in _multiply_pairs(_multiply_pairs(factors)):
            phi *= factor.T @ turns
        out[start : start + rows] = phi @ back
    return out


def _multiply_pairs(factors: Complex) -> Complex:
    """Products of neighbouring polynomials, shape (factors, coefficients, places)."""
    first, second = factors[::2], factors[1::2]
    degree = factors.shape[1] - 1
    product = np.zeros((len(first), 2 * degree + 1, factors.shape[2]), np.complex128)
    for i in range(degree + 1):
        product[:, i : i + degree + 1] += first[:, i, None] * second
    return product


PAD = 8
"""Evaluated waves within 2 pi / range: from one to the next, phases turn by 2 pi / 16 at most."""
CLOSE = 4
"""Times as many nodes, of which some are then evaluated."""
SLACK = 1.06
"""Covers the gaps between these."""
DIRECT, FIRST_LOBE = 64, 0.6
"""So many nodes from 0 on are evaluated in any case, and all up to so many standard deviations of a
phase, where exp(-0.18) SLACK is well below 1."""
CELLS = 1 << 20
"""Numbers in a table: 16 MB."""
SHARPEN = 60.0
"""Below this sum of v the second-order term is worth its waves: exp(-60) is 1e-26."""
NEGLIGIBLE = 1e-9
"""Nodes are taken until what the bound allows at all others is below this, relatively."""
SHORTER = 4
"""Where the bound is sharp even far from a revival the band may end so many times earlier."""
STRATA = 24
"""Nodes left out are sampled in so many strata of geometrically growing size ..."""
DRAWS = 12
"""... by so many nodes each, evenly spaced, ..."""
PEAKS = 8
"""... and by so many where the bound is highest: a revival is seen there or nowhere."""


def log_bound(c: Contour, step: float, count: int) -> Array:
    """A bound of log |phi| at the first multiples of a step.

    Of thousands of scores the nodes are far closer than these waves are long. Then only some are
    evaluated, and the first lobe, which decides how far to integrate.
    """
    v = c.v
    weights = np.stack([v, v * v] if v.sum() < SHARPEN else [v])
    nodes = 2 * math.pi / float(c.x[-1] - c.x[0]) / step
    stride = int(nodes / PAD) if nodes > CLOSE * PAD else 1
    sums = waves(c.x, weights, stride * step, count // stride + 2)
    if stride > 1:
        left = np.arange(count) // stride
        sums = SLACK * np.maximum(sums[:, left], sums[:, left + 1])
        near = max(DIRECT, int(FIRST_LOBE * c.sd_size / c.sd_sum / step))
        sums[:, :near] = waves(c.x, weights, step, near)[:, :count]
    bound: Array = sums[0, :count] - float(v.sum())
    if len(sums) > 1:
        bound -= np.maximum(0.0, float((v * v).sum()) - 2 * sums[1, :count])
    return np.minimum(bound, 0.0, out=bound)


def log_mean_square(c: Contour) -> float:
    """Log of the mean of |g(theta)|**2 far out, where phases are random.

    By Parseval it is the sum of squared probabilities of the atoms of T; equal scores are
    exchangeable, so they make one atom together. Given the size it is smaller still, by the
    local limit 1 / (sd sqrt(2 pi)) of the size under the squared weights.
    """
    _, start, group = np.unique(c.x, return_index=True, return_counts=True)
    single = c.chance[start[group == 1]]
    total = float(np.log(single**2 + (1 - single) ** 2).sum())
    for i in np.flatnonzero(group > 1).tolist():
        p, binomial = float(c.chance[start[i]]), np.ones(1)
        for _ in range(group[i]):
            binomial = np.convolve(binomial, [1 - p, p])
        total += math.log(float(binomial @ binomial))
    return min(0.0, total - math.log(max(1.0, c.sd_size)))


@dataclass(frozen=True)
class Nodes:
    """The nodes of a trapezoid rule on [0, infinity), taken or left out."""

    grid: Grid
    """The full grid."""
    taken: Integers
    """Nodes to evaluate, in steps of the grid."""
    end: float
    """Where the scanned band ends."""
    certain: float
    """What the bound allows for nodes that are neither evaluated nor sampled."""
    last_square: float
    """Bound of the mean of |g|**2 over the last octave of the band, infinite where sampled."""
    sampled: Integers
    """Some of the nodes left out of the band, where the bound allows too much."""
    share: Array
    """How many nodes each of them stands for."""
    weight: Array
    """The sum of 1 / theta**2 over these."""
    stratum: Integers
    """The stratum each of them comes from, ascending from 0."""

    @property
    def theta(self) -> Array:
        """Where the nodes to evaluate are."""
        return np.asarray(self.grid.step * self.taken, np.float64)


def choose(c: Contour, affordable: int, finest: int) -> Nodes:
    """Take the nodes where the bound allows most, as many as needed or as can be afforded."""
    if c.sd_size**2 >= SHARPEN:
        finest //= SHORTER
    step = 2 * math.pi / float(period(c))
    # a band in which lattices of up to `finest` steps revive
    count = int(2 * math.pi * finest / float(c.x[-1] - c.x[0]) / step) + 1
    grid, theta, end = Grid.of(c.x, step, count), step * np.arange(count), step * (count - 1)
    bound = log_bound(c, step, count)
    allowed = step / math.pi * np.exp(bound) / np.hypot(theta, c.lam)
    enough = NEGLIGIBLE * math.exp(c.log_scale)
    in_part = np.zeros(count, np.bool_)
    in_part[np.argpartition(-allowed, min(affordable, count - 1))[:affordable]] = True
    taken, skipped = np.flatnonzero(in_part), np.flatnonzero(~in_part)
    lost = float(allowed[skipped].sum())
    if lost > enough:
        sampled = _sample_nodes(skipped, step, bound[skipped])
        return Nodes(grid, taken, end, 0.0, math.inf, *sampled)
    taken = taken[np.argsort(allowed[taken])]
    rest = lost + np.cumsum(allowed[taken])  # without the first of them, the first two, ...
    few = int(np.searchsorted(rest, enough, side="right"))
    certain = float(rest[few - 1]) if few else lost
    last, none = float(np.exp(2 * bound[theta >= end / 2]).mean()), np.empty(0)
    places = none.astype(np.int64)
    return Nodes(grid, np.sort(taken[few:]), end, certain, last, places, none, none, places)


def _sample_nodes(
    skipped: Integers, step: float, bound: Array
) -> tuple[Integers, Array, Array, Integers]:
    """Members of each stratum of ascending nodes: the highest by bound, and evenly spaced ones."""
    edges = sorted({int(edge) - 1 for edge in np.geomspace(1, skipped.size + 1, STRATA + 1)})
    squares = 1 / (step * skipped) ** 2
    nodes, shares, weights, strata = [], [], [], []
    for i, (start, end) in enumerate(pairwise(edges)):
        size = end - start
        highest = np.argpartition(-bound[start:end], min(PEAKS, size - 1))[:PEAKS]
        peaks, others = start + highest, start + np.delete(np.arange(size), highest)
        draws = min(DRAWS, others.size)
        even = others[np.linspace(0, others.size - 1, draws).astype(np.int64)]
        nodes += [skipped[peaks], skipped[even]]
        shares += [np.ones(peaks.size), np.full(draws, others.size / max(draws, 1))]
        whole = float(squares[others].sum())
        weights += [squares[peaks], np.full(draws, whole / max(draws, 1))]
        strata.append(np.full(peaks.size + draws, i))
    joined = np.concatenate(nodes), np.concatenate(shares), np.concatenate(weights)
    return *joined, np.concatenate(strata)
