"""How often the null of a trend rejects where there is no trend: autocorrelated series.

    python benchmarks/trend_null.py [--series 6000]

Series of 10 to 40 periods, autoregressive with coefficient 0 to 0.9, and a random walk (1.0),
without trend; in brackets the power against a straight rise of 4 standard deviations from end to
end. Then the same of runs of 1, the usual permutation test, which takes periods as independent, and
of shifts; and the mean of the coefficient that the series themselves show.
"""

from __future__ import annotations

import argparse

import numpy as np

from eatlas.stats.trend import _blocks, block_length_for
from eatlas.stats.trend import autocorrelation_beside_time as autocorrelation

COEFFICIENTS = (0.0, 0.3, 0.6, 0.9, 1.0)
PERIODS = (10, 12, 17, 18, 19, 20, 21, 25, 40)
ALPHA, RISE = 0.05, 4.0


def series(n, coefficient, rng, count):
    """Stationary series of variance 1, or random walks, shape (count, n)."""
    noise = rng.standard_normal((count, n))
    if coefficient == 1:
        return np.cumsum(noise, axis=1)
    values = noise.copy()
    for step in range(1, n):
        values[:, step] = (
            coefficient * values[:, step - 1] + np.sqrt(1 - coefficient**2) * (noise[:, step])
        )
    return values


def rejected(values, orders):
    """Share of series whose rank correlation with time few arrangements reach."""
    n = values.shape[1]
    clock = np.arange(n) - (n - 1) / 2
    ranks = values.argsort(axis=1).argsort(axis=1) - (n - 1) / 2
    moved = np.zeros((len(orders), n))  # a rank at place i counts as the clock where it comes to
    np.put_along_axis(moved, orders, np.broadcast_to(clock, orders.shape).copy(), axis=1)
    reach = np.abs(ranks @ clock)[:, None] - 1e-9
    return np.mean((np.abs(ranks @ moved.T) >= reach).mean(axis=1) <= ALPHA)


def orders_of(n, length):
    orders, exact = _blocks(n, length, np.random.default_rng(n))
    return orders if exact else np.concatenate([np.arange(n)[None], orders[:1999]])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--series", type=int, default=6000)
    count = parser.parse_args().series
    heads = " | ".join(f"{coefficient:g}" for coefficient in COEFFICIENTS)
    print(f"share of {count} series rejected at {ALPHA}; in brackets with the rise\n")
    print(f"| periods | runs of | {heads} |")
    print(f"| ---: | ---: {'| ---: ' * len(COEFFICIENTS)}|")
    for n in PERIODS:
        length = block_length_for(n)
        orders, cells = orders_of(n, length), []
        for coefficient in COEFFICIENTS:
            values = series(
                n, coefficient, np.random.default_rng([n, int(10 * coefficient)]), count
            )
            risen = values + RISE * np.linspace(-0.5, 0.5, n)
            cells.append(f"{rejected(values, orders):.3f} ({rejected(risen, orders):.2f})")
        print(f"| {n} | {length} | {' | '.join(cells)} |", flush=True)
    print(f"\n| periods | null | {heads} |")
    print(f"| ---: | --- {'| ---: ' * len(COEFFICIENTS)}|")
    for n in (18, 40):
        turned = (np.arange(n)[:, None] + np.arange(n)) % n
        rows = {"runs of 1": orders_of(n, 1), "shifts": turned}
        drawn = [series(n, c, np.random.default_rng([n, int(10 * c)]), count) for c in COEFFICIENTS]
        for name, orders in rows.items():
            cells = " | ".join(f"{rejected(values, orders):.3f}" for values in drawn)
            print(f"| {n} | {name} | {cells} |")
        seen = [np.mean([autocorrelation(np.arange(n), v) for v in some]) for some in drawn]
        print(f"| {n} | mean `autocorrelation` | {' | '.join(f'{a:.2f}' for a in seen)} |")


if __name__ == "__main__":
    main()
