"""Finding tests by battery, id or file; the built-in battery is what the paper prints."""

from pathlib import Path

import pandas as pd
import pytest
from tests.inputs import TOML, make_test

from eatlas import load_tests
from eatlas.errors import StimulusError
from eatlas.stimuli import battery_names, read_battery
from eatlas.stimuli.batteries import BUILT_IN, read_test_file

CALISKAN = {
    "weat-1": (25, 25, 25, 25),
    "weat-2": (25, 25, 25, 25),
    "weat-3": (32, 32, 25, 25),
    "weat-4": (16, 16, 25, 25),
    "weat-5": (16, 16, 8, 8),
    "weat-6": (8, 8, 8, 8),
    "weat-7": (8, 8, 8, 8),
    "weat-8": (8, 8, 8, 8),
    "weat-9": (6, 6, 7, 7),
    "weat-10": (8, 8, 8, 8),
}
SIZES = {
    "caliskan": CALISKAN,
    "histwords": {"weat-7-histwords": (8, 8, 8, 8)},
    "mind-your-bias": {
        "c1-name": (25, 25, 25, 25),
        "c3-name": (32, 32, 25, 25),
        "c3-term": (15, 15, 25, 25),
        "c6-name": (8, 8, 8, 8),
        "c6-term": (8, 8, 8, 8),
        "c9-name": (14, 14, 8, 8),
        "c9-term": (6, 6, 8, 8),
        "occ-name": (26, 26, 20, 20),
        "occ-term": (8, 8, 20, 20),
        "i1-name": (12, 12, 13, 13),
        "i2-name": (12, 12, 8, 8),
    },
    "mind-your-bias-excerpts": {
        "i1-term-excerpt": (10, 10, 13, 13),
        "i2-term-excerpt": (10, 10, 8, 8),
        "dis-term-excerpt": (23, 23, 10, 10),
    },
    "kurita": {
        "kurita-c1": (2, 2, 25, 25),
        "kurita-c3": (1, 1, 25, 25),
        "kurita-c6": (3, 3, 8, 8),
        "kurita-c9": (1, 1, 8, 8),
        "kurita-occ": (3, 3, 20, 20),
    },
    "angry-black-woman": {"abw": (15, 15, 18, 18)},
    "double-bind": {"double-bind-competent": (8, 8, 10, 10), "double-bind-likable": (8, 8, 8, 8)},
    "divdist": {
        "divdist-gender": (288, 20, 20),
        "divdist-race": (288, 20, 16, 20),
        "divdist-face-validity": (8, 20, 20),
        "divdist-religion": (286, 5, 5, 5),
    },
}
IMAGES = {
    "ieat": {
        "ieat-age": (6, 6, 55, 55),
        "ieat-arab-muslim": (10, 10, 55, 55),
        "ieat-asian": (6, 6, 6, 6),
        "ieat-disability": (4, 4, 55, 55),
        "ieat-gender-career": (40, 40, 21, 21),
        "ieat-gender-science": (40, 40, 21, 21),
        "ieat-insect-flower": (35, 35, 55, 55),
        "ieat-native": (8, 8, 5, 5),
        "ieat-race": (6, 6, 55, 55),
        "ieat-religion": (7, 7, 55, 55),
        "ieat-sexuality": (9, 9, 55, 55),
        "ieat-skin-tone": (7, 7, 55, 55),
        "ieat-weapon": (6, 6, 7, 7),
        "ieat-weapon-modern": (6, 6, 9, 9),
        "ieat-weight": (10, 10, 55, 55),
    },
    "ieat-intersectional": {
        "ieat-science-m-f": (40, 40, 21, 21),
        "ieat-science-wm-bm": (20, 20, 21, 21),
        "ieat-science-wm-bf": (20, 20, 21, 21),
        "ieat-science-wm-wf": (20, 20, 21, 21),
        "ieat-science-bm-bf": (20, 20, 21, 21),
        "ieat-science-bm-wf": (20, 20, 21, 21),
        "ieat-career-m-f": (40, 40, 21, 21),
        "ieat-career-bm-wm": (20, 20, 21, 21),
        "ieat-career-wm-bf": (20, 20, 21, 21),
        "ieat-career-wm-wf": (20, 20, 21, 21),
        "ieat-career-bm-bf": (20, 20, 21, 21),
        "ieat-career-bm-wf": (20, 20, 21, 21),
        "ieat-valence-w-b": (40, 40, 55, 55),
        "ieat-valence-wm-bm": (20, 20, 55, 55),
        "ieat-valence-wm-bf": (20, 20, 55, 55),
        "ieat-valence-wf-wm": (20, 20, 55, 55),
        "ieat-valence-wf-bm": (20, 20, 55, 55),
        "ieat-valence-bf-bm": (20, 20, 55, 55),
        "ieat-valence-wf-bf": (20, 20, 55, 55),
        "ieat-valence-f-m": (40, 40, 55, 55),
    },
    "ieat-presidents": {
        "ieat-kennedy-trump": (6, 6, 55, 55),
        "ieat-clinton-trump": (6, 6, 55, 55),
        "ieat-bush-trump": (6, 6, 55, 55),
        "ieat-lincoln-trump": (6, 6, 55, 55),
    },
    "ml-eat-images": {
        "image-flowers-insects": (35, 35, 25, 25),
        "image-young-old": (6, 6, 25, 25),
        "image-arab-muslim": (10, 10, 25, 25),
        "image-abled-disabled": (4, 4, 25, 25),
        "image-white-black": (6, 6, 25, 25),
        "image-christianity-judaism": (7, 7, 25, 25),
        "image-straight-gay": (9, 9, 25, 25),
        "image-light-dark": (7, 7, 25, 25),
        "image-thin-heavy": (10, 10, 25, 25),
        "image-male-female": (40, 40, 8, 8),
        "image-science-arts": (21, 21, 8, 8),
    },
}
"""Sizes as the publisher's table of results has them (n_t and n_a)."""
WORD_TESTS, SENTENCE_TESTS, IMAGE_TESTS = 37, 38, 50
WITHOUT_NUMBERS = {
    "divdist-gender",
    "divdist-race",
    "divdist-religion",
    *SIZES["mind-your-bias-excerpts"],
}
"""Tests for which the paper prints no numbers."""


