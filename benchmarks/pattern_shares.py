"""What shares of resamples say of studies with other terms: a calibration.

Lists of targets and attributes are drawn from worlds without end. New studies draw other lists of
the same length from the same world and find their pattern by the measure's rule; `truth` is the
share of 1,500 of them that show a pattern. Beside it stand mean shares of resamples: of the terms
once (what results give), and twice, each resample resampled again (the iterated bootstrap, whose
lists vary about those at hand as two studies vary about one another). Prints Markdown tables.
Takes about 10 minutes on one core.

    OPENBLAS_NUM_THREADS=1 python benchmarks/pattern_shares.py [--lists 120] [--resamples 400]

Worlds:

- vectors: terms are random directions of 50 dimensions about the mean of their group; the means of
  A and B differ by 3 in the first, of X and Y lie at `x` and `y` there, in units of the deviation
  of a component.
- components: the cosine of a target of X (of Y) and an attribute of group h (+-1) is
  c_j + (x or y) h / 2 + b_j (X) or - b_j (Y) + t_i h / 2 + e_ij, with deviations 1, .5, .7 and 2.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

from eatlas.stats.bootstrap import block_layout
from eatlas.stats.designs import Judge

ALPHA, THRESHOLD = 0.05, 0.2
LABELS = (
    *("A-Uniform", "AX-Singular", "AB-Divergent"),
    *("AY-Singular", "Non-Directional", "BY-Singular"),
    *("BA-Divergent", "BX-Singular", "B-Uniform"),
)
POSITIONS = ((0.0, 0.0), (1.0, -1.0), (1.0, 0.0), (2.0, 2.0), (3.0, -3.0), (3.0, 0.0))
EFFECTS = ((0.0, 0.0), (1.0, -1.0), (1.0, 0.0), (1.5, 1.5), (3.0, -3.0), (3.0, 0.0))
BINS = (
    (0.0, 0.3),
    (0.3, 0.4),
    (0.4, 0.5),
    (0.5, 0.6),
    (0.6, 0.7),
    (0.7, 0.8),
    (0.8, 0.9),
    (0.9, 1.01),
)

Draw = Callable[[np.random.Generator, int], np.ndarray]


def vectors(x: float, y: float) -> Draw:
    def group(rng: np.random.Generator, at: float, n: int) -> np.ndarray:
        rows = rng.standard_normal((n, 50))
        rows[:, 0] += at
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    def draw(rng: np.random.Generator, n: int) -> np.ndarray:
        targets = np.concatenate([group(rng, x, n), group(rng, y, n)])
        return targets @ np.concatenate([group(rng, 1.5, n), group(rng, -1.5, n)]).T

    return draw


def components(x: float, y: float) -> Draw:
    def draw(rng: np.random.Generator, n: int) -> np.ndarray:
        half, both = np.repeat([0.5, -0.5], n), rng.normal(0, 0.5, 2 * n)
        common, slopes = rng.standard_normal(2 * n), rng.normal(0, 0.7, (2 * n, 1))
        block = common + slopes * half + rng.normal(0, 2, (2 * n, 2 * n))
        block[:n] += x * half + both
        block[n:] += y * half - both
        return block

    return draw


def patterns(blocks: list[np.ndarray], weights: list[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """Place of the pattern of each set of weights of each block."""
    size = blocks[0].shape[1]
    n, scores, d = size // 2, ([], []), ([], [])
    for block, (targets, attributes) in zip(blocks, weights, strict=True):
        layout = block_layout(block, n, n)
        for i, where in enumerate((slice(0, n), slice(n, None))):
            level, weights_ = layout.levels[1 + i], (attributes.T, targets[:, where].T)
            rows = level.moments(*weights_)[0].T
            counts = attributes.astype(int)
            scores[i].append(np.repeat(rows.ravel(), counts.ravel()).reshape(rows.shape))
            d[i].append(level.effects(*weights_, 1))
    signs = []
    for i in range(2):
        judge = Judge(size, n, ALPHA, two_sided=False, samples=1024, rng=np.random.default_rng(0))
        every = np.concatenate(scores[i]), np.concatenate(d[i])
        signs.append(judge.associations(*every, THRESHOLD))
    return 3 * (1 - signs[0]) + 1 - signs[1]


def once(rng: np.random.Generator, n: int, count: int) -> np.ndarray:
    """How often each term of two groups is in each resample."""
    even = np.full(n, 1 / n)
    return np.concatenate([rng.multinomial(n, even, count) for _ in range(2)], axis=1).astype(float)


def again(rng: np.random.Generator, lists: np.ndarray) -> np.ndarray:
    """Resamples of resamples."""
    n = lists.shape[1] // 2
    parts = [rng.multinomial(n, lists[:, where] / n) for where in (slice(0, n), slice(n, None))]
    return np.concatenate(parts, axis=1).astype(float)


def shares(found: np.ndarray) -> np.ndarray:
    return np.bincount(found, minlength=9) / found.size


def world(draw: Draw, n: int, seed: int, given: argparse.Namespace):
    """Truth, and for each list: its pattern, shares of resamples, and of resamples of these."""
    rng = np.random.default_rng([given.seed, seed])
    one = (np.ones((1, 2 * n)), np.ones((1, 2 * n)))
    studies = [draw(rng, n) for _ in range(given.studies)]
    truth = shares(patterns(studies, [one] * given.studies))
    lists = [draw(rng, n) for _ in range(given.lists)]
    printed = patterns(lists, [one] * given.lists)
    rows = []
    for block, own in zip(lists, printed, strict=True):
        first = [once(rng, n, given.resamples) for _ in range(2)]
        second = [again(rng, side) for side in first]
        found = [shares(patterns([block], [tuple(sides)])) for sides in (first, second)]
        rows.append((own, *found))
    return truth, rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--lists", type=int, default=120)
    parser.add_argument("--resamples", type=int, default=400)
    parser.add_argument("--studies", type=int, default=1500)
    parser.add_argument("--sizes", type=int, nargs="*", default=[8, 16])
    parser.add_argument("--seed", type=int, default=20261122)
    given = parser.parse_args()
    start, seen = time.perf_counter(), []
    heads = "| population | x, y | terms | commonest pattern | truth | mean proportion |"
    print(f"{heads} 10% to 90% | twice |")
    print("|" + " --- |" * 8)
    worlds = [("vectors", vectors, at) for at in POSITIONS]
    worlds += [("components", components, at) for at in EFFECTS]
    for n in given.sizes:
        for k, (name, make, at) in enumerate(worlds):
            truth, rows = world(make(*at), n, 100 * n + k, given)
            top = int(truth.argmax())
            once_, twice = (np.array([row[i][top] for row in rows]) for i in (1, 2))
            low, high = np.quantile(once_, [0.1, 0.9])
            print(
                f"| {name} | {at[0]:g}, {at[1]:g} | {n} v {n} | {LABELS[top]} | {truth[top]:.2f} | "
                f"{once_.mean():.2f} | {low:.2f} to {high:.2f} | {twice.mean():.2f} |",
                flush=True,
            )
            seen += [(truth[own], first[own], second[own]) for own, first, second in rows]
    table = np.array(seen)
    print("\nThe pattern that a list shows, of all worlds:\n")
    heads = "| proportion of bootstrap samples | lists | mean proportion |"
    print(f"{heads} new studies that show it | mean, twice |")
    print("|" + " --- |" * 5)
    for low, high in BINS:
        some = table[(table[:, 1] >= low) & (table[:, 1] < high)]
        if len(some):
            cells = (some[:, 1].mean(), some[:, 0].mean(), some[:, 2].mean())
            print(
                f"| {low:g} to {min(high, 1):g} | {len(some)} | "
                + " | ".join(f"{c:.2f}" for c in cells)
                + " |"
            )
    means, errors = table.mean(axis=0), np.sqrt(((table[:, 1:] - table[:, :1]) ** 2).mean(axis=0))
    print(
        f"\nAll: new studies {means[0]:.2f}; once {means[1]:.2f}, twice {means[2]:.2f}; root mean "
        f"square distance from new studies {errors[0]:.2f} and {errors[1]:.2f}. "
        f"{time.perf_counter() - start:.0f} s."
    )


if __name__ == "__main__":
    main()
