"""Themes of a vocabulary: false findings, power, repetition and speed.

    python benchmarks/themes.py glove.6B.50d.txt [--lists 200] [--tables NAME ...]

Themes are 120 clusters of the 30,000 most frequent words of a GloVe text (words of letters alone);
groups are random words, which are taken out of the themes. Covariates are the log rank and its
square. A list counts where any theme has an adjusted p below .05.

- level: lists of random words, two or three groups, plain and given frequency.
- power: random words of any rank, and one planted theme of 100 words. To each of these a vector is
  added whose product with the words of A is the shift, and with those of B nothing: the scores of A
  rise by the shift. It is a number of cosine; a multiple of the standard deviation over the groups'
  words of their scores, the mean cosines with the theme; or of that of their cosines with a single
  word of the theme. The theme is the words nearest to a random one, or random words.
- names: groups made by clustering random words, or words of one kind, as ``--groups-from`` does.
- seeds: male and female terms on all of the file, with another seed for clusters and relabellings:
  is the theme with *church* found, and is a theme of sports among the first four?
- speed: the whole command on all words of the file, the same statistics one by one, and under
  random rotations of the groups' vectors (as Swinger et al. 2019) in place of relabellings.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import statsmodels.api as sm
from adjusted import ALL, ALPHA, Range, Words

import eatlas
from eatlas.stats.regression import ORDERS, Regression, family_test
from eatlas_vocabulary.stats.clusters import k_means

THEMES = 120
DESIGNS: dict[str, tuple[int, list[Range]]] = {
    "8 v 8, any ranks": (8, [ALL, ALL]),
    "20 v 20, any ranks": (20, [ALL, ALL]),
    "20 v 20, to 2,000 and 10,000 to 30,000": (20, [(0, 2_000), (10_000, 30_000)]),
    "20 v 20, to 1,000 and 2,000 to 8,000": (20, [(0, 1_000), (2_000, 8_000)]),
    "12 v 12 v 12, any ranks": (12, [ALL, ALL, ALL]),
    "20 v 20 v 20, any ranks": (20, [ALL, ALL, ALL]),
    "20 v 20 v 20, to 2,000, 2,000 to 8,000, 8,000 to 30,000": (
        20,
        [(0, 2_000), (2_000, 8_000), (8_000, 30_000)],
    ),
}
PLANTED = 100
"""Words of a planted theme."""
CASES = [
    *((n, "near", "scores", shift) for n in (16, 32) for shift in (0.1, 0.5, 1.0, 1.5, 2.0)),
    *((n, "near", "cosine", 0.1) for n in (8, 16, 32, 64)),
    *((n, "random", "cosines", 0.1) for n in (16, 64, 128, 200)),
]
"""Words of each group, words of the theme, and the shift in which unit."""
MALE = ["male", "man", "boy", "brother", "he", "him", "his", "son"]
FEMALE = ["female", "woman", "girl", "sister", "she", "her", "hers", "daughter"]
SPORTS = {"football", "baseball", "basketball", "hockey", "soccer", "cricket", "quarterback"}
SINGLE = 20
"""Fits that are made one by one."""
DIM, ROTATIONS = 50, 500


class Themes:
    """Clusters of the words, and their sums."""

    def __init__(self, words: Words) -> None:
        self.words = words
        self.labels = k_means(words.rows.astype(np.float32), THEMES, 0)
        self.sums = np.array([words.rows[self.labels == i].sum(axis=0) for i in range(THEMES)])
        self.counts = np.bincount(self.labels, minlength=THEMES)

    def scores(self, units: np.ndarray) -> np.ndarray:
        """Mean cosines of words with the themes, which do not hold them."""
        sums, counts = self.sums.copy(), self.counts.astype(float)
        np.subtract.at(sums, self.labels[units], self.words.rows[units])
        np.subtract.at(counts, self.labels[units], 1.0)
        return sums[counts > 0] / counts[counts > 0, None] @ self.words.rows[units].T

    def smallest(self, groups: Sequence[np.ndarray], draws: int, seed: int, *, plain: bool) -> bool:
        """Whether any theme is below alpha."""
        units = np.concatenate(groups)
        covariates = None if plain else self.words.covariates(units)
        regression = Regression.of_groups([len(group) for group in groups], covariates)
        family = family_test(self.scores(units), regression, permutations=draws, seed=seed)
        return bool(family.p_max_t.min() < ALPHA)


def level(themes: Themes, lists: int, draws: int) -> Iterator[str]:
    """Lists with a theme below .05 where nothing is to be found."""
    yield "| groups, ranks | plain | given frequency |"
    for name, (n, ranges) in DESIGNS.items():
        counts = np.zeros(2)
        for seed in range(lists):
            rng = np.random.default_rng([n, seed])
            groups = themes.words.draw(ranges, n, rng)
            counts += [themes.smallest(groups, draws, seed, plain=plain) for plain in (True, False)]
        yield f"| {name} | {counts[0] / lists:.3f} | {counts[1] / lists:.3f} |"


def power(themes: Themes, lists: int, draws: int) -> Iterator[str]:
    """Lists in which a planted theme is found."""
    words = themes.words
    yield "| words | theme | shift | mean d | found |"
    for n, kind, of, shift in CASES:
        found, effects, count = 0, [], lists if n < 100 else max(1, lists // 2)
        for seed in range(count):
            rng = np.random.default_rng([n, seed])
            groups = words.draw([ALL, ALL], n, rng)
            units = np.concatenate(groups)
            free = np.setdiff1d(np.arange(len(words.rows)), units)
            members = rng.choice(free, PLANTED, replace=False)
            if kind == "near":
                members = free[np.argsort(-words.rows[free] @ words.rows[members[0]])[:PLANTED]]
            cosines = words.rows[members] @ words.rows[units].T
            planted = cosines.mean(axis=0)
            spreads = {"scores": planted.std(ddof=1), "cosines": cosines.std(axis=1).mean()}
            planted[:n] += shift * spreads.get(of, 1.0)
            scores = np.vstack([themes.scores(units), planted])
            regression = Regression.of(2 * n, n, words.covariates(units))
            effects.append(regression.estimates(planted[None])[0] / planted.std(ddof=1))
            family = family_test(scores, regression, permutations=draws, seed=seed)
            found += family.p_max_t[-1] < ALPHA
        cells = f"{n} v {n} | {kind} | {shift:g} {of} | {np.mean(effects):.2f}"
        yield f"| {cells} | {found / count:.3f} |"


def names(themes: Themes, lists: int, draws: int) -> Iterator[str]:
    """Lists with a theme below .05 where the groups are clusters of words of one kind."""
    words = themes.words
    yield "| clustered | groups | lists with a finding |"
    for count in (2, 4):
        for kind, size in (("random words", 80), ("words near a random word", 80)):
            found = 0
            for seed in range(lists):
                rng = np.random.default_rng([count, seed])
                (some,) = words.draw([ALL], size, rng)
                if kind != "random words":
                    near = np.argsort(-words.rows @ words.rows[some[0]])[: 5 * size]
                    some = rng.choice(near, size, replace=False)
                labels = k_means(words.rows[some].astype(np.float32), count, seed, 10)
                groups = [some[labels == i] for i in range(count)]
                groups = [group for group in groups if len(group) >= 3]
                found += themes.smallest(groups, draws, seed, plain=False)
            yield f"| {size} {kind} | {count} | {found / lists:.3f} |"


def seeds(path: Path, runs: int = 10) -> Iterator[str]:
    """What other seeds find."""
    yield "| seed | p of the theme with church | stability | sports | first four |"
    for seed in range(runs):
        result = eatlas.scan(str(path), {"male": MALE, "female": FEMALE}, themes=THEMES, seed=seed)
        (church,) = [theme for theme in result.themes if "church" in theme.words]
        order = sorted(result.themes, key=lambda theme: (theme.p_max_t, theme.p))[:4]
        sports = [i for i, theme in enumerate(order, 1) if SPORTS.intersection(theme.words)]
        first = "; ".join(f"{theme.name} ({theme.p_max_t:.3f})" for theme in order)
        yield f"| {seed} | {church.p_max_t:.3f} | {church.stability} | {sports} | {first} |"


def speed(path: Path, runs: int = 3) -> Iterator[str]:
    """Seconds and memory of the whole command, and of single fits."""
    lists = ["--a", ",".join(MALE), "--b", ",".join(FEMALE)]
    with tempfile.TemporaryDirectory() as folder:
        for source in (str(path), "glove-sample"):
            costs = []
            for run in range(runs):
                out = Path(folder, f"words{run}.csv")
                command = [sys.executable, "-m", "eatlas", "scan", "--vectors", source, *lists]
                command += ["--themes", str(THEMES), "--out", str(out)]
                start = time.perf_counter()
                process = subprocess.Popen(
                    command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
                )
                _, status, usage = os.wait4(process.pid, 0)
                if status:
                    raise SystemExit("the scan has failed")
                wall, peak = time.perf_counter() - start, usage.ru_maxrss / 1024
                costs.append((wall, usage.ru_utime + usage.ru_stime, peak))
            wall, cpu, _ = map(min, zip(*costs, strict=True))
            peak = max(cost[2] for cost in costs)
            yield f"{Path(source).name}: {wall:.1f} s, {cpu:.1f} s of CPU, {peak:.0f} MB"
    rng = np.random.default_rng(0)
    scores, covariates = rng.normal(size=(THEMES, 16)), rng.normal(size=(16, 2))
    regression = Regression.of(16, 8, covariates)
    start = time.process_time()
    family_test(scores, regression)
    ours = time.process_time() - start
    design = np.column_stack([np.ones(16), covariates, np.arange(16) < 8])
    start = time.process_time()
    for row in scores[:SINGLE]:
        for _ in range(SINGLE):
            _ = sm.OLS(rng.permutation(row), design).fit(cov_type="HC2").tvalues[-1]
    each = (time.process_time() - start) / SINGLE**2
    yield f"{THEMES} themes under {ORDERS:,} orders: {ours:.2f} s of CPU"
    total = each * THEMES * ORDERS
    yield f"statsmodels, one fit after the other: {1e3 * each:.2f} ms a fit, {total:,.0f} s"
    means, units = rng.normal(size=(THEMES, DIM)), rng.normal(size=(16, DIM))
    start = time.process_time()
    for _ in range(ROTATIONS):
        turned = units @ np.linalg.qr(rng.normal(size=(DIM, DIM)))[0]
        rows = means @ turned.T
        a, b = rows[:, :8], rows[:, 8:]
        error = np.sqrt((a.var(axis=1, ddof=1) + b.var(axis=1, ddof=1)) / 8)
        np.abs((a.mean(axis=1) - b.mean(axis=1)) / error).max()
    total = (time.process_time() - start) / ROTATIONS * ORDERS
    yield f"{ORDERS:,} random rotations of {DIM} components: {total:.1f} s of CPU"


def main() -> None:
    """Print tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("vectors", type=Path, help="a GloVe text, words in order of frequency")
    parser.add_argument("--lists", type=int, default=200)
    parser.add_argument("--draws", type=int, default=999)
    tables = {"level": level, "power": power, "names": names}
    others = {"seeds": seeds, "speed": speed}
    parser.add_argument(
        "--tables", nargs="*", choices=[*tables, *others], default=[*tables, *others]
    )
    given = parser.parse_args()
    lines: list[Iterator[str]] = []
    if tables.keys() & set(given.tables):
        themes = Themes(Words(given.vectors))
        lines = [tables[t](themes, given.lists, given.draws) for t in given.tables if t in tables]
    lines += [others[name](given.vectors) for name in given.tables if name in others]
    for table in lines:
        for line in table:
            print(line, flush=True)
        print()


if __name__ == "__main__":
    main()
