"""How often each null of a trend rejects where there is none: autocorrelated series.

    python benchmarks/trend_null.py [--series 2000]

Series of 12 to 40 periods, autoregressive with coefficient 0 to 0.9, and a random walk (1.0),
without trend; and the power against a straight rise of 4 standard deviations from end to end. Runs
of 1 are the usual permutation test, which takes periods as independent.
"""

from __future__ import annotations

import argparse

import numpy as np

from eatlas.stats.trend import block_length_for, trend

COEFFICIENTS = (0.0, 0.3, 0.6, 0.9, 1.0)
PERIODS = (12, 17, 18, 19, 20, 21, 25, 40)
ALPHA = 0.05


def series(n, coefficient, rng):
    """A stationary series of variance 1, or a random walk."""
    noise = rng.standard_normal(n)
    if coefficient == 1:
        return np.cumsum(noise)
    values = [noise[0]]
    for step in noise[1:]:
        values.append(coefficient * values[-1] + np.sqrt(1 - coefficient**2) * step)
    return np.array(values)


def rejections(n, coefficient, length, rise, count):
    """Shares of rejections by blocks and by shifts, and the mean estimate of the coefficient."""
    rng = np.random.default_rng([n, int(10 * coefficient), length, rise])
    found = []
    for _ in range(count):
        values = series(n, coefficient, rng) + rise * np.linspace(-0.5, 0.5, n)
        one = trend(range(n), values, rng=rng, block_length=length)
        found.append((one.blocks.p <= ALPHA, one.shifts.p <= ALPHA, one.autocorrelation))
    return np.mean(found, axis=0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--series", type=int, default=2000)
    count = parser.parse_args().series
    print(f"share of {count} series rejected at {ALPHA}; in brackets with the rise\n")
    heads = " | ".join(f"{coefficient:g}" for coefficient in COEFFICIENTS)
    print(f"| periods | runs of | {heads} |")
    print(f"| ---: | ---: {'| ---: ' * len(COEFFICIENTS)}|")
    estimates = {}
    for n in PERIODS:
        length, cells = block_length_for(n), []
        for coefficient in COEFFICIENTS:
            null = rejections(n, coefficient, length, 0, count)
            risen = rejections(n, coefficient, length, 4, count)
            cells.append(f"{null[0]:.3f} ({risen[0]:.2f})")
            estimates[n, coefficient] = f"{null[1]:.3f} | {null[2]:.2f}"
        print(f"| {n} | {length} | {' | '.join(cells)} |", flush=True)
    print("\n| periods | coefficient | shifts reject | mean autocorrelation, estimated |")
    print("| ---: | ---: | ---: | ---: |")
    for (n, coefficient), cells in estimates.items():
        if n in (18, 40):
            print(f"| {n} | {coefficient:g} | {cells} |")
    single = rejections(18, 0.6, 1, 0, count)[0], rejections(18, 0.9, 1, 0, count)[0]
    print(f"\nshuffled one by one, 18 periods: {single[0]:.2f} at .6 and {single[1]:.2f} at .9")


if __name__ == "__main__":
    main()
