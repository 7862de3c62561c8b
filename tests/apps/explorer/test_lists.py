"""Four lists of words, and what a page may send."""

from __future__ import annotations

import json

import pytest

import eatlas
from eatlas.apps.explorer.lists import (
    BUNDLED,
    LONGEST_WORD,
    MOST_NAMED,
    MOST_WORDS,
    NO_REQUEST,
    Lists,
    Request,
    lists_of_file,
    pasted,
    starts,
    words_in,
)
from eatlas.errors import EatlasError
from eatlas.stimuli import load_tests, to_toml

GIVEN = {
    "X": ("Jobs", "nurse, teacher"), "Y": ("Crafts", "carpenter; engineer"),
    "A": ("Female", "she\nwoman"), "B": ("Male", "he\tman"),
}  # fmt: skip


@pytest.fixture
def origin():
    return load_tests("weat-6")[0]


def test_a_test_without_changes_is_the_test_itself(origin):
    assert Lists.of(origin).test() is origin
    back = Lists.of(origin, added={"X": ["Bob"]}, off={"X": ["Bob"]})
    assert back.test() is origin
    assert back.key == Lists.of(origin).key


def test_words_off_and_added_make_a_test_of_their_own(origin):
    lists = Lists.of(origin, off={"Y": ["Diana", "nobody"], "A": ["office"]}, added={"X": ["Bob"]})
    test = lists.test(explored=5)
    assert test.id == "weat-6-explored"
    assert test.explored == 5
    assert test.X.terms == (*origin.X.terms, "Bob")
    assert test.Y.terms == tuple(one for one in origin.Y.terms if one != "Diana")
    assert "office" not in test.A.terms
    assert test.B == origin.B
    assert lists.changes == [
        "without Diana (Female names)", "without office (Career)", "with Bob (Male names)"
    ]  # fmt: skip
    assert test.notes[-1].startswith("weat-6 without Diana (Female names); without office")


def test_the_test_survives_its_file_with_the_number_of_lists(origin, tmp_path):
    test = Lists.of(origin, off={"Y": ["Diana"]}).test(explored=3)
    path = tmp_path / "both.toml"
    path.write_text(to_toml([test, origin]))
    assert load_tests(path) == (test, origin)
    assert "explored = 3" in path.read_text()
    (result,) = eatlas.run(test, measures="ml-eat(resamples=0,frequency=off)")
    assert result.provenance.explored == 3
    assert (
        "The words were changed after results had been seen: p-values describe these lists, and "
        "are no evidence of a discovery. 3 lists were looked at."
    ) in map(str, result.warnings)
    assert "explored" not in origin.model_dump_json(exclude_none=True)
    again = Lists.of(test, off={"Y": ["Kate"]}).test(explored=4)
    assert again.id == "weat-6-explored-2"


@pytest.mark.parametrize("n", [0, 1])
def test_too_few_words_are_said_in_a_sentence(origin, n):
    lists = Lists.of(origin, off={"B": origin.B.terms[n:]})
    begin = "In Family, no word is" if n == 0 else "In Family, one word is"
    assert lists.fault.startswith(f"{begin} switched on. The test needs two or more words")
    assert Lists.of(origin, off={"B": origin.B.terms[2:]}).fault == ""


@pytest.mark.parametrize(
    ("added", "said"),
    [
        (["x" * 10_000], "Male names has a word of 10,000 letters"),
        ([f"w{i}" for i in range(10_000)], "Male names has 10,008 words; the explorer takes"),
        (["John"], "Male names has the word John already."),
        (["Bob", " Bob "], "Male names has the word Bob already."),
    ],
)
def test_words_that_cannot_be_shown_are_refused(origin, added, said):
    with pytest.raises(EatlasError, match=said):
        Lists.of(origin, added={"X": added})


def test_a_word_on_both_sides_is_refused_when_it_is_measured(origin):
    lists = Lists.of(origin, added={"X": ["Diana"]})
    assert lists.fault == (
        "Diana is in both Male names and Female names: a word that is in both cannot distinguish the "
        "two. Switch it off in one."
    )
    with pytest.raises(EatlasError, match="terms 'Diana' are on both sides"):
        lists.test()
    assert (
        Lists.of(origin, added={"X": ["Diana"]}, off={"Y": ["Diana"]}).test().X.terms[-1] == "Diana"
    )


def test_pasted_lists():
    test = pasted(GIVEN)
    assert test.id == "jobs-crafts-female-male"
    assert test.X.terms == ("nurse", "teacher")
    assert test.B.terms == ("he", "man")
    assert words_in('"New York", a\r\n\n; a') == ("New York", "a")


