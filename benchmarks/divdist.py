"""Time DivDist of all 288 professions by gender and by race, on the bundled vectors.

Beside it: the loop of the published code in plain numpy, one profession and one group at a time
(cosine of the target with the mean of the group's vectors, clipped, divided by the sum, L1 from
uniform), on vectors that are looked up already. Ours looks the words up, and accounts for them.
Also the simulated level of the permutation test of labels, and the coverage of the intervals, on
vectors of random words of one kind.

Usage::

    python benchmarks/divdist.py
    python benchmarks/divdist.py --simulate 2000
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

import eatlas
from eatlas.stats.bootstrap import central
from eatlas.stats.shares import (
    MOST_LISTED,
    bootstrap_counts,
    distribution,
    label_tests,
    relabellings,
)

SAME = 1e-12


def main() -> None:
    parser = argparse.ArgumentParser(description="Time DivDist.")
    parser.add_argument("--repeats", type=int, default=15, help="runs of each; the best counts")
    parser.add_argument("--simulate", type=int, default=0, help="samples of the simulations")
    arguments = parser.parse_args()
    source = eatlas.open_vectors("glove-sample")
    tests = [one for one in eatlas.load_tests("divdist") if one.id in FAMILIES]
    brief = eatlas.DivDist(resamples=0, p="off")
    words = {word for test in tests for word in test.terms}
    vectors = {word: row.astype(np.float64) for word, row in source.lookup(words).items()}
    ours = [brief(test, source) for test in tests]
    theirs = [plain(test, vectors) for test in tests]
    for result, expected in zip(ours, theirs, strict=True):
        known = [(one.bias, expected[one.term]) for one in result.targets if one.bias is not None]
        worst = max(abs(a - b) for a, b in known)
        if worst > SAME:
            raise SystemExit(f"{result.test}: biases differ by {worst}")
    rows = [
        ("eatlas, without intervals and p", lambda: [brief(test, source) for test in tests]),
        ("plain numpy loop, looked up", lambda: [plain(test, vectors) for test in tests]),
        ("eatlas, 1,000 resamples, 10,000 relabellings", lambda: whole(tests, source)),
    ]
    for name, call in rows:
        print(f"{name:46} {best(call, arguments.repeats) * 1000:8.1f} ms")
    if arguments.simulate:
        simulate(arguments.simulate)


FAMILIES = ("divdist-gender", "divdist-race")


def plain(test: eatlas.GroupsTest, vectors: dict[str, np.ndarray]) -> dict[str, float]:
    """Biases of all targets, one after the other."""
    found = {}
    for term in test.targets.terms:
        shares = []
        for group in test.groups:
            mean = np.mean([vectors[word] for word in group.terms if word in vectors], axis=0)
            target = vectors[term]
            cosine = target @ mean / np.linalg.norm(target) / np.linalg.norm(mean)
            shares.append(max(cosine, 0.0))
        total = sum(shares)
        uniform = 1 / len(shares)
        found[term] = sum(abs(one / total - uniform) for one in shares) if total else float("nan")
    return found


def whole(tests: list[eatlas.GroupsTest], source: object) -> None:
    """As a run does it."""
    for test in tests:
        eatlas.DivDist()(test, source)


def best(call: Callable[[], object], repeats: int) -> float:
    """Seconds of processor time of the quickest of some runs."""
    times = []
    for _ in range(repeats):
        begun = time.process_time()
        call()
        times.append(time.process_time() - begun)
    return min(times)


def simulate(samples: int) -> None:
    """Level of the test of labels, and coverage of the interval of a deviation.

    Words of two groups are drawn from one population of vectors around a common direction; the
    deviation of the population is that of its two means, 0.
    """
    rng = np.random.default_rng(0)
    for sizes in ((5, 5), (8, 8), (20, 20), (8, 24), (6, 7, 8)):
        hits = covered = 0
        for _ in range(samples):
            words = rng.standard_normal((sum(sizes), 50)) + 0.6
            target = rng.standard_normal(50) + 0.6
            target /= np.linalg.norm(target)
            unit = words / np.linalg.norm(words, axis=1, keepdims=True)
            (count,) = label_tests((unit @ target)[None], sizes, permutations=999, rng=rng)
            total = relabellings(sizes)
            p = count / total if total <= MOST_LISTED else (count + 1) / 1000
            hits += bool(p <= 0.05)
            drawn = []
            for group in np.split(words, np.cumsum(sizes)[:-1]):
                means = bootstrap_counts(len(group), 500, rng) @ group
                drawn.append(means @ target / np.linalg.norm(means, axis=1))
            shares = distribution(np.stack(drawn, axis=1)) - 1 / len(sizes)
            low, high = central(shares[:, 0], 0.95)
            covered += bool(low <= 0 <= high)
        print(
            f"groups of {sizes}: p <= .05 in {hits / samples:.1%}, "
            f"95% interval holds 0 in {covered / samples:.1%} of {samples:,} samples"
        )


if __name__ == "__main__":
    main()
