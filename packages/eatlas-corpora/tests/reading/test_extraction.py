"""Samples of contexts: what is kept of which corpus."""

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare
from tests.inputs import make_test
from tests.reading import oracle

import eatlas
from eatlas.errors import EatlasError, SourceError
from eatlas_corpora.reading import Context, files, find_contexts, find_pairs, sampling

TEST = make_test()
SOME = "aster", "love", "the", "of.", "“ant”", "x", "na\u00efve"
LINES = st.lists(st.lists(st.sampled_from(SOME), max_size=14).map(" ".join), max_size=12)


def everything(lines, words=3):
    """Every context of every stimulus, by a regular expression, and how often each was found."""
    found, contexts = Counter(), set()
    for line in lines:
        for match in re.finditer(r"(?<!\w)(?:aster|love|ant)(?!\w)", line):
            found[match[0]] += 1
            contexts.add((match[0], oracle.window(line, *match.span(), words)))
    return found, contexts


@given(LINES)
def test_windows_are_those_of_a_regular_expression(tmp_path_factory, lines):
    path = tmp_path_factory.mktemp("corpus") / "some.txt"
    path.write_text("\n".join(lines), encoding="utf-8")
    contexts = find_contexts(path, TEST, window=3)
    found, expected = everything(lines)
    assert {(one.stimulus, one.text) for one in contexts} == expected
    assert len(contexts) == len(expected)
    assert {c.stimulus: c.found for c in contexts.counts if c.found} == found
    assert all(one.text[one.start : one.end] == one.stimulus for one in contexts)


@given(LINES, st.integers(1, 4), st.randoms(), st.integers(1, 3))
def test_the_order_of_shards_changes_nothing(tmp_path_factory, lines, per_term, random, shards):
    folder = tmp_path_factory.mktemp("corpus")
    whole = folder / "whole.txt"
    whole.write_text("\n".join(lines), encoding="utf-8")
    random.shuffle(lines)
    for k in range(shards):
        (folder / f"{random.randint(0, 9)}-{k}.shard").write_text(
            "\n".join(lines[k::shards]), encoding="utf-8"
        )
    one = find_contexts(whole, TEST, per_term=per_term, window=3)
    other = find_contexts(folder / "*.shard", TEST, per_term=per_term, window=3)
    assert other.rows == one.rows
    assert other.counts == one.counts
    assert other.sha256 == one.sha256


def corpus(tmp_path, *lines, name="corpus.txt"):
    path = tmp_path / name
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_a_seed_gives_one_sample_and_another_seed_another(tmp_path):
    path = corpus(tmp_path, *(f"{k} aster {k + 1}" for k in range(200)))
    samples = [find_contexts(path, TEST, per_term=20, seed=seed).rows for seed in (0, 0, 1)]
    assert samples[0] == samples[1] != samples[2]
    assert find_contexts(path, TEST, per_term=5).rows == samples[0][:5]


def test_every_context_is_as_likely_as_any_other(tmp_path):
    path = corpus(tmp_path, *(f"{k} aster {k + 1}" for k in range(40)))
    drawn = Counter(
        one.text for seed in range(60) for one in find_contexts(path, TEST, per_term=10, seed=seed)
    )
    counts = [drawn[f"{k} aster {k + 1}"] for k in range(40)]
    assert sum(counts) == 600
    assert chisquare(counts).pvalue > 0.001


def test_the_same_text_is_one_context(tmp_path):
    path = corpus(tmp_path, *["an aster  here"] * 50, "an aster here\tagain")
    contexts = find_contexts(path, TEST)
    assert sorted(one.text for one in contexts) == ["an aster here", "an aster here again"]
    assert contexts.counts[0] == ("aster", 51, 2)


def test_places_are_in_the_text_as_it_is_written(tmp_path):
    path = corpus(tmp_path, "Le cafe\u0301 d\u2019as\u00adter e\u0301tait\tbon")
    (context,) = find_contexts(path, TEST)
    # soft hyphens are left out where texts are read
    assert context == Context("aster", "Le cafe\u0301 d\u2019aster e\u0301tait bon", 11, 16)


def test_repeats_are_kept(tmp_path):
    path = corpus(tmp_path, *["an aster  here"] * 50, "an aster here\tagain", "aster or aster")
    contexts = find_contexts(path, TEST, repeats="keep")
    texts = Counter(one.text for one in contexts)
    assert texts == {"an aster here": 50, "an aster here again": 1, "aster or aster": 2}
    assert contexts.counts[0] == ("aster", 53, 53)
    assert contexts.provenance["repeats"] == "keep"
    assert find_contexts(path, TEST).provenance["repeats"] == "drop"
    assert Counter(one.text for one in contexts.cut(0))["aster"] == 53
    with pytest.raises(EatlasError, match="repeats is not usable"):
        find_contexts(path, TEST, repeats=True)


