"""The two ways in which commands print tables: with rules for people, as plain rows for pipes too."""

import pytest
from rich.text import Text

from eatlas.cli.console import new_console, show, table_of
from eatlas.cli.messages import print_rows

ROWS = [("ant", "1", "six legs"), ("centipede", "1,000", "many")]


def printed(capsys, table, columns="80"):
    show(new_console(), table)
    return capsys.readouterr().out.splitlines()


def test_words_are_on_the_left_and_numbers_on_the_right(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    head, rule, first, second = printed(capsys, table_of(("animal", "n", "legs"), ROWS, "lrl"))
    assert head.split() == ["animal", "n", "legs"]
    assert set(rule) == {"─"}
    assert first.index("1") == second.index("1,000") + 4
    assert first.index("six") == second.index("many") == head.index("legs")


def test_labels_are_folded_and_names_are_not(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    label = "a-name-of-some-length\n" + "many words " * 5
    table = table_of(("Test", "d"), [(Text(label), "1.0")], names=["a-name-of-some-length"])
    lines = printed(capsys, table)
    assert lines[2].startswith("a-name-of-some-length ")
    assert len(lines) > 4
    assert max(map(len, lines)) <= 40


@pytest.mark.parametrize(
    ("align", "expected"), [("l", ["a    1", "bc  20"]), ("ll", ["a   1", "bc  20"])]
)
def test_plain_rows(capsys, align, expected):
    print_rows([("a", "1"), ("bc", "20")], align)
    assert capsys.readouterr().out.splitlines() == expected


def test_plain_rows_have_least_widths_and_no_blanks_at_their_ends(capsys):
    print_rows([("a", "1", ""), ("bc", "20", "twenty")], "lrl", least=(4, 5))
    assert capsys.readouterr().out.splitlines() == ["a         1", "bc       20  twenty"]
