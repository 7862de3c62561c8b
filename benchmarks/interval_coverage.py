"""How often nominal 95% bootstrap intervals of an effect size hold the population's value.

Lists of terms are drawn from populations whose effect size is known, and each interval is asked
whether it holds that value. Prints Markdown tables, and the mean and the lowest share by length of
lists. Takes about 10 minutes on one core.

    OPENBLAS_NUM_THREADS=1 python benchmarks/interval_coverage.py [--tables NAME ...]

What is to be held is the effect size of endless lists: means and standard deviations become those
of the populations, with half of the union in each group,

    d = gap / sqrt(variance within groups + gap**2 / 4).

- both: targets and attributes are drawn from a model. The cosine of target i of group g (+-1) and
  attribute j of group h (+-1) is

      c_j + h t_i / 2 + g b_j / 2 + e_ij,

  with c, b of variance 1, t of variance 1 about +-gap / 2, and e with the standard deviation
  "noise". Targets differ in their association (random slopes t), and attributes in how they tell
  the target groups apart (random slopes b). Level 1 scores a target by t_i and what is left of the
  noise, of variance 2 noise**2 / n; level 2 of X scores an attribute by c_j + b_j / 2 and
  noise**2 / n. That part does not vanish in lists of n terms, so there are two values to hold: d of
  endless lists of units scored by lists of this length ("n"), and by endless lists ("endless").
- real: the 25 to 32 terms a group of three tests on the bundled vectors are the population, lists
  are drawn from them with replacement.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

import eatlas
from eatlas.stats.bootstrap import (
    Layout,
    block_layout,
    bootstrap_effects,
    percentile,
)

SIZES = (6, 8, 25)
EFFECTS = (0.0, 0.8, 1.5)
NOISES = (1.0, 2.0, 4.0)
"""Standard deviation of noise over that of the targets' slopes: 0.9 to 3.9 in the ten tests of
Caliskan et al. on the bundled vectors, by variance components, 2 in the middle."""
REAL = ("weat-1", "weat-2", "weat-3")
LISTS = 20_000
"""Lists from which the effect size in lists of one length is found in the real table."""

Draw = Callable[[np.random.Generator, int | tuple[int, int]], np.ndarray]
SHAPES: dict[str, Draw] = {
    "normal": lambda r, n: r.standard_normal(n),
    "skewed": lambda r, n: (r.chisquare(3, n) - 3) / np.sqrt(6),
    "heavy": lambda r, n: r.standard_t(4, n) / np.sqrt(2),
}
"""Mean 0 and variance 1: normal, chi-square with 3 degrees of freedom, t with 4."""


def streams_of(rng: np.random.Generator) -> dict[str, np.random.Generator]:
    """A generator for each group of a test, of numbers from one generator."""
    return {role: np.random.default_rng(rng.integers(0, 2**32, size=4)) for role in "XYAB"}


@dataclass(frozen=True)
class World:
    """Where tests are drawn from, and what their intervals are asked for."""

    head: tuple[str, ...]
    """The first cells of its lines."""
    n: int
    sample: Callable[[np.random.Generator], tuple[np.ndarray, int, int]]
    """A block of cosines and the sizes of X and A."""
    asked: tuple[tuple[str, str, float], ...]
    """Which level, against what, and the value to hold."""


def gap(d: float) -> float:
    """Difference of means with an effect size of d where variances within groups are 1."""
    return float(d / np.sqrt(1 - d**2 / 4))


def size_of(difference: float, within: float) -> float:
    return float(difference / np.sqrt(within + difference**2 / 4))


def interval(layout: Layout, resamples: int, rng: np.random.Generator, level: int):
    """Percentile interval of one effect size; NaN without spread."""
    d = bootstrap_effects(layout, resamples, streams_of(rng), 1, level + 1)[level]
    return percentile(d[~np.isnan(d)], 0.95)[0]


def crossed(shape: Draw, noise: float, n: int, d: float):
    group = np.repeat([1.0, -1.0], n)

    def sample(rng):
        slopes = shape(rng, 2 * n) + group * gap(d) / 2
        block = shape(rng, 2 * n) + np.outer(slopes, group) / 2
        block += np.outer(group, shape(rng, 2 * n)) / 2 + noise * shape(rng, (2 * n, 2 * n))
        return block, n, n

    return sample


def two_sides() -> Iterator[World]:
    worlds = [("normal", noise) for noise in NOISES] + [("skewed", 2.0), ("heavy", 2.0)]
    for name, noise in worlds:
        for n in SIZES:
            for d in EFFECTS:
                half = gap(d) / 2
                asked = [
                    ("level1", "n", size_of(gap(d), 1 + 2 * noise**2 / n)),
                    ("level2_x", "n", size_of(half, 1.25 + noise**2 / n)),
                ]
                if d:
                    asked.insert(1, ("level1", "endless", d))
                    asked.append(("level2_x", "endless", size_of(half, 1.25)))
                sample = crossed(SHAPES[name], noise, n, d)
                yield World((name, f"{noise:g}"), n, sample, tuple(asked))


def real() -> Iterator[World]:
    """Terms of three tests as populations."""
    source, measure = eatlas.open_vectors("glove-sample"), eatlas.MLEAT(resamples=0)
    for test in (one for one in eatlas.load_tests("caliskan") if one.id in REAL):
        found = measure(test, source)
        block = np.array(found.similarities)
        n_x, n_a = len(found.coverage.X.used), len(found.coverage.A.used)
        for n in SIZES:
            asked = []
            for level, units in (("level1", block), ("level2_x", block[:n_x].T)):
                split = (n_x, n_a) if level == "level1" else (n_a, None)
                for against, length in (("n", n), ("endless", None)):
                    asked.append((level, against, population(units, *split, length)))
            yield World((test.id, "glove"), n, resampled_from(block, n_x, n_a, n), tuple(asked))


def population(units: np.ndarray, n: int, split: int | None, length: int | None) -> float:
    """Effect size of endless lists of units, scored by lists of one length or by all terms.

    `split`: where the other side's groups meet; None if it has one group (level 2).
    """
    rng, scores = np.random.default_rng(0), 0.0
    parts = np.split(units, [split], axis=1) if split else [units]
    for sign, part in zip((1, -1), parts, strict=False):
        if length is None:
            scores = scores + sign * part.mean(axis=1, keepdims=True)
        else:
            k = part.shape[1]
            weights = rng.multinomial(length, np.full(k, 1 / k), LISTS) / length
            scores = scores + sign * part @ weights.T
    first, second = scores[:n], scores[n:]
    within = (first.var(axis=0).mean() + second.var(axis=0).mean()) / 2
    return size_of(first.mean() - second.mean(), within)


def resampled_from(block: np.ndarray, n_x: int, n_a: int, n: int):
    """Lists of n terms of each group, with replacement."""
    ends = (n_x, len(block)), (n_a, block.shape[1])

    def sample(rng):
        rows, columns = (
            np.concatenate([rng.integers(0, cut, n), rng.integers(cut, end, n)])
            for cut, end in ends
        )
        return block[np.ix_(rows, columns)], n, n

    return sample


TABLES = {
    "both": (two_sides, "components | noise"),
    "real": (real, "test | vectors"),
}


def simulate(world: World, seed: int, given: argparse.Namespace) -> np.ndarray:
    """Ends of the intervals of levels 1 and 2, shape (simulations, 2, 2)."""
    rng = np.random.default_rng([given.seed, seed])
    layouts = [block_layout(*world.sample(rng)) for _ in range(given.simulations)]
    return np.array(
        [[interval(layout, given.resamples, rng, level) for level in (0, 1)] for layout in layouts]
    )


def lines(world: World, found: np.ndarray, shares: dict) -> Iterator[str]:
    """Share of intervals that hold the value, and their median width."""
    for level, against, truth in world.asked:
        name = {"level1": "1", "level2_x": "2"}[level]
        cells = [*world.head, name, f"{world.n} v {world.n}", against, f"{truth:.2f}"]
        ends = found[:, int(name == "2")]
        held = np.mean((ends[:, 0] <= truth) & (truth <= ends[:, 1]))
        shares[world.n, against].append(held)
        cells.append(f"{held:.3f} ({np.nanmedian(ends[:, 1] - ends[:, 0]):.2f})")
        yield f"| {' | '.join(cells)} |"


def summary(shares: dict) -> Iterator[str]:
    yield "| lists | against | interval |"
    yield "|" + " --- |" * 3
    for (n, against), some in shares.items():
        held = f"{np.mean(some):.3f} ({min(some):.3f} to {max(some):.3f})"
        yield f"| {n} v {n} | {against} | {held} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--simulations", type=int, default=1000)
    parser.add_argument("--resamples", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=20240806)
    every = [*TABLES]
    parser.add_argument("--tables", nargs="*", choices=every, default=every)
    given = parser.parse_args()
    start = time.perf_counter()
    print(f"{given.simulations} simulated tests a line, {given.resamples} resamples each,")
    print(f"seed {given.seed}. Share of intervals that hold d (median width).")
    for name in given.tables:
        worlds, heads = TABLES[name]
        shares: dict = defaultdict(list)
        print(f"\n| {heads} | level | lists | against | d | interval |")
        print("|" + " --- |" * 7)
        for i, world in enumerate(worlds()):
            for line in lines(world, simulate(world, i, given), shares):
                print(line, flush=True)
        print("\nMean, lowest and highest share of this table:\n", *summary(shares), sep="\n")
    error = np.sqrt(0.95 * 0.05 / given.simulations)
    print(f"\nstandard error of a share of .95: {error:.4f}; {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
