"""Tests written as TOML are the same tests when read."""

import pytest
from tests.inputs import make_test

from eatlas.stimuli import AssociationTest, Concept, battery_names, load_tests, to_toml
from eatlas.stimuli.reading import parse_battery


def read(text: str):
    return parse_battery(text.encode(), "written.toml", "written").tests


@pytest.mark.parametrize("name", battery_names())
def test_every_battery_round_trips(name):
    tests = load_tests(name)
    text = to_toml(tests)
    assert read(text) == tests
    # a script of several sentences stands on one line, and its template with it
    assert max(map(len, text.splitlines())) < (1500 if "double-bind" in name else 1000)


def test_odd_words_round_trip():
    words = (
        'say "hi"',
        "back\\slash",
        "🌹",
        "שלום",
        "tab\there",
        "del\x7f",
        "line\nbreak",
        "]",
        "#",
    )
    test = make_test("odd", X=words, Y=tuple(f"{word}'" for word in words))
    odd = AssociationTest(
        id="o", title='a "title"', notes=("a\nnote", "''' \"\"\""), citation="\x01",
        X=test.X, Y=test.Y, A=Concept(name="=,[]{}", terms=("a",)), B=test.B,
    )  # fmt: skip
    assert read(to_toml([test, odd])) == (test, odd)
