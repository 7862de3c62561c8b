"""Level, coverage and power of tests of contrasts over one to four random facets.

Tables have targets in two groups, attributes in two groups, and questions and models in one. Units
of a facet, and of two together, have slopes of their own for the contrast of the others; no effect
is planted, or one of three standard errors. The script prints Markdown tables of how often no
effect is rejected at .05, and of level and power beside other methods.

    python benchmarks/facets.py [--simulations 4000] [--mixed 200] [--tables balanced power ...]
"""

from __future__ import annotations

import argparse
import math
import timeit
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats
from statsmodels.formula.api import mixedlm

from eatlas.stats.facets import Facet, contrast_test, fill_missing
from eatlas.stats.regression import Regression

Array = NDArray[np.float64]
Axes = tuple[int, ...]
Sizes = tuple[tuple[int, ...], ...]

ALPHA = 0.05
NAMES = "TAQM"
"""Letters of targets, attributes, questions and models."""
UNITS = (3, 8, 20)
ERRORS = 3.0
"""A planted effect, in standard errors."""
WORLDS = ("", "T", "Q", "T A", "T Q", "T A Q", "TA", "TQ", "TA TQ AQ", "T A Q TA TQ AQ")
"""Sets of facets whose units have slopes, with a standard deviation of 1; cells have one of .5."""
MOST_OF_MIXED = 2
"""Facets of which a mixed model is fitted in less than a second."""
COVERED = 2.0
"""How much of the slopes of targets a covariate explains, in standard deviations of the rest."""


@dataclass(frozen=True)
class Design:
    """A table to simulate."""

    sizes: Sizes
    world: str
    """Sets of facets with slopes, such as ``T TQ``."""
    spread: tuple[float, ...] = (1, 1, 1, 1)
    """Standard deviation of the first group of each facet, in those of the second."""
    cells: float = 0.5
    missing: float = 0.0
    """Share of cells without a value."""
    covariate: bool = False
    """Whether slopes of targets depend on a covariate that the groups differ in."""
    errors: float = 0.0
    """The planted effect, in standard errors of the contrast."""

    @property
    def slopes(self) -> dict[Axes, float]:
        """Standard deviation of the slopes of each set of facets."""
        axes = range(len(self.sizes))
        sets = {tuple(NAMES.index(letter) for letter in name): 1.0 for name in self.world.split()}
        inside = {found: sd for found, sd in sets.items() if set(found) <= set(axes)}
        return inside | {tuple(axes): self.cells}

    @property
    def error(self) -> float:
        """The true standard error of the contrast."""
        of_axes = [
            sum(sd**2 / n for sd, n in zip((spread, 1)[-len(groups) :], groups, strict=True))
            for groups, spread in zip(self.sizes, self.spread, strict=False)
        ]
        variances = (
            sd**2 * math.prod(of_axes[i] for i in axes) for axes, sd in self.slopes.items()
        )
        return math.sqrt(sum(variances))

    @property
    def effect(self) -> float:
        """The planted effect."""
        return self.errors * self.error

    def draw(self, rng: np.random.Generator) -> tuple[Array, list[Facet]]:
        """A table, and the facets along its axes."""
        shape = [sum(groups) for groups in self.sizes]
        signs = [_signs(groups) for groups in self.sizes]
        table = self.effect * _along(signs, range(len(shape)))
        for axes, sd in self.slopes.items():
            own = [n if i in axes else 1 for i, n in enumerate(shape)]
            slope = rng.normal(0, sd, own)
            spreads = [
                np.repeat((self.spread[i], 1)[-len(groups) :], groups)
                for i, groups in enumerate(self.sizes)
            ]
            others = [i for i in range(len(shape)) if i not in axes]
            table = table + slope * _along(spreads, axes) * _along(signs, others)
        facets = [Facet.of_groups(groups) for groups in self.sizes]
        if self.covariate:
            covariate = rng.normal(0, 1, shape[0]) + signs[0]
            slopes = COVERED * covariate.reshape([-1, *[1] * (len(shape) - 1)])
            table = table + slopes * _along(signs, range(1, len(shape)))
            facets[0] = Facet.of_regression(Regression.of_groups(self.sizes[0], covariate[:, None]))
        if self.missing:
            table = _with_holes(table, self.sizes, self.missing, rng)
        return table, facets


def _signs(groups: Sequence[int]) -> Array:
    """1/2 and -1/2 in two groups, whose contrast is then 1, and 1 in one."""
    return np.repeat([0.5, -0.5] if len(groups) > 1 else [1.0], groups)


