"""How often each null of a trend rejects where there is none: autocorrelated series.

    python benchmarks/trend_null.py [--series 2000]

Series of 10, 18 and 40 periods, autoregressive with coefficient 0 to 0.9, and a random walk (1.0),
without trend; and the power against a straight rise of 4 standard deviations from end to end.
Blocks of 1 are the usual permutation test, which takes periods as independent.
"""

from __future__ import annotations

import argparse

import numpy as np

from eatlas.stats.trend import trend

COEFFICIENTS = (0.0, 0.3, 0.6, 0.9, 1.0)
LENGTHS = {10: (2, 3, 4), 18: (3, 4, 6), 40: (4, 6)}
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
    rng = np.random.default_rng([n, int(10 * coefficient), length, rise])
    blocks = shifts = 0
    for _ in range(count):
        values = series(n, coefficient, rng) + rise * np.linspace(-0.5, 0.5, n)
        found = trend(range(n), values, rng=rng, block_length=length)
        blocks += found.blocks.p <= ALPHA
        shifts += found.shifts.p <= ALPHA
    return blocks / count, shifts / count


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--series", type=int, default=2000)
    count = parser.parse_args().series
    print(f"share of {count} series rejected at {ALPHA}; in brackets with the rise\n")
    for n, lengths in LENGTHS.items():
        names = [*(f"blocks of {length}" for length in lengths), "shifts"]
        print(f"| {n} periods, coefficient | {' | '.join(names)} |")
        print(f"| --- {'| ---: ' * len(names)}|")
        for coefficient in COEFFICIENTS:
            null = [rejections(n, coefficient, length, 0, count) for length in lengths]
            risen = [rejections(n, coefficient, length, 4, count) for length in lengths]
            cells = [f"{a[0]:.2f} ({b[0]:.2f})" for a, b in zip(null, risen, strict=True)]
            cells.append(f"{null[0][1]:.2f} ({risen[0][1]:.2f})")
            print(f"| {coefficient} | {' | '.join(cells)} |", flush=True)
        print()


if __name__ == "__main__":
    main()
