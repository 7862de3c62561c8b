"""How often a finding claims what is not there, and how often it finds what is.

Null worlds: four lists of words of GloVe between which nothing is true for other words of the same kinds, though their
words may be near-synonyms, halves of one topic, names, or differ in frequency. Planted worlds: the same lists with an effect
of known size at level 1. The script prints the share of reports (of one, three and ten tests) with any claim, and the power.

    python benchmarks/claims.py [--designs 600] [--vectors glove-sample] [--worlds random halves ...] [--planted]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

import eatlas
from eatlas.engine.adjusting import Covariates, adjusted
from eatlas.measures.base import Input
from eatlas.results import AssociationResult
from eatlas.results.parts import Coverage, GroupCoverage
from eatlas.results.questions import PLACES, Evidence, evidence_of, holm_adjusted
from eatlas.sources import open_vectors

ROLES = "XYAB"
ALPHA = 0.05
FIRST, LAST = 100, 20_000
"""Ranks between which words are drawn."""
MEASURE, OF_PLANTED = (
    measure(resamples=0, frequency="off") for measure in (eatlas.MLEAT, eatlas.WEAT)
)
NAMES = [
    "adam",
    "harry",
    "josh",
    "roger",
    "alan",
    "frank",
    "justin",
    "ryan",
    "andrew",
    "jack",
    "matthew",
    "stephen",
    "brad",
    "greg",
    "paul",
    "jonathan",
    "peter",
    "amanda",
    "courtney",
    "heather",
    "melanie",
    "katie",
    "betsy",
    "kristin",
    "nancy",
    "stephanie",
    "ellen",
    "lauren",
    "colleen",
    "emily",
    "megan",
    "rachel",
]
Lists = Sequence[np.ndarray]


@dataclass(frozen=True)
class Vocabulary:
    """Words in order of frequency with their unit rows."""

    words: list[str]
    rows: np.ndarray
    ranks: np.ndarray

    @classmethod
    def of(cls, source: str) -> Vocabulary:
        """Words of letters alone, from the first to the last rank."""
        opened = open_vectors(source)
        frequency = {word: i + 1 for i, word in enumerate(opened.vocabulary())}
        words = [
            w
            for w, rank in frequency.items()
            if w.isalpha() and len(w) > 2 and FIRST <= rank <= LAST
        ]
        found = opened.lookup(set(words))
        rows = np.array([found[word] for word in words], float)
        return cls(
            words,
            rows / np.linalg.norm(rows, axis=1, keepdims=True),
            np.array([frequency[w] for w in words]),
        )

    def near(self, seed: int, n: int, without: np.ndarray) -> np.ndarray:
        """The `n` words that are nearest to a word, itself first, without some."""
        cosines = self.rows @ self.rows[seed]
        cosines[without] = -np.inf
        return np.argsort(-cosines, kind="stable")[:n]


def random_words(
    v: Vocabulary,
    n: int,
    rng: np.random.Generator,
    low: int = FIRST,
    high: int = LAST,
    lists: int = 1,
) -> Lists:
    """Lists of words of some ranks that share no word."""
    usable = np.flatnonzero((v.ranks >= low) & (v.ranks <= high))
    return np.split(rng.choice(usable, lists * n, replace=False), lists)


def topic(v: Vocabulary, n: int, rng: np.random.Generator, without: np.ndarray) -> np.ndarray:
    """Words around a word of middle rank, in random order."""
    seeds = np.setdiff1d(np.flatnonzero((v.ranks >= 500) & (v.ranks <= 5_000)), without)
    return rng.permutation(v.near(int(rng.choice(seeds)), n, without))


def of_random_words(v: Vocabulary, n: int, rng: np.random.Generator) -> Lists:
    """Four lists of random words."""
    return random_words(v, n, rng, lists=4)


def of_halves(v: Vocabulary, n: int, rng: np.random.Generator) -> Lists:
    """X and Y are halves of one topic, A and B halves of another."""
    targets = topic(v, 2 * n, rng, np.empty(0, int))
    attributes = topic(v, 2 * n, rng, targets)
    return [targets[:n], targets[n:], attributes[:n], attributes[n:]]


def of_names(v: Vocabulary, n: int, rng: np.random.Generator) -> Lists:
    """X and Y are halves of a list of names, A and B halves of a topic."""
    place = {word: i for i, word in enumerate(v.words)}
    centre = v.rows[[place[name] for name in NAMES if name in place]].mean(axis=0)
    names = rng.choice(np.argsort(-(v.rows @ centre))[:90], 2 * n, replace=False)
    attributes = topic(v, 2 * n, rng, names)
    return [names[:n], names[n:], attributes[:n], attributes[n:]]


def of_synonyms(v: Vocabulary, n: int, rng: np.random.Generator, together: int = 2) -> Lists:
    """Lists of pairs of neighbours, or of larger clusters, which are random otherwise."""
    used, lists = np.empty(0, int), []
    for _ in ROLES:
        words: list[int] = []
        while len(words) < n:
            seed = int(rng.choice(np.setdiff1d(np.arange(len(v.words)), used)))
            cluster = v.near(seed, together, used)
            words += cluster.tolist()
            used = np.concatenate([used, cluster])
        lists.append(np.array(words[:n]))
    return lists


def of_fours(v: Vocabulary, n: int, rng: np.random.Generator) -> Lists:
    """Lists of clusters of four neighbours."""
    return of_synonyms(v, n, rng, together=4)


def of_frequency(v: Vocabulary, n: int, rng: np.random.Generator) -> Lists:
    """X and A are frequent words, Y and B rare ones."""
    x, a = random_words(v, n, rng, FIRST, 2_000, lists=2)
    y, b = random_words(v, n, rng, 4_000, LAST, lists=2)
    return [x, y, a, b]


def of_topics(v: Vocabulary, n: int, rng: np.random.Generator) -> Lists:
    """Four unrelated topics: any two do differ, so that this is no null world."""
    lists: list[np.ndarray] = []
    for _ in ROLES:
        lists.append(topic(v, n, rng, np.concatenate([np.empty(0, int), *lists])))
    return lists


WORLDS: dict[str, Callable[[Vocabulary, int, np.random.Generator], Lists]] = {
    "random words": of_random_words,
    "halves of topics": of_halves,
    "halves of names": of_names,
    "pairs of near-synonyms": of_synonyms,
    "fours of near-synonyms": of_fours,
    "frequency alone": of_frequency,
    "four topics (not null)": of_topics,
}


def measured(v: Vocabulary, lists: Lists, d: float = 0.0) -> dict[str, Evidence]:
    """The evidence of a test of four lists, as eatlas finds it; with an effect planted at level 1."""
    names = {
        role: tuple(v.words[i] for i in words) for role, words in zip(ROLES, lists, strict=True)
    }
    unit = {role: v.rows[words] for role, words in zip(ROLES, lists, strict=True)}
    rows = planted(unit, d) if d else unit
    coverage = Coverage({role: GroupCoverage(used=names[role], missing=()) for role in ROLES})
    of = {role: np.log(v.ranks[words])[:, None] for role, words in zip(ROLES, lists, strict=True)}
    given = Input(
        rows=rows,
        coverage=coverage,
        head={**HEAD, "coverage": coverage},
        rng=np.random.default_rng(0),
        unit=unit,
    )
    measure = OF_PLANTED if d else MEASURE
    result: AssociationResult = measure.compute(given, [])
    left = adjusted(measure, given, result, Covariates(("frequency",), of, ranked=True), [])
    return evidence_of(result.model_copy(update={"adjusted": left}))


def planted(unit: dict[str, np.ndarray], d: float) -> dict[str, np.ndarray]:
    """Rows with a coordinate more, whose products are an effect of size d between the four cells."""
    toward = unit["A"].mean(axis=0) - unit["B"].mean(axis=0)
    scores = [unit[role] @ toward for role in "XY"]
    spread = np.sqrt(np.mean([part.var(ddof=1) for part in scores]))
    shift = d / np.sqrt(1 - d * d / 4) * spread / 4
    signs = {"X": 1, "Y": -1, "A": 1, "B": -1}
    return {
        role: np.column_stack([unit[role], np.full(len(unit[role]), signs[role] * np.sqrt(shift))])
        for role in ROLES
    }


def template() -> dict[str, object]:
    """The head of some result."""
    result = eatlas.run("weat-6", measures="weat(resamples=0)", frequency="off")[0]
    fields = ("test", "title", "source", "concepts", "provenance")
    return {"signature": MEASURE.signature, **{name: getattr(result, name) for name in fields}}


HEAD = template()


def reports(p: np.ndarray, tests: int, rng: np.random.Generator, draws: int = 2_000) -> float:
    """Share of reports of so many tests with any claim: each question by Holm over the tests."""
    if tests == 1:
        return float((p.min(axis=1) <= ALPHA).mean())
    hits = 0
    for _ in range(draws):
        chosen = p[rng.choice(len(p), tests, replace=False)]
        hits += any(min(filter(None, holm_adjusted(list(column)))) <= ALPHA for column in chosen.T)
    return hits / draws


def p_values(found: dict[str, Evidence], claim: str) -> list[float]:
    """Of each question; 1 where none can be had."""
    every = (
        found[place].claim if claim == "claim" else found[place].these.claimed for place in PLACES
    )
    return [1.0 if p is None else p for p in every]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--designs", type=int, default=600)
    parser.add_argument("--vectors", default="glove-sample")
    parser.add_argument("--sizes", type=int, nargs="+", default=[8, 16, 25])
    parser.add_argument("--worlds", nargs="+", default=list(WORLDS), choices=list(WORLDS))
    parser.add_argument(
        "--planted", action="store_true", help="effects of .8, 1.2 and 1.6 in the first two worlds"
    )
    given = parser.parse_args()
    v, start = Vocabulary.of(given.vectors), time.process_time()
    print(f"{given.vectors}, {len(v.words):,} words; {given.designs} designs a row")
    if given.planted:
        power(v, given)
    else:
        print(
            "| world | words | claim: 1 test | 3 tests | 10 tests | these words: 1 test | 10 tests |"
        )
        print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
        for world in given.worlds:
            for n in given.sizes:
                rng = np.random.default_rng([n, list(WORLDS).index(world)])
                found = [measured(v, WORLDS[world](v, n, rng)) for _ in range(given.designs)]
                claims, words = (
                    np.array([p_values(each, kind) for each in found])
                    for kind in ("claim", "these")
                )
                rates = [reports(claims, k, rng) for k in (1, 3, 10)] + [
                    reports(words, k, rng) for k in (1, 10)
                ]
                print(
                    f"| {world} | {n} | " + " | ".join(f"{rate:.3f}" for rate in rates) + " |",
                    flush=True,
                )
    print(f"{time.process_time() - start:.0f} s of processor time")


def power(v: Vocabulary, given: argparse.Namespace) -> None:
    """Share of supported claims at level 1 for planted effects, and of these words."""
    sizes = (0.8, 1.2, 1.6)
    print(
        "| world | words | " + " | ".join(f"d = {d}: supported; these words" for d in sizes) + " |"
    )
    print("| --- | ---: |" + " ---: |" * len(sizes))
    for world in list(WORLDS)[:2]:
        for n in given.sizes:
            cells = []
            for d in sizes:
                rng = np.random.default_rng([n, list(WORLDS).index(world), int(10 * d)])
                found = [
                    measured(v, WORLDS[world](v, n, rng), d)["level1"] for _ in range(given.designs)
                ]
                right = [each for each in found if (each.effect.d or 0.0) > 0]
                supported = sum(
                    (each.claim or 1.0) <= ALPHA for each in right if each.claim is not None
                )
                words = sum((each.these.claimed or 1.0) <= ALPHA for each in right)
                cells.append(f"{supported / len(found):.2f}; {words / len(found):.2f}")
            print(f"| {world} | {n} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
