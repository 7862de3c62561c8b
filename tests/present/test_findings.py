"""The sentence of each finding, the title of a page, and what sources and settings are called."""

import pytest
from tests.present.records import ml_eat, weat

from eatlas.numbers import goes
from eatlas.present.findings import findings_of, title
from eatlas.results.settings import Settings


@pytest.mark.parametrize(
    ("label", "sentence"),
    [
        ("A-Uniform", "Both Flowers and Insects lean towards Pleasant"),
        ("AB-Divergent", "Flowers lean towards Pleasant; Insects towards Unpleasant"),
        ("AX-Singular", "Flowers lean towards Pleasant; for Insects, neither is shown"),
        ("BY-Singular", "Insects lean towards Unpleasant; for Flowers, neither is shown"),
        (
            "Non-Directional",
            "Flowers lean towards Pleasant more than Insects; not shown for either alone",
        ),
    ],
)
def test_each_pattern_has_its_sentence(label, sentence):
    finding = ml_eat(label).finding
    assert str(finding) == finding.sentence == sentence
    assert finding.grade == "partly"


@pytest.mark.parametrize(
    ("name", "verb"),
    [("Math", "goes"), ("Physics", "goes"), ("Men", "go"), ("Happiness", "goes"), ("", "goes")],
)
def test_verbs_agree(name, verb):
    assert goes(name) == verb


def titled(*results):
    return title(results, findings_of(results), Settings.among(results))


def test_the_title_of_one_result_is_its_finding():
    assert titled(weat()) == "some-vectors: Flowers lean towards Pleasant more than Insects"


def test_titles_count_the_grades_of_several_tests():
    none = ml_eat("Non-Directional", d=0.1, greater=6000, test="two")
    assert titled(ml_eat(), none) == (
        "some-vectors: of 2 tests, 1 holds all checks but one and 1 shows nothing"
    )
    assert titled(ml_eat(source="a.txt"), ml_eat(source="b.txt")) == (
        "2 sources: of 2 results, 2 hold for these words, with no other check"
    )


def test_the_title_of_two_results_of_one_test_has_both_findings():
    assert titled(ml_eat(), weat()) == (
        "some-vectors: Flowers lean towards Pleasant; for Insects, neither is shown. "
        "Flowers lean towards Pleasant more than Insects"
    )
    assert titled(weat(), weat()) == titled(weat()), "said once"
