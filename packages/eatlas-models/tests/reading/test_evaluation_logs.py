"""Logs of inspect_ai and lm-eval: real ones, and those of strangers."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.reading.inputs import EVAL, LM_EVAL, LOGS, inspect_json, is_biased

from eatlas.errors import ResultsError
from eatlas_models.reading import evaluation_logs
from eatlas_models.reading.bbq import BBQAnswer, answer_of_inspect, bias_score
from eatlas_models.reading.evaluation_logs import read_evaluation_logs


def test_a_log_of_inspect_ai() -> None:
    (log,) = read_evaluation_logs(EVAL)
    assert (log.tool, log.task, log.model) == ("inspect_ai 0.3.285", "bbq", "mockllm/model")
    (accuracy,) = log.reported
    assert (accuracy.metric, round(accuracy.value, 4)) == ("accuracy", 0.3333)
    assert accuracy.error == pytest.approx(0.0983, abs=1e-4)
    assert len(log.samples) == 24
    mean = np.mean([sample.scores["accuracy"] for sample in log.samples])
    assert mean == pytest.approx(accuracy.value)


def test_the_other_format_of_inspect_ai_is_the_same(tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    path.write_text(json.dumps(inspect_json()), encoding="utf-8")
    (log,), (packed,) = read_evaluation_logs(path), read_evaluation_logs(EVAL)
    assert (log.reported, log.samples) == (packed.reported, packed.samples)


def test_a_log_of_lm_eval_with_its_samples() -> None:
    (log,) = read_evaluation_logs(LM_EVAL)
    assert (log.tool, log.task, len(log.samples)) == ("lm-eval 0.4.13", "bbq", 24)
    by_metric = {each.metric: each for each in log.reported}
    assert by_metric["acc"].error == pytest.approx(0.0983, abs=1e-4)
    assert "amb_bias_score_Nationality" not in by_metric, "it is NaN"
    right = np.mean([sample.scores["acc"] for sample in log.samples])
    assert right == pytest.approx(by_metric["acc"].value)


def test_bias_scores_are_those_that_lm_eval_reports() -> None:
    """But where no answer is biased: lm-eval reports 0 then, the paper's formula -1."""
    (log,) = read_evaluation_logs(LM_EVAL)
    reported = {each.metric: each.value for each in log.reported}
    compared = 0
    for metric, ambiguous in (("amb_bias_score", True), ("disamb_bias_score", False)):
        for category in ("", "Gender_identity", "Age", "Race_x_SES"):
            answers = [s.bbq for s in log.samples if not category or s.category == category]
            own = [answer for answer in answers if answer and answer.ambiguous == ambiguous]
            if not any(answer.biased for answer in own):
                continue
            name = f"{metric}_{category}".rstrip("_")
            value = bias_score(np.array(own, bool), ambiguous=ambiguous)
            assert value == pytest.approx(reported[name], abs=1e-12), name
            compared += 1
    assert compared >= 4


def test_biased_answers_are_those_that_lm_eval_finds() -> None:
    lines = next(LM_EVAL.parent.glob("*.jsonl")).read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    for row in rows:
        document = row["doc"]
        choices = [document[f"ans{n}"] for n in range(3)]
        for letter, choice in zip("ABC", choices, strict=True):
            answer = answer_of_inspect(document, choices, letter)
            assert answer is not None
            assert answer.biased == (choice in document["biased_answers"]), document


def test_biased_answers_by_hand() -> None:
    for sample in inspect_json()["samples"]:
        for n, letter in enumerate("ABC"):
            label = sample["metadata"]["answer_info"][f"ans{n}"][1]
            answer = answer_of_inspect(sample["metadata"], sample["choices"], letter)
            assert answer is not None
            assert (answer.biased, answer.known) == (is_biased(sample, label), label != "unknown")


@pytest.mark.parametrize(
    ("answers", "ambiguous", "score"),
    [
        ("bbb", False, 1.0),
        ("bccc", False, -0.5),
        ("ccc", False, -1.0),
        ("uuu", False, float("nan")),
        ("uuub", True, 0.25),
        ("uubc", True, 0.0),
        ("uuuu", True, 0.0),
        ("", True, float("nan")),
    ],
)
def test_bias_scores_by_hand(answers: str, ambiguous: bool, score: float) -> None:
    """Answers that are biased, counter to the stereotype, and unknown."""
    rows = [BBQAnswer(ambiguous, a == "u" and ambiguous, a == "b", a != "u") for a in answers]
    table = np.array(rows, bool).reshape(-1, 4)
    assert bias_score(table, ambiguous=ambiguous) == pytest.approx(score, nan_ok=True)


