"""What is said of associations at equal frequency, or at equal values of other covariates."""

from tests.present.reading import Page
from tests.present.records import ml_eat, planted, weat, with_adjusted

from eatlas.present import report_html
from eatlas.present.effects import levels_of
from eatlas.present.sentences import statements


def adjusted(result):
    (text,) = (
        text for head, text in statements(result, levels_of(result)) if head.startswith("Adjusted")
    )
    return text


def test_the_numbers_of_each_question_are_said_in_full():
    said = adjusted(with_adjusted(ml_eat(), ml_eat("AY-Singular", d=0.23, greater=3218)))
    assert said.startswith("Level 1: d = 0.23 [−0.75, 1.06], two-sided p = .50 (54% shared); ")
    assert "; Flowers: d = 0.10 [−0.75, 1.06], two-sided p = .92 (54% shared); Insects: d" in said
    assert "Shared: how well frequency predicts which group a word is in." in said


def test_words_left_out_are_named_by_group():
    result = with_adjusted(ml_eat(), ml_eat(), "valence", left_out={"X": ("two",), "B": ("one",)})
    assert adjusted(result).endswith(
        "Left out, because their valence is unknown: two (Flowers); one (Unpleasant)."
    )


def test_a_page_has_the_p_value_and_the_interval_at_equal_frequency():
    known = {"words": 0.004, "others": 0.004, "after": 0.3}
    text = Page(report_html([planted(**known, test="one"), planted(**known, test="two")])).text
    assert "the difference is not significant after adjusting for word frequency" in text
    assert "adjusted for frequency" in text
    assert (
        "In these word lists only (not significant after adjusting for word frequency): one, two."
        in text
    )
    assert "frequency unknown" not in text


def test_a_page_says_where_frequency_is_unknown_or_was_not_adjusted_for():
    known = {"words": 0.004, "others": 0.004}
    page = Page(report_html([planted(**known)])).text
    assert "frequency unknown" in page
    off = planted(**known, signature="ML-EAT(adjust=none,alpha=0.05)")
    assert "not adjusted" in Page(report_html([off])).text
    assert "word frequency was not adjusted for" in Page(report_html([off])).text


def test_a_file_of_covariates_is_named_with_its_hash():
    origin = {"file": "norms.csv", "sha256": "9" * 64, "names": ["valence", "length"]}
    provenance = {**ml_eat().to_dict()["provenance"], "covariates": origin}
    result = with_adjusted(ml_eat(provenance=provenance), ml_eat(), "valence", "length")
    text = Page(report_html([result])).text
    assert f"Covariates valence and length of norms.csv , hash {'9' * 64}" in text
    assert "We also adjusted effect sizes for valence and length (norms.csv)" in text
    assert "adjusted for covariates" in text


def test_the_glossary_says_what_is_adjusted_for():
    text = Page(report_html([with_adjusted(weat(), weat())])).text
    assert "Adjusted for frequency The association between words of equal frequency" in text
    assert "Adjusted for frequency" not in Page(report_html([weat()])).text.replace(
        "adjusted for frequency", ""
    )
