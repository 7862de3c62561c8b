"""A test that was copied from a battery and changed, under the old id."""

import pytest
from tests.inputs import make_test, make_vectors

import eatlas
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
        "another id, so that its results are not mistaken for those of the published test."
    )


def test_sentences_and_groups_are_compared_too():
    (test,) = load_tests("sent-weat-6")
    fewer = test.model_copy(
        update={"X": Concept(name=test.X.name, sentences=test.X.sentences[:16])}
    )
    assert "The battery sent-caliskan has a test with the id sent-weat-6" in str(namesake(fewer))
    (groups,) = (t for t in load_tests("divdist")[:1])
    targets = Concept(name=groups.targets.name, terms=groups.targets.terms[:3])
    note = namesake(groups.model_copy(update={"targets": targets}))
    assert f"has a test with the id {groups.id}" in str(note)


def test_names_order_and_ids_of_ones_own_are_no_matter():
    (test,) = load_tests("weat-6")
    renamed = test.model_copy(
        update={"A": Concept(name="Work", terms=tuple(reversed(test.A.terms))), "title": "Mine"}
    )
    assert namesake(renamed) is None
    assert namesake(changed(test).model_copy(update={"id": "mine"})) is None
    assert namesake(make_test()) is None


def test_it_is_a_warning_of_the_result():
    (test,) = load_tests("weat-6")
    mine = changed(test)
    result = eatlas.WEAT()(mine, make_vectors(mine))
    assert result.warnings[0] == namesake(mine)
    codes = {note.code for note in eatlas.run(tests="weat-6")[0].warnings}
    assert "stimuli.namesake" not in codes
