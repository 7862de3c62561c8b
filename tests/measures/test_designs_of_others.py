"""Designs that other packages compute: overlapping groups, a single target, softened poles."""

import numpy as np
import pytest
from tests.inputs import make_test, make_vectors

import eatlas
from eatlas.errors import CoverageError, SourceError, StimulusError

ROUNDING = 1e-12
"""Relative; 3e-16 was seen."""
pytestmark = pytest.mark.filterwarnings("ignore::eatlas.EatlasWarning")


def unit(row):
    return row / np.linalg.norm(row)


# --- MAC with groups that share terms -------------------------------------------------------------

SHARED = eatlas.GroupsTest(
    targets=["nurse", "doctor"],
    groups={"one": ["she", "love", "peace"], "two": ["he", "love"], "three": ["peace", "war"]},
)


def test_mac_of_groups_that_share_terms():
    vectors = eatlas.open_vectors("glove-sample")
    (result,) = eatlas.run(SHARED, vectors, "mac")
    distances = [
        [
            np.mean([1 - unit(vectors[target]) @ unit(vectors[term]) for term in group.terms])
            for group in SHARED.groups
        ]
        for target in SHARED.targets.terms
    ]
    assert result.value == pytest.approx(np.mean(distances), rel=1e-6)  # vectors are float32
    assert [t.association for t in result.targets] == [
        pytest.approx(row, rel=1e-6) for row in distances
    ]
    assert result.to_test().groups == SHARED.groups
    assert [verdict.status for verdict in eatlas.verify([result])] == ["same"]


@pytest.mark.parametrize("measure", ["divdist", "rnd", "ect", "semaxis", "same"])
def test_measures_that_compare_groups_refuse_shared_terms(measure):
    test = SHARED if measure == "divdist" else SHARED.model_copy(
        update={"groups": SHARED.groups[:2]}
    )  # fmt: skip
    with pytest.raises(StimulusError, match=r"(?s)terms 'love'.* are in two groups.*takes groups"):
        eatlas.run(test, measures=measure)


# --- a WEAT with a single target ------------------------------------------------------------------

SINGLE = {
    "Nurse": ["nurse"],
    "Science": ["science", "physics", "chemistry"],
    "Female": ["she", "her", "woman", "girl"],
    "Male": ["he", "him", "man", "boy"],
}


def test_a_weat_with_a_single_target_is_an_sc_eat_and_says_so():
    (result,) = eatlas.run(SINGLE, measures="weat(alpha=0.01)")
    (same,) = eatlas.run(SINGLE, measures="sc-eat(alpha=0.01)")
    assert result.signature == "SC-EAT(alpha=0.01,ddof=1,instead_of=weat,p=auto)"
    assert result.terms == same.terms
    assert result.adjusted == same.adjusted
    assert result.finding.sentence == (
        "Nurse has one term, so an SC-EAT replaces the WEAT. " + same.finding.sentence
    )
    assert "replaces" not in same.finding.sentence
    assert [verdict.status for verdict in eatlas.verify([result])] == ["same"]


def test_two_single_targets():
    single = SINGLE | {"Science": ["science"]}
    (result,) = eatlas.run(single, measures="weat")
    assert [term.term for term in result.terms] == ["nurse", "science"]
    assert result.finding.sentence.startswith("Nurse and Science have one term each, so an SC-EAT")


def test_a_target_group_that_lost_its_words_is_no_single_target():
    test = make_test()
    vectors = make_vectors(test)
    for term in test.X.terms[1:]:
        del vectors[term]
    with pytest.raises(CoverageError, match="at least 2 usable terms"):
        eatlas.run(test, vectors, "weat")


def test_a_single_target_has_no_projection():
    measure = 'weat(association=projection,direction="she/he;woman/man")'
    with pytest.raises(StimulusError, match="an SC-EAT, which has no projection"):
        eatlas.run(SINGLE, measures=measure)


def test_ml_eat_refuses_a_single_target():
    with pytest.raises(CoverageError, match="ml-eat permutes their labels"):
        eatlas.run(SINGLE)


# --- SemAxis with softened poles ------------------------------------------------------------------

POLES = eatlas.GroupsTest(
    targets=["nurse", "doctor", "engineer"],
    groups={"Female": ["she", "woman"], "Male": ["he", "man"]},
)


def softened(vectors, words, term, count):
    """Mean of the nearest rows, of which the term is the first, by brute force."""
    matrix = np.array([vectors[word] for word in words], np.float64)
    units = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    cosines = units @ units[words.index(term)]
    return matrix[np.argsort(-cosines, kind="stable")[: count + 1]].mean(axis=0)


@pytest.mark.parametrize("count", [1, 10])
def test_semaxis_with_softened_poles(count):
    vectors = eatlas.open_vectors("glove-sample")
    words = list(vectors)
    plain, result = eatlas.run(
        POLES, vectors, ["semaxis", f"semaxis(neighbours={count},permutations=0)"]
    )
    means = [
        np.mean([softened(vectors, words, term, count) for term in group.terms], axis=0)
        for group in POLES.groups
    ]
    axis = unit(means[0] - means[1])
    expected = [unit(vectors[target].astype(np.float64)) @ axis for target in POLES.targets.terms]
    assert [target.value for target in result.targets] == pytest.approx(expected, abs=ROUNDING)
    assert result.signature == f"SEMAXIS(neighbours={count},permutations=0,vectors=raw)"
    assert list(result.neighbours) == ["she", "woman", "he", "man"]
    assert {len(near) for near in result.neighbours.values()} == {count}
    assert plain.neighbours == {}
    direct = eatlas.SemAxis(neighbours=count, permutations=0)(POLES, vectors)
    assert direct.targets == result.targets
    assert [verdict.status for verdict in eatlas.verify([result])] == ["same"]


def test_neighbours_in_the_spelling_of_the_source_and_without_rows_of_zeros():
    vectors = {
        "She": [1.0, 0.0], "he": [0.0, 1.0], "zero": [0.0, 0.0],
        "her": [2.0, 0.2], "him": [0.1, 3.0], "nurse": [1.0, 0.5],
    }  # fmt: skip
    test = eatlas.GroupsTest(targets=["nurse"], groups={"F": ["she"], "M": ["he"]})
    (result,) = eatlas.run(test, vectors, "semaxis(neighbours=1)")
    assert result.neighbours == {"she": ("her",), "he": ("him",)}
    axis = np.array([3.0, 0.2]) / 2 - np.array([0.1, 4.0]) / 2
    assert result.value == pytest.approx(unit(np.array([1.0, 0.5])) @ unit(axis), abs=ROUNDING)


def test_softened_poles_need_a_list_of_enough_words():
    with pytest.raises(SourceError, match="nearest words are searched"):
        eatlas.run(POLES, lambda texts: [[len(one), 1.0] for one in texts], "semaxis(neighbours=1)")
    vectors = {w: np.eye(9)[i] + 1 for i, w in enumerate(sorted(POLES.terms))}
    with pytest.raises(CoverageError, match="fewer than 8 words besides a term of a group"):
        eatlas.run(POLES, vectors, "semaxis(neighbours=8)")
