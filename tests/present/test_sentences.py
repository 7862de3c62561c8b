"""The sentence of a result: its finding, then the numbers behind it."""

import re

import pytest
from tests.present.records import PATTERNS, ml_eat, planted, sc_eat, weat

from eatlas.present import sentence

WORDS = "; generalisation cannot be tested (too few words)."
LEVEL_1 = "In these word lists, Flowers are more strongly associated with Pleasant than Insects are"
ALONE = {
    "A": "In these word lists, {} are associated with Pleasant rather than Unpleasant" + WORDS,
    "B": "In these word lists, {} are associated with Unpleasant rather than Pleasant" + WORDS,
    None: "No significant association of {} with Pleasant or Unpleasant is shown.",
}
NUMBERS = {
    "A": "d = 0.90, p = .016 (these words)",
    "B": "d = −0.90, p = .016 (these words)",
    None: "d = 0.10, p = .92 (these words)",
}


@pytest.mark.parametrize("label", PATTERNS)
def test_each_question_has_its_sentence_and_its_numbers(label):
    x, y = PATTERNS[label]
    assert sentence(ml_eat(label)) == (
        f"{LEVEL_1}{WORDS} {ALONE[x].format('Flowers')} {ALONE[y].format('Insects')} "
        "Flowers against Insects: d = 1.40, p = .016 (these words); "
        f"Flowers alone: {NUMBERS[x]}; Insects alone: {NUMBERS[y]}. "
        f"By the paper's rule the EAT pattern is {label}."
    )


def test_each_p_value_has_its_name():
    text = sentence(planted(words=0.01, others=0.02, after=0.03))
    assert "d = 1.40 [−1.00, 3.00], p = .010 (these words), p = .020 (new words), p = .030" in text
    assert text.count("(adjusted for frequency)") == 3


def test_the_pattern_of_the_two_sided_rule_is_named_where_it_is_another():
    text = sentence(ml_eat("BY-Singular", two_sided_label="Non-Directional"))
    assert text.endswith(
        "By the paper's rule the EAT pattern is BY-Singular, and Non-Directional with two-sided "
        "p-values."
    )


def test_a_level_1_that_is_not_significant_is_not_shown():
    text = sentence(ml_eat("Non-Directional", d=0.1, greater=4118))
    assert text.startswith(
        "No significant difference between Flowers and Insects in their association with Pleasant or Unpleasant is shown. No significant association "
    )
    assert "Flowers against Insects: d = 0.10, p = .64 (these words); Flowers" in text


@pytest.mark.parametrize("label", PATTERNS)
@pytest.mark.parametrize(("x", "verb"), [("Math", "is"), ("Men", "are"), ("Physics", "is")])
def test_verbs_agree_with_the_names(label, x, verb):
    verbs = re.findall(rf"\b{x} (is|are)\b", sentence(ml_eat(label, names={"X": x})))
    assert set(verbs) == {verb}


def test_weat_sentence():
    assert sentence(weat()) == (
        f"{LEVEL_1}{WORDS} Flowers against Insects: d = 1.20, p = .016 (these words). A WEAT compares "
        "two targets; it does not show what each target is associated with."
    )
    assert sentence(weat(0.1, 6000)).startswith(
        "No significant difference between Flowers and Insects in their association with Pleasant or Unpleasant is shown."
    )


def test_sc_eat_sentence():
    text = sentence(sc_eat({"nurse": -1.2, "poet": 0.1, "miner": 1.4, "void": None}))
    assert text == (
        "None of 4 terms is significantly associated with Pleasant or Unpleasant. Closest "
        "to Pleasant: miner (d = 1.40); closest to Unpleasant: nurse (d = −1.20)."
    )
    assert sentence(sc_eat({"void": None})).endswith("No effect size is defined for 1 term.")
