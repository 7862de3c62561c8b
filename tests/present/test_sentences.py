"""The sentence of a result: its finding, then the numbers behind it."""

import re

import pytest
from tests.present.records import PATTERNS, ml_eat, sc_eat, weat

from eatlas.present import sentence

FINDINGS = {
    "AB-Divergent": "Flowers lean towards Pleasant; Insects towards Unpleasant.",
    "BA-Divergent": "Flowers lean towards Unpleasant; Insects towards Pleasant.",
    "A-Uniform": "Both Flowers and Insects lean towards Pleasant.",
    "B-Uniform": "Both Flowers and Insects lean towards Unpleasant.",
    "AX-Singular": "Flowers lean towards Pleasant; for Insects, neither is shown.",
    "BX-Singular": "Flowers lean towards Unpleasant; for Insects, neither is shown.",
    "AY-Singular": "Insects lean towards Pleasant; for Flowers, neither is shown.",
    "BY-Singular": "Insects lean towards Unpleasant; for Flowers, neither is shown.",
    "Non-Directional": (
        "Flowers lean towards Pleasant more than Insects; not shown for either alone."
    ),
}
ALONE = {
    "A": "d = 0.90, two-sided p = .016",
    "B": "d = −0.90, two-sided p = .016",
    None: "d = 0.10, two-sided p = .92",
}


@pytest.mark.parametrize("label", PATTERNS)
def test_each_pattern_has_its_finding_and_its_numbers(label):
    x, y = PATTERNS[label]
    assert sentence(ml_eat(label)) == (
        f"{FINDINGS[label]} Flowers against Insects: d = 1.40, two-sided p = .016. "
        f"Flowers alone: {ALONE[x]}; Insects alone: {ALONE[y]}. The EAT pattern is {label}."
    )


def test_the_pattern_of_the_two_sided_rule_is_named_where_it_is_another():
    text = sentence(ml_eat("BY-Singular", two_sided_label="Non-Directional"))
    assert text.endswith(
        "The EAT pattern is BY-Singular, and Non-Directional under the two-sided rule."
    )


def test_a_level_1_that_is_not_significant_is_not_shown():
    text = sentence(ml_eat("Non-Directional", d=0.1, greater=4118))
    assert text.startswith(
        "No association of Flowers or Insects with Pleasant or Unpleasant is shown."
    )
    assert "Flowers against Insects: d = 0.10, two-sided p = .64." in text


@pytest.mark.parametrize("label", PATTERNS)
@pytest.mark.parametrize(("x", "leans"), [("Math", "leans"), ("Men", "lean"), ("Physics", "leans")])
def test_verbs_agree_with_the_names(label, x, leans):
    verbs = re.findall(rf"^{x} (leans?)\b", sentence(ml_eat(label, names={"X": x})))
    assert set(verbs) <= {leans}


def test_weat_sentence():
    assert sentence(weat()) == (
        "Flowers lean towards Pleasant more than Insects. Flowers against Insects: d = 1.20, "
        "two-sided p = .016. A WEAT compares two targets; it does not say what either is associated "
        "with by itself."
    )
    assert sentence(weat(0.1, 6000)).startswith(
        "No difference between Flowers and Insects is shown."
    )


def test_sc_eat_sentence():
    text = sentence(sc_eat({"nurse": -1.2, "poet": 0.1, "miner": 1.4, "void": None}))
    assert text == (
        "None of 4 terms is shown to lean towards Pleasant or Unpleasant. Closest to Pleasant: miner "
        "(d = 1.40); closest to Unpleasant: nurse (d = −1.20)."
    )
    assert sentence(sc_eat({"void": None})).endswith("No effect size is defined for 1 term.")
