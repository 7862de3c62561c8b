"""Face validity: signs by hand, and what of a source has no number."""

from __future__ import annotations

import numpy as np
import pytest
from tests.protocol.cards import found

import eatlas
from eatlas.stimuli import load_tests
from eatlas_workbench.cards.content import STEREOTYPES


def planted(wrong: str = "", zero: str = "") -> eatlas.ArraySource:
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
    return eatlas.ArraySource(list(rows), list(rows.values()), name="planted")


@pytest.mark.parametrize("measure", ["weat", "sc-eat", "divdist", "rnd", "semaxis", "direct-bias"])
def test_signs_that_agree_are_counted(measure):
    evidence = found("face", measure, planted(wrong="pilot", zero="nurse"))
    signs = evidence["stereotyped-professions"]
    figure = signs.figure("share of signs that agree")
    assert (figure.value, figure.n) == (6 / 7, 7)
    assert figure.p == pytest.approx(2 * (1 + 7) / 2**7)
    rows = {row[0]: row[1:] for row in signs.tables[0].rows}
    assert rows["pilot"][0] == "Male"
    assert rows["pilot"][1] > 0
    assert rows["pilot"][2:] == ("Female", False)
    assert rows["nurse"] == ("Female", None, None, None)
    assert "No number is defined for nurse." in signs.remarks


def test_the_ten_documented_tests_have_the_sign_that_people_show():
    evidence = found("face", "sc-eat")["documented-tests"]
    figure = evidence.figure("share of signs that agree")
    assert (figure.value, figure.n) == (1.0, 10)
    (test,) = load_tests("weat-8")
    d = {one.term: one.d for one in eatlas.SCEAT()(test, "glove-sample").effects()}
    x, y = (np.mean([d[t] for t in group.terms if t in d]) for group in (test.X, test.Y))
    assert evidence.tables[0].rows[7][2] == pytest.approx(x - y, abs=1e-12)
