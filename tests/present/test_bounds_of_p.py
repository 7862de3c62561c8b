"""A p-value of which only bounds are known says so wherever it is shown."""

from __future__ import annotations

import csv
import html
import io

import pytest
from tests.present.records import ml_eat, sc_eat, weat

import eatlas
from eatlas.present import notebook, report_html
from eatlas.present.family import DeclaredFamily
from eatlas.present.numbers import p_equals, p_value
from eatlas.present.sentences import sentence
from eatlas.present.tables import report_table
from eatlas.results import Results
from eatlas.results.levels import PValues
from eatlas.stats.permutation import solvers


@pytest.fixture(scope="module")
def coarse():
    """Two tests, bracketed on a lattice so coarse that the bounds are wide."""
    patch = pytest.MonkeyPatch()
    patch.setattr(solvers, "MOST_STEPS", 6)
    patch.setattr(solvers, "LEAST_STEPS", 1)
    measures = ["ML-EAT(p=bracket)", "WEAT(p=bracket)"]
    results = eatlas.run(tests=["weat-6", "weat-5"], measures=measures)
    patch.undo()
    return results


@pytest.mark.parametrize(
    ("low", "high", "text", "words"),
    [
        (0.012, 0.031, "≤ .031", "p ≤ .031"),
        (0.12, 0.43, "[.12, .43]", "p in [.12, .43]"),
        (0.012, 0.43, "[.012, .43]", "p in [.012, .43], undecided"),
        (5e-324, 1.0, "[0, 1]", "p in [0, 1], undecided"),
        (5e-324, 0.001, "≤ .0010", "p ≤ .0010"),
        (0.3, 0.997, "[.30, 1]", "p in [.30, 1]"),
        (0.993, 1.0, "> .99", "p > .99"),
        (0.21701, 0.21702, ".22", "p = .22"),
        (0.04996, 0.05004, "[.04996, .050]", "p in [.04996, .050], undecided"),
    ],
)
def test_bounds_in_digits_and_in_words(low, high, text, words):
    assert p_value(high, 0.05, low) == text
    assert p_equals(high, 0.05, low) == words


def test_a_known_p_is_shown_as_before():
    assert (p_value(0.43), p_equals(0.43)) == (".43", "p = .43")


def test_an_upper_bound_below_alpha_earns_the_star_and_the_association(coarse):
    level = coarse[0].level1
    low, high = level.p.bracket.greater
    assert low < high < 0.05
    assert "(d = 1.72, p ≤ .0010)" in sentence(coarse[0])
    assert coarse[0].pattern.label == "BY-Singular"  # by an upper bound of .014
    assert coarse[0].level2.X.p.low("greater") < 0.05 < coarse[0].level2.X.p.greater


def test_the_report_has_no_bare_upper_bound(coarse):
    page = html.unescape(report_html(coarse)).replace("\N{NO-BREAK SPACE}", " ")
    for text in ("≤ .0010", "[.015, .26]", "≤ .0040", "p ≤ .0010", "known by certain bounds alone"):
        assert text in page
    assert "; between 0 and .0010, of 12,870 relabellings)" in page


@pytest.mark.parametrize(
    ("form", "texts"),
    [
        ("markdown", ("≤ .0010", r"\[.015, .26\]", "≤ .0040", "certain bounds alone")),
        ("latex", (r"$\leq$ .0010", "{[}.015, .26{]}", r"$\leq$ .0040", "certain bounds alone")),
        ("html-table", ("≤ .0010", "[.015, .26]", "≤ .0040", "certain bounds alone")),
    ],
)
def test_tables_show_bounds(coarse, form, texts):
    table = html.unescape(report_table(coarse, form))
    for text in texts:
        assert text in table


def test_csv_and_frames_have_both_bounds(coarse):
    row = next(csv.DictReader(io.StringIO(report_table(coarse, "csv"))))
    p = coarse[0].level1.p
    assert float(row["p_greater"]) == p.greater
    assert float(row["p_greater_low"]) == p.bracket.greater[0]
    assert float(row["p_two_sided_holm_low"]) <= float(row["p_two_sided_holm"])
    frame = coarse.to_frame()
    assert frame["p_less_low_X"][0] == coarse[0].level2.X.p.bracket.less[0]


def test_results_without_bounds_have_no_column_for_them():
    columns = eatlas.run(tests="weat-6").to_frame().columns
    assert not [name for name in columns if name.startswith("p_") and "_low" in name]


def test_drawings_and_notebooks_show_bounds(coarse):
    assert ">≤ .0010</text>" in eatlas.plot(coarse, "forest").drawn
    assert "(d = 0.75, p in [.015, .26], undecided)" in eatlas.plot(coarse[0]).alt
    page = notebook.html(coarse[0])
    assert "≤ .0010" in page
    assert "[.015, .26]" in page


def test_a_weat_in_a_line_shows_bounds(coarse):
    assert coarse[2].summary() == "d = 1.72, p(greater) in [0, 0.00101]"


def test_one_bracketed_member_bounds_the_adjusted_p_of_all():
    exact, bracketed = (weat(d=1.0, greater=200, test=name) for name in ("one", "two"))
    wide = bracketed.level1.p.model_dump() | {
        "two_sided": 0.5,
        "method": "bracket",
        "count": None,
        "bracket": {"greater": (0.001, 0.3), "less": (0.7, 1.0), "two_sided": (0.002, 0.5)},
    }
    level = bracketed.level1.model_copy(update={"p": PValues.model_validate(wide)})
    results = Results((exact, bracketed.model_copy(update={"level1": level})))
    family = results.family("level1")
    p = exact.level1.p.two_sided
    assert [m.adjusted for m in family] == pytest.approx([2 * p, 0.5])
    assert [m.adjusted_low for m in family] == pytest.approx([p, 0.004])
    assert [m.p_low for m in family] == [None, 0.002]
    declared = DeclaredFamily.of(results)
    (effect,) = results[1].effects()
    assert declared.adjusted(results[1], effect) == pytest.approx((0.5, 0.004))
    assert results.family("level1").to_frame()["adjusted_low"].tolist() == pytest.approx([p, 0.004])


def test_exact_families_have_no_bounds():
    (member,) = Results((ml_eat(),)).family("level1")
    assert (member.p_low, member.adjusted_low) == (None, None)
    assert sc_eat({"one": 1.0}).terms[0].level2.p.low("greater") is None
