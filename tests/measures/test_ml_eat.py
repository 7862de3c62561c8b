"""ML-EAT: by hand, against the formulas of the paper, and its refusals."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from tests.inputs import make_test, make_vectors

import eatlas
from eatlas.errors import UndefinedWarning

# cosines with the axes are the coordinates, so every level can be worked out by hand
AXES = make_test(X=("x1", "x2"), Y=("y1", "y2"), A=("a1", "a2"), B=("b1", "b2"))
UNIT = {
    "x1": (0.6, 0.8, 0.0), "x2": (0.8, 0.6, 0.0), "y1": (0.0, 0.6, 0.8), "y2": (0.0, 1.0, 0.0),
    "a1": (1.0, 0.0, 0.0), "a2": (2.0, 0.0, 0.0), "b1": (0.0, 1.0, 0.0), "b2": (0.0, 0.0, 3.0),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::eatlas.errors.AnisotropyWarning")  # two or three dimensions
def test_three_levels_by_hand():
    result = eatlas.MLEAT()(AXES, UNIT)
    # s(w, A, B) = first coordinate - mean of the other two
    s = {"x1": 0.6 - 0.4, "x2": 0.8 - 0.3, "y1": 0.0 - 0.7, "y2": 0.0 - 0.5}
    np.testing.assert_allclose(result.scores.X, [s["x1"], s["x2"]], atol=1e-15)
    np.testing.assert_allclose(result.scores.Y, [s["y1"], s["y2"]], atol=1e-15)
    d = (0.35 - -0.6) / np.std(list(s.values()), ddof=1)
    assert result.level1.effect_size == pytest.approx(d, rel=1e-14)
    assert result.level1.difference == pytest.approx(0.95, rel=1e-14)
    # 6 relabellings; the observed one is the largest, its mirror image the smallest
    p = result.level1.p
    assert (p.count.greater, p.count.less, p.count.two_sided, p.total) == (1, 6, 2, 6)
    assert (p.greater, p.two_sided, p.min_p, p.method) == (1 / 6, 2 / 6, 1 / 6, "exact")
    # u(X, a) = mean first coordinate of X for both a; u(X, b1) = .7, u(X, b2) = 0
    np.testing.assert_allclose(result.scores.attributes_with_X.A, [0.7, 0.7], atol=1e-15)
    np.testing.assert_allclose(result.scores.attributes_with_X.B, [0.7, 0.0], atol=1e-15)
    assert result.level2.X.effect_size == pytest.approx(0.35 / np.std([0.7, 0.7, 0.7, 0], ddof=1))
    # three attributes tie, so half of the 6 relabellings reach the observed sum
    assert result.level2.X.p.count.greater == 3
    assert result.level3.XA.mean == pytest.approx(0.7)
    assert result.level3.XA.sd == pytest.approx(np.std([0.6, 0.6, 0.8, 0.8], ddof=1))
    assert result.level3.YB.mean == pytest.approx(np.mean([0.6, 1.0, 0.8, 0.0]))
    assert [result.level3[c].n for c in ("XA", "XB", "YA", "YB")] == [4] * 4


def test_the_formulas_of_the_paper_on_random_vectors():
    """Equations 1 to 11 written out naively, with loops over cosines."""
    test = make_test(X=("x1", "x2", "x3"), A=("a1", "a2", "a3", "a4", "a5"))
    vectors = make_vectors(test, dim=6, seed=11)
    result = eatlas.MLEAT()(test, vectors)
    terms = {role: test.concept(role).terms for role in "XYAB"}

    def cos(one, other):
        v, w = vectors[one], vectors[other]
        return v @ w / np.sqrt((v @ v) * (w @ w))

    def d(first, second):
        return (np.mean(first) - np.mean(second)) / np.std(first + second, ddof=1)

    def s(w):
        return np.mean([cos(w, a) for a in terms["A"]]) - np.mean([cos(w, b) for b in terms["B"]])

    tolerance = 1e-13  # worst difference observed: 4e-16
    assert result.level1.effect_size == pytest.approx(
        d([s(x) for x in terms["X"]], [s(y) for y in terms["Y"]]), rel=tolerance
    )
    for target in "XY":
        u = {a: np.mean([cos(t, a) for t in terms[target]]) for a in terms["A"] + terms["B"]}
        a, b = [u[t] for t in terms["A"]], [u[t] for t in terms["B"]]
        level = result.level2[target]
        assert level.effect_size == pytest.approx(d(a, b), rel=tolerance)
        sums = [sum(c) for c in itertools.combinations(a + b, len(a))]
        assert level.p.count.greater == sum(x >= sum(a) - 1e-12 for x in sums)
        assert level.p.count.less == sum(x <= sum(a) + 1e-12 for x in sums)
        assert level.p.total == len(sums)
        for attribute in "AB":
            block = [cos(t, a) for t in terms[target] for a in terms[attribute]]
            cell = result.level3[target + attribute]
            assert cell.mean == pytest.approx(np.mean(block), rel=tolerance)
            assert cell.sd == pytest.approx(np.std(block, ddof=1), rel=tolerance)
            np.testing.assert_allclose(
                cell.quantiles, np.quantile(block, [0, 0.25, 0.5, 0.75, 1]), rtol=1e-13
            )


def test_zero_spread_is_a_completed_job():
    same = dict.fromkeys(("aster", "clover", "iris", "lily", "ant", "flea", "wasp", "gnat"), (1, 2))
    attributes = make_vectors(make_test(), dim=2)
    vectors = {**attributes, **same}
    with pytest.warns(UndefinedWarning, match="tiny: Undefined effect size of level 1"):
        result = eatlas.MLEAT()(make_test(), vectors)
    p = result.level1.p
    assert result.level1.effect_size is None
    assert (p.greater, p.less, p.two_sided) == (1.0, 1.0, 1.0)
    assert (p.count.greater, p.count.less, p.count.two_sided, p.total) == (70, 70, 70, 70)
    assert result.level2.X.effect_size == result.level2.Y.effect_size
    assert any(w.startswith("Undefined effect size of level 1") for w in map(str, result.warnings))


def test_a_design_that_cannot_reach_alpha_is_remarked(tiny_vectors):
    test = make_test(A=("love", "peace", "joy"), B=("hatred", "war", "filth"))
    result = eatlas.MLEAT()(test, tiny_vectors)
    (remark,) = [w for w in map(str, result.warnings) if "level 2 of X" in w]
    assert "3 against 3, has 20 permutations: no p-value can fall below 0.05" in remark
    (remark,) = [
        w
        for w in map(str, eatlas.MLEAT(alpha=0.06)(test, tiny_vectors).warnings)
        if "level 2 of X" in w
    ]
    assert "no two-sided p-value can fall below 0.1, so none is below alpha = 0.06" in remark
    assert not any(
        "level 2" in w for w in map(str, eatlas.MLEAT(alpha=0.11)(test, tiny_vectors).warnings)
    )


def test_exact_on_float_fractions():
    """The count is that of exact rational arithmetic on the very scores that are reported."""
    test = make_test(X=("x1", "x2", "x3", "x4", "x5"))
    result = eatlas.MLEAT()(test, make_vectors(test, seed=2))
    x, y = ([Fraction(s) for s in scores] for scores in (result.scores.X, result.scores.Y))
    sums = [sum(c) for c in itertools.combinations(x + y, len(x))]
    assert result.level1.p.count.greater == sum(t >= sum(x) for t in sums)
