"""Ranks of words, and the words that topics are made of, whatever a source keeps them in."""

import gzip

import numpy as np
import pytest
from tests.sources.files.writers import Data, as_text, csv_file, matrix, npz, word2vec_binary

import eatlas
from eatlas.engine.frequency import ranking_of
from eatlas.errors import SourceError
from eatlas.measures.topics import Listed
from eatlas.sources import ArraySource, open_vectors
from eatlas.sources.frequency_order import (
    MOST_WORDS,
    WordOrder,
    is_candidate,
    sample_order,
)
from eatlas.stats.topics import SCALE

LISTED = list(open_vectors("glove-sample").vocabulary())[:3000]
DATA = Data(LISTED, matrix(3000, 12))
TEST = eatlas.AssociationTest(
    id="common",
    X=eatlas.Concept(name="X", terms=("war", "police", "army", "attack")),
    Y=eatlas.Concept(name="Y", terms=("music", "film", "song", "art")),
    A=eatlas.Concept(name="A", terms=("good", "best", "love", "peace")),
    B=eatlas.Concept(name="B", terms=("bad", "fear", "crime", "dead")),
)


def ranking(source, wish="cheap", test=TEST):
    return ranking_of(open_vectors(source), [test], "auto", wish)


def same(one, other):
    assert one.ranks == other.ranks
    assert list(one.topic_words.place) == list(other.topic_words.place)
    assert np.allclose(rows_of(one), rows_of(other), atol=1 / SCALE)


def rows_of(found):
    """Unit rows of the words that topics are made of."""
    return found.topic_words.vocabulary.rows / SCALE


def test_an_index_a_pass_and_an_array_say_the_same(tmp_path, monkeypatch):
    path = tmp_path / "v.txt"
    path.write_bytes(as_text(DATA))
    expected = ranking(ArraySource(LISTED, DATA.vectors, ordered=True))
    assert expected.ranks == {t: LISTED.index(t) + 1 for t in TEST.terms}
    same(ranking(path), expected)
    monkeypatch.setattr("eatlas.sources.word2vec._INDEX_FROM", 0)
    indexed = open_vectors(path)
    indexed.lookup({"war"})  # writes the index
    assert indexed.index() is not None
    same(ranking(indexed), expected)
    packed = tmp_path / "v.txt.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    same(ranking(packed), expected)
    binary = word2vec_binary(tmp_path, DATA)
    same(ranking(binary), expected)
    binary_indexed = open_vectors(binary)
    binary_indexed.lookup({"war"})
    same(ranking(binary_indexed), expected)


def test_a_word_that_stands_twice_has_its_first_rank(tmp_path):
    words = [*LISTED[:2000], "war", *LISTED[2000:]]
    data = Data(words, matrix(len(words), 12))
    path = tmp_path / "v.txt"
    path.write_bytes(as_text(data))
    source = open_vectors(path)
    source.lookup({"war"})
    for found in (ranking(source), ranking(ArraySource(words, data.vectors, ordered=True))):
        assert found.ranks["war"] == LISTED.index("war") + 1
        assert found.ranks["fear"] == words.index("fear") + 1
    assert WordOrder("mine", words).candidates()["war"] == LISTED.index("war") + 1


def test_formats_without_an_order_say_so(tmp_path):
    arrays, table = npz(tmp_path, DATA), csv_file(tmp_path, DATA)
    for source in (arrays, table, dict(zip(LISTED, DATA.vectors, strict=True))):
        found = ranking(source)
        assert not found.ranks
        assert "has no information on how frequent its words are" in found.reason


def test_a_short_list_and_one_in_another_order_are_not_taken_at_their_word():
    few = ranking(ArraySource(LISTED[:999], DATA.vectors[:999], ordered=True))
    assert few.reason == (
        "array has 999 words; with fewer than 1,000, their order need not reflect frequency"
    )
    rows = np.argsort(LISTED)
    alphabetical = ranking(ArraySource([LISTED[i] for i in rows], DATA.vectors[rows], ordered=True))
    assert alphabetical.ranks == {}
    assert "not in order of frequency: their ranks correlate by" in alphabetical.reason
    made = sorted(f"wort{i}" for i in range(1500))
    unknown = ranking(ArraySource(made, matrix(1500, 12), ordered=True))
    assert unknown.reason == "the words of array are in alphabetical order"
    shuffled = [made[i] for i in np.random.default_rng(0).permutation(1500)]
    assert ranking(ArraySource(shuffled, matrix(1500, 12), ordered=True)).ranks == {}


def test_transformed_vectors_keep_ranks_and_transform_random_words():
    plain, centred = ranking("glove-sample"), ranking("glove-sample?transform=center")
    assert plain.ranks == centred.ranks
    place = centred.topic_words.place
    assert place == plain.topic_words.place
    source = open_vectors("glove-sample?transform=center")
    shift = open_vectors("glove-sample")["war"] - source["war"]
    rare = list(place)[-1]  # the source itself does not have it
    for word, vector in (("war", source["war"]), (rare, sample_order().vectors[rare] - shift)):
        expected = vector / np.linalg.norm(vector)
        assert np.allclose(rows_of(centred)[place[word]], expected, atol=1 / SCALE)


