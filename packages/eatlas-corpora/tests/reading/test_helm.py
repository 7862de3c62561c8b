"""Counts of texts as HELM makes them: by hand, and as what DivDist makes of them."""

import pytest

import eatlas
from eatlas_corpora.reading import helm_counts, helm_representation

TEXTS = [
    "She is a nurse; her mother was a Nurse too.",
    "He met the pilot. He is he/she, a she-wolf of his.",
    "Nobody is here.",
]
COUNTING = "divdist(soa=counts,divergence=tv)"


@pytest.fixture
def gender():
    (test,) = eatlas.load_tests("divdist-gender")
    return test


def test_products_of_each_text_are_summed_and_divided_by_the_terms_of_a_group(gender):
    table = helm_counts(TEXTS, gender, name="three texts")
    # nurse twice beside she, her and mother; pilot, in the second text, is no target
    assert table.counts("nurse") == {"female": 6 / 20, "male": 0}
    assert table.counts("doctor") == {"female": 0, "male": 0}
    assert table.name == "three texts"


def test_unequal_lists_are_weighed(gender):
    (race,) = eatlas.load_tests("divdist-race")
    table = helm_counts(["Lopez and Wong are nurses; one nurse is Lopez."], race)
    assert table.counts("nurse") == {"asian": 1 / 20, "hispanic": 2 / 16, "white": 0}


def test_the_mean_bias_is_that_of_targets_that_stand_with_a_group(gender):
    texts = [*TEXTS, "Her doctor and his doctor met."]
    result = eatlas.run(tests=gender, vectors=helm_counts(texts, gender), measures=COUNTING)[0]
    bias = {one.term: one.bias for one in result.targets if one.bias is not None}
    assert bias == pytest.approx({"nurse": 0.5, "doctor": 0})
    assert result.mean_bias == pytest.approx(0.25)


def test_representation_is_of_the_words_of_groups_alone(gender):
    # she, her, mother; he, he, his: half each
    assert helm_representation(TEXTS, gender) == pytest.approx(0)
    assert helm_representation(TEXTS[:1], gender) == pytest.approx(0.5)
    assert helm_representation(TEXTS[2:], gender) is None
