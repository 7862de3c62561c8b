"""Finding tests by battery, id or file; the built-in battery is what the paper prints."""

import pytest
from tests.inputs import TOML, make_test

from eatlas import load_tests
from eatlas.errors import StimulusError
from eatlas.stimuli import battery_names, read_battery

SIZES = {
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


def test_caliskan_has_the_ten_tests_of_the_paper():
    tests = read_battery("caliskan").tests
    assert {t.id: tuple(len(t.concept(r).terms) for r in "XYAB") for t in tests} == SIZES
    assert list(SIZES) == [test.id for test in tests]
    assert all(test.citation and test.table for test in tests)


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
    assert battery_names()[0] == "caliskan"
    with pytest.raises(StimulusError, match="no test or battery 'calskan'"):
        read_battery("calskan")
