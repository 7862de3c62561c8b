"""Draws of contexts: which context each stimulus gets, and what the draws show together.

Random effects combine effects that each have a sampling variance. The variance tau2 between them is
estimated after DerSimonian and Laird, Paule and Mandel, or by restricted maximum likelihood. With
weights ``w_i = 1 / (v_i + tau2)``, their sum W and the weighted mean m, all three look at
``Q(tau2) = sum w_i (y_i - m)**2``.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eatlas.errors import EatlasError
from eatlas.notes import Note, warn
from eatlas.stats.inputs import least_spread, numbers, open_unit, t_quantile
from eatlas.stats.permutation.problem import SMALLEST

Integers = NDArray[np.int64]

Replace = Literal["auto", "always"]
"""Whether a context may be drawn again."""
Array = NDArray[np.float64]


def draw_contexts(
    counts: Sequence[int],
    draws: int,
    streams: Sequence[np.random.Generator],
    *,
    replace: Replace = "auto",
) -> Integers:
    """Draw one context of each stimulus, many times, shape (draws, stimuli)."""
    each = zip(counts, streams, strict=True)
    return np.stack([draw_one(count, draws, rng, replace) for count, rng in each], axis=1)


def draw_one(count: int, draws: int, numbers: np.random.Generator, replace: Replace) -> Integers:
    """Draw contexts of one stimulus, by the rule of :func:`draw_contexts`, shape (draws,)."""
    if replace == "auto" and count >= draws:
        return numbers.permutation(count)[:draws]
    return numbers.integers(count, size=draws)


def stream(seed: int, key: str) -> np.random.Generator:
    """Random numbers that depend on a seed and a name alone."""
    digest = hashlib.sha256(key.encode()).digest()
    return np.random.default_rng([seed, int.from_bytes(digest[:8])])


@dataclass(frozen=True)
class DrawEffects:
    """One effect size for each draw; what their equally weighted mean is made of."""

    difference: Array
    """Mean of the first group less mean of the second, shape (draws,)."""
    sd: Array
    """Standard deviation of the union, shape (draws,); NaN where the scores have no spread."""
    d: Array
    """difference / sd."""
    scores: Array
    """Mean over draws of each unit's score, less the draw's mean, over the draw's sd; shape
    (units,). Zeros where no draw has an effect size."""
    scale: float
    """Mean of scale / sd: what an association of that magnitude would add to a score."""

    @property
    def defined(self) -> NDArray[np.bool_]:
        """Which draws have an effect size, shape (draws,)."""
        return ~np.isnan(self.d)

    @property
    def mean(self) -> float:
        """The equally weighted mean of the effect sizes that are defined; NaN for none."""
        return float(self.d[self.defined].mean()) if self.defined.any() else float("nan")


def draw_effects(
    scores: Array, n: int, *, ddof: int = 1, scale: float = 1.0, precision: float | None = None
) -> DrawEffects:
    """Effect sizes of draws whose units are the same and whose scores differ.

    With s_iw the score of unit w in draw i, m_i and S_i their mean and standard deviation over
    both groups, ``d_i = (mean of s_iw in the first group - in the second) / S_i``. Relabelling the
    units changes neither m_i nor S_i, so the mean of d_i over draws is the difference of means of
    one vector, ``z_w = mean over i of (s_iw - m_i) / S_i``: its exact permutation test is that of
    a single effect size. This holds for any weights of draws that do not depend on the labels.
    """
    size = scores.shape[1]
    difference = scores[:, :n].mean(axis=1) - scores[:, n:].mean(axis=1)
    away = scores - scores.mean(axis=1, keepdims=True)
    sd = np.sqrt(np.einsum("ij,ij->i", away, away) / (size - ddof))
    sd[np.ptp(scores, axis=1) <= least_spread(scale, precision)] = np.nan
    defined = ~np.isnan(sd)
    inverse = 1 / sd[defined]
    return DrawEffects(
        difference=difference,
        sd=sd,
        d=difference / sd,
        scores=inverse @ away[defined] / inverse.size if defined.any() else np.zeros(size),
        scale=scale * float(inverse.mean()) if defined.any() else 1.0,
    )


@dataclass(frozen=True)
class Components:
    """Variance components; their sum is the variance of a score."""

    within: float
    """Between the scores of one unit; NaN where every unit has one score alone."""
    units: float
    """Between the units of one group, 0 or more; with `within`, where that is NaN."""
    groups: float
    """Between the two groups, 0 or more."""


def nested_components(scores: Array, sizes: Integers, n: int) -> Components:
    """Variance components of scores within units within two groups.

    Units count alike, however many scores they have: with m_w and v_w the mean and the variance
    (n_w - 1) of the n_w scores of unit w, and M_1, M_2 the means of m_w over a group's units,

    - within: mean of v_w over the units with two scores or more;
    - V: pooled variance of m_w within groups, sum (m_w - M)**2 / (N - 2);
    - units: V - mean of v_w / n_w, with the component `within` for a v_w that is not known;
    - groups: ((M_1 - M_2)**2 - V (1 / N_1 + 1 / N_2)) / 4.

    Each is the unbiased estimate where scores and units are drawn at random and the two groups are
    all there are (of groups of one size, the analysis of variance of a nested design); a negative
    estimate is 0.
    """
    starts = np.cumsum(sizes) - sizes
    means = np.add.reduceat(scores, starts) / sizes
    away = scores - np.repeat(means, sizes)
    several = sizes > 1
    variances = np.add.reduceat(away * away, starts) / np.maximum(sizes - 1, 1)
    within = float(variances[several].mean()) if several.any() else float("nan")
    inside = np.where(several, variances, within if several.any() else 0.0) / sizes
    return components_of_means(means, within, inside, n)


def components_of_means(means: Array, within: float, noise: Array, n: int) -> Components:
    """Variance components where means of units, and what is known of them, are at hand."""
    if len(means) < 3:
        raise EatlasError(
            "variance between units needs more units than groups",
            got=f"{len(means)} units in two groups",
            allowed="3 or more",
        )
    groups = means[:n], means[n:]
    pooled = sum(float(((g - g.mean()) ** 2).sum()) for g in groups) / (len(means) - 2)
    gap = float(groups[0].mean() - groups[1].mean()) ** 2
    chance = pooled * sum(1 / g.size for g in groups)
    return Components(
        within=within,
        units=max(0.0, pooled - float(noise.mean())),
        groups=max(0.0, (gap - chance) / 4),
    )


SETTLED = 1e-14
"""A relative change of tau2 below this is rounding noise: equal variances have a closed form, and
the worst difference from it was 5e-15 of the variance of the effects."""
GRID = 257
"""Points that look for the highest maximum of the restricted likelihood. Its terms vary on the
scale of log(v_i + tau2), so steps of log(range) / 256 cannot miss one."""
SQUARABLE = (1e-70, 1e70)
"""Magnitudes whose squares and ratios stay within doubles; no effect size comes near them."""


def weighted(effects: Array, variances: Array, tau2: float) -> tuple[Array, float, float]:
    """Weights, weighted mean and Q for one tau2."""
    weights = 1 / (variances + tau2)
    mean = float(np.sum(weights * effects) / np.sum(weights))
    return weights, mean, float(np.sum(weights * (effects - mean) ** 2))


def dersimonian_laird(effects: Array, variances: Array) -> float:
    """max(0, (Q(0) - (k - 1)) / (W - sum w**2 / W)).

    DerSimonian and Laird (1986), Meta-analysis in clinical trials, Controlled Clinical Trials 7.
    """
    weights, _, q = weighted(effects, variances, 0.0)
    whole = float(np.sum(weights))
    return max(0.0, (q - (effects.size - 1)) / (whole - float(np.sum(weights**2)) / whole))


def paule_mandel(effects: Array, variances: Array) -> float:
    """The root of Q(tau2) = k - 1, or 0 if Q(0) is smaller already.

    Paule and Mandel (1982); Newton's method of DerSimonian and Kacker (2007), appendix: Q falls
    and is convex, so steps from 0 rise to the root and never pass it.
    """
    tau2, step = 0.0, math.inf
    while step > SETTLED * tau2:
        weights, mean, q = weighted(effects, variances, tau2)
        excess = q - (effects.size - 1)
        if excess <= 0:
            break
        step = excess / float(np.sum((weights * (effects - mean)) ** 2))
        tau2 += step
    return tau2


def restricted_maximum_likelihood(effects: Array, variances: Array) -> float:
    """The tau2 >= 0 at which the restricted likelihood is greatest.

    ``-2 l = sum log(v + tau2) + log W + Q``; Viechtbauer (2005), Journal of Educational and
    Behavioral Statistics 30. The highest point of a grid first, because there may be several
    maxima, then bisection on the slope.
    """
    least = float(variances.min())
    # beyond both, the slope is negative: there Q's term is below (k - 1) / (4 tau2)
    most = max(float(variances.max()), 8 * float(np.ptp(effects)) ** 2)
    grid = least * np.expm1(np.linspace(0.0, math.log1p(most / least), GRID))
    best = int(np.argmax([_restricted(effects, variances, float(t)) for t in grid]))
    if best == 0 and _slope(effects, variances, 0.0) <= 0:
        return 0.0
    low, high = float(grid[max(best - 1, 0)]), float(grid[min(best + 1, GRID - 1)])
    while high - low > SETTLED * high:
        middle = (low + high) / 2
        if _slope(effects, variances, middle) > 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _restricted(effects: Array, variances: Array, tau2: float) -> float:
    """The restricted log-likelihood without its constant."""
    weights, _, q = weighted(effects, variances, tau2)
    return -(-float(np.sum(np.log(weights))) + math.log(float(np.sum(weights))) + q) / 2


def _slope(effects: Array, variances: Array, tau2: float) -> float:
    """Twice the derivative of the restricted log-likelihood."""
    weights, mean, _ = weighted(effects, variances, tau2)
    whole, squares = float(np.sum(weights)), float(np.sum(weights**2))
    return float(np.sum((weights * (effects - mean)) ** 2)) - (whole - squares / whole)


ESTIMATORS = {"DL": dersimonian_laird, "PM": paule_mandel, "REML": restricted_maximum_likelihood}
"""What `method` may be."""


@dataclass(frozen=True)
class RandomEffects:
    """A combined effect and how far the effects differ beyond their sampling errors."""

    method: str
    """How tau2 was estimated: ``DL``, ``PM`` or ``REML``."""
    k: int
    """Number of effects."""
    mean: float
    """Combined effect: the mean with weights 1 / (v + tau2)."""
    se: float
    """Its standard error: 1 / sqrt(sum of the weights)."""
    z: float
    """mean / se."""
    p: float
    """Two-sided p of z under a normal distribution, in (0, 1]."""
    level: float
    """Confidence of the two intervals."""
    low: float
    """Lower end of the confidence interval of the mean."""
    high: float
    """Its upper end."""
    tau2: float
    """Variance between the true effects; NaN for one effect."""
    q: float
    """Cochran's Q, with weights 1 / v."""
    i2: float
    """max(0, (Q - (k - 1)) / Q), in [0, 1); NaN for one effect."""
    prediction_low: float
    """Lower end of the interval in which the next true effect is expected; NaN for k < 3."""
    prediction_high: float
    """Its upper end."""


