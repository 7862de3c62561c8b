"""How often tests of level 1 and level 2 find an effect that would not hold for other terms.

Targets and attributes are both drawn at random, with slopes of their own: some targets lie nearer
to A than to B, some attributes nearer to X than to Y, and on the whole there is nothing. A test
that claims to generalise over both must reject at most alpha of such tables. The script prints
Markdown tables of the rates of the exported tests (``crossed``) and of what was tried beside them;
a rate above alpha + 2 standard errors is bold.

    python benchmarks/type_one_error.py [--simulations 5000] [--slow 500]
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from eatlas import kernels
from eatlas.stats.facets import Facet, contrast, contrast_test
from eatlas.stats.inputs import t_outside
from eatlas.stats.permutation import permutation_test

Array = NDArray[np.float64]
Sizes = tuple[int, int, int, int]
"""Of X, Y, A and B; Y is 0 at level 2."""
Scene = Callable[[np.random.Generator, Sizes], Array]

ALPHA = 0.05
EQUAL = tuple((n, n, n, n) for n in (6, 8, 25))
UNEQUAL = ((6, 6, 25, 25), (4, 20, 4, 20))
RELABELLINGS, RESAMPLES, DIMENSION = 399, 199, 100


def slopes(
    targets: Sequence[float], attributes: Sequence[float], residual: float, interaction: float = 0.0
) -> Scene:
    """Standard deviations of the slopes of X, Y and of A, B, and of the residual."""

    def draw(rng: np.random.Generator, sizes: Sizes) -> Array:
        g, h = np.repeat([0.5, -0.5], sizes[:2]), np.repeat([0.5, -0.5], sizes[2:])
        if not sizes[1]:
            g = 2 * g
        of_targets = np.repeat(targets, sizes[:2]) * rng.standard_normal(g.size)
        of_attributes = np.repeat(attributes, sizes[2:]) * rng.standard_normal(h.size)
        table = np.outer(of_targets, h) + np.outer(g, of_attributes)
        effect = interaction * np.outer(g, h)
        return table + effect + residual * rng.standard_normal(table.shape)

    return draw


def cosines(rng: np.random.Generator, sizes: Sizes) -> Array:
    """Unit vectors around four centroids at right angles."""
    rows = []
    for axis, size in enumerate(sizes):
        vectors = rng.standard_normal((size, DIMENSION)) / math.sqrt(DIMENSION)
        vectors[:, axis] += 0.7
        rows.append(kernels.unit_rows(vectors))
    return np.concatenate(rows[:2]) @ np.concatenate(rows[2:]).T


SCENES: dict[str, Scene] = {
    "equal variances": slopes((1, 1), (1, 1), 1),
    "unequal variances": slopes((2, 0.5), (0.5, 2), 1),
    "slopes of targets alone": slopes((1, 1), (0, 0), 1),
    "slopes of attributes alone": slopes((0, 0), (1, 1), 1),
    "no slopes": slopes((0, 0), (0, 0), 1),
    "cosines, 100 dimensions": cosines,
}


def _residual_df(table: Array, rows: Sequence[int], columns: Sequence[int]) -> float:
    """Satterthwaite's degrees of freedom of the residual of a crossed test."""
    cells = []
    for band in np.split(table, np.cumsum(rows)[:-1]):
        for cell in np.split(band, np.cumsum(columns)[:-1], axis=1):
            margins = cell.mean(axis=1, keepdims=True) + cell.mean(axis=0, keepdims=True)
            df = (cell.shape[0] - 1) * (cell.shape[1] - 1)
            cells.append((np.sum((cell - margins + cell.mean()) ** 2) / df / cell.size, df))
    return sum(v for v, _ in cells) ** 2 / sum(v**2 / df for v, df in cells)


