"""Every built-in list is what the paper prints, term by term and in its order.

``tools/paper_word_lists.toml`` was written from the papers apart from the batteries.
"""

import tomllib
from pathlib import Path

import pytest

from eatlas import load_tests

LISTS = tomllib.loads(
    (Path(__file__).parents[2] / "tools/paper_word_lists.toml").read_text(encoding="utf-8")
)
HISTWORDS = {"symphony": "music", "math": "mathematics", "calculus": "calculation"}

MIND_YOUR_BIAS = {
    # test: the print's name, and whose A and B (or X and Y) it repeats
    "c1-name": ("C1 (name)", None),
    "c3-name": ("C3 (name)", None),
    "c3-term": ("C3 (term)", "C3 (name)"),
    "c6-name": ("C6 (name)", None),
    "c6-term": ("C6 (term)", "C6 (name)"),
    "c9-name": ("C9 (name)", None),
    "c9-term": ("C9 (term)", "C9 (name)"),
    "occ-name": ("Occ (name)", None),
    "occ-term": ("Occ (term)", "Occ (name)"),
    "i1-name": ("I1 (name)", None),
    "i2-name": ("I2 (name)", "I1 (name)"),
    "dis-term-excerpt": ("Dis (term)", None),
}
KURITA = {
    "kurita-c1": ("B.2 C1", "C1 (name)"),
    "kurita-c3": ("B.2 C3", "C3 (name)"),
    "kurita-c6": ("B.2 C6", "C6 (name)"),
    "kurita-c9": ("B.2 C9", "C9 (name)"),
    "kurita-occ": ("B.2 C6", "Occ (name)"),
}
SEAT = {
    "abw": (
        "White-identifying female names", "Black-identifying female names", "Antonymic Traits",
        "Angry Black Woman Stereotype Traits",
    ),
    "double-bind-competent": (
        "Double bind, male names", "Double bind, female names", "Double bind, competent",
        "Double bind, incompetent",
    ),
    "double-bind-likable": (
        "Double bind, male names", "Double bind, female names", "Double bind, likable",
        "Double bind, unlikable",
    ),
}  # fmt: skip
DIVDIST = {
    "divdist-gender": ("Professions", "Female", "Male"),
    "divdist-race": ("Professions", "Asian", "Hispanic", "White"),
    "divdist-face-validity": ("Table 3", "Female", "Male"),
}


def parts(test_id: str) -> list[list[str]]:
    (test,) = load_tests(test_id)
    return [list(concept.terms) for _, concept in test.parts]


@pytest.mark.parametrize("test_id", MIND_YOUR_BIAS)
def test_mind_your_bias(test_id):
    printed, (own, other) = LISTS["mind-your-bias"]["lists"], MIND_YOUR_BIAS[test_id]
    lists = [printed.get(f"{own} {role}") or printed[f"{other} {role}"] for role in "XYAB"]
    assert parts(test_id) == lists


def test_the_printed_phrases_of_i1_are_among_the_completed_ones():
    printed, (x, y, a, b) = LISTS["mind-your-bias"]["lists"], parts("i1-term")
    assert set(printed["I1 (term) X"]) < set(x)
    assert set(printed["I1 (term) Y"]) < set(y)
    assert [a, b] == [printed["I1 (name) A"], printed["I1 (name) B"]]


@pytest.mark.parametrize("test_id", KURITA)
def test_kurita(test_id):
    printed, (targets, attributes) = LISTS["mind-your-bias"]["lists"], KURITA[test_id]
    x, y, a, b = parts(test_id)
    assert x + y == printed[targets]
    assert len(x) == len(y)
    assert [a, b] == [printed[f"{attributes} A"], printed[f"{attributes} B"]]


@pytest.mark.parametrize(("paper", "test_id"), [("seat", i) for i in SEAT] + [("divdist", i) for i in DIVDIST])  # fmt: skip
def test_seat_and_divdist(paper, test_id):
    names = (SEAT | DIVDIST)[test_id]
    assert parts(test_id) == [LISTS[paper]["lists"][name] for name in names]


def test_histwords_is_weat_7_with_three_terms_replaced():
    expected = [[HISTWORDS.get(term, term) for term in part] for part in parts("weat-7")]
    assert parts("weat-7-histwords") == expected
    assert set(HISTWORDS.values()) <= {term for part in expected for term in part}
