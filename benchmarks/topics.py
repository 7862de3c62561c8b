"""How often tests of random topics reject: by labels, by the crossed test, among random topics.

Targets and attributes are random topics, the nearest words to a random word, or unrelated words;
nothing but chance makes a design. The null of topics is the one of every result; the designs are
made by other means than it. Shares of p <= .05, two-sided, at level 1; with other attributes alone;
and at level 2 of X and of Y.

    python benchmarks/topics.py VECTORS [--designs 500] [--sizes 8 25] [--only NAME]

`VECTORS` are words in order of frequency, such as GloVe 6B.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np

import eatlas
from eatlas.results.parts import at
from eatlas.sources import ArraySource

ROLES = "XYAB"
ALPHA = 0.05
NEAREST, OF_TOPICS, OF_WORDS = 60, 20_000, 30_000
TOPIC, LOOSE = "topic", "loose"
MIDDLE = (500, 5_000)
DESIGNS = {
    "two topics, attributes at random": [(TOPIC, *MIDDLE)] * 2 + [(LOOSE, *MIDDLE)] * 2,
    "four topics": [(TOPIC, *MIDDLE)] * 4,
    "words at random": [(LOOSE, *MIDDLE)] * 4,
    "words at random, frequencies differ": [
        (LOOSE, 0, 3_000), (LOOSE, 3_000, 30_000), (LOOSE, 0, 2_000), (LOOSE, 10_000, 30_000)
    ],
    "four topics, frequencies differ": [
        (TOPIC, 0, 3_000), (TOPIC, 3_000, 20_000), (TOPIC, 0, 2_000), (TOPIC, 10_000, 20_000)
    ],
}  # fmt: skip
PLACES = {
    "labels": "level1.p.two_sided",
    "crossed": "generalisation.level1.p_two_sided",
    "topics": "frequency.matched.level1.p_two_sided",
    "attributes": "frequency.matched.attributes.level1.p_two_sided",
    "topics, X": "frequency.matched.level2.X.p_two_sided",
    "topics, Y": "frequency.matched.level2.Y.p_two_sided",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("vectors")
    parser.add_argument("--designs", type=int, default=500)
    parser.add_argument("--sizes", type=int, nargs="*", default=[8, 25])
    parser.add_argument("--only", nargs="*", default=list(DESIGNS), choices=DESIGNS)
    given = parser.parse_args()
    words, parts = [], []
    for some, vectors in eatlas.open_vectors(given.vectors).iter_chunks():
        words += some
        parts.append(vectors)
    source = ArraySource(words, np.concatenate(parts), name="vectors", ordered=True)
    lists = Lists(source, words)
    print("| terms | design |", " | ".join(PLACES), "| not drawn |")
    print("| --- | --- |", " | ".join(["---:"] * (1 + len(PLACES))), "|")
    for n in given.sizes:
        for name in given.only:
            rng = np.random.default_rng([n, given.designs, list(DESIGNS).index(name)])
            tests = [lists.test(f"design-{i}", DESIGNS[name], n, rng) for i in range(given.designs)]
            results = eatlas.run(
                tests=tests, vectors=source, measures="ml-eat(resamples=0,adjust=none)"
            )
            p = {what: [at(r, place) for r in results] for what, place in PLACES.items()}
            known = {what: [x for x in values if x is not None] for what, values in p.items()}
            shares = [f"{np.mean(np.array(k) <= ALPHA):.3f}" for k in known.values()]
            missing = given.designs - len(known["topics"])
            print(f"| {n} v {n} | {name} |", " | ".join(shares), f"| {missing} |", flush=True)


class Lists:
    """Topics and unrelated words, by simple means."""

    def __init__(self, source: ArraySource, words: list[str]) -> None:
        self.words = words
        self.pool = np.array([i for i in range(OF_WORDS) if words[i].isalpha()])
        rows = source.floats(self.pool)
        self.rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        self.wide = self.pool < OF_TOPICS

    def test(
        self, name: str, design: list[tuple[str, int, int]], n: int, rng: np.random.Generator
    ) -> eatlas.AssociationTest:
        """A design with a list for each role."""
        used: set[int] = set()
        concepts = {}
        for role, (kind, low, high) in zip(ROLES, design, strict=True):
            make: Callable[..., list[int]] = self.topic if kind == TOPIC else self.loose
            chosen = make(low, high, n, used, rng)
            used.update(chosen)
            terms = tuple(self.words[self.pool[i]] for i in chosen)
            concepts[role] = eatlas.Concept(name=role, terms=terms)
        return eatlas.AssociationTest(id=name, **concepts)

    def topic(
        self, low: int, high: int, n: int, used: set[int], rng: np.random.Generator
    ) -> list[int]:
        """The nearest words to a random one, itself among them."""
        while True:
            seed = rng.choice(np.flatnonzero((self.pool >= low) & (self.pool < high)))
            near = np.argsort(-(self.rows[self.wide] @ self.rows[seed]))[:NEAREST].tolist()
            chosen = [i for i in near if i not in used][:n]
            if len(chosen) == n:
                return chosen

    def loose(
        self, low: int, high: int, n: int, used: set[int], rng: np.random.Generator
    ) -> list[int]:
        """Words at random."""
        fitting = np.flatnonzero((self.pool >= low) & (self.pool < high)).tolist()
        return rng.choice([i for i in fitting if i not in used], n, replace=False).tolist()


if __name__ == "__main__":
    main()
