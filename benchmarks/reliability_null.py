"""Coefficients of reliability of lists of random words, and of lists with several factors.

    OPENBLAS_NUM_THREADS=1 python benchmarks/reliability_null.py [--tests 200]

Random words of the 20,000 most frequent ones of the bundled vectors make X, Y, A and B; nothing
holds a list together or apart from the other. Then made scores: lists of one factor each, and of
two uncorrelated ones each. Prints the median and the central 90% of the coefficients of X.
"""

from __future__ import annotations

import argparse

import numpy as np

import eatlas
from eatlas.stats.reliability import list_reliability

SIZES = (8, 25)


def row(name, found):
    values = [
        [f.first.raw_alpha for f in found],
        [f.first.alpha.value for f in found],
        [f.between.value for f in found],
    ]
    cells = []
    for one in values:
        low, middle, high = np.nanquantile(one, [0.05, 0.5, 0.95])
        cells.append(f"{middle:.2f} ({low:.2f} to {high:.2f})")
    print(f"| {name} | {' | '.join(cells)} |", flush=True)


def random_words(n, count, rng):
    source = eatlas.open_vectors("glove-sample")
    words = [w for w in source.vocabulary() if w.isalpha() and w.islower()][:20_000]
    for _ in range(count):
        chosen = rng.choice(words, size=4 * n, replace=False).tolist()
        found = source.lookup(set(chosen))
        rows = np.array([found[w] for w in chosen], dtype=float)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        cosines = rows[: 2 * n] @ rows[2 * n :].T
        yield list_reliability(cosines[:n], cosines[n:], rng=rng, resamples=1)


def made(n, factors, count, rng):
    for _ in range(count):
        common = rng.normal(size=2 * n)
        lists = []
        for _ in range(2):
            own = rng.normal(size=(factors, 2 * n))
            lists.append(common + own[np.arange(n) % factors] + 0.5 * rng.normal(size=(n, 2 * n)))
        yield list_reliability(*lists, rng=rng, resamples=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tests", type=int, default=200)
    count, rng = parser.parse_args().tests, np.random.default_rng(0)
    print("| lists | raw alpha | alpha | between lists |")
    print("| --- | ---: | ---: | ---: |")
    for n in SIZES:
        row(f"random words, {n} v {n}", list(random_words(n, count, rng)))
        row(f"one factor a list, {n} v {n}", list(made(n, 1, count, rng)))
        row(f"two factors a list, {n} v {n}", list(made(n, 2, count, rng)))


if __name__ == "__main__":
    main()
