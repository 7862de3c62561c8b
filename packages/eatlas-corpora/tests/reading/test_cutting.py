"""Contexts cut to fewer words, against extraction with a smaller window."""

from hypothesis import given
from hypothesis import strategies as st
from tests.inputs import make_test

from eatlas_corpora.reading import (
    Context,
    Contexts,
    PairContext,
    Pairs,
    find_contexts,
    find_pairs,
    load_contexts,
)

TEST = make_test()
STIMULI = "aster", "love", "“ant”"
WORDS = st.sampled_from([*STIMULI, "the", "of.", "x", "naïve", "no\u00a0break", "aster-like"])
SPACES = st.sampled_from([" ", "  ", "\t "])


@st.composite
def lines(draw):
    """Lines that hold no stimulus twice, so that a place is known by its line and stimulus."""
    found = []
    for words in draw(st.lists(st.lists(WORDS, max_size=14), max_size=8)):
        held, line = set(), ""
        for word in words:
            name = word.removesuffix("-like")
            if name not in STIMULI or name not in held:
                held.add(name)
                line += word + draw(SPACES)
        found.append(line)
    return found


def corpus(folder, given):
    path = folder.mktemp("corpus") / "some.txt"
    path.write_text("\n".join(given), encoding="utf-8")
    return path


@given(lines(), st.integers(0, 9))
def test_what_is_cut_is_what_extraction_takes(tmp_path_factory, given, window):
    path = corpus(tmp_path_factory, given)
    cut = find_contexts(path, TEST, window=9).cut(window)
    narrow = find_contexts(path, TEST, window=window)
    assert len(cut) == len(narrow)
    assert set(cut) == set(narrow)
    assert cut.counts == narrow.counts
    assert cut.window == window


@given(lines(), st.integers(0, 4))
def test_pairs_are_cut_as_extraction_takes_them(tmp_path_factory, given, window):
    path = corpus(tmp_path_factory, given)
    cut = find_pairs(path, TEST, window=4, distance=4).cut(window)
    narrow = find_pairs(path, TEST, window=window, distance=4)
    assert len(cut) == len(narrow)
    assert set(cut) == set(narrow)
    assert (cut.window, cut.distance) == (window, 4)


@given(st.lists(st.lists(WORDS, max_size=14).map(" ".join), max_size=8), st.integers(0, 4))
def test_a_stimulus_that_stands_twice_is_still_where_it_is_said(tmp_path_factory, given, window):
    path = corpus(tmp_path_factory, given)
    cut = find_contexts(path, TEST, window=4).cut(window)
    narrow = find_contexts(path, TEST, window=window)
    assert {one[:2] for one in cut} <= {one[:2] for one in narrow}
    assert all(one.text[one.start : one.end] == one.stimulus for one in cut)
    assert len({one[:2] for one in cut}) == len(cut)


def test_the_words_are_counted_from_the_whole_word_that_holds_the_stimulus():
    text = "Über naïve “ant”-like things, he said."
    contexts = Contexts.of([Context("ant", text, 12, 15)])
    assert contexts.cut(0).rows == [Context("ant", "“ant”-like", 1, 4)]
    assert contexts.cut(1).rows == [Context("ant", "naïve “ant”-like things,", 7, 10)]
    assert contexts.cut(9).rows == contexts.rows


def test_texts_that_no_longer_differ_are_one_context():
    texts = ["a love of b", "c love of d", "e love or f"]
    contexts = Contexts.of([Context("love", text, 2, 6) for text in texts], name="c.csv")
    cut = contexts.cut(0)
    assert cut.rows == [Context("love", "love", 0, 4)]
    assert cut.counts == (("love", 3, 1),)
    assert cut.name == "c.csv"
    assert str(cut.origin) == str(contexts.origin) == f"c.csv, SHA-256 {contexts.sha256}"
    assert cut.origin.window == 0


def test_the_first_of_two_places_is_kept():
    twice = "love or love"
    rows = [Context("love", f"or {twice}", 11, 15), Context("love", twice, 0, 4)]
    assert Contexts.of(rows).cut(1).rows == [
        Context("love", "or love", 3, 7),
        Context("love", "love or", 0, 4),
    ]
    wide = [PairContext("ant", "love", "x love ant love y", *where) for where in [
        (7, 10, 11, 15), (7, 10, 2, 6)]]  # fmt: skip
    assert Pairs.of(wide).cut(1).rows == [
        PairContext("ant", "love", "love ant love y", 5, 8, 9, 13),
        PairContext("ant", "love", "x love ant love", 7, 10, 2, 6),
    ]


def test_a_sentence_is_cut_within_itself(tmp_path):
    path = tmp_path / "some.txt"
    path.write_text("One two. Three aster four five. Six.")
    whole = find_contexts(path, TEST, window="sentence")
    assert whole.cut("sentence") is whole
    cut = whole.cut(2)
    assert cut.rows == [Context("aster", "Three aster four five.", 6, 11)]
    cut.write(tmp_path / "cut.jsonl")
    assert load_contexts(tmp_path / "cut.jsonl").window == 2


def test_where_they_are_of_is_said_by_first_and_cut():
    texts = [f"{k} 1{k} 2{k} love 3{k} 4{k} 5{k}" for k in range(5)]
    contexts = Contexts.of([Context("love", text, 8, 12) for text in texts], name="c.csv")
    some = contexts.first(3).cut(2)
    assert (some.origin.sha256, some.origin.per_term) == (contexts.sha256, 3)
    assert contexts.taken(some.origin) == some
    cut = contexts.cut(2)
    assert cut.origin.per_term is None
    assert contexts.taken(cut.origin) == cut
    assert cut.taken(some.origin) is None, "the first of what is cut may be others"
    few = contexts.first(3)
    assert few.first(2).origin.sha256 == few.sha256, "a part of a part is a whole of its own"
    of_cut = cut.first(2)
    assert cut.taken(of_cut.origin) == of_cut
    assert contexts.cut(1).taken(cut.origin) is None, "what was cut off does not come back"
    assert cut.first(1).cut(1).origin.window == 1
