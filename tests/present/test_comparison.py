from tests.present.records import ml_eat, weat

from eatlas.present.comparison import comparisons
from eatlas.present.family import DeclaredFamily
from eatlas.present.sections import sections, source_of


def compared(*results):
    return comparisons(sections(results, DeclaredFamily.of(results)))


def test_a_test_and_measure_on_several_sources():
    first, second = ml_eat(source="a"), ml_eat("A-Uniform", source="b", d=0.7)
    (found,) = compared(first, weat(source="a"), second, ml_eat(test="other"))
    assert [source_of(s.result) for s in found.members] == ["a", "b"]
    assert found.title == "test-1 by source: ML-EAT"
    assert found.sentence == (
        "a: AX-Singular; b: A-Uniform. The effect size d at level 1 goes from 0.70 to 1.40."
    )


def test_a_weat_has_no_pattern_and_an_undefined_size_no_range():
    (found,) = compared(weat(source="a"), weat(source="b", d=None))
    assert found.sentence == ""


def test_a_run_that_is_read_twice_is_not_compared():
    assert compared(ml_eat(), ml_eat()) == []
