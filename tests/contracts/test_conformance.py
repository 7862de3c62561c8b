"""The conformance kit: our own measures and sources pass it, and what breaks the contract is named."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
import pytest
from tests.contracts.sessions import in_one_process
from tests.inputs import TERMS

import eatlas
from eatlas import kernels
from eatlas.errors import ContractError, EatlasError
from eatlas.measures import AssociationMeasure, GroupsMeasure
from eatlas.numbers import effect
from eatlas.results import AssociationResult, GroupsResult
from eatlas.testing import check_measure, check_source

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("measure", "tests", "vectors"),
    [
        (eatlas.MLEAT(), "weat-6", "glove-sample"),
        (eatlas.MLEAT(tail="two-sided", resamples=0), "sent-weat-9", "cbow:glove-sample"),
        (eatlas.WEAT(alpha=0.01), "weat-7", "glove-sample"),
        (eatlas.SCEAT(), "weat-6", "glove-sample"),
    ],
    ids=lambda one: getattr(one, "signature", ""),
)
def test_our_measures_keep_the_contract(measure, tests, vectors):
    check_measure(measure, tests, vectors)


@pytest.mark.parametrize(
    "source", ["glove-sample", "glove-sample?transform=center", "cbow:glove-sample"]
)
def test_our_sources_keep_the_contract(source):
    check_source(source, words=("aster", "love", "war"))


def test_files_keep_the_contract(tmp_path):
    rows = {term: np.arange(3.0) + i for i, term in enumerate(TERMS["X"], 1)}
    text = "".join(f"{term} {' '.join(map(str, row))}\n" for term, row in rows.items())
    (tmp_path / "v.txt").write_text(text)
    np.save(tmp_path / "v.npy", np.array(list(rows.values())))
    (tmp_path / "v.vocab").write_text("\n".join(rows) + "\n")
    (tmp_path / "v.csv").write_text(text.replace(" ", ","))
    for name in ("v.txt", "v.npy", "v.csv"):
        check_source(tmp_path / name, words=TERMS["X"])


def _blocks(page: str) -> dict[str, str]:
    """Blocks of a page that have the name of a file."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return dict(re.findall(r'```\w+ title="(\S+)"\n(.*?)```', text, re.DOTALL))