@pytest.mark.parametrize(
    ("role", "text", "said"),
    [
        ("Y", "carpenter", "Crafts has 1 word: each list needs two or more."),
        ("Y", "", "Crafts has 0 words"),
        ("B", "she, man", "she is in both Female and Male"),
        ("B", "she, woman, man", "she, woman are in both Female and Male"),
        ("X", "x" * (LONGEST_WORD + 1) + ", b", "a word of 101 letters"),
        ("X", ",".join(f"w{i}" for i in range(MOST_WORDS + 1)), "Jobs has 201 words"),
    ],
)
def test_pasted_lists_that_make_no_test(role, text, said):
    with pytest.raises(EatlasError, match=said):
        pasted({**GIVEN, role: (GIVEN[role][0], text)})


def test_a_long_name_is_refused():
    with pytest.raises(EatlasError, match="The name of X has 500 letters: at most 80."):
        pasted({**GIVEN, "X": ("n" * 500, "a, b")})


@pytest.mark.parametrize(
    "body",
    [
        b"", b"[]", b"{", b"[" * 50_000, b'{"test": 5}', b'{"source": -1}', b'{"source": true}',
        b'{"source": "/etc/passwd"}', b'{"off": {"Q": []}}', b'{"off": {"X": "John"}}',
        b'{"off": {"X": [1]}}', b'{"added": []}', b'{"lists": {"X": ["a", "b"]}}',
        b'{"lists": {"X": "a", "Y": "b", "A": "c", "B": "d"}}', b'{"test": "\\ud800"}',
        b'{"what": {}}', b'{"against": 1.5}', b'{"source": 99999999999999999999}', b"\xff\xfe",
    ],
)  # fmt: skip
def test_requests_that_no_page_makes(body):
    with pytest.raises(EatlasError, match=NO_REQUEST):
        Request.read(body)


def test_a_word_that_goes_to_another_group_is_a_move(origin):
    lists = Lists.of(
        origin, off={"X": ["John", "Bill"], "Y": ["Diana"]}, added={"Y": ["John", "Mary"]}
    )
    assert lists.changes == [
        "John moved from Male names to Female names", "without Bill (Male names)",
        "without Diana (Female names)", "with Mary (Female names)",
    ]  # fmt: skip
    test = lists.test(explored=2)
    assert test.Y.terms[-2:] == ("John", "Mary")
    assert "John moved from Male names to Female names" in test.notes[-1]
    back = Lists.of(origin, off={"X": ["John"]}, added={"Y": ["John"], "X": []})
    assert [one for one, *_ in back.moves] == ["John"]


def test_lists_to_start_from():
    found = list(starts(load_tests(["weat-6", "weat-3"])))
    assert [one.name for one in found] == [*BUNDLED.values(), "weat-3"]
    for one in found:
        assert pasted(json.loads(one.lists)).X.terms
    ids = [f"t{i}" for i in range(20)]
    many = [load_tests("weat-6")[0].model_copy(update={"id": one}) for one in ids]
    assert len(list(starts(many))) == len(BUNDLED) + MOST_NAMED


def test_lists_of_a_file_that_the_browser_read():
    text = to_toml(load_tests(["weat-6", "weat-7"]))
    lists, note = lists_of_file(text)
    assert note == "These are the lists of weat-6, the first of 2 tests of the file."
    test = load_tests("weat-6")[0]
    assert {role: one.terms for role, one in pasted(lists).parts} == {
        role: one.terms for role, one in test.parts
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("X = ", "The file: this is not TOML"),
        (".".join("a" * 20_000) + " = 1", "The file: a key has too many parts"),
        ("x = " + "[" * 20_000, "The file: this TOML cannot be read"),
        ("x = " + "9" * 5_000, "The file: this TOML cannot be read"),
        ("", "a test has X, Y, A and B"),
        ("test = 3", "a test has X, Y, A and B"),
        ("[[test]]\nX = { name = 'x', terms = ['a', 'b'] }", "a test has X, Y, A and B"),
        ("[[test]]\nX = { name = 'x', images = '/etc' }", "a test has X, Y, A and B"),
    ],
)
def test_a_file_without_lists_is_said(text, said):
    with pytest.raises(EatlasError, match=said):
        lists_of_file(text)


def test_a_list_that_no_group_could_hold_is_said():
    body = json.dumps({"added": {"X": [f"w{i}" for i in range(10_000)]}}).encode()
    with pytest.raises(EatlasError, match="A list of 10,000 words is too long: the explorer takes"):
        Request.read(body)
