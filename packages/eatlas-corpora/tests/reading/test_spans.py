"""Spans of sentences and what is associated in them: by hand, and against plain loops."""

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reading import span_oracle
from tests.reading.compiled import batches_of

from eatlas_corpora.reading.counts import Search
from eatlas_corpora.reading.matching import MatchRule

GENDER = tuple(
    zip(("Female", "Male"), (("she", "her", "woman"), ("he", "his", "man")), strict=True)
)
RACE = tuple(
    zip(
        ("Asian", "Hispanic", "White"),
        (("chen", "li"), ("garcia",), ("smith", "jones")),
        strict=True,
    )
)
TARGETS = ("nurse", "pilot", "Judge")


def counted(documents, span=3, families=(GENDER, RACE), targets=TARGETS, window=None):
    """The table, and the totals."""
    search = Search(targets, families, MatchRule(), span, window)
    blocks, totals = search(None, batches_of(documents))
    return blocks.sum(axis=0), totals


def outcomes(tally, families=(GENDER, RACE), targets=TARGETS):
    """The table as the oracle writes it."""
    found, first = {}, 0
    for number, family in enumerate(families):
        for column, name in enumerate((*dict(family), "none", "several"), start=first):
            for row, target in enumerate(targets):
                if tally[0][row, column]:
                    found[target, number, name] = int(tally[0][row, column])
        first += len(family) + 2
    return found


def totals(tally):
    return dict(zip(("documents", "sentences", "spans", "tokens"), tally[1].tolist(), strict=True))


def test_some_word_of_the_group_and_none_of_the_others():
    """DivDist, section 4.1: with words of both groups a span associates with neither."""
    one = "The nurse said that she and the woman knew. "
    both = "The nurse told her that he knew. "
    none = "A nurse came. "
    tally = counted([one, both, none, none], span=1, families=(GENDER,))
    assert tally[0][0].tolist() == [1, 0, 2, 1]
    assert tally[0][1:-1].sum() == 0
    assert tally[0][-1].tolist() == [1, 0, 2, 1]


def test_a_span_counts_once_however_often_words_are_in_it():
    tally = counted(["Nurse, nurse, nurse. She, she. Her nurse."], families=(GENDER,))
    assert tally[0][0].tolist() == [1, 0, 0, 0]


def test_spans_are_disjoint_and_do_not_go_across_documents():
    document = "A nurse. B it. C it. She left. A nurse."  # C closes the first span
    assert outcomes(counted([document])) == {
        ("nurse", 0, "none"): 1,
        ("nurse", 0, "Female"): 1,
        ("nurse", 1, "none"): 2,
    }
    assert outcomes(counted(["A nurse.", "She left."], families=(GENDER,)), (GENDER,)) == {
        ("nurse", 0, "none"): 1
    }


def test_whole_words_and_the_case_rule():
    texts = ["THE NURSE AND SHE.", "A nursery, she.", "judge she.", "Judge she.", "Pilots, she."]
    tally = counted(texts, 1, families=(GENDER,))
    assert tally[0][:, 0].tolist() == [1, 0, 1, 5]


def test_words_are_counted_in_one_form():
    tally = counted(["The cafe\u0301’s nurse was Ms. O\u2019Brien. Senor."], span=1, families=(tuple(zip(("a", "b"), (("O'Brien",), ("se\u00f1or",)), strict=True)),), targets=("caf\u00e9's nurse",))  # fmt: skip
    assert tally[0][0].tolist() == [1, 0, 0, 0]


def test_a_word_may_be_a_target_and_of_a_group_and_of_two_families():
    again = tuple(zip(("Woman", "Man", "Child"), (("woman",), ("man",), ("child",)), strict=True))
    tally = counted(["A woman, a nurse."], 1, families=(GENDER, again), targets=("nurse", "woman"))
    assert tally[0].tolist() == [[1, 0, 0, 0, 1, 0, 0, 0, 0]] * 3


def test_nothing_at_all():
    assert totals(counted(["", " \n\t ", ""])) == {
        "documents": 0, "sentences": 0, "spans": 0, "tokens": 0,
    }  # fmt: skip


WORDS = (
    "nurse", "Nurse", "pilot", "pilots", "Judge", "judge", "she", "SHE", "her", "he", "He", "his",
    "man", "woman", "chen", "Chen", "garcia", "smith", "é", "naïve", "it", "x1", "30", "über",
)  # fmt: skip
sentence = st.tuples(
    st.lists(st.sampled_from(WORDS), min_size=0, max_size=6), st.sampled_from(".!?")
).map(lambda parts: " ".join(["So", *parts[0]]) + parts[1])
document = st.tuples(
    st.lists(sentence, max_size=9), st.sampled_from((" ", "  ", "\n", "\n\n", "\t"))
).map(lambda parts: parts[1].join(parts[0]))


@settings(deadline=None, max_examples=60)
@given(st.lists(document, max_size=6), st.integers(1, 5))
def test_counts_are_those_of_plain_loops(documents, span):
    words = [dict(one) for one in (GENDER, RACE)]
    expected, sums = span_oracle.count(documents, TARGETS, words, span)
    tally = counted(documents, span)
    assert outcomes(tally) == dict(expected)
    assert totals(tally) == {name: sums[name] for name in totals(tally)}


MANY = (("Female", ("she", "head woman")), ("Male", ("he", "his")))
IN_PAIRS = ("nurse", "police officer", "she")


@settings(deadline=None, max_examples=60)
@given(
    st.lists(
        st.lists(
            st.sampled_from(("nurse", "police", "officer", "she", "head", "woman", "he", "x")),
            max_size=20,
        ).map(" ".join),
        max_size=5,
    ),
    st.integers(1, 12),
)
def test_pairs_of_words_are_those_of_plain_loops(documents, window):
    expected, tokens = span_oracle.pairs(documents, IN_PAIRS, dict(MANY), window)
    table, totals = counted(documents, families=(MANY,), targets=IN_PAIRS, window=window)
    names = ("Female", "Male", "near")
    found = {
        (term, name): int(n)
        for term, row in zip((*IN_PAIRS, "(all)"), table, strict=True)
        for name, n in zip(names, (row[0], row[1], row.sum()), strict=True)
        if n
    }
    assert found == {key: n for key, n in expected.items() if n}
    assert totals.tolist() == [
        sum(bool(one.split()) for one in documents), 0, expected["(all)", "near"], tokens,
    ]  # fmt: skip


def test_the_oracle_is_independent():
    assert "eatlas." not in Path(span_oracle.__file__).read_text()
