"""How often a permutation test rejects equal means where groups differ in size and in spread.

Two groups have one mean and different spreads. The permutation test of the difference of means
supposes that they are exchangeable, which they are not; the studentised statistic allows for it.
The script prints Markdown tables of two-sided rejections at .05, of the share of tests with the
remark on sizes and spreads, and of the same for CEAT-like means over unequal numbers of contexts.

    python benchmarks/unequal_spread.py [--simulations 2000] [--draws 999]
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from eatlas.stats.effect_size import unequal_spread
from eatlas.stats.regression import Regression
from eatlas.stats.subsets import random_subsets

Array = NDArray[np.float64]
Draw = Callable[[np.random.Generator], tuple[Array, Array]]

ALPHA = 0.05
SIZES = ((5, 15), (8, 25), (8, 12), (25, 60), (8, 8), (25, 25))
RATIOS = (1 / 3, 1.0, 3.0)
SHAPES = ("normal", "t4", "exponential")


def standard(shape: str, rng: np.random.Generator, size: int) -> Array:
    """Scores with mean 0 and standard deviation 1."""
    if shape == "t4":
        return rng.standard_t(4, size) / math.sqrt(2)
    if shape == "exponential":
        return rng.exponential(size=size) - 1
    return rng.standard_normal(size)


def groups(shape: str, sizes: tuple[int, int], ratio: float) -> Draw:
    """Two groups whose standard deviations have this ratio."""

    def draw(rng: np.random.Generator) -> tuple[Array, Array]:
        first, second = (standard(shape, rng, n) for n in sizes)
        return ratio * first, second

    return draw


def contexts(stimuli: tuple[int, int], each: tuple[int, int]) -> Draw:
    """Means of stimuli over contexts that vary twice as much (in variance) as the stimuli do."""

    def draw(rng: np.random.Generator) -> tuple[Array, Array]:
        first, second = (
            rng.standard_normal(n) + rng.standard_normal((n, k)).mean(axis=1) * math.sqrt(2)
            for n, k in zip(stimuli, each, strict=True)
        )
        return first, second

    return draw


def rates(draw: Draw, simulations: int, draws: int, seed: int) -> tuple[float, float, float]:
    """Rejections by the difference and by the studentised statistic, and remarks.

    All simulations of a row share their relabellings, and both statistics too.
    """
    found, labels = np.zeros(3), None
    for i in range(simulations):
        first, second = draw(np.random.default_rng([seed, i]))
        scores = np.concatenate([first, second])
        if labels is None:
            own = (np.arange(scores.size) < first.size)[None] * 1.0
            rng = np.random.default_rng(seed)
            drawn = random_subsets(scores.size, first.size, draws, draws, rng)
            labels = np.concatenate([own, *drawn])
            orders = np.argsort(-labels, axis=1, kind="stable")
        regression = Regression.of(scores.size, first.size)
        residuals = regression.residuals(scores)
        found += [
            share_beyond(np.abs(labels @ residuals)) <= ALPHA,
            share_beyond(np.abs(regression.t(residuals, orders))) <= ALPHA,
            unequal_spread(first, second) is not None,
        ]
    difference, welch, remarks = (found / simulations).tolist()
    return difference, welch, remarks


def share_beyond(values: Array) -> float:
    """(b + 1) / (B + 1), the observed value first."""
    return float(np.mean(values >= values[0] * (1 - 1e-9)))


def cells(rate: tuple[float, float, float], simulations: int) -> str:
    """Three cells of a table; rates far from alpha are bold."""
    error = math.sqrt(ALPHA * (1 - ALPHA) / simulations)
    shown = [f"**{x:.3f}**" if abs(x - ALPHA) > 3 * error else f"{x:.3f}" for x in rate[:2]]
    return " | ".join([*shown, f"{rate[2]:.0%}"])


def table(simulations: int, draws: int) -> Iterator[str]:
    """Rates of all designs."""
    yield "| sizes | ratio of sd | scores | difference | studentised | with the remark |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for i, sizes in enumerate(SIZES):
        for j, ratio in enumerate(RATIOS):
            for shape in SHAPES if ratio == 3.0 else SHAPES[:1]:
                seed = 100 * i + 10 * j + SHAPES.index(shape)
                rate = rates(groups(shape, sizes, ratio), simulations, draws, seed)
                about = f"{sizes[0]} v {sizes[1]} | {ratio:.2g} | {shape}"
                yield f"| {about} | {cells(rate, simulations)} |"


def of_contexts(simulations: int, draws: int) -> Iterator[str]:
    """The same where stimuli have unequal numbers of contexts."""
    yield "| stimuli | contexts of each | difference | studentised | with the remark |"
    yield "| --- | --- | --- | --- | --- |"
    for i, (stimuli, each) in enumerate(
        (((4, 12), (1, 40)), ((12, 4), (1, 40)), ((8, 8), (1, 40)))
    ):
        rate = rates(contexts(stimuli, each), simulations, draws, 1000 + i)
        about = f"{stimuli[0]} v {stimuli[1]} | {each[0]} and {each[1]}"
        yield f"| {about} | {cells(rate, simulations)} |"


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--simulations", type=int, default=2000)
    parser.add_argument("--draws", type=int, default=999)
    given = parser.parse_args()
    for lines in (table, of_contexts):
        for line in lines(given.simulations, given.draws):
            print(line, flush=True)
        print()


if __name__ == "__main__":
    main()
