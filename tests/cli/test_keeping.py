"""A directory with results of another run: they are kept, and that is said."""

import pytest
from tests.cli.conftest import QUICK

from eatlas import read_results
from eatlas.errors import ResultsError
from eatlas.results.json_lines import keep_others


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def ids_in(path):
    return [result.test for result in read_results(path)]


def test_results_of_another_run_are_kept_under_a_number(eatlas_cli, tmp_path):
    out = tmp_path / "out"
    assert eatlas_cli("run", "--tests", "weat-6", *QUICK).err == ""
    page = (out / "report.html").read_text()
    ended = eatlas_cli("run", "--tests", "weat-7", *QUICK)
    assert ended.code == 0
    assert ended.err == (
        "out had results of another run; kept as out/results-1.jsonl, out/report-1.html\n"
    )
    assert ids_in(out / "results.jsonl") == ["weat-7"]
    assert ids_in(out / "results-1.jsonl") == ["weat-6"]
    assert (out / "report-1.html").read_text() == page
    assert "weat-7" in (out / "report.html").read_text()
    third = eatlas_cli("run", "--tests", "weat-8", *QUICK)
    assert "kept as out/results-2.jsonl, out/report-2.html" in third.err
    assert ids_in(out / "results-2.jsonl") == ["weat-7"]
    assert names(out) == [
        "report-1.html", "report-2.html", "report.html",
        "results-1.jsonl", "results-2.jsonl", "results.jsonl",
    ]  # fmt: skip


def test_the_same_run_again_and_one_that_adds_to_it_take_the_place_of_the_old(eatlas_cli, tmp_path):
    eatlas_cli("run", "--tests", "weat-6", *QUICK)
    for more in ((), ("--family", "none"), ("--tests", "weat-7")):
        ended = eatlas_cli("run", "--tests", "weat-6", *QUICK, *more)
        assert (ended.code, ended.err) == (0, "")
        assert names(tmp_path / "out") == ["report.html", "results.jsonl"]
    assert ids_in(tmp_path / "out" / "results.jsonl") == ["weat-6", "weat-7"]


def test_a_run_that_was_killed_after_keeping_keeps_once(tmp_path):
    path = tmp_path / "results.jsonl"
    path.write_text("{}\n")
    assert keep_others({path: []}) == (tmp_path / "results-1.jsonl",)
    assert keep_others({path: []}) == ()
    assert names(tmp_path) == ["results-1.jsonl"]


def test_what_cannot_be_kept_is_not_written_over(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.rename", full)
    path = tmp_path / "results.jsonl"
    path.write_text("{}\n")
    with pytest.raises(ResultsError) as caught:
        keep_others({path: []})
    assert str(caught.value) == (
        f"{path}: results of another run are here, and cannot be kept\n"
        "  got: No space left on device\n  remedy: choose another directory with --out"
    )
    assert names(tmp_path) == ["results.jsonl"]


@pytest.mark.filterwarnings("always::eatlas.EatlasWarning")
def test_a_replication_keeps_another_replication_and_another_run(eatlas_cli, tmp_path):
    out = tmp_path / "out"
    eatlas_cli("run", "--tests", "weat-6", *QUICK)
    first = eatlas_cli("replicate", "divdist", "--out", "out")
    assert first.code == 0
    assert "out had results of another run; kept as" in first.err
    assert ids_in(out / "results-1.jsonl") == ["weat-6"]
    assert {"results-1.jsonl", "report-1.html"} < set(names(out))
    table = (out / "replication.csv").read_bytes()
    again = eatlas_cli("replicate", "divdist", "--out", "out")
    assert (again.code, again.err) == (0, "")
    other = eatlas_cli("replicate", "ml-eat", "--out", "out")
    assert other.code == 0
    assert (out / "replication-2.csv").read_bytes() == table
    assert all(
        f"out/{name}" in other.err
        for name in ("replication-2.csv", "results-2.jsonl", "replication-2.html", "report-2.html")
    )


def test_an_atlas_refuses_results_of_a_run(eatlas_cli, tmp_path):
    eatlas_cli("run", "--tests", "weat-6", "--out", "a", *QUICK)
    eatlas_cli("run", "--tests", "weat-7", "--out", "b", *QUICK)
    (tmp_path / "b" / "report.html").unlink()
    there = (tmp_path / "b" / "results.jsonl").read_bytes()
    ended = eatlas_cli("atlas", "a", "--out", "b")
    assert ended.code == 2
    assert "b: results are here that no eatlas atlas wrote" in ended.err
    assert "got: results.jsonl" in ended.err
    assert "--out" in ended.err
    assert names(tmp_path / "b") == ["results.jsonl"]
    assert (tmp_path / "b" / "results.jsonl").read_bytes() == there


def test_an_atlas_replaces_itself_and_no_run_in_its_folder(eatlas_cli, tmp_path):
    eatlas_cli("run", "--tests", "weat-6", "--out", "a", *QUICK)
    eatlas_cli("run", "--tests", "weat-7", "--out", "b", *QUICK)
    for given in ("a", "b"):
        ended = eatlas_cli("atlas", given, "--out", "site")
        assert (ended.code, ended.err) == (0, "")
        assert names(tmp_path / "site") == ["index.html", "results.csv", "results.jsonl"]
    eatlas_cli("run", "--tests", "weat-8", "--out", "site", *QUICK)
    there = (tmp_path / "site" / "results.jsonl").read_bytes()
    ended = eatlas_cli("atlas", "a", "--out", "site")
    assert ended.code == 2
    assert "got: results.jsonl and results.csv" in ended.err
    assert (tmp_path / "site" / "results.jsonl").read_bytes() == there


def test_a_study_refuses_a_folder_with_tests_or_tables_of_others(eatlas_cli, tmp_path):
    (tmp_path / "plan.toml").write_text('tests = ["weat-6"]\n')
    (tmp_path / "study").mkdir()
    for name in ("tests.toml", "specifications.csv"):
        path = tmp_path / "study" / name
        path.write_text("# mine\n")
        ended = eatlas_cli("multiverse", "plan.toml", "--out", "study")
        assert ended.code == 2
        assert "this folder holds other files of these names" in ended.err
        assert f"got: {name}" in ended.err
        assert path.read_text() == "# mine\n"
        path.unlink()
