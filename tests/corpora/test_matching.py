"""Whole-word matching, against a plain regular expression."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eatlas.corpora.matching import Matcher, Rule
from eatlas.errors import SourceError
from tests.corpora import oracle

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
    return [piece for piece, _ in matcher.find_in(text)]


@given(STIMULI, TEXTS)
def test_exact_matches_are_those_of_a_regular_expression(stimuli, text):
    matcher = Matcher(stimuli, Rule("exact", "written"))
    found = matcher.find_in(text)
    assert [piece for piece, _ in found] == oracle.found(text, stimuli, either=False)
    assert all(" ".join(piece.split()) == stimulus for piece, stimulus in found)


@given(STIMULI, TEXTS)
def test_hyphen_and_space_may_stand_for_each_other(stimuli, text):
    plain = {one.replace("-", " ") for one in stimuli}
    matcher = Matcher(sorted(plain), Rule("exact", "either"))
    assert texts_of(matcher, text) == oracle.found(text, sorted(plain))


@given(STIMULI, TEXTS)
def test_case_is_ignored_as_a_regular_expression_ignores_it(stimuli, text):
    plain = sorted({one.replace("-", " ").lower() for one in stimuli})
    matcher = Matcher(plain, Rule("ignore", "either"))
    assert texts_of(matcher, text) == oracle.found(text, plain, ignore=True)


@given(STIMULI, TEXTS)
def test_the_rule_auto_finds_the_spellings_that_it_names(stimuli, text):
    rule = Rule("auto", "written")
    spellings = sorted({one for stimulus in stimuli for one in rule.written(stimulus)})
    expected = oracle.found(text, spellings, either=False)
    found = Matcher(stimuli, rule).find_in(text)
    clear = {s for s in spellings if sum(s in rule.written(one) for one in stimuli) == 1}
    as_written = clear | set(stimuli)
    assert [p for p, _ in found] == [p for p in expected if " ".join(p.split()) in as_written]


@given(STIMULI, st.lists(TEXTS, min_size=1, max_size=5))
def test_texts_that_lie_side_by_side_do_not_touch(stimuli, texts):
    matcher = Matcher(stimuli, Rule("exact", "either"))
    alone = [found for text in texts for found in matcher.find_in(text)]
    assert matcher.find_in("\0".join(texts)) == alone


@given(st.lists(st.sampled_from(["a", "b", "ab", " "]), max_size=40), st.integers(1, 4))
def test_going_on_in_the_middle_finds_the_same(pieces, at_once):
    from eatlas.corpora import _kernels

    matcher = Matcher(["a", "ab"], Rule("exact"))
    data = np.frombuffer("".join(pieces).encode() or b" ", np.uint8)
    starts, ends, endings = np.empty((2, at_once), np.int64), None, np.empty(at_once, np.int32)
    starts, ends = starts
    at, found = 0, []
    while at < len(data):
        n, at = _kernels.find(data, at, 0, matcher._tables, starts, ends, endings)
        found += [bytes(data[a:b]).decode() for a, b in zip(starts[:n], ends[:n], strict=True)]
    assert found == oracle.found("".join(pieces), ["a", "ab"])


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
    assert texts_of(Matcher(stimuli, Rule(case)), text) == expected


@pytest.mark.parametrize("text", ["fried-chicken", "fried chicken", "fried\n chicken", "fried‑chicken"])  # fmt: skip
@pytest.mark.parametrize("stimulus", ["fried-chicken", "fried chicken"])
def test_compounds_are_kept_whole(stimulus, text):
    assert Matcher([stimulus, "chicken"]).find_in(f"I like {text}.") == [(text, stimulus)]


def test_the_head_of_a_compound_stands_for_it():
    matcher = Matcher(["fried-chicken", "South African", "all-american"], Rule(compounds="head"))
    assert matcher.find_in("Chicken, fried-chicken; South-African american African food -") == [
        ("Chicken", "fried-chicken"),
        ("chicken", "fried-chicken"),
        ("South-African", "South African"),
        ("american", "all-american"),
    ]
    assert Matcher(["-", "pre-"], Rule(compounds="head")).stimuli == ("-", "pre-")


@pytest.mark.parametrize("other", ["chicken", "roast-chicken"])
def test_two_stimuli_of_one_head_are_refused(other):
    with pytest.raises(SourceError) as said:
        Matcher(["fried-chicken", other], Rule(compounds="head"))
    assert str(said.value) == (
        f"two stimuli have the same head, 'chicken'\n  got: fried-chicken, {other}\n"
        "  allowed: a different head for each stimulus\n"
        "  remedy: keep compounds whole (either, written), or leave one of them out"
    )


def test_compounds_as_written():
    found = Matcher(["fried-chicken"], Rule(compounds="written")).find_in(
        "fried chicken fried-chicken"
    )
    assert found == [("fried-chicken", "fried-chicken")]


def test_the_longest_wins_and_nothing_is_found_within_it():
    matcher = Matcher(["African", "African American", "American woman", "woman"])
    assert texts_of(matcher, "an African American woman") == ["African American", "woman"]


def test_what_could_be_two_stimuli_is_the_one_that_is_written_so():
    auto = Matcher(["ebony", "Ebony"])
    assert auto.find_in("Ebony EBONY ebony") == [("Ebony", "Ebony"), ("EBONY", "ebony"), ("ebony", "ebony")]  # fmt: skip
    ignoring = Matcher(["ebony", "Ebony"], Rule("ignore"))
    assert ignoring.find_in("Ebony EBONY ebony") == [("Ebony", "Ebony"), ("ebony", "ebony")]
    compounds = Matcher(["short-term", "short term"])
    assert [one for _, one in compounds.find_in("short-term short term")] == ["short-term", "short term"]  # fmt: skip


def test_unknown_rules_are_refused():
    with pytest.raises(SourceError) as said:
        Rule("loose")
    assert (
        str(said.value) == "unknown rule for case\n  got: 'loose'\n  allowed: auto, exact, ignore"
    )
