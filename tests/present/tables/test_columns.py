"""Columns are declared once, and each form takes of them what it has room for."""

from tests.present.records import full, ml_eat, sc_eat, weat

from eatlas.present.columns import (
    BY_ID,
    LEVEL3,
    MANUSCRIPT,
    PATTERN,
    TERMINAL,
    TEST,
    arranged,
    rows_of,
    terms_table,
)


def table(form, *results, **how):
    return arranged([row for one in results for row in rows_of(one, **how)], form)


def heads(found):
    return [column.short or column.title for column in found.columns]


def cells(found, title):
    place = heads(found).index(title)
    return [row[place].lines for row in found.rows]


def test_every_form_says_the_same_of_a_result():
    result = full("AX-Singular")
    d = result.effect("level1").d
    for form in (MANUSCRIPT, TERMINAL):
        found = table(form, result)
        place = next(i for i, c in enumerate(found.columns) if c.title == "d")
        assert found.rows[0][place].lines[0] == f"{d:.2f}"
        assert found.rows[0][place].star == result.effect("level1").significant
        assert cells(found, "EAT pattern")[0][0] == "AX-Singular"


def test_heads_of_effect_sizes():
    result = ml_eat()
    assert heads(table(TERMINAL, result))[:4] == [
        result.heading, "Level 1\nd", "Level 2\nd of X", "\nd of Y",
    ]  # fmt: skip
    found = table(MANUSCRIPT, result)
    assert found.groups()[1:4] == [("Level 1", 1), ("Level 2, X", 1), ("Level 2, Y", 1)]
    assert heads(table(TERMINAL, weat()))[1:] == ["d"]


def test_level_3_may_be_in_a_table_of_its_own():
    rows = rows_of(ml_eat())
    without = arranged(rows, [one for one in TERMINAL if one is not LEVEL3])
    assert not any(column.group == "Level 3" for column in without.columns)
    beside = arranged(rows, BY_ID)
    assert heads(beside) == ["Test", "Level 3\nX,A", "\nX,B", "\nY,A", "\nY,B"]
    assert beside.rows[0][0].lines == ("test-1",)


def test_terms_go_from_one_end_to_the_other():
    found = terms_table(sc_eat({"one": -0.4, "two": 1.2, "three": None}))
    assert [row[0].lines[0] for row in found.rows] == ["two", "one", "three"]
    assert heads(found)[0] == "test-1: Pleasant / Unpleasant"


def test_a_column_may_be_chosen_alone():
    found = table((TEST, PATTERN.only("pattern")), ml_eat("B-Uniform"))
    assert heads(found) == ["Test", "EAT pattern"]
    assert [cell.lines for cell in found.rows[0]] == [("test-1",), ("B-Uniform",)]