def quick_rates(draw: Scene, sizes: Sizes, simulations: int, seed: int) -> dict[str, float]:
    """The exported test, Satterthwaite's degrees of freedom, and min-F'."""
    rng, found = np.random.default_rng(seed), []
    rows = [size for size in sizes[:2] if size]
    for _ in range(simulations):
        table = draw(rng, sizes)
        facets = [Facet.of_groups(rows), Facet.of_groups(sizes[2:])]
        one, parts = contrast_test(table, facets), contrast(table, facets)
        targets, attributes, residual = parts.variances.values()
        sides = [(value, parts.freedom[axes]) for axes, value in parts.variances.items()][:2]
        used = [*sides, (residual, _residual_df(table, rows, sizes[2:]))]
        if targets + attributes - residual < max(targets, attributes):
            used = [max(sides)]
        satterthwaite = one.se**4 / sum(variance**2 / df for variance, df in used)
        both = targets + attributes
        min_f = both**2 / sum(variance**2 / df for variance, df in sides)
        found.append(
            (
                one.p_two_sided,
                t_outside(one.t, satterthwaite),
                t_outside(one.difference / math.sqrt(both), min_f),
            )
        )
    rates = (np.array(found) < ALPHA).mean(axis=0)
    return dict(zip(("crossed", "Satterthwaite", "min-F'"), rates.tolist(), strict=True))


def slow_rates(draw: Scene, sizes: Sizes, simulations: int, seed: int) -> dict[str, float]:
    """Resampling both sides, relabelling both sides, relabelling one side exactly."""
    rng = np.random.default_rng([seed, 1])
    tables = [draw(rng, sizes) for _ in range(simulations)]
    n_x, n_a = sizes[0], sizes[2]
    if sizes[1]:
        scores = [t[:, :n_a].mean(axis=1) - t[:, n_a:].mean(axis=1) for t in tables]
        n = n_x
    else:
        scores = [t.mean(axis=0) for t in tables]
        n = n_a
    one_side = np.array([permutation_test(s, n).two_sided.p < ALPHA for s in scores])
    rates = {"pigeonhole": float(np.mean([bootstrap(t, sizes, rng) < ALPHA for t in tables]))}
    if sizes[1]:
        both = [relabelled(t, sizes, rng) < ALPHA for t in tables]
        rates["both permuted"] = float(np.mean(both))
    return rates | {"one side permuted": float(one_side.mean())}


def relabelled(table: Array, sizes: Sizes, rng: np.random.Generator) -> float:
    """The naive crossed permutation: labels of targets and of attributes shuffled."""
    g = np.repeat([1 / sizes[0], -1 / sizes[1]], sizes[:2])
    h = np.repeat([1 / sizes[2], -1 / sizes[3]], sizes[2:])
    rows = rng.permuted(np.tile(g, (RELABELLINGS, 1)), axis=1)
    columns = rng.permuted(np.tile(h, (RELABELLINGS, 1)), axis=1)
    reached = np.abs(np.sum((rows @ table) * columns, axis=1)) >= abs(g @ table @ h) - 1e-12
    return (1 + int(reached.sum())) / (1 + RELABELLINGS)


def bootstrap(table: Array, sizes: Sizes, rng: np.random.Generator) -> float:
    """The pigeonhole bootstrap (Owen 2007) of the studentised contrast."""
    resampled = table[
        _resampled(sizes[:2], rng)[:, :, None], _resampled(sizes[2:], rng)[:, None, :]
    ]
    contrast, variance = contrasts(table[None], sizes)
    contrasts_, variances = contrasts(resampled, sizes)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = (contrasts_ - contrast) ** 2 / variances
    # no variance left in a resample: as extreme as can be
    reached = ~(t < float(contrast[0] ** 2 / variance[0]))
    return (1 + int(reached.sum())) / (1 + RESAMPLES)


def _resampled(sizes: Sequence[int], rng: np.random.Generator) -> NDArray[np.int64]:
    parts, start = [], 0
    for size in sizes:
        parts.append(rng.integers(start, start + size, (RESAMPLES, size)))
        start += size
    return np.concatenate(parts, axis=1)


