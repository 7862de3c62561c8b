"""``eatlas run --fail-if`` and ``--against``: what is printed, and exit code 3."""

import json

import pytest
from tests.inputs import TOML

QUICK = ("--measure", "ml-eat(resamples=0)", "--frequency", "off")
RUN = ("run", "--tests", "weat-6", "--tests", "weat-7", *QUICK)


def lines_after(ended, first):
    lines = ended.out.splitlines()
    return lines[lines.index(first) :]


def test_results_are_written_and_printed_before_they_fail(eatlas_cli, tmp_path):
    ended = eatlas_cli(*RUN, "--fail-if", "level1.supported and abs(d) > 0.5")
    assert ended.code == 3
    assert lines_after(ended, "report:  out/report.html")[2:] == [
        "Fails if level1.supported and abs(d) > 0.5:",
        "  weat-6: true, as level1.supported is true and d is 1.71777",
        "  false for 1 of 2 results",
        "Gate failed: weat-6",
    ]
    assert len((tmp_path / "out/results.jsonl").read_text(encoding="utf-8").splitlines()) == 2


def test_several_expressions_that_are_false(eatlas_cli):
    ended = eatlas_cli(*RUN, "--fail-if", "abs(d) > 1.9", "--fail-if", "missing > 0")
    assert (ended.code, ended.out.splitlines()[-1]) == (0, "Gate passed")
    assert ended.out.count("  false for 2 of 2 results") == 2


def test_json_is_all_that_standard_output_has(eatlas_cli):
    ended = eatlas_cli(*RUN, "--json", "--fail-if", "d > 1.5")
    assert ended.code == 3
    assert [json.loads(line)["test"] for line in ended.out.splitlines()] == ["weat-6", "weat-7"]
    assert ended.err.splitlines()[-1] == "Gate failed: weat-6"


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (("--fail-if", "abs(d"), "'(' was never closed"),
        (("--fail-if", "sqrt(d) > 1"), "does not belong to the language"),
        (("--fail-if", "levle1.supported"), "did you mean level1.supported?"),
        (("--against", "out/results.jsonl"), "a run does not replace the file"),
        (("--against", "nowhere.jsonl"), "nowhere.jsonl"),
    ],
)
def test_mistakes_are_found_before_anything_is_measured(eatlas_cli, tmp_path, arguments, fault):
    ended = eatlas_cli(*RUN, *arguments)
    assert (ended.code, ended.out) == (2, "")
    assert fault in ended.err
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_no_result_has_is_found_afterwards(eatlas_cli, tmp_path):
    ended = eatlas_cli(*RUN, "--fail-if", "mean_bias > 1")
    assert ended.code == 2
    assert "no result has mean_bias" in ended.err
    assert (tmp_path / "out/results.jsonl").exists()


def test_a_test_that_could_not_be_measured_is_not_checked(eatlas_cli, tmp_path, vectors_csv):
    bad = TOML.replace('"tiny"', '"bad"').replace(
        '"aster", "clover", "iris", "lily"', '"no", "none"'
    )
    path = tmp_path / "two.toml"
    path.write_text(TOML + bad.split("\n", 1)[1], encoding="utf-8")
    ended = eatlas_cli("run", "--tests", path, "--vectors", vectors_csv, "--fail-if", "d > 5")
    assert ended.code == 3
    assert ended.out.splitlines()[-2:] == ["bad: not measured, so not checked", "Gate failed: bad"]


def test_against_a_baseline(eatlas_cli, tmp_path):
    assert eatlas_cli(*RUN, "--out", "first").code == 0
    baseline = ("--against", "first/results.jsonl")
    same = eatlas_cli(*RUN, *baseline, "--vectors", "glove-sample?transform=center")
    assert (same.code, same.out.splitlines()[-1]) == (0, "Gate passed")
    assert "  weat-6: unchanged (“supported”; d 1.72; p of the difference" in same.out
    more = eatlas_cli("run", "--tests", "weat-6", "--tests", "weat-1", *QUICK, *baseline)
    assert more.code == 3
    assert lines_after(more, "Compared with the baseline:")[2:] == [
        "  weat-1, level1: not in the baseline (“supported”; d 1.17)",
        "  weat-7: no longer measured",
        "Gate failed: weat-1",
    ]
    other = eatlas_cli("run", "--tests", "weat-6", "--measure", "ml-eat(ddof=0)", *baseline)
    assert other.code == 2
    assert "weat-6 was measured with other parameters than in the baseline" in other.err
