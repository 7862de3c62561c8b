"""SC-EAT: each term is a level 2 of its own, however many are counted together."""

import itertools

import numpy as np
import pytest
from tests.inputs import make_sentences, make_test, make_vectors

import eatlas
from eatlas.errors import UndefinedWarning
from eatlas.present.sentences import sentence
from eatlas.results import Results, SCEATResult
from eatlas.results.parts import TAILS


@pytest.mark.parametrize("size", [4, 8, 12])  # 12 against 12 is beyond what is counted together
def test_every_term_has_the_p_values_of_its_own_test(size):
    a, b = (tuple(f"{role}{i}" for i in range(size)) for role in "ab")
    test = make_test(A=a, B=b)
    vectors = make_vectors(test, dim=4)
    result = eatlas.SCEAT()(test, vectors)
    assert [entry.term for entry in result.terms] == [*test.X.terms, *test.Y.terms]
    for entry in result.terms:
        # the level 2 of an ML-EAT whose target is that term and nothing else, met twice
        alone = make_test(X=(entry.term, "again"), Y=("other", "one"), A=a, B=b)
        more = {"again": vectors[entry.term], "other": vectors["a0"], "one": vectors["b0"]}
        one = eatlas.MLEAT(resamples=0)(alone, vectors | more)
        assert entry.level2.effect_size == pytest.approx(one.level2.X.effect_size, rel=1e-12)
        for tail in TAILS:
            assert entry.level2.p.count_of(tail) == one.level2.X.p.count_of(tail)
        assert entry.level2.p.method == "exact"


def test_terms_beside_many_attributes_are_inverted_within_a_millionth():
    a, b = (tuple(f"{role}{i}" for i in range(24)) for role in "ab")
    test = make_test(A=a, B=b)
    vectors = make_vectors(test, dim=20)
    for entry in eatlas.SCEAT()(test, vectors).terms:
        again = make_test(X=(entry.term, "again"), Y=("other", "one"), A=a, B=b)
        more = {"again": vectors[entry.term], "other": vectors["a0"], "one": vectors["b0"]}
        one = eatlas.MLEAT(resamples=0)(again, vectors | more).level2.X
        assert entry.level2.p.two_sided == pytest.approx(one.p.two_sided, rel=1e-6)
        if entry.level2.p.method == "inversion":
            assert entry.level2.p.rel_err["two_sided"] <= 1e-6


def test_strict_and_other_methods_are_counted_one_by_one():
    test = make_test()
    vectors = make_vectors(test)
    plain, strict = (eatlas.SCEAT(strict=s)(test, vectors) for s in (False, True))
    for one, other in zip(plain.terms, strict.terms, strict=True):
        assert other.level2.p.count.greater < one.level2.p.count.greater
    normal = eatlas.SCEAT(p="normal")(test, vectors)
    assert {entry.level2.p.method for entry in normal.terms} == {"normal"}


def test_a_term_without_spread_is_undefined():
    test = make_test()
    vectors = make_vectors(test) | dict.fromkeys((*test.A.terms, *test.B.terms), (1.0, 0, 0, 0, 0))
    with pytest.warns(UndefinedWarning, match="Undefined effect size of the term"):
        result = eatlas.SCEAT()(test, vectors)
    assert result.terms[0].level2.effect_size is None
    assert result.terms[0].level2.p.two_sided == 1


COUNTS = {"X": (2, 1, 4), "Y": (3, 2), "A": (2, 4, 2, 3), "B": (3, 3, 2, 2)}


def test_a_test_of_sentences_is_read_over_stimuli():
    test = make_sentences(COUNTS)
    vectors = make_vectors(test, seed=3)
    result = eatlas.SCEAT()(test, vectors)
    assert len(result.terms) == 12
    assert [entry.term for entry in result.primary_terms] == ["x0", "x1", "x2", "y0", "y1"]
    assert [entry.group for entry in result.primary_terms] == [*"XXXYY"]
    cosines = {
        (t, a): np.dot(vectors[t], vectors[a])
        / (np.linalg.norm(vectors[t]) * np.linalg.norm(vectors[a]))
        for t in (*test.X.terms, *test.Y.terms)
        for a in (*test.A.terms, *test.B.terms)
    }
    for entry in result.primary_terms:
        means = [
            np.mean(
                [
                    np.mean([c for (t, a), c in cosines.items() if (t, a.split()[0]) == (said, at)])
                    for said in (*test.X.terms, *test.Y.terms)
                    if said.split()[0] == entry.term
                ]
            )
            for at in [f"{role}{i}" for role in "ab" for i in range(4)]
        ]
        d = (np.mean(means[:4]) - np.mean(means[4:])) / np.std(means, ddof=1)
        assert entry.level2.effect_size == pytest.approx(d, rel=1e-9)
        assert entry.level2.n == (4, 4)
        observed = np.mean(means[:4])
        every = [np.mean([means[i] for i in c]) for c in itertools.combinations(range(8), 4)]
        assert entry.level2.p.total == 70
        assert entry.level2.p.count.greater == sum(v >= observed - 1e-12 for v in every)
    assert {row["read_over"] for row in result.rows()} == {"stimuli"}
    assert len(result.rows()) == len(Results([result]).family("level2")) == 5
    assert sentence(result).startswith("None of 5 stimuli is significantly associated")
    assert "5 stimuli from" in result.summary()
    assert SCEATResult.from_dict(result.to_dict()) == result
