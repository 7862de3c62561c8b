"""Permutation tests of scores with outliers and heavy tails, against counts made another way.

    python tools/fuzz_permutation.py [--designs 10000] [--first 0] [--largest 600]

Cauchy scores, scores of Student's t with 2 degrees of freedom, and normal or whole-numbered scores
with one to three outliers of 10 to 10**9 standard deviations; 10 to 600 scores, groups of equal and
unequal size. Every design has a seed; `tests/stats/permutation/outlying.py` says what it is checked
against. Each disagreement and each exception is printed. The exit status is 1 if there is one.
"""

from __future__ import annotations

import argparse
import collections
import sys
import time
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.stats.permutation.outlying import TAILS, check


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--designs", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0, help="seed of the first design")
    parser.add_argument("--largest", type=int, default=600, help="scores at most")
    given = parser.parse_args()
    warnings.simplefilter("error")
    methods, wrong = collections.Counter(), 0
    start = time.perf_counter()
    for done, seed in enumerate(range(given.first, given.first + given.designs), 1):
        label, result, found = check(seed, given.largest)
        for line in found:
            print(f"{label}: {line}", flush=True)
        wrong += bool(found)
        tails = [getattr(result, name) for name in TAILS] if result else []
        methods.update(tail.method for tail in tails)
        if done % 500 == 0:
            print(f"{done} designs, {time.perf_counter() - start:.0f} s, {wrong} wrong", flush=True)
    print(f"{given.designs} designs: {wrong} wrong; tails by method: {dict(methods)}")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
