"""Cells: agreement to the digits printed, and how numbers are written."""

import tomllib

import pytest
from tests.inputs import ROOT

from eatlas_workbench.replication.cells import Cell, Question, paper_cells
from eatlas_workbench.replication.tables import difference, explanation, text_in_print, value_text

SECOND_READING = tomllib.loads(
    (ROOT / "tests/measures/ml_eat_tables.toml").read_text(encoding="utf-8")
)
NUMBER = Question("m", "t", place="level1.effect_size")


def cell(text: str, question: Question = NUMBER, **fields: object) -> Cell:
    return Cell("t", "m", "r", "c", question, text, **fields)  # type: ignore[arg-type]


def test_two_transcriptions_of_ml_eat_agree():
    """Level 2 of every row: the data of the package, and those that the tests hold."""
    cells = {(c.table, c.row, c.column): c for c in paper_cells("ml-eat")}
    compared = 0
    for table, rows in SECOND_READING.items():
        for row in rows:
            for role in "XY":
                d, star = row[role]
                printed = cells[table, row["eat"], f"Level 2, {role}"]
                assert (printed.number, bool(printed.star)) == (d, star)
                compared += 1
    assert compared == 2 * sum(map(len, SECOND_READING.values())) == 268


@pytest.mark.parametrize(
    ("text", "value", "agrees"),
    [
        ("-0.39", -0.3901, True), ("-0.39", -0.385, True), ("-0.39", -0.3849, False),
        ("-0.39", -0.396, False), ("-0.39", 0.391, False), ("-0.39", None, None),
        ("A-Uniform", "A-Uniform", True), ("A-Uniform", "B-Uniform", False), ("", 1.0, None),
    ],
)  # fmt: skip
def test_agreement_is_that_of_the_printed_digits(text, value, agrees):
    assert cell(text, source="s", value=value).agrees is agrees


def test_numbers_are_written_as_they_are_printed():
    p = Question("m", "t", place="level1.p.greater")
    for one, text in (
        (cell("-0.39", source="s", value=-0.39, own_star=1), "−0.39"),
        (cell("-.39", source="s", value=-0.39), "−.39"),
        (cell(".00", source="s", value=-0.004), ".00"),
        (cell("0.1", source="s"), "undefined"),
        (cell("0.1"), ""),
        (cell("A-Uniform", source="s", value="B-Uniform"), "B-Uniform"),
        (cell("0.016", p, source="s", value=3e-5), "3e-05"),
        (cell("0.016", p, source="s", value=0.0157), "0.016"),
        (cell("0.000", p, source="s", value=5e-324), "< .001"),
        (cell("", p, source="s", value=0.0157), "0.016"),
        (cell("", like=".99", star=0, own=True, source="s", value=0.6149, own_star=1), ".61*"),
        (cell("", like="1.50", own=True, source="s", value=1.2, own_star=1), "1.20"),
        (cell("", source="s", value=1.5, own_star=2), "1.50**"),
        (cell("1.50", star=1, source="s", value=1.5, own_star=2), "1.50**"),
    ):
        assert value_text(one) == text


def test_words_of_cells():
    both = cell("-0.390", star=1, source="s", value=-0.4, own_star=1, why="without Billy")
    assert (text_in_print(both), value_text(both), difference(both)) == (
        "−0.390*",
        "−0.400*",
        "−0.010",
    )
    assert explanation(both) == "r, c: −0.400*, printed −0.390*: without Billy"
    assert difference(cell("0.1", source="s", value=0.2)) == "+0.1"
    assert (text_in_print(cell("")), difference(cell("", source="s", value=1.0))) == ("–", "")
    columns = both.columns()
    assert (columns["published"], columns["ours"], columns["of_paper"]) == (-0.39, -0.4, True)
    assert (
        cell("", own=True, source="mine", value="A-Uniform").columns()["ours_text"] == "A-Uniform"
    )
