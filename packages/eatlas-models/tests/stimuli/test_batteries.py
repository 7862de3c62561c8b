"""The battery of Bai et al."""

from tests.stimuli.test_batteries import (
    BATTERIES,
    has_the_sizes_of_the_page,
    is_kept_and_remarked,
)

from eatlas import load_tests
from eatlas.stimuli import battery_names


def test_every_test_of_the_page_is_there_with_its_sizes_and_no_other():
    assert set(battery_names()) == set(BATTERIES)
    assert sum(map(len, BATTERIES.values())) == 213
    has_the_sizes_of_the_page(BATTERIES)


def test_odd_spellings_are_kept_and_remarked():
    tests = {test.id: test for test in load_tests("bai")}
    is_kept_and_remarked("didnt do it", tests["bai-guilt"])
    is_kept_and_remarked("Matthais", tests["bai-arab"])
    is_kept_and_remarked("Guillame", tests["bai-arab"])


def test_words_and_decisions_of_bai_et_al():
    """Spot checks against stimuli/iat_stimuli.csv and the prompts of decisions of its authors."""
    tests = {test.id.removeprefix("bai-"): test for test in load_tests("bai")}
    associations = [name for name in tests if not name.startswith("decisions-")]
    assert len(associations) == 21
    assert list(tests) == [*associations, *(f"decisions-{name}" for name in associations)]
    for name in associations:
        (question,) = tests[f"decisions-{name}"].questions
        assert not tests[name].questions
        assert "{attribute}" in question
        assert "profile" not in question
    assert tests["career"].X.terms == ("Ben", "John", "Daniel", "Paul", "Jeffery")
    assert tests["career"].A.terms[-1] == "career"
    assert tests["career"].B.terms[0] == "home"
    assert tests["weapon"].A.terms[-1] == "wallet"
    assert tests["science"].B.terms[0] == "philosophy"
    assert tests["english"].Y.terms[-1] == "Limited English Proficient"
    assert tests["mental-illness"].B.terms == ("dangerous", "unsafe", "violent", "aggressive")
    assert tests["disability"].A.terms[-1] == "wonderful"
    assert tests["decisions-power"].A.terms == ("leader", "head", "captain", "chief")
    assert tests["decisions-english"].B.terms[1] == "conference"
    assert tests["decisions-islam"].B.terms[0] == "attend religious services"
    # the halves of a column, which groups of one size make
    assert all(len(test.A.terms) == len(test.B.terms) for test in tests.values())
