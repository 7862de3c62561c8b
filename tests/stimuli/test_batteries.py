"""Finding tests by battery, id or file; the built-in battery is what the paper prints."""

import re
from pathlib import Path

import pandas as pd
import pytest

from eatlas import load_tests
from eatlas.errors import StimulusError
from eatlas.stimuli import battery_names, read_battery
from eatlas.stimuli.batteries import BUILT_IN

PAGE = (Path(__file__).parents[2] / "docs/batteries.md").read_text(encoding="utf-8")
"""Its tables have the sizes of every test as the papers and the publishers have them."""
BATTERIES = {
    part.split("`")[0]: {
        row.split("`")[1]: tuple(map(int, row.split("|")[3].split(",")))
        for row in part.splitlines()
        if row.startswith("| `") and row.count("|") == 4
    }
    for part in PAGE.split("\n## `")[1:]
}
WITHOUT_NUMBERS = re.compile(
    r"divdist-(gender|race|religion)|.*-excerpt|sent-.*|.*-script-.*|bai-.*"
)
"""Tests for which the paper prints no numbers, or which are not its own."""


def test_every_test_of_the_page_is_there_with_its_sizes_and_no_other():
    ids = []
    assert set(BATTERIES) == set(BUILT_IN) == set(battery_names())
    for name, sizes in BATTERIES.items():
        tests = read_battery(name).tests
        assert {t.id: tuple(len(c.terms) for _, c in t.parts) for t in tests} == sizes
        assert list(sizes) == [test.id for test in tests]
        ids += sizes
    assert len(ids) == len(set(ids)) == 167
    assert not set(ids) & set(BUILT_IN)
    assert [test.id for test in load_tests(list(BATTERIES))] == ids


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
        ("bai-guilt", "didnt do it"),
        ("bai-arab", "Matthais"),
        ("bai-arab", "Guillame"),
    ]:
        assert word in tests[test_id].terms
        assert any(f"'{word}'" in note for note in tests[test_id].notes), (test_id, word)
    assert "females" not in tests["divdist-gender"].terms


def test_words_and_decisions_of_bai_et_al():
    """Spot checks against stimuli/iat_stimuli.csv and the prompts of decisions of its authors."""
    tests = {test.id.removeprefix("bai-"): test for test in load_tests("bai")}
    associations = [name for name in tests if not name.startswith("decisions-")]
    assert len(associations) == 21
    assert list(tests) == [*associations, *(f"decisions-{name}" for name in associations)]
    for name in associations:
        (question,) = tests[f"decisions-{name}"].questions
        assert not tests[name].questions
        assert "{attribute}" in question
        assert "profile" not in question
    assert tests["career"].X.terms == ("Ben", "John", "Daniel", "Paul", "Jeffery")
    assert tests["career"].A.terms[-1] == "career"
    assert tests["career"].B.terms[0] == "home"
    assert tests["weapon"].A.terms[-1] == "wallet"
    assert tests["science"].B.terms[0] == "philosophy"
    assert tests["english"].Y.terms[-1] == "Limited English Proficient"
    assert tests["mental-illness"].B.terms == ("dangerous", "unsafe", "violent", "aggressive")
    assert tests["disability"].A.terms[-1] == "wonderful"
    assert tests["decisions-power"].A.terms == ("leader", "head", "captain", "chief")
    assert tests["decisions-english"].B.terms[1] == "conference"
    assert tests["decisions-islam"].B.terms[0] == "attend religious services"
    # the halves of a column, which groups of one size make
    assert all(len(test.A.terms) == len(test.B.terms) for test in tests.values())


def test_what_is_not_printed_whole_is_left_out_and_said():
    said = " ".join(read_battery("mind-your-bias").notes)
    assert "I1 (term) and I2 (term), whose X and Y show 10 of 45 phrases" in said
    assert "Dis (term), whose A and B show 10 of 225 words" in said
    assert "abw-b" in read_battery("angry-black-woman").notes[0]
    for name in ("i1-term", "i2-term", "dis-term", "abw-b"):
        with pytest.raises(StimulusError, match=f"no test or battery '{name}'"):
            load_tests(name)


def test_tests_may_come_as_any_list():
    ids = ["weat-6", "weat-7"]
    for spec in (tuple(ids), iter(ids), pd.Series(ids), dict.fromkeys(ids).keys()):
        assert [test.id for test in load_tests(spec)] == ids
