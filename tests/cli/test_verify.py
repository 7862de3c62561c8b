"""``eatlas verify``: the same, what differs, or why it could not be repeated."""

import json
import re

import pytest
from tests.commands import QUICK

import eatlas


def test_all_the_same(eatlas_cli, test_file, vectors_csv):
    eatlas_cli(
        "run", "--tests", test_file, "--vectors", vectors_csv, "--measure", "ml-eat",
        "--measure", "sc-eat(ddof=0)", "--case", "exact", "--seed", 4,
    )  # fmt: skip
    ended = eatlas_cli("verify", "out/results.jsonl")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("2 of 2 results are the same\ncomputed again: vectors, ")
    assert max(map(len, ended.out.splitlines())) <= 100
    everything = eatlas_cli("verify", "-v", "out/results.jsonl")
    assert everything.said.count(": same ") == 2


def test_a_changed_number_is_named(eatlas_cli, tmp_path):
    eatlas_cli("run", "--tests", "weat-6", "--measure", "ml-eat(resamples=0)")
    path = tmp_path / "out" / "results.jsonl"
    line = json.loads(path.read_text("utf-8"))
    polished = json.loads(json.dumps(line))
    polished["level1"]["effect_size"] = 1.9
    path.write_text(json.dumps(polished) + "\n", encoding="utf-8")
    ended = eatlas_cli("verify", path)
    assert ended.code == 2
    assert "the finding does not follow from the numbers of the result" in ended.err
    assert "finding.questions.level1.effect_size is 1.7" in ended.err
    assert "the numbers of the result give 1.9" in ended.err
    del line["finding"]
    d = line["level1"]["effect_size"]
    line["level1"]["effect_size"] = 1.9
    line["level2"]["X"]["p"]["count"]["greater"] += 1
    path.write_text(json.dumps(line) + "\n", encoding="utf-8")
    ended = eatlas_cli("verify", path)
    assert ended.code == 1
    assert ": differs\n" in ended.out
    assert f"  level1.effect_size: 1.9 in the file, {d!r} now" in ended.out
    assert "  level2.X.p.count.greater: " in ended.out
    assert ended.out.startswith("0 of 1 results are the same\n")


def test_what_another_machine_adds_otherwise_is_the_same(eatlas_cli, tmp_path):
    """The last bits of every number changed, and those kept to six decimals in their last digit."""

    def changed(value, where):
        if isinstance(value, dict):
            return {key: changed(inner, (*where, key)) for key, inner in value.items()}
        if isinstance(value, list):
            return [changed(inner, where) for inner in value]
        if not isinstance(value, float) or "provenance" in where:
            return value
        if {"uncertainty", "influence", "matched", "diagnosis", "power"} & set(where):
            return value - 1e-6 if value > 0.01 else value
        if "p" in where or str(where[-1]).startswith("p_") or value == 1:
            return value
        return value * (1 - 9e-10)

    eatlas_cli("run", "--tests", "weat-6", "--tests", "weat-9", *QUICK)
    path = tmp_path / "out" / "results.jsonl"
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    path.write_text("\n".join(json.dumps(changed(line, ())) for line in lines), encoding="utf-8")
    ended = eatlas_cli("verify", path)
    assert (ended.code, ended.err) == (0, "")
    assert "2 of 2 results are the same" in ended.out


CHANGES = {
    "level1.p.greater": 1e-11, "level1.effect_size": 1e-8, "level3.XA.sd": 1e-9,
    "uncertainty.level1.se": 3e-6, "uncertainty.patterns.BY-Singular": 1.1e-3,
    "frequency.matched.level1.p_two_sided": 3e-6, "generalisation.level1.p_two_sided": 1e-9,
    "similarities[0][0]": 3e-6, "level1.p.count.greater": 1,
}  # fmt: skip
"""By so much a number may not differ."""


def test_more_than_that_is_a_difference(eatlas_cli, tmp_path):
    (result,) = eatlas.run("weat-6")
    line = result.to_dict()
    del line["finding"]
    for place, by in CHANGES.items():
        *above, last = [int(k) if k.isdigit() else k for k in re.findall(r"[^.\[\]]+", place)]
        inner = line
        for key in above:
            inner = inner[key]
        inner[last] += by
    path = tmp_path / "results.jsonl"
    path.write_text(json.dumps(line) + "\n", encoding="utf-8")
    ended = eatlas_cli("verify", path)
    assert ended.code == 1
    assert ": differs\n" in ended.out
    named = re.findall(r"^  (\S+): .* in the file, ", ended.out, re.MULTILINE)
    assert sorted(named) == sorted(CHANGES)


def test_vectors_that_were_moved(eatlas_cli, test_file, vectors_csv, tmp_path):
    eatlas_cli("run", "--tests", test_file, "--vectors", vectors_csv)
    moved = vectors_csv.rename(tmp_path / "else=where.csv")
    ended = eatlas_cli("verify", "out/results.jsonl")
    assert ended.code == 1
    assert (
        f"remedy: check the path; if the vectors are somewhere else: --vectors {vectors_csv}=PATH"
        in ended.said
    )
    ended = eatlas_cli("verify", "out/results.jsonl", "--vectors", f"{vectors_csv}={moved}")
    assert (ended.code, ended.err) == (0, "")
    moved.write_text(moved.read_text("utf-8").replace("0.", "1."), encoding="utf-8")
    ended = eatlas_cli("verify", "out/results.jsonl", "--vectors", f"{vectors_csv}={moved}")
    assert ended.code == 1
    assert "provenance.source_fingerprint: " in ended.said


@pytest.fixture
def four(eatlas_cli, tmp_path):
    """Results of a run of four tests, in a file, and its lines."""
    options = [part for n in (1, 2, 6, 7) for part in ("--tests", f"weat-{n}")]
    eatlas_cli("run", *options, *QUICK)
    path = tmp_path / "out" / "results.jsonl"
    return path, path.read_text("utf-8").splitlines()


