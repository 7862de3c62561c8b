"""Whole-word matching, against a plain regular expression."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reading import oracle
from tests.reading.compiled import find_in

from eatlas.stimuli.languages import one_form
from eatlas_corpora.reading import matching
from eatlas_corpora.reading.matching import Matcher, MatchRule, letters, ways_to_write

LETTERS = "abAé"
WORDS = st.text(st.sampled_from(LETTERS), min_size=1, max_size=3)
STIMULI = st.lists(
    st.one_of(WORDS, st.builds("{} {}".format, WORDS, WORDS), st.builds("{}-{}".format, WORDS, WORDS)),
    min_size=1,
    max_size=6,
    unique=True,
)  # fmt: skip
TEXTS = st.text(st.sampled_from(LETTERS * 2 + " .-_\n’—\u00a0\u2010😀字"), max_size=60)


def texts_of(matcher: Matcher, text: str) -> list[str]:
    return [piece for piece, _ in find_in(matcher, text)]


@given(STIMULI, TEXTS)
def test_exact_matches_are_those_of_a_regular_expression(stimuli, text):
    matcher = Matcher(stimuli, MatchRule("exact", "written"))
    found = find_in(matcher, text)
    assert [piece for piece, _ in found] == oracle.found(text, stimuli, either=False)
    assert all(" ".join(piece.split()) == stimulus for piece, stimulus in found)


def test_matches_are_the_same_when_there_is_room_for_few_at_a_time(monkeypatch):
    text = "New York, a nurse; the nurses of York and a nurse in New York"
    matcher = Matcher(["nurse", "York", "New York", "in"])
    found = find_in(matcher, text)
    assert [stimulus for _, stimulus in found] == [
        "New York", "nurse", "York", "nurse", "in", "New York"
    ]  # fmt: skip
    for room in (1, 2, 5):
        monkeypatch.setattr(matching, "_AT_ONCE", room)
        assert find_in(matcher, text) == found


@given(STIMULI, TEXTS)
def test_hyphen_and_space_may_stand_for_each_other(stimuli, text):
    plain = {one.replace("-", " ") for one in stimuli}
    matcher = Matcher(sorted(plain), MatchRule("exact", "either"))
    assert texts_of(matcher, text) == oracle.found(text, sorted(plain))


@given(STIMULI, TEXTS)
def test_case_is_ignored_as_a_regular_expression_ignores_it(stimuli, text):
    plain = sorted({one.replace("-", " ").lower() for one in stimuli})
    matcher = Matcher(plain, MatchRule("ignore", "either"))
    assert texts_of(matcher, text) == oracle.found(text, plain, ignore=True)


@given(STIMULI, TEXTS)
def test_the_rule_auto_finds_the_spellings_that_it_names(stimuli, text):
    rule = MatchRule("auto", "written")
    spellings = sorted({one for stimulus in stimuli for one in rule.spellings(stimulus)})
    expected = oracle.found(text, spellings, either=False)
    found = find_in(Matcher(stimuli, rule), text)
    clear = {s for s in spellings if sum(s in rule.spellings(one) for one in stimuli) == 1}
    as_written = clear | set(stimuli)
    assert [p for p, _ in found] == [p for p in expected if " ".join(p.split()) in as_written]


@given(STIMULI, st.lists(TEXTS, min_size=1, max_size=5))
def test_texts_that_lie_side_by_side_do_not_touch(stimuli, texts):
    matcher = Matcher(stimuli, MatchRule("exact", "either"))
    alone = [found for text in texts for found in find_in(matcher, text)]
    assert find_in(matcher, "\0".join(texts)) == alone


@pytest.mark.parametrize(
    ("stimuli", "case", "text", "expected"),
    [
        (["will"], "auto", "will Will WILL wIll", ["will", "Will", "WILL"]),
        (["Will"], "auto", "will Will WILL", ["Will"]),
        (["Will"], "ignore", "will Will WILL", ["will", "Will", "WILL"]),
        (["will"], "exact", "will Will WILL", ["will"]),
        (["NASA"], "auto", "NASA Nasa", ["NASA"]),
        (["love"], "auto", "I love, “love”—love’s love_d lovely", ["love", "love", "love"]),
        (["ÉCOLE"], "ignore", "école", ["école"]),
        (["I"], "auto", "I am. I", ["I", "I"]),
        (["C++"], "auto", "C++ and C++x", ["C++"]),
    ],
)
def test_the_case_rule(stimuli, case, text, expected):
    assert texts_of(Matcher(stimuli, MatchRule(case)), text) == expected


MARKED = "aEéệẹ\u0301\u0302\u0323'’\u02bc"
MARKED_STIMULI = st.lists(
    st.text(st.sampled_from(MARKED), min_size=1, max_size=4).filter(lambda one: one_form(one[0]).isalpha()),
    min_size=1,
    max_size=6,
    unique_by=one_form,
)  # fmt: skip


MARKED_TEXTS = st.text(st.sampled_from(MARKED + " e"), max_size=30)
FORMS = st.sampled_from(["NFC", "NFD"])


@given(MARKED_STIMULI, st.builds(unicodedata.normalize, FORMS, MARKED_TEXTS), st.booleans())
def test_letters_and_marks_and_apostrophes_are_compared_in_one_form(stimuli, text, ignore):
    if ignore:
        stimuli = list({one_form(one).lower(): one.lower() for one in stimuli}.values())
    found = find_in(Matcher(stimuli, MatchRule("ignore" if ignore else "exact")), text)
    expected = oracle.found(one_form(text), list(map(one_form, stimuli)), ignore=ignore)
    assert [one_form(piece) for piece, _ in found] == expected
    assert all(piece in text for piece, _ in found)
    if not ignore:
        assert all(one_form(piece) == one_form(stimulus) for piece, stimulus in found)


@pytest.mark.parametrize(
    ("stimulus", "text"),
    [
        ("caf\u00e9", "cafe\u0301"),
        ("cafe\u0301", "caf\u00e9"),
        ("O'Brien", "O’Brien"),
        ("O’Brien", "O'Brien"),
        ("O'Brien", "O\u02bcBrien"),
        ("women's", "WOMEN’S"),
        ("fire\u00adman", "fireman"),
        ("Việt Nam", "Vie\u0323\u0302t-Nam"),
        ("\u0995\u09dc", "\u0995\u09a1\u09bc"),  # NFC decomposes this letter of Bengali
        ("한국", "\u1112\u1161\u11ab\u1100\u116e\u11a8"),
        ("5 \u00c5", "5 \u212b"),
    ],
)
def test_what_is_taken_for_the_same(stimulus, text):
    assert find_in(Matcher([stimulus]), f"to {text}.") == [(text, stimulus)]


@pytest.mark.parametrize(
    ("stimulus", "text"),
    [("cafe", "caf\u00e9"), ("cafe", "cafe\u0301"), ("nurse", "\uff4e\uff55\uff52\uff53\uff45")],
)
def test_what_is_not(stimulus, text):
    assert not find_in(Matcher([stimulus]), f"to {text}.")


def test_stimuli_of_one_form_are_told_apart_where_a_text_is_written_so():
    matcher = Matcher(["O'Brien", "O’Brien"])
    assert [one for _, one in find_in(matcher, "O’Brien, O'Brien, O\u02bcBrien")] == ["O’Brien", "O'Brien"]  # fmt: skip


@given(st.text(st.sampled_from("aeKÅệ각가\u09dc\u0301\u0323\u0302"), min_size=1, max_size=5))
def test_ways_to_write_a_letter_are_canonically_equivalent(text):
    parts = letters(text)
    assert "".join(parts) == unicodedata.normalize("NFD", text)
    for letter in parts:
        ways = ways_to_write(letter)
        assert {letter, unicodedata.normalize("NFC", letter)} <= set(ways)
        assert all(unicodedata.normalize("NFD", way) == letter for way in ways)


@pytest.mark.parametrize("text", ["fried-chicken", "fried chicken", "fried\n chicken", "fried‑chicken"])  # fmt: skip
@pytest.mark.parametrize("stimulus", ["fried-chicken", "fried chicken"])
def test_compounds_are_kept_whole(stimulus, text):
    assert find_in(Matcher([stimulus, "chicken"]), f"I like {text}.") == [(text, stimulus)]


def test_the_head_of_a_compound_stands_for_it():
    matcher = Matcher(
        ["fried-chicken", "South African", "all-american"], MatchRule(compounds="head")
    )
    assert find_in(matcher, "Chicken, fried-chicken; South-African american African food -") == [
        ("Chicken", "fried-chicken"),
        ("chicken", "fried-chicken"),
        ("South-African", "South African"),
        ("american", "all-american"),
    ]
    assert Matcher(["-", "pre-"], MatchRule(compounds="head")).stimuli == ("-", "pre-")


def test_compounds_as_written():
    found = find_in(
        Matcher(["fried-chicken"], MatchRule(compounds="written")), "fried chicken fried-chicken"
    )
    assert found == [("fried-chicken", "fried-chicken")]


def test_the_longest_wins_and_nothing_is_found_within_it():
    matcher = Matcher(["African", "African American", "American woman", "woman"])
    assert texts_of(matcher, "an African American woman") == ["African American", "woman"]


def test_what_could_be_two_stimuli_is_the_one_that_is_written_so():
    auto = Matcher(["ebony", "Ebony"])
    assert find_in(auto, "Ebony EBONY ebony") == [("Ebony", "Ebony"), ("EBONY", "ebony"), ("ebony", "ebony")]  # fmt: skip
    ignoring = Matcher(["ebony", "Ebony"], MatchRule("ignore"))
    assert find_in(ignoring, "Ebony EBONY ebony") == [("Ebony", "Ebony"), ("ebony", "ebony")]
    compounds = Matcher(["short-term", "short term"])
    assert [one for _, one in find_in(compounds, "short-term short term")] == ["short-term", "short term"]  # fmt: skip


def test_capitals_of_turkish():
    text = "ışık Işık IŞIK İZMİR izmir İzmir isik"
    as_written = Matcher(["ışık", "izmir"], MatchRule(language="tr"))
    assert [match for match, _ in find_in(as_written, text)] == text.split()[:-1]
    ignoring = Matcher(["IŞIK", "İzmir"], MatchRule(case="ignore", language="tr"))
    assert [match for match, _ in find_in(ignoring, text)] == text.split()[:-1]
