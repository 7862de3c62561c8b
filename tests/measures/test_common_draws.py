"""Settings of one test share their random draws, and the order of terms changes no bit."""

from __future__ import annotations

import numpy as np
import pytest
from tests.inputs import make_test, make_vectors

import eatlas

SIZES = {"X": 6, "Y": 7, "A": 8, "B": 6}
TERMS = {role: tuple(f"{role}{i}" for i in range(n)) for role, n in SIZES.items()}
TEST = make_test(**TERMS)
VECTORS = make_vectors(TEST, dim=5, seed=3)
ROLES = "XYAB"


def turned(terms: tuple[str, ...], seed: int = 0) -> tuple[str, ...]:
    return tuple(np.random.default_rng(seed).permutation(terms).tolist())


def by_term(result: eatlas.results.MLEATResult, what: str) -> dict[tuple[str, str], float | None]:
    """Influence of each term on one level, by role and term."""
    changes = result.influence.level1 if what == "level1" else result.influence.level2[what]
    return {
        (role, term): change
        for role in ROLES
        for term, change in zip(result.coverage[role].stimuli, changes[role], strict=False)
    }


@pytest.mark.parametrize("measure", [eatlas.MLEAT(), eatlas.MLEAT(p="sampled", permutations=500)])
def test_terms_in_another_order_give_the_same_bits(measure: eatlas.MLEAT) -> None:
    one = measure(TEST, VECTORS)
    other = measure(make_test(**{role: turned(terms) for role, terms in TERMS.items()}), VECTORS)
    assert other.uncertainty == one.uncertainty
    assert (other.level1, other.level2) == (one.level1, one.level2)
    assert other.pattern == one.pattern
    assert other.generalisation == one.generalisation
    for what in ("level1", "X", "Y"):
        assert by_term(other, what) == by_term(one, what)


def test_sentences_in_another_order_give_the_same_bits() -> None:
    said = {
        role: [(f"{how} {term}", term) for term in terms for how in ("a", "my", "the")][:-2]
        for role, terms in TERMS.items()
    }

    def measured(order: int | None) -> eatlas.results.MLEATResult:
        concepts = {}
        for role, pairs in said.items():
            places = range(len(pairs))
            if order is not None:
                places = np.random.default_rng(order).permutation(len(pairs)).tolist()
            sentences = [{"text": pairs[i][0], "stimulus": pairs[i][1]} for i in places]
            concepts[role] = eatlas.Concept(name=role, sentences=sentences)
        test = eatlas.AssociationTest(id="said", **concepts)
        return eatlas.MLEAT(resamples=3000)(test, make_vectors_of(said))

    one, other = measured(None), measured(1)
    assert other.uncertainty == one.uncertainty
    assert other.stimulus_level.uncertainty == one.stimulus_level.uncertainty
    assert by_term(other, "level1") == by_term(one, "level1")


def make_vectors_of(said: dict[str, list[tuple[str, str]]]) -> dict[str, np.ndarray]:
    return {
        text: np.random.default_rng([*text.encode()]).normal(size=9)
        for pairs in said.values()
        for text, _ in pairs
    }


def test_missing_terms_leave_the_draws_of_the_others_as_they_are() -> None:
    """A test without the terms that a source lacks is the same test there."""
    lacking = {term: v for term, v in VECTORS.items() if term not in ("A3", "X5")}
    one = eatlas.MLEAT()(TEST, lacking)
    without = {**TERMS, "A": TERMS["A"][:3] + TERMS["A"][4:], "X": TERMS["X"][:5]}
    other = eatlas.MLEAT()(make_test(**without), lacking)
    assert one.coverage.A.missing == ("A3",)
    assert one.uncertainty == other.uncertainty


@pytest.mark.slow
def test_the_error_that_is_stated_is_that_of_other_seeds() -> None:
    found = [
        eatlas.MLEAT(resamples=4096)(TEST, VECTORS, seed=seed).uncertainty for seed in range(20)
    ]
    ends = np.array([[*u.level1.interval, *u.level2.X.interval] for u in found])
    said = np.array([[*u.level1.error, *u.level2.X.error] for u in found])
    # the standard deviation of 20 numbers has a relative standard error of .16
    assert said.mean(axis=0) == pytest.approx(ends.std(axis=0, ddof=1), rel=0.6)
    label = max(found[0].patterns, key=found[0].patterns.__getitem__)
    shares = [u.patterns[label] for u in found]
    assert np.mean([u.patterns_error[label] for u in found]) == pytest.approx(
        np.std(shares, ddof=1), rel=0.6
    )
