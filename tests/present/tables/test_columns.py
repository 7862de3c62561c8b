"""Columns are declared once, and each form takes of them what it has room for."""

from tests.present.records import ml_eat, sc_eat, weat

from eatlas.present.columns import MANUSCRIPT, TERMINAL, arranged, rows_of, terms_table


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