def random_effects(
    effects: ArrayLike,
    variances: ArrayLike,
    *,
    method: str = "DL",
    level: float = 0.95,
) -> RandomEffects:
    """Combine effects whose true values differ with variance tau2 between them.

    Mean and se: DerSimonian and Laird (1986). I2: Higgins and Thompson (2002). The prediction
    interval is ``mean -+ t(k - 2) sqrt(tau2 + se**2)``, Higgins, Thompson and Spiegelhalter
    (2009). Effects that share stimuli or vectors are not independent: se, z and p
    then claim more than the data hold.
    """
    y, v = _checked(effects, variances)
    level = open_unit(level)
    if method not in ESTIMATORS:
        raise EatlasError(
            "unknown estimator of tau2", got=repr(method), allowed=", ".join(ESTIMATORS)
        )
    k = y.size
    if k <= 2:
        warn(Note("undefined.heterogeneity", values={"effects": k}))
    tau2 = ESTIMATORS[method](y, v) if k > 1 else math.nan
    weights, mean, _ = weighted(y, v, tau2 if k > 1 else 0.0)
    se = 1 / math.sqrt(float(np.sum(weights)))
    q = weighted(y, v, 0.0)[2]
    z, reach = mean / se, NormalDist().inv_cdf((1 + level) / 2) * se
    i2 = max(0.0, (q - (k - 1)) / q) if q > 0 else 0.0
    beyond = math.nan
    if k > 2:
        beyond = t_quantile(1 - level, k - 2) * math.sqrt(tau2 + se * se)
    return RandomEffects(
        method=method,
        k=k,
        mean=mean,
        se=se,
        z=z,
        p=max(math.erfc(abs(z) / math.sqrt(2)), SMALLEST),
        level=level,
        low=mean - reach,
        high=mean + reach,
        tau2=tau2,
        q=q,
        i2=i2 if k > 1 else math.nan,
        prediction_low=mean - beyond,
        prediction_high=mean + beyond,
    )


def _checked(effects: ArrayLike, variances: ArrayLike) -> tuple[Array, Array]:
    """Effects and their sampling variances as arrays of one length; variances are positive."""
    y, v = numbers(effects, "effects", 1), numbers(variances, "variances", 1)
    if y.size != v.size or not y.size:
        raise EatlasError(
            "each effect needs its variance", got=f"{y.size} effects and {v.size} variances"
        )
    least, most = SQUARABLE
    if np.abs(y).max() > most or v.min() < least or v.max() > most:
        raise EatlasError(
            "sampling variances must be positive, and effects of a magnitude that can be squared",
            got=f"effects up to {np.abs(y).max()}, variances from {v.min()} to {v.max()}",
            allowed=f"effects up to {most}, variances {least} to {most}",
            remedy="leave out an effect whose sampling error is unknown, and say so",
        )
    return y, v
