"""How likely the exact permutation test finds an effect, and the smallest effect it finds."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eatlas.errors import EatlasError
from eatlas.stats.distributions import clopper_pearson
from eatlas.stats.inputs import ROUNDING_UNITS, generator, numbers, whole
from eatlas.stats.rejections import checked_alpha, checked_tail, rejected, smallest_p

Array = NDArray[np.float64]

TOLERANCE = 0.005
"""Width in shift at which the search for an effect stops: a quarter of its standard error from
2,000 simulations at 8 v 8 (0.02), less in smaller designs."""


@dataclass(frozen=True)
class Power:
    """Share of simulated tests that reject, with its interval."""

    power: float
    """Share of rejections; exactly 0 where the design cannot reach alpha."""
    low: float
    """Lower end of Clopper and Pearson's 95 % interval of the power."""
    high: float
    """Its upper end; 0 where the design cannot reach alpha."""
    rejections: int
    """Simulated tests with p < alpha."""
    simulations: int
    """Simulated tests; 0 where none was needed."""
    n: int
    """Size of the first group."""
    m: int
    """Size of the second group."""
    shift: float
    """Difference of the means in standard deviations within a group."""
    d: float
    """The same in standard deviations of the union, as the effect size d is."""
    alpha: float
    """A test rejects when p < alpha."""
    tail: str
    """Which p."""
    min_p: float
    """The smallest p of the design."""
    reachable: bool
    """Whether min_p is below alpha; if not, no effect whatever can be found."""


@dataclass(frozen=True)
class DetectableEffect:
    """The smallest effect with a wanted power."""

    shift: float
    """Difference of the means in standard deviations within a group; negative for the tail
    ``less``, infinite where the design cannot reach alpha."""
    d: float
    """The same in standard deviations of the union; its bound where `shift` is infinite."""
    wanted: float
    """The power that was wanted."""
    tolerance: float
    """A shift smaller in size by this much has less than that on the same random numbers."""
    at: Power
    """The simulated power at `shift`; its interval says what the number of simulations allows."""


def d_of_shift(shift: float, n: int, m: int) -> float:
    """The d of two groups whose means differ by `shift` standard deviations within a group.

    Parameters
    ----------
    shift : float
        Any number, infinite too.
    n, m : int
        Sizes of the groups, 1 or more.

    Notes
    -----
    Variance of the union of large groups in these proportions: ``1 + n m / (n + m)**2 shift**2``.

    Examples
    --------
    >>> d_of_shift(2.0, 8, 8) == 2 / 2**0.5, d_of_shift(np.inf, 8, 8)
    (True, 2.0)
    """
    n, m = whole(n, "n", 1), whole(m, "m", 1)
    part = math.sqrt(n * m) / (n + m)
    return math.copysign(1 / math.hypot(1 / shift, part), shift) if shift else 0.0


def shift_of_d(d: float, n: int, m: int) -> float:
    """The difference of means, in standard deviations within a group, behind an effect size d.

    Parameters
    ----------
    d : float
        Below ``(n + m) / sqrt(n m)`` in size, which is 2 for groups of one size.
    n, m : int
        Sizes of the groups, 1 or more.

    Raises
    ------
    EatlasError
        For a d that no difference of means can have.

    Examples
    --------
    >>> round(shift_of_d(1.2, 8, 8), 12)
    1.5
    """
    n, m = whole(n, "n", 1), whole(m, "m", 1)
    bound = (n + m) / math.sqrt(n * m)
    if not (isinstance(d, (int, float)) and abs(d) < bound):
        raise EatlasError(
            "no difference of means has such an effect size",
            got=f"d = {d} for groups of {n} and {m}",
            allowed=f"below {bound:.4g} in size",
        )
    return d / math.sqrt((1 - d / bound) * (1 + d / bound))


def permutation_power(
    n: int,
    m: int,
    shift: float,
    *,
    rng: np.random.Generator,
    alpha: float = 0.05,
    tail: str = "two_sided",
    simulations: int = 2000,
    pool: ArrayLike | None = None,
) -> Power:
    """Power of the exact permutation test for groups of n and m scores.

    Parameters
    ----------
    n, m : int
        Sizes of the groups, 1 or more.
    shift : float
        Mean of the first group less mean of the second, in standard deviations within a group.
        For an effect size in the union's, pass ``shift_of_d(d, n, m)``.
    rng : numpy.random.Generator
        Draws the scores.
    alpha : float
        Rejected is what has p < alpha; in (0, 1).
    tail : {"greater", "less", "two_sided"}
        Which p.
    simulations : int
        Simulated tests, 1 or more.
    pool : array_like, shape (k,), optional
        Scores that are drawn with replacement, in place of normal ones: of each group less its
        mean, such as those of an earlier test. They are brought to mean 0 and deviation 1.

    Returns
    -------
    Power

    Raises
    ------
    EatlasError
        For input outside these ranges, or a pool without spread.

    Notes
    -----
    The power does not depend on anything but the groups' sizes, the shift and the form of the
    distribution. Where the smallest possible p is not below alpha, the power is 0 without any
    simulation and ``reachable`` is False.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> found = permutation_power(8, 8, 1.5, rng=rng)
    >>> found.power, round(found.low, 3), round(found.high, 3)
    (0.7905, 0.772, 0.808)
    >>> permutation_power(3, 3, 9.0, rng=rng).reachable  # 20 subsets: the smallest p is 0.1
    False
    """
    design = _design(n, m, alpha, tail)
    if not (isinstance(shift, (int, float)) and math.isfinite(shift)):
        raise EatlasError("shift must be finite", got=repr(shift))
    noise = _noise(design, simulations, pool, generator(rng))
    if not design.reachable:
        return design.outcome(shift, 0, 0)
    return design.outcome(shift, int(design.decide(noise, shift, rng).sum()), len(noise))


