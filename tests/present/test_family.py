"""One family: terminal, report, tables and Python adjust the same p-values, and say so alike."""

import csv
import io
import re
from html import unescape

import pytest

import eatlas
from eatlas.cli.table import print_results
from eatlas.errors import ResultsError
from eatlas.present import report_html, report_table
from eatlas.present.family import DeclaredFamily
from eatlas.present.numbers import p_value
from eatlas.results import Results

TESTS = ["weat-7", "weat-8", "weat-9", "weat-10"]
CENTRED = "glove-sample?transform=center"


@pytest.fixture(scope="module")
def results():
    """Four tests on two sources."""
    return eatlas.run(
        tests=TESTS, vectors=["glove-sample", CENTRED], measures="weat(alpha=0.04,resamples=0)"
    )


def page(results, **options) -> str:
    text = unescape(re.sub(r"<[^>]+>", " ", report_html(results, **options)))
    return " ".join(text.replace("\N{NO-BREAK SPACE}", " ").split())


def terminal(results, capsys, family="level1") -> str:
    print_results(results, family)
    return capsys.readouterr().out


@pytest.mark.parametrize("declared", ["level1", "level1,settings"])
def test_terminal_report_tables_and_python_have_the_same_numbers(results, declared, capsys):
    family = results.family(settings=declared.endswith("settings"))
    below = [len(one.below(0.04)) for one in family.settings]
    sizes = [len(one) for one in family.settings]
    assert sizes == ([8] if declared.endswith("settings") else [4, 4])
    # the terminal
    lines = [line for line in terminal(results, capsys, declared).splitlines() if "Holm" in line]
    assert len(lines) == len(sizes)
    assert {re.search(r"over these (\d+)", line)[1] for line in lines} == {str(sizes[0])}
    said = [re.search(r": (\w+) ha(?:ve|s) an adjusted p", line)[1] for line in lines]
    assert [_number(word, size) for word, size in zip(said, sizes, strict=True)] == below
    # the report
    text = page(results, family=declared)
    (sentence,) = re.findall(r"Adjusted by Holm for looking at .*? below .04[^.]*\.", text)
    assert f"all {sizes[0]} level 1 comparisons" in sentence
    if len(below) == 1:
        found = [re.search(r", (\w+ ?\d*) remain", sentence)[1]]
    else:
        (told,) = re.findall(r"these remain below \.04: (.*)", text)
        assert "(transform center)" in told
        found = re.findall(r"(all \d|none|\d) \(", told)[:2]
    assert [_number(word, size) for word, size in zip(found, sizes, strict=True)] == below
    for member in family:
        assert f"Adjusted for the size of the family: {_p(member.adjusted)}." in text
    # the tables
    rows = list(csv.DictReader(io.StringIO(report_table(results, "csv", family=declared))))
    assert [float(row["p_two_sided_holm"]) for row in rows] == [
        family.adjusted(result) for result in results
    ]
    for form in ("markdown", "html-table", "latex"):
        table = report_table(results, form, family=declared)
        for member in family:
            assert p_value(member.adjusted, 0.04) in table


def _number(word: str, size: int) -> int:
    word = word.removeprefix("all ").strip()
    return {"all": size, "both": 2, "none": 0}.get(word) if not word.isdigit() else int(word)


def _p(value: float) -> str:
    text = p_value(value, 0.04)
    return f"p {text}" if text.startswith(("<", ">")) else f"p = {text}"


def test_a_line_names_its_setting_and_the_shorter_list(results, capsys):
    lines = terminal(results, capsys)
    below = [m.test for m in results.family().settings[1].below(0.04)]
    others = [test for test in TESTS if test not in below]
    assert "no transform: Holm over these 4 tests (level 1, two-sided): " in lines
    named = f": {', '.join(below)}" if len(below) < len(others) else f", not {', '.join(others)}"
    assert "transform center: Holm over these 4 tests" in lines
    assert below
    assert others
    assert named in lines


def test_one_test_in_several_settings_is_not_adjusted(results, capsys):
    same = Results(r for r in results if r.test == "weat-8")
    assert "Holm" not in terminal(same, capsys)
    text = page(same)
    assert "Adjusted by Holm for looking" not in text
    assert "The family" not in text, "a column of p that repeats the other says nothing"
    assert (
        "does not count several times, unless that is declared (--family level1,settings)" in text
    )
    assert "both level 1 comparisons" in DeclaredFamily.of(same, "level1,settings").what


@pytest.mark.parametrize("wrong", ["levels", "level1,level2", "none,settings", "settings,settings"])
def test_a_family_that_there_is_not_is_refused(results, wrong):
    with pytest.raises(ResultsError) as caught:
        report_html(results, family=wrong)
    assert str(caught.value) == (
        f"--family has no such value\n  got: {wrong!r}\n  allowed: level1, level2, both, none; with "
        ",settings each setting of a test counts as a test of its own"
    )
