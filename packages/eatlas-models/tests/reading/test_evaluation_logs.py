"""Logs of inspect_ai and lm-eval: real ones, and those of strangers."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.reading.inputs import EPOCHS, EVAL, LM_EVAL, LOGS, inspect_json, is_biased

from eatlas.errors import EatlasError, ResultsError
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


def test_a_log_of_a_model_with_epochs_and_reducers_and_answers_that_are_none() -> None:
    """Numbers as ``inspect eval`` printed them."""
    (log,) = read_evaluation_logs(EPOCHS)
    assert (log.task, log.model) == ("bbq_grouped", "openai-api/smol/smollm2")
    assert [
        (score.metric, round(score.value, 3), round(score.error, 3)) for score in log.reported
    ] == [(f"choice/{reducer}/accuracy", 0.417, 0.103) for reducer in ("mean", "mode", "pass_at_1")]
    assert len(log.samples) == 48
    assert sum(sample.bbq is None for sample in log.samples) == 6
    assert {metric for sample in log.samples for metric in sample.scores} == {
        "choice/mean/accuracy"
    }


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
            value = bias_score(np.sum(own, axis=0), len(own), ambiguous=ambiguous)
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
    ("label", "stereotyped", "biased"),
    [
        ("German", "German", True),
        ("German", "man", False),
        ("Romanian", "M", False),
        ("man", "M", True),
        ("trans man", "man", True),
        ("woman", "M", False),
        ("woman", "F", True),
    ],
)
def test_a_man_is_a_word_of_a_label(label: str, stereotyped: str, biased: bool) -> None:
    infos = {"ans0": ["someone", label], "ans1": ["x", "other"], "ans2": ["y", "unknown"]}
    data = {
        "question_polarity": "neg", "context_condition": "ambig", "answer_info": infos,
        "additional_metadata": {"stereotyped_groups": [stereotyped]},
    }  # fmt: skip
    answer = answer_of_inspect(data, ["a", "b", "c"], "A")
    assert answer is not None
    assert answer.biased == biased


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
    sums = np.array(rows, bool).reshape(-1, 4).sum(axis=0)
    value = bias_score(sums, len(rows), ambiguous=ambiguous)
    assert value == pytest.approx(score, nan_ok=True)


def test_a_folder_has_all_its_logs(tmp_path: Path) -> None:
    assert [log.task for log in read_evaluation_logs(LOGS)] == ["bbq_grouped", "bbq", "bbq"]
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


HEAD: dict[str, Any] = {
    "version": 2, "status": "success", "eval": {"task": "t", "model": "m"},
    "results": {"scores": [{"name": "acc", "metrics": {"accuracy": {"value": 0.5}}}]},
}  # fmt: skip


def with_method(path: Path, method: int) -> Path:
    """An archive that names a method of compression that it was not written with."""
    data = bytearray(stored(path).read_bytes())
    for mark, offset in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        at = data.rindex(mark) + offset
        data[at : at + 2] = method.to_bytes(2, "little")
    path.write_bytes(data)
    return path


def stored(path: Path) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as file:
        file.writestr("header.json", json.dumps(HEAD))
    return path


def encrypted(path: Path) -> Path:
    data = bytearray(stored(path).read_bytes())
    data[6] |= 1
    data[data.rindex(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)
    return path


def deflated_badly(path: Path) -> Path:
    data = bytearray(archive(path, **{"header.json": json.dumps(HEAD).encode()}).read_bytes())
    data[45:75] = b"\xff" * 30
    path.write_bytes(data)
    return path


DAMAGED = {
    "encrypted": encrypted,
    "unknown method": lambda path: with_method(path, 99),
    "bzip2": lambda path: with_method(path, 12),
    "lzma": lambda path: with_method(path, 14),
    "deflate": deflated_badly,
    "no zip": lambda path: path.write_bytes(b"PK\x03\x04") and path,
}


@pytest.mark.parametrize("damage", DAMAGED)
@pytest.mark.parametrize("whole_folder", [False, True])
def test_a_damaged_archive_is_named(damage: str, whole_folder: bool, tmp_path: Path) -> None:
    lm_eval(tmp_path / "results_1.json", model_name="m")
    path = DAMAGED[damage](tmp_path / "a.eval")
    with pytest.raises(ResultsError, match=r"a\.eval: this log cannot be read") as caught:
        read_evaluation_logs(tmp_path if whole_folder else path)
    assert caught.value.got not in (None, "", "None")
    assert caught.value.allowed
    assert caught.value.remedy


def test_a_library_that_fails_without_words_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise EOFError

    monkeypatch.setattr(evaluation_logs, "_unpack", fail)
    with pytest.raises(ResultsError, match=r"got: EOFError"):
        read_evaluation_logs(stored(tmp_path / "a.eval"))


def test_a_damaged_file_of_results_in_a_folder_is_named(tmp_path: Path) -> None:
    lm_eval(tmp_path / "results_1.json", model_name="m")
    (tmp_path / "other.json").write_text("{")
    assert len(read_evaluation_logs(tmp_path)) == 1
    (tmp_path / "results_2.json").write_text("{")
    with pytest.raises(ResultsError, match=r"results_2\.json: this log cannot be read"):
        read_evaluation_logs(tmp_path)


@pytest.mark.parametrize("digits", [309, 4_300])
def test_a_number_of_too_many_digits_is_none(digits: int, tmp_path: Path) -> None:
    scores = {"acc,none": int("9" * digits), "f1,none": 0.5, "exact,none": float("nan")}
    (log,) = read_evaluation_logs(lm_eval(tmp_path / "results_1.json", results={"t": scores}))
    assert [each.metric for each in log.reported] == ["f1"]


@pytest.mark.parametrize(
    ("content", "got"),
    [
        ({**HEAD, "results": None}, "no metrics"),
        ({**HEAD, "results": {"scores": [{"metrics": {"f1": {"value": "x"}}}]}}, "number of f1"),
        ({"results": {}, "configs": {}}, "no metrics"),
        ({"results": {"t": {"alias": "x"}}, "configs": {}}, "number of alias"),
    ],
)
def test_a_log_without_a_score_is_refused(
    content: dict[str, Any], got: str, tmp_path: Path
) -> None:
    path = tmp_path / "results_1.json"
    path.write_text(json.dumps(content))
    with pytest.raises(ResultsError, match=rf"reports no score[\s\S]*{got}[\s\S]*remedy"):
        read_evaluation_logs(path)


def test_an_archive_of_more_values_than_its_size_accounts_for_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = b'{"x":[' + b"[]," * 500_000 + b"1]}"
    entries = {"header.json": json.dumps(HEAD).encode(), "samples/1.json": many}
    path = archive(tmp_path / "a.eval", **entries)
    with pytest.raises(EatlasError, match=r"samples/1\.json: it expands to far more data"):
        read_evaluation_logs(path)
    monkeypatch.setattr(evaluation_logs, "MOST_VALUES", 999_999)
    for file in (path, tmp_path / "log.json"):
        (tmp_path / "log.json").write_bytes(many)
        with pytest.raises(ResultsError, match="too many values"):
            read_evaluation_logs(file)


def test_samples_times_metrics_are_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    metrics = {f"m{number}": {"value": 0.5} for number in range(100)}
    samples = [{"id": number, "scores": {"acc": {"value": "C"}}} for number in range(10)]
    entries = {f"samples/{n}.json": json.dumps(one).encode() for n, one in enumerate(samples)}
    head = {**HEAD, "results": {"scores": [{"name": "acc", "metrics": metrics}]}}
    path = archive(tmp_path / "a.eval", **{"header.json": json.dumps(head).encode(), **entries})
    assert len(read_evaluation_logs(path)[0].samples) == 10
    monkeypatch.setattr(evaluation_logs, "MOST_VALUES", 999)
    with pytest.raises(ResultsError, match="too many values"):
        read_evaluation_logs(path)


def test_lines_are_counted_before_samples_are_parsed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = lm_eval(tmp_path / "results_1.json")
    (tmp_path / "samples_t_1.jsonl").write_text("{}\n" * 4)
    monkeypatch.setattr(evaluation_logs, "MOST_SAMPLES", 3)
    monkeypatch.setattr(evaluation_logs, "_rows", lambda *_: pytest.fail("a line was parsed"))
    with pytest.raises(ResultsError, match="too many samples"):
        read_evaluation_logs(path)


def test_blank_lines_of_samples_are_left_out(tmp_path: Path) -> None:
    path = lm_eval(tmp_path / "results_1.json")
    (tmp_path / "samples_t_1.jsonl").write_text('{"doc_id": 1, "acc": 1}\n\n{"doc_id": 2}\n \n')
    (log,) = read_evaluation_logs(path)
    assert len(log.samples) == 2


def test_names_that_are_empty_or_too_long(tmp_path: Path) -> None:
    results = {"": {"acc,none": 0.5}, "t" * 5_000: {"acc,none": 0.5}}
    first, second = read_evaluation_logs(lm_eval(tmp_path / "results_1.json", results=results))
    assert (first.model, first.task) == ("results_1", "results_1")
    assert second.task == "t" * evaluation_logs.LONGEST
    path = changed(tmp_path / "log.json", eval={"task": "", "model": ""})
    (log,) = read_evaluation_logs(path)
    assert (log.model, log.task) == ("log", "log")


def scores_of_inspect(path: Path, *scores: dict[str, Any], **changes: Any) -> Path:
    """The log of real samples with other scores of the whole task."""
    return changed(path, results={"scores": [*scores]}, **changes)


def score(name: str, value: float = 0.5, **more: Any) -> dict[str, Any]:
    return {"name": name, "metrics": {"accuracy": {"value": value}}, **more}


def test_scorers_of_one_name_are_known_by_their_reducer(tmp_path: Path) -> None:
    scores = [score("choice", 0.5, reducer="mean"), score("choice", 0.7, reducer="mode")]
    (log,) = read_evaluation_logs(scores_of_inspect(tmp_path / "log.json", *scores))
    assert {each.metric: each.value for each in log.reported} == {
        "choice/mean/accuracy": 0.5, "choice/mode/accuracy": 0.7,
    }  # fmt: skip
    assert set(log.samples[0].scores) == {"choice/mean/accuracy"}, "a mode is no mean of samples"


def test_scorers_with_numbers_of_one_name_are_known_by_their_own(tmp_path: Path) -> None:
    samples = [
        {"id": 1, "scores": {"first": {"value": {"a": 1, "b": 0}}, "second": {"value": {"a": 0}}}}
    ]
    scores = [score("a", scorer="first"), score("b", scorer="first"), score("a", scorer="second")]
    (log,) = read_evaluation_logs(
        scores_of_inspect(tmp_path / "log.json", *scores, samples=samples)
    )
    assert log.samples[0].scores == {
        "first/a/accuracy": 1.0, "b/accuracy": 0.0, "second/a/accuracy": 0.0,
    }  # fmt: skip


def grouped(value: float, key: str = "category") -> dict[str, Any]:
    """An accuracy as ``grouped(accuracy(), "category")`` of inspect_ai writes it."""
    parameters = {"metric": {"type": "metric", "name": "accuracy"}, "group_key": key}
    return {"group": "grouped", "value": value, "params": parameters}


def test_grouped_metrics_are_the_metric_and_its_categories(tmp_path: Path) -> None:
    metrics = {"Age": grouped(0.25), "all": grouped(0.5), "stderr": {"value": 0.1}}
    scores = {"name": "choice", "metrics": metrics}
    path = scores_of_inspect(tmp_path / "log.json", scores)
    (log,) = read_evaluation_logs(path)
    assert [score.metric for score in log.reported] == ["accuracy"], "samples have categories"
    assert {sample.category for sample in log.samples} > {"Age"}
    (log,) = read_evaluation_logs(scores_of_inspect(path, scores, samples=[]))
    assert {score.metric: score.value for score in log.reported} == {
        "accuracy": 0.5, "accuracy/Age": 0.25,
    }  # fmt: skip
    metrics = {"a": grouped(0.25, "level"), "all": grouped(0.5), "accuracy": {"value": 0.6}}
    path = scores_of_inspect(path, {"name": "choice", "metrics": metrics})
    (log,) = read_evaluation_logs(path)
    assert {score.metric: score.value for score in log.reported} == {
        "accuracy": 0.6, "accuracy/a": 0.25, "accuracy/all": 0.5,
    }  # fmt: skip


def test_a_score_that_occurs_twice_is_refused(tmp_path: Path) -> None:
    path = scores_of_inspect(tmp_path / "log.json", score("choice"), score("choice", 0.7))
    with pytest.raises(ResultsError, match=r"the score 'choice/accuracy' twice[\s\S]*remedy"):
        read_evaluation_logs(path)


def test_a_sample_that_occurs_twice_is_refused(tmp_path: Path) -> None:
    samples = inspect_json()["samples"]
    path = changed(tmp_path / "log.json", samples=[*samples, samples[3]])
    with pytest.raises(ResultsError, match=r"the sample '\S+, epoch 1' twice[\s\S]*got: 24"):
        read_evaluation_logs(path)
    again = [{**sample, "epoch": 2} for sample in samples]
    (log,) = read_evaluation_logs(changed(path, samples=[*samples, *again]))
    assert len(log.samples) == 48
    path = lm_eval(tmp_path / "results_1.json")
    lines = ['{"doc_id": 1, "acc": 1}', '{"doc_id": 1, "acc": 0, "filter": "strict"}']
    (tmp_path / "samples_t_1.jsonl").write_text("\n".join(lines))
    assert len(read_evaluation_logs(path)[0].samples) == 2
    (tmp_path / "samples_t_1.jsonl").write_text("\n".join([*lines, lines[0]]))
    with pytest.raises(ResultsError, match=r"the sample '1, filter none' twice"):
        read_evaluation_logs(path)
