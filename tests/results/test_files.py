"""JSON Lines: exactly the contract, whole or not at all, and read back equal."""

import json
import math

import jsonschema
import numpy as np
import pytest
from tests.inputs import make_test, make_vectors

import eatlas
from eatlas.errors import ResultsError
from eatlas.results import salvage_results, to_json_line
from eatlas.results.json_lines import json_schema

MEASURES = ["ml-eat", "weat", "sc-eat"]


@pytest.fixture(scope="module")
def results():
    odd = make_test("odd", X=("New York", 'say "hi"', "🌹"), Y=("שלום", "<script>", "naïve"))
    vectors = make_vectors(odd) | make_vectors(make_test())
    same = make_test("same", X=("s1", "s2", "s3"), Y=("s4", "s5"))
    vectors |= dict.fromkeys(("s1", "s2", "s3", "s4", "s5"), np.ones(5))
    large = make_test(
        "large", X=tuple(f"x{i}" for i in range(80)), Y=tuple(f"y{i}" for i in range(90))
    )
    vectors |= make_vectors(large, seed=1)
    return eatlas.run(tests=[make_test(), odd, same, large], vectors=vectors, measures=MEASURES)


def _first(results, test):
    return next(result for result in results if result.test == test)


def test_reading_back_gives_equal_records(results, tmp_path):
    path = tmp_path / "results.jsonl"
    results.write(path)
    again = eatlas.read_results(path)
    assert again == results
    assert [repr(r) for r in again] == [repr(r) for r in results]


def test_every_result_satisfies_the_published_schema(results):
    schema = json_schema()
    validator = jsonschema.Draft202012Validator(schema)
    jsonschema.Draft202012Validator.check_schema(schema)
    for result in results:
        validator.validate(json.loads(to_json_line(result)))


def test_the_keys_of_the_contract(results):
    line = json.loads(to_json_line(results[0]))
    assert (line["schema"], line["measure"], line["test"], line["source"]) == (
        "eatlas/result/1", "ml-eat", "tiny", "dict",
    )  # fmt: skip
    assert line["signature"].startswith("ML-EAT(")
    p = line["level1"]["p"]
    assert set(p) >= {"greater", "less", "two_sided", "method", "count", "total", "min_p"}
    assert p["method"] == "exact"
    assert p["count"]["greater"] / p["total"] == p["greater"]
    assert isinstance(p["count"]["greater"], int)
    assert set(line["level2"]) == {"X", "Y"}
    assert line["level2"]["Y"]["p"]["total"] == math.comb(8, 4)
    assert set(line["level3"]) == {"XA", "XB", "YA", "YB"}
    assert set(line["level3"]["XB"]) >= {"mean", "sd", "n"}
    assert set(line["pattern"]) >= {"label", "direction", "two_sided_label"}
    assert line["coverage"]["X"]["used"] == ["aster", "clover", "iris", "lily"]
    assert line["coverage"]["X"]["missing"] == []
    assert set(line["provenance"]) >= {"version", "seed", "stimuli_sha256", "source_fingerprint"}


def test_undefined_is_null_with_a_warning_and_never_nan(results):
    text = to_json_line(_first(results, "same"))
    assert "NaN" not in text
    assert "Infinity" not in text
    line = json.loads(text)
    assert line["level1"]["effect_size"] is None
    assert line["level1"]["p"]["count"] == {"greater": 10, "less": 10, "two_sided": 10}
    about = [(note["code"], note["place"]) for note in line["warnings"] if "place" in note]
    assert ("undefined.effect-size", "level1") in about


def test_a_file_cut_in_the_middle(results, tmp_path):
    path = tmp_path / "results.jsonl"
    results.write(path)
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:2]) + lines[2][: len(lines[2]) // 2])
    with pytest.raises(ResultsError, match=r"line 3: the file ends in the middle of this result"):
        eatlas.read_results(path)
    good, damage = salvage_results(path)
    assert len(good) == 2
    assert len(damage) == 1
    assert "run the tests again" in str(damage[0])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("[1, 2]", "a JSON object was expected, not list"),
        ("{}", "the schema of a result is unknown"),
        ('{"schema": "eatlas/result/9"}', "got: 'eatlas/result/9'"),
        ('{"schema": "eatlas/result/1", "measure": "tea-leaves"}', "got: 'tea-leaves'"),
        ('{"schema": "eatlas/result/1", "measure": "weat"}', "Field required"),
        ("not json", "Expecting value"),
    ],
)
def test_lines_that_are_no_results(tmp_path, line, message):
    path = tmp_path / "results.jsonl"
    path.write_text(line + "\n", encoding="utf-8")
    with pytest.raises(ResultsError) as caught:
        eatlas.read_results(path)
    assert f"{path}, line 1: " in str(caught.value)
    assert message in str(caught.value)


def test_results_are_no_path(tiny, tiny_vectors):
    with pytest.raises(ResultsError, match="not a results file\n  got: \\w+Result\n"):
        eatlas.read_results(eatlas.run(tiny, tiny_vectors))
