"""Associations of random words given their frequency: false positives, power and intervals.

    python benchmarks/adjusted.py glove.6B.50d.txt [--tests 2000] [--tables NAME ...] [--degree 2]

The words are the 30,000 most frequent ones of a GloVe text (lower-cased words of letters alone),
the covariates log rank and its square. A is of ranks up to 2,000 and B of 10,000 to 30,000, so that
frequency alone associates words. X and Y are random words of two ranges of ranks, and three
scores of them are tested two-sided at .05: level 1, s(w, A, B); and, as level 2 has it with X and Y
for attributes, the mean cosine with A, frequent targets, and with B, rare ones. Three tests: plain
permutation of labels; permutation of residuals (Freedman and Lane), for these words; and the
crossed test at equal covariates, for other words.

- level: how often each of the three rejects.
- power: X and Y of one range, A and B too; a multiple of the standard deviation is added to the
  scores of X.
- coverage: how often the 95% interval of the crossed test at level 1 holds the adjusted effect size
  of endless lists of such words, scored by lists of this length; cosines higher by 0 and by 0.1
  are planted.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from eatlas import kernels
from eatlas.stats.facets import ContrastTest, Facet, contrast_test
from eatlas.stats.permutation import permutation_test
from eatlas.stats.regression import Regression, regression_test

Range = tuple[int, int]
ALPHA, RANKS = 0.05, 30_000
ALL, FREQUENT, RARE = (0, RANKS), (0, 2_000), (10_000, RANKS)
DESIGNS: dict[str, tuple[Range, Range]] = {
    "alike": (ALL, ALL),
    "overlapping": ((0, 8_000), (1_000, 20_000)),
    "disjoint": ((0, 3_000), (3_000, RANKS)),
    "far apart": ((0, 1_000), (8_000, RANKS)),
}
SIZES = (8, 25)
SHIFTS = {8: (1.0, 1.5, 2.0), 25: (0.5, 0.75, 1.0)}
LISTS = 500
"""Lists of attributes from which the effect size of endless lists of targets is found."""


class Words:
    """Unit vectors of the words, in order of frequency."""

    def __init__(self, path: Path, degree: int = 2) -> None:
        self.degree = degree
        places, rows = [], []
        with path.open(encoding="utf-8") as lines:
            for rank, line in zip(range(RANKS), lines, strict=False):
                word, *numbers = line.rstrip("\n").split(" ")
                if word.isalpha():
                    places.append(rank)
                    rows.append(np.array(numbers, np.float64))
        self.ranks = np.array(places) + 1
        self.rows = kernels.unit_rows(np.array(rows))

    def draw(self, ranges: list[Range], n: int, rng: np.random.Generator) -> list[np.ndarray]:
        """Lists of different words, one of each range."""
        lists, free = [], np.ones(len(self.ranks), bool)
        for ends in ranges:
            low, high = np.searchsorted(self.ranks, ends, side="right")
            pool = low + np.flatnonzero(free[low:high])
            lists.append(rng.choice(pool, n, replace=False))
            free[lists[-1]] = False
        return lists

    def covariates(self, words: np.ndarray) -> np.ndarray:
        """Powers of the log rank."""
        x = np.log(self.ranks[words])
        x = x - x.mean()
        return np.column_stack([x**power for power in range(1, self.degree + 1)])


def crossed_test(
    table: np.ndarray, regression: Regression, attributes: Sequence[int]
) -> ContrastTest:
    """The crossed test at equal covariates of the targets."""
    return contrast_test(table, [Facet.of_regression(regression), Facet.of_groups(attributes)])


def scores_of(table: np.ndarray, columns: Sequence[int]) -> np.ndarray:
    """Scores of the rows: mean over the first group of columns less the mean over the second."""
    means = [part.mean(axis=1) for part in np.split(table, np.cumsum(columns)[:-1], axis=1)]
    return means[0] - means[1] if len(means) > 1 else means[0]


def p_values(
    tables: Sequence[np.ndarray], n: int, z: np.ndarray, draws: int, rng: np.random.Generator
) -> np.ndarray:
    """Two-sided p of each table: plain, Freedman and Lane's, crossed at equal covariates."""
    columns = [(n,) * (table.shape[1] // n) for table in tables]
    scores = np.array([scores_of(*each) for each in zip(tables, columns, strict=True)])
    how = {} if n <= min(SIZES) else {"method": "sampled", "draws": draws, "rng": rng}
    plain = [permutation_test(row, n, **how).two_sided.p for row in scores]
    seed = int(rng.integers(1 << 32))  # the orders of one seed err alike in all tests of a size
    adjusted = [
        p.two_sided.p for p in regression_test(scores, n, z, permutations=draws, seed=seed).p
    ]
    regression = Regression.of(2 * n, n, z)
    crossed = [
        crossed_test(table, regression, sizes).p_two_sided
        for table, sizes in zip(tables, columns, strict=True)
    ]
    return np.array([plain, adjusted, crossed])


def level(words: Words, sizes: Sequence[int], tests: int, draws: int) -> Iterator[str]:
    """Rejections where nothing but frequency associates the words."""
    yield "| X and Y v | ranks of X | ranks of Y | shared | level 1 | 2, frequent | 2, rare |"
    for n in sizes:
        for i, (name, ranges) in enumerate(DESIGNS.items()):
            rejected, shared = np.zeros((3, 3)), 0.0
            for seed in range(tests):
                rng = np.random.default_rng([n, i, seed])
                a, b, x, y = words.draw([FREQUENT, RARE, *ranges], n, rng)
                targets = np.concatenate([x, y])
                z = words.covariates(targets)
                table = words.rows[targets] @ words.rows[np.concatenate([a, b])].T
                tables = (table, table[:, :n], table[:, n:])
                rejected += p_values(tables, n, z, draws, rng) <= ALPHA
                shared += Regression.of(2 * n, n, z).shared
            rates = rejected / tests
            cells = [", ".join(f"{rate:.3f}" for rate in of_level) for of_level in rates.T]
            spans = [f"{low:,} to {high:,}" for low, high in ranges]
            about = [f"{n} v {n}, {name}", *spans, f"{shared / tests:.2f}"]
            yield f"| {' | '.join([*about, *cells])} |"


def power(words: Words, sizes: Sequence[int], tests: int, draws: int) -> Iterator[str]:
    """Rejections of a planted association at level 1 where no list differs in frequency."""
    yield "| X and Y v | planted, standard deviations | plain | Freedman and Lane | crossed |"
    for n in sizes:
        for shift in SHIFTS[n]:
            rejected = np.zeros((3, 1))
            for seed in range(tests):
                rng = np.random.default_rng([n, int(100 * shift), seed])
                a, b, x, y = words.draw([ALL] * 4, n, rng)
                targets = np.concatenate([x, y])
                table = words.rows[targets] @ words.rows[np.concatenate([a, b])].T
                table[:n, :n] += shift * scores_of(table, (n, n)).std()
                z = words.covariates(targets)
                rejected += p_values([table], n, z, draws, rng) <= ALPHA
            cells = " | ".join(f"{rate:.3f}" for rate in (rejected / tests)[:, 0])
            yield f"| {n} v {n} | {shift:g} | {cells} |"


def endless(words: Words, ranges: tuple[Range, Range], n: int, shift: float) -> float:
    """Adjusted effect size of all words of two ranges, each list with half of the weight."""
    rng = np.random.default_rng(0)
    groups = [np.arange(*np.searchsorted(words.ranks, ends, side="right")) for ends in ranges]
    targets = np.concatenate(groups)
    weights = np.concatenate([np.full(len(g), 0.5 / len(g)) for g in groups])
    lists = [words.draw([FREQUENT, RARE], n, rng) for _ in range(LISTS)]
    directions = np.array([words.rows[a].mean(0) - words.rows[b].mean(0) for a, b in lists])
    scores = words.rows[targets] @ directions.T
    label = (np.arange(len(targets)) < len(groups[0]))[:, None]
    scores += label * shift
    spread = np.sqrt(weights @ scores**2 - (weights @ scores) ** 2)
    design = np.column_stack([np.ones(len(targets)), words.covariates(targets), label])
    root = np.sqrt(weights)[:, None]
    g = np.linalg.lstsq(design * root, scores.mean(axis=1) * root[:, 0], rcond=None)[0][-1]
    return float(g / spread.mean())


def coverage(words: Words, sizes: Sequence[int], tests: int, draws: int) -> Iterator[str]:  # noqa: ARG001
    """Share of intervals that hold the effect size, and their median width."""
    yield "| X and Y v | planted | adjusted d | held | median width |"
    for n in sizes:
        for i, (name, ranges) in enumerate(DESIGNS.items()):
            for shift in (0.0, 0.1):
                truth = endless(words, ranges, n, shift)
                ends = []
                for seed in range(tests):
                    rng = np.random.default_rng([n, i, seed])
                    a, b, x, y = words.draw([FREQUENT, RARE, *ranges], n, rng)
                    targets, attributes = np.concatenate([x, y]), np.concatenate([a, b])
                    block = words.rows[targets] @ words.rows[attributes].T
                    block[:n, :n] += shift
                    regression = Regression.of(2 * n, n, words.covariates(targets))
                    found = crossed_test(block, regression, (n, n))
                    spread = scores_of(block, (n, n)).std(ddof=1)
                    ends.append((found.low / spread, found.high / spread))
                low, high = np.array(ends).T
                held = np.mean((low <= truth) & (truth <= high))
                cells = f"{held:.3f} | {np.median(high - low):.2f}"
                yield f"| {n} v {n}, {name} | {shift:g} | {truth:.2f} | {cells} |"


TABLES = {"level": level, "power": power, "coverage": coverage}


def main() -> None:
    """Print Markdown tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("vectors", type=Path, help="a GloVe text, words in order of frequency")
    parser.add_argument("--tests", type=int, default=2000)
    parser.add_argument("--draws", type=int, default=999)
    parser.add_argument("--tables", nargs="*", choices=[*TABLES], default=[*TABLES])
    parser.add_argument("--sizes", nargs="*", type=int, choices=SIZES, default=SIZES)
    parser.add_argument("--degree", type=int, default=2, help="of the trend in the log rank")
    given = parser.parse_args()
    words = Words(given.vectors, given.degree)
    for name in given.tables:
        for line in TABLES[name](words, given.sizes, given.tests, given.draws):
            print(line, flush=True)
        print()


if __name__ == "__main__":
    main()