@pytest.fixture
def my_package(tmp_path, monkeypatch):
    """The package of docs/how-to/extend.md, as it stands there, installed."""
    for name, body in _blocks("docs/how-to/extend.md").items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(body, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    for name in [name for name in sys.modules if name.partition(".")[0] == "my_package"]:
        del sys.modules[name]


def test_the_example_of_the_documentation_keeps_the_contract(my_package):
    from my_package.measure import MeanDistance
    from my_package.source import open_mine

    check_measure(MeanDistance())
    check_source(open_mine())


def test_the_example_is_a_package_that_can_be_installed(my_package):
    project = tomllib.loads((my_package / "pyproject.toml").read_text(encoding="utf-8"))
    (package,) = project["tool"]["setuptools"]["packages"]
    (data,) = project["tool"]["setuptools"]["package-data"][package]
    assert list((my_package / package).glob(data))
    for group in project["project"]["entry-points"].values():
        for place in group.values():
            module, name = place.split(":")
            assert hasattr(import_module(module), name), place


def test_the_example_shows_in_the_terminal_and_the_frames(my_package, capsys):
    from my_package.measure import MeanDistance

    from eatlas.cli.table import print_results

    results = eatlas.run(tests=["weat-6", "weat-7"], measures=MeanDistance())
    print_results(results)
    lines = capsys.readouterr().out.splitlines()
    assert "Measured by MEAN-DISTANCE(alpha=0.05, ddof=1, p=auto)." in lines
    assert [line for line in lines if line.startswith("weat-")][:2] == [
        "weat-6  MEAN-DISTANCE: mean distance = 0.724.",
        "weat-7  MEAN-DISTANCE: mean distance = 0.787.",
    ]
    assert results.to_frame()["mean_distance"].round(2).tolist() == [0.72, 0.79]


class Found(AssociationResult):
    """A record of one number."""

    measure: Literal["gap"] = "gap"
    gap: float | None

    def rows(self) -> list[dict[str, Any]]:
        return [{**self.head(), "gap": self.gap}]


@dataclass(frozen=True)
class Gap(AssociationMeasure):
    """Difference of mean cosines; its options break what they are named for."""

    name: ClassVar[str] = "gap"
    minimum: ClassVar = {"X": 1, "Y": 1, "A": 1, "B": 1}
    breaks: str = ""

    def compute(self, given, notes):
        if self.breaks == "raises":
            raise RuntimeError("out of order")
        if self.breaks == "no record":
            return 0.5
        x, y = (kernels.similarities(given.rows[r], given.rows["A"]).mean() for r in "XY")
        if self.breaks == "order":
            x = given.rows["X"][0].sum()
        if self.breaks == "chance":
            x = np.random.default_rng().random()
        kind = {"rows": Rows, "summary": Summary, "effects": Effects}.get(self.breaks, Found)
        return kind(**given.head, gap=float(x - y))


class Rows(Found):
    def rows(self):
        return [{"gap": self.gap}]


class Summary(Found):
    def summary(self):
        return ""


class Effects(Found):
    def effects(self):
        return super().effects() * 2


@dataclass(frozen=True)
class Named(Gap):
    name: ClassVar[str] = "GAP"


class Spread(GroupsResult):
    """A record of targets against groups."""

    measure: Literal["spread"] = "spread"
    spread: float


@dataclass(frozen=True)
class SpreadMeasure(GroupsMeasure):
    """Standard deviation over groups of the mean cosine with the targets."""

    name: ClassVar[str] = "spread"

    def compute(self, given, notes):
        targets, *groups = (given.rows[name] for name in ("targets", *given.head["groups"]))
        near = [kernels.similarities(targets, group).mean() for group in groups]
        return Spread(**given.head, spread=float(np.std(near)))


def test_a_measure_of_groups_keeps_the_contract():
    groups = {"Women": ["she", "her", "woman"], "Men": ["he", "him", "man"]}
    test = eatlas.GroupsTest(
        id="work",
        targets=eatlas.Concept(name="Work", terms=["nurse", "pilot", "doctor"]),
        groups=[eatlas.Concept(name=name, terms=terms) for name, terms in groups.items()],
        reference="uniform",
    )
    check_measure(SpreadMeasure(), test)


def test_a_measure_of_one_number_keeps_the_contract():
    check_measure(Gap())


@pytest.mark.parametrize(
    ("measure", "method", "got"),
    [
        (Gap(breaks="raises"), "compute raises", "RuntimeError: out of order"),
        (Gap(breaks="no record"), "compute does not keep the contract", "0.5 (float)"),
        (Gap(breaks="order"), "compute", "other numbers of gap with the terms in another order"),
        (Gap(breaks="chance"), "compute", "other numbers from the same seed"),
        (Gap(breaks="rows"), "the record Rows: rows", "no column test, source, measure, signature"),
        (Gap(breaks="summary"), "the record Summary: summary", "''"),
        (Gap(breaks="effects"), "the record Effects: effects", "'gap'"),
        (Named(), "name", "'GAP'"),
    ],
    ids=lambda one: getattr(one, "breaks", ""),
)
def test_a_measure_that_breaks_the_contract_is_told_how(measure, method, got):
    with pytest.raises(ContractError) as caught:
        check_measure(measure)
    assert method in caught.value.what
    assert got in caught.value.got
    assert caught.value.allowed


@dataclass(frozen=True)
class Mine:
    """A source; its options break what they are named for."""

    name: str = "mine"
    dim: int = 2
    fingerprint: str = "sha256:1"
    notes: tuple[str, ...] = ()
    breaks: str = ""

    def lookup(self, keys):
        if self.breaks == "length":
            return {key: np.ones(3) for key in keys}
        known = {"sun": np.array([1.0, 0.0]), "moon": np.array([0.0, 1.0])}
        if self.breaks == "finite":
            known["sun"] = np.array([1.0, np.nan])
        if self.breaks == "all":
            return {**known, "earth": np.ones(2)}
        if self.breaks == "company":
            return {key: known[key] * len(keys) for key in keys if key in known}
        return {key: known[key] for key in keys if key in known}


@pytest.mark.parametrize(
    ("source", "member", "got"),
    [
        (Mine(name=""), "name", "''"),
        (Mine(dim=0), "dim", "0"),
        (Mine(fingerprint=""), "fingerprint", "''"),
        (Mine(notes=(1,)), "notes", "(1,)"),
        (Mine(breaks="length"), "lookup", "shape (3,)"),
        (Mine(breaks="finite"), "lookup", "of 'sun'"),
        (Mine(breaks="all"), "lookup", "vectors of no word"),
        (Mine(breaks="company"), "lookup", "other vectors in other company"),
        (replace(Mine(), breaks=""), None, None),
    ],
)
def test_a_source_that_breaks_the_contract_is_told_how(source, member, got):
    if member is None:
        check_source(source, ["sun", "moon"])
        return
    with pytest.raises(ContractError, match=f": {member} does not keep the contract") as caught:
        check_source(source, ["sun", "moon"])
    assert got in caught.value.got


def test_words_are_needed_where_a_source_lists_none():
    with pytest.raises(ContractError, match="cannot be checked without words"):
        check_source(Mine())


def test_a_measure_that_raises_costs_no_other_job():
    with pytest.warns(eatlas.EatlasWarning, match="1 of 2 jobs failed"):
        results = eatlas.run(tests="weat-6", measures=[Gap(breaks="raises"), "weat"])
    assert [result.measure for result in results] == ["weat"]
    (failure,) = results.failures
    package = Gap.__module__.partition(".")[0]
    assert f"an internal error of {package}" in failure.error.what
    assert "RuntimeError: out of order" in failure.error.got
    assert "check_measure" in failure.error.remedy


def test_a_measure_without_a_record_is_named():
    with pytest.warns(eatlas.EatlasWarning, match="1 of 2 jobs failed"):
        results = eatlas.run(tests="weat-6", measures=[Gap(breaks="no record"), "weat"])
    (failure,) = results.failures
    assert isinstance(failure.error, EatlasError)
    assert failure.error.what == "the measure gap: compute does not keep the contract"
    assert failure.error.got == "0.5 (float)"


ONE_MODULE = """
from dataclasses import dataclass
from typing import ClassVar, Literal

from eatlas import ArraySource, kernels
from eatlas.measures import AssociationMeasure, GroupsMeasure
from eatlas.results import AssociationResult, GroupsResult


class MyResult(AssociationResult):
    measure: Literal["my-measure"] = "my-measure"
    value: float


@dataclass(frozen=True)
class MyMeasure(AssociationMeasure):
    name: ClassVar[str] = "my-measure"
    minimum: ClassVar = {"X": 1, "Y": 1, "A": 1, "B": 1}

    def compute(self, given, notes):
        x, y = (kernels.similarities(given.rows[r], given.rows["A"]).mean() for r in "XY")
        return MyResult(**given.head, value=float(x - y))


def open_mine():
    words = "aster clover iris lily ant flea wasp gnat love peace joy heaven hatred war filth agony"
    return ArraySource(words.split(), [[i + 1.0, i % 3, 1.0] for i in range(16)], name="mine")
"""


def test_a_measure_and_a_source_are_added_by_a_module_and_its_names(tmp_path, test_file):
    """Two files: a module, and the entry points that name what is in it."""
    groups = {
        "eatlas.measures": {"my-measure": "my_package.measure:MyMeasure"},
        "eatlas.records": {"my-measure": "my_package.measure:MyResult"},
        "eatlas.sources": {"mine": "my_package.measure:open_mine"},
    }
    (tmp_path / "my_package").mkdir()
    (tmp_path / "my_package" / "measure.py").write_text(ONE_MODULE, encoding="utf-8")
    info = tmp_path / "my_package-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-package\nVersion: 1\n")
    lines = [
        f"[{group}]\n" + "".join(f"{name} = {place}\n" for name, place in points.items())
        for group, points in groups.items()
    ]
    (info / "entry_points.txt").write_text("".join(lines))
    command = ["run", "--tests", str(test_file), "--vectors", "mine", "--measure", "my-measure"]
    done = subprocess.run(
        [sys.executable, "-m", "eatlas", *command, "--out", "here"], cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "MY-MEASURE(alpha=0.05, ddof=1, p=auto) on mine" in done.stdout
    (result,) = (tmp_path / "here" / "results.jsonl").read_text().splitlines()
    assert f"tiny  MY-MEASURE = {effect(json.loads(result)['value'], 3)}.\n" in done.stdout
    assert "tiny" in (tmp_path / "here" / "report.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_package_that_cannot_be_loaded_costs_nothing_else(tmp_path):
    info = tmp_path / "broken-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1\n")
    (info / "entry_points.txt").write_text(
        "[eatlas.measures]\nbroken = no_such_module:Measure\nnone = pathlib:Path\n"
    )
    run = "run --tests weat-6 --frequency off --json"
    whole, *refused, err = in_one_process(
        tmp_path, run, f"{run} --measure broken", f"{run} --measure none"
    )
    assert json.loads(whole[1])["measure"] == "ml-eat"
    assert [code for code, _ in refused] == [2, 2]
    for name, said in (
        ("broken", "no_such_module:Measure cannot be imported\n  got: ModuleNotFoundError"),
        ("none", "pathlib:Path is something else\n  got: the class Path\n  allowed: a class"),
    ):
        assert f"error: {name} of broken cannot be used: {said}" in err
