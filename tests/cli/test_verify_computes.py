"""``eatlas verify`` computes: what was kept beside files and models is not believed."""

import json

import eatlas


def test_a_forged_index(eatlas_cli, test_file, tiny_vectors, tmp_path, monkeypatch):
    monkeypatch.setattr("eatlas.sources.word2vec._INDEX_FROM", 0)
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
