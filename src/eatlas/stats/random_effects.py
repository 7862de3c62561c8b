"""Draws of contexts: which context each stimulus gets, and what the draws show together.

Random effects combine effects that each have a sampling variance. The variance tau2 between them is
estimated after DerSimonian and Laird, or Paule and Mandel. With weights ``w_i = 1 / (v_i + tau2)``,
their sum W and the weighted mean m, both look at ``Q(tau2) = sum w_i (y_i - m)**2``.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from eatlas.stats.inputs import least_spread, t_quantile

Integers = NDArray[np.int64]

Replace = Literal["auto", "always"]
"""Whether a context may be drawn again."""
Array = NDArray[np.float64]


def draw_contexts(count: int, draws: int, rng: np.random.Generator, replace: Replace) -> Integers:
    """Draw one of `count` contexts of a stimulus, many times, shape (draws,)."""
    if replace == "auto" and count >= draws:
        return rng.permutation(count)[:draws]
    return rng.integers(count, size=draws)


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
    """Variance components where means of three units or more are at hand."""
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


ESTIMATORS = {"dl": dersimonian_laird, "pm": paule_mandel}
"""What `method` may be."""


@dataclass(frozen=True)
class RandomEffects:
    """A combined effect and how far the effects differ beyond their sampling errors."""

    mean: float
    """Combined effect: the mean with weights 1 / (v + tau2)."""
    se: float
    """Its standard error: 1 / sqrt(sum of the weights)."""
    interval: tuple[float, float]
    """Confidence interval of the mean."""
    tau2: float
    """Variance between the true effects."""
    q: float
    """Cochran's Q, with weights 1 / v."""
    i2: float
    """max(0, (Q - (k - 1)) / Q), in [0, 1)."""
    prediction: tuple[float, float] | None
    """Interval in which the next true effect is expected; None for two effects."""


def random_effects(
    effects: Array, variances: Array, *, method: str = "dl", level: float = 0.95
) -> RandomEffects:
    """Combine two effects or more whose true values differ with variance tau2 between them.

    Mean and se: DerSimonian and Laird (1986). I2: Higgins and Thompson (2002). The prediction
    interval is ``mean -+ t(k - 2) sqrt(tau2 + se**2)``, Higgins, Thompson and Spiegelhalter
    (2009). Effects that share stimuli or vectors are not independent: the standard error then
    claims more than the data hold.
    """
    k, tau2 = effects.size, ESTIMATORS[method](effects, variances)
    weights, mean, _ = weighted(effects, variances, tau2)
    se, q = 1 / math.sqrt(float(np.sum(weights))), weighted(effects, variances, 0.0)[2]
    reach, prediction = NormalDist().inv_cdf((1 + level) / 2) * se, None
    if k > 2:
        beyond = t_quantile(1 - level, k - 2) * math.sqrt(tau2 + se * se)
        prediction = mean - beyond, mean + beyond
    return RandomEffects(
        mean=mean,
        se=se,
        interval=(mean - reach, mean + reach),
        tau2=tau2,
        q=q,
        i2=max(0.0, (q - (k - 1)) / q) if q > 0 else 0.0,
        prediction=prediction,
    )
