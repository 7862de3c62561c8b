"""``eatlas vectors check`` and sources with a transform, on the command line."""

import json

import jsonschema
import numpy as np
import pytest

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
