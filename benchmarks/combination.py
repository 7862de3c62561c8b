"""Combined effect sizes beside their mean: what weights that depend on d do.

    python benchmarks/combination.py [--samples 40000] [--studies 20]

First, draws of one population, as in CEAT: normal scores, two groups, a shift of g standard
deviations within them. The combination by each `variance`, and the mean of the draws. Then a
meta-analysis of a few studies whose sampling variances come from their own d, from the bootstrap,
or from Fisher's scale.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np

from eatlas.measures.draws import Drawing, DrawnLevel
from eatlas.stats.bootstrap import bootstrap_effects
from eatlas.stats.effect_size import union_variance
from eatlas.stats.meta import combine_effect_sizes, random_effects
from eatlas.stats.power import d_of_shift, shift_of_d

DESIGNS = (3, 4, 8, 25)
SHIFTS = (0.5, 1.0, 2.0)
META = ((8, 0.8), (8, 1.5), (25, 0.8))
BOOTSTRAPPED = 150


def effect_sizes(scores, n):
    """The d of each row."""
    away = scores[:, :n].mean(axis=1) - scores[:, n:].mean(axis=1)
    return away / scores.std(axis=1, ddof=1)


def draws_of_one_population(samples):
    """Table of combined effect sizes by the variance that weighs them."""
    print("| groups | g | mean d | " + " | ".join(f"`{v}`" for v in VARIANCES) + " | corr(d, V) |")
    print("| --- | ---: | ---: |" + " ---: |" * (len(VARIANCES) + 1))
    for n in DESIGNS:
        for g in SHIFTS:
            rng = np.random.default_rng(n)
            scores = rng.normal(size=(samples, 2 * n))
            scores[:, :n] += g
            level = DrawnLevel.of("level 1", scores, (n, n), 1)
            d = level.effects.d
            found = [
                Drawing(10_000, "auto", "dl", v, 1).over_draws(level, None).combined.effect_size
                for v in VARIANCES
            ]
            correlation = np.corrcoef(np.abs(d), union_variance(d, n, n))[0, 1]
            figures = " | ".join(f"{one:.3f}" for one in (d.mean(), *found))
            print(f"| {n} v {n} | {g} | {figures} | {correlation:.2f} |")


VARIANCES = ("common", "union", "borenstein", "ceat")


def few_studies(studies, repetitions):
    """Table of meta-analyses of studies with one true effect size."""
    print("| groups | true d | mean d | `union_variance` | bootstrap se² | Fisher's scale |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for n, true in META:
        rng = np.random.default_rng(n)
        found = []
        for _ in range(repetitions):
            scores = rng.normal(size=(studies, 2 * n))
            scores[:, :n] += shift_of_d(true, n, n)
            d = effect_sizes(scores, n)
            own = random_effects(d, union_variance(d, n, n)).mean
            ses = [bootstrap_se(row, n, rng) for row in scores]
            boot = random_effects(d, np.square(ses)).mean
            fisher = combine_effect_sizes(d, [n] * studies, [n] * studies).mean
            found.append((d.mean(), own, boot, fisher))
        figures = " | ".join(f"{one:.3f}" for one in np.mean(found, axis=0))
        print(f"| {n} v {n} | {d_of_shift(shift_of_d(true, n, n), n, n):.2f} | {figures} |")


def bootstrap_se(scores, n, rng):
    """Standard error of d over resamples of the scores within their groups."""
    block = np.outer(scores, [0.5, 0.5, -0.5, -0.5])
    found = bootstrap_effects(block, n, 2, rng=rng, over="targets", resamples=200)
    return found.level1.se


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=40_000)
    parser.add_argument("--studies", type=int, default=20)
    parser.add_argument("--repetitions", type=int, default=BOOTSTRAPPED)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    draws_of_one_population(asked.samples)
    print()
    few_studies(asked.studies, asked.repetitions)


if __name__ == "__main__":
    main()
