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
    # published file: test and role of X, Y, A, B
    **{f"weat{n}": [(f"weat-{n}", role) for role in "XYAB"] for n in range(1, 11)},
    "weat3b": [("c3-term", "X"), ("c3-term", "Y"), ("weat-3", "A"), ("weat-3", "B")],
    "weat5b": [("c3-term", "X"), ("c3-term", "Y"), ("weat-5", "A"), ("weat-5", "B")],
    "weat6b": [("weat-7", "A"), ("weat-7", "B"), ("weat-6", "A"), ("weat-6", "B")],
    "weat7b": [("weat-7", "X"), ("weat-7", "Y"), ("weat-6", "X"), ("weat-6", "Y")],
    "weat8b": [("weat-8", "X"), ("weat-8", "Y"), ("weat-6", "X"), ("weat-6", "Y")],
    "angry_black_woman_stereotype": [("abw", role) for role in "XYAB"],
    "heilman_double_bind_competent_one_word": [("double-bind-competent", r) for r in "XYAB"],
    "heilman_double_bind_likable_one_word": [("double-bind-likable", r) for r in "XYAB"],
}
SEAT_ORDER = {("weat3", "B"), ("weat4", "B"), ("weat3b", "B")}
"""Groups whose terms the file has in another order."""

MIND_WORDS = {
    "C1_name_word": "c1-name", "C3_name_word": "c3-name", "C3_term_word": "c3-term",
    "C6_name_word": "c6-name", "C6_term_word": "c6-term", "C9_name_word": "c9-name",
    "C9_name_m_word": "c9-name", "C9_term_word": "c9-term", "Occ_name_word": "occ-name",
    "Occ_term_word": "occ-term", "I1_name_word": "i1-name", "I2_name_word": "i2-name",
    "LPBS/simplified/C1_name_word": "kurita-c1", "LPBS/simplified/C3_term_word": "kurita-c3",
    "LPBS/simplified/C6_term_word": "kurita-c6", "LPBS/simplified/C9_name_word": "kurita-c9",
    "LPBS/simplified/C9_name_m_word": "kurita-c9", "LPBS/simplified/Occ_term_word": "kurita-occ",
}  # fmt: skip
MIND_DIFFERENCES = {
    # file and role: terms that only the paper prints, terms that only the file has
    ("C9_name_word", "A"): ({"transitory"}, set()),
    ("C9_name_word", "B"): ({"lasting"}, set()),
    ("C9_term_word", "A"): ({"transitory"}, set()),
    ("C9_term_word", "B"): ({"lasting"}, set()),
    ("LPBS/simplified/C9_name_word", "A"): ({"transitory"}, set()),
    ("LPBS/simplified/C9_name_word", "B"): ({"lasting"}, set()),
    ("Occ_name_word", "Y"): ({"KAtie"}, {"Katie"}),
}
MIND_ORDER = {
    *((name, "B") for name in ("C3_name_word", "C3_term_word", "LPBS/simplified/C3_term_word")),
    *((f"Occ_{kind}_word", role) for kind in ("name", "term") for role in "AB"),
    *(("LPBS/simplified/Occ_term_word", role) for role in "AB"),
}
DIVDIST = {
    "garg_female": ("divdist-gender", 1),
    "garg_male": ("divdist-gender", 2),
    "garg_asian": ("divdist-race", 1),
    "garg_hispanic": ("divdist-race", 2),
    "garg_white": ("divdist-race", 3),
}


def ours(test_id: str, role: str) -> tuple[str, ...]:
    (test,) = load_tests(test_id)
    return test.concept(role).terms


@pytest.mark.parametrize("name", SEAT_WORDS)
def test_seat_files_of_words(name):
    theirs = import_test(optional_data(SEAT) / f"{name}.jsonl", "sent-bias")
    for (role, concept), (test_id, our_role) in zip(theirs.parts, SEAT_WORDS[name], strict=True):
        terms = ours(test_id, our_role)
        assert set(concept.terms) == set(terms)
        assert (concept.terms == terms) == ((name, role) not in SEAT_ORDER), role


def test_the_group_terms_of_the_angry_black_woman_test_are_not_printed():
    path = optional_data(SEAT) / "angry_black_woman_stereotype_b.jsonl"
    theirs = import_test(path, "sent-bias")
    assert (len(theirs.X.terms), len(theirs.Y.terms)) == (4, 4)
    assert (theirs.A.terms, theirs.B.terms) == (ours("abw", "A"), ours("abw", "B"))


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


def test_word_lists_of_divdist():
    folder = optional_data("divdist-wordlists")
    lists = json.loads((folder / "word_list.json").read_text(encoding="utf-8"))
    for name, (test_id, place) in DIVDIST.items():
        (test,) = load_tests(test_id)
        assert set(lists["unaligned_word_lists"][name]) == set(test.parts[place][1].terms), name
    (test,) = load_tests("divdist-gender")
    assert set(lists["target_words"]["bolukbasi_professions"]) == set(test.targets.terms)
    own = json.loads((folder / "our_word_list.json").read_text(encoding="utf-8"))
    (face,) = load_tests("divdist-face-validity")
    assert tuple(own["ordered_face_validity_targets"]) == face.targets.terms
