"""``--store``: runs into a store, and the commands that read one."""

import csv
import io
import json

import pytest
from tests.commands import QUICK

import eatlas
from eatlas.cli import report as reporting
from eatlas.results.scan import ResultsScan

TESTS = ("--tests", "weat-6", "--tests", "weat-7")
NAMED = ("supported", "these word lists only", "not shown")
CENTRED = ("--vectors", "glove-sample", "--vectors", "centred=glove-sample?transform=center")


@pytest.fixture
def run_into(eatlas_cli):
    """Run two tests on two sources into ``a.parquet``."""
    ended = eatlas_cli("run", *TESTS, *CENTRED, *QUICK, "--store", "a.parquet")
    assert (ended.code, ended.err) == (0, "")
    counts = ResultsScan("a.parquet").to_frame()["verdict"].value_counts()
    named = zip(NAMED, ("supported", "these words", "not shown"), strict=True)
    assert counts["these words"] > 0
    assert ended.out == (
        "results: a.parquet (4)\n"
        + ", ".join(f"{name}: {counts.get(verdict, 0)}" for name, verdict in named)
        + "\nnext: eatlas report a.parquet -o report.html\n"
    )
    return eatlas_cli


def test_a_run_is_continued_and_added_to(run_into, tmp_path):
    again = run_into("run", *TESTS, "--tests", "weat-8", *CENTRED, *QUICK, "--store", "a.parquet")
    assert again.code == 0
    assert again.out.startswith("results: a.parquet (6)\n")
    assert again.err == "results that were in the store before: 4\n"
    assert not (tmp_path / "out").exists()


@pytest.mark.filterwarnings("default::eatlas.EatlasWarning")
def test_failures(eatlas_cli, tmp_path):
    arguments = ("run", *TESTS, *QUICK, "--vectors", "glove-sample", "--vectors", "lost.txt")
    ended = eatlas_cli(*arguments, "--store", "a.parquet")
    assert "2 of 4 jobs failed" in ended.err
    assert ended.code == 1
    assert ended.out.startswith("results: a.parquet (2)\n")
    assert "\nfailures: a.parquet/_failures.jsonl\n" in ended.out
    (line,) = (tmp_path / "a.parquet" / "_failures.jsonl").read_text("utf-8").splitlines()
    assert json.loads(line)["source"] == "lost.txt"


@pytest.mark.parametrize("option", [("--json",), ("--out", "o"), ("--fail-if", "d > 1")])
def test_options_that_need_all_results_are_refused(eatlas_cli, tmp_path, option):
    ended = eatlas_cli("run", *TESTS, *QUICK, "--store", "a.parquet", *option)
    assert ended.code == 2
    assert f"cannot be combined with --store\n  got: {option[0]}" in ended.err
    assert not (tmp_path / "a.parquet").exists()


def test_verify(run_into, tmp_path):
    ended = run_into("verify", "a.parquet")
    assert ended.code == 0
    assert ended.out == ("4 of 4 results are the same\n4 of 4 results of this run are here\n")
    lines = run_into("verify", "a.parquet", "--json", "--battery", "weat-8").out.splitlines()
    assert [json.loads(line).get("status") for line in lines] == ["same"] * 4 + [None] * 2
    assert json.loads(lines[4])["missing"] == ["weat-8"]
    # one that was cut off, and one whose run says that it has more
    run = tmp_path / "a.parquet" / "_run.json"
    values = json.loads(run.read_text("utf-8"))
    values["run"]["results"] = 5
    run.write_text(json.dumps(values), encoding="utf-8")
    ended = run_into("verify", "a.parquet")
    assert ended.code == 1
    assert "4 of 5 results of this run are here; the others are in another file" in ended.out
    run.unlink()
    ended = run_into("verify", "a.parquet")
    assert "whether results are missing is unknown" in ended.out
    assert run_into("verify", "a.parquet", "--trust", "nobody").code == 2


def test_report_of_some(run_into, tmp_path):
    assert run_into("report", "a.parquet", "-o", "all.html").code == 0
    page = (tmp_path / "all.html").read_text(encoding="utf-8")
    assert "weat-6" in page
    assert "centred" in page
    ended = run_into("report", "a.parquet", "--where", "test=weat-6", "--format", "sentences")
    assert (ended.code, "weat-6" in ended.out, "weat-7" in ended.out) == (0, True, False)
    for where, said in (
        ("test=none", "there are no results"),
        ("tst=weat-6", "did you mean test?"),
    ):
        ended = run_into("report", "a.parquet", "--where", where)
        assert ended.code == 2
        assert said in ended.err
    eatlas.Results.scan(tmp_path / "a.parquet").read().write(tmp_path / "a.jsonl")
    assert run_into("report", "a.jsonl", "--where", "test=weat-6").code == 2
    assert run_into("report", "a.jsonl", "a.parquet", "-o", "both.html").code == 0


def test_report_of_many(run_into, tmp_path, monkeypatch):
    monkeypatch.setattr(reporting, "IN_FULL", 3)
    assert run_into("report", "a.parquet", "-o", "many.html").code == 0
    page = (tmp_path / "many.html").read_text(encoding="utf-8")
    frame = ResultsScan(tmp_path / "a.parquet").to_frame()
    supported = (frame["verdict"] == "supported").sum()
    assert f"a.parquet: {supported} of 4 results are supported" in page
    assert "2 tests on 2 sources" in page
    assert "eatlas report a.parquet --where" in page
    ended = run_into("report", "a.parquet", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(ended.out)))
    assert [row["verdict"] for row in rows] == frame["verdict"].tolist()
    assert run_into("report", "a.parquet", "--format", "latex").code == 2
    assert run_into("report", "a.parquet", "--where", "test=weat-6", "-o", "few.html").code == 0
    assert "--where" not in (tmp_path / "few.html").read_text(encoding="utf-8")


def test_report_of_many_without_a_test(eatlas_cli, tmp_path, monkeypatch):
    monkeypatch.setattr(reporting, "IN_FULL", 1)
    ended = eatlas_cli("run", *TESTS, "--measure", "mac", "--store", "a.parquet")
    assert ended.out == "results: a.parquet (2)\nnext: eatlas report a.parquet -o report.html\n"
    assert eatlas_cli("report", "a.parquet", "-o", "many.html").code == 0
    page = (tmp_path / "many.html").read_text(encoding="utf-8")
    assert "a.parquet: 2 results without a test of significance" in page


def test_plot(run_into, tmp_path):
    assert run_into("plot", "a.parquet", "-o", "f.svg").code == 0
    assert "weat-7" in (tmp_path / "f.svg").read_text(encoding="utf-8")