def test_results_that_are_missing_are_counted(eatlas_cli, four):
    path, lines = four
    assert "4 of 4 results of this run are here" in eatlas_cli("verify", path).said
    path.write_text("\n".join(lines[:2]) + "\n", encoding="utf-8")
    ended = eatlas_cli("verify", path)
    assert ended.code == 1
    assert ended.out.startswith("2 of 2 results are the same\n")
    assert "2 of 4 results of this run are here; the others are in another file" in ended.said
    ended = eatlas_cli("verify", path, "--json")
    assert ended.code == 1
    *verdicts, run = map(json.loads, ended.out.splitlines())
    assert [verdict["status"] for verdict in verdicts] == ["same", "same"]
    assert (run["here"], run["results"], run["changed"]) == (2, 4, False)


def test_the_rest_of_a_run_may_be_in_another_file(eatlas_cli, tmp_path, four):
    path, lines = four
    path.write_text("\n".join(lines[:2]) + "\n", encoding="utf-8")
    (tmp_path / "rest.jsonl").write_text("\n".join(lines[2:]) + "\n", encoding="utf-8")
    (tmp_path / "copy.jsonl").write_text("\n".join(lines[2:]) + "\n", encoding="utf-8")
    assert eatlas_cli("verify", path, "rest.jsonl", "copy.jsonl").code == 0


def test_a_result_in_the_place_of_another_of_its_run_is_seen(eatlas_cli, four):
    path, lines = four
    other = json.loads(lines[0])
    run = json.loads(lines[1])["provenance"]["run"] | {"results": 2}
    changed = [json.loads(line) for line in (lines[0], lines[1])]
    for line in changed:
        line["provenance"]["run"] = run
    path.write_text("".join(f"{json.dumps(line)}\n" for line in changed), encoding="utf-8")
    ended = eatlas_cli("verify", path)
    assert ended.code == 1
    assert "The file does not match the run that wrote it: a result was replaced" in ended.said
    del other["provenance"]["run"]
    path.write_text(json.dumps(other) + "\n", encoding="utf-8")
    ended = eatlas_cli("verify", path)
    assert ended.code == 0
    assert "1 result without a run: whether others are missing is unknown" in ended.said


def test_another_version_is_said(eatlas_cli, four):
    path, lines = four
    older = [
        line.replace(f'"version": "{eatlas.__version__}"', '"version": "0.1.0"') for line in lines
    ]
    path.write_text("\n".join([older[0], *lines[1:]]) + "\n", encoding="utf-8")
    ended = eatlas_cli("verify", path)
    assert ended.code == 1
    assert "its test, source, measure, seed or version was changed" in ended.said
    assert f"made by eatlas 0.1.0, verified by {eatlas.__version__}" in ended.said
    first = json.loads(eatlas_cli("verify", path, "--json").out.splitlines()[0])
    assert (first["status"], first["version"]) == ("same", "0.1.0")
    assert first["details"] == [f"made by eatlas 0.1.0, verified by {eatlas.__version__}"]


def test_the_tests_of_a_battery_that_are_missing_are_named(eatlas_cli, four):
    path, _ = four
    ended = eatlas_cli("verify", path, "--battery", "caliskan", "--battery", "weat-6")
    assert ended.code == 1
    assert (
        "caliskan: 4 of 10 tests are here; not here: weat-3, weat-4, weat-5, weat-8, weat-9, "
        "weat-10 computed again"
    ) in ended.said
    assert ended.said.endswith("weat-6: 1 of 1 tests are here")


def test_a_run_is_named_alike_whenever_it_is_repeated(eatlas_cli, four, tmp_path):
    _, lines = four
    run = json.loads(lines[0])["provenance"]["run"]
    assert {json.dumps(json.loads(line)["provenance"]["run"]) for line in lines} == {
        json.dumps(run)
    }
    options = [part for n in (7, 1, 2, 6) for part in ("--tests", f"weat-{n}")]
    eatlas_cli("run", *options, *QUICK, "--out", "again")
    again = json.loads((tmp_path / "again" / "results.jsonl").read_text("utf-8").splitlines()[0])
    assert again["provenance"]["run"] == run
    eatlas_cli("run", *options, *QUICK, "--seed", 1, "--out", "other")
    other = json.loads((tmp_path / "other" / "results.jsonl").read_text("utf-8").splitlines()[0])
    assert other["provenance"]["run"] != run


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda line: line.replace('"title"', '"titel"', 1).rstrip("\n"),
         "this result has a key that is unknown\n  got: titel is unknown\n"),
        (lambda line: re.sub(r'"effect_size": [\d.]+', '"effect_size": 1e7', line, count=1),
         "a value of this result is not possible\n  got: level1.effect_size: Input should be less"),
        (lambda line: line.replace('"test": "weat-7", ', ""), "this result lacks a key\n  got: test"),
        (lambda line: line[:-40], "the file ends in the middle of this result\n"),
        (lambda line: line[:-40] + "\n", "the line ends in the middle of this result\n"),
        (lambda line: line.replace('"title"', "title", 1), "this line is not a result\n"),
    ],
)  # fmt: skip
def test_a_bad_line_is_named_for_what_it_is(eatlas_cli, four, change, said):
    path, lines = four
    last = lines[-1] + "\n"
    assert change(last) != last
    path.write_text("\n".join(lines[:-1]) + "\n" + change(last), encoding="utf-8")
    ended = eatlas_cli("verify", path)
    assert ended.code == 1
    assert f"error: {path}, line 4: {said}" in ended.err
    assert "3 of 4 results of this run are here" in ended.said
