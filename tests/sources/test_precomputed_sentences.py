"""Encodings of sentences that others computed, from the kinds of files that they come in."""

import csv

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.inputs import make_test

import eatlas
from eatlas.sources import embed

SAID = (
    ('He said, "No", and left.', "He"),
    ("It's Ann's, isn't it?", "Ann"),
    ("This is Will.", "Will"),
    ("and/or: 50%", "or"),
    ("Spaces;  and semicolons.", "Spaces"),
)


def group(name, said):
    return eatlas.Concept(name=name, sentences=[{"text": t, "stimulus": s} for t, s in said])


def sentences():
    others = {
        role: group(role, [(f"{word} is here, {role}.", word) for word in ("Ivy", "Rose", "Oak")])
        for role in "YAB"
    }
    return make_test().model_copy(update={"X": group("Said", SAID), **others})


def csv_of(path, texts, rows):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([t, *r] for t, r in zip(texts, rows.tolist(), strict=True))


def npz_of(path, texts, rows):
    np.savez(path, words=np.array(texts), vectors=rows)


def parquet_of(path, texts, rows):
    pq.write_table(pa.table({"text": texts, "vector": pa.array(rows.tolist())}), path)


def sent_bias_of(path, texts, rows):
    """As sent-bias stores encodings: a data set for each sentence, in a group for each concept."""
    with h5py.File(path, "w") as file:
        concept = file.create_group("Said")
        for text, row in zip(texts, rows, strict=True):
            concept.create_dataset(text, data=row)


@pytest.mark.parametrize(
    ("name", "write"),
    [("v.csv", csv_of), ("v.npz", npz_of), ("v.parquet", parquet_of), ("v.h5", sent_bias_of)],
)
def test_each_sentence_finds_its_own_vector(tmp_path, name, write):
    test = sentences()
    texts = list(test.terms)
    rows = np.random.default_rng(0).normal(size=(len(texts), 5)).astype(np.float32)
    write(tmp_path / name, texts, rows)
    source = eatlas.open_vectors(tmp_path / name)
    found = source.lookup(texts)
    for text, row in zip(texts, rows, strict=True):
        assert np.allclose(found[text], row, rtol=1e-6)
    given = embed(test, source)
    assert given.coverage.counts() == (len(texts), 0)
    assert given.coverage.X.found_as == {}
    (result,) = eatlas.run([test], source, "weat")
    assert result.level1.effect_size is not None
