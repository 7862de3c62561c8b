"""Measures called in a loop, beside ten lines of numpy; and how the time grows with the words.

A process retains what calls on one test have in common, so that there is a loop with new words in
each call as well. Run with ``python benchmarks/loops.py``. Processor time of one process, in turns,
the median.
"""

from __future__ import annotations

import itertools
import statistics
import time
import warnings

import numpy as np

import eatlas
from eatlas.stimuli import AssociationTest, Concept

PERMUTATIONS = 10_000
ROUNDS, CALLS = 5, 10
SIZES = (8, 80, 800)
"""Words a group."""


def seconds(run):
    start = time.process_time()
    run()
    return time.process_time() - start


def in_turns(**ways):
    """Median processor seconds of one call, by way; each takes its turn in every round."""
    times = {name: [] for name in ways}
    for run in ways.values():
        run()
    for _ in range(ROUNDS):
        for name, run in ways.items():
            times[name].append(seconds(lambda run=run: [run() for _ in range(CALLS)]) / CALLS)
    return {name: statistics.median(of) for name, of in times.items()}


def numpy_p(scores, n, rng):
    """One tail from random permutations, as a script would find it."""
    shuffled = rng.permuted(np.tile(scores, (PERMUTATIONS, 1)), axis=1)
    drawn = shuffled[:, :n].mean(axis=1) - shuffled[:, n:].mean(axis=1)
    observed = scores[:n].mean() - scores[n:].mean()
    return (1 + np.count_nonzero(drawn >= observed)) / (1 + PERMUTATIONS)


def unit(source, terms):
    vectors = source.lookup({*terms, *map(str.lower, terms)})
    rows = [vectors[term if term in vectors else term.lower()] for term in terms]
    rows = np.array(rows, float)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def loop_of_weat(source):
    (test,) = eatlas.load_tests("weat-6")
    whole = eatlas.WEAT()
    bare = eatlas.WEAT(resamples=0, frequency="off", adjust="none")
    rng = np.random.default_rng(0)

    def by_numpy():
        x, y, a, b = (unit(source, test.concepts[role].terms) for role in "XYAB")
        targets = np.concatenate([x, y])
        numpy_p((targets @ a.T).mean(axis=1) - (targets @ b.T).mean(axis=1), len(x), rng)

    tests = (random_test(seed, source) for seed in itertools.count())
    found = in_turns(
        numpy=by_numpy,
        bare=lambda: bare(test, source),
        default=lambda: whole(test, source),
        bare_new=lambda: bare(next(tests), source),
        default_new=lambda: whole(next(tests), source),
    )
    for name, of in found.items():
        ratio = of / found["numpy"]
        print(f"8 words a group, {name:>11}: {1e3 * of:7.2f} ms, {ratio:5.1f} times numpy")


def random_test(seed, source):
    """Eight words a group, of the 3,000 most frequent ones."""
    frequent = list(itertools.islice(source.vocabulary(), 3_000))
    words = np.random.default_rng(seed).permutation(frequent)[:32].reshape(4, 8).tolist()
    groups = {
        role: Concept(name=role, terms=tuple(of)) for role, of in zip("XYAB", words, strict=True)
    }
    return AssociationTest(id=f"random-{seed}", title="Random words", **groups)


def terms_of_sc_eat(source):
    tests = eatlas.load_tests("caliskan")
    rng, measure = np.random.default_rng(0), eatlas.SCEAT(adjust="none")
    results = []
    ours = seconds(lambda: results.extend(measure(test, source) for test in tests))
    words = sum(len(result.terms) for result in results)

    def by_numpy():
        for result in results:
            a, b = (result.coverage[role].used for role in "AB")
            attributes = unit(source, [*a, *b])
            for row in unit(source, [term.term for term in result.terms]):
                numpy_p(attributes @ row, len(a), rng)

    theirs = seconds(by_numpy)
    print(f"ten sc-eat, {words} words: {1e3 * ours / words:.2f} ms a word, all tails to 1e-6;")
    print(f"  numpy, one tail of {PERMUTATIONS:,} draws: {theirs / ours:.2f} times as long")


def growth():
    times = {}
    for n in SIZES:
        words = [f"w{i}" for i in range(4 * n)]
        rng = np.random.default_rng(0)
        source = eatlas.ArraySource(words, rng.normal(size=(4 * n, 100)))
        lists = (tuple(words[i * n : (i + 1) * n]) for i in range(4))
        groups = {
            role: Concept(name=role, terms=of) for role, of in zip("XYAB", lists, strict=True)
        }
        test = AssociationTest(id=f"{n}-a-group", title="Made", **groups)
        eatlas.MLEAT()(test, source)
        times[n] = seconds(lambda test=test, source=source: eatlas.MLEAT()(test, source))
    first = times[SIZES[0]]
    for n, of in times.items():
        print(f"ml-eat of {n} words a group: {of:.2f} s, {of / first:.1f} times {SIZES[0]}")
    print(f"  from 80 to 800: {times[800] / times[80]:.1f} times")


def main():
    warnings.simplefilter("ignore")  # of random words
    source = eatlas.open_vectors("glove-sample")
    loop_of_weat(source)
    terms_of_sc_eat(source)
    growth()


if __name__ == "__main__":
    main()
