"""Bootstrap of an ML-EAT test: what 10,000 resamples cost, beside a loop over resamples.

The loop takes each resample's rows and columns out of the block and computes the three effect
sizes with numpy's means and standard deviations; for patterns it then asks the exact permutation
test, for a few resamples, and its time is multiplied up.

    OPENBLAS_NUM_THREADS=1 python benchmarks/bootstrap.py
"""

from __future__ import annotations

import platform
import time

import numpy as np
from scipy import stats

from eatlas.stats.bootstrap import bootstrap_effects
from eatlas.stats.influence import influence
from eatlas.stats.pattern_stability import pattern_stability
from eatlas.stats.permutation import permutation_test

RESAMPLES = 10_000
TESTED = 200
"""Resamples whose patterns the loop finds."""
SIZES = (8, 25, 100)


def block(n, seed=0):
    """A test of n terms a group with associations of middling size at both levels."""
    rng = np.random.default_rng(seed)
    cosines = 0.1 * rng.standard_normal((2 * n, 2 * n))
    cosines[:n, :n] += 0.1 / np.sqrt(n)
    cosines[n:, n:] += 0.05 / np.sqrt(n)
    return cosines + 0.05 * rng.standard_normal((2 * n, 1)) * np.repeat([1, -1], n)


def seconds(run, times=3):
    """The quickest of some runs."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        run()
        taken.append(time.perf_counter() - start)
    return min(taken)


def resample(cosines, n, rng):
    places = [np.concatenate([rng.integers(0, n, n), n + rng.integers(0, n, n)]) for _ in range(2)]
    return cosines[np.ix_(*places)]


def union_d(scores, n):
    return (scores[:n].mean() - scores[n:].mean()) / scores.std(ddof=1)


def effects_loop(cosines, n):
    rng, found = np.random.default_rng(0), []
    for _ in range(RESAMPLES):
        s = resample(cosines, n, rng)
        level1 = s[:, :n].mean(axis=1) - s[:, n:].mean(axis=1)
        found.append([union_d(x, n) for x in (level1, s[:n].mean(axis=0), s[n:].mean(axis=0))])
    return np.quantile(found, [0.025, 0.975], axis=0)


def patterns_loop(cosines, n):
    rng, found = np.random.default_rng(0), []
    for _ in range(TESTED):
        s = resample(cosines, n, rng)
        for u in (s[:n].mean(axis=0), s[n:].mean(axis=0)):
            p, d = permutation_test(u, n, scale=1.0), union_d(u, n)
            found.append(abs(d) > 0.2 and (p.greater if d > 0 else p.less).p < 0.05)
    return found


def scipy_level1(cosines, n):
    """BCa of level 1 alone, over targets alone."""
    scores = cosines[:, :n].mean(axis=1) - cosines[:, n:].mean(axis=1)

    def statistic(x, y, axis=-1):
        union = np.concatenate([x, y], axis=axis)
        return (x.mean(axis=axis) - y.mean(axis=axis)) / union.std(axis=axis, ddof=1)

    return stats.bootstrap(
        (scores[:n], scores[n:]), statistic, n_resamples=RESAMPLES, vectorized=True, rng=0
    )


def main():
    print(f"python {platform.python_version()}, numpy {np.__version__}, {platform.machine()}")
    print(
        f"{RESAMPLES} resamples over both sides, best of some runs, one core if BLAS is told so\n"
    )
    print("| terms a group | what | eatlas | other | ratio |\n| --- | --- | --- | --- | --- |")
    for n in SIZES:
        compare(n, block(n))


def compare(n, cosines):
    """One size: intervals, patterns and influence, each beside its rival."""

    def rng():
        return np.random.default_rng(0)

    ours = seconds(lambda: bootstrap_effects(cosines, n, n, rng=rng(), over="both"))
    loop = seconds(lambda: effects_loop(cosines, n), 1)
    line(n, "3 effect sizes, 3 intervals each; loop: percentile", ours, loop)
    targets = seconds(lambda: bootstrap_effects(cosines, n, n, rng=rng()))
    by_scipy = seconds(lambda: scipy_level1(cosines, n))
    line(n, "over targets; scipy: level 1, BCa", targets, by_scipy)
    patterns = seconds(lambda: pattern_stability(cosines, n, n, rng=rng()))
    if n <= 25:
        patterns_loop(cosines, n)  # what is compiled or loaded once is not counted
        each = seconds(lambda: patterns_loop(cosines, n), 1) / TESTED
        what = f"patterns; loop of {TESTED}, times {RESAMPLES // TESTED}"
        line(n, what, patterns, each * RESAMPLES)
    else:
        line(n, "patterns", patterns)
    line(n, "influence of every term", seconds(lambda: influence(cosines, n, n)))


def line(n, what, ours, other=None):
    rest = "| |" if other is None else f"{other:.2f} s | {other / ours:.0f} |"
    print(f"| {n} | {what} | {ours:.3f} s | {rest}", flush=True)


if __name__ == "__main__":
    main()
