"""The studentised statistic as an option of measures, and the remark on sizes and spreads."""

from __future__ import annotations

import numpy as np
import pytest
from tests.inputs import make_test

import eatlas
from eatlas.stats.permutation import permutation_test
from eatlas.stats.regression import welch_permutation_test

SIZES = {"X": 5, "Y": 15, "A": 6, "B": 6}
WORDS = {role: tuple(f"{role}{i}" for i in range(n)) for role, n in SIZES.items()}


def spread(ratio, seed=0, sizes=None):
    """Vectors whose targets X lie `ratio` times as far from their mean as Y, along A minus B."""
    r = np.random.default_rng(seed)
    words = sizes or WORDS
    axis = np.zeros(30)
    axis[0] = 1.0
    vectors = {}
    for role, terms in words.items():
        for term in terms:
            if role in "AB":
                base = axis * (1 if role == "A" else -1) * 3
                vectors[term] = base + r.normal(size=30) * 0.3
            else:
                wide = ratio if role == "X" else 1.0
                vectors[term] = np.concatenate([[wide * r.normal() * 0.1], np.ones(29)])
    return vectors


def remarks(result):
    return [note for note in map(str, result.warnings) if "differ in size" in note]


@pytest.mark.parametrize("name", ["weat", "ml-eat", "sc-eat"])
def test_p_values_are_those_of_the_studentised_statistic(name):
    test, vectors = make_test("unequal", **WORDS), spread(1.0)
    (plain, found) = eatlas.run(test, vectors, [name, f"{name}(statistic=studentised)"])
    if name == "sc-eat":
        a, b = plain.terms[3].level2, found.terms[3].level2
        assert a.effect_size == b.effect_size
        assert b.p.two_sided == pytest.approx(a.p.two_sided, rel=0.05)  # of groups of one size
        assert (b.p.method, b.p.total) == ("exact", 924)
        return
    scores = np.concatenate([found.scores.X, found.scores.Y])
    expected = welch_permutation_test(scores, 5, scale=1.0)
    assert found.level1.p.count.two_sided == expected.two_sided.count
    assert found.level1.p.total == 15504
    assert found.level1.effect_size == plain.level1.effect_size
    assert plain.level1.p.count.two_sided == permutation_test(scores, 5, scale=1.0).two_sided.count


def test_large_designs_are_drawn_from_the_seed_and_say_so():
    words = WORDS | {"X": tuple(f"X{i}" for i in range(20)), "Y": tuple(f"Y{i}" for i in range(30))}
    test, vectors = make_test("large", **words), spread(2.0, sizes=words)
    measure = "weat(statistic=studentised,permutations=2000)"
    one, same, other = (
        eatlas.run(test, vectors, measure, seed=seed)[0].level1.p for seed in (0, 0, 1)
    )
    assert one.method_of("greater") == "sampled"
    assert one.permutations.greater == 2000
    low, high = one.interval.two_sided
    assert low < one.two_sided < high
    assert one == same != other


def test_a_wide_small_group_is_remarked_on():
    (result,) = eatlas.run(make_test("unequal", **WORDS), spread(6.0), "ml-eat")
    (note,) = remarks(result)
    assert note.startswith(
        "The groups of level 1 differ in size (5 and 15) and in spread (standard deviations "
    )
    assert "rejects equal means too often or too rarely: at a level of about .2" in note
    assert note.endswith(
        "instead of .05, two-sided. statistic=studentised allows for unequal spreads."
    )


@pytest.mark.parametrize("attributes", [(5, 15)])
def test_an_sc_eat_has_one_remark_for_all_its_terms(attributes):
    """Whether its terms are counted together or each by itself."""
    sizes = {"X": 4, "Y": 4, "A": attributes[0], "B": attributes[1]}
    words = {role: tuple(f"{role}{i}" for i in range(n)) for role, n in sizes.items()}
    r = np.random.default_rng(0)
    towards = np.concatenate([[1.0], np.zeros(29)])
    vectors = {term: r.normal(size=30) * 0.1 + towards for role in "XY" for term in words[role]}
    wide = {"A": 0.6, "B": 0.02}
    vectors |= {
        term: np.concatenate([[wide[role] * r.normal()], np.ones(29) + r.normal(size=29) * 0.01])
        for role in "AB"
        for term in words[role]
    }
    (result,) = eatlas.run(make_test("single", **words), vectors, "sc-eat")
    (note,) = remarks(result)
    sizes = " and ".join(map(str, attributes))
    assert note.startswith(
        f"A and B differ in size ({sizes}) and, for 8 of 8 terms, in spread: X0, X1, X2, X3, Y0 "
        "and 3 more. A permutation test"
    )
    (studentised,) = eatlas.run(
        make_test("single", **words), vectors, "sc-eat(statistic=studentised,permutations=200)"
    )
    assert not remarks(studentised)
