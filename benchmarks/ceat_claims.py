"""CEAT where no word of one kind differs from those of the other: what is claimed.

    python benchmarks/ceat_claims.py [--runs 150]

Words of four groups have vectors of their own, and contexts about them. X and Y are of one kind, or
`shift` apart on the axis between A and B. Printed is the share of p up to .05 of the crossed test,
which claims are made of, of the permutation of labels, and of the published combination of draws.
"""

from __future__ import annotations

import argparse
import warnings
from typing import NamedTuple

import numpy as np

import eatlas

D, ALPHA = 40, 0.05
DRAWS = 100


class World(NamedTuple):
    """Words of a group, contexts of a word, their spreads, and the difference of X and Y."""

    words: int
    contexts: int
    of_context: float = 0.7
    of_word: float = 0.25
    shift: float = 0.0


WORLDS = (
    World(8, 5), World(8, 2, 1.0, 0.1), World(16, 5), World(8, 20), World(8, 5, shift=0.25),
    World(16, 5, shift=0.25),
)  # fmt: skip


def draw(
    world: World, rng: np.random.Generator
) -> tuple[eatlas.AssociationTest, dict[str, np.ndarray]]:
    """A test of contexts and their vectors."""
    axis = {"X": world.shift / 2, "Y": -world.shift / 2, "A": 0.7, "B": -0.7}
    vectors, concepts = {}, {}
    for role, towards in axis.items():
        sentences = []
        for word in range(world.words):
            centre = world.of_word * rng.normal(size=D)
            centre[:2] += towards, 1.0
            for context in range(world.contexts):
                text = f"{role}{word} {context}"
                sentences.append({"text": text, "stimulus": f"{role}{word}"})
                vectors[text] = centre + world.of_context * rng.normal(size=D)
        concepts[role] = eatlas.Concept(name=role, sentences=sentences)
    return eatlas.AssociationTest(id="simulated", **concepts), vectors


def rates(world: World, runs: int, seed: int = 1) -> dict[str, float]:
    """Shares of p-values at level 1 up to alpha."""
    rng, found = np.random.default_rng(seed), []
    for _ in range(runs):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = eatlas.CEAT(n=DRAWS)(*draw(world, rng))
        p_values = (
            result.generalisation.level1.p_two_sided,
            result.level1.p.two_sided,
            result.samples.level1.published.p.two_sided,
        )
        found.append([p <= ALPHA for p in p_values])
    names = ("crossed", "labels", "published")
    return dict(zip(names, np.mean(found, axis=0).tolist(), strict=True))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=150)
    runs = parser.parse_args().runs
    print("| words, contexts of each | shift | crossed | labels | published |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for world in WORLDS:
        cells = " | ".join(f"{rate:.3f}" for rate in rates(world, runs).values())
        print(f"| {world.words}, {world.contexts} | {world.shift:g} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
