"""``eatlas vectors check`` and sources with a transform, on the command line."""

import json

import jsonschema
import numpy as np
import pytest
from tests.cli.conftest import QUICK

import eatlas
from eatlas.results.diagnosis import json_schema

SCHEMA = json_schema()


@pytest.fixture
def shifted(tmp_path):
    rows = np.random.default_rng(0).standard_normal((60, 20)) + 2
    lines = [" ".join([f"w{i}", *map(repr, row.tolist())]) for i, row in enumerate(rows)]
    (tmp_path / "shifted.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return "shifted.txt"


def test_a_table_for_people(eatlas_cli, shifted):
    ended = eatlas_cli("vectors", "check", shifted)
    assert (ended.code, ended.err) == (0, "")
    lines = ended.out.splitlines()
    assert lines[0] == "shifted.txt: 60 vectors of 20 components"
    assert lines[1] == "Cosines are doubtful here: one figure passes its limit."
    for figure in (
        "Mean cosine of two words", "Level 3 sign of ML-EAT", "IsoScore", "Loudest dimension",
        "Rogue dimensions", "What it means",
    ):  # fmt: skip
        assert figure in ended.out
    assert max(len(line) for line in lines[3:-1] if "WARNING" not in line) <= 110
    (cosine,) = [line for line in lines if line.startswith("Mean cosine of two words")]
    assert "0.8" in cosine
    assert "doubtful" in cosine
    assert "WARNING: The mean cosine of random pairs is 0.8" in ended.out


def test_json_is_one_object(eatlas_cli, shifted):
    ended = eatlas_cli("vectors", "check", shifted, "--json")
    assert (ended.code, ended.err, ended.out.count("\n")) == (0, "", 1)
    line = json.loads(ended.out)
    jsonschema.Draft202012Validator(SCHEMA).validate(line)
    assert (line["schema"], line["source"]) == ("eatlas/diagnosis/1", shifted)
    assert line == eatlas.diagnose(shifted).to_dict()


def test_a_remedy_can_be_looked_at(eatlas_cli, shifted):
    line = json.loads(eatlas_cli("vectors", "check", f"{shifted}?transform=center", "--json").out)
    assert line["source"] == f"{shifted}?transform=center"
    # the mean of all vectors is 0, and -1 / (n - 1) is the least that cosines can average
    assert -1 / 59 <= line["mean_cosine"] < 0.01
    assert line["warnings"] == []


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_terminals_that_know_few_characters(eatlas_cli, shifted, monkeypatch, encoding):
    import io
    import sys

    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding=encoding))
    assert eatlas_cli("vectors", "check", shifted).code == 0
    assert raw.getvalue().decode(encoding).startswith("shifted.txt: 60 vectors")


def test_a_run_names_the_transform_and_verifies(eatlas_cli, tmp_path):
    source = "glove-sample?transform=all-but-the-top:2"
    ended = eatlas_cli("run", "--tests", "weat-6", "--vectors", source, "--vectors", "glove-sample")
    assert ended.code == 0
    assert "on GloVe 6B (100d), transform all-but-the-top:2" in ended.out
    lines = (tmp_path / "out" / "results.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line)["source"] for line in lines] == [source, "glove-sample"]
    assert json.loads(lines[0])["diagnosis"]["iso_score"] is not None
    verified = eatlas_cli("verify", "out/results.jsonl")
    assert (verified.code, verified.out.count(": same\n")) == (0, 2)


def test_the_last_bits_of_a_fit_are_the_machines(eatlas_cli, tmp_path):
    """The hash of computed vectors may differ where their numbers do not; that of others may not."""
    path = tmp_path / "out" / "results.jsonl"
    for source, code in (("glove-sample?transform=whiten", 0), ("glove-sample", 1)):
        eatlas_cli("run", "--tests", "weat-6", *QUICK, "--vectors", source)
        line = json.loads(path.read_text("utf-8"))
        line["provenance"]["vectors_sha256"] = "0" * 64
        path.write_text(json.dumps(line) + "\n", encoding="utf-8")
        verified = eatlas_cli("verify", path)
        assert verified.code == code
        assert ("vectors_sha256" in verified.out) == bool(code)


def test_several_sources_stand_side_by_side(capsys):
    from eatlas.cli.other_tables import print_diagnoses

    found = [
        eatlas.diagnose("glove-sample"),
        eatlas.diagnose({"a": [9, 1], "b": [9, 2]}),
    ]
    print_diagnoses(found)
    said = capsys.readouterr().out
    assert "glove-sample" in said
    assert "fine" in said
    assert "doubtful" in said
    assert "IsoScore" in said
