"""How often lists that no hypothesis chose differ more than pairs of random topics as near.

Three parts. Level: designs in which nothing but chance is at work, made by other means than the
topics of eatlas; shares of p <= .05, two-sided. Known: tests whose answer everybody knows. Stable:
p with other seeds, and with topics that are made in another way, of 90 effects.

    python benchmarks/topics.py VECTORS [--parts level known stable] [--designs 500] [--sizes 8 25]

`VECTORS` are words in order of frequency, such as GloVe 6B.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

import eatlas
from eatlas.measures.topics import Listed
from eatlas.results.parts import at
from eatlas.sources import ArraySource
from eatlas.stats.topics import TopicPairs, Topics, monte_carlo_p, topic_differences

ROLES = "XYAB"
ALPHA, SMALL = 0.05, 0.15
NEAREST, OF_TOPICS, OF_WORDS = 60, 20_000, 30_000
MIDDLE = (500, 5_000)
APART = ((0, 3_000), (3_000, 20_000), (0, 2_000), (10_000, 20_000))
"""Ranks of groups whose frequencies differ."""
PLACES = ("level1", "level2.X", "level2.Y")
QUICK = "ml-eat(resamples=0,adjust=none)"
KNOWN = {
    "men's and women's names; he, she": (
        "john paul mike kevin steve greg jeff david james robert",
        "amy joan lisa sarah diana kate ann donna mary susan",
        "he him his himself man", "she her hers herself woman",
    ),
    "male and female kin; he, she": (
        "father son brother uncle grandfather husband nephew",
        "mother daughter sister aunt grandmother wife niece",
        "he him his himself man", "she her hers herself woman",
    ),
    "British and American cities; countries": (
        "london manchester liverpool birmingham leeds bristol glasgow edinburgh",
        "chicago boston houston dallas philadelphia seattle detroit atlanta",
        "british britain uk england", "american america us usa",
    ),
    "French and German cities; countries": (
        "paris lyon marseille toulouse bordeaux nice lille strasbourg",
        "berlin munich hamburg frankfurt cologne stuttgart dresden leipzig",
        "french france", "german germany",
    ),
    "birds and fish; air, water": (
        "eagle sparrow hawk owl pigeon crow swan gull",
        "salmon trout tuna cod shark carp herring bass",
        "fly sky wings nest tree air", "swim sea water ocean river lake",
    ),
    "fruit and vehicles; food, roads": (
        "apple banana orange lemon grape cherry peach pear",
        "car truck bus van motorcycle train taxi bicycle",
        "eat food sweet juice fresh", "drive road engine driver traffic",
    ),
    "physicians and lawyers; hospital, court": (
        "doctor surgeon nurse physician patient dentist therapist",
        "lawyer attorney judge prosecutor jury magistrate solicitor",
        "hospital medicine disease surgery treatment", "court trial law justice crime",
    ),
    "instruments and weapons; music, war": (
        "guitar piano violin flute trumpet drums cello saxophone",
        "rifle gun pistol missile bomb grenade tank bullet",
        "song concert music melody band", "war army battle soldiers enemy",
    ),
    "sports and sciences; players, scholars": (
        "football baseball tennis basketball hockey soccer golf rugby",
        "physics chemistry biology mathematics astronomy geology economics psychology",
        "player team coach match season", "professor theory research university scientist",
    ),
}  # fmt: skip
Lists = list[np.ndarray]
"""Places of words, a list for each role."""
Make: TypeAlias = "Callable[[Designs, int], Lists]"


class Designs:
    """Lists of words that no hypothesis chose, by simple means."""

    def __init__(self, source: ArraySource, words: list[str], seed: Sequence[int]) -> None:
        self.words = words
        self.pool = np.array([i for i in range(OF_WORDS) if words[i].isalpha()])
        rows = source.floats(self.pool)
        self.rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        self.wide = self.pool < OF_TOPICS
        self.rng = np.random.default_rng(seed)
        self.free = np.ones(len(self.pool), bool)

    def within(self, low: int, high: int) -> np.ndarray:
        """Free words of some ranks."""
        return np.flatnonzero(self.free & (self.pool >= low) & (self.pool < high))

    def near(self, seed: int, n: int) -> np.ndarray:
        """The nearest free words to one, itself among them."""
        closeness = np.where(self.free & self.wide, self.rows @ self.rows[seed], -9.0)
        return np.argsort(-closeness)[:n]

    def topic(self, n: int, low: int = MIDDLE[0], high: int = MIDDLE[1]) -> np.ndarray:
        """The nearest words to a random one."""
        return self.near(self.rng.choice(self.within(low, high)), n)

    def taken(self, words: np.ndarray) -> np.ndarray:
        """Words that are in no other list from now on."""
        self.free[words] = False
        return words

    def topics(self, n: int) -> Lists:
        """Four topics."""
        return [self.taken(self.topic(n)) for _ in ROLES]

    def neighbours(self, n: int) -> Lists:
        """Two pairs of neighbouring topics: the second is that of the 41st word of the first."""
        lists = []
        for _ in range(2):
            first = self.topic(max(n, 41))
            lists.append(self.taken(first[:n]))
            lists.append(self.taken(self.near(first[40], n)))
        return lists

    def halves(self, n: int) -> Lists:
        """X and Y are halves of one topic, A and B of another."""
        lists = []
        for _ in range(2):
            both = self.rng.permutation(self.taken(self.topic(2 * n)))
            lists += [both[:n], both[n:]]
        return lists

    def half_halves(self, n: int) -> Lists:
        """X and Y are halves of one topic, A and B two topics."""
        return [*self.halves(n)[:2], *self.topics(n)[2:]]

    def random(self, n: int) -> Lists:
        """Words at random."""
        words = self.rng.choice(self.within(*MIDDLE), 4 * n, replace=False)
        return np.split(words, 4)

    def topics_of_words(self, n: int) -> Lists:
        """X and Y are topics, A and B words at random."""
        return [*self.topics(n)[:2], *self.random(n)[2:]]

    def random_apart(self, n: int) -> Lists:
        """Words at random, whose frequencies differ."""
        return [self.taken(self.rng.choice(self.within(*r), n, replace=False)) for r in APART]

    def topics_apart(self, n: int) -> Lists:
        """Four topics whose frequencies differ."""
        return [self.taken(self.topic(n, *ranks)) for ranks in APART]

    def densest(self, n: int) -> Lists:
        """Four topics, each the one of 25 whose words are nearest to each other."""
        lists = []
        for _ in ROLES:
            some = [self.topic(n) for _ in range(25)]
            lengths = [np.linalg.norm(self.rows[words].sum(axis=0)) for words in some]
            lists.append(self.taken(some[int(np.argmax(lengths))]))
        return lists

    def test(
        self, make: Callable[[Designs, int], Lists], n: int, name: str
    ) -> eatlas.AssociationTest:
        """A test of a design."""
        self.free[:] = True
        lists = make(self, n)
        return test_of([[self.words[self.pool[i]] for i in words] for words in lists], name)


DESIGNS = {
    "four topics": Designs.topics,
    "neighbouring topics": Designs.neighbours,
    "halves of topics": Designs.halves,
    "X, Y halves of a topic": Designs.half_halves,
    "A, B words at random": Designs.topics_of_words,
    "words at random": Designs.random,
    "words at random, frequencies differ": Designs.random_apart,
    "four topics, frequencies differ": Designs.topics_apart,
    "four densest of 25 topics": Designs.densest,
}


class OtherTopics:
    """Topics made in another way: of all words, each of neighbours in steps from a table.

    They are like a list in coherence and in mean log rank alone; every word is at random in the
    place of the first or of the second list of a pair.
    """

    STEPS = (1, 1.5, 2, 3, 4, 6, 9, 13, 20, 30, 50, 80, 130)

    def __init__(self, source: ArraySource, n: int, seeds: int = 700) -> None:
        self.known = source.topic_words
        self.vocabulary = self.known.vocabulary
        self.rows = self.vocabulary.rows / np.linalg.norm(self.vocabulary.rows, axis=1)[:, None]
        logs, self.rng = self.vocabulary.logs, np.random.default_rng(5)
        common = np.flatnonzero((logs > np.log(50)) & (logs < np.log(OF_TOPICS)))
        self.middle = self.rows[common].mean(axis=0)
        starts = common[np.linspace(0, len(common) - 1, seeds).astype(int)]
        parts = np.array_split(self.rng.permutation(common), 2)
        self.topics = [self.made(starts, np.sort(part), n) for part in parts]

    def made(self, starts: np.ndarray, words: np.ndarray, n: int) -> tuple[np.ndarray, ...]:
        """Topics of some words, with their coherences and mean log ranks."""
        lists = []
        for seed in starts:
            near = words[np.argsort(-(self.rows[words] @ self.rows[seed]))]
            steps = [((np.arange(n) + self.rng.random(n)) * w).astype(int) for w in self.STEPS * 2]
            lists += [near[some] for some in steps]
            lists += [self.rng.choice(words, n, replace=False) for _ in range(3)]
        ordered = np.sort(lists, axis=1)
        lists = np.array(lists)[(ordered[:, 1:] != ordered[:, :-1]).all(axis=1)]
        coherences = np.array([self.coherence(self.rows[some]) for some in lists])
        return lists, coherences, self.vocabulary.logs[lists].mean(axis=1)

    def coherence(self, rows: np.ndarray) -> float:
        """Mean product of two rows, each less the mean of all."""
        away, n = rows - self.middle, len(rows)
        return float((np.square(away.sum(axis=0)).sum() - np.square(away).sum()) / (n * (n - 1)))

    def like(self, words: Listed, half: int) -> Topics:
        """Topics like a list."""
        lists, coherences, ranks = self.topics[half]
        own = self.coherence(words.rows)
        off = (coherences - own) / (0.2 * (abs(own) + 1 / len(words.keys)))
        apart = off**2 + ((ranks - words.logs.mean()) / 0.5) ** 2
        best = np.argsort(apart)[:1_200]
        return Topics(lists[best].astype(np.uint16), apart[best], coherences[best], own)

    def p(self, result: eatlas.results.MLEATResult, source: ArraySource) -> list[float]:
        """The three p of a result."""
        lists, avoided, pairs = [], [], []
        for role in ROLES:
            ranks = result.frequency.ranks[role].terms
            rows = source.floats([rank - 1 for rank in ranks.values()])
            unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
            lists.append(Listed(tuple(ranks), np.log([*ranks.values()]), unit))
            avoided += [self.known.place[word] for word in ranks if word in self.known.place]
        for both in (lists[:2], lists[2:]):
            topics = self.like(both[0], 0), self.like(both[1], 1)
            own = both[0].rows.mean(axis=0), both[1].rows.mean(axis=0)
            pairs.append(TopicPairs.near(self.vocabulary, topics, own, avoided))
        numbers = topic_differences(*pairs)
        observed = [at(result, f"{place}.difference") for place in PLACES]
        return [monte_carlo_p(*pair)[2] for pair in zip(observed, numbers, strict=True)]


def test_of(lists: Sequence[Sequence[str]], name: str) -> eatlas.AssociationTest:
    """A test of four lists."""
    concepts = {
        role: eatlas.Concept(name=role, terms=tuple(terms))
        for role, terms in zip(ROLES, lists, strict=True)
    }
    return eatlas.AssociationTest(id=name, **concepts)


def p_of(results: Sequence[eatlas.results.MLEATResult]) -> np.ndarray:
    """The p at each level of results, shape (results, 3)."""
    places = [f"frequency.matched.{place}.p_two_sided" for place in PLACES]
    return np.array([[at(result, place) for place in places] for result in results])


def level(source: ArraySource, words: list[str], sizes: Sequence[int], count: int) -> None:
    """Print how often designs reject."""
    print("| terms | design | cosine of X, Y; of topics | labels | level 1 | level 2 of X, of Y |")
    print("| --- | --- | ---: | ---: | ---: | ---: |")
    for n in sizes:
        for number, (name, make) in enumerate(DESIGNS.items()):
            designs = Designs(source, words, [n, number])
            tests = [designs.test(make, n, f"design-{i}") for i in range(count)]
            results = eatlas.run(tests, source, QUICK)
            p = p_of(results)
            labels = np.mean([r.level1.p.two_sided <= ALPHA for r in results])
            near = [r.frequency.matched.nearness.targets for r in results]
            own, topics = (np.mean([at(each, of) for each in near]) for of in ("own", "topics"))
            one, x, y = (p <= ALPHA).mean(axis=0)
            print(
                f"| {n} v {n} | {name} | {own:.2f}; {topics:.2f} | {labels:.3f} | {one:.3f} "
                f"| {x:.3f}, {y:.3f} |", flush=True,
            )  # fmt: skip


def known(source: ArraySource) -> None:
    """Print p of tests whose answer everybody knows."""
    print("| test | words found | d | labels | random topics |")
    print("| --- | --- | ---: | ---: | ---: |")
    for name, lists in KNOWN.items():
        (result,) = eatlas.run(test_of([terms.split() for terms in lists], "known"), source, QUICK)
        found = ", ".join(str(len(result.coverage[role].used)) for role in ROLES)
        d, labels = result.level1.effect_size, result.level1.p.two_sided
        p = result.frequency.matched.level1.p_two_sided
        print(f"| {name} | {found} | {d:.2f} | {labels:.4f} | {p:.4f} |", flush=True)


def stable(source: ArraySource, words: list[str]) -> None:
    """Print how p varies with seeds, and with topics that are made in another way."""
    designs = Designs(source, words, [8, 99])
    makes = (
        Designs.topics,
        Designs.neighbours,
        Designs.halves,
        Designs.random,
        Designs.topics_of_words,
    )
    tests = [designs.test(make, 8, f"{make.__name__}-{i}") for make in makes for i in range(6)]
    runs = [eatlas.run(tests, source, QUICK, seed=seed) for seed in range(6)]
    p = np.array([p_of(results) for results in runs])
    other = OtherTopics(source, 8)
    theirs = np.array([other.p(result, source) for result in runs[0]])
    small = np.minimum(p[0], theirs) < SMALL
    for name, which in (("all", np.ones_like(small)), ("either p below .15", small)):
        spread = np.sqrt(p.var(axis=0, ddof=1)[which].mean())
        apart = (p[0] - theirs)[which]
        print(
            f"{name}: {which.sum()} effects, sd over seeds {spread:.3f}, between the two ways "
            f"{apart.std(ddof=1):.3f} (mean {apart.mean():.3f})"
        )
    by_level = ", ".join(f"{value:.3f}" for value in (p[0] - theirs).std(axis=0, ddof=1))
    differ = np.count_nonzero((p[0] <= ALPHA) != (theirs <= ALPHA))
    print(f"by level {by_level}; on different sides of .05: {differ}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("vectors")
    parts = ("level", "known", "stable")
    parser.add_argument("--parts", nargs="*", default=parts, choices=parts)
    parser.add_argument("--designs", type=int, default=500)
    parser.add_argument("--sizes", type=int, nargs="*", default=[8, 25])
    given = parser.parse_args()
    words, vectors = [], []
    for some, rows in eatlas.open_vectors(given.vectors).iter_chunks():
        words += some
        vectors.append(rows)
    source = ArraySource(words, np.concatenate(vectors), name="vectors", ordered=True)
    if "level" in given.parts:
        level(source, words, given.sizes, given.designs)
    if "known" in given.parts:
        known(source)
    if "stable" in given.parts:
        stable(source, words)


if __name__ == "__main__":
    main()
