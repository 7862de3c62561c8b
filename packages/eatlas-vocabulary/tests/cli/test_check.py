"""``eatlas vectors check``: what its tables say."""

import json
import re

import numpy as np
from tests.sources.published.conftest import data, publisher  # noqa: F401  (fixtures)

import eatlas
from eatlas_vocabulary.cli.diagnosis_tables import print_diagnoses


def test_a_diagnosis(eatlas_cli, tmp_path, capsys):
    rows = np.random.default_rng(0).standard_normal((60, 20)) + 2
    lines = [" ".join([f"w{i}", *map(repr, row.tolist())]) for i, row in enumerate(rows)]
    (tmp_path / "shifted.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    ended = eatlas_cli("vectors", "check", "shifted.txt")
    assert (ended.code, ended.err) == (0, "")
    lines = ended.out.splitlines()
    assert lines[0] == "shifted.txt: 60 vectors of 20 components"
    assert lines[1] == "Cosines are doubtful here: one figure passes its limit."
    for figure in (
        "Level 3 sign of ML-EAT", "IsoScore", "Loudest dimension", "Rogue dimensions",
        "What it means",
    ):  # fmt: skip
        assert figure in ended.out
    assert max(len(line) for line in lines[3:-1] if "WARNING" not in line) <= 110
    (cosine,) = [line for line in lines if line.startswith("Mean cosine of two words")]
    assert re.search(r"0\.8.*doubtful", cosine)
    assert "WARNING: The mean cosine of random pairs is 0.8" in ended.out
    centred = eatlas_cli("vectors", "check", "shifted.txt?transform=center").out
    assert "No figure passes its limit" in centred
    assert "WARNING" not in centred
    print_diagnoses([eatlas.diagnose("shifted.txt"), eatlas.diagnose("glove-sample")])
    beside = capsys.readouterr().out
    assert re.search(r"shifted\.txt +0\.8.* doubtful\n", beside)
    assert re.search(r"glove-sample .* fine\n", beside)


PAIRS = (
    ("tiger", "cat", 7.35),
    ("book", "paper", 7.46),
    ("king", "window", 0.23),
    ("cup", "food", 5),
)


def test_the_bias_that_a_transform_leaves_and_what_it_costs(eatlas_cli, monkeypatch, tmp_path):
    for name, few in (("DIRECTIONS", 2), ("CLASSIFIED", 200), ("CLUSTERED", 100)):  # for speed
        monkeypatch.setattr(f"eatlas_vocabulary.sources.diagnosis.{name}", few)
    source = "glove-sample?transform=hard-debias:gender"
    pairs, analogies = tmp_path / "pairs.tsv", tmp_path / "few.txt"
    pairs.write_text("".join(f"{a}\t{b}\t{s}\n" for a, b, s in PAIRS))
    analogies.write_text(": family\nboy girl king queen\nman woman king queen\n")
    cost = ["--cost", pairs, "--cost", analogies]
    ended = eatlas_cli("vectors", "check", source, "--residual", "own", *cost)
    assert (ended.code, ended.err) == (0, "")
    lines = ended.out.splitlines()
    assert lines[0] == f"{source}: Female, Male; 10,360 words"
    assert lines[2].split() == ["before", "after", "chance", "2", "directions"]
    assert [line.split()[0] for line in lines[3:7]] == [
        "projection", "clusters", "neighbours", "classifier",
    ]  # fmt: skip
    assert "Compared with 2 random directions, each after its removal: " in ended.out
    alone = eatlas_cli("vectors", "check", source, *cost).out
    assert ended.out.endswith(alone.partition("\n\n")[2])
    rows = [line.split("  ") for line in alone.splitlines()]
    assert rows[3][0] == "pairs.tsv"
    assert "4 of 4" in alone
    assert re.search(r"few.txt, 3CosAdd +2 +1.000 +1.000 +0 +0 +1\n3CosMul +2 ", alone)
    assert re.search(r"\n  family +2 ", alone)
    wrong = eatlas_cli("vectors", "check", source, "--cost", "nowhere.txt")
    assert wrong.code == 2
    assert "there is no set called 'nowhere.txt'" in wrong.err


def test_a_debiased_file_and_its_note(eatlas_cli, tmp_path):
    spec = "glove-sample?transform=hard-debias:gender"
    ended = eatlas_cli("vectors", "transform", spec, "--out", "new/debiased.vec")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.splitlines() == [
        "vectors: new/debiased.vec",
        "origin:  new/debiased.vec.json",
    ]
    again = eatlas_cli("vectors", "transform", spec, "--out", "new/debiased.vec")
    assert again.out.startswith("vectors: new/debiased.vec (an older file was replaced)\n")
    note = json.loads((tmp_path / "new" / "debiased.vec.json").read_text("utf-8"))
    assert (note["source"], note["words"]) == (spec, 10_496)
    wanted = eatlas.open_vectors(spec).lookup(["nurse"])["nurse"]
    found = eatlas.open_vectors(tmp_path / "new" / "debiased.vec").lookup(["nurse"])["nurse"]
    assert (found == wanted.astype(np.float32)).all()
