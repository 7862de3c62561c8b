import re

import pytest
from tests.present.records import PATTERNS, ml_eat, sc_eat, weat

from eatlas.present import sentence

FIRST = {
    "AB-Divergent": "The vectors associate Flowers with Pleasant and Insects with Unpleasant.",
    "BA-Divergent": "The vectors associate Flowers with Unpleasant and Insects with Pleasant.",
    "A-Uniform": "The vectors associate both Flowers and Insects with Pleasant, equally strongly (d = 0.90).",
    "B-Uniform": "The vectors associate both Flowers and Insects with Unpleasant, equally strongly (d = −0.90).",
    "AX-Singular": "The vectors associate Flowers with Pleasant; for Insects, no association with Pleasant or Unpleasant was found.",
    "BX-Singular": "The vectors associate Flowers with Unpleasant; for Insects, no association with Pleasant or Unpleasant was found.",
    "AY-Singular": "The vectors associate Insects with Pleasant; for Flowers, no association with Pleasant or Unpleasant was found.",
    "BY-Singular": "The vectors associate Insects with Unpleasant; for Flowers, no association with Pleasant or Unpleasant was found.",
    "Non-Directional": "No association with Pleasant or Unpleasant was found for Flowers alone, nor for Insects alone.",
}
CLOSER = (
    "n direct comparison, the vectors place Flowers closer to Pleasant, relative to Unpleasant, "
    "than they do Insects (d = 1.40, p = .0078)."
)


@pytest.mark.parametrize("label", PATTERNS)
def test_each_pattern_has_its_sentence(label):
    start = " Yet i" if label == "Non-Directional" else " I"
    assert sentence(ml_eat(label)) == FIRST[label] + start + CLOSER


@pytest.mark.parametrize(
    ("d_X", "d_Y", "said"),
    [
        (1.25, 1.1, "Flowers more so (d = 1.25 against 1.10)"),
        (0.7, 1.1, "Insects more so (d = 1.10 against 0.70)"),
        (1.061, 1.064, "equally strongly (d = 1.06)"),
    ],
)
def test_the_stronger_of_two_uniform_associations_is_named(d_X, d_Y, said):
    assert said in sentence(ml_eat("A-Uniform", d_X=d_X, d_Y=d_Y))


def test_a_level_1_that_is_not_significant_is_no_difference_found():
    said = sentence(ml_eat("Non-Directional", d=0.1, greater=4118))
    assert said.endswith(
        "In direct comparison, the two do not differ detectably (d = 0.10, p = .32)."
    )
    assert "Yet" not in said


@pytest.mark.parametrize("label", PATTERNS)
def test_no_concept_is_the_subject_of_a_verb(label):
    """So that neither "Math are" nor "Flowers is" can be written."""
    names = {"X": "<T>", "Y": "<T>", "A": "<C>", "B": "<C>"}
    clauses = re.split(r"[.;,] ", sentence(ml_eat(label, names=names)))
    assert not [c for c in clauses if re.match(r"(and )?<.> (?!more so)\w+s?\b", c)]


def test_weat_sentence():
    assert sentence(weat()) == (
        "In direct comparison, the vectors place Flowers closer to Pleasant, relative to "
        "Unpleasant, than they do Insects (d = 1.20, p = .0078). A WEAT compares two targets; it "
        "does not say what either is associated with by itself."
    )


def test_sc_eat_sentence():
    said = sentence(sc_eat({"nurse": -1.2, "poet": 0.1, "miner": 1.4, "void": None}))
    assert said == (
        "Of 4 terms, the vectors associate 1 with Pleasant and 1 with Unpleasant (p < .05 in the "
        "direction of d, each term taken by itself, not adjusted). Closest to Pleasant: miner (d = 1.40); "
        "closest to Unpleasant: nurse (d = −1.20)."
    )
    assert sentence(sc_eat({"void": None})) == "No effect size is defined for 1 term."
