"""How often independent series are called correlated, by three nulls.

    python benchmarks/correlation_null.py

Pairs of independent autoregressions of 10 and of 20 periods, with coefficient 0 to 0.9, and random
walks (1.0): the null of a correlation of two series, a permutation test that ignores the order in
time, and a permutation test of the changes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from eatlas_workbench.stats.series import series_correlation

PAIRS, ALPHA, DRAWS = 1_000, 0.05, 999
PERIODS = (10, 20)
AUTOCORRELATIONS = (0.0, 0.5, 0.8, 0.9, 1.0)


def series(n: int, phi: float, seed: int) -> Iterator[NDArray[np.float64]]:
    """Independent Gaussian autoregressions of order 1; random walks for phi of 1."""
    for steps in np.random.default_rng(seed).normal(size=(PAIRS, n)):
        made = [steps[0] / math.sqrt(1 - phi**2) if phi < 1 else steps[0]]
        for step in steps[1:]:
            made.append(phi * made[-1] + step)
        yield np.array(made)


def main() -> None:
    """Print a row of a Markdown table for each number of periods and autocorrelation."""
    print("| periods | autocorrelation | p | order in time ignored | changes |")
    print("| ---: | ---: | ---: | ---: | ---: |")
    for n in PERIODS:
        for phi in AUTOCORRELATIONS:
            found = [
                series_correlation(
                    x, y, rng=np.random.default_rng([3, k]), permutations=DRAWS, resamples=0
                )
                for k, (x, y) in enumerate(zip(series(n, phi, 1), series(n, phi, 2), strict=True))
            ]
            rates = [
                np.mean([p <= ALPHA for p in some])
                for some in zip(
                    *((one.p, one.unordered.p, one.changes.p) for one in found), strict=True
                )
            ]
            cells = " | ".join(f"{rate:.3f}" for rate in rates)
            print(f"| {n} | {phi:g} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