def contrasts(tables: Array, sizes: Sizes) -> tuple[Array, Array]:
    """Contrast and variance of many tables, as `analyse` and `crossed` have them."""
    n_x, n_a = sizes[0], sizes[2]
    groups = [tables[:, :n_x], tables[:, n_x:]] if sizes[1] else [tables]
    cells = [cell for group in groups for cell in (group[:, :, :n_a], group[:, :, n_a:])]
    of_rows = [
        a.mean(axis=2) - b.mean(axis=2) for a, b in zip(cells[::2], cells[1::2], strict=True)
    ]
    of_columns = cells[0].mean(axis=1), cells[1].mean(axis=1)
    if sizes[1]:
        of_columns = of_columns[0] - cells[2].mean(axis=1), of_columns[1] - cells[3].mean(axis=1)
    contrast = of_columns[0].mean(axis=1) - of_columns[1].mean(axis=1)
    v_t, v_a = (
        sum(part.var(axis=1, ddof=1) / part.shape[1] for part in side)
        for side in (of_rows, of_columns)
    )
    v_r = sum(_residual(cell) for cell in cells)
    return contrast, np.maximum(v_t + v_a - v_r, np.maximum(v_t, v_a))


def _residual(cell: Array) -> Array:
    rest = cell - cell.mean(axis=1, keepdims=True) - cell.mean(axis=2, keepdims=True)
    rest += cell.mean(axis=(1, 2), keepdims=True)
    n, m = cell.shape[1:]
    return np.sum(rest**2, axis=(1, 2)) / ((n - 1) * (m - 1) * n * m)


def rows_of(level: int) -> Iterator[tuple[str, Scene, Sizes]]:
    for name, draw in SCENES.items():
        for sizes in EQUAL + UNEQUAL * (name in {"equal variances", "unequal variances"}):
            yield name, draw, sizes if level == 1 else (sizes[0], 0, *sizes[2:])


def bold(rate: float, simulations: int) -> str:
    over = rate > ALPHA + 2 * math.sqrt(ALPHA * (1 - ALPHA) / simulations)
    return f"**{rate:.3f}**" if over else f"{rate:.3f}"


def print_rates(level: int, simulations: int, slow: int, seed: int) -> None:
    header = False
    for name, draw, sizes in rows_of(level):
        quick = quick_rates(draw, sizes, simulations, seed)
        costly = slow_rates(draw, sizes, slow, seed)
        if not header:
            print(f"| level {level} | sizes | " + " | ".join([*quick, *costly]) + " |")
            print("| --- | --- " + "| ---: " * (len(quick) + len(costly)) + "|")
            header = True
        rates = [bold(rate, simulations) for rate in quick.values()]
        rates += [bold(rate, slow) for rate in costly.values()]
        shown = "/".join(str(size) for size in sizes if size)
        print(f"| {name} | {shown} | " + " | ".join(rates) + " |", flush=True)
    print()


def print_power(simulations: int, seed: int) -> None:
    """What the level costs: a difference of differences of 2, slopes with a deviation of 1."""
    header = False
    for sizes in EQUAL:
        rates = quick_rates(slopes((1, 1), (1, 1), 1, 2.0), sizes, simulations, seed)
        if not header:
            print("| power, equal variances, interaction 2 | " + " | ".join(rates) + " |")
            print("| --- " + "| ---: " * len(rates) + "|")
            header = True
        shown = "/".join(map(str, sizes))
        print(f"| {shown} | " + " | ".join(f"{rate:.3f}" for rate in rates.values()) + " |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--simulations", type=int, default=5_000)
    parser.add_argument("--slow", type=int, default=500, help="for resampling and relabelling")
    parser.add_argument("--seed", type=int, default=20240806)
    given = parser.parse_args()
    for count in (given.simulations, given.slow):
        error = math.sqrt(ALPHA * (1 - ALPHA) / count)
        print(f"{count} simulations: standard error of a rate of .05: {error:.4f}")
    print(f"seed {given.seed}\n")
    for level in (1, 2):
        print_rates(level, given.simulations, given.slow, given.seed)
    print_power(given.simulations, given.seed)


if __name__ == "__main__":
    main()