@pytest.mark.parametrize("name", SIZES | IMAGES)
def test_every_battery_has_its_tests_in_order(name):
    battery = read_battery(name)
    assert battery.id == name
    assert battery.title
    assert battery.citation
    sizes = {t.id: tuple(len(c.terms) for _, c in t.parts) for t in battery.tests}
    assert list(sizes.items()) == list((SIZES | IMAGES)[name].items())


@pytest.mark.parametrize("name", SIZES | IMAGES)
def test_every_test_says_where_it_comes_from(name):
    for test in read_battery(name).tests:
        assert test.title
        assert test.citation
        assert bool(test.table) == (test.id not in WITHOUT_NUMBERS), test.id
        assert all(note == " ".join(note.split()) for note in test.notes), test.id


def test_built_in_names_cannot_be_mistaken_for_each_other():
    ids = [test.id for name in BUILT_IN for test in read_battery(name).tests]
    assert len(ids) == len(set(ids)) == WORD_TESTS + SENTENCE_TESTS + IMAGE_TESTS
    assert not set(ids) & set(BUILT_IN)


def test_all_built_in_tests_at_once():
    assert len(load_tests(list(BUILT_IN))) == WORD_TESTS + SENTENCE_TESTS + IMAGE_TESTS
    assert len(load_tests(list(SIZES))) == WORD_TESTS
    assert [test.id for test in load_tests("divdist-race")] == ["divdist-race"]


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


def test_the_page_on_batteries_lists_every_test_with_its_sizes():
    page = (Path(__file__).parents[2] / "docs/batteries.md").read_text(encoding="utf-8")
    for name, tests in (SIZES | IMAGES).items():
        assert f"## `{name}`" in page
        for test_id, sizes in tests.items():
            (row,) = [line for line in page.splitlines() if line.startswith(f"| `{test_id}` |")]
            assert row.split("|")[3].strip() == ", ".join(map(str, sizes)), test_id


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
        assert word in tests[test_id].terms
        assert any(f"'{word}'" in note for note in tests[test_id].notes), (test_id, word)
    assert "females" not in tests["divdist-gender"].terms


