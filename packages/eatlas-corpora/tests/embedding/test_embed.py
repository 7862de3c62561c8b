"""Vectors of terms in parts of a corpus, against loops of plain Python."""

import json
import re

import numpy as np
import pytest

import eatlas
import eatlas_corpora.engine.embedding
from eatlas.errors import EatlasError, EatlasWarning
from eatlas_corpora.stats.local import transformation

pytestmark = pytest.mark.filterwarnings("ignore:The transformation fits")  # random vectors
WORDS = [f"w{i}" for i in range(60)]
TERMS = {"X": ["ivy", "rose"], "Y": ["ant", "bee"], "A": ["w1", "w2"], "B": ["w3", "w4"]}
TEST = eatlas.AssociationTest(id="tiny", **{role: {role: terms} for role, terms in TERMS.items()})
TARGETS = [*TERMS["X"], *TERMS["Y"]]
D, WINDOW = 5, 3


@pytest.fixture(scope="module")
def vectors():
    rng = np.random.default_rng(0)
    return {word: rng.normal(size=D).astype(np.float32) for word in [*WORDS, *TARGETS]}


@pytest.fixture(scope="module")
def documents():
    """Texts of two parties and three years; a word of the dictionary or a target, or neither."""
    rng = np.random.default_rng(1)
    pool = [*WORDS, *WORDS, *TARGETS, "the", "unknown"]
    rows = []
    for i in range(80):
        words = rng.choice(pool, 120).tolist()
        words[0] = words[0].capitalize()
        text = " ".join(words) + "."
        rows.append({"text": text, "party": "ab"[i % 2], "year": 1990 + i % 3, "who": f"s{i % 7}"})
    return rows


