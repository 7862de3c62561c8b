"""Batched exact tests: rows a second, beside a loop over permutation_test.

Run with ``python benchmarks/batched.py``. Each figure is the best of several runs after one that
loads (and the first time compiles) what the design needs. Three tails, equal counts are checked.
"""

from __future__ import annotations

import platform
import time

import numpy as np

from eatlas.stats.permutation import permutation_test
from eatlas.stats.permutation.batch import permutation_tests
from eatlas.stats.permutation.problem import TAILS

DESIGNS = [(8, 8, 100_000), (6, 6, 100_000), (6, 10, 100_000), (10, 10, 20_000), (12, 12, 10_000)]
"""Group sizes and rows."""
LOOP = 200
"""Rows of the loop."""
RUNS = 5


def best(run):
    """The result of a run, and the seconds of the quickest of several."""
    result, times = run(), []
    for _ in range(RUNS):
        start = time.perf_counter()
        result = run()
        times.append(time.perf_counter() - start)
    return result, min(times)


def main():
    print(f"python {platform.python_version()}, numpy {np.__version__}, {platform.machine()}")
    print(
        f"{'design':>8} {'rows':>8} {'rows/s':>10} {'loop, rows/s':>13} {'ratio':>6}  same counts"
    )
    for n, m, many in DESIGNS:
        rows = np.random.default_rng(n * m).standard_normal((many, n + m)) * 0.1
        found, batched = best(lambda s=rows, k=n: permutation_tests(s, k, scale=1.0))
        singles, loop = best(
            lambda s=rows, k=n: [permutation_test(row, k, scale=1.0) for row in s[:LOOP]]
        )
        same = all(
            row[:LOOP].tolist() == [getattr(one, tail).count for one in singles]
            for tail, row in zip(TAILS, found, strict=True)
        )
        speed, slow = many / batched, LOOP / loop
        print(
            f"{n} v {m}".rjust(8),
            f"{many:>8,} {speed:>10,.0f} {slow:>13,.0f} {speed / slow:>6.0f}  {same}",
        )


if __name__ == "__main__":
    main()
