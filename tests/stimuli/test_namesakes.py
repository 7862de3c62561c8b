"""A test that was copied from a battery and changed, under the old id."""

import pytest
from tests.inputs import make_test

from eatlas import Concept, load_tests
from eatlas.stimuli.batteries import BUILT_IN, namesake, read_battery


def changed(test, role="A", terms=("executive", "salary", "job")):
    return test.model_copy(update={role: Concept(name=dict(test.parts)[role].name, terms=terms)})


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_test_of_a_battery_is_itself(name):
    assert [namesake(test) for test in read_battery(name).tests if namesake(test)] == []


def test_other_words_under_the_id_of_a_published_test_are_remarked_on():
    (test,) = load_tests("weat-6")
    assert str(namesake(changed(test))) == (
        "The battery caliskan has a test with the id weat-6 and other stimuli. Give this test "
        "another id, so that its results are not mistaken for results of the published test."
    )


def test_names_order_and_ids_of_ones_own_are_no_matter():
    (test,) = load_tests("weat-6")
    renamed = test.model_copy(
        update={"A": Concept(name="Work", terms=tuple(reversed(test.A.terms))), "title": "Mine"}
    )
    assert namesake(renamed) is None
    assert namesake(changed(test).model_copy(update={"id": "mine"})) is None
    assert namesake(make_test()) is None
