"""A group of one term: who takes it, and what is said where nobody can."""

import pytest
from tests.inputs import make_test, make_vectors

import eatlas
from eatlas.errors import CoverageError, StimulusError


@pytest.mark.parametrize(
    ("groups", "measure", "group"),
    [
        ({"X": ("aster",)}, "ml-eat", "X (Flowers)"),
        ({"B": ("agony",)}, "sc-eat", "B (Unpleasant)"),
    ],
)
def test_a_group_of_one_is_refused_where_its_labels_are_permuted(groups, measure, group):
    test = make_test(**groups)
    with pytest.raises(CoverageError) as caught:
        eatlas.get_measure(measure)(test, make_vectors(test))
    (term,) = next(iter(groups.values()))
    assert str(caught.value) == (
        f"test tiny, group {group}: only 1 term has a usable vector in dict\n"
        f"  got: only {term!r}\n"
        f"  allowed: at least 2 usable terms, because {measure} permutes their labels\n"
        "  remedy: add terms, or use a measure that allows groups of one term"
    )


def test_where_vectors_are_missing_they_are_named():
    test = make_test()
    vectors = make_vectors(test)
    kept = {w: v for w, v in vectors.items() if w not in test.X.terms[1:]}
    with pytest.raises(CoverageError) as caught:
        eatlas.MLEAT()(test, kept)
    assert (
        caught.value.what == "test tiny, group X (Flowers): only 1 term has a usable vector in dict"
    )
    assert caught.value.got.startswith("missing: ")
    assert caught.value.remedy.startswith(
        "use terms that are in the source, or a source with a larger"
    )


def test_phrases_are_composed_by_another_source():
    test = make_test(X=("a deaf person", "a blind person"))
    vectors = {word: one for word, one in make_vectors(test).items() if word not in test.X.terms}
    with pytest.raises(CoverageError) as caught:
        eatlas.MLEAT()(test, vectors)
    assert "for phrases, use cbow:SOURCE" in caught.value.remedy


@pytest.mark.parametrize("given", ["weat-6", None, ["weat-6"]])
def test_a_measure_takes_a_test(given, tiny_vectors):
    with pytest.raises(StimulusError) as caught:
        eatlas.MLEAT()(given, tiny_vectors)
    assert str(caught.value) == (
        f"the measure ml-eat takes a single test\n  got: {given!r} ({type(given).__name__})\n"
        "  allowed: an AssociationTest\n"
        "  remedy: eatlas.load_tests(...) makes tests of ids and files; eatlas.run takes both"
    )


@pytest.mark.parametrize(
    ("targets", "reason"),
    [
        ({"X": ("aster",)}, "X has one term"),
        ({"X": ("aster",), "Y": ("ant",)}, "X and Y have one term each"),
    ],
)
def test_a_weat_that_an_sc_eat_replaces_says_why_attributes_are_permuted(targets, reason):
    test = make_test(**targets, A=("joy",))
    with pytest.raises(CoverageError) as caught:
        eatlas.run(test, make_vectors(test), "weat")
    assert caught.value.allowed == (
        "at least 2 usable terms, because sc-eat permutes their labels; "
        f"{reason}, so an SC-EAT replaces the WEAT"
    )


def test_an_sc_eat_in_place_of_a_weat_says_so_only_of_groups_of_one():
    test = make_test()
    (result,) = eatlas.run(test, make_vectors(test), "sc-eat(instead_of=weat)")
    assert "one term" not in result.finding.sentence
