"""Twenty tests whose answer everybody knows, and the same words dealt at random.

In each test of ``known_answers.toml`` X are more strongly associated with A than Y are. Each should
be supported, by itself and with all twenty shown together. If all words of a test are dealt at
random to its four lists, nothing is true, and no question should be supported. The ten tests of
Caliskan et al. (2017) follow, by themselves and shown together.

    python benchmarks/known_answers.py [--vectors glove-sample glove-6b] [--deals 20]

Vectors are those that eatlas opens, or of a package, see ``_installed.py``. ``glove-840b-words``
has only the words of the ten tests.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import eatlas
from eatlas.results.questions import PLACES, Question
from eatlas.sources import Source

TESTS = Path(__file__).with_suffix(".toml")
ROLES = "XYAB"
PAPERS = "glove-840b-words"
SUPPORTED = "supported"
OPTIONS = {"measures": "ml-eat(resamples=0)", "frequency": "off"}
"""Verdicts need neither the bootstrap nor random topics."""


def known() -> list[eatlas.AssociationTest]:
    """The tests as they were written down."""
    return eatlas.load_tests(TESTS)


def dealt(test: eatlas.AssociationTest, seed: int) -> eatlas.AssociationTest:
    """The same words in lists of the same sizes, at random."""
    lists = [getattr(test, role).terms for role in ROLES]
    words = np.random.default_rng([seed, *test.id.encode()]).permutation(np.concatenate(lists))
    parts = np.split(words, np.cumsum([len(terms) for terms in lists])[:-1])
    concepts = {
        role: eatlas.Concept(name=f"Dealt {role}", terms=tuple(part.tolist()))
        for role, part in zip(ROLES, parts, strict=True)
    }
    return eatlas.AssociationTest(id=test.id, **concepts)


def right(question: Question) -> bool:
    """Whether level 1 is supported in the direction that everybody knows."""
    return question.verdict == SUPPORTED and question.effect_size > 0


def main() -> None:
    """Print a table for each vectors, and how many are supported."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--vectors", nargs="+", default=["glove-sample", "glove-840b-words"])
    parser.add_argument("--deals", type=int, default=20)
    given = parser.parse_args()
    from _installed import open_source  # noqa: PLC0415  (so that a test can load this file)

    for name in given.vectors:
        source = open_source(name)
        print(f"\n{name}\n")
        if name != PAPERS:
            as_known(source)
            as_dealt(source, given.deals)
        as_published(source)


def as_known(source: Source) -> None:
    """Print the verdict on each test, by itself and among twenty."""
    results = eatlas.run(tests=known(), vectors=source, **OPTIONS)
    together = results.findings
    print("| test | d | these words | new words | adjusted | alone | among twenty |")
    print("| --- | ---: | ---: | ---: | ---: | --- | --- |")
    for result, shared in zip(results, together, strict=True):
        alone = result.finding.questions["level1"]
        p_values = (alone.p.these, alone.p.new, alone.p.adjusted)
        cells = " | ".join("none" if p is None else f"{p:.1g}" for p in p_values)
        print(
            f"| {result.title} | {alone.effect_size:.2f} | {cells} | {alone.verdict} | "
            f"{shared.questions['level1'].verdict} |"
        )
    alone, shared = (
        sum(right(finding.questions["level1"]) for finding in findings)
        for findings in ([result.finding for result in results], together)
    )
    print(f"\nsupported, of {len(results)}: {alone} alone, {shared} shown together")


def as_dealt(source: Source, deals: int) -> None:
    """Print how many questions of dealt lists are supported."""
    alone = np.zeros(len(PLACES), int)
    reports, tests = 0, 0
    for seed in range(deals):
        results = eatlas.run(
            tests=[dealt(test, seed) for test in known()], vectors=source, **OPTIONS
        )
        tests += len(results)
        alone += [
            sum(result.finding.questions[place].verdict == SUPPORTED for result in results)
            for place in PLACES
        ]
        reports += any(
            question.verdict == SUPPORTED
            for finding in results.findings
            for question in finding.questions.values()
        )
    of_places = ", ".join(f"{place} {n}" for place, n in zip(PLACES, alone, strict=True))
    print(f"dealt at random, supported, of {tests} tests alone: {of_places};")
    print(f"of {deals} reports of {len(known())} tests, with any supported question: {reports}")


def as_published(source: Source) -> None:
    """Print the verdicts on the ten Caliskan tests."""
    results = eatlas.run(tests="caliskan", vectors=source, **OPTIONS)
    print("\n| test | " + " | ".join(PLACES) + " | among ten |\n| --- | --- | --- | --- | --- |")
    for result, shared in zip(results, results.findings, strict=True):
        alone = result.finding.questions
        cells = " | ".join(in_brief(alone[place]) for place in PLACES)
        together = ", ".join(shared.questions[place].verdict for place in PLACES)
        print(f"| {result.test} | {cells} | {together} |")


def in_brief(question: Question) -> str:
    """The verdict, with d and the three p-values."""
    p_values = (question.p.these, question.p.new, question.p.adjusted)
    cells = ", ".join("none" if p is None else f"{p:.1g}" for p in p_values)
    return f"{question.verdict}: {question.effect_size:.2f} ({cells})"


if __name__ == "__main__":
    main()
