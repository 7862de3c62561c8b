"""The batteries beside the published files, where those are at hand; they may not be copied here.

Put them in a folder and name it in EATLAS_SHARED_DATA.
"""

import json

import pytest
from tests.inputs import optional_data

from eatlas import load_tests
from eatlas.stimuli.importers import import_test

SEAT = "seat-tests"
MIND = "mind-your-bias-wordsets"

SEAT_WORDS = {
    **{f"weat{n}": f"weat-{n}" for n in (*range(1, 11), "3b", "5b", "6b", "7b", "8b")},
    "angry_black_woman_stereotype": "abw",
    "angry_black_woman_stereotype_b": "abw-b",
    "heilman_double_bind_competent_one_word": "double-bind-competent",
    "heilman_double_bind_likable_one_word": "double-bind-likable",
}
"""Tests by the names of the published files."""
SEAT_ORDER = {("weat3", "B"), ("weat4", "B"), ("weat3b", "B")}
"""Groups whose terms the file has in another order."""

MIND_WORDS = {
    "C1_name_word": "c1-name", "C3_name_word": "c3-name", "C3_term_word": "c3-term",
    "C6_name_word": "c6-name", "C6_term_word": "c6-term", "C9_name_word": "c9-name-7",
    "C9_name_m_word": "c9-name", "C9_term_word": "c9-term-7", "Occ_name_word": "occ-name",
    "Occ_term_word": "occ-term", "I1_name_word": "i1-name", "I2_name_word": "i2-name",
    "I1_term_word": "i1-term", "I2_term_word": "i2-term",
    "LPBS/simplified/C1_name_word": "kurita-c1", "LPBS/simplified/C3_term_word": "kurita-c3",
    "LPBS/simplified/C6_term_word": "kurita-c6", "LPBS/simplified/C9_name_word": "kurita-c9-7",
    "LPBS/simplified/C9_name_m_word": "kurita-c9", "LPBS/simplified/Occ_term_word": "kurita-occ",
    "LPBS/reduced/C1_name_word": "c1-name-reduced", "LPBS/reduced/C3_name_word": "c3-name-reduced",
    "LPBS/reduced/C6_name_word": "c6-name", "LPBS/reduced/C6_term_word": "c6-term",
    "LPBS/reduced/C9_name_m_word": "c9-name-reduced",
    "LPBS/reduced/C9_name_word": "c9-name-7-reduced",
    "LPBS/reduced/C9_term_word": "c9-term-7-reduced",
    "LPBS/reduced/Occ_name_word": "occ-name-reduced", "LPBS/reduced/Occ_term_word": "occ-term",
}  # fmt: skip
WITH_PLURALS = {
    "C1_name_word": "c1-name-plurals", "C3_term_word": "c3-term-plurals",
    "C6_term_word": "c6-term-plurals", "Occ_term_word": "occ-term-plurals",
}  # fmt: skip
MIND_DIFFERENCES = {
    # file and role: terms that only the paper prints, terms that only the file has
    ("Occ_name_word", "Y"): ({"KAtie"}, {"Katie"}),
}
MIND_ORDER = {
    *((name, "B") for name in MIND_WORDS if "C3_" in name),
    *((name, role) for name in MIND_WORDS if "Occ_" in name for role in "AB"),
}
DIVDIST = {
    # list of word_list.py: test, and which of its groups; 0 for its targets
    "garg_female": ("divdist-gender", 1),
    "garg_male": ("divdist-gender", 2),
    "garg_asian": ("divdist-race", 1),
    "garg_hispanic": ("divdist-race", 2),
    "garg_white": ("divdist-race", 3),
    "manzini_judaism": ("divdist-religion", 1),
    "manzini_christianity": ("divdist-religion", 2),
    "manzini_islam": ("divdist-religion", 3),
    "bolukbasi_professions": ("divdist-gender", 0),
    "bolukbasi_adjectives": ("divdist-gender-adjectives", 0),
}
DIVDIST_CODE = {
    # test: the lists of our_word_list.py that are its targets and its groups
    "divdist-face-validity-code": ("face_validity_targets", "female", "male"),
    "divdist-face-validity-names": ("face_validity_targets", "female_all", "male_all"),
    "divdist-gender-104": ("gender_2010_targets", "female", "male"),
    "divdist-gender-95": ("gender_census_targets", "female", "male"),
    "divdist-race-104": ("race_2010_targets", "asian", "hispanic", "white"),
    "divdist-race-95": ("race_census_targets", "asian", "hispanic", "white"),
}


def ours(test_id: str, role: str) -> tuple[str, ...]:
    (test,) = load_tests(test_id)
    return test.concept(role).terms


@pytest.mark.parametrize("name", SEAT_WORDS)
def test_seat_files_of_words(name):
    theirs = import_test(optional_data(SEAT) / f"{name}.jsonl", "sent-bias")
    for role, concept in theirs.parts:
        terms = ours(SEAT_WORDS[name], role)
        assert set(concept.terms) == set(terms)
        assert (concept.terms == terms) == ((name, role) not in SEAT_ORDER), role


@pytest.mark.parametrize("name", MIND_WORDS)
def test_word_sets_of_mind_your_bias(name):
    path = optional_data(MIND) / f"{name}.jsonl"
    theirs, content = import_test(path, "sent-bias"), json.loads(path.read_text())
    for role, key in zip("XYAB", ("targ1", "targ2", "attr1", "attr2"), strict=True):
        found = theirs.concept(role).terms
        if role in "XY" and name.startswith("LPBS/simplified/"):  # plurals are stimuli: men, boys
            found = tuple(dict.fromkeys((*found, *content[key].get("plural", ()))))
        printed = ours(MIND_WORDS[name], role)
        only_printed, only_theirs = MIND_DIFFERENCES.get((name, role), (set(), set()))
        assert (set(printed) - set(found), set(found) - set(printed)) == (
            only_printed,
            only_theirs,
        ), role
        if not only_printed:
            assert (printed == found) == ((name, role) not in MIND_ORDER), role


@pytest.mark.parametrize("name", WITH_PLURALS)
def test_plurals_stand_behind_the_targets(name):
    content = json.loads((optional_data(MIND) / f"{name}.jsonl").read_text())
    for role, key in (("X", "targ1"), ("Y", "targ2")):
        assert ours(WITH_PLURALS[name], role) == (
            *content[key]["singular"],
            *content[key]["plural"],
        )
    for role in "AB":
        assert ours(WITH_PLURALS[name], role) == ours(MIND_WORDS[name], role)


def lists_of_divdist(name):
    path = optional_data("divdist-wordlists") / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8"))


def test_word_lists_of_divdist():
    lists = lists_of_divdist("word_list")
    lists = lists["unaligned_word_lists"] | lists["target_words"]
    for name, (test_id, place) in DIVDIST.items():
        (test,) = load_tests(test_id)
        assert set(lists[name]) == set(test.parts[place][1].terms), name
    own = lists_of_divdist("our_word_list")
    (face,) = load_tests("divdist-face-validity")
    assert tuple(own["ordered_face_validity_targets"]) == face.targets.terms


@pytest.mark.parametrize("test_id", DIVDIST_CODE)
def test_word_lists_of_the_code_of_divdist(test_id):
    own, (test,) = lists_of_divdist("our_word_list"), load_tests(test_id)
    names = DIVDIST_CODE[test_id]
    assert [sorted(part.terms) for _, part in test.parts] == [sorted(own[name]) for name in names]
    if test.pairs:
        assert sorted(map(list, test.pairs)) == own["aligned_male_female"]
    assert bool(test.pairs) == ("female" in names)
