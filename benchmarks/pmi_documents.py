"""PMI and shares of counts where documents are about one person each: errors and coverage.

    python benchmarks/pmi_documents.py [--runs 300]

Each document is about one person, of group A or B, and has words of that group alone. A target is
in a share of the documents, with so many pairs in each. Printed are, of single targets and of their
mean, the shares of p up to .05 and of 95% intervals that hold the true difference of PMI: for
counts that are taken as independent, for blocks of documents, and for other targets too. `own` is
the standard deviation of the targets' own differences, `mean` their mean. In the last table: the
share of Jeffreys' intervals of the share of group A, and of those of as many independent contexts
as documents are worth, that hold the true share.
"""

from __future__ import annotations

import argparse
import math
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from eatlas.stats.shares import design_effects, jeffreys
from eatlas_corpora.reading.counts import BLOCKS
from eatlas_corpora.stats.by_document import document_tests

Array = NDArray[np.float64]
ALPHA = 0.05
OTHERS = 10
"""Pairs of a group with any word, in the place of each pair with a target."""


class World(NamedTuple):
    """How documents are made."""

    documents: int
    pairs: int
    """Of a target with words of the group, in a document that has it."""
    share: float
    """Of the documents that have a target."""
    targets: int
    own: float = 0.0
    mean: float = 0.0


WORLDS = tuple(
    World(documents, pairs, share, targets, own, mean)
    for documents, pairs, share in ((60, 4, 0.3), (400, 1, 0.1), (400, 4, 0.1), (400, 10, 0.03))
    for targets in (3, 8, 20)
    for own, mean in ((0.0, 0.0), (0.5, 0.0), (0.5, 0.8))
)


def draw(world: World, rng: np.random.Generator) -> tuple[Array, Array]:
    """Counts of targets, and last of any word, in blocks of documents; and true differences."""
    group = rng.integers(0, 2, world.documents)
    sign = 1.0 - 2 * group
    own = world.mean + world.own * rng.normal(size=world.targets)
    # the log odds that a document has the target differ by about so much
    chance = world.share * np.exp(own[:, None] * sign / 2)
    has = rng.random((world.targets, world.documents)) < np.minimum(chance, 1)
    block = rng.integers(0, BLOCKS, world.documents)
    counts = np.zeros((BLOCKS, world.targets + 1, 2))
    for target in range(world.targets):
        np.add.at(counts, (block[has[target]], target, group[has[target]]), world.pairs)
    totals = world.pairs + rng.poisson(OTHERS * world.pairs, world.documents)
    np.add.at(counts, (block, world.targets, group), totals)
    return counts, own


def independent(counts: Array) -> tuple[Array, float]:
    """P-values of targets and of their mean if counts are independent (Wald)."""
    n, totals = counts[:, :-1].sum(axis=0), counts[:, -1].sum(axis=0)
    rest = totals - n
    ratios = np.log(n / rest)
    ratios = ratios[:, 0] - ratios[:, 1]
    errors = np.sqrt((1 / n + 1 / rest).sum(axis=1))
    known = np.isfinite(ratios) & np.isfinite(errors)
    z = ratios[known].mean() / (math.sqrt(np.square(errors[known]).sum()) / known.sum())
    single = 2 * scipy.special.ndtr(-np.abs(ratios / errors))
    return np.where(known, single, np.nan), float(2 * scipy.special.ndtr(-abs(z)))


def rates(world: World, runs: int, seed: int = 0) -> dict[str, float]:
    """Shares of rejections and of intervals that hold."""
    rng = np.random.default_rng(seed)
    found: dict[str, list[float]] = {}

    def note(name: str, values: object) -> None:
        values = np.asarray(values, float).ravel()
        found.setdefault(name, []).extend(values[np.isfinite(values)].tolist())

    for _ in range(runs):
        counts, own = draw(world, rng)
        with np.errstate(divide="ignore", invalid="ignore"):
            p, p_of_mean = independent(counts)
        tests = document_tests(counts, 0.0, 0.95)
        if tests is None or tests.crossed is None:
            continue
        note("independent", np.where(np.isnan(p), np.nan, p <= ALPHA))
        note("targets", np.where(np.isnan(tests.p), np.nan, tests.p <= ALPHA))
        low, high = tests.intervals.T
        note("held", np.where(np.isnan(low), np.nan, (low <= own) & (own <= high)))
        note("mean independent", p_of_mean <= ALPHA)
        note("mean", tests.whole.p_two_sided <= ALPHA)
        note("crossed", tests.crossed.p_two_sided <= ALPHA)
        note("crossed held", tests.crossed.low <= world.mean <= tests.crossed.high)
    return {name: float(np.mean(values)) for name, values in found.items()}


def shares(documents: int, contexts: int, alike: float, runs: int, seed: int = 0) -> list[float]:
    """Coverage of intervals of a share of .6: as they are, and of known documents."""
    rng = np.random.default_rng(seed)
    held = []
    for _ in range(runs):
        size = 1 + rng.poisson(contexts - 1, documents)
        own = rng.random(documents) < 0.6
        counts = np.zeros((BLOCKS, 1, 2))
        for block, n, first in zip(
            rng.integers(0, BLOCKS, documents), size.tolist(), own.tolist(), strict=True
        ):
            of_person = rng.random(n) < alike
            of_first = int(np.where(of_person, first, rng.random(n) < 0.6).sum())
            counts[block, 0] += of_first, n - of_first
        whole = counts.sum(axis=0)
        each = whole, whole / design_effects(counts)[:, None]
        ends = [jeffreys(one, 0.95)[:, 0, 0] for one in each]
        held.append([low <= 0.6 <= high for low, high in ends])
    return np.mean(held, axis=0).tolist()


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=300)
    runs = parser.parse_args().runs
    names = ("independent", "targets", "held", "mean independent", "mean", "crossed")
    names = (*names, "crossed held")
    print(f"| documents, pairs, proportion | targets | own, mean | {' | '.join(names)} |")
    print(f"| --- | ---: | --- | {'---: | ' * len(names)}")
    for world in WORLDS:
        found = rates(world, runs)
        cells = " | ".join(f"{found[name]:.3f}" for name in names)
        made = f"{world.documents}, {world.pairs}, {world.share:g} | {world.targets} | "
        print(f"| {made}{world.own:g}, {world.mean:g} | {cells} |", flush=True)
    print("\n| documents | contexts of each | alike | as independent | of documents |")
    print("| ---: | ---: | ---: | ---: | ---: |")
    for documents in (8, 20, 60, 200):
        for contexts in (1, 5):
            for alike in (0.0, 0.5, 1.0):
                cells = " | ".join(
                    f"{share:.3f}" for share in shares(documents, contexts, alike, 4 * runs)
                )
                print(f"| {documents} | {contexts} | {alike:g} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