def test_a_folder_has_all_its_logs(tmp_path: Path) -> None:
    assert [log.task for log in read_evaluation_logs(LOGS)] == ["bbq", "bbq"]
    (tmp_path / "settings.json").write_text("{}")
    with pytest.raises(ResultsError, match=r"contains no log[\s\S]*settings.json"):
        read_evaluation_logs(tmp_path)


def changed(path: Path, **changes: Any) -> Path:
    path.write_text(json.dumps({**inspect_json(), **changes}), encoding="utf-8")
    return path


def archive(path: Path, **entries: bytes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in entries.items():
            file.writestr(name, data)
    return path


def lm_eval(path: Path, **more: Any) -> Path:
    path.write_text(json.dumps({"results": {"t": {"acc,none": 0.5}}, "configs": {}, **more}))
    return path


STRANGE = {
    "not-json.json": lambda path: path.write_text("{") and path,
    "list.json": lambda path: path.write_text("[]") and path,
    "deep.json": lambda path: path.write_text("[" * 99_999) and path,
    "failed.json": lambda path: changed(path, status="error"),
    "eval.json": lambda path: changed(path, eval=[]),
    "samples.json": lambda path: changed(path, samples=[1]),
    "scores.json": lambda path: changed(path, results={"scores": [1]}),
    "empty.eval": archive,
    "begun.eval": lambda path: archive(path, **{"_journal/start.json": b"{}"}),
    "cut.eval": lambda path: path.write_bytes(EVAL.read_bytes()[:9_000]) and path,
    "results_1.json": lambda path: lm_eval(path, results=[]),
    "samples_t_1.jsonl": lambda path: path.write_text("{}") and path,
}
SAID = {
    "not-json.json": "cannot be read", "list.json": "no log of an evaluation",
    "deep.json": "nested too deep", "failed.json": "status error", "eval.json": "eval is not",
    "samples.json": "samples is not", "scores.json": "results.scores is not",
    "empty.eval": "no finished log", "begun.eval": "inspect eval-retry",
    "cut.eval": "cannot be read", "results_1.json": "results is not",
    "samples_t_1.jsonl": "without its results",
}  # fmt: skip


@pytest.mark.parametrize("name", STRANGE)
def test_what_is_no_log_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match=SAID[name]):
        read_evaluation_logs(STRANGE[name](tmp_path / name))


def test_damaged_samples_are_named(tmp_path: Path) -> None:
    path = lm_eval(tmp_path / "results_1.json")
    (tmp_path / "samples_t_1.jsonl").write_text('{"acc": 1}\n{')
    with pytest.raises(ResultsError, match=r"samples_t_1.jsonl, line 2"):
        read_evaluation_logs(path)


def test_a_task_names_no_file_elsewhere(tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    path = lm_eval(inside / "results_1.json", results={"x/../../other": {"acc,none": 0.5}})
    (tmp_path / "other_1.jsonl").write_text("{")
    (log,) = read_evaluation_logs(path)
    assert log.samples == ()


def test_an_archive_that_expands_too_far_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluation_logs, "MOST_BYTES", 1 << 20)
    path = archive(tmp_path / "bomb.eval", **{"header.json": b" " * (2 << 20)})
    monkeypatch.setattr(evaluation_logs, "_unpack", lambda *_: pytest.fail("it was read"))
    with pytest.raises(ResultsError, match="too large"):
        read_evaluation_logs(path)


def test_an_entry_that_is_longer_than_declared_is_refused(tmp_path: Path) -> None:
    data = bytearray(archive(tmp_path / "a.eval", **{"header.json": b" " * 5_000}).read_bytes())
    for mark, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        at = data.index(mark) + offset
        data[at : at + 4] = (10).to_bytes(4, "little")
    (tmp_path / "b.eval").write_bytes(data)
    with pytest.raises(ResultsError, match="cannot be read"):
        read_evaluation_logs(tmp_path / "b.eval")


def test_too_many_samples_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluation_logs, "MOST_SAMPLES", 23)
    for path in (EVAL, LM_EVAL):
        with pytest.raises(ResultsError, match="too many samples"):
            read_evaluation_logs(path)


def test_the_name_of_a_model_of_lm_eval(tmp_path: Path) -> None:
    path = tmp_path / "results_1.json"
    for arguments in ("pretrained=org/m,dtype=float32", {"pretrained": "org/m"}):
        (log,) = read_evaluation_logs(lm_eval(path, config={"model_args": arguments}))
        assert log.model == "org/m"
