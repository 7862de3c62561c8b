"""Permutation p-values: what they cost, beside scipy's enumeration.

Run with ``python benchmarks/permutation.py``. Each line is the best of several runs after one
that loads (and the first time compiles) what the design needs.
"""

from __future__ import annotations

import itertools
import math
import platform
import time

import numpy as np
from scipy import stats

from eatlas.stats.permutation import permutation_test

DESIGNS = [
    (6, 6, 1.2),
    (8, 8, 1.5),
    (10, 10, 1.0),
    (16, 16, 1.0),
    (25, 25, 1.5),
    (25, 25, 1.0),
    (25, 25, 0.5),
    (10, 40, 0.8),
    (32, 32, 1.5),
    (32, 32, 1.0),
    (64, 64, 1.8),
    (64, 64, 1.0),
    (256, 256, 0.5),
    (256, 256, 1.0),
    (2000, 2000, 0.1),
    (2000, 2000, 1.0),
]
"""Group sizes and effect size."""
SCIPY_RUNS = 5
SIZES = (
    8,
    12,
    16,
    18,
    20,
    21,
    22,
    24,
    25,
    26,
    28,
    30,
    32,
    36,
    40,
    44,
    50,
    64,
    80,
    100,
    200,
    256,
    1000,
)
EFFECTS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8)
"""The slowest design is sought among all of these, with several sets of scores for each."""
SETS = 5
LONG = 0.1
"""Seconds above which designs are counted."""


def separated(n, m, d, seed=0):
    """Normal scores (sd 0.05), n + m of them, with an effect size of about d."""
    r = np.random.default_rng(seed)
    x, y = r.standard_normal(n), r.standard_normal(m)
    x, y = (x - x.mean()) / x.std(), (y - y.mean()) / y.std()
    gap = d / math.sqrt(1 - d * d / 4)
    return np.concatenate([x + gap / 2, y - gap / 2]) * 0.05


def survey(n, top, seed=0):
    """Answers 1 to top over ten, the first group higher: massive ties."""
    r = np.random.default_rng(seed)
    shift = r.random(n) < 0.3
    first = np.minimum(r.integers(1, top + 1, n) + shift, top)
    return np.concatenate([first, r.integers(1, top + 1, n)]) / 10


def best(run, budget=1.0, most=20):
    """The result, and the quickest of up to `most` runs in about `budget` seconds."""
    run()
    times = []
    while len(times) < 3 or (len(times) < most and sum(times) < budget):
        start = time.process_time()
        result = run()
        times.append(time.process_time() - start)
    return result, min(times)


def line(name, d, result, seconds):
    tail = result.greater
    what = (
        f"{tail.count}" if tail.count is not None and tail.count < 10**15 else f"p = {tail.p:.6g}"
    )
    error = f"rel_err {tail.rel_err:.0e}" if tail.rel_err else ""
    print(f"{name:>14} {d:>5} {tail.method:>10} {what:>22} {1e3 * seconds:>9.2f} ms  {error}")


def enumerated(scores, n):
    """The exact test of scipy for the same hypothesis."""
    return stats.permutation_test(
        (scores[:n], scores[n:]),
        lambda x, y, axis: x.mean(axis=axis) - y.mean(axis=axis),
        n_resamples=10**6,
        alternative="greater",
        vectorized=True,
    )


def drawn(scores, n):
    """Three tails of scipy from 100,000 random permutations each, as it has no other way."""
    for alternative in ("greater", "less", "two-sided"):
        stats.permutation_test(
            (scores[:n], scores[n:]),
            lambda x, y, axis: x.mean(axis=axis) - y.mean(axis=axis),
            n_resamples=100_000,
            alternative=alternative,
            vectorized=True,
            batch=1_000,
        )


def slowest():
    """The designs that take longest, the quicker of two runs each."""
    found = []
    for n, d, seed in itertools.product(SIZES, EFFECTS, range(SETS)):
        scores = separated(n, n, d, seed=n + 1000 * seed)
        times = []
        for _ in range(2):
            start = time.process_time()
            result = permutation_test(scores, n)
            times.append(time.process_time() - start)
        found.append((min(times), n, d, seed, result.two_sided.method))
    long = sum(seconds > LONG for seconds, *_ in found)
    print(f"{long} of {len(found)} designs take more than {1e3 * LONG:.0f} ms")
    for seconds, n, d, seed, method in sorted(found)[:-4:-1]:
        start = time.process_time()
        drawn(separated(n, n, d, seed=n + 1000 * seed), n)
        ratio = (time.process_time() - start) / seconds
        print(f"{n} v {n}, d = {d}: {1e3 * seconds:.0f} ms, {method}; scipy {ratio:.0f} times")


def main():
    print(f"python {platform.python_version()}, numpy {np.__version__}, {platform.machine()}")
    print(f"{'design':>14} {'d':>5} {'method':>10} {'count or p (greater)':>22} {'best':>9}")
    for n, m, d in DESIGNS:
        scores = separated(n, m, d, seed=n)
        line(f"{n} v {m}", d, *best(lambda s=scores, k=n: permutation_test(s, k)))
    for n, top in [(100, 6), (256, 7), (256, 21), (2000, 7)]:
        scores = survey(n, top)
        line(f"{n} v {n}", f"1-{top}", *best(lambda s=scores, k=n: permutation_test(s, k)))
    scores = separated(8, 8, 1.5, seed=8)
    ours, seconds = best(lambda: permutation_test(scores, 8))
    theirs, slower = best(lambda: enumerated(scores, 8), most=SCIPY_RUNS)
    agree = ours.greater.count == round(theirs.pvalue * ours.total)
    print(
        f"8 v 8, three tails, scipy one: {1e3 * seconds:.2f} ms and {1e3 * slower:.1f} ms, "
        f"ratio {slower / seconds:.0f}, same count: {agree}"
    )
    slowest()


if __name__ == "__main__":
    main()
