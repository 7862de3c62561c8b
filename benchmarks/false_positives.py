"""How often the rule for EAT patterns sees an association that is not there.

Random directions for all four groups, so that every null hypothesis is true: targets and
attributes are exchangeable. For each group size the script prints the share of simulated tests in
which level 1 is significant, in which a level 2 is called an association, and in which the pattern
is anything but Non-Directional, under the directional rule (alpha = .05 in the tail of the observed
sign, as the published tables do) and under the two-sided rule.

    python benchmarks/false_positives.py [--simulations 2000] [--dim 100] [--sizes 4 6 8 16]
    python benchmarks/false_positives.py --simulations 500 --sizes 25 64 150
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np

from eatlas import kernels
from eatlas.measures.patterns import associated_with
from eatlas.stats.effect_size import effect_size
from eatlas.stats.permutation import permutation_test

ALPHA, THRESHOLD = 0.05, 0.2
SIZES = (4, 6, 8, 16)


def simulate(n: int, dim: int, count: int, seed: int) -> Iterator[dict[str, bool]]:
    rng = np.random.default_rng([seed, n])
    for _ in range(count):
        rows = {role: kernels.unit_rows(rng.standard_normal((n, dim))) for role in "XYAB"}
        mean = {role: kernels.mean_row(group) for role, group in rows.items()}
        s = np.concatenate(
            [kernels.associations(rows[role], mean["A"] - mean["B"]) for role in "XY"]
        )
        found = {"level 1": permutation_test(s, n, scale=1.0).two_sided.p < ALPHA}
        sides = {}
        for target in "XY":
            u = np.concatenate([kernels.associations(rows[role], mean[target]) for role in "AB"])
            d, p = effect_size(u, n)[1], permutation_test(u, n, scale=1.0)
            in_sign = p.greater.p if d > 0 else p.less.p
            limits = {"alpha": ALPHA, "threshold": THRESHOLD}
            sides[target, "directional"] = associated_with(d, in_sign, **limits)
            sides[target, "two-sided"] = associated_with(d, p.two_sided.p, **limits)
        for rule in ("directional", "two-sided"):
            found[f"X, {rule}"] = sides["X", rule] is not None
            found[f"pattern, {rule}"] = any(sides[target, rule] for target in "XY")
        yield found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--simulations", type=int, default=2000)
    parser.add_argument("--dim", type=int, default=100)
    parser.add_argument("--seed", type=int, default=20240806)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    given = parser.parse_args()
    print(f"{given.simulations} simulated tests a row, {given.dim} dimensions, seed {given.seed}")
    columns = None
    for n in given.sizes:
        found = list(simulate(n, given.dim, given.simulations, given.seed))
        if columns is None:
            columns = list(found[0])
            print("| groups of | " + " | ".join(columns) + " |")
            print("| ---: " * (len(columns) + 1) + "|")
        rates = [np.mean([one[column] for one in found]) for column in columns]
        print(f"| {n} | " + " | ".join(f"{rate:.3f}" for rate in rates) + " |", flush=True)
    print(f"standard error of a rate of .05: {np.sqrt(0.05 * 0.95 / given.simulations):.4f}")


if __name__ == "__main__":
    main()