def _along(values: Sequence[Array], axes: Sequence[int]) -> Array:
    """Product of values along axes."""
    product = np.ones(())
    for axis in axes:
        product = product * values[axis].reshape(
            [-1 if i == axis else 1 for i in range(len(values))]
        )
    return product


def _with_holes(table: Array, sizes: Sizes, share: float, rng: np.random.Generator) -> Array:
    """The table with missing cells, filled; drawn again if a unit has no value in a block."""
    while True:
        holes = np.where(rng.random(table.shape) < share, np.nan, table)
        filled = fill_missing(holes, sizes)
        if not np.isnan(filled).any():
            return filled


def level(design: Design, simulations: int) -> float:
    """Rejections without an effect.

    An effect moves the estimate and leaves its error, so that this is also how often the 95%
    interval of any effect does not contain it.
    """
    tests = (contrast_test(*design.draw(np.random.default_rng([1, i]))) for i in range(simulations))
    return float(np.mean([found.p_two_sided <= ALPHA for found in tests]))


def name(world: str) -> str:
    """A world for people."""
    return ", ".join(" × ".join(letters) for letters in world.split()) or "cells alone"


def shown(sizes: Sizes) -> str:
    """Sizes for people."""
    return " by ".join(" v ".join(map(str, groups)) for groups in sizes)


def worlds(facets: int) -> list[str]:
    """Worlds of that many facets, whose sets are smaller than all."""
    return [
        world
        for world in WORLDS
        if set(world) <= set(NAMES[:facets] + " ") and NAMES[:facets] not in world.split()
    ]


def row(about: str, designs: Sequence[Design], simulations: int) -> str:
    """Levels of designs as a row; bold outside .03 to .07, or .08 if a group has three units."""
    cells = []
    for design in designs:
        rate = level(design, simulations)
        most = 0.08 if min(map(min, design.sizes)) <= UNITS[0] else 0.07
        cells.append(f"{rate:.3f}" if 0.03 <= rate <= most else f"**{rate:.3f}**")
    return f"| {about} | {' | '.join(cells)} |"


def balanced(simulations: int) -> Iterator[str]:
    """Every facet with so many units a group."""
    for facets in (1, 2, 3):
        yield f"| {facets} random, slopes of | {' | '.join(f'{n} units' for n in UNITS)} |"
        yield "| --- | --- | --- | --- |"
        for world in worlds(facets):
            every = [((n, n), (n, n), (n,))[:facets] for n in UNITS]
            yield row(name(world), [Design(sizes, world) for sizes in every], simulations)
        yield ""
    yield "| words 8 v 8 by 8 v 8, slopes of | 3 questions | 8 questions | 20 questions |"
    yield "| --- | --- | --- | --- |"
    for world in WORLDS:
        every = [((8, 8), (8, 8), (n,)) for n in UNITS]
        yield row(name(world), [Design(sizes, world) for sizes in every], simulations)


def unequal(simulations: int) -> Iterator[str]:
    """Groups of unequal sizes and spreads."""
    spreads = ((1, 1, 1), (3, 1, 1), (1 / 3, 1, 1), (3, 3, 1), (1 / 3, 1 / 3, 1))
    heads = (
        "equal",
        "3 times, of T",
        "a third, of T",
        "3 times, of T, A",
        "a third, of T, A",
    )
    yield f"| units; slopes of | {' | '.join(heads)} |"
    yield "| --- | --- | --- | --- | --- | --- |"
    every: list[Sizes] = [
        ((4, 16), (8, 8)),
        ((3, 25), (25, 3)),
        ((4, 16), (4, 16), (8,)),
        ((4, 16), (16, 4), (8,)),
        ((4, 25), (8, 8), (5,)),
    ]
    for sizes in every:
        for world in ("T A", "T A Q") if len(sizes) > 2 else ("T", "T A"):
            designs = [Design(sizes, world, spread) for spread in spreads]
            yield row(f"{shown(sizes)}; {name(world)}", designs, simulations)


def covariates(simulations: int) -> Iterator[str]:
    """Slopes of targets depend on a covariate that the groups differ in."""
    yield "| units | slopes of T | T A | T A Q | T × A, T × Q, A × Q |"
    yield "| --- | --- | --- | --- | --- |"
    every: list[Sizes] = [
        ((8, 8), (8, 8)),
        ((4, 16), (8, 8)),
        ((8, 8), (8, 8), (3,)),
        ((8, 8), (8, 8), (8,)),
        ((6, 14), (8, 8), (8,)),
        ((20, 20), (20, 20), (20,)),
    ]
    for sizes in every:
        designs = [
            Design(sizes, world, covariate=True) for world in ("T", "T A", "T A Q", "TA TQ AQ")
        ]
        yield row(shown(sizes), designs, simulations)


