"""A measure of k groups, of another package, goes the whole way: plan to report."""

import csv
import io
import json
import re
from functools import partial

import numpy as np
import pytest
from tests.contracts.sessions import in_one_process

import eatlas
from eatlas.errors import StimulusError

MODULE = """
from dataclasses import dataclass
from typing import ClassVar, Literal

from eatlas import kernels
from eatlas.measures import GroupsMeasure
from eatlas.results import GroupsResult
from eatlas.results.parts import Record


class Target(Record):
    term: str
    shares: tuple[float, ...]
    bias: float


class Lean(GroupsResult):
    measure: Literal["lean"] = "lean"
    targets: tuple[Target, ...]
    mean_bias: float

    def summary(self):
        return f"mean bias {self.mean_bias:.3f}"

    def rows(self):
        return [{**self.head(), "term": one.term, "bias": one.bias} for one in self.targets]


@dataclass(frozen=True)
class LeanMeasure(GroupsMeasure):
    name: ClassVar[str] = "lean"

    power: int = 1

    def compute(self, given, notes):
        groups, reference = given.head["groups"], given.head["reference"]
        near = [kernels.similarities(given.rows["targets"], given.rows[one]).mean(1) for one in groups]
        targets = []
        for i, term in enumerate(given.coverage["targets"].used):
            distances = [(1 + group[i]) ** self.power for group in near]
            shares = [one / sum(distances) for one in distances]
            bias = sum(abs(p - q) for p, q in zip(shares, reference)) / 2
            targets.append(Target(term=term, shares=tuple(shares), bias=bias))
        notes.append(f"{len(groups)} groups.")
        mean = sum(one.bias for one in targets) / len(targets)
        return Lean(**given.head, targets=tuple(targets), mean_bias=mean)
"""
ENTRY_POINTS = """
[eatlas.measures]
lean = lean_plugin:LeanMeasure
[eatlas.records]
lean = lean_plugin:Lean
"""
TESTS = """schema = 1
[[test]]
id = "work"
kind = "groups"
title = "Work and people"
citation = "Made for the tests."
targets = { name = "Professions", terms = ["nurse", "pilot", "astronaut"] }
groups = [
  { name = "Women", terms = ["she", "woman"] },
  { name = "Men", terms = ["he", "man"] },
  { name = "Children", terms = ["child", "boy", "girl"] },
]
reference = { Women = 0.4, Men = 0.4, Children = 0.2 }
"""
WORDS = ["nurse", "pilot", "she", "woman", "he", "man", "child", "boy", "girl"]


@pytest.fixture
def eatlas_run(tmp_path):
    """The command line in a folder where the package is installed."""
    (tmp_path / "lean_plugin.py").write_text(MODULE, encoding="utf-8")
    (tmp_path / "work.toml").write_text(TESTS, encoding="utf-8")
    rows = np.random.default_rng(2).standard_normal((len(WORDS), 6)).tolist()
    lines = [" ".join([word, *map(repr, row)]) for word, row in zip(WORDS, rows, strict=True)]
    (tmp_path / "vectors.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    info = tmp_path / "lean_plugin-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: lean-plugin\nVersion: 1\n")
    (info / "entry_points.txt").write_text(ENTRY_POINTS)

    return partial(in_one_process, tmp_path)


def test_a_measure_of_three_groups_goes_the_whole_way(eatlas_run, tmp_path):
    run, verified, latex, table, again, frame, err = eatlas_run(
        "run --tests work.toml --vectors vectors.txt --measure lean(power=2)",
        "verify out/results.jsonl",
        "report out/results.jsonl --format latex",
        "report out/results.jsonl --format csv",
        "report out/results.jsonl -o again.html",
        "run --tests work.toml --vectors vectors.txt --measure lean --json",
    )
    assert {ended[0] for ended in (run, verified, latex, table, again, frame)} == {0}, err
    assert "LEAN(power=2) on vectors.txt" in run[1]
    assert "mean bias" in run[1]
    assert "Professions: astronaut" in " ".join(run[1].split()), "missing terms are told"
    assert "1 of 1 results are the same" in verified[1]
    assert "mean bias" in latex[1].lower()
    bias = [float(row["bias"]) for row in csv.DictReader(io.StringIO(table[1]))]
    assert len(bias) == 2
    record = json.loads((tmp_path / "out" / "results.jsonl").read_text())
    assert record["groups"] == ["Women", "Men", "Children"]
    assert record["reference"] == [0.4, 0.4, 0.2]
    assert list(record["coverage"]) == ["targets", "Women", "Men", "Children"]
    assert record["coverage"]["targets"]["missing"] == ["astronaut"]
    assert record["concepts"]["targets"] == "Professions"
    assert np.mean(bias) == pytest.approx(record["mean_bias"])
    assert "3 groups." in [note["text"] for note in record["warnings"]]
    for page in ("again.html", "out/report.html"):
        html = (tmp_path / page).read_text("utf-8")
        for part in ("Professions", "Women", "Children", "ean bias", "astronaut"):
            assert part in html
    assert json.loads(frame[1])["signature"] == "LEAN(power=1)"

    record["reference"] = [0.2, 0.4, 0.4]
    (tmp_path / "changed.jsonl").write_text(json.dumps(record) + "\n")
    text = (tmp_path / "work.toml").read_text()
    (tmp_path / "few.toml").write_text(text.replace('"child", "boy", "girl"', '"kid", "teen"'))
    changed, read_as_groups, *refused, err = eatlas_run(
        "verify changed.jsonl",
        "run --tests weat-6 --measure lean",
        "run --tests work.toml --vectors vectors.txt --measure weat",
        "run --tests few.toml --vectors vectors.txt --measure lean",
    )
    assert changed[0] == 1
    assert "stimuli_sha256" in changed[1]
    assert read_as_groups[0] == 0
    assert "weat-6-XY" in read_as_groups[1]
    assert [code for code, _ in refused] == [2, 2]
    assert re.search("for work: .*lean", err)
    assert "test work, group Children (Children): no term has a usable vector" in err


def test_the_test_is_made_again_of_its_concepts():
    (test,) = [one for one in eatlas.load_tests("divdist") if one.id == "divdist-gender"]
    again = type(test).of(test.concepts, id=test.id, reference=test.reference, pairs=test.pairs)
    assert again.stimuli_sha256 == test.stimuli_sha256
    assert again.concepts == test.concepts


def test_no_group_has_the_name_of_the_targets():
    targets, one = (
        eatlas.Concept(name=name, terms=terms)
        for name, terms in (("Jobs", ["nurse"]), ("targets", ["she"]))
    )
    other = eatlas.Concept(name="Men", terms=["he"])
    with pytest.raises(StimulusError, match="the name 'targets' is taken"):
        eatlas.GroupsTest(id="t", targets=targets, groups=(one, other), reference="uniform")
