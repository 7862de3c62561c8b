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