def missing(simulations: int) -> Iterator[str]:
    """Missing cells, filled by what facets add up to."""
    yield "| units; missing | slopes of T | T A Q | T × A, T × Q, A × Q | cells alone |"
    yield "| --- | --- | --- | --- | --- |"
    every: list[Sizes] = [((8, 8), (8, 8)), ((4, 4), (4, 4), (4,)), ((8, 8), (8, 8), (8,))]
    for sizes in every:
        for share in (0.1, 0.2):
            designs = [
                Design(sizes, world, missing=share) for world in ("T", "T A Q", "TA TQ AQ", "")
            ]
            yield row(f"{shown(sizes)}; {share:.0%}", designs, simulations)


def four(simulations: int) -> Iterator[str]:
    """Four random facets."""
    yield "| units | T | M | T A | Q M | T A Q M | T × Q, T × M, Q × M | cells alone |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
    every: list[Sizes] = [((4, 4), (4, 4), (4,), (4,)), ((8, 8), (8, 8), (8,), (3,))]
    for sizes in every:
        designs = [
            Design(sizes, world) for world in ("T", "M", "T A", "Q M", "T A Q M", "TQ TM QM", "")
        ]
        yield row(shown(sizes), designs, simulations)


def power(simulations: int, mixed: int) -> Iterator[str]:
    """Level and power of contrasts of all facets, and of other methods, on the same tables."""
    yield "| units | slopes of | eatlas | two-stage t | clustered errors | mixed model |"
    yield "| --- | --- | --- | --- | --- | --- |"
    every: list[tuple[Sizes, tuple[str, ...]]] = [
        (((8, 8), (8, 8)), ("T", "T A", "")),
        (((20, 20), (3,)), ("T", "A", "T A", "")),
        (((8, 8), (8, 8), (3,)), ("T", "Q", "T Q", "T A Q", "TQ", "")),
        (((8, 8), (8, 8), (8,)), ("T", "Q", "T Q", "T A Q", "TQ", "")),
    ]
    for sizes, some in every:
        methods: dict[Method, int] = {
            facets: simulations,
            two_stage: simulations,
            clusters: simulations,
        }
        methods |= {mixed_model: mixed} if len(sizes) == MOST_OF_MIXED else {}
        for world in some:
            design = Design(sizes, world)
            null = shares(design, methods)
            true = shares(replace(design, errors=ERRORS), methods)
            cells = [
                f"{a:.3f}, {b:.2f}" if a is not None else ""
                for a, b in zip(null, true, strict=True)
            ]
            cells += [""] * (4 - len(cells))
            yield f"| {shown(sizes)} | {name(world)} | {' | '.join(cells)} |"


Method = Callable[[Array, Design], float | None]
"""P of no effect; None of a design that the method does not test."""


def shares(design: Design, methods: dict[Method, int]) -> list[float | None]:
    """Rejections by each method, of its number of tables."""
    p: dict[Method, list[float | None]] = {method: [] for method in methods}
    for i in range(max(methods.values())):
        table, _ = design.draw(np.random.default_rng([3, i]))
        for method, simulations in methods.items():
            if i < simulations:
                p[method].append(method(table, design))
    return [
        None
        if None in found
        else float(np.mean([value <= ALPHA for value in found if value is not None]))
        for found in p.values()
    ]


def facets(table: Array, design: Design) -> float:
    """P of other units of all facets."""
    return contrast_test(table, [Facet.of_groups(groups) for groups in design.sizes]).p_two_sided


def two_stage(table: Array, design: Design) -> float | None:
    """P of Student's or Welch's test of what each unit of the facet has that alone has slopes."""
    if design.world not in NAMES or not design.world:
        return None
    own = NAMES.index(design.world)
    scores = np.moveaxis(table, own, -1)
    for groups in [groups for i, groups in enumerate(design.sizes) if i != own]:
        scores = np.tensordot(_weights(groups), scores, 1)
    if len(design.sizes[own]) == 1:
        return float(stats.ttest_1samp(scores, 0).pvalue)
    first = design.sizes[own][0]
    return float(stats.ttest_ind(scores[:first], scores[first:], equal_var=False).pvalue)


