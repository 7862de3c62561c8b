"""A function of the vectors of groups is a measure."""

import json
import pickle

import numpy as np
import pytest

import eatlas
from eatlas.errors import EatlasError, ResultsError, SignatureError
from eatlas.testing import check_measure


def mean_gap(X, Y, A, B, *, factor=1.0):
    """Difference of mean cosines."""
    return factor * ((X @ A.T).mean() - (X @ B.T).mean() - (Y @ A.T).mean() + (Y @ B.T).mean())


def fault(X, A):
    raise ValueError("shapes differ")


@pytest.fixture(scope="module")
def results():
    return eatlas.run(["weat-6", "weat-7"], measures=["weat", mean_gap], frequency="off")


def test_it_gets_unit_vectors_and_its_number_is_the_value(results):
    weat, found = results[0], results[2]
    assert found.value == pytest.approx(weat.level1.difference, rel=1e-12)
    assert (found.measure, found.function) == ("mean_gap", f"{__name__}:mean_gap")
    assert found.signature.startswith("MEAN_GAP(code=sha256:")
    assert (found.p, found.finding.verdict) == (None, None)
    assert str(found.finding) == f"mean_gap = {found.value:.3g}, no test."
    assert found.coverage == weat.coverage
    lengths = eatlas.run("weat-6", measures={"lengths": lambda Y: (Y**2).sum(axis=1).max()})[0]
    assert lengths.value == pytest.approx(1)


def test_it_is_shown_wherever_results_are(results):
    check_measure(eatlas.get_measure(mean_gap))
    frame = results.table("test")
    assert frame["MEAN_GAP"].tolist() == [results[2].value, results[3].value]
    assert "0.217" in str(results.compare("measure"))
    assert results[2].metrics()["value"] == results[2].value
    assert results[2].rows()[0]["value"] == results[2].value
    assert results.to_frame()["value"].notna().sum() == 2


def test_it_survives_a_file_which_cannot_hold_its_code(results, tmp_path):
    results.save(tmp_path / "r.jsonl")
    read = eatlas.read_results(tmp_path / "r.jsonl")
    assert read == results
    alone, given = eatlas.verify(read), eatlas.verify(read, measures=mean_gap)
    assert [verdict.status for verdict in alone] == ["same"] * 2 + ["not repeated"] * 2
    assert "was a function" in alone[2].details[0]
    assert "measures=function" in alone[2].details[1]
    assert {verdict.status for verdict in given} == {"same"}

    other = eatlas.verify(read[2], measures={"mean_gap": lambda X: X.sum()})[0]
    assert other.status == "differs"
    assert any(line.startswith("signature: ") for line in other.details)


@pytest.mark.parametrize("name", ["weat", "Weat", "weat 2"])
def test_it_does_not_pass_for_a_measure_of_eatlas(results, tmp_path, name):
    line = json.dumps(results[2].to_dict() | {"measure": name})
    (tmp_path / "r.jsonl").write_text(f"{line}\n", encoding="utf-8")
    with pytest.raises(ResultsError, match="r.jsonl, line 1"):
        eatlas.read_results(tmp_path / "r.jsonl")


def test_it_goes_to_other_processes():
    measure = eatlas.get_measure(mean_gap)
    assert pickle.loads(pickle.dumps(measure)) == measure  # noqa: S301
    (one,) = eatlas.run("weat-6", measures=mean_gap, workers=2)
    assert one == eatlas.run("weat-6", measures=[mean_gap])[0]


def test_what_is_not_finite_is_undefined():
    (result,) = eatlas.run("weat-6", measures={"nothing": lambda X: X.sum() * np.nan})
    assert result.value is None
    assert [note.code for note in result.warnings][-1] == "undefined.value"


def of_other_arguments(x, y):
    return x - y


def of_any(X, *others):
    return X, others


def of_vectors(X):
    return X


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (lambda X: X.sum(), "got: a function called <lambda>"),
        ({"two words": fault}, "letters, digits, - and _"),
        ({"weat": fault}, "there is a measure weat already"),
        ({"mine": "weat"}, "a mapping gives names to functions"),
        (of_other_arguments, "its arguments are not groups\n  got: the arguments x and y"),
        (of_any, r"the arguments X and \*others"),
        (max, "no arguments that can be read"),
        (fault, r"got: ValueError: shapes differ \(test_function.py, line"),
        (of_vectors, "the function of_vectors returns no number\n  got: ndarray"),
        (eatlas.WEAT, "not a measure"),
    ],
)
def test_mistakes(given, message):
    with pytest.raises(EatlasError, match=message):
        eatlas.run("weat-6", measures=given)


def test_a_changed_function_is_not_the_one_of_a_signature():
    measure = eatlas.get_measure(mean_gap)
    assert type(measure)(measure.code) == measure
    with pytest.raises(SignatureError, match="the function of the measure mean_gap has changed"):
        type(measure)("sha256:0")


def test_tests_of_groups_are_refused():
    with pytest.raises(EatlasError, match="the measure 'mean_gap' does not take the test"):
        eatlas.run("divdist-gender", measures=mean_gap)
