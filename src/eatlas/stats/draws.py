"""Draws of contexts: which context each stimulus gets, and what the draws show together."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import EatlasError
from eatlas.stats.inputs import least_spread, whole

Replace = Literal["auto", "always"]
"""Whether a context may be drawn again."""
Array = NDArray[np.float64]


def draw_contexts(
    counts: Sequence[int],
    draws: int,
    streams: Sequence[np.random.Generator],
    *,
    replace: Replace = "auto",
) -> NDArray[np.int64]:
    """Draw one context of each stimulus, many times.

    Parameters
    ----------
    counts : sequence of int
        Contexts of each stimulus, 1 or more.
    draws : int
        1 or more.
    streams : sequence of numpy.random.Generator
        One for each stimulus, so that its contexts do not depend on the other stimuli.
    replace : {"auto", "always"}
        ``auto``: without replacement where a stimulus has a context for each draw, else with. So
        in the protocol of Guo and Caliskan (2021). ``always``: with replacement, as in their code.

    Returns
    -------
    array of int64, shape (draws, stimuli)
        Place of the context among those of its stimulus.

    Raises
    ------
    EatlasError
        For a stimulus without contexts, no draws, or another rule.

    Examples
    --------
    >>> streams = [np.random.default_rng(i) for i in range(2)]
    >>> chosen = draw_contexts([4, 2], 4, streams)
    >>> sorted(chosen[:, 0].tolist()), set(chosen[:, 1].tolist()) <= {0, 1}
    ([0, 1, 2, 3], True)
    """
    if replace not in get_args(Replace):
        raise EatlasError(
            "replace must say when a context may be drawn again",
            got=repr(replace),
            allowed=" or ".join(get_args(Replace)),
        )
    draws = whole(draws, "draws", 1)
    chosen = np.empty((draws, len(counts)), dtype=np.int64)
    for k, (count, numbers) in enumerate(zip(counts, streams, strict=True)):
        of = whole(count, "the number of contexts of a stimulus", 1)
        chosen[:, k] = draw_one(of, draws, numbers, replace)
    return chosen


def draw_one(
    count: int, draws: int, numbers: np.random.Generator, replace: Replace
) -> NDArray[np.int64]:
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
    scores: Array,
    n: int,
    *,
    ddof: int = 1,
    scale: float = 1.0,
    precision: float | None = None,
) -> DrawEffects:
    """Effect sizes of draws whose units are the same and whose scores differ.

    Parameters
    ----------
    scores : array, shape (draws, N)
        Associations; the first `n` columns belong to the first group.
    n : int
        Size of the first group, 1 to N - 1.
    ddof : int
        The standard deviation divides by N - ddof.
    scale : float
        Magnitude of what was summed into a score, 1 for cosines. A spread below the rounding error
        of that magnitude counts as none.
    precision : float, optional
        Unit roundoff of the vectors behind the scores; by default they are exact.

    Returns
    -------
    DrawEffects

    Notes
    -----
    With s_iw the score of unit w in draw i, m_i and S_i their mean and standard deviation over
    both groups, ``d_i = (mean of s_iw in the first group - in the second) / S_i``. Relabelling the
    units changes neither m_i nor S_i, so the mean of d_i over draws is the difference of means of
    one vector, ``z_w = mean over i of (s_iw - m_i) / S_i``: its exact permutation test is that of
    a single effect size. This holds for any weights of draws that do not depend on the labels.

    Examples
    --------
    >>> found = draw_effects(np.array([[3.0, 1.0, -1.0, -3.0], [0.0, 0.0, 0.0, 0.0]]), 2)
    >>> found.d.round(6), found.defined.sum()
    (array([1.549193,      nan]), np.int64(1))
    >>> bool(np.isclose(found.scores[:2].mean() - found.scores[2:].mean(), found.mean))
    True
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


def nested_components(scores: Array, sizes: NDArray[np.int64], n: int) -> Components:
    """Variance components of scores within units within two groups.

    Parameters
    ----------
    scores : array
        Finite scores, those of one unit together, units of the first group first.
    sizes : array of int
        Scores of each unit, 1 or more.
    n : int
        Units of the first group; 1 or more, and as many in the second, and 3 in all.

    Raises
    ------
    EatlasError
        For fewer than three units.

    Notes
    -----
    Units count alike, however many scores they have: with m_w and v_w the mean and the variance
    (n_w - 1) of the n_w scores of unit w, and M_1, M_2 the means of m_w over a group's units,

    - within: mean of v_w over the units with two scores or more;
    - V: pooled variance of m_w within groups, sum (m_w - M)**2 / (N - 2);
    - units: V - mean of v_w / n_w, with the component `within` for a v_w that is not known;
    - groups: ((M_1 - M_2)**2 - V (1 / N_1 + 1 / N_2)) / 4.

    Each is the unbiased estimate where scores and units are drawn at random and the two groups are
    all there are (of groups of one size, the analysis of variance of a nested design); a negative
    estimate is 0.

    Examples
    --------
    >>> nested_components(np.array([0.0, 2, 4, 6, 10, 12, 14, 16]), np.array([2, 2, 2, 2]), 2)
    Components(within=2.0, units=7.0, groups=23.0)
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
