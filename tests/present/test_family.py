"""One family: terminal, report, tables and Python adjust the same p-values, and say so alike."""

import csv
import io
import re
from html import unescape

import pytest

import eatlas
from eatlas.cli.table import print_results
from eatlas.errors import ResultsError
from eatlas.numbers import p_value
from eatlas.present import report_html, report_table
from eatlas.present.family import DeclaredFamily
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


@pytest.mark.parametrize("declared", ["level1", "level1,settings"])
def test_report_tables_and_python_have_the_same_numbers(results, declared):
    family = results.family(settings=declared.endswith("settings"))
    sizes = [len(setting) for setting in family.settings]
    assert sizes == ([8] if declared.endswith("settings") else [4, 4])
    text = page(results, family=declared)
    for member in family:
        assert f" {p_value(member.adjusted, 0.04)} " in text
    rows = list(csv.DictReader(io.StringIO(report_table(results, "csv", family=declared))))
    assert [float(row["p_two_sided_holm"]) for row in rows] == [
        family.adjusted(result) for result in results
    ]
    for form in ("markdown", "html-table", "latex"):
        table = report_table(results, form, family=declared, columns="wide")
        for member in family:
            assert p_value(member.adjusted, 0.04) in table


def test_one_test_in_several_settings_is_not_adjusted(results, capsys):
    same = Results(r for r in results if r.test == "weat-8")
    print_results(same)
    assert "Holm" not in capsys.readouterr().out
    text = page(same)
    assert "Holm over" not in text
    assert "The family" not in text, "a column of p that repeats the other says nothing"
    assert "counts once, unless you declare otherwise (--family level1,settings)" in text
    assert "both level 1 comparisons" in DeclaredFamily.of(same, "level1,settings").what


@pytest.mark.parametrize("wrong", ["levels", "level1,level2", "none,settings"])
def test_a_family_that_there_is_not_is_refused(results, wrong):
    with pytest.raises(ResultsError, match=f"got: '{wrong}'\n  allowed: level1; level2; both"):
        report_html(results, family=wrong)


def test_a_narrow_table_has_the_column_of_a_family_that_verdicts_do_not_use(results):
    narrow = report_table(results, "markdown", columns="narrow")
    assert "Holm" not in narrow, "the verdict is adjusted already"
    declared = report_table(results, "markdown", columns="narrow", family="level1,settings")
    assert "Holm" in declared
    other = report_table(results, "markdown", columns="narrow", adjust="bh")
    assert "Benjamini-Hochberg" in other
