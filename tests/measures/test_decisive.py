"""Terms without which the paper's rule reads otherwise: measured without each in turn."""

import pytest
from tests.inputs import make_sentences, make_test, make_vectors

import eatlas
from eatlas.stimuli import AssociationTest, Concept

pytestmark = pytest.mark.filterwarnings("ignore::eatlas.errors.EatlasWarning")


def without(test, role, stimulus):
    """The test without one term, or without all sentences of one stimulus."""
    concepts = {r: test.concept(r) for r in "XYAB"}
    left = concepts[role]
    if left.sentences:
        kept = [s for s in left.sentences if s.stimulus != stimulus]
        concepts[role] = Concept(name=left.name, sentences=kept)
    else:
        kept = tuple(term for term in left.terms if term != stimulus)
        concepts[role] = Concept(name=left.name, terms=kept)
    return AssociationTest(id=test.id, **concepts)


def conclusion(result):
    """The pattern, and what is read at level 1."""
    pattern = result.primary.pattern
    return pattern and pattern.label, result.effect("level1").conclusion


def agrees(measured, test, every=1):
    """Leave out each term for real, or of those that are not decisive one in `every`; how many are."""
    result = measured(test)
    own, expected = conclusion(result), []
    named = {(d.role, d.term) for d in result.primary.influence.influential}
    for role in "XYAB":
        for i, stimulus in enumerate(result.coverage[role].stimuli):
            if i % every and (role, stimulus) not in named:
                continue
            read = conclusion(measured(without(test, role, stimulus)))
            if read != own:
                expected.append((role, stimulus, *read))
    found = [(d.role, d.term, d.pattern, d.level1) for d in result.primary.influence.influential]
    assert found == expected
    return len(found)


FAST = "resamples=0,adjust=none"


@pytest.mark.parametrize(
    ("test", "measure"),
    [
        pytest.param("weat-6", "ml-eat", marks=pytest.mark.slow),
        pytest.param("weat-6", "ml-eat(threshold=0.8)", marks=pytest.mark.slow),
        ("weat-9", "ml-eat"),
        pytest.param("weat-8", "ml-eat(tail=two-sided,alpha=0.2)", marks=pytest.mark.slow),
        pytest.param("weat-8", "ml-eat(ddof=0,p=normal)", marks=pytest.mark.slow),
        pytest.param("weat-9", "ml-eat(statistic=studentised)", marks=pytest.mark.slow),
        ("weat-7", "weat(alpha=0.002)"),
        ("weat-9", "weat(alpha=0.0065,strict=true)"),
    ],
)
def test_terms_are_those_without_which_a_run_says_otherwise(test, measure):
    signature = measure.replace(")", f",{FAST})") if "(" in measure else f"{measure}({FAST})"

    def measured(test):
        return eatlas.run(tests=test, measures=signature, frequency="off")[0]

    (loaded,) = eatlas.load_tests(test)
    assert agrees(measured, loaded) > 0


@pytest.mark.slow
def test_long_lists_too():
    (loaded,) = eatlas.load_tests("weat-1")

    def measured(test):
        return eatlas.run(tests=test, measures=f"ml-eat({FAST})", frequency="off")[0]

    assert agrees(measured, loaded, every=5) == 11  # of 99: p at level 2 is .037


def test_stimuli_of_sentences():
    counts = {"X": (3, 1, 4, 2), "Y": (2, 5, 1, 3), "A": (1, 4, 2, 3, 2), "B": (3, 3, 1, 2, 4)}
    test, found = make_sentences(counts), 0
    for seed in range(2):
        vectors = make_vectors(test, seed=seed)
        measure = eatlas.MLEAT(resamples=0, adjust="none", alpha=0.2)
        assert (
            measure(test, vectors).influence.influential is None
        )  # patterns are read over stimuli
        found += agrees(lambda test, v=vectors, m=measure: m(test, v), test)
    assert found > 3


def test_a_group_that_would_be_too_small_is_not_looked_at():
    test = make_test(A=("love", "peace"), B=("war", "filth"))
    result = eatlas.MLEAT(resamples=0, alpha=0.5)(test, make_vectors(make_test()))
    assert {d.role for d in result.influence.influential} <= {"X", "Y"}


def test_too_many_terms_are_not_looked_at(monkeypatch):
    monkeypatch.setattr("eatlas.measures.resampling.MOST_SCORES", 100)
    result = eatlas.run("weat-6", measures=f"ml-eat({FAST})", frequency="off")[0]
    assert result.influence.influential is None
    assert "decisive" not in result.to_dict()["influence"]


def test_records_keep_them():
    result = eatlas.run("weat-6", measures=f"ml-eat({FAST})", frequency="off")[0]
    assert type(result).from_dict(result.to_dict()) == result
    john = result.influence.influential[0]
    assert (john.term, john.pattern, john.level1) == ("John", "AB-Divergent", "greater")
