"""False themes, with near-synonyms in the groups, and how often other words confirm them.

    python benchmarks/theme_words.py [--searches 120] [--vectors glove-sample] [--tables NAME ...]

Themes are 60 clusters of the 6,000 most frequent words. Groups are random words, of ranks 100 to
20,000, between which there is no difference: single words, or words with their nearest neighbours
(pairs, fours).

- units: share of searches with any theme below .05 by maxT, with every word as a unit, and with
  near-synonyms as one unit.
- confirm: of the themes of random groups with p < .05 by themselves in one half of the words, how
  many the other half confirms, as `Results.confirmations` of a run of the test alone has it.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np
from claims import Vocabulary

import eatlas
from eatlas.engine.themes import _scores, make_themes
from eatlas.sources import Source, open_vectors
from eatlas.stats.regression import Regression, family_test
from eatlas.stats.space import clustered

THEMES, MOST_FREQUENT, ALPHA, DRAWS = 60, 6_000, 0.05, 499
KINDS = {"random words": 1, "pairs of near-synonyms": 2, "fours of near-synonyms": 4}
DESIGNS = [(8, "random words"), (8, "pairs of near-synonyms"), (16, "random words")]
DESIGNS += [(16, "pairs of near-synonyms"), (16, "fours of near-synonyms")]
Groups = dict[str, list[str]]


class Searches:
    """A vocabulary, and its themes."""

    def __init__(self, spec: str) -> None:
        self.source: Source = open_vectors(spec)
        self.vocabulary = Vocabulary.of(spec)
        labels = clustered(self.vocabulary.rows[:MOST_FREQUENT].astype(np.float32), THEMES, 0)
        words = np.array(self.vocabulary.words[:MOST_FREQUENT])
        self.themes = {f"theme {i}": words[labels == i].tolist() for i in range(THEMES)}

    def groups(self, n: int, kind: str, rng: np.random.Generator) -> np.ndarray:
        """Places of the words of two groups of n words, the first group first."""
        places: list[int] = []
        while len(places) < 2 * n:
            seed = int(rng.integers(len(self.vocabulary.words)))
            near = self.vocabulary.near(seed, KINDS[kind], np.array(places, int))
            places += [] if seed in places else near.tolist()
        return np.array(places)

    def named(self, places: np.ndarray) -> Groups:
        """The words of two groups."""
        words, n = self.vocabulary.words, len(places) // 2
        parts = {"one": places[:n], "two": places[n:]}
        return {name: [words[i] for i in part] for name, part in parts.items()}

    def smallest(self, places: np.ndarray, seed: int) -> tuple[float, float, float]:
        """The smallest p by maxT of words, and of units; and the number of units of a group."""
        plan = make_themes(self.source, self.named(places), self.themes, split=False, seed=seed)
        members = plan.categories or {}
        joined = family_test(_scores(plan, members), plan.regression, draws=DRAWS, seed=seed)
        means = [plan.words.rows[of].mean(axis=0, dtype=float) for of in members.values()]
        x = np.log(self.vocabulary.ranks[places])
        x = (x - x.mean()) / x.std()
        words = Regression.of_groups([len(places) // 2] * 2, np.column_stack([x, x * x]))
        scores = np.array(means) @ self.vocabulary.rows[places].T
        single = family_test(scores, words, draws=DRAWS, seed=seed)
        return single.p_max_t.min(), joined.p_max_t.min(), plan.regression.size / 2


def units(searches: Searches, count: int) -> Iterator[str]:
    """False themes with near-synonyms in the groups."""
    yield "| groups | words as units | near-synonyms as one unit | units a group |"
    for n, kind in DESIGNS:
        found = np.zeros(3)
        for seed in range(count):
            places = searches.groups(n, kind, np.random.default_rng([n, KINDS[kind], seed]))
            single, joined, size = searches.smallest(places, seed)
            found += single < ALPHA, joined < ALPHA, size
        single, joined, size = found / count
        yield f"| {n} v {n}, {kind} | {single:.3f} | {joined:.3f} | {size:.1f} |"


def confirm(searches: Searches, count: int) -> Iterator[str]:
    """False themes of one half of the words that the other half confirms."""
    yield "| groups | false themes, each p < .05 | confirmed | of these by maxT | confirmed |"
    for n in (8, 16, 32):
        single, found = [], []
        for seed in range(count):
            places = searches.groups(n, "random words", np.random.default_rng([n, seed]))
            groups = searches.named(places)
            result = eatlas.scan(searches.source, groups, themes=searches.themes, seed=seed)
            if not result.held_out:  # some random words happen to be near
                continue
            false = {
                theme.name: theme.p_max_t < ALPHA for theme in result.themes if theme.p < ALPHA
            }
            for test in result.tests(top=len(result.themes)) if false else ():
                if test.X.name in false:
                    measured = eatlas.run(test, searches.source, "ml-eat(resamples=0)")
                    (said,) = measured.confirmations()
                    single.append(said.verdict == "confirmed")
                    found += [single[-1]] if false[test.X.name] else []
        share = np.mean(single or [0])
        yield f"| {n} v {n} | {len(single)} | {share:.3f} | {len(found)} | {sum(found)} |"


def main() -> None:
    """Print tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--searches", type=int, default=120)
    parser.add_argument("--vectors", default="glove-sample")
    tables = {"units": units, "confirm": confirm}
    parser.add_argument("--tables", nargs="*", choices=[*tables], default=[*tables])
    given = parser.parse_args()
    searches = Searches(given.vectors)
    for name in given.tables:
        for line in tables[name](searches, given.searches):
            print(line, flush=True)
        print()


if __name__ == "__main__":
    main()
