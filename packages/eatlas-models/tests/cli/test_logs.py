"""``eatlas logs``."""

from __future__ import annotations

import json

import pytest
from tests.reading.inputs import EVAL, LM_EVAL


def test_scores_become_results_with_a_report(eatlas_cli, tmp_path):
    ended = eatlas_cli("logs", f"mock={EVAL}", LM_EVAL, "-o", tmp_path / "o")
    assert (ended.code, ended.err) == (0, "")
    assert "bbq, accuracy: 0.33" in ended.said
    lines = (tmp_path / "o" / "results.jsonl").read_text().splitlines()
    assert {json.loads(line)["measure"] for line in lines} == {"benchmark"}
    page = (tmp_path / "o" / "report.html").read_text()
    assert "Gender_identity" in page
    assert "association test" not in ended.said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nowhere.eval",), "nowhere.eval"),
        ((EVAL, "--same", "gender"), "TEST=CATEGORY"),
        ((EVAL, "--results", "nowhere.jsonl"), "nowhere.jsonl"),
    ],
)
def test_a_mistake_is_named_and_nothing_is_written(eatlas_cli, tmp_path, arguments, said):
    ended = eatlas_cli("logs", *arguments, "-o", tmp_path / "o")
    assert ended.code == 2
    assert said in ended.err
    assert not (tmp_path / "o").exists()


def test_a_log_without_a_score_writes_nothing(eatlas_cli, tmp_path):
    path = tmp_path / "results_1.json"
    path.write_text('{"results": {"t": {"alias": "x"}}, "configs": {}}')
    ended = eatlas_cli("logs", path, "-o", tmp_path / "o")
    assert (ended.code, "the log reports no score" in ended.err) == (2, True)
    assert not (tmp_path / "o").exists()


@pytest.mark.parametrize(
    ("score", "shown"),
    [("1e149", "1.0e149 [1.0e149, 1.0e149]"), ("-2.5e6", "−2.5e6 [−2.7e6, −2.3e6]")],
)
def test_a_large_score_is_a_power_of_ten(eatlas_cli, tmp_path, score, shown):
    path = tmp_path / "results_1.json"
    numbers = f'{{"words,none": {score}, "words_stderr,none": 1e5}}'
    path.write_text(f'{{"results": {{"t": {numbers}}}, "configs": {{}}, "model_name": "m"}}')
    ended = eatlas_cli("logs", path, "-o", tmp_path / "o")
    assert (ended.code, ended.err) == (0, "")
    page = (tmp_path / "o" / "report.html").read_text()
    for text in (ended.said, page):
        assert f"t, words: {shown}" in text
        assert "00000000" not in text.partition("<script")[0]
