"""Statistics of sentence tests after encoding, beside the loop of sent-bias, and of corpora.

Run: python benchmarks/sentences.py [--dim 384] [--draws 100000] [--big 64000]

(a) ML-EAT with p-values, intervals and all, of every test of the battery sent-caliskan, on vectors
that are already there. Figures are processor seconds, the best of three.
(b) Level 1 of one test by the loop of published code, 100,000 shuffles, beside ours.
(c) One test of 64 stimuli with 1,000 sentences each.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

import eatlas
from eatlas.measures.association import AssociationMeasure
from eatlas.sources import ArraySource, Source
from eatlas.stimuli import AssociationTest, Concept

SMALL = "sent-weat-6"
"""The test of the comparison: 128 target sentences."""


def encoded(tests: list[AssociationTest], dim: int, seed: int = 0) -> ArraySource:
    """Vectors in which sentences of one stimulus are alike, and all have something in common."""
    rng = np.random.default_rng(seed)
    common = rng.standard_normal(dim)
    about: dict[str, NDArray[np.float64]] = {}
    found = {}
    for test in tests:
        for _, concept in test.parts:
            for text, stimulus in concept.stimulus_of.items():
                if stimulus not in about:
                    about[stimulus] = common + rng.standard_normal(dim)
                found.setdefault(text, about[stimulus] + 0.7 * rng.standard_normal(dim))
    return ArraySource(list(found), np.array(list(found.values()), dtype=np.float32))


def corpus(stimuli: int, sentences: int) -> AssociationTest:
    """A test whose stimuli have so many sentences each."""

    def concept(role: str) -> Concept:
        return Concept(
            name=role,
            sentences=[
                {"text": f"A sentence of {role}{i} that stands in the corpus as number {j}.",
                 "stimulus": f"{role}{i}"}
                for i in range(stimuli // 4)
                for j in range(sentences)
            ],
        )  # fmt: skip

    return AssociationTest(id="corpus", **{role: concept(role) for role in "XYAB"})


def seconds(work: Callable[[], Any], repeats: int = 3) -> float:
    """Processor time of the best of some calls."""
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def shuffles(x: Mapping[str, NDArray[np.float64]], draws: int) -> float:
    """P-value of level 1 by the loop of published code: shuffle the indices, sum both halves."""
    rng = np.random.default_rng(0)
    a, b = x["A"].mean(axis=0), x["B"].mean(axis=0)
    s = np.concatenate([x["X"], x["Y"]]) @ (a - b)
    n = len(x["X"])
    observed, indices, reached = s[:n].sum() - s[n:].sum(), np.arange(s.size), 0
    for _ in range(draws):
        rng.shuffle(indices)
        first = s[indices[:n]].sum()
        second = s[indices[n:]].sum()
        reached += bool(first - second >= observed)
    return (reached + 1) / (draws + 1)


def each_test(tests: list[AssociationTest], source: Source) -> list[float]:
    """(a) Print a line a test."""
    measure = eatlas.MLEAT()
    found = []
    for test in tests:
        took = seconds(lambda test=test: measure(test, source))
        sizes = "+".join(str(len(test.concept(role).terms)) for role in "XYAB")
        print(f"  {test.id:14} {sizes:18} {took:6.2f} s", flush=True)
        found.append(took)
    print(f"  slowest {max(found):.2f} s, all {sum(found):.1f} s")
    return found


def beside_the_loop(test: AssociationTest, source: ArraySource, draws: int) -> None:
    """(b) Level 1 alone, ours with three exact tails over sentences and over stimuli."""
    found = source.lookup(set(test.terms))
    rows = {}
    for role, concept in test.parts:
        vectors = np.array([found[t] for t in concept.terms], dtype=np.float64)
        rows[role] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    measure: AssociationMeasure = eatlas.WEAT(resamples=0)
    loop = seconds(lambda: shuffles(rows, draws), 1)
    ours = seconds(lambda: measure(test, source))
    print(
        f"  {test.id}: loop of {draws} shuffles {loop:.2f} s, ours {ours:.3f} s: {loop / ours:.0f}x"
    )


def big(sentences: int, dim: int) -> None:
    """(c) 64 stimuli with so many sentences in all."""
    test = corpus(64, sentences // 64)
    source = encoded([test], dim)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    start, clock = time.process_time(), time.perf_counter()
    result = eatlas.MLEAT()(test, source)
    took, wall = time.process_time() - start, time.perf_counter() - clock
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    methods = sorted({
        str(level.p.method) for level in (result.level1, result.level2.X, result.level2.Y)
    })  # fmt: skip
    size = len(json.dumps(result.to_dict())) / 1e6
    print(
        f"  {sentences} sentences of {dim} dimensions: {took:.1f} s processor, {wall:.1f} s wall; "
        f"peak memory {peak:.2f} GiB, {before:.2f} before; p by {', '.join(methods)}; "
        f"JSON {size:.1f} MB"
    )


def main() -> None:
    """Run all three."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dim", type=int, default=384)
    parser.add_argument("--draws", type=int, default=100_000)
    parser.add_argument("--big", type=int, default=64_000)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    tests = list(eatlas.load_tests("sent-caliskan"))
    source = encoded(tests, given.dim)
    print(f"(a) ML-EAT of encoded sentences, {given.dim} dimensions")
    each_test(tests, source)
    print("(b) beside the loop of published code")
    beside_the_loop(next(test for test in tests if test.id == SMALL), source, given.draws)
    print("(c) corpus sentences")
    big(given.big, 768)


if __name__ == "__main__":
    main()
