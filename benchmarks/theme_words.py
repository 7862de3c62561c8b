"""False themes, with near-synonyms in the groups, and how often other words confirm them.

    python benchmarks/theme_words.py [--searches 120] [--vectors glove-sample] [--tables NAME ...]
        [--other google-news] [--at 0.4]

Themes are 60 clusters of the 6,000 most frequent words. Groups are random words, of ranks 100 to
20,000, between which there is no difference: single words, words with their nearest neighbours
(pairs, fours), or frequent words and rare ones.

- units: share of searches with any theme below .05 by maxT, with every word as a unit, and with
  near-synonyms as one unit.
- confirm: of the themes with p < .05 by themselves in one half of the words, how many the other
  half confirms, on the same vectors and on other ones, as `eatlas.confirmations` of a run of each
  test alone has it. Beside it, how many the words of the search would confirm on the other
  vectors, which eatlas does not accept.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np
from _installed import open_source
from claims import FIRST, LAST, Vocabulary, joined_at

import eatlas
from eatlas.results import Results
from eatlas.sources import ArraySource, Source
from eatlas.stats.regression import Regression, family_test
from eatlas.stats.units import THRESHOLD
from eatlas_vocabulary.engine.themes import _scores, make_themes
from eatlas_vocabulary.results.themes import ThemesResult
from eatlas_vocabulary.stats.clusters import k_means

THEMES, MOST_FREQUENT, ALPHA, DRAWS = 60, 6_000, 0.05, 499
KINDS = {"random words": 1, "pairs of near-synonyms": 2, "fours of near-synonyms": 4}
DESIGNS = [(8, "random words"), (8, "pairs of near-synonyms"), (16, "random words")]
DESIGNS += [(16, "pairs of near-synonyms"), (16, "fours of near-synonyms")]
FREQUENCY = "frequent words, rare words"
CONFIRMED = [(16, "random words"), (32, "random words"), (32, "pairs of near-synonyms")]
CONFIRMED += [(32, "fours of near-synonyms"), (16, FREQUENCY), (32, FREQUENCY)]
Groups = dict[str, list[str]]


class Searches:
    """A vocabulary, its themes, and other vectors of the words that groups are made of."""

    def __init__(self, spec: str, other: str | None = None) -> None:
        self.source: Source = open_source(spec)
        self.vocabulary = Vocabulary.of(spec)
        labels = k_means(self.vocabulary.rows[:MOST_FREQUENT].astype(np.float32), THEMES, 0)
        words = np.array(self.vocabulary.words[:MOST_FREQUENT])
        self.themes = {f"theme {i}": words[labels == i].tolist() for i in range(THEMES)}
        if other:
            beside = Vocabulary.of(other)
            self.other = ArraySource(beside.words, beside.rows, name=other, ordered=True)
            self.vocabulary = self.vocabulary.among(beside.words)

    def groups(self, n: int, kind: str, rng: np.random.Generator) -> np.ndarray:
        """Places of the words of two groups of n words, the first group first."""
        if kind == FREQUENCY:
            ends = (FIRST, 2_000), (4_000, LAST)
            parts = [rng.choice(self.vocabulary.between(*of), n, replace=False) for of in ends]
            return np.concatenate(parts)
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
        joined = family_test(_scores(plan, members), plan.regression, permutations=DRAWS, seed=seed)
        means = [plan.words.rows[of].mean(axis=0, dtype=float) for of in members.values()]
        x = np.log(self.vocabulary.ranks[places])
        x = (x - x.mean()) / x.std()
        words = Regression.of_groups([len(places) // 2] * 2, np.column_stack([x, x * x]))
        scores = np.array(means) @ self.vocabulary.rows[places].T
        single = family_test(scores, words, permutations=DRAWS, seed=seed)
        return single.p_max_t.min(), joined.p_max_t.min(), plan.regression.size / 2


def units(searches: Searches, count: int) -> Iterator[str]:
    """False themes with near-synonyms in the groups."""
    yield "| groups | each word a unit | near-synonyms merged | units a group |"
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
    yield (
        "| groups | false themes, each p < .05 | confirmed | on other vectors "
        "| by the words of the search, there | found by maxT | confirmed |"
    )
    for n, kind in CONFIRMED:
        rows: list[list[bool]] = []
        for seed in range(count):
            rng = np.random.default_rng([n, [*KINDS, FREQUENCY].index(kind), seed])
            groups = searches.named(searches.groups(n, kind, rng))
            result = eatlas.scan(searches.source, groups, themes=searches.themes, seed=seed)
            if result.held_out:  # else some random words are near, and too few units are left
                rows += false_themes(searches, result)
        same, elsewhere, again, found = np.array(rows, bool).reshape(-1, 4).T
        shares = " | ".join(f"{column.mean():.3f}" for column in (same, elsewhere, again))
        by_max_t = f"{found.sum()} | {same[found].sum()}"
        yield f"| {n} v {n}, {kind} | {len(found)} | {shares} | {by_max_t} |"


def false_themes(searches: Searches, result: ThemesResult) -> Iterator[list[bool]]:
    """Of each theme with p < .05 by itself: what confirms it, and whether maxT finds it."""
    false = {theme.name: theme.p_max_t < ALPHA for theme in result.themes if theme.p < ALPHA}
    top = len(result.themes)
    tests = zip(result.tests(top), result.tests(top, of_searched_words=True), strict=True)
    for held_out, searched in tests:
        if held_out.X.name in false:
            (same,) = eatlas.confirmations(run(held_out, searches.source))
            (elsewhere,) = eatlas.confirmations(run(held_out, searches.other))
            confirmed = [said.verdict == "confirmed" for said in (same, elsewhere)]
            yield [*confirmed, repeated(run(searched, searches.other)), false[held_out.X.name]]


def run(test: eatlas.AssociationTest, source: Source) -> Results:
    """The result of one test."""
    return eatlas.run(test, source, "ml-eat(resamples=0,frequency=off)")


def repeated(results: Results) -> bool:
    """Whether the words of a search show a theme again, with the sign that was found."""
    (result,) = results
    question = result.finding.questions["level2.X"]
    p = question.p.these if question.p.adjusted is None else question.p.adjusted
    towards = result.provenance.explored_on.towards
    sign = 1 if towards == "A" else -1
    return p is not None and p <= ALPHA and sign * (question.effect_size or 0.0) > 0


def main() -> None:
    """Print tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--searches", type=int, default=120)
    parser.add_argument("--vectors", default="glove-sample")
    parser.add_argument("--other", default="google-news", help="other vectors, for confirm")
    parser.add_argument("--at", type=float, default=THRESHOLD, help="threshold of near-synonyms")
    tables = {"units": units, "confirm": confirm}
    parser.add_argument("--tables", nargs="*", choices=[*tables], default=[*tables])
    given = parser.parse_args()
    for name in given.tables:
        searches = Searches(given.vectors, given.other if name == "confirm" else None)
        with joined_at(given.at):
            for line in tables[name](searches, given.searches):
                print(line, flush=True)
        print()


if __name__ == "__main__":
    main()
