"""Type I error of permutation tests of RND, SemAxis and SAME: groups that differ by chance.

Vectors are random in direction and length, so that every word could be in either group. Printed is
the share of sets whose two-sided p is at most .01, .05 and .10.

Usage: python benchmarks/earlier_null.py [--sets 1500]
"""

from __future__ import annotations

import argparse

import numpy as np

import eatlas
from eatlas import ArraySource, Concept, GroupsTest

SIZES = {"targets": 12, "first": 7, "second": 6}
MEASURES = ("rnd", "rnd(vectors=raw)", "rnd(distance=cosine)", "semaxis", "same")
LEVELS = (0.01, 0.05, 0.1)


def main() -> None:
    parser = argparse.ArgumentParser(description="Type I error of RND, SemAxis and SAME.")
    parser.add_argument("--sets", type=int, default=1500)
    sets = parser.parse_args().sets
    concepts = [
        Concept(name=name, terms=[f"{name}{i}" for i in range(size)])
        for name, size in SIZES.items()
    ]
    test = GroupsTest(id="null", targets=concepts[0], groups=concepts[1:], reference="uniform")
    rng = np.random.default_rng(0)
    for measure in map(eatlas.get_measure, MEASURES):
        found = np.array([p_of(measure, test, rng) for _ in range(sets)])
        print(f"{measure}:", *(f"{level}: {np.mean(found <= level):.3f}" for level in LEVELS))


def p_of(measure: eatlas.measures.Measure, test: GroupsTest, rng: np.random.Generator) -> float:
    lengths = rng.lognormal(0, 0.5, (len(test.terms), 1))
    rows = rng.standard_normal((len(test.terms), 10)) * lengths
    return float(measure(test, ArraySource(test.terms, rows, name="random")).p_values.two_sided)


if __name__ == "__main__":
    main()
