"""Results as a sequence and as frames."""

import pytest
from tests.inputs import make_test, make_vectors

import eatlas


@pytest.fixture(scope="module")
def results():
    tests = [make_test("one"), make_test("two", X=("rose", "tulip"))]
    vectors = {**make_vectors(tests[0]), **make_vectors(tests[1], seed=5)}
    return eatlas.run(tests=tests, vectors=vectors, measures=["ml-eat", "weat", "sc-eat"])


def test_a_sequence(results):
    assert len(results) == 6
    assert results[:2]["two"] is results[1]
    with pytest.raises(KeyError, match="two: 3 results; take one by its position"):
        results["two"]
    assert [r.measure for r in results[2:4]] == ["weat", "weat"]
    assert "failures: 0" in str(results)
    with pytest.raises(KeyError, match="three: no such result; there are one, two"):
        results["three"]


def test_one_row_a_test_and_one_a_term(results):
    assert results[0].to_frame().shape[0] == 1
    frame = results[4].to_frame()
    assert list(frame["term"]) == list(make_test().X.terms + make_test().Y.terms)
    assert {"group", "effect_size", "p_two_sided"} <= set(frame.columns)
    whole = results.to_frame()
    assert len(whole) == 2 + 2 + 8 + 6
    assert list(whole["measure"].unique()) == ["ml-eat", "weat", "sc-eat"]


def test_failures_are_kept_beside_the_results():
    tests = [make_test("good"), make_test("bad", X=("none", "nothing"))]
    with pytest.warns(
        eatlas.EatlasWarning, match="1 of 2 jobs failed, as .failures shows: bad on dict"
    ):
        results = eatlas.run(tests=tests, vectors=make_vectors(tests[0]))
    with pytest.raises(KeyError, match="bad: test bad, group X .Flowers.: no term"):
        results["bad"]
    assert [r.test for r in results] == ["good"]
    (failure,) = results.failures
    assert (failure.test, failure.source) == ("bad", "dict")
    assert "no term has a usable vector" in str(failure.error)
    assert "failed: bad on dict" in str(results)