def clusters(table: Array, design: Design) -> float:
    """P of errors clustered by every facet (Cameron, Gelbach and Miller 2011).

    Degrees of freedom are the units of the smallest facet, less one.
    """
    weights = _along([_weights(groups) for groups in design.sizes], range(table.ndim))
    errors = table
    for axis, groups in enumerate(design.sizes):
        edges = np.cumsum((0, *groups[:-1]))
        means = np.add.reduceat(errors, edges, axis=axis) / np.reshape(
            groups, [-1 if i == axis else 1 for i in range(table.ndim)]
        )
        errors = np.repeat(means, groups, axis=axis)
    scores = weights * (table - errors)
    variance = 0.0
    for size in range(1, table.ndim + 1):
        for axes in combinations(range(table.ndim), size):
            others = tuple(i for i in range(table.ndim) if i not in axes)
            variance -= (-1) ** size * float(np.square(scores.sum(axis=others)).sum())
    least = min(table.shape)
    if variance <= 0:
        return 1.0
    t = abs(float((weights * table).sum())) / math.sqrt(variance * least / (least - 1))
    return float(2 * stats.t.sf(t, least - 1))


def mixed_model(table: Array, design: Design) -> float:
    """P of a mixed model of random slopes of two facets, by restricted maximum likelihood.

    Student's t with the degrees of freedom of the smaller facet: the normal distribution, which
    statsmodels has, rejects more.
    """
    frame: dict[str, Array] = {"y": table.ravel(), "all": np.ones(table.size)}
    for letter, unit, groups in zip(NAMES, np.indices(table.shape), design.sizes, strict=False):
        frame[letter] = unit.ravel().astype(float)
        frame[f"sign{letter}"] = _signs(groups)[unit.ravel()]
    signs = [f"sign{NAMES[i]}" for i, groups in enumerate(design.sizes) if len(groups) > 1]
    slopes = {
        letter: ":".join([f"0 + C({letter})", *(sign for sign in signs if sign[-1] != letter)])
        for letter in NAMES[: table.ndim]
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of variances on the boundary, at 0
        fit = mixedlm(
            f"y ~ {'*'.join(signs)}",
            pd.DataFrame(frame),
            groups="all",
            re_formula="0",
            vc_formula=slopes,
        ).fit()
    df = min(sum(groups) - len(groups) for groups in design.sizes)
    return float(2 * stats.t.sf(abs(fit.tvalues[":".join(signs)]), df))


def _weights(groups: Sequence[int]) -> Array:
    """Weights of a mean, or of a difference of means."""
    return np.asarray(np.repeat([1.0, -1.0][: len(groups)], groups) / np.repeat(groups, groups))


def speed() -> Iterator[str]:
    """Microseconds of a test, and of centring a table along its axes and squaring it."""
    yield "| table | test | centring and squaring |"
    yield "| --- | --- | --- |"
    every: list[Sizes] = [((8, 8), (8, 8)), ((8, 8), (8, 8), (8,)), ((25, 25), (25, 25), (8,))]
    for sizes in every:
        table, along = Design(sizes, "T").draw(np.random.default_rng(0))
        test = _microseconds(partial(contrast_test, table, along))
        least = _microseconds(partial(_centred_squares, table))
        yield f"| {shown(sizes)} | {test:.0f} | {least:.0f} |"


def _centred_squares(table: Array) -> float:
    for axis in range(table.ndim):
        table = table - table.mean(axis=axis, keepdims=True)
    return float(np.square(table).sum())


def _microseconds(call: Callable[[], object]) -> float:
    return min(timeit.repeat(call, number=200, repeat=5)) / 200 * 1e6


TABLES: dict[str, Callable[[int, int], Iterator[str]]] = {
    "balanced": lambda simulations, _: balanced(simulations),
    "unequal": lambda simulations, _: unequal(simulations),
    "covariates": lambda simulations, _: covariates(simulations),
    "missing": lambda simulations, _: missing(simulations),
    "four": lambda simulations, _: four(simulations),
    "power": power,
    "speed": lambda _, __: speed(),
}


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--simulations", type=int, default=4000)
    parser.add_argument("--mixed", type=int, default=200, help="fits of mixed models a cell")
    parser.add_argument("--tables", nargs="+", choices=TABLES, default=list(TABLES))
    given = parser.parse_args()
    for chosen in given.tables:
        for line in TABLES[chosen](given.simulations, given.mixed):
            print(line, flush=True)
        print(flush=True)


if __name__ == "__main__":
    main()
