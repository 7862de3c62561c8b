"""Combined effect sizes beside their mean: what weights that depend on d do.

    python benchmarks/combination.py [--samples 40000]

Draws of one population, as in CEAT: normal scores, two groups, a shift of g standard deviations
within them. The combination by each variance, and the mean of the draws.
"""

from __future__ import annotations

import argparse

import numpy as np

from eatlas.stats.effect_size import draw_effects, random_effects, union_variance

DESIGNS = (3, 4, 8, 25)
SHIFTS = (0.5, 1.0, 2.0)


def draws_of_one_population(samples):
    """Table of combined effect sizes by the variance that weighs them."""
    print("| groups | g | mean d | " + " | ".join(f"`{v}`" for v in VARIANCES) + " | corr(d, V) |")
    print("| --- | ---: | ---: |" + " ---: |" * (len(VARIANCES) + 1))
    for n in DESIGNS:
        for g in SHIFTS:
            rng = np.random.default_rng(n)
            scores = rng.normal(size=(samples, 2 * n))
            scores[:, :n] += g
            effects = draw_effects(scores, n)
            d, own = effects.d, union_variance(effects.d, n, n)
            variances = np.full(d.size, own.mean()), own, 2 / n + d**2 / (4 * n), effects.sd**2
            found = [random_effects(d, v).mean for v in variances]
            correlation = np.corrcoef(np.abs(d), own)[0, 1]
            figures = " | ".join(f"{figure:.3f}" for figure in (d.mean(), *found))
            print(f"| {n} v {n} | {g} | {figures} | {correlation:.2f} |")


VARIANCES = ("common", "of each d", "textbook", "ceat")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=40_000)
    asked = parser.parse_args()
    draws_of_one_population(asked.samples)


if __name__ == "__main__":
    main()
