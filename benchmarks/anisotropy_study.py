"""At which anisotropy cosines stop to show a planted EAT pattern, and which remedy brings it back.

Six families of spaces, from isotropic to hopeless; in each space many tests of 8 terms a group with
a planted AB-Divergent, A-Uniform or BY-Singular pattern, decided by exact p-values as ML-EAT does
(threshold .2, alpha .05 in the tail of the sign). For each space the script prints the figures of
``eatlas vectors check``; how many results warn by their own terms; in how many tests level 1 was
found (p greater < .05, AB-Divergent); in how many, of others where targets have nothing to do with
the attributes, Non-Directional was named ("nothing"); and in how many the planted pattern was named
rightly, raw and after each transform. With ``--limits`` it prints where each family falls to 80% of
what it recovers without anisotropy, for other dimensions, strengths of the association and spreads
of the lengths. The constants in eatlas/results/diagnosis.py cite it.

    python benchmarks/anisotropy_study.py [--tests 300] [--family "power law"]
    python benchmarks/anisotropy_study.py --limits --tests 200
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterable, Mapping

import numpy as np
from _planted import FAMILIES, NOTHING, PATTERNS, Setting, World, make_world

from eatlas.kernels import unit_rows
from eatlas.measures.levels import diagnose_terms
from eatlas.stats.permutation import permutation_tests
from eatlas.stats.space import Affine, standardize, whiten, with_rows, without_top
from eatlas_vocabulary.stats.isotropy import iso_score, pair_cosines, variance_shares

ALPHA, THRESHOLD = 0.05, 0.2
KEPT = 0.8
FIGURES = ("cosine", "sd", "isoscore", "top 1", "length", "share")
OF_TERMS = ("level 3 low", "terms' isoscore", "terms' length")
REMEDIES = {
    "center": lambda _: None,
    "abtt:1": lambda c: without_top(c, 1),
    "abtt:3": lambda c: without_top(c, 3),
    "standardize": standardize,
    "whiten": whiten,
}


def figures(world: World) -> list[float]:
    pairs = pair_cosines(with_rows(None, unit_rows(world.vocabulary)))
    covariance = np.cov(world.vocabulary.T)
    share = pairs.contributions.max() / pairs.mean if pairs.mean > 0.05 else np.nan
    terms = {**world.attributes, "X": world.targets["X", 1], "Y": world.targets["Y", -1]}
    own = diagnose_terms({role: unit_rows(rows) for role, rows in terms.items()})
    return [
        pairs.mean,
        pairs.sd,
        iso_score(covariance),
        variance_shares(covariance, (1,))[0],
        pairs.lengths.max(),
        share,
        own.lowest_mean,
        own.iso_score,
        own.loudest.length,
        bool(own.remarks()),
    ]


def remedies(world: World) -> dict[str, Affine | None]:
    mean, covariance = world.vocabulary.mean(axis=0), np.cov(world.vocabulary.T)
    fitted = {name: Affine(mean, make(covariance)) for name, make in REMEDIES.items()}
    return {"raw": None, **fitted}


def scores(world: World, remedy: Affine | None) -> dict[str, np.ndarray]:
    """Scores of level 1 and both level 2, a row each, for each planted pattern."""

    def rows(vectors: np.ndarray) -> np.ndarray:
        return unit_rows(vectors if remedy is None else remedy.rows(vectors, bulk=True))

    a, b = (rows(world.attributes[role]) for role in "AB")
    direction = a.mean(axis=0) - b.mean(axis=0)
    found = {}
    for name, (side_x, side_y) in (PATTERNS | NOTHING).items():
        x, y = rows(world.targets["X", side_x]), rows(world.targets["Y", side_y])
        level2 = [np.concatenate([a, b]) @ target.mean(axis=0) for target in (x, y)]
        found[name] = np.stack([np.concatenate([x, y]) @ direction, *level2])
    return found


def verdicts(all_scores: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Level 1 found, and the associations of X and Y as -1, 0, 1; scores (tests, 3, 2 n)."""
    flat = all_scores.reshape(-1, 2 * n)
    p = permutation_tests(flat, n, scale=1.0) / math.comb(2 * n, n)
    d = (flat[:, :n].mean(axis=1) - flat[:, n:].mean(axis=1)) / flat.std(axis=1, ddof=1)
    greater, less, _ = p
    sides = np.where((d > THRESHOLD) & (greater < ALPHA), 1, 0)
    sides -= np.where((d < -THRESHOLD) & (less < ALPHA), 1, 0)
    return greater.reshape(-1, 3)[:, 0] < ALPHA, sides.reshape(-1, 3)[:, 1:]


