"""Results files that anybody may have written: bad lines are named, good ones are shown."""

import json

import pytest
from tests.chat_server import Planted
from tests.results.mutations import try_one

import eatlas
from eatlas.errors import ResultsError
from eatlas.present import report_text, write_report
from eatlas.results import salvage_results


@pytest.fixture(scope="module")
def results():
    return eatlas.run("weat-6", measures=["ml-eat(resamples=50)", "weat(resamples=50)"])


@pytest.fixture(scope="module")
def lines(results):
    return [json.loads(json.dumps(one.to_dict())) for one in results]


def changed(line, *path, to):
    line = json.loads(json.dumps(line))
    holder = line
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = to
    return json.dumps(line)


CHANGES = [
    (("measure",), [], "the measure of a result is unknown\n  got: [] (list)\n  allowed: "),
    (("measure",), {"a": 1}, "the measure of a result is unknown\n  got: {'a': 1} (dict)"),
    (("schema",), [[]], "the schema of a result is unknown\n  got: [[]] (list)"),
    (("level1", "effect_size"), 3e8, "level1.effect_size: Input should be less than or equal to"),
    (("level1", "effect_size"), 10**300, "level1.effect_size: Input should be less than or equal"),
    (("level1", "difference"), -1e20, "level1.difference: Input should be greater than or eq"),
    (("level3", "XA", "mean"), 1.01, "a cosine of 1.01 is outside -1 to 1"),
    (("level3", "XA", "quantiles"), [-2, 0, 0, 0, 0], "a cosine of 2 is outside -1 to 1"),
    (("similarities", 0, 0), 1.0001, "a cosine of 1.0001 is outside -1 to 1"),
    (("similarities", 0, 0), 1e308, "1e+308 is a number beyond 1e+150"),
    (("uncertainty", "level1", "se"), 1e200, "1e+200 is a number beyond 1e+150"),
    (("coverage", "X", "contexts"), {"a": 10**12}, "coverage.X: contexts of a group are 0 to 5,000"),
    (("title",), "\ud800", "\\ud800 occurs alone, which is not a character"),
    (("warnings",), ["\udfff\ud83d\ude00"], "\\udfff occurs alone, which is not a character"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "value", "said"), CHANGES)
def test_F18_F32_a_line_that_cannot_be_is_named_and_the_others_are_shown(
    lines, results, tmp_path, path, value, said
):
    file = tmp_path / "results.jsonl"
    file.write_text(f"{changed(lines[0], *path, to=value)}\n{json.dumps(lines[1])}\n")
    good, (error,) = salvage_results(file)
    assert list(good) == [results[1]]
    assert str(error).startswith(f"{file}, line 1: ")
    assert said in str(error)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (b'"test":', b'"test": "weat-7", "test":', "the key 'test' occurs twice"),
        (b'"X": "Male', b'"X": "Cats", "X": "Male', "the key 'X' occurs twice"),
        (b'"title": ', b'"title": ' + b"[" * 100_000, "values that are nested too deep"),
        (b'"seed": 0', b'"seed": ' + b"9" * 5000, "Exceeds the limit (4300 digits) for integer"),
        (b'"seed": 0', b'"seed": NaN', "provenance.seed: Input should be a finite number"),
        (b'"effect_size": 1', b'"effect_size": 1e999, "d": 1', "1e999 is a number beyond 1e+150"),
        (b"Male", b"\xed\xa0\x80", "is not UTF-8 text"),
    ],
)
def test_F32_F38_a_line_that_is_written_so_is_named(lines, tmp_path, old, new, said):
    file = tmp_path / "results.jsonl"
    data = json.dumps(lines[0]).encode()
    assert old in data
    file.write_bytes(data.replace(old, new, 1) + b"\n" + json.dumps(lines[1]).encode() + b"\n")
    good, (error,) = salvage_results(file)
    assert len(good) == 1
    assert "line 1: " in str(error)
    assert said in str(error)
    assert len(str(error)) < 1500


def test_F18_a_large_effect_size_is_drawn(lines, tmp_path):
    file = tmp_path / "results.jsonl"
    line = json.loads(changed(lines[0], "level1", "effect_size", to=999_999.0))
    del line["finding"]
    file.write_text(json.dumps(line) + "\n")
    write_report(eatlas.read_results(file), tmp_path / "report.html")
    page = (tmp_path / "report.html").read_bytes()
    assert len(page) < 10**6
    assert "999" in report_text(eatlas.read_results(file), "csv")


def test_a_finding_that_does_not_follow_from_the_numbers_is_refused(lines, tmp_path):
    file = tmp_path / "results.jsonl"
    of_file = json.loads(json.dumps(lines[0]))
    of_file["finding"]["sentence"] = "Nothing to see here."
    file.write_text(json.dumps(of_file) + "\n")
    with pytest.raises(ResultsError, match="finding.sentence is Nothing to see here.; the numbers"):
        eatlas.read_results(file)
    of_file["provenance"]["version"] = "0.1.0"  # which may have had other sentences
    file.write_text(json.dumps(of_file) + "\n")
    assert eatlas.read_results(file)[0].finding.questions


def test_F32_a_folder_that_may_not_be_read(tmp_path):
    """What stands in it cannot be looked for either; a name that is too long is as good."""
    name = tmp_path / ("x" * 5000)
    with pytest.raises(ResultsError, match="the results file cannot be read\n  got: File name too"):
        eatlas.read_results(name)
    with pytest.raises(ResultsError, match="cannot be read\n  got: embedded null"):
        eatlas.read_results("a\0b")


@pytest.fixture(scope="module")
def answers():
    measures = ["ask(resamples=0,opponents=2)", "assign(lists=2)"]
    found = eatlas.run("weat-6", Planted(refusal=0.1), measures)
    return [json.loads(json.dumps(one.to_dict())) for one in found]


@pytest.mark.parametrize(
    ("at", "path", "value", "said"),
    [
        (0, ("answers", "asked"), 0, "answers.asked: "),
        (0, ("answers", "usable"), -1, "answers.usable: "),
        (0, ("answers", "faults"), {"<b>": 1}, "answers.faults"),
        (0, ("answers", "faults", "refused"), -1, "answers.faults"),
        (0, ("answers", "first_place"), 1.5, "answers.first_place: "),
        (0, ("answers", "unusable", "X"), 2, "answers.unusable"),
        (0, ("answers", "templates", 0, "usable"), -0.5, "answers.templates"),
        (1, ("lists",), 0, "lists: "),
        (1, ("refused",), -1, "refused: "),
        (1, ("shares", "home"), 1.5, "shares"),
    ],
)
def test_F32_answers_that_cannot_be_are_named(answers, tmp_path, at, path, value, said):
    file = tmp_path / "results.jsonl"
    file.write_text(changed(answers[at], *path, to=value) + "\n")
    good, (error,) = salvage_results(file)
    assert not good
    assert said in str(error)


@pytest.mark.parametrize("seed", range(12))
def test_F32_damage_at_random_of_answers(answers, tmp_path, seed):
    try_one([answers[seed % 2]], seed, tmp_path, page=seed % 3 == 0)


@pytest.mark.parametrize("seed", range(24))
def test_F32_damage_at_random(lines, tmp_path, seed):
    """More of it: tools/fuzz_results.py."""
    try_one([lines[seed % 2]], seed, tmp_path, page=seed % 3 == 0)
