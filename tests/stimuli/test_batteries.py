"""Finding tests by battery, id or file; the built-in battery is what the paper prints."""

import re
from pathlib import Path

import pandas as pd
import pytest

from eatlas import load_tests
from eatlas.errors import StimulusError
from eatlas.stimuli import read_battery
from eatlas.stimuli.batteries import BUILT_IN

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "reference/tests-of-batteries.md").read_text(encoding="utf-8")
"""Its tables have the sizes of every test as the papers and the publishers have them."""
BATTERIES = {
    part.split("`")[0]: {
        row.split("`")[1]: tuple(map(int, row.split("|")[3].split(",")))
        for row in part.splitlines()
        if row.startswith("| `") and row.count("|") == 4
    }
    for part in PAGE.split("\n## `")[1:]
}
OF_PACKAGES = {"bai"}


def test_every_test_of_the_page_is_there_with_its_sizes_and_no_other():
    batteries = {name: sizes for name, sizes in BATTERIES.items() if name not in OF_PACKAGES}
    assert set(batteries) == set(BUILT_IN)
    has_the_sizes_of_the_page(batteries)


def test_the_page_of_batteries_counts_their_tests():
    page = (DOCS / "batteries.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[`([\w-]+)`\]\([^)]+\) \| (\d+) \|", page, re.MULTILINE)
    assert {name: int(count) for name, count in rows} == {n: len(b) for n, b in BATTERIES.items()}


def has_the_sizes_of_the_page(batteries):
    ids = []
    for name, sizes in batteries.items():
        tests = read_battery(name).tests
        assert {t.id: tuple(len(c.terms) for _, c in t.parts) for t in tests} == sizes
        assert list(sizes) == [test.id for test in tests]
        ids += sizes
    assert len(ids) == len(set(ids))
    assert not set(ids) & set(BUILT_IN)
    assert [test.id for test in load_tests(list(batteries))] == ids


def test_words_that_are_easily_mistaken():
    """Spot checks against the appendix of Wolfe, Hiniker and Howe (2024)."""
    weat = {test.id: test for test in load_tests("caliskan")}
    assert weat["weat-1"].X.terms[0] == "aster"
    assert weat["weat-1"].B.terms[-2:] == ("agony", "prison")
    assert weat["weat-3"].B.terms[-2:] == ("bomb", "evil")
    assert "agony" not in weat["weat-3"].B.terms
    assert weat["weat-8"].X.terms[4:6] == ("Einstein", "NASA")
    assert weat["weat-9"].A.terms[4] == "short-term"
    assert weat["weat-10"].Y.terms == (
        "Ethel", "Bernice", "Gertrude", "Agnes", "Cecil", "Wilbert", "Mortimer", "Edgar",
    )  # fmt: skip


def test_odd_spellings_are_kept_and_remarked():
    tests = {test.id: test for test in load_tests(list(BUILT_IN))}
    for test_id, word in [
        ("occ-name", "KAtie"),
        ("i1-name", "sucessful"),
        ("i2-name", "sucessful"),
        ("c9-name", "tumour"),
        ("divdist-gender", "femen"),
        ("divdist-face-validity", "femen"),
        ("divdist-race", "confesses"),
    ]:
        is_kept_and_remarked(word, tests[test_id])
    assert "females" not in tests["divdist-gender"].terms


def is_kept_and_remarked(word, test):
    assert word in test.terms
    assert any(f"'{word}'" in note for note in test.notes), (test.id, word)


def test_what_is_not_printed_whole_is_left_out_and_said():
    said = " ".join(read_battery("mind-your-bias").notes)
    assert "I1 (term) and I2 (term), whose X and Y show 10 of 45 phrases" in said
    assert "Dis (term), whose A and B show 10 of 225 words" in said
    assert "Dis (term), whose 225 attributes" in " ".join(
        read_battery("mind-your-bias-files").notes
    )
    with pytest.raises(StimulusError, match="no test or battery 'dis-term'"):
        load_tests("dis-term")


def terms(test_id):
    """Terms of each group of a test."""
    (test,) = load_tests(test_id)
    return {name: concept.terms for name, concept in test.concepts.items()}


def test_phrases_of_i1_are_group_terms_with_three_words_each():
    groups, phrases = terms("c3-term"), terms("i1-term")
    for role, words in (("X", ("male", "man", "boy")), ("Y", ("female", "woman", "girl"))):
        made = tuple(f"{term} {word}" for word in words for term in groups[role])
        assert phrases[role] == made == terms("i2-term")[role]
    for name in ("i1", "i2"):
        assert {role: terms(f"{name}-term")[role] for role in "AB"} == {
            role: terms(f"{name}-name")[role] for role in "AB"
        }