def study(
    family: str, level: float, setting: Setting, tests: int, seed: int, *, raw_only: bool
) -> tuple[list[float], dict[str, float], dict[str, float]]:
    """Figures; level 1 found and nothing seen in nothing; patterns recovered by remedy."""
    make, levels = FAMILIES[family]
    rng = np.random.default_rng([seed, list(FAMILIES).index(family), levels.index(level)])
    seen, kept = [], {}
    for _ in range(tests):
        world = make_world(make(level, setting.dim, rng), setting, rng)
        seen.append(figures(world))
        fitted = {"raw": None} if raw_only else remedies(world)
        for remedy, fit in fitted.items():
            for pattern, rows in scores(world, fit).items():
                kept.setdefault((remedy, pattern), []).append(rows)
    right: dict[str, list[float]] = {}
    raw = {}
    for (remedy, pattern), rows in kept.items():
        found, sides = verdicts(np.array(rows), setting.size)
        named = (sides == (PATTERNS | NOTHING)[pattern]).all(axis=1).mean()
        if pattern in PATTERNS:
            right.setdefault(remedy, []).append(named)
        elif remedy == "raw":
            raw["nothing"] = float(named)
        if (remedy, pattern) == ("raw", "AB-Divergent"):
            raw["level 1"] = float(found.mean())
    # the share of single dimensions is noise where there is no mean cosine to share
    means = [np.mean(column) if np.isfinite(column).all() else np.nan for column in zip(*seen)]  # noqa: B905
    return means, raw, {remedy: float(np.mean(shares)) for remedy, shares in right.items()}


def tables(families: Iterable[str], tests: int, seed: int) -> None:
    setting = Setting()
    head = ("level", *FIGURES, "warned", "level 1", "nothing", "raw", *REMEDIES)
    for family in families:
        print(f"\n{family}\n| {' | '.join(head)} |\n|{' ---: |' * len(head)}")
        for level in FAMILIES[family][1]:
            seen, raw, right = study(family, level, setting, tests, seed, raw_only=False)
            found = [*seen[: len(FIGURES)], seen[-1], raw["level 1"], raw["nothing"]]
            cells = [f"{level:g}", *map(show, [*found, *right.values()])]
            print(f"| {' | '.join(cells)} |", flush=True)


def limits(families: Iterable[str], tests: int, seed: int) -> None:
    settings = (
        Setting(),
        Setting(strength=2.0),
        Setting(strength=3.5),
        Setting(spread=0.0),
        Setting(spread=0.3),
        Setting(dim=50, strength=2.1),  # about the same level 2 effect size as at d = 100
        Setting(dim=300, strength=3.3),
        Setting(size=16),
    )
    columns = ("family", "d", "strength", "spread", "terms", "isotropic", *FIGURES, *OF_TERMS)
    print(f"| {' | '.join(columns)} |\n|{' --- |' * len(columns)}")
    for family in families:
        for setting in settings:
            rows = [
                study(family, level, setting, tests, seed, raw_only=True)
                for level in FAMILIES[family][1]
            ]
            right = np.array([row[2]["raw"] for row in rows])
            at = [
                crossing(right, np.array([row[0][i] for row in rows]))
                for i in range(len(FIGURES + OF_TERMS))
            ]
            what = (setting.dim, setting.strength, setting.spread, setting.size)
            cells = [family, *(f"{v:g}" for v in what), *map(show, [right[0], *at])]
            print(f"| {' | '.join(cells)} |", flush=True)


def crossing(right: np.ndarray, figure: np.ndarray) -> float:
    """The figure where recovery first falls to 80% of its start, between two levels."""
    aim = KEPT * right[0]
    below = np.flatnonzero(right < aim)
    if not len(below):
        return float("nan")
    i = below[0]
    part = (right[i - 1] - aim) / (right[i - 1] - right[i])
    return float(figure[i - 1] + part * (figure[i] - figure[i - 1]))


def show(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tests", type=int, default=300)
    parser.add_argument("--seed", type=int, default=20241121)
    parser.add_argument("--family", action="append", choices=list(FAMILIES))
    parser.add_argument("--limits", action="store_true")
    given: Mapping = vars(parser.parse_args())
    families = given["family"] or list(FAMILIES)
    print(f"{given['tests']} worlds a row, seed {given['seed']}")
    if given["limits"]:
        limits(families, given["tests"], given["seed"])
    else:
        tables(families, given["tests"], given["seed"])


if __name__ == "__main__":
    main()