@pytest.fixture(scope="module")
def corpus(documents, tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpus")
    lines = [json.dumps(row) + "\n" for row in documents]
    (folder / "1.jsonl").write_text("".join(lines[:50]))
    (folder / "2.jsonl").write_text("".join(lines[50:]))
    return folder


def contexts_of(documents, vectors):
    """Mean vector of every context: document, word, vector; by a loop over words."""
    stop = {"the"}
    for number, row in enumerate(documents):
        words = [word.lower() for word in re.findall(r"\w+", row["text"])]
        for i, word in enumerate(words):
            near = [*words[max(0, i - WINDOW) : i], *words[i + 1 : i + 1 + WINDOW]]
            near = [vectors[w].astype(float) for w in near if w in vectors and w not in stop]
            if near:
                yield number, word, np.mean(near, axis=0)


def embed(corpus, vectors, **options):
    options = {"by": "party", "window": WINDOW, **options}
    return eatlas.embed(corpus, TEST, vectors, **options)


def test_sums_transformation_and_vectors_are_those_of_a_loop(corpus, documents, vectors, tmp_path):
    out = tmp_path / "parts.npz"
    parts = embed(corpus, vectors, out=out)
    every = list(contexts_of(documents, vectors))
    assert parts.parts == ["a", "b"]
    assert parts.about.documents == parts.about.blocks == (40, 40)
    means = np.array([np.mean([v for _, w, v in every if w == word], axis=0) for word in vectors])
    counts = np.array([sum(w == word for _, w, _ in every) for word in vectors])
    matrix, quality, learned = transformation(means, counts, np.array([*vectors.values()], float))
    # a file gives a word of the transformation so many contexts, which is all of them here
    assert learned == parts.about.transformation.words
    np.testing.assert_allclose(parts.matrix, matrix, atol=1e-4)
    assert parts.about.transformation.quality == pytest.approx(quality, abs=1e-4)
    for source, party in zip(eatlas.sources.open_sources(str(out)), "ab", strict=True):
        assert source.name == f"{out}#{party}"
        found = source.lookup([*vectors])
        for term in TARGETS:
            own = [v for n, w, v in every if w == term and documents[n]["party"] == party]
            np.testing.assert_allclose(found[term], np.mean(own, axis=0) @ matrix, atol=1e-4)
        for term in TERMS["A"]:  # attributes are the published yardstick
            np.testing.assert_array_equal(found[term], vectors[term])
    (everything,) = eatlas.sources.open_sources(f"{out}?local=all#b")
    own = [v for n, w, v in every if w == "w1" and documents[n]["party"] == "b"]
    np.testing.assert_allclose(
        everything.lookup(["w1"])["w1"], np.mean(own, axis=0) @ matrix, atol=1e-4
    )


def test_files_and_units_change_no_vector(corpus, documents, vectors, tmp_path):
    whole = tmp_path / "whole.csv"
    rows = [f"{row['party']},{row['who']},{row['text']}\n" for row in documents]
    whole.write_text("party,who,text\n" + "".join(rows))
    first, second = embed(corpus, vectors), embed(whole, vectors, unit="who")
    speakers = [row["who"] for row in documents if row["party"] == "a"]
    assert second.about.units[0] == tuple(dict.fromkeys(speakers))
    assert second.about.blocks == (7, 7)
    for parts in (first, second):
        sums = np.zeros((2, len(parts.terms), D))
        np.add.at(sums, (parts.rows[:, 0], parts.rows[:, 2]), parts.sums)
        if parts is first:
            expected, contexts = sums, parts.contexts
    np.testing.assert_allclose(sums, expected, rtol=1e-5)
    np.testing.assert_array_equal(parts.contexts, contexts)


def test_the_unit_is_the_speaker_where_speakers_repeat(documents, vectors, tmp_path):
    path = tmp_path / "texts.jsonl"
    for field, rows in (("speaker", documents), ("Author", documents[:7]), ("who", documents)):
        named = [{**row, field: row["who"]} for row in rows]
        named[3].pop(field)  # a document of its own
        path.write_text("".join(json.dumps(row) + "\n" for row in named * (2 if rows[7:] else 9)))
        if field == "speaker":
            found = embed(path, vectors, by="year").about
            assert (found.resample, found.resample_found) == ("speaker", True)
            assert sum(found.documents) == 160
            assert found.blocks == (9, 7, 7)  # the two documents without one are units
            chosen = embed(path, vectors, by="year", unit="document").about
            assert (chosen.resample, chosen.blocks) == ("", chosen.documents)
            named_by_user = embed(path, vectors, by="year", unit="speaker").about
            assert named_by_user.left_out == {"without the field of the unit": 2}
            assert not named_by_user.resample_found
        else:
            about = embed(path, vectors, by="party").about
            assert about.resample == {"Author": "Author", "who": ""}[field]
    assert embed(path, vectors, by="who").about.resample == ""


def test_contexts_of_a_tier_are_a_random_half_of_what_is_left(corpus, vectors):
    parts = embed(corpus, vectors)
    again = embed(corpus, vectors, by="year", unit="who")
    tiers = [np.bincount(each.rows[:, 3], each.counts, 32) for each in (parts, again)]
    np.testing.assert_array_equal(*tiers)  # they depend on the text alone
    whole = tiers[0].sum()
    np.testing.assert_allclose(tiers[0][:4] / whole, [0.5, 0.25, 0.125, 0.0625], atol=0.04)


def test_years_are_a_series(corpus, vectors, tmp_path):
    out = tmp_path / "years.npz"
    embed(corpus, vectors, by="year", bins=[(1990, 1990), (1991, 1992)], out=out)
    results = eatlas.run(TEST, out, "ml-eat(resamples=0,frequency=off)")
    assert [(r.period, r.source) for r in results] == [
        (1990, f"{out}#1990"), (1991, f"{out}#1991-1992"),
    ]  # fmt: skip
    (trend,) = results.trends
    assert trend.source == str(out)
    assert trend.periods == (1990, 1991)
    documents = results[1].documents
    assert documents.blocks == documents.documents > 50
    assert documents.contexts.keys() == set(TARGETS)
    assert (
        documents.level1.interval[0] < results[1].level1.effect_size < documents.level1.interval[1]
    )
    first = documents.differences[0]
    assert (first.part, first.level) == ("1990", "level1")
    each = [result.level1.effect_size for result in results]
    assert first.difference != pytest.approx(each[1] - each[0], abs=1e-6)
    fewest = sum(results[0].documents.contexts.values())
    assert first.contexts == pytest.approx((fewest, fewest), abs=4)
    assert first.over_both[1] - first.over_both[0] > first.interval[1] - first.interval[0]
    assert 0.05 < first.p <= 1  # the same words in all years
    assert [verdict.status for verdict in eatlas.verify(results)] == ["same"] * 3
    sizes = [f"{d:.2f}".replace("-", "\N{MINUS SIGN}") for d in each]
    alt = eatlas.plot(results, "timeline").alt
    assert f"Level 1: X against Y: d from {sizes[0]} in 1990 to {sizes[1]} in 1991-1992" in alt


@pytest.mark.parametrize(
    ("bins", "parts"),
    [
        ("years", ["1990", "1991", "1992"]),
        ("decades", ["1990-1999"]),
        ("centuries", ["1900-1999"]),
    ],
)
@pytest.mark.filterwarnings("ignore:All documents are in one subcorpus")
def test_bins_by_their_length(corpus, vectors, bins, parts):
    about = embed(corpus, vectors, by="year", bins=bins).about
    assert list(about.parts) == parts
    assert sum(about.documents) == 80


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"by": "year", "bins": "decade"}, "cannot be used; did you mean decades?"),
        ({"by": "party", "bins": "decades"}, "80 documents with a field that is not a year"),
        ({"by": "partei"}, "no document is in a part"),
        ({"by": "party", "bins": [(1990, 1999)]}, "no document is in a part"),
        ({"by": "year", "bins": [(1990, 1995), (1995, 1999)]}, "ranges of years cannot"),
        ({"window": 0}, "window"),
        ({"unit": "nobody"}, "unit=nobody"),
        ({"matrix": __file__}, "no subcorpora"),
    ],
)
def test_what_is_refused(corpus, vectors, options, says):
    with pytest.raises(EatlasError, match=says):
        embed(corpus, vectors, **options)


