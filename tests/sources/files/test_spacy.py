"""Folders of spaCy: words that spaCy knows by number, words that share a row, damaged parts."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.sources.files.faults import fault
from tests.sources.files.writers import Data, matrix, spacy_folder

from eatlas import open_vectors

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # of the writing library
    pytest.mark.skipif(
        sys.version_info >= (3, 14), reason="needs optional data: no spaCy there yet"
    ),
]
WORDS = ["case", "mark", "agent", "number", "root", "TIME", "X", "_", "cat"]


def test_words_that_are_symbols_of_spacy(tmp_path):
    data = Data(WORDS, matrix(len(WORDS)))
    found = open_vectors(spacy_folder(tmp_path, data)).lookup([*WORDS, "PERSON", "dog"])
    assert set(found) == set(WORDS)
    np.testing.assert_array_equal([found[word] for word in WORDS], data.vectors)


def test_without_spacy(tmp_path, monkeypatch):
    spec = spacy_folder(tmp_path)
    monkeypatch.setitem(sys.modules, "spacy.strings", None)
    assert "spacy is needed to read the vectors of its pipelines\n  remedy: pip install spacy" in (
        fault(spec)
    )


def test_words_that_share_a_row(tmp_path):
    import spacy

    nlp = spacy.blank("en")
    for word, row in zip(["cat", "dog", "rose"], ([1, 0], [1, 0.01], [0, 1]), strict=True):
        nlp.vocab.set_vector(word, np.float32(row))
        nlp.vocab[word]
    nlp.vocab.prune_vectors(2)
    nlp.to_disk(tmp_path / "pruned")
    found = open_vectors(tmp_path / "pruned").lookup(["cat", "dog", "rose"])
    for word, vector in found.items():
        np.testing.assert_array_equal(vector, nlp.vocab[word].vector)
    assert len(found) == 3
    assert len({vector.tobytes() for vector in found.values()}) == 2


def parts(folder: Path) -> Path:
    spacy_folder(folder)
    return folder / "pipeline/vocab"


def test_faults(tmp_path):
    vocab = parts(tmp_path)
    (vocab / "strings.json").write_text(json.dumps(["nothing", "of", "it"]))
    assert "no word of this pipeline has a vector" in fault(tmp_path / "pipeline")
    (vocab / "strings.json").write_text(json.dumps({"cat": 1}))
    assert "strings.json: this is not a list of words" in fault(tmp_path / "pipeline")
    (vocab / "key2row").write_bytes(b"\x81\xa1a\x01")
    (vocab / "strings.json").write_text("[]")
    assert "key2row: this is not a table of words and rows\n  got: " in fault(tmp_path / "pipeline")
    (vocab / "vectors").unlink()
    assert (
        "a file of the spaCy vectors is not there\n  got: no vectors\n  remedy: save the pipeline"
        in fault(tmp_path / "pipeline")
    )


def test_a_row_that_is_not_there(tmp_path):
    vocab = parts(tmp_path)
    np.save(vocab / "small.npy", matrix(2))
    (vocab / "small.npy").replace(vocab / "vectors")
    said = fault(tmp_path / "pipeline")
    assert "key2row: a word has a row that is not there" in said
    assert "allowed: rows 0 to 1" in said
