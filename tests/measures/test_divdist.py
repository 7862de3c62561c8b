"""DivDist: by hand, its properties, the published signs, undefined values and refusals."""

import json

import numpy as np
import pytest
from jsonschema import Draft202012Validator

import eatlas
from eatlas import Concept, DivDist, GroupsTest
from eatlas.errors import CoverageError, SignatureError, StimulusError, UndefinedWarning
from eatlas.present.targets import leans
from eatlas.results.json_lines import json_schema

FAST = DivDist(resamples=0, p="off")
PUBLISHED = {
    "carpenter": -0.05, "dancer": 0.086, "librarian": 0.124, "nurse": 0.114, "pilot": -0.072,
    "soldier": -0.065, "businessman": -0.145, "businesswoman": 0.385,
}  # fmt: skip
"""Table 3, GloVe of 300 dimensions; the bundled vectors have 100."""


def groups_test(targets, reference="uniform", **groups):
    named = [Concept(name=name, terms=terms) for name, terms in groups.items()]
    return GroupsTest(
        id="t",
        targets=Concept(name="Jobs", terms=targets),
        groups=tuple(named),
        reference=reference,
    )


VECTORS = {
    # cosines with the means (1, 0) and (0, 1) are the components of the unit vectors
    "nurse": [0.8, 0.6],
    "pilot": [0.6, 0.8],
    "she": [2.0, 0.5],
    "her": [1.0, -0.5],
    "he": [0.5, 3.0],
    "him": [-0.5, 1.0],
    "cold": [-1.0, -1.0],
    "odd": [1.0, -1.0],
}
TEST = groups_test(["nurse", "pilot"], Female=["she", "her"], Male=["he", "him"])


def test_by_hand():
    result = FAST(TEST, VECTORS)
    nurse, pilot = result.targets
    assert nurse.association == pytest.approx((0.8, 0.6))
    assert nurse.distribution == pytest.approx((4 / 7, 3 / 7))
    assert nurse.deviation == pytest.approx((1 / 14, -1 / 14))
    assert nurse.bias == pytest.approx(1 / 7)
    assert nurse.signed == pytest.approx(1 / 14)
    assert pilot.signed == pytest.approx(-1 / 14)
    assert result.concept.bias == pytest.approx(0)
    assert result.concept.association == pytest.approx((0.5**0.5, 0.5**0.5))
    assert result.mean_bias == pytest.approx(1 / 7)
    assert result.signature == (
        "DIVDIST(divergence=l1,negative=clip,normalize=sum,p=off,resamples=0,soa=cosine)"
    )


def test_means_are_of_raw_vectors_unless_unit_ones_are_asked_for():
    test = groups_test(["nurse"], Female=["she", "odd"], Male=["he", "him"])
    raw = FAST(test, VECTORS).targets[0].association[0]
    mean = np.array([3.0, -0.5])
    assert raw == pytest.approx(mean @ [0.8, 0.6] / np.linalg.norm(mean))
    unit = DivDist(means="unit", resamples=0, p="off")(test, VECTORS).targets[0].association[0]
    mean = np.array([2.0, 0.5]) / 4.25**0.5 + np.array([1.0, -1.0]) / 2**0.5
    assert unit == pytest.approx(mean @ [0.8, 0.6] / np.linalg.norm(mean))


def test_the_contract_of_the_json():
    result = eatlas.run(tests="divdist-face-validity", measures="divdist(resamples=50)")[0]
    record = json.loads(json.dumps(result.to_dict()))
    assert record["measure"] == "divdist"
    assert record["groups"] == ["Female", "Male"]
    assert record["reference"] == [0.5, 0.5]
    assert len(record["targets"]) == len(PUBLISHED)
    keys = {"term", "association", "distribution", "deviation", "bias"}
    assert all(keys <= one.keys() for one in record["targets"])
    assert {"association", "distribution", "bias"} <= record["concept"].keys()
    assert list(record["coverage"]) == ["targets", "Female", "Male"]
    known = [one["bias"] for one in record["targets"] if one["bias"] is not None]
    assert record["mean_bias"] == pytest.approx(np.mean(known))
    Draft202012Validator(json_schema()).validate(record)
    assert type(result).from_dict(record) == result


def test_signs_of_table_3():
    result = eatlas.run(tests="divdist-face-validity")[0]
    assert result.measure == "divdist"
    found = {one.term: one.signed for one in result.targets}
    assert found.keys() == PUBLISHED.keys()
    assert all(found[term] * value > 0 for term, value in PUBLISHED.items())
    assert all(one.bias == pytest.approx(2 * abs(one.signed)) for one in result.targets)


def test_zero_at_the_reference_and_no_change_with_the_length_of_vectors():
    (nurse, _) = FAST(TEST, VECTORS).targets
    at = groups_test(
        ["nurse"],
        reference=dict(zip(("Female", "Male"), nurse.distribution, strict=True)),
        Female=["she", "her"],
        Male=["he", "him"],
    )
    longer = {word: np.array(row) * 7 for word, row in VECTORS.items()}
    for vectors in (VECTORS, longer):
        assert FAST(at, vectors).targets[0].bias == pytest.approx(0, abs=1e-15)


