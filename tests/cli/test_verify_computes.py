"""``eatlas verify`` computes: what was kept beside files and models is not believed."""

import json
import sqlite3

import numpy as np
import pytest
from tests.tiny_models import make_model

import eatlas
from eatlas.encoders.cache import hash_of_row


@pytest.fixture
def model(tmp_path):
    return make_model(tmp_path / "model", "bert")


def poison(folder):
    """Put other vectors into the cache, as who may write to it can."""
    (path,) = folder.glob("*.sqlite")
    connection = sqlite3.connect(path)
    rows = connection.execute("select key, kind, mark, data from vectors where kind like '<f%'")
    rng, others = np.random.default_rng(0), []
    for key, kind, mark, data in rows.fetchall():
        vector = rng.normal(size=len(data) // np.dtype(kind).itemsize).astype(kind)
        row = vector.tobytes(), kind, mark
        others.append((row[0], hash_of_row(key, row), key))
    connection.executemany("update vectors set data = ?, hash = ? where key = ?", others)
    connection.commit()
    connection.close()
    return len(others)


def test_a_poisoned_cache_of_encodings(eatlas_cli, model, computed_vectors):
    command = ("run", "--tests", "weat-6", "--measure", "weat(resamples=0)")
    source = ("--vectors", "hf:model?pool=mean")
    eatlas_cli(*command, *source, "--out", "honest")
    assert poison(computed_vectors) > 20
    eatlas_cli(*command, *source, "--out", "poisoned")
    honest, poisoned = (
        eatlas.read_results(f"{folder}/results.jsonl")[0].level1.effect_size
        for folder in ("honest", "poisoned")
    )
    assert abs(honest - poisoned) > 0.01
    assert eatlas_cli("verify", "honest/results.jsonl").code == 0
    ended = eatlas_cli("verify", "poisoned/results.jsonl")
    assert ended.code == 1
    assert "level1.effect_size: " in ended.said


def test_a_forged_index(eatlas_cli, test_file, tiny_vectors, tmp_path, monkeypatch):
    monkeypatch.setattr("eatlas.sources.text_files._INDEX_FROM", 0)
    path = tmp_path / "v.txt"
    lines = [f"{term} {' '.join(map(repr, row.tolist()))}" for term, row in tiny_vectors.items()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    source = eatlas.open_vectors(path)
    source.lookup(["aster"])
    kept = source._index_path()
    words, starts = source.index()
    hidden = b"\n".join(b"_" if word == b"aster" else word for word in words)
    source._sha256 = "0" * 64
    source.write_index(hidden, starts)
    eatlas_cli("run", "--tests", test_file, "--vectors", path)
    line = json.loads((tmp_path / "out" / "results.jsonl").read_text("utf-8"))
    assert line["coverage"]["X"]["missing"] == ["aster"]
    ended = eatlas_cli("verify", "out/results.jsonl")
    assert ended.code == 1
    assert "provenance.source_fingerprint: 'sha256:0000" in ended.said
    forged = kept.read_bytes()
    eatlas_cli("verify", "out/results.jsonl")
    assert kept.read_bytes() == forged  # verify writes none either


def test_vectors_of_a_function_are_computed_again(eatlas_cli, tmp_path, computed_vectors):
    (tmp_path / "counting.py").write_text(
        "def f(texts):\n    return [[len(t), t.count('a') + 1.0, t.count('e')] for t in texts]\n",
        encoding="utf-8",
    )
    name = "py:counting:f?cache=yes&version=1"
    command = ("run", "--tests", "weat-6", "--vectors", name, "--measure", "weat(resamples=0)")
    eatlas_cli(*command)
    source = eatlas.read_results("out/results.jsonl")[0].source
    assert eatlas_cli("verify", "out/results.jsonl", "--trust", source).code == 0
    poison(computed_vectors)
    eatlas_cli(*command)
    assert eatlas_cli("verify", "out/results.jsonl", "--trust", source).code == 1
