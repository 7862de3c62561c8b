"""Tests on several sources: how often words and sources as facets claim what is not there.

Words are shared by the sources, and nothing, or something, is there over all sources of their kind.
Each word has a slope of its own, of which sources share a part; a source may have a true d of its
own. The script prints Markdown tables of the claim over words and sources
(:meth:`eatlas.Results.pooled`), the same from the means that a result without associations of
single pairs keeps, and other methods: words alone, sources alone, and two meta-analyses. Then how
near-synonyms count whose sources do not join the same words.

    python benchmarks/sources.py [--simulations 1000]
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eatlas.results.unit_tables import SOURCES, LevelTable
from eatlas.stats.effect_size import random_effects
from eatlas.stats.facets import Facet, contrast_test
from eatlas.stats.inputs import t_outside
from eatlas.stats.units import average_over_units, find_units

Array = NDArray[np.float64]
ALPHA = 0.05
TARGETS, ATTRIBUTES, CELLS = 0.5, 0.3, 0.6
"""Standard deviations of the slopes of words, and of what is left of a pair."""


class World(NamedTuple):
    """What is drawn: n words a group, k sources."""

    n: int
    k: int
    shared: float
    """Part of the variance of slopes that sources share."""
    taste: float = 0.0
    """Standard deviation of the true d of sources."""
    d: float = 0.0
    """True mean difference, in units of the spread within groups."""


def draw(rng: np.random.Generator, world: World) -> tuple[LevelTable, Array]:
    """A table in units of d, and the true d of its sources for endless words."""
    n, k, shared, *_ = world
    signs = np.repeat([1.0, -1.0], n)

    def part(shape: tuple[int, ...], sd: float) -> Array:
        own = rng.standard_normal((*shape, k)) * math.sqrt(1 - shared)
        return sd * (rng.standard_normal((*shape, 1)) * math.sqrt(shared) + own)

    table = part((2 * n, 1), TARGETS) * signs[None, :, None]
    table = table + part((1, 2 * n), ATTRIBUTES) * signs[:, None, None]
    table = table + part((2 * n, 2 * n), CELLS) + part((2 * n, 1), 0.3) + part((1, 2 * n), 0.3)
    spread = 2 * math.sqrt(TARGETS**2 + CELLS**2 / (2 * n))
    effects = world.d + world.taste * rng.standard_normal(k)
    table = table + effects * spread / 4 * np.multiply.outer(signs, signs)[..., None]
    return table_of(table, n), effects / np.sqrt(1 + effects**2 / 4)


def table_of(table: Array, n: int) -> LevelTable:
    """The table of level 1 with n units in each group of targets."""
    m = table.shape[1] // 2
    scores = table[:, :m].mean(axis=1) - table[:, m:].mean(axis=1)
    spread = scores.std(axis=0, ddof=1)
    d = (scores[:n].mean(axis=0) - scores[n:].mean(axis=0)) / spread
    return LevelTable(table / spread, (n, len(table) - n), (m, m), d, np.full(len(table), np.nan))


def means_alone(table: LevelTable) -> LevelTable:
    """The table that the means of words make, as a result without single pairs has it."""
    values, (n, _), (m, _) = table.values, table.sizes, table.column_sizes
    scores = values[:, :m].mean(axis=1) - values[:, m:].mean(axis=1)
    halves = np.repeat([0.5, -0.5], [m, values.shape[1] - m])[None, :, None]
    parts = [
        values[rows].mean(axis=0) + (scores[rows] - scores[rows].mean(axis=0))[:, None] * halves
        for rows in (slice(n), slice(n, None))
    ]
    return table_of(np.concatenate(parts), n)


def meta_analysis(d: Array, n: int, *, knapp: bool) -> float:
    """P of the mean of Fisher's z of sources, after DerSimonian and Laird or Hartung and Knapp."""
    z = np.arctanh(np.clip(d / 2, -0.999, 0.999))
    found = random_effects(z, np.full(len(z), 1 / (2 * n - 3)))
    if knapp:
        return t_outside(z.mean() / (z.std(ddof=1) / math.sqrt(len(z))), len(z) - 1)
    return t_outside(found["effect_size"] / found["se"], 1e9)


Methods = dict[str, Callable[[LevelTable], float]]
METHODS: Methods = {
    "words and sources": lambda t: t.test().p_two_sided,
    "means of words alone": lambda t: means_alone(t).test().p_two_sided,
    "words, sources fixed": lambda t: t.test([SOURCES]).p_two_sided,
    "t of sources": lambda t: t_outside(
        t.effect_sizes.mean() / (t.effect_sizes.std(ddof=1) / math.sqrt(len(t.effect_sizes))),
        len(t.effect_sizes) - 1,
    ),
    "DerSimonian, Laird": lambda t: meta_analysis(t.effect_sizes, t.sizes[0], knapp=False),
    "Hartung, Knapp": lambda t: meta_analysis(t.effect_sizes, t.sizes[0], knapp=True),
}


