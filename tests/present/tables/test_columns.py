"""Columns are declared once, and each form takes of them what it has room for."""

import pytest
from tests.present.records import ml_eat, planted, sc_eat, weat, with_adjusted

from eatlas.present.columns import (
    MANUSCRIPT,
    NARROW,
    PAGE,
    arrange_rows,
    rows_of,
    terms_legend,
    terms_table,
)
from eatlas.present.effects import after_legend
from eatlas.present.family import DeclaredFamily


def table(form, *results):
    how = "", DeclaredFamily(None)
    return arrange_rows([row for one in results for row in rows_of(one, *how, one.finding)], form)


def heads(found):
    return [column.title for column in found.columns]


def cell(found, head):
    return found.rows[0][heads(found).index(head)]


def test_each_effect_size_has_a_column_and_level_1_its_question():
    found = table(MANUSCRIPT, ml_eat())
    assert found.groups()[1:4] == [("Level 1", 1), ("Level 2, X", 1), ("Level 2, Y", 1)]
    assert heads(found)[5:9] == ["these words", "new words", "adjusted for frequency", "Verdict"]
    assert ("p at level 1", 3) in found.groups()


LISTS = planted(words=0.004, others=0.2, after=0.3)
VERDICT = "these word lists only", "not significant after", "adjusting for word frequency"


@pytest.mark.parametrize("form", [MANUSCRIPT, PAGE])
def test_the_p_values_of_level_1_and_the_verdict_are_in_each_form(form):
    found = table(form, LISTS)
    p_values = [
        cell(found, head).lines for head in ("these words", "new words", "adjusted for frequency")
    ]
    assert p_values == [(".0040",), (".20",), (".30",)]
    assert cell(found, "Verdict").lines == VERDICT
    unknown = table(form, planted(words=0.004, others=0.004))
    assert cell(unknown, "adjusted for frequency").lines == ("frequency", "unknown")


def test_a_narrow_form_has_them_below_each_other_and_no_stars_of_the_papers_rule():
    found = table(NARROW, LISTS)
    assert cell(found, "p").lines == (".0040", ".20", ".30")
    assert cell(found, "Verdict").lines == VERDICT
    assert cell(table(NARROW, ml_eat()), "p").lines == (".016", "–", "–")
    assert not any(each.star for each in found.rows[0])
    assert any(each.star for each in table(MANUSCRIPT, LISTS).rows[0])


def test_terms_have_no_questions_of_two_groups():
    assert "these words" not in heads(table(MANUSCRIPT, sc_eat({"one": 1.0})))


def test_terms_go_from_one_end_to_the_other_with_stars_by_holm():
    found = terms_table(sc_eat({"one": -0.4, "two": 1.2, "three": 1.1}))
    assert [row[0].lines[0] for row in found.rows] == ["two", "three", "one"]
    assert found.columns[0].short == "test-1: Pleasant / Unpleasant"
    assert heads(found) == ["Term", "Group", "d", "p", "Holm"]
    assert [row[2].star for row in found.rows] == [True, True, False]
    assert found.rows[0][3].lines == (".016",)
    undefined = terms_table(sc_eat({"void": None, "one": 0.4}))
    assert [row[0].lines[0] for row in undefined.rows] == ["one", "void"]
    assert terms_legend(sc_eat({"one": 1.2})) == (
        "p: two-sided; * p after Holm over all 1 term ≤ .05."
    )


def test_numbers_that_are_adjusted_have_a_column_of_their_own():
    result = with_adjusted(ml_eat(), ml_eat("AY-Singular", d=0.23, greater=3218))
    found = table(MANUSCRIPT, result, ml_eat())
    column = max(i for i, head in enumerate(heads(found)) if head == "Adjusted for frequency")
    first, second = (row[column] for row in found.rows)
    assert (first.lines, first.star) == (("0.23", "(.50)"), False)
    assert second.lines == ("–",)


def test_adjusted_columns_are_there_for_results_that_have_them():
    assert not any("Adjusted" in head for head in heads(table(MANUSCRIPT, ml_eat())))
    found = table(MANUSCRIPT, with_adjusted(weat(), weat(0.9), "frequency", "valence"))
    assert "Adjusted for covariates" in heads(found)


def test_single_terms_at_equal_frequency():
    sizes = {"one": -0.4, "two": 1.2}
    found = terms_table(with_adjusted(sc_eat(sizes), sc_eat({"one": -0.9, "two": 0.3})))
    assert heads(found)[-1] == "Adjusted for frequency"
    assert [row[-1].lines[0] for row in found.rows] == ["0.30", "−0.90"]


@pytest.mark.parametrize(
    ("result", "legend"),
    [
        (
            with_adjusted(ml_eat(), ml_eat()),
            "Adjusted for frequency: d and p at level 1 between words of equal frequency.",
        ),
        (
            with_adjusted(weat(), weat(), "frequency", "valence"),
            "Adjusted for covariates: d and p at level 1 between words of equal frequency and "
            "valence.",
        ),
        (
            with_adjusted(sc_eat({"one": 1.0}), sc_eat({"one": 1.0}), "length"),
            "Adjusted for length: d and p of each term between words of equal length.",
        ),
        (weat(), ""),
    ],
    ids=["pattern", "several covariates", "terms", "none"],
)
def test_a_line_says_what_the_column_is(result, legend):
    assert after_legend([result]) == legend
