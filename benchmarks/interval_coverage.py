"""How often nominal 95% bootstrap intervals of an effect size hold the population's value.

Lists of terms are drawn from populations whose effect size is known, and each interval is asked
whether it holds that value. Prints two Markdown tables: normal scores, and scores that are skewed,
heavy-tailed or of unequal spread.

    OPENBLAS_NUM_THREADS=1 python benchmarks/interval_coverage.py [--simulations 1500]

- targets: level 1 d; the scores s(w, A, B) of X and Y are normal with standard deviation 1.
- attributes: level 2 d of X; the scores u(X, a) of A and B likewise. Same figures as the line
  above but for chance: the two sides differ in name only.
- both: level 1 d; cosine of target i of group g (+-1) and attribute j of group h (+-1) is

      r_i + c_j + h t_i / 2 + g b_j / 2 + e_ij

  with all of r, c, b, e standard normal and t_i normal with standard deviation 1 about +-delta / 2.
  Targets differ in their association (random slopes t), and attributes in how they tell the target
  groups apart (random slopes b). Noise e does not vanish in short lists: the standard deviation
  in d holds a part of it, 2 / n_A of variance. So there are two values to hold: d of endless target
  lists scored by lists of this length ("both"), and by endless lists ("both, endless").
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from eatlas.errors import UndefinedWarning
from eatlas.stats.bootstrap import EffectIntervals, bootstrap_effects

KINDS = ("percentile", "bca", "studentised")
SIZES = (6, 8, 25)
EFFECTS = (0.0, 0.8, 1.5)

Draw = Callable[[np.random.Generator, int], np.ndarray]
POPULATIONS: dict[str, tuple[Draw, Draw]] = {
    "normal": (lambda r, n: r.standard_normal(n),) * 2,
    "skewed (chi-square, 3 df)": (lambda r, n: (r.chisquare(3, n) - 3) / np.sqrt(6),) * 2,
    "heavy tails (t, 4 df)": (lambda r, n: r.standard_t(4, n) / np.sqrt(2),) * 2,
    "unequal spread (sd 0.2, 1.4)": (
        lambda r, n: 0.2 * r.standard_normal(n),
        lambda r, n: 1.4 * r.standard_normal(n),
    ),
}
"""Scores of the two groups, of mean 0; their variances have mean 1."""


@dataclass
class Tally:
    """Intervals of one line of a table."""

    truth: float
    found: list[EffectIntervals]

    def line(self, *names: object) -> str:
        """Share of intervals that hold the truth, and their median width, for each kind."""
        cells = [str(name) for name in names]
        for kind in KINDS:
            ends = np.array([getattr(one, kind) for one in self.found])
            held = np.mean((ends[:, 0] <= self.truth) & (self.truth <= ends[:, 1]))
            width = np.nanmedian(ends[:, 1] - ends[:, 0])
            cells.append(f"{held:.3f} ({width:.2f})")
        return f"| {' | '.join(cells)} |"


def gap(d: float) -> float:
    """Difference of means that makes an effect size of d where variances within groups are 1."""
    return float(d / np.sqrt(1 - d**2 / 4))


def two_groups(rng: np.random.Generator, n: int, d: float, population: str) -> np.ndarray:
    first, second = POPULATIONS[population]
    return np.concatenate([first(rng, n) + gap(d) / 2, second(rng, n) - gap(d) / 2])


def crossed(rng: np.random.Generator, n: int, d: float) -> np.ndarray:
    group = np.repeat([1.0, -1.0], n)
    slope = rng.standard_normal(2 * n) + group * gap(d) / 2
    other = rng.standard_normal(2 * n)
    main = np.add.outer(rng.standard_normal(2 * n), rng.standard_normal(2 * n))
    noise = rng.standard_normal((2 * n, 2 * n))
    return main + np.outer(slope, group) / 2 + np.outer(group, other) / 2 + noise


def one(
    rng: np.random.Generator, over: str, n: int, d: float, population: str, resamples: int
) -> EffectIntervals:
    given = {"rng": rng, "over": over, "resamples": resamples}
    if over == "both":
        return bootstrap_effects(crossed(rng, n, d), n, n, **given).level1
    scores = two_groups(rng, n, d, population)
    # one term a group on the other side, which is not resampled
    block = np.stack([scores, np.zeros(2 * n)])
    if over == "targets":
        return bootstrap_effects(block.T, n, 1, **given).level1
    return bootstrap_effects(block, 1, n, **given).level2_x


def simulate(
    over: str, n: int, d: float, population: str, given: argparse.Namespace
) -> list[EffectIntervals]:
    entropy = [given.seed, n, round(10 * d), *map(ord, over[0] + population[0])]
    rng = np.random.default_rng(entropy)
    with warnings.catch_warnings():
        # short lists have resamples without spread; an interval that is NaN does not hold
        warnings.simplefilter("ignore", UndefinedWarning)
        return [one(rng, over, n, d, population, given.resamples) for _ in range(given.simulations)]


def lines_of(over: str, n: int, d: float, given: argparse.Namespace) -> Iterator[str]:
    found = simulate(over, n, d, "normal", given)
    if over == "both":
        delta = gap(d)
        attenuated = delta / np.sqrt(1 + 2 / n + delta**2 / 4)
        yield Tally(attenuated, found).line("both", f"{n} v {n}", f"{attenuated:.2f}")
        if d:
            yield Tally(d, found).line("both, endless", f"{n} v {n}", f"{d:.2f}")
    else:
        yield Tally(d, found).line(over, f"{n} v {n}", f"{d:.2f}")


def header(first: str) -> str:
    return f"| {first} | lists | d | percentile | BCa | studentised |\n|{' --- |' * 6}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--simulations", type=int, default=1500)
    parser.add_argument("--resamples", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=20240806)
    given = parser.parse_args()
    start = time.perf_counter()
    print(f"{given.simulations} simulated tests a line, {given.resamples} resamples each,")
    print(f"seed {given.seed}. Share of intervals that hold d (median width).\n")
    print(header("over"))
    for over in ("targets", "attributes", "both"):
        for n in SIZES:
            for d in EFFECTS:
                for line in lines_of(over, n, d, given):
                    print(line, flush=True)
    print(f"\n{header('scores, over targets')}")
    for population in list(POPULATIONS)[1:]:
        for n in (8, 25):
            for d in EFFECTS[1:]:
                found = simulate("targets", n, d, population, given)
                line = Tally(d, found).line(population, f"{n} v {n}", f"{d:.2f}")
                print(line, flush=True)
    error = np.sqrt(0.95 * 0.05 / given.simulations)
    print(f"\nstandard error of a share of .95: {error:.4f}; {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
