"""Pairs of a target and an attribute, against looking at every two matches of a text."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.inputs import TERMS, make_test
from tests.reading.compiled import sentences

from eatlas.errors import EatlasError
from eatlas_corpora.reading import PairContext, find_pairs, load_contexts, load_pairs

TEST = make_test()
TARGETS, ATTRIBUTES = TERMS["X"] + TERMS["Y"], TERMS["A"] + TERMS["B"]
WORDS = st.sampled_from(["aster", "ant,", "love", "“war”", "and", "then.", "The", "na\u00efve"])
LINES = st.lists(st.lists(WORDS, max_size=14).map(" ".join), max_size=8)


def everything(lines, distance):
    """Every pair of every line: target, attribute and the words from the first to the second."""
    found = []
    for line in lines:
        words = [re.sub(r"\W", "", word) for word in line.split()]
        for k, one in enumerate(words):
            for j in range(k + 1, min(len(words), k + distance + 2)):
                for target, attribute in ((one, words[j]), (words[j], one)):
                    if target in TARGETS and attribute in ATTRIBUTES:
                        between = " ".join(line.split()[k : j + 1])
                        found.append((target, attribute, between))
    return found


@given(LINES, st.integers(0, 5))
def test_pairs_are_all_that_stand_near_each_other(tmp_path_factory, lines, distance):
    path = tmp_path_factory.mktemp("corpus") / "some.txt"
    path.write_text("\n".join(lines), encoding="utf-8")
    pairs = find_pairs(path, TEST, distance=distance, window=0)
    expected = everything(lines, distance)
    assert {(one.target, one.attribute, one.text) for one in pairs} == set(expected)
    assert sum(count.found for count in pairs.counts) == len(expected)
    for one in pairs:
        assert one.text[one.target_start : one.target_end] == one.target
        assert one.text[one.attribute_start : one.attribute_end] == one.attribute


@given(LINES)
def test_pairs_of_one_sentence(tmp_path_factory, lines):
    path = tmp_path_factory.mktemp("corpus") / "some.txt"
    path.write_text("\n".join(lines), encoding="utf-8")
    pairs = find_pairs(path, TEST, distance=20, window="sentence")
    parted = [one for line in lines for one in sentences(line)]
    expected = {
        (target, attribute, one) for one in parted for target, attribute, _ in everything([one], 20)
    }
    assert {(one.target, one.attribute, one.text) for one in pairs} == expected


def test_the_distance_counts_the_words_between(tmp_path):
    path = tmp_path / "some.txt"
    path.write_text("aster one two\tthree  love")
    assert len(find_pairs(path, TEST, distance=2)) == 0
    (one,) = find_pairs(path, TEST, distance=3)
    assert one == PairContext("aster", "love", "aster one two three love", 0, 5, 20, 24)


def test_pairs_do_not_go_across_texts(tmp_path):
    path = tmp_path / "some.txt"
    path.write_text("aster\nlove\n" + "aster and love\n" * 50)
    whole = find_pairs(path, TEST)
    assert {count.found for count in whole.counts} == {0, 50}
    assert [one.text for one in whole] == ["aster and love"]


def test_only_pairs_of_one_test_are_looked_for(tmp_path):
    path = tmp_path / "some.txt"
    path.write_text("aster love; oak joy; aster joy; oak love; love aster")
    other = make_test("other", X=("oak",), Y=("elm",), A=("peril",), B=("joy",))
    few = make_test("few", X=("aster",), Y=("ant",), A=("love",), B=("war",))
    pairs = find_pairs(path, [few, other], distance=0)
    assert {(one.target, one.attribute) for one in pairs} == {("aster", "love"), ("oak", "joy")}
    assert len(pairs.counts) == 8


@pytest.mark.parametrize("name", ["p.parquet", "p.jsonl", "p.csv"])
def test_pairs_are_written_and_read_again(tmp_path, name):
    path = tmp_path / "some.txt"
    path.write_text("aster, love\nwar, “ant”\n")
    pairs = find_pairs(path, TEST, seed=2)
    pairs.write(tmp_path / name)
    again = load_pairs(tmp_path / name)
    assert (again.rows, again.counts, again.provenance) == (
        pairs.rows,
        pairs.counts,
        pairs.provenance,
    )
    assert again.provenance["distance"] == 18
    assert repr(again) == "<Pairs: 2 contexts of 64 pairs>"
    assert again.to_frame().columns.tolist()[:3] == ["target", "attribute", "text"]
    assert again.of_pair("ant", "war")[0].attribute_start == 0
    with pytest.raises(
        EatlasError, match="got: stimulus: (Field required|Missing required argument)"
    ):
        load_contexts(tmp_path / name)
