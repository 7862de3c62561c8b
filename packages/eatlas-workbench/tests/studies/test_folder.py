"""The folder of a study: whole, resumable, and of one plan."""

import csv
import json

import pytest

import eatlas
from eatlas.errors import ResultsError, StudyError
from eatlas.executors import here
from eatlas_workbench.studies import carry_out, prepare

PLAN = {"tests": ["weat-6", "weat-7"], "measures": ["ml-eat"], "choices": {"ddof": [1, 0]}}


def test_it_holds_results_that_verify_and_a_table(tmp_path):
    study = eatlas.multiverse(PLAN, out=tmp_path / "study")
    results = eatlas.read_results(tmp_path / "study" / "results.jsonl")
    assert results == study.results
    assert {verdict.status for verdict in eatlas.verify(results)} == {"same"}
    with (tmp_path / "study" / "specifications.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["test"], row["ddof"], row["line"]) for row in rows] == [
        ("weat-6", "1", "1"), ("weat-6", "0", "2"), ("weat-7", "1", "3"), ("weat-7", "0", "4"),
    ]  # fmt: skip
    for row, result in zip(rows, results, strict=True):
        assert float(row["effect_size"]) == result.level1.effect_size
    assert eatlas.read_study(tmp_path / "study").record == study.record
    assert not (tmp_path / "study" / "unfinished.jsonl").exists()


def test_what_is_done_is_not_done_again(tmp_path):
    eatlas.multiverse(PLAN, out=tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    done = []

    def nothing_is_left(function, items):
        done.extend(items)
        return here(function, items)

    taken = []
    carry_out(
        prepare(PLAN), nothing_is_left, tmp_path, begun=lambda store: taken.append(len(store.done))
    )
    assert (done, taken) == ([], [4])
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_study_that_was_cut_off_goes_on(tmp_path):
    class CutError(Exception):
        pass

    def cut_after_three(function, items):
        for number, outcome in enumerate(here(function, items)):
            if number == 3:
                raise CutError
            yield outcome

    with pytest.raises(CutError):
        carry_out(prepare(PLAN), cut_after_three, tmp_path)
    assert not (tmp_path / "results.jsonl").exists()
    taken = []
    study = carry_out(
        prepare(PLAN), directory=tmp_path, begun=lambda store: taken.append(len(store.done))
    )
    assert taken == [3]
    assert study.results == eatlas.multiverse(PLAN).results


def test_another_plan_is_refused_and_nothing_changes(tmp_path):
    eatlas.multiverse(PLAN, out=tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    other = {**PLAN, "choices": {"ddof": [1]}}
    with pytest.raises(StudyError, match="this folder has the study of a different plan") as caught:
        eatlas.multiverse(other, out=tmp_path)
    assert str(tmp_path / "plan.toml") in caught.value.remedy
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_results_of_a_run_are_not_written_over(tmp_path):
    eatlas.run("weat-6").write(tmp_path / "results.jsonl")
    with pytest.raises(StudyError, match="this folder holds other files of these names"):
        eatlas.multiverse(PLAN, out=tmp_path)


def test_the_resolved_plan_names_tests_of_ones_own(tmp_path, tiny, vectors_csv):
    plan = {"tests": [tiny], "vectors": {"mine": str(vectors_csv)}, "measures": ["weat"]}
    study = eatlas.multiverse(plan, out=tmp_path / "study")
    again = eatlas.multiverse(tmp_path / "study" / "plan.toml")
    assert again.results == study.results


def test_a_damaged_record_is_named(tmp_path):
    eatlas.multiverse(PLAN, out=tmp_path)
    record = tmp_path / "study.json"
    values = json.loads(record.read_text(encoding="utf-8"))
    values["specifications"][0]["d"] = "much"
    record.write_text(json.dumps(values), encoding="utf-8")
    with pytest.raises(ResultsError, match="the record of a study cannot be read"):
        eatlas.read_study(tmp_path)
    assert len(eatlas.multiverse(PLAN, out=tmp_path).results) == 4  # done again
