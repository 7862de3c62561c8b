"""Intervals and p-values of PMI for counts that are independent: coverage and type I error.

Usage: python benchmarks/pmi_coverage.py
"""

from __future__ import annotations

import math
import warnings

import numpy as np

import eatlas
from eatlas import GroupsTest

WORDS = 20_000
TOTALS = {"A": 3000, "B": 2000}
CHANCES = ((0.002, 1.0), (0.01, 1.0), (0.01, 1.5), (0.05, 1.5))
"""Chance that a word near B is the target, and how many times as large it is near A."""


def main() -> None:
    warnings.simplefilter("ignore", eatlas.EatlasWarning)  # counts of 0
    rng = np.random.default_rng(0)
    targets = [f"w{i}" for i in range(WORDS)]
    test = GroupsTest(id="null", targets=targets, groups={"A": ["a"], "B": ["b"]})
    for chance, times in CHANCES:
        near = rng.binomial(list(TOTALS.values()), [chance * times, chance], (WORDS, 2)).tolist()
        rows = {w: dict(zip("AB", row, strict=True)) for w, row in zip(targets, near, strict=True)}
        result = eatlas.PMI()(test, {**rows, "(all)": TOTALS})
        known = [target for target in result.targets if target.interval]
        held = [low <= math.log(times) <= high for low, high in (t.interval for t in known)]
        print(
            f"{chance * times * TOTALS['A']:g} and {chance * TOTALS['B']:g} expected: "
            f"{len(known) / WORDS:.1%} defined, {np.mean(held):.1%} of intervals hold it, "
            f"p < .05 in {np.mean([target.p < 0.05 for target in known]):.1%}"
        )


if __name__ == "__main__":
    main()
