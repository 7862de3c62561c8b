"""How often findings claim what is not there, and how often they claim what is.

    python benchmarks/claims.py [--vectors glove-sample] [--designs 600] [--sizes 8 16 25]
    python benchmarks/claims.py --planted [--at 0.3]
    python benchmarks/claims.py --threshold --vectors google-news --sizes 8 16

- by default: null worlds. X, Y, A and B are lists of words between which nothing is true for other
  words of the same kinds, though they may hold near-synonyms, halves of one topic or names, or
  differ in frequency. Share of reports of one, three and ten tests with any supported claim; and of
  tests with a claim about these words at level 1.
- planted: an effect of known size at level 1. Share of supported claims, and of claims about these
  words.
- threshold: null worlds with near-synonyms joined at several thresholds: tests with any supported
  claim, those with a claim about these words at level 1, and units a group.

``--at`` joins near-synonyms at another threshold in the first two tables.

Vectors are those that eatlas opens, or of a package (``glove-6b``, ``google-news``, ``minilm``, see
``_installed.py``). Words have the ranks of the source, of ``--ranks``, or else those of GloVe 6B
that come with eatlas.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from unittest.mock import patch

import numpy as np
from _installed import open_source

import eatlas
from eatlas.engine.frequency import order_of
from eatlas.measures.base import Covariates, Input, Words
from eatlas.results.finding import PLACES
from eatlas.results.parts import Coverage, GroupCoverage
from eatlas.results.questions import Evidence, evidence_of
from eatlas.sources import spellings
from eatlas.sources.frequency_order import sample_order
from eatlas.stats.multiplicity import holm_adjusted
from eatlas.stats.units import THRESHOLD, find_units

ROLES = "XYAB"
ALPHA = 0.05
FIRST, LAST = 100, 20_000
"""Ranks between which words are drawn."""
SEEDS = (500, 5_000)
"""Ranks of words around which there is a topic."""
NAMES = eatlas.load_tests("weat-3")[0].X.terms
NEAREST_NAMES = 90
"""Words nearest to the mean of those names, from which names are drawn."""
MOST_COUNTED, DRAWS = 16, 4_999
"""Words of a group up to which permutations are counted exactly; as many are drawn of more."""
REPORTS = 2_000
"""Reports of several tests that are drawn from the designs."""
EFFECTS = (0.8, 1.2, 1.6)
THRESHOLDS = (math.inf, 0.3, THRESHOLD, 0.5, 0.6)
Lists = Sequence[np.ndarray]
"""Places of the words of X, Y, A and B."""


@dataclass(frozen=True)
class Vocabulary:
    """Words of letters alone in order of frequency, with their unit rows."""

    words: list[str]
    rows: np.ndarray
    ranks: np.ndarray

    @classmethod
    def of(cls, vectors: str, ranks: str | None = None) -> Vocabulary:
        """Words from the first to the last rank that have a vector."""
        source = open_source(vectors)
        order = order_of(open_source(ranks) if ranks else source, "always", english=True)
        if isinstance(order, str):  # why the source has no ranks
            order = sample_order()
        rank_of = order.ranks([word for word in order.words if word.isalpha() and len(word) > 2])
        known = sorted(
            (word for word in rank_of if FIRST <= rank_of[word] <= LAST), key=rank_of.get
        )
        keys = {word: (word,) if source.encodes else spellings(word, "auto") for word in known}
        found = source.lookup({key for each in keys.values() for key in each})
        vector_of = {
            word: next(found[key] for key in keys[word] if key in found)
            for word in known
            if not found.keys().isdisjoint(keys[word])
        }
        rows = np.array([*vector_of.values()], float)
        unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return cls([*vector_of], unit, np.array([rank_of[word] for word in vector_of]))

    def among(self, words: Collection[str]) -> Vocabulary:
        """The words that are among some."""
        chosen = np.flatnonzero(np.isin(self.words, [*words]))
        return Vocabulary([self.words[i] for i in chosen], self.rows[chosen], self.ranks[chosen])

    def between(self, low: int, high: int) -> np.ndarray:
        """Places of words of some ranks."""
        return np.flatnonzero((self.ranks >= low) & (self.ranks <= high))

    def near(self, seed: int, n: int, without: np.ndarray) -> np.ndarray:
        """The `n` words that are nearest to a word, itself first, without some."""
        cosines = self.rows @ self.rows[seed]
        cosines[without] = -np.inf
        return np.argsort(-cosines, kind="stable")[:n]

    def topic(self, n: int, rng: np.random.Generator, without: Lists = ()) -> np.ndarray:
        """The words nearest to a word of middle rank, in random order."""
        used = np.concatenate([np.empty(0, int), *without])
        seed = int(rng.choice(np.setdiff1d(self.between(*SEEDS), used)))
        return rng.permutation(self.near(seed, n, used))


# --- worlds ---------------------------------------------------------------------------------------


def random_words(v: Vocabulary, n: int, rng: np.random.Generator) -> Lists:
    """Four lists of random words."""
    return np.split(rng.choice(len(v.words), 4 * n, replace=False), 4)


def halves_of_topics(v: Vocabulary, n: int, rng: np.random.Generator) -> Lists:
    """X and Y are halves of one topic, A and B halves of another."""
    targets = v.topic(2 * n, rng)
    return [*np.split(targets, 2), *np.split(v.topic(2 * n, rng, [targets]), 2)]


def halves_of_names(v: Vocabulary, n: int, rng: np.random.Generator) -> Lists:
    """X and Y are halves of a list of names, A and B halves of a topic."""
    place = {word: i for i, word in enumerate(v.words)}
    known = [place[name.lower()] for name in NAMES if name.lower() in place]
    nearest = np.argsort(-(v.rows @ v.rows[known].mean(axis=0)))[:NEAREST_NAMES]
    names = rng.choice(nearest, 2 * n, replace=False)
    return [*np.split(names, 2), *np.split(v.topic(2 * n, rng, [names]), 2)]


def synonyms(v: Vocabulary, n: int, rng: np.random.Generator, together: int) -> Lists:
    """Four lists of random words, each with its nearest neighbours."""
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


def frequency_alone(v: Vocabulary, n: int, rng: np.random.Generator) -> Lists:
    """X and A are frequent words, Y and B rare ones."""
    frequent = rng.choice(v.between(FIRST, 2_000), 2 * n, replace=False)
    rare = rng.choice(v.between(4_000, LAST), 2 * n, replace=False)
    return [frequent[:n], rare[:n], frequent[n:], rare[n:]]


def four_topics(v: Vocabulary, n: int, rng: np.random.Generator) -> Lists:
    """Four unrelated topics: any two do differ, so that this is no null world."""
    lists: list[np.ndarray] = []
    for _ in ROLES:
        lists.append(v.topic(n, rng, lists))
    return lists


WORLDS: dict[str, Callable[[Vocabulary, int, np.random.Generator], Lists]] = {
    "random words": random_words,
    "halves of topics": halves_of_topics,
    "halves of names": halves_of_names,
    "pairs of near-synonyms": partial(synonyms, together=2),
    "fours of near-synonyms": partial(synonyms, together=4),
    "frequency alone": frequency_alone,
    "four topics (not null)": four_topics,
}
PLANTED = ("random words", "halves of topics")
CLUSTERED = (*PLANTED, "pairs of near-synonyms", "fours of near-synonyms")


def designs(v: Vocabulary, world: str, n: int, count: int, seed: int = 0) -> Iterator[Lists]:
    """Lists of a world, always the same ones for a seed."""
    rng = np.random.default_rng([n, [*WORLDS].index(world), seed])
    return (WORLDS[world](v, n, rng) for _ in range(count))


# --- what eatlas finds ----------------------------------------------------------------------------


def measured(v: Vocabulary, lists: Lists, d: float = 0.0) -> dict[str, Evidence]:
    """The evidence of a test of four lists on each question, as eatlas finds it.

    An effect size `d` that is not 0 is planted at level 1, which alone is measured then.
    """
    of_role = dict(zip(ROLES, lists, strict=True))
    unit = {role: v.rows[places] for role, places in of_role.items()}
    ranks = {role: np.log(v.ranks[places])[:, None] for role, places in of_role.items()}
    used = {role: tuple(v.words[i] for i in places) for role, places in of_role.items()}
    coverage = Coverage({role: GroupCoverage(used=used[role], missing=()) for role in ROLES})
    sampled = {"p": "sampled", "draws": DRAWS} if max(map(len, lists)) > MOST_COUNTED else {}
    measure = (eatlas.WEAT if d else eatlas.MLEAT)(resamples=0, frequency="off", **sampled)
    given = Input(
        rows=planted(unit, d) if d else unit,
        coverage=coverage,
        head={**head_of_a_result(), "signature": measure.signature, "coverage": coverage},
        rng=np.random.default_rng(0),
        unit=unit,
        words=Words(Covariates(("frequency",), ranks, ranked=True)),
    )
    return evidence_of(measure.compute(given, []))


def planted(unit: dict[str, np.ndarray], d: float) -> dict[str, np.ndarray]:
    """Rows with one more coordinate, whose products shift the four cells by an effect of size d."""
    toward = unit["A"].mean(axis=0) - unit["B"].mean(axis=0)
    spread = np.sqrt(np.mean([(unit[role] @ toward).var(ddof=1) for role in "XY"]))
    shift = np.sqrt(d / np.sqrt(1 - d * d / 4) * spread / 4)
    sign = {"X": 1, "Y": -1, "A": 1, "B": -1}
    return {
        role: np.column_stack([rows, np.full(len(rows), sign[role] * shift)])
        for role, rows in unit.items()
    }


@cache
def head_of_a_result() -> dict[str, object]:
    """What a result says of its test and its source, which decides no number."""
    result = eatlas.run("weat-6", measures="weat(resamples=0)", frequency="off")[0]
    fields = ("test", "title", "source", "concepts", "provenance")
    return {name: getattr(result, name) for name in fields}


def claims(found: dict[str, Evidence]) -> list[float]:
    """The p-value of a supported claim on each question; 1 if nothing can be claimed."""
    p_values = (found[place].claim for place in PLACES)
    return [1.0 if p is None else p for p in p_values]


def claims_these(found: dict[str, Evidence]) -> bool:
    """Whether level 1 has a claim about these words."""
    p = found["level1"].these.p_of_claim
    return p is not None and p <= ALPHA


def reports(p: np.ndarray, tests: int) -> float:
    """Share of reports of so many tests with any claim: each question by Holm over the tests."""
    if tests == 1:
        return float((p.min(axis=1) <= ALPHA).mean())
    rng, hits = np.random.default_rng(tests), 0
    for _ in range(REPORTS):
        chosen = p[rng.choice(len(p), tests, replace=False)]
        hits += any(min(holm_adjusted(column)) <= ALPHA for column in chosen.T.tolist())
    return hits / REPORTS


# --- tables ---------------------------------------------------------------------------------------


def null_worlds(v: Vocabulary, given: argparse.Namespace) -> Iterator[str]:
    """False claims by world."""
    yield "| world | words | any supported: 1 test | 3 tests | 10 tests | these words, level 1 |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: |"
    for world in given.worlds:
        for n in given.sizes:
            found = [
                measured(v, lists) for lists in designs(v, world, n, given.designs, given.seed)
            ]
            p = np.array([claims(each) for each in found])
            rates = [*(reports(p, tests) for tests in (1, 3, 10)), mean(claims_these, found)]
            yield f"| {world} | {n} | {' | '.join(f'{rate:.3f}' for rate in rates)} |"


def power(v: Vocabulary, given: argparse.Namespace) -> Iterator[str]:
    """Claims of planted effects, with the sign that was planted."""
    yield f"| world | words | {' | '.join(f'd = {d}: supported; these words' for d in EFFECTS)} |"
    yield f"| --- | ---: |{' ---: |' * len(EFFECTS)}"
    for world in PLANTED:
        for n in given.sizes:
            cells = []
            for d in EFFECTS:
                lists = designs(v, world, n, given.designs, int(10 * d))
                found = [measured(v, each, d)["level1"] for each in lists]
                right = [each for each in found if (each.effect.d or 0.0) > 0]
                p = [(each.claim, each.these.p_of_claim) for each in right]
                rates = [
                    sum(each is not None and each <= ALPHA for each in of)
                    for of in zip(*p, strict=True)
                ]
                cells.append("; ".join(f"{rate / len(found):.2f}" for rate in rates))
            yield f"| {world} | {n} | {' | '.join(cells)} |"


def thresholds(v: Vocabulary, given: argparse.Namespace) -> Iterator[str]:
    """False claims, and units a group, by the threshold at which near-synonyms are joined."""
    names = ["no clusters" if t == math.inf else f"t = {t}" for t in THRESHOLDS]
    yield f"| world | words | {' | '.join(names)} |"
    yield f"| --- | ---: |{' ---: |' * len(THRESHOLDS)}"
    for world in CLUSTERED:
        for n in given.sizes:
            rows = [joined(v, lists) for lists in designs(v, world, n, given.designs)]
            rates = np.mean(rows, axis=0)
            cells = [
                f"{any_claim:.3f}; {these:.3f}; {size:.1f}" for any_claim, these, size in rates
            ]
            yield f"| {world} | {n} | {' | '.join(cells)} |"


@contextmanager
def joined_at(threshold: float) -> Iterator[None]:
    """Have eatlas join near-synonyms at a threshold of its own, in tests and in searches."""
    other = partial(find_units, threshold=threshold)
    with (
        patch("eatlas.measures.units.find_units", other),
        patch("eatlas_vocabulary.engine.group_units.find_units", other),
    ):
        yield


def joined(v: Vocabulary, lists: Lists) -> list[tuple[bool, bool, float]]:
    """At each threshold: any supported claim, these words at level 1, units a group."""
    known: dict[bytes, tuple[bool, bool, float]] = {}
    rows = []
    for threshold in THRESHOLDS:
        labels = [find_units(v.rows[places], threshold) for places in lists]
        key = np.concatenate(labels).tobytes()
        if key not in known:  # the units are others
            with patch(
                "eatlas.measures.units.find_units", partial(find_units, threshold=threshold)
            ):
                found = measured(v, lists)
            units = float(np.mean([of.max() + 1 for of in labels]))
            known[key] = min(claims(found)) <= ALPHA, claims_these(found), units
        rows.append(known[key])
    return rows


def mean(of: Callable[[dict[str, Evidence]], bool], found: list[dict[str, Evidence]]) -> float:
    """Share of tests."""
    return float(np.mean([of(each) for each in found]))


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--vectors", default="glove-sample")
    parser.add_argument("--ranks", help="vectors whose order gives the ranks of words")
    parser.add_argument("--designs", type=int, default=600)
    parser.add_argument("--sizes", type=int, nargs="+", default=[8, 16, 25])
    parser.add_argument("--worlds", nargs="+", default=list(WORLDS), choices=list(WORLDS))
    parser.add_argument("--seed", type=int, default=0, help="other designs, of null worlds")
    parser.add_argument("--at", type=float, default=THRESHOLD, help="threshold of near-synonyms")
    table = parser.add_mutually_exclusive_group()
    table.add_argument("--planted", dest="table", action="store_const", const=power)
    table.add_argument("--threshold", dest="table", action="store_const", const=thresholds)
    parser.set_defaults(table=null_worlds)
    given = parser.parse_args()
    start, v = time.process_time(), Vocabulary.of(given.vectors, given.ranks)
    error = math.sqrt(ALPHA * (1 - ALPHA) / given.designs)
    print(
        f"{given.vectors}, {len(v.words):,} words, {given.designs} designs a row: a rate of "
        f"{ALPHA} of single tests has a standard error of {error:.3f}"
    )
    with joined_at(given.at):
        for line in given.table(v, given):
            print(line, flush=True)
    print(f"{time.process_time() - start:.0f} s of processor time")


if __name__ == "__main__":
    main()