def test_a_part_without_contexts_of_a_test_and_notes_of_each_test(documents, vectors, tmp_path):
    rare = {**TERMS, "X": ["oak", "elm"], "Y": ["cod", "eel"]}
    concepts = {role: {role: terms} for role, terms in rare.items()}
    second = eatlas.AssociationTest(id="rare", **concepts)
    words = " ".join(WORDS)
    more = [
        {"text": f"{words} {t} {words}", "party": "c & d"} for t in ("oak", "elm", "cod", "eel")
    ]
    (tmp_path / "c.jsonl").write_text(
        "".join(json.dumps(row) + "\n" for row in [*documents, *more])
    )
    out = tmp_path / "parts.npz"
    eatlas.embed(tmp_path / "c.jsonl", [TEST, second], vectors, by="party", window=3, out=out)
    with pytest.warns(EatlasWarning, match="3 of 6 jobs failed"):
        results = eatlas.run([TEST, second], out, "ml-eat(resamples=0,frequency=off)")
    assert [(r.test, r.documents.part) for r in results] == [
        ("tiny", "a"), ("tiny", "b"), ("rare", "c & d"),
    ]  # fmt: skip
    notes = {r.test: [n for n in r.warnings if n.code == "parts.few-contexts"] for r in results}
    assert notes["tiny"] == []
    assert notes["rare"][0].values["terms"].keys() == {"oak", "elm", "cod", "eel"}
    error = next(f.error for f in results.failures if f.test == "tiny")
    assert error.what.endswith(f"no term has a context in the part c & d of {out}")
    assert (error.got, "a larger part of the corpus" in error.remedy) == (
        "missing: ivy, rose",
        True,
    )


def test_what_is_refused_after_reading_leaves_no_file(corpus, vectors, tmp_path):
    with pytest.raises(EatlasError, match="no document is in a part"):
        embed(corpus, vectors, by="nobody", out=tmp_path / "parts.npz")
    assert [path.name for path in tmp_path.iterdir() if path.suffix != ".lock"] == []


def test_repeats_unknown_words_and_a_part_by_itself_are_counted(documents, vectors, tmp_path):
    rows = [{**documents[0], "text": f"{documents[0]['text']} {'nowhere ' * 60}"}, *documents]
    path = tmp_path / "texts.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in [*rows, *documents[:3], rows[0]]))
    parts = embed(path, vectors)
    assert parts.about.repeats == 4
    words = [re.findall(r"\w+", row["text"].lower()) for row in [*rows, *documents[:3], rows[0]]]
    assert parts.about.words == sum(map(len, words))
    known = {*vectors, *eatlas_corpora.engine.embedding.STOP_WORDS}
    assert parts.about.known == sum(word in known for each in words for word in each)
    lone = [{"text": f"{row['text']} {'nowhere ' * 200}", "party": "a"} for row in documents]
    path.write_text("".join(json.dumps(row) + "\n" for row in lone))
    with (
        pytest.warns(eatlas.EatlasWarning, match="have a vector or are stop words"),
        pytest.warns(eatlas.EatlasWarning, match="All documents are in one subcorpus, a"),
    ):
        embed(path, vectors)


def test_damaged_files_and_diagnoses_of_parts_are_refused(corpus, vectors, tmp_path):
    out = tmp_path / "parts.npz"
    embed(corpus, vectors, out=out)
    with pytest.raises(EatlasError, match="only has vectors of the terms of its tests"):
        eatlas.diagnose(f"{out}#a")
    arrays = dict(np.load(out))
    arrays["rows"][0, 0] = 99
    np.savez(out, **arrays)
    with pytest.raises(EatlasError, match="the file of parts is damaged"):
        eatlas.open_vectors(out)
