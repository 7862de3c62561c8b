"""Four lists of words, and what a page may send."""

from __future__ import annotations

import json

import pytest
from pydantic import ValidationError
from tests.explorer.conftest import LISTS

from eatlas.errors import EatlasError
from eatlas.stimuli import load_tests, to_toml
from eatlas_workbench.explorer.measuring import (
    BUNDLED,
    MOST_NAMED,
    MOST_WORDS,
    NO_FILE,
    Lists,
    Request,
    lists_of_file,
    make_pasted_test,
    starts,
    words_in,
)

MANY = tuple(f"w{i}" for i in range(MOST_WORDS + 1))


@pytest.fixture
def origin():
    return load_tests("weat-6")[0]


def test_a_test_without_changes_is_the_test_itself(origin):
    back = Lists.of(origin, added={"X": ["Bob"]}, off={"X": ["Bob"]})
    assert back.test() is Lists.of(origin).test() is origin
    assert back.key == Lists.of(origin).key


def test_words_off_added_and_moved_make_a_test_of_their_own(origin):
    lists = Lists.of(
        origin,
        off={"X": ["John", "Bill"], "Y": ["Diana", "nobody"], "A": ["office"]},
        added={"Y": ["John", "Mary"]},
    )
    assert lists.changes == [
        "John moved from Male names to Female names", "without Bill (Male names)",
        "without Diana (Female names)", "without office (Career)", "with Mary (Female names)",
    ]  # fmt: skip
    test = lists.test(explored=5)
    assert (test.id, test.explored, test.B) == ("weat-6-explored", 5, origin.B)
    assert test.Y.terms == (*(w for w in origin.Y.terms if w != "Diana"), "John", "Mary")
    assert test.notes[-1].startswith("weat-6 John moved from Male names to Female names; without")
    again = Lists.of(test, off={"Y": ["Kate"]}).test()
    assert again.id == "weat-6-explored-explored"


@pytest.mark.parametrize(
    ("added", "said"),
    [
        (["x" * 10_000], "Male names has a word of 10,000 letters"),
        (MANY, "Male names has 209 words; the explorer takes"),
        (["John"], "Male names has the word John already."),
        (["Bob", " Bob "], "Male names has the word Bob already."),
    ],
)
def test_words_that_cannot_be_shown_are_refused(origin, added, said):
    with pytest.raises(EatlasError, match=said):
        Lists.of(origin, added={"X": added})


def test_pasted_lists():
    test = make_pasted_test(LISTS)
    assert test.id == "jobs-crafts-female-male"
    assert [part.terms for _, part in test.parts] == [
        ("nurse", "teacher"), ("carpenter", "engineer"), ("she", "woman"), ("he", "man"),
    ]  # fmt: skip
    assert words_in('"New York", a\r\n\n; a') == ("New York", "a")


@pytest.mark.parametrize(
    ("role", "name", "text", "said"),
    [
        ("Y", "", "", "Concept 'Y', argument terms: list should have at least 1 item"),
        ("B", "Male", "she, woman, man", "terms 'she', 'woman' are on both sides, A and B"),
        ("X", "Jobs", "x" * 101 + ", b", "a word of 101 letters"),
        ("X", "Jobs", ",".join(MANY), "Jobs has 201 words"),
    ],
)
def test_pasted_lists_that_make_no_test(role, name, text, said):
    with pytest.raises(EatlasError, match=said):
        make_pasted_test({**LISTS, role: (name, text)})
    with pytest.raises(EatlasError, match="There is no list of words"):
        make_pasted_test({"X": LISTS["X"]})


@pytest.mark.parametrize(
    "body",
    [
        b"", b"[" * 50_000, b'{"source": -1}', b'{"source": true}', b'{"source": "/etc/passwd"}',
        b'{"off": {"Q": []}}', b'{"off": {"X": "John"}}', b'{"test": "\\ud800"}', b"\xff\xfe",
    ],
)  # fmt: skip
def test_requests_that_no_page_makes(body):
    with pytest.raises(ValidationError):
        Request.model_validate_json(body)


def test_lists_to_start_from():
    buttons = list(starts(load_tests(["weat-6", "weat-3"])))
    assert [name for name, _ in buttons] == [*BUNDLED.values(), "weat-3"]
    assert all(make_pasted_test(json.loads(lists)).X.terms for _, lists in buttons)
    many = [load_tests("weat-6")[0].model_copy(update={"id": f"t{i}"}) for i in range(20)]
    assert len(list(starts(many))) == len(BUNDLED) + MOST_NAMED


def test_lists_of_a_file_that_the_browser_read(origin):
    found = lists_of_file(to_toml(load_tests(["weat-6", "weat-7"])))
    assert found["note"] == "These are the lists of weat-6, the first of 2 tests of the file."
    assert make_pasted_test(found["lists"]).Y.terms == origin.Y.terms


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("X = ", "The file: this is not TOML"),
        ("x = " + "[" * 20_000, "The file: this TOML cannot be read"),
        ("", NO_FILE),
        ("test = []", NO_FILE),
        ("[[test]]\nX = { name = 'x', terms = ['a', 'b'] }", NO_FILE),
        ("[[test]]\nX = { name = 'x', images = '/etc' }", NO_FILE),
    ],
)
def test_a_file_without_lists_is_said(text, said):
    with pytest.raises(EatlasError, match=said):
        lists_of_file(text)