def test_what_is_not_printed_whole_is_left_out_and_said():
    said = " ".join(read_battery("mind-your-bias").notes)
    assert "I1 (term) and I2 (term), whose X and Y show 10 of 45 phrases" in said
    assert "Dis (term), whose A and B show 10 of 225 words" in said
    assert "abw-b" in read_battery("angry-black-woman").notes[0]
    for name in ("i1-term", "i2-term", "dis-term", "abw-b"):
        with pytest.raises(StimulusError, match=f"no test or battery '{name}'"):
            load_tests(name)


def test_a_battery_a_test_and_a_file_together(test_file):
    ids = [test.id for test in load_tests(["weat-6", test_file, "weat-6", "weat-1"])]
    assert ids == ["weat-6", "tiny", "weat-1"]


def test_two_different_tests_may_not_share_an_id(test_file):
    with pytest.raises(StimulusError, match="two different tests have the id 'tiny'"):
        load_tests([test_file, make_test(X=("rose", "lily"))])


def test_a_file_wins_over_a_name(tmp_path, monkeypatch):
    (tmp_path / "caliskan").write_text(TOML, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert [test.id for test in load_tests("caliskan")] == ["tiny"]


def test_unknown_names_say_what_is_near():
    with pytest.raises(
        StimulusError, match=r"no test or battery 'weat-11'[\s\S]*did you mean weat-1"
    ):
        load_tests("weat-11")
    with pytest.raises(StimulusError, match=r"no/such\.toml: there is no such test file"):
        load_tests("no/such.toml")
    with pytest.raises(StimulusError, match="no test was chosen"):
        load_tests([])


def test_battery_names():
    assert battery_names()[: len(SIZES)] == tuple(SIZES)
    with pytest.raises(StimulusError, match="no test or battery 'calskan'"):
        read_battery("calskan")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (5, "this is not a test\n  got: 5 (int)\n  allowed: the name of a battery, the id of a test, or a TOML file, an AssociationTest, four lists by name, or a list of them"),
        (None, "this is not a test\n  got: None (NoneType)"),
        ([["weat-6"]], "this is not a test\n  got: ['weat-6'] (list)"),
        ({"X": ["a"]}, "an association test has four lists of terms\n  got: 1: 'X'\n  allowed: two targets, then two attributes, by name: {\"Engineers\": [...], \"Nurses\": [...], \"Male\": [...], \"Female\": [...]}"),
        ([], "no test was chosen"),
        ("weat-6,weat-7", "there is no test or battery 'weat-6,weat-7'\n  allowed: one of them at a time: weat-6, weat-7\n  remedy: repeat the option: --tests weat-6 --tests weat-7; in Python, give a list"),
        ("weat6", "did you mean weat-6"),
        ("WEAT-6", "did you mean weat-6"),
        ("Caliskans", "did you mean caliskan"),
    ],
)  # fmt: skip
def test_what_is_no_test(spec, message):
    with pytest.raises(StimulusError) as caught:
        load_tests(spec)
    assert message in str(caught.value)


def test_tests_may_come_as_any_list():
    ids = ["weat-6", "weat-7"]
    for spec in (tuple(ids), iter(ids), pd.Series(ids), dict.fromkeys(ids).keys()):
        assert [test.id for test in load_tests(spec)] == ids


@pytest.mark.parametrize("name", ["weat-6", "caliskan"])
def test_an_id_where_a_file_belongs(name):
    with pytest.raises(StimulusError) as caught:
        read_test_file(name)
    assert str(caught.value).endswith(
        f"remedy: {name} comes with eatlas: eatlas tests show {name} prints it"
    )
    with pytest.raises(StimulusError) as caught:
        read_test_file("none.toml")
    assert caught.value.remedy is None
