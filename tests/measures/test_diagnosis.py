"""Diagnosis of a test's terms: the figures, the typed warning, and where neither is due."""

import numpy as np
import pytest
from tests.inputs import make_test

import eatlas
from eatlas.errors import AnisotropyWarning
from eatlas.kernels import unit_rows
from eatlas.measures.levels import diagnose_terms

GROUPS = {role: tuple(f"{role}{i}" for i in range(8)) for role in "XYAB"}
LARGE = make_test("large", **GROUPS)


def space(make, seed=0, dim=100):
    """Vectors of LARGE's terms: normal rows, changed by `make`."""
    rng = np.random.default_rng(seed)
    rows = make(rng.standard_normal((32, dim)))
    return dict(zip([t for role in "XYAB" for t in GROUPS[role]], rows, strict=True))


def rows_of(vectors):
    return {role: unit_rows(np.array([vectors[t] for t in GROUPS[role]])) for role in "XYAB"}


def shared(rows):
    return rows + 0.8


def nearly_one(rows):
    return rows + 10


def loud(rows):
    rows[:, 7] *= 12
    return rows


def power_law(rows):
    axes, _ = np.linalg.qr(np.random.default_rng(1).standard_normal((100, 100)))
    return (rows * np.arange(1.0, 101) ** -1.0) @ axes


def test_by_hand():
    """Two targets, two attributes: cosines 1 and .6 (X with A, B), 0 and .8 (Y)."""
    rows = {"X": [1.0, 0.0], "Y": [0.0, 1.0], "A": [1.0, 0.0], "B": [0.6, 0.8]}
    found = diagnose_terms({role: np.array([row]) for role, row in rows.items()})
    assert (found.terms, found.mean_cosine, found.lowest_mean) == (4, 0.6, 0.0)
    assert found.sd_cosine == pytest.approx(np.std([1, 0.6, 0, 0.8]), abs=1e-6)
    assert (found.largest_sd, found.iso_score, found.alike) == (None, None, False)
    # dimension 0: mean of targets .5, of attributes .8; dimension 1: .5 and .4
    assert (found.rogue.dimension, found.rogue.contribution) == (0, 0.4)
    assert found.rogue.share == pytest.approx(0.4 / 0.6, abs=1e-6)
    assert (found.loudest.dimension, found.loudest.length) == (0, 0.59)
    assert not found.loudest.loud
    assert str(found) == (
        "<Diagnosis of 4 terms: mean cosine 0.60, level 3 means from 0.00, IsoScore –, 0 warnings>"
    )


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (shared, ["All four level 3 means are 0.36 or more, at or above 0.3; the mean cosine of targets "
                  "with attributes is 0.37",
                  "?transform=center"]),
        (nearly_one, ["All four level 3 groups have cosines near 1 (means from 0.99)",
                      "almost no spread (sd up to 0.002)", "?transform=center or standardize"]),
        (loud, ["One dimension, 7, makes up 39% of the squared length of this test's vectors",
                "at or above 25%", "?transform=standardize"]),
        (power_law, ["IsoScore of these 32 terms is 0.03", "at or below 0.2",
                     "?transform=all-but-the-top:3 or whiten"]),
    ],
)  # fmt: skip
def test_a_result_from_such_a_space_warns_and_names_the_figure(make, words):
    with pytest.warns(AnisotropyWarning) as said:
        result = eatlas.WEAT()(LARGE, space(make))
    (first,) = [str(w.message) for w in said if words[0] in str(w.message)]
    for word in words:
        assert word in first
    assert first.removeprefix("large: ") in map(str, result.warnings)
    assert result.diagnosis == diagnose_terms(rows_of(space(make)))


def test_a_rogue_dimension_is_named_as_the_cause():
    def rogue(rows):
        rows[:, 3] += 9
        return rows

    found = diagnose_terms(rows_of(space(rogue)))
    assert found.rogue.dimension == 3
    assert "(all of it from one dimension, 3)" in str(found.remarks()[0])


def test_the_papers_tests_on_glove_have_none():
    for result in eatlas.run("caliskan", measures="weat(resamples=0,frequency=off)"):
        assert result.diagnosis.remarks() == ()
