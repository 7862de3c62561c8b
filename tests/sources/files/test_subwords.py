"""fastText models written by gensim: its vectors, and its vectors for words it does not know."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from eatlas import open_vectors
from eatlas.errors import SourceError
from eatlas.sources.files.fasttext import Ngrams

SENTENCES = [["night", "nights", "nightly", "Über", "naïve", "日本語", "x"]] * 3
UNKNOWN = ["knight", "übermorgen", "日本", "NIGHTS", "y"]
# gensim sums n-grams in float32, we in float64; largest difference seen: 3e-8
CLOSE = 1e-6


@pytest.fixture(scope="module")
def model():
    from gensim.models import FastText

    return FastText(
        SENTENCES,
        vector_size=6,
        min_count=1,
        bucket=50,
        min_n=2,
        max_n=4,
        epochs=1,
        seed=1,
        workers=1,
    )


@pytest.fixture(params=["bin", "model", "side", "kv"])
def path(request, model, tmp_path):
    from gensim.models.fasttext import save_facebook_model

    if request.param == "bin":
        save_facebook_model(model, str(tmp_path / "m.bin"))
        return tmp_path / "m.bin"
    if request.param == "kv":
        model.wv.save(str(tmp_path / "m.kv"))
        return tmp_path / "m.kv"
    model.save(str(tmp_path / "m.model"), sep_limit=1 if request.param == "side" else 1 << 30)
    return tmp_path / "m.model"


def test_known_words_have_gensims_vectors(path, model):
    source = open_vectors(path)
    found = source.lookup([*model.wv.index_to_key, *UNKNOWN])
    assert set(found) == set(model.wv.index_to_key)
    for word, vector in found.items():
        np.testing.assert_allclose(vector, model.wv[word], atol=CLOSE)
    assert list(source.vocabulary()) == model.wv.index_to_key
    rows = np.concatenate([chunk.vectors for chunk in source.iter_chunks(3)])
    np.testing.assert_allclose(rows, model.wv.vectors, atol=CLOSE)
    assert source.notes == ()


def test_unknown_words_have_gensims_vectors(path, model):
    source = open_vectors(f"{path}?oov=subword")
    found = source.lookup(UNKNOWN)
    for word in ("knight", "übermorgen", "日本"):
        np.testing.assert_allclose(found[word], model.wv[word], atol=CLOSE)
    assert "with a vector from character n-grams (in some spelling): " in source.notes[0]
    assert "knight" in source.notes[0]


def test_a_spelling_that_is_known_goes_before_ngrams(path):
    source = open_vectors(f"{path}?oov=subword")
    assert set(source.lookup(["NIGHTS", "nights", "Nights"])) == {"nights"}
    assert set(source.lookup(["NIGHTS"])) == {"NIGHTS"}


def test_a_phrase_or_a_sentence_is_no_unknown_word(path):
    source = open_vectors(f"{path}?oov=subword")
    asked = ["This is John.", "New York", "tab\tbed", "Jhon"]
    assert set(source.lookup(asked)) == {"Jhon"}


def test_ngrams_are_those_of_fasttext():
    # FNV-1a over signed bytes: for "é" fastText's C++ and the unsigned variant differ
    assert Ngrams(3, 3, 1 << 32).of("a") == [_fnv("<a>")]
    assert Ngrams(1, 1, 1 << 32).of("ab") == [_fnv("a"), _fnv("b")]
    assert Ngrams(3, 6, 10).of("</s>") == []


def _fnv(text: str) -> int:
    value = 2166136261
    for byte in text.encode():
        value = ((value ^ byte) * 16777619) % (1 << 32)
    return value


def test_ngrams_where_there_are_none(tmp_path, model):
    from tests.sources.files.writers import gensim_kv

    with pytest.raises(SourceError, match="these vectors have no sub-words\n  got: oov=subword"):
        open_vectors(gensim_kv(tmp_path) + "?oov=subword")


def test_quantised_and_foreign_models_are_refused(tmp_path, model):
    from gensim.models.fasttext import save_facebook_model

    path = tmp_path / "m.bin"
    save_facebook_model(model, str(path))
    data = bytearray(path.read_bytes())
    at = data.index(struct.pack("<2q", 57, 6)) - 1
    path.write_bytes(data[:at] + b"\x01" + data[at + 1 :])
    with pytest.raises(SourceError, match="this model is quantised"):
        open_vectors(path)
    path.write_bytes(data[:4] + struct.pack("<i", 99) + data[8:])
    with pytest.raises(
        SourceError, match="not a model of fastText that can be read\n  got: version 99"
    ):
        open_vectors(path)
    path.write_bytes(data[: at + 40])
    with pytest.raises(SourceError, match="the model ends early"):
        open_vectors(path)
    path.write_bytes(data[: at - 60])
    with pytest.raises(SourceError, match="the model ends early"):
        open_vectors(path)