def test_a_source_keeps_the_words_of_topics_and_the_last_topics(monkeypatch):
    """Words are looked up once for a loop over tests, and topics made once for a list."""
    source = ArraySource(LISTED, DATA.vectors, ordered=True)
    first = ranking(source).topic_words
    monkeypatch.setattr(WordOrder, "candidates", None)
    other = TEST.model_copy(update={"X": TEST.Y, "Y": TEST.X})
    assert ranking(source, test=other).topic_words is first
    alone = eatlas.WEAT(resamples=0)(TEST, source).frequency.matched
    kept = dict(first._known)
    assert len(kept) == 4
    again = eatlas.WEAT(resamples=0)(TEST, source).frequency.matched
    assert again == alone
    assert all(first._known[key] is topics for key, topics in kept.items())
    monkeypatch.undo()
    fresh = ArraySource(LISTED, DATA.vectors, ordered=True)
    assert eatlas.WEAT(resamples=0)(TEST, fresh).frequency.matched == alone
    few = ArraySource(LISTED[:1_000], DATA.vectors[:1_000], ordered=True)
    small = ranking(few)
    assert small.topic_words is None
    assert small.reason == "array has too few words for topics, fewer than 1,000"


def test_an_encoder_has_ranks_and_no_random_words():
    found = ranking(lambda texts: [np.ones(3) for _ in texts])
    assert found.vocabulary == "GloVe 6B"
    assert found.ranks["war"] == sample_order().ranks(["war"])["war"]
    assert found.topic_words is None


def test_candidates_are_words_of_letters_and_of_a_long_list_rarer_ones_thinned():
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = [a + b + c + d for a in letters[:6] for b in letters for c in letters for d in letters]
    order = WordOrder("mine", ["9", "x", "two_words", "Anna", *words])
    candidates = order.candidates()
    assert not {"9", "x", "two_words"} & set(candidates)
    assert candidates["Anna"] == 4
    ranks = np.array([*candidates.values()])
    assert (np.diff(ranks) > 0).all()
    assert ranks[9_000] == 9_004
    assert 14_000 < len(ranks) <= MOST_WORDS
    per_step = np.histogram(np.log(ranks[ranks > 15_000]), 8)[0]
    assert per_step.max() < 1.1 * per_step.min()


def test_topics_are_of_the_lists_kind():
    """Names of a cased vocabulary are replaced by words with a capital letter."""
    rng = np.random.default_rng(0)
    words = [word.title() if i % 2 else word for i, word in enumerate(LISTED)]
    known = ranking(ArraySource(words, rng.normal(size=(3000, 12)), ordered=True)).topic_words
    logs, rows = np.log([400, 410, 420]), np.eye(12)[:3]
    for keys in (("War", "Police", "Army"), ("music", "film", "song")):
        halves = [known.like(Listed(keys, logs, rows), half, 0).words.ravel() for half in (0, 1)]
        for places in halves:
            assert (known.lower[places] == (keys[0] == keys[0].lower())).all()
        assert not set(halves[0].tolist()) & set(halves[1].tolist())


def test_the_bundled_list_is_that_of_glove():
    """GloVe 6B begins so; its ranks were taken from the index of all its words."""
    order = sample_order()
    assert order.ranks(["the", "of", "house", "nothere"]) == {"the": 1, "of": 4, "house": 167}
    ranks = order._ranks
    assert (np.diff(ranks) > 0).all()
    assert ranks[9999] == 10_580
    assert ranks[-1] <= order.size == 400_000
    assert all(map(is_candidate, order.words[10_000:]))


def counts_file(folder, words, separator="\t", head=""):
    lines = [f"{word}{separator}{10_000 - 3 * i}" for i, word in enumerate(words)]
    path = folder / "counts.txt"
    path.write_text(head + "\n".join(reversed(lines)) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(("separator", "head"), [("\t", ""), (" ", ""), (",", "word,count\n")])
def test_a_list_of_counts_gives_an_order_to_any_source(tmp_path, separator, head):
    words = [word for word in LISTED if "," not in word and '"' not in word]
    counts = counts_file(tmp_path, words, separator, head)
    arrays = npz(tmp_path, DATA)
    spec = f"{arrays}?counts={counts}"
    found = ranking(spec)
    assert found.vocabulary == str(counts)
    assert found.ranks == {t: words.index(t) + 1 for t in TEST.terms}
    (result,) = eatlas.run(tests=TEST, vectors=spec, measures="ml-eat(resamples=0)")
    assert result.source == spec
    assert result.frequency.matched.nearness.targets.pairs == 150
    assert ";counts=sha256:" in result.provenance.source_fingerprint
    assert [v.status for v in eatlas.verify([result])] == ["same"]
    centred = ranking(f"{arrays}?transform=center&counts={counts}")
    assert centred.ranks == found.ranks
    assert not np.allclose(rows_of(centred), rows_of(found), atol=1 / SCALE)


def test_counts_that_cannot_be_read_are_named(tmp_path):
    path, arrays = tmp_path / "counts.txt", npz(tmp_path, DATA)
    path.write_text("the\t5\nof\tmany\n")
    with pytest.raises(SourceError, match="line 2: not a word with its count"):
        open_vectors(f"{arrays}?counts={path}")
    with pytest.raises(SourceError, match="cannot be read"):
        open_vectors(f"{arrays}?counts={tmp_path}/none.txt")


def test_means_of_words_have_the_topics_of_their_words():
    """Of transformed words too, where vectors of the package stand for words of topics."""
    for words in ("glove-sample", "glove-sample?transform=center"):
        source = open_vectors(f"cbow:{words}")
        same(ranking_of(source, [TEST], "auto", "cheap"), ranking(words))
        assert source.notes == open_vectors(words).notes
    of_paper = ranking("cbow:glove-840b-words", test=eatlas.load_tests("weat-7")[0])
    assert of_paper.reason == "glove-840b-words has the words of tests alone, and no topics"


def test_the_paper_s_words_are_measured_as_means_of_one_word():
    of_means, of_words = (
        eatlas.run("weat-7", name, "weat(resamples=0)")[0]
        for name in ("cbow:glove-840b-words", "glove-840b-words")
    )
    assert round(of_means.level1.p.greater, 3) == 0.016
    assert of_means.effect_size == pytest.approx(of_words.effect_size, abs=1e-12)
