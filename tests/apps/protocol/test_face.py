"""Face validity: signs by hand, the exact binomial against scipy, measures that cannot say."""

from __future__ import annotations

import numpy as np
import pytest
from tests.apps.protocol.plugins import Distance

import eatlas
from eatlas.apps.protocol.face import STEREOTYPES
from eatlas.errors import EatlasError
from eatlas.sources import ArraySource
from eatlas.stimuli import load_tests


def planted(wrong: str = "", zero: str = "") -> ArraySource:
    """Vectors in which every profession lies near the words of its stereotype, but one."""
    (test,) = load_tests("divdist-face-validity")
    rng = np.random.default_rng(0)
    poles = {"Female": np.array([1.0, 0.2, 0.0]), "Male": np.array([0.0, 0.2, 1.0])}
    rows = {
        term: poles[group.name] + rng.normal(0, 0.01, 3)
        for group in test.groups
        for term in group.terms
    }
    for term, side in STEREOTYPES.items():
        turned = {"Female": "Male", "Male": "Female"}[side] if term == wrong else side
        rows[term] = np.zeros(3) if term == zero else poles[turned] + rng.normal(0, 0.01, 3)
    return ArraySource(list(rows), list(rows.values()), name="planted")


def face(measure: str, source: object) -> eatlas.apps.protocol.evidence.Evidence:
    return eatlas.protocol(measure, source, criteria=["face"]).evidence[0]


@pytest.mark.parametrize(
    "measure", ["weat", "ml-eat", "sc-eat", "divdist", "rnd", "semaxis", "ripa", "direct-bias"]
)
def test_signs_that_agree_are_counted(measure: str) -> None:
    figure = face(measure, planted()).figure("share of signs that agree")
    assert (figure.value, figure.n, figure.p) == (1.0, 8, 2 / 2**8)
    one_off = face(measure, planted(wrong="pilot"))
    assert one_off.figure("share of signs that agree").value == 7 / 8
    (row,) = [row for row in one_off.tables[0].rows if row[0] == "pilot"]
    assert row[1] == "Male"
    assert row[2] > 0
    assert row[3:] == ("Female", False)


def test_a_profession_without_a_vector_is_not_counted_as_wrong() -> None:
    found = face("semaxis", planted(zero="nurse"))
    assert (
        found.figure("share of signs that agree").n,
        found.figure("share of signs that agree").value,
    ) == (7, 1.0)
    assert "No number is defined for nurse." in found.remarks
    assert ("nurse", "Female", None, None, None) in found.tables[0].rows


@pytest.mark.parametrize(
    ("measure", "reason"),
    [
        ("mac", "The numbers of MAC have no direction"),
        ("indirect-bias", "The numbers of Indirect bias have no direction"),
        ("rnsb", "No number of RNSB says that a target leans to no group"),
        ("ceat", "The measure ceat takes contexts"),
        ("lpbs", "lpbs needs a masked language model"),
        ("zero-shot", "glove-sample states no logit scale"),
    ],
)
def test_a_measure_that_cannot_say_is_not_run_and_says_why(measure: str, reason: str) -> None:
    found = face(measure, None)
    assert not found.ran
    assert not found.figures
    assert reason in found.not_run


def test_the_ten_documented_tests_have_the_sign_that_people_show() -> None:
    card = eatlas.protocol("sc-eat", criteria=["face"])
    found = card.evidence[1].figure("share of signs that agree")
    assert (found.value, found.n) == (1.0, 10)
    means = card.evidence[1].tables[0].rows
    (test,) = load_tests("weat-8")
    d = {one.term: one.d for one in eatlas.SCEAT()(test, "glove-sample").effects()}
    x, y = (np.mean([d[t] for t in group.terms if t in d]) for group in (test.X, test.Y))
    assert means[7][2] == pytest.approx(x - y, abs=1e-12)


def test_an_unknown_criterion_is_named_with_the_nearest_one() -> None:
    with pytest.raises(EatlasError, match="no criterion 'fase'; did you mean face?"):
        eatlas.protocol("weat", criteria=["fase"])  # type: ignore[list-item]


def test_a_source_of_another_kind_than_the_measure_needs_is_refused() -> None:
    with pytest.raises(EatlasError, match="glove-sample"):
        eatlas.protocol("lpbs", "glove-sample", criteria=["face"])


def test_numbers_without_a_direction_agree_with_nothing() -> None:
    found = eatlas.protocol(Distance(), criteria=["face"]).evidence[1]
    assert found.not_run == (
        "The numbers of distance have no direction: that of weat-1 stays when A and B trade places."
    )