def detectable_effect(
    n: int,
    m: int,
    *,
    rng: np.random.Generator,
    power: float = 0.8,
    alpha: float = 0.05,
    tail: str = "two_sided",
    simulations: int = 2000,
    pool: ArrayLike | None = None,
) -> DetectableEffect:
    """The smallest shift that the exact permutation test finds with the wanted power.

    Parameters
    ----------
    n, m, rng, alpha, tail, simulations, pool
        As in `permutation_power`.
    power : float
        Wanted power, above alpha and below 1.

    Returns
    -------
    DetectableEffect

    Raises
    ------
    EatlasError
        For input outside these ranges.

    Notes
    -----
    Bisection on common random numbers: every shift is tried on the same simulated scores, so that
    the difference between two shifts is no noise. The noise of the whole remains: see ``at``.

    Examples
    --------
    >>> found = detectable_effect(8, 8, rng=np.random.default_rng(0), simulations=500)
    >>> round(found.shift, 2), found.at.power >= 0.8
    (1.57, True)
    """
    design = _design(n, m, alpha, tail)
    power = checked_alpha(power, "power", above=design.alpha)
    noise = _noise(design, simulations, pool, generator(rng))
    sign = -1.0 if tail == "less" else 1.0
    if not design.reachable:
        best = design.outcome(sign * math.inf, 0, 0)
    else:
        size, count = _smallest(design, noise, sign, math.ceil(power * len(noise)), rng)
        best = design.outcome(sign * size, count, len(noise))
    return DetectableEffect(best.shift, best.d, power, TOLERANCE, best)


@dataclass(frozen=True)
class _Design:
    """What does not change from one simulated test to the next."""

    n: int
    m: int
    alpha: float
    tail: str

    @property
    def min_p(self) -> float:
        return smallest_p(self.n, self.m, self.tail)

    @property
    def reachable(self) -> bool:
        return self.min_p < self.alpha

    def decide(self, noise: Array, shift: float, rng: np.random.Generator) -> NDArray[np.bool_]:
        """Which rows the test rejects after the shift."""
        rows = noise.copy()
        rows[:, : self.n] += shift
        return rejected(rows, self.n, self.alpha, self.tail, rng)

    def outcome(self, shift: float, count: int, tests: int) -> Power:
        """Power at a shift: the share of simulated tests that reject, with its interval."""
        low, high = clopper_pearson(count, tests) if tests else (0.0, 0.0)
        return Power(
            power=count / max(tests, 1),
            low=low,
            high=high,
            rejections=count,
            simulations=tests,
            n=self.n,
            m=self.m,
            shift=shift,
            d=d_of_shift(shift, self.n, self.m),
            alpha=self.alpha,
            tail=self.tail,
            min_p=self.min_p,
            reachable=self.reachable,
        )


def _design(n: int, m: int, alpha: float, tail: str) -> _Design:
    return _Design(whole(n, "n", 1), whole(m, "m", 1), checked_alpha(alpha), checked_tail(tail))


def _noise(
    design: _Design, simulations: int, pool: ArrayLike | None, rng: np.random.Generator
) -> Array:
    """Scores without effect: mean 0, standard deviation 1, shape (simulations, n + m)."""
    shape = whole(simulations, "simulations", 1), design.n + design.m
    if pool is None:
        return rng.standard_normal(shape)
    scores = numbers(pool, "pool", 1)
    spread = float(np.ptp(scores)) if scores.size else 0.0
    if not spread > ROUNDING_UNITS * 2.0**-53 * float(np.abs(scores).max(initial=0.0)):
        raise EatlasError(
            "scores to draw from must have a spread", got=f"{scores.size} scores, range {spread}"
        )
    standard = (scores - scores.mean()) / spread
    return rng.choice(standard / standard.std(), shape)


def _smallest(
    design: _Design, noise: Array, sign: float, wanted: int, rng: np.random.Generator
) -> tuple[float, int]:
    """The smallest size of a shift with the wanted rejections, and how many it has.

    While the first group is ahead, p falls with every further shift, and it rises up to there:
    no subset's sum moves as fast as the observed one. So a row keeps its decision between two
    shifts if it is accepted at both, or rejected at the smaller one with the first group ahead.
    """
    ahead = sign * (noise[:, : design.n].mean(axis=1) - noise[:, design.n :].mean(axis=1))
    low, high = 0.0, 1.0
    at_low, at_high = (design.decide(noise, sign * size, rng) for size in (low, high))
    while at_high.sum() < wanted:
        low, at_low, high = high, at_high, 2 * high
        at_high = design.decide(noise, sign * high, rng)
    while high - low > TOLERANCE:
        middle, at_middle = (low + high) / 2, at_low.copy()
        left = np.where(at_low, ahead + low < 0, at_high)
        at_middle[left] = design.decide(noise[left], sign * middle, rng)
        if at_middle.sum() >= wanted:
            high, at_high = middle, at_middle
        else:
            low, at_low = middle, at_middle
    return high, int(at_high.sum())
