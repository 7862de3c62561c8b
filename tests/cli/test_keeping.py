"""A directory with results of another run: they are kept, and that is said."""

import pytest
from tests.commands import QUICK

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
        "warning: out had results of another run, which are now out/results-1.jsonl, out/report-1.html\n"
    )
    assert ids_in(out / "results.jsonl") == ["weat-7"]
    assert ids_in(out / "results-1.jsonl") == ["weat-6"]
    assert (out / "report-1.html").read_text() == page
    assert "weat-7" in (out / "report.html").read_text()
    third = eatlas_cli("run", "--tests", "weat-8", *QUICK)
    assert "which are now out/results-2.jsonl, out/report-2.html" in third.err
    assert ids_in(out / "results-2.jsonl") == ["weat-7"]
    assert names(out) == [
        "report-1.html", "report-2.html", "report.html",
        "results-1.jsonl", "results-2.jsonl", "results.jsonl",
    ]  # fmt: skip


def test_the_same_run_again_and_one_that_adds_to_it_take_the_place_of_the_old(eatlas_cli, tmp_path):
    eatlas_cli("run", "--tests", "weat-6", *QUICK)
    for more in ((), ("--tests", "weat-7")):
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
        f"{path}: here are results of a different run, which cannot be moved\n"
        "  got: No space left on device\n  remedy: choose another folder with --out"
    )
    assert names(tmp_path) == ["results.jsonl"]