ALTERNATES = {
    # test: test and role of X, Y, A, B
    "weat-3b": ("c3-term X", "c3-term Y", "weat-3 A", "weat-3 B"),
    "weat-5b": ("c3-term X", "c3-term Y", "weat-5 A", "weat-5 B"),
    "weat-6b": ("weat-7 A", "weat-7 B", "weat-6 A", "weat-6 B"),
    "weat-7b": ("weat-7 X", "weat-7 Y", "weat-6 X", "weat-6 Y"),
    "weat-8b": ("weat-8 X", "weat-8 Y", "weat-6 X", "weat-6 Y"),
}


@pytest.mark.parametrize("test_id", ALTERNATES)
def test_alternates_have_the_groups_of_other_tests(test_id):
    groups = [group.split() for group in ALTERNATES[test_id]]
    assert list(terms(test_id).values()) == [terms(other)[role] for other, role in groups]


NOTEBOOK = {
    # test: file of words, folders of X and Y, as the notebook empirical_analysis.ipynb lists them
    "image-flowers-insects": ("weat_1", "flower-insect/flower", "flower-insect/insect"),
    "image-young-old": ("weat_1", "age/young", "age/old"),
    "image-arab-muslim": ("weat_1", "arab-muslim/other-people", "arab-muslim/arab-muslim"),
    "image-abled-disabled": ("weat_1", "disabled/abled", "disabled/disabled"),
    "image-white-black": ("weat_3", "race/european-american", "race/african-american"),
    "image-christianity-judaism": ("weat_1", "religion/christianity", "religion/judaism"),
    "image-straight-gay": ("weat_1", "sexuality/straight", "sexuality/gay"),
    "image-light-dark": ("weat_1", "skin-tone/light", "skin-tone/dark"),
    "image-thin-heavy": ("weat_1", "weight/thin", "weight/fat"),
    "image-male-female": ("weat_6", "gender/male", "gender/female"),
    "image-science-arts": ("weat_8", "gender/science", "gender/liberal-arts"),
}


def test_images_and_words_of_ml_eat_are_those_of_its_notebook():
    tests = {test.id: test for test in read_battery("ml-eat-images").tests}
    assert list(tests) == list(NOTEBOOK)
    for test_id, (words, *folders) in NOTEBOOK.items():
        test, published = tests[test_id], terms(words.replace("_", "-"))
        assert (test.A.terms, test.B.terms) == (published["A"], published["B"]), test_id
        ours = [folder.replace("flower-insect/", "insect-flower/") for folder in folders]
        assert [test.X.images_from, test.Y.images_from] == [f"ieat:{name}" for name in ours]


def test_words_for_google_news_are_those_of_the_notebook():
    """Of weat-2 and weat-9 it leaves words out; what it adds to weat-5 and weat-9 is last."""
    changes = {
        "weat-2": {"X": ("banjo", ()), "Y": ("axe", ())},
        "weat-5": {"X": ("", ("Jay", "Kristen")), "Y": ("", ("Tremayne", "Latonya"))},
        "weat-9": {"A": ("short-term", ("short",))},
    }
    assert [test.id for test in load_tests("google-news")] == [
        f"{id_}-google-news" for id_ in changes
    ]
    for test_id, of_roles in changes.items():
        for role, words in terms(test_id).items():
            without, added = of_roles.get(role, ("", ()))
            left = tuple(word for word in words if word != without)
            assert len(left) == len(words) - bool(without)
            assert terms(f"{test_id}-google-news")[role] == (*left, *added), (test_id, role)


def test_words_of_the_code_of_divdist():
    """Spot checks against our_word_list.py of its authors."""
    face = terms("divdist-face-validity-code")
    assert face["targets"] == terms("divdist-face-validity")["targets"]
    (test,) = load_tests("divdist-face-validity-code")
    names = [concept.name for _, concept in test.parts[1:]]
    groups = [concept.terms for _, concept in test.parts[1:]]
    assert names == ["Female", "Male"]
    assert groups[0] == (
        "she", "woman", "mary", "herself", "daughter", "mother", "girl", "female",
    )  # fmt: skip
    assert list(test.pairs) == list(zip(*groups, strict=True))
    for axis in ("gender", "race"):
        late, early = (set(terms(f"divdist-{axis}-{n}")["targets"]) for n in (104, 95))
        assert (len(late), len(early), len(late & early)) == (104, 95, 89)
        assert {"bankteller", "psychologist"} <= late - early
        assert {"auctioneer", "postmaster"} <= early - late


def test_tests_may_come_as_any_list():
    ids = ["weat-6", "weat-7"]
    for spec in (tuple(ids), iter(ids), pd.Series(ids), dict.fromkeys(ids).keys()):
        assert [test.id for test in load_tests(spec)] == ids