def test_the_sample_of_repeats_does_not_depend_on_order(tmp_path):
    for k in range(4):
        lines = [f"an aster {j % 3} {k % 2}" for j in range(60)]
        corpus(tmp_path, *lines, name=f"{k}.txt")  # 0 and 2 are copies, and 1 and 3
    files = sorted(tmp_path.iterdir())
    every = find_contexts(files, TEST, repeats="keep")
    assert len(every) == 240
    some = find_contexts(files, TEST, repeats="keep", per_term=50)
    assert some.rows == every.rows[:50]

    def backwards(function, items):
        for position in reversed(range(len(items))):
            yield position, function(items[position])

    again = find_contexts(files[::-1], TEST, repeats="keep", per_term=50, executor=backwards)
    assert again.rows == some.rows


def test_pairs_that_repeat_are_kept(tmp_path):
    path = corpus(tmp_path, *["love an aster"] * 7)
    assert len(find_pairs(path, TEST)) == 1
    assert find_pairs(path, TEST, repeats="keep").counts[0].kept == 7


def test_a_window_that_holds_the_stimulus_twice_keeps_the_first(tmp_path):
    path = corpus(tmp_path, "aster or aster")
    assert find_contexts(path, TEST).rows == [Context("aster", "aster or aster", 0, 5)]


def test_contexts_end_where_a_text_ends(tmp_path):
    path = corpus(tmp_path, "one two", "three aster four", "five six")
    assert find_contexts(path, TEST).rows[0].text == "three aster four"


def test_paragraphs_go_across_lines(tmp_path):
    path = corpus(tmp_path, "one", "two aster", "three", " \t", "four love", "", "five")
    contexts = find_contexts(path, TEST, unit="paragraph")
    assert [one.text for one in contexts] == ["one two aster three", "four love"]
    assert contexts.provenance["files"][0]["texts"] == 3


@pytest.mark.parametrize("unit", ["line", "paragraph"])
def test_blocks_do_not_cut_texts(tmp_path, monkeypatch, unit):
    parted = "\n" if unit == "line" else "\n\n"
    path = tmp_path / "corpus.txt"
    path.write_text(parted.join(f"{k} an aster {k}" for k in range(300)), encoding="utf-8")
    whole = find_contexts(path, TEST, unit=unit)
    monkeypatch.setattr(files, "BLOCK", 100)
    assert find_contexts(path, TEST, unit=unit).rows == whole.rows
    assert len(whole) == 300


def test_a_line_without_end_is_parted_at_white_space(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "BLOCK", 64)
    monkeypatch.setattr(files, "LONGEST_LINE", 64)
    path = corpus(tmp_path, " ".join(f"{k} aster" for k in range(100)))
    assert find_contexts(path, TEST).counts[0].found == 100
    with pytest.raises(SourceError, match="a text is too long"):
        find_contexts(corpus(tmp_path, "é" * 200), TEST)


def test_words_without_end_are_left_out(tmp_path):
    path = corpus(tmp_path, f"before {'x' * 5000} an aster of {'é' * 5000} behind")
    assert find_contexts(path, TEST).rows[0].text == "an aster of"
    assert sampling.MOST == 4096


def test_what_was_asked_for_and_not_found_is_said(tmp_path):
    contexts = find_contexts(corpus(tmp_path, "aster", "an aster"), TEST, per_term=3)
    assert contexts.counts[:2] == (("aster", 2, 2), ("clover", 0, 0))
    assert contexts.few == contexts.counts
    assert contexts.to_frame().columns.tolist() == ["stimulus", "text", "start", "end"]
    assert repr(contexts) == f"<Contexts: 2 of {len(contexts.counts)} stimuli>"


def test_provenance_says_what_was_read_and_how(tmp_path):
    path = corpus(tmp_path, "aster")
    said = find_contexts(path, TEST, seed=3, per_term=2).provenance
    assert said["seed"] == 3
    assert said["version"] == eatlas.__version__
    assert said["tests"] == [TEST.id]
    (file,) = said["files"]
    assert (file["file"], file["size"], file["texts"], file["damaged"]) == (str(path), 6, 1, 0)
    assert len(file["ends_sha256"]) == 64


def test_the_head_of_a_compound_is_marked_and_counted_for_the_whole(tmp_path):
    path = corpus(tmp_path, "We had chicken. A loud fried-chicken shop.")
    contexts = find_contexts(path, "i1-name", compounds="head", window=1)
    assert sorted(contexts.of_stimulus("fried-chicken")) == [
        Context("fried-chicken", "had chicken. A", 4, 11),
        Context("fried-chicken", "loud fried-chicken shop.", 11, 18),
    ]
    assert contexts.provenance["compounds"] == "head"