@pytest.mark.parametrize("reference", [{"Female": 0.665, "Male": 0.335}, "own"])
def test_a_target_with_another_reference_has_no_p(reference):
    """Relabelling tests equal shares: businesswoman had p = .0035 beside a bias of 0."""
    run = {"tests": "divdist-face-validity", "measures": "divdist(resamples=50)"}
    equal = eatlas.run(**run)
    result = eatlas.run(**run, reference=equal if reference == "own" else reference)[0]
    assert all(one.labels is None for one in (*result.targets, result.concept))
    assert result.labels is None
    assert result.holm == (None,) * 8
    assert [note for note in map(str, result.warnings) if note.startswith("No p-values, because")]
    assert result.to_frame()[["p", "p_holm"]].isna().all(axis=None)
    assert all(one.labels for one in equal[0].targets)
    assert not equal[0].warnings


def test_readings_of_unequal_groups_are_tested_against_their_shares_of_the_words():
    """Words that do not differ give the larger group the larger share of a softmax."""
    groups = {"Female": ["she"], "Male": ["he", "him", "odd"]}
    measure = DivDist(soa="softmax", scale=1.0, resamples=0)
    equal = measure(groups_test(["nurse"], **groups), VECTORS)
    assert equal.targets[0].labels is None
    assert any("proportions of the words (0.25, 0.75)" in one for one in map(str, equal.warnings))
    shares = {"Female": 0.25, "Male": 0.75}
    result = measure(groups_test(["nurse"], shares, **groups), VECTORS)
    assert result.targets[0].labels
    assert "mean shares of a label" in result.labels.statistic


@pytest.mark.parametrize(
    ("measure", "targets", "reference", "said"),
    [
        (FAST, ["cold", "nurse"], "uniform", "no association is above 0"),
        (
            DivDist(negative="raw", resamples=0, p="off"),
            ["odd", "nurse"],
            "uniform",
            "of odd: the associations sum to 0",
        ),
        (
            DivDist(divergence="kl", resamples=0, p="off"),
            ["nurse"],
            {"Female": 0.0, "Male": 1.0},
            "the reference has no mass for Female",
        ),
        (FAST, ["she", "nurse"], "uniform", "of she: it is a word of Female"),
    ],
)
def test_undefined_is_none_with_a_warning(measure, targets, reference, said):
    test = groups_test(targets, reference, Female=["she", "her"], Male=["he", "him"])
    with pytest.warns(UndefinedWarning, match="Undefined"):
        result = measure(test, VECTORS)
    assert result.targets[0].bias is None
    assert any(said in one for one in map(str, result.warnings))
    assert json.dumps(result.to_dict(), allow_nan=False)


def test_raw_shares_may_lie_outside_0_to_1_and_js_does_not_know_them():
    vectors = VECTORS | {"steep": [1.0, -0.5]}
    test = groups_test(["steep", "nurse"], Female=["she", "her"], Male=["he", "him"])
    raw = DivDist(negative="raw", resamples=0, p="off")(test, vectors)
    assert raw.targets[0].distribution == pytest.approx((2.0, -1.0))
    assert raw.targets[0].bias == pytest.approx(3.0)
    with pytest.warns(UndefinedWarning, match="js is not defined for shares below 0"):
        DivDist(negative="raw", divergence="js", resamples=0, p="off")(test, vectors)


def test_raw_associations_that_sum_to_less_than_0_are_divided_as_in_the_published_code():
    vectors = VECTORS | {"far": [-0.6, -0.2]}
    test = groups_test(["far", "nurse"], Female=["she", "her"], Male=["he", "him"])
    result = DivDist(negative="raw", resamples=0)(test, vectors)
    far, nurse = result.targets
    assert far.distribution == pytest.approx((0.75, 0.25))
    assert (far.bias, far.signed) == (pytest.approx(0.5), pytest.approx(0.25))
    assert result.mean_bias == pytest.approx((0.5 + nurse.bias) / 2)
    (note,) = (note for note in result.warnings if note.code == "shares.turned")
    assert str(note).startswith("The associations of far sum to less than 0, and were still")
    # Female has the smallest association and the largest share, so nothing says that far leans
    (lean,) = (lean for lean in leans(result).rows if lean.term == "far")
    assert lean.is_reversed
    assert lean.towards is None
    assert lean.sentence.endswith("sum to less than 0, so no group is shown")
    with pytest.warns(UndefinedWarning):
        clipped = FAST(test, vectors)
    assert clipped.targets[0].bias is None
    assert "(1 more is undefined)" in str(clipped.finding)


def test_refusals():
    with pytest.raises(StimulusError, match="are in two groups"):
        FAST(groups_test(["nurse"], Female=["she", "her"], Male=["he", "her"]), VECTORS)
    with pytest.raises(CoverageError, match="the groups Female and Male share words"):
        FAST(groups_test(["nurse"], Female=["she", "Her"], Male=["he", "her"]), VECTORS)
    with pytest.raises(StimulusError, match="the weights sum to 0.9"):
        groups_test(["nurse"], {"Female": 0.5, "Male": 0.4}, Female=["she"], Male=["he"])
    with pytest.raises(StimulusError, match="no weight for"):
        groups_test(["nurse"], {"Female": 1.0}, Female=["she"], Male=["he"])
    with pytest.raises(CoverageError, match="no term has a usable vector"):
        FAST(groups_test(["nurse"], Female=["xyz"], Male=["he"]), VECTORS)
    with pytest.raises(SignatureError, match="the parameter divergence cannot have this value"):
        DivDist(divergence="euclid")
    with pytest.raises(StimulusError, match="--contexts FILE"):
        DivDist(soa="reduction")(TEST, VECTORS)
