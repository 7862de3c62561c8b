"""How often the interval of agreement over few models contains the true rank correlation.

Use it as: python benchmarks/agreement_coverage.py

Samples are normal, and of a t distribution with 3 degrees of freedom; beside them is a bootstrap
percentile interval of 1,000 of the second samples.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.stats import rankdata

from eatlas_models.stats.agreement import spearman_interval

MODELS, CORRELATIONS, SAMPLES = (6, 8, 10, 15, 30), (0.0, 0.3, 0.6, 0.9, 0.97), 20_000
FEW, RESAMPLES = 1_000, 500


def rank_correlations(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Spearman's rho of each row of x with that of y."""
    a, b = (rankdata(values, axis=1) - (values.shape[1] + 1) / 2 for values in (x, y))
    with np.errstate(invalid="ignore"):
        return (a * b).sum(1) / np.sqrt((a * a).sum(1) * (b * b).sum(1))


def sample(
    rng: np.random.Generator, shape: tuple[int, int], r: float, *, heavy: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of scores with a correlation."""
    x, rest = rng.standard_normal((2, *shape))
    y = r * x + math.sqrt(1 - r * r) * rest
    scale = np.sqrt(3 / rng.chisquare(3, shape)) if heavy else 1.0
    return x * scale, y * scale


def main() -> None:
    """Print a row for each number of models and correlation."""
    rng = np.random.default_rng(0)
    print("models  true  normal  heavy tails  bootstrap")
    for n in MODELS:
        for r in CORRELATIONS:
            shares = []
            for heavy in (False, True):
                true = rank_correlations(*sample(rng, (1, 1_000_000), r, heavy=heavy))[0]
                x, y = sample(rng, (SAMPLES, n), r, heavy=heavy)
                ends = [spearman_interval(rho, n) for rho in rank_correlations(x, y).tolist()]
                shares.append(np.mean([low <= true <= high for low, high in ends]))
            inside = 0
            for row in range(FEW):
                drawn = rng.integers(n, size=(RESAMPLES, n))
                low, high = np.nanpercentile(
                    rank_correlations(x[row][drawn], y[row][drawn]), [2.5, 97.5]
                )
                inside += low <= true <= high
            print(
                f"{n:6} {r:5.2f} {shares[0]:7.3f} {shares[1]:12.3f} {inside / FEW:10.3f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
