"""Bootstrap of an ML-EAT test: what its resamples cost, beside a loop over resamples and scipy.

The loop takes each resample's rows and columns out of the block and computes the three effect
sizes with numpy's means and standard deviations, and their percentile intervals. For patterns it
multiplies the two rows of scores with a matrix of relabellings made once: all 12,870 of 8 against
8, or 8,000 random ones of 25 against 25, where eatlas takes up to 64,000 near alpha.

    OPENBLAS_NUM_THREADS=1 python benchmarks/bootstrap.py
"""

from __future__ import annotations

import itertools
import math
import platform
import time

import numpy as np

from eatlas.stats.bootstrap import (
    PatternRule,
    block_layout,
    bootstrap_effects,
    influence,
    pattern_stability,
    percentile,
)

RESAMPLES = 10_000
DEFAULT = {8: 100_000, 25: 50_000}
"""Resamples of the measure, unless told otherwise."""
DRAWS, ENUMERATED = 8_000, 50_000
SIZES = (8, 25)


def streams_of(rng: np.random.Generator) -> dict[str, np.random.Generator]:
    """A generator for each group of a test, of numbers from one generator."""
    return {role: np.random.default_rng(rng.integers(0, 2**32, size=4)) for role in "XYAB"}


def block(n, seed=0):
    """A test of n terms a group with associations of middling size at both levels."""
    rng = np.random.default_rng(seed)
    cosines = 0.1 * rng.standard_normal((2 * n, 2 * n))
    cosines[:n, :n] += 0.1 / np.sqrt(n)
    cosines[n:, n:] += 0.05 / np.sqrt(n)
    return cosines + 0.05 * rng.standard_normal((2 * n, 1)) * np.repeat([1, -1], n)


def seconds(run, times=5):
    """Processor seconds of the quickest of some runs: other work on the machine counts less."""
    taken = []
    for _ in range(times):
        start = time.process_time()
        run()
        taken.append(time.process_time() - start)
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


def relabellings(n):
    """All of a small design, 8,000 of a larger one, as rows of 0 and 1."""
    if math.comb(2 * n, n) > ENUMERATED:
        some = np.tile(np.repeat([1.0, 0.0], n), (DRAWS, 1))
        return np.random.default_rng(0).permuted(some, axis=1)
    chosen = np.array(list(itertools.combinations(range(2 * n), n)))
    every = np.zeros((len(chosen), 2 * n))
    every[np.arange(len(chosen))[:, None], chosen] = 1.0
    return every


def patterns_loop(cosines, n):
    rng, labels, found = np.random.default_rng(0), relabellings(n), []
    for _ in range(RESAMPLES):
        s = resample(cosines, n, rng)
        for u in (s[:n].mean(axis=0), s[n:].mean(axis=0)):
            d = union_d(u, n)
            sums, observed = np.sign(d) * (labels @ u), np.sign(d) * u[:n].sum()
            found.append(abs(d) > 0.2 and np.mean(sums >= observed - 1e-12) < 0.05)
    return found


def effects(cosines, n, resamples):
    layout = block_layout(cosines, n, n)
    drawn = bootstrap_effects(layout, resamples, streams_of(np.random.default_rng(0)), 1)
    return drawn, [percentile(d, 0.95) for d in drawn]


def patterns(cosines, n, drawn):
    streams, aside = streams_of(np.random.default_rng(0)), np.random.default_rng(0)
    how = {"streams": streams, "aside": aside, "rule": PatternRule()}
    return pattern_stability(block_layout(cosines, n, n), tuple(drawn[1:]), **how)


def measured(cosines, n):
    """What a result holds: intervals of the default number of resamples, and shares."""
    drawn, _ = effects(cosines, n, DEFAULT[n])
    patterns(cosines, n, drawn)


def report(n):
    cosines = block(n)
    intervals = seconds(lambda: effects(cosines, n, RESAMPLES))
    drawn, _ = effects(cosines, n, RESAMPLES)
    shares = seconds(lambda: patterns(cosines, n, drawn))
    loop = seconds(lambda: effects_loop(cosines, n), 1)
    loops = seconds(lambda: patterns_loop(cosines, n), 1)
    line(n, RESAMPLES, "intervals", intervals, loop)
    line(n, RESAMPLES, "shares of patterns", shares, loops)
    line(n, RESAMPLES, "both", intervals + shares, loop + loops)
    line(n, DEFAULT[n], "intervals and shares", seconds(lambda: measured(cosines, n), 10))
    line(
        n,
        "-",
        "influence of every term",
        seconds(lambda: influence(block_layout(cosines, n, n), 1), 30),
    )


def line(n, resamples, what, ours, other=None):
    rest = "| |" if other is None else f"{1000 * other:.0f} ms | {other / ours:.3g} |"
    print(f"| {n} | {resamples} | {what} | {1000 * ours:.1f} ms | {rest}", flush=True)


def main():
    print(
        f"python {platform.python_version()}, numpy {np.__version__}, "
        f"{platform.machine()}; both sides resampled, processor time\n"
    )
    print("| terms a group | resamples | what | eatlas | other | ratio |")
    print("| ---: | ---: | --- | ---: | ---: | ---: |")
    for n in SIZES:
        report(n)


if __name__ == "__main__":
    main()
