"""Columns are declared once, and each form takes of them what it has room for."""

import pytest
from tests.present.records import ml_eat, sc_eat, weat, with_adjusted

from eatlas.present.columns import MANUSCRIPT, TERMINAL, arranged, rows_of, terms_table
from eatlas.present.effects import after_legend


def table(form, *results, **how):
    return arranged([row for one in results for row in rows_of(one, **how)], form)


def heads(found):
    return [column.short or column.title for column in found.columns]


def test_heads_of_effect_sizes():
    result = ml_eat()
    assert heads(table(TERMINAL, result))[:4] == [
        result.heading, "Level 1\nd", "Level 2\nd of X", "\nd of Y",
    ]  # fmt: skip
    found = table(MANUSCRIPT, result)
    assert found.groups()[1:4] == [("Level 1", 1), ("Level 2, X", 1), ("Level 2, Y", 1)]
    assert heads(table(TERMINAL, weat()))[1:] == ["d"]


def test_terms_go_from_one_end_to_the_other():
    found = terms_table(sc_eat({"one": -0.4, "two": 1.2, "three": None}))
    assert [row[0].lines[0] for row in found.rows] == ["two", "one", "three"]
    assert heads(found)[0] == "test-1: Pleasant / Unpleasant"


def test_numbers_after_frequency_have_a_column_of_their_own_and_the_map_beside_it():
    result = with_adjusted(ml_eat(), ml_eat("AY-Singular", d=0.23, greater=3218))
    found = table(TERMINAL, result, ml_eat())
    (column,) = (i for i, head in enumerate(heads(found)) if head == "After\nfrequency")
    first, second = (row[column] for row in found.rows)
    assert (first.lines, first.star, first.beside) == (("0.23", ".25"), False, ("□■", "□□"))
    assert (second.lines, second.beside) == (("–",), ())
    paper = table(MANUSCRIPT, result)
    cell = next(c for c, head in zip(paper.rows[0], heads(paper), strict=True) if "After" in head)
    assert cell.lines == ("0.23", "[−0.75, 1.06]", ".25", "(.50)", "AY-Singular")


def test_columns_after_covariates_are_there_for_results_that_have_them():
    assert not any("After" in head for head in heads(table(TERMINAL, ml_eat(), weat())))
    found = table(TERMINAL, with_adjusted(weat(), weat(0.9), "frequency", "valence"))
    assert heads(found)[1:] == ["d", "After\ncovariates"]
    assert found.rows[0][2].star
    assert found.rows[0][2].beside == ()


def test_single_terms_after_frequency():
    sizes = {"one": -0.4, "two": 1.2}
    found = terms_table(with_adjusted(sc_eat(sizes), sc_eat({"one": -0.9, "two": 0.3})))
    assert heads(found)[-1] == "After\nfrequency"
    assert [row[-1].lines[0] for row in found.rows] == ["0.30", "−0.90"]
    assert [row[-1].star for row in found.rows] == [False, True]


@pytest.mark.parametrize(
    ("result", "legend"),
    [
        (
            with_adjusted(ml_eat(), ml_eat()),
            "After frequency: d and p at level 1, and the pattern, once the words' frequency is "
            "accounted for.",
        ),
        (
            with_adjusted(weat(), weat(), "frequency", "valence"),
            "After covariates: d and p at level 1 once frequency and valence are accounted for.",
        ),
        (
            with_adjusted(sc_eat({"one": 1.0}), sc_eat({"one": 1.0}), "length"),
            "After length: d and p of each term once length is accounted for.",
        ),
        (weat(), ""),
    ],
    ids=["pattern", "several covariates", "terms", "none"],
)
def test_a_line_says_what_the_column_is(result, legend):
    assert after_legend([result]) == legend