def rates(world: World, simulations: int, seed: int = 0) -> dict[str, float]:
    """Share of p <= alpha of each method; of intervals that cover; heterogeneity."""
    rng, rows = np.random.default_rng(seed), []
    truth = float(draw(rng, world._replace(k=20_000, n=1))[1].mean()) if world.taste else None
    for _ in range(simulations):
        table, effects = draw(rng, world)
        test, between, pair = table.test(), table.between(), table.difference(0, 1)
        p_values = [method(table) <= ALPHA for method in METHODS.values()]
        mean = effects.mean() if truth is None else truth
        covers = test.low <= mean <= test.high
        gap = pair.low <= effects[1] - effects[0] <= pair.high
        of_sources = between.p <= ALPHA, between.sd, pair.p_two_sided <= ALPHA, gap
        rows.append((*p_values, covers, *of_sources))
    names = *METHODS, "covers", "sources differ", "sd", "two differ", "difference covers"
    return dict(zip(names, np.mean(rows, axis=0).tolist(), strict=True))


def synonyms(rng: np.random.Generator, n: int, k: int, joined: float, dim: int = 50) -> float:
    """P of random words in pairs of near-synonyms; units that a share of sources joins."""
    groups = []
    for _ in range(4):
        base = np.repeat(rng.standard_normal((n // 2, dim)), 2, axis=0)
        base = base + 0.6 * rng.standard_normal((n, dim))
        groups.append(base[..., None] + 0.6 * rng.standard_normal((n, dim, k)))
    labels = [_units(group, joined) for group in groups]
    rows, columns = (np.concatenate(groups[i : i + 2]) for i in (0, 2))
    rows, columns = (of / np.linalg.norm(of, axis=1, keepdims=True) for of in (rows, columns))
    table = np.einsum("tds,ads->tas", rows, columns)
    sizes = [len(np.unique(of)) for of in labels]
    for axis, (first, second) in enumerate((labels[:2], labels[2:])):
        of = np.concatenate([first, second + first.max() + 1])
        table = average_over_units(table, of, axis)
    facets = [Facet.of_groups(sizes[:2]), Facet.of_groups(sizes[2:]), Facet.of_groups([k])]
    return contrast_test(table, facets).p_two_sided if min(sizes) > 3 else math.nan


def _units(group: Array, joined: float) -> NDArray[np.intp]:
    """Units of words that at least a share of the sources join, and what these join in turn."""
    n, _, k = group.shape
    alike = np.zeros((n, n))
    for source in range(k):
        of = find_units(group[..., source])
        alike += of[:, None] == of[None]
    near = (alike >= max(joined * k, 1)) | np.eye(n, dtype=bool)
    for _ in range(n):
        near = near @ near
    return np.unique(near.argmax(axis=1), return_inverse=True)[1]


def in_markdown(worlds: Sequence[World], simulations: int) -> str:
    """A table with a row for each world."""
    found = [rates(world, simulations) for world in worlds]
    head = ["words", "sources", "shared", "sd of d", "d", *found[0]]
    lines = [head, ["---"] * len(head)]
    for world, of in zip(worlds, found, strict=True):
        lines.append([f"{value:g}" for value in world] + [f"{rate:.3f}" for rate in of.values()])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--simulations", type=int, default=1000)
    simulations = parser.parse_args().simulations
    for taste, d in ((0.0, 0.0), (0.4, 0.0), (0.0, 0.8), (0.4, 0.8)):
        world = partial(World, taste=taste, d=d)
        worlds = [world(n, k, s) for n in (8, 16) for k in (3, 8, 20) for s in (0.3, 0.7)]
        print(in_markdown(worlds, simulations), flush=True)
    print("| words | sources | joined in | p <= .05 | too few units |")
    print("| --- | --- | --- | --- | --- |")
    for n in (16, 32):
        for k in (3, 8, 20):
            for name, share in (("none", 2.0), ("any", 0.0), ("half", 0.5), ("all", 1.0)):
                rng = np.random.default_rng(0)
                p = np.array([synonyms(rng, n, k, share) for _ in range(simulations // 3)])
                few = np.isnan(p).mean()
                rate = (p[~np.isnan(p)] <= ALPHA).mean() if few < 1 else math.nan
                print(f"| {n} | {k} | {name} | {rate:.3f} | {few:.2f} |", flush=True)


if __name__ == "__main__":
    main()
