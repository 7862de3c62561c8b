"""The crossed test: by hand, against an analysis of variance, its level, clusters."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm

from eatlas.stats.facets import Facet, contrast, contrast_test
from eatlas.stats.regression import Regression


def named(test):
    """Fields of a test, with its variances by what brings them."""
    fields = test._asdict()
    names = ("targets", "attributes", "residual")
    return fields | dict(zip(names, fields.pop("variances").values(), strict=True))


def crossed_test(table, targets, attributes, **how):
    """The test of targets in one or two groups, and of attributes."""
    return named(
        contrast_test(table, [Facet.of_groups(targets), Facet.of_groups(attributes)], **how)
    )


def crossed_test_with_covariates(table, regression, attributes, **how):
    """The same at equal covariates of the targets."""
    facets = [Facet.of_regression(regression), Facet.of_groups(attributes)]
    return named(contrast_test(table, facets, **how))


def crossed_interaction(table, n_x, n_a, **how):
    """Level 1: two groups of targets."""
    table = np.asarray(table, float)
    rows, columns = table.shape
    fields = crossed_test(table, (n_x, rows - n_x), (n_a, columns - n_a), **how)
    return SimpleNamespace(**fields)


def crossed_association(table, n_a, **how):
    """Level 2: one group of targets."""
    table = np.asarray(table, float)
    fields = crossed_test(table, (len(table),), (n_a, table.shape[1] - n_a), **how)
    return SimpleNamespace(**fields)


AGREEMENT = 1e-10
"""Relative, to statsmodels' mean squares; worst seen: 2e-14."""


def long(table, n, m):
    """One line for each cell, with terms numbered within their group."""
    rows, columns = np.indices(table.shape)
    return pd.DataFrame(
        {
            "y": table.ravel(),
            "g": (rows >= n).ravel(),
            "t": (rows % n).ravel(),
            "h": (columns >= m).ravel(),
            "a": (columns % m).ravel(),
        }
    )


@pytest.mark.parametrize(("n", "m"), [(2, 2), (3, 4), (5, 3)])
def test_balanced_parts_are_mean_squares(n, m):
    table = np.random.default_rng(n).normal(size=(2 * n, 2 * m))
    estimate, variances, _ = contrast(table, [Facet.of_groups([n, n]), Facet.of_groups([m, m])])
    found = dict(zip(("rows", "columns", "residual"), variances.values(), strict=True))
    formula = "y ~ C(g)*C(h) + C(g):C(t) + C(h):C(a) + C(g):C(t):C(h) + C(h):C(a):C(g)"
    anova = anova_lm(ols(formula, long(table, n, m)).fit())
    mean = anova["sum_sq"] / anova["df"]
    scale = 4 / (n * m)
    by_hand = {
        "rows": mean["C(g):C(t):C(h)"],
        "columns": mean["C(h):C(a):C(g)"],
        "residual": mean["Residual"],
    }
    for side, expected in by_hand.items():
        assert found[side] == pytest.approx(scale * expected, rel=AGREEMENT)
    # Clark's quasi-F, as printed: the interaction's mean square over those three
    quasi = mean["C(g):C(h)"] / (by_hand["rows"] + by_hand["columns"] - by_hand["residual"])
    ours = found["rows"] + found["columns"] - found["residual"]
    assert estimate**2 / ours == pytest.approx(quasi, rel=AGREEMENT)


def test_unequal_groups_are_welch():
    table = np.random.default_rng(0).normal(size=(9, 11)) * np.repeat([1.0, 3.0], [4, 5])[:, None]
    facets = [Facet.of_groups([4, 5]), Facet.of_groups([3, 8])]
    estimate, variances, freedom = contrast(table, facets)
    s = table[:, :3].mean(axis=1) - table[:, 3:].mean(axis=1)
    v = s[:4].var(ddof=1) / 4, s[4:].var(ddof=1) / 5
    assert variances[0,] == pytest.approx(sum(v), rel=1e-13)
    assert freedom[0,] == pytest.approx(sum(v) ** 2 / (v[0] ** 2 / 3 + v[1] ** 2 / 4), rel=1e-13)
    swapped = contrast(table.T, facets[::-1])
    assert swapped.variances[1,] == pytest.approx(variances[0,], rel=1e-13)
    assert swapped.variances[0, 1] == pytest.approx(variances[0, 1], rel=1e-13)
    assert swapped.estimate == pytest.approx(estimate, abs=1e-13)


def slopes(rng, sizes, targets=(1.0, 1.0), attributes=(1.0, 1.0), residual=1.0):
    """Similarities without interaction of the groups, with random slopes on both sides."""
    n_x, n_y, n_a, n_b = sizes
    of_targets = np.repeat(targets, [n_x, n_y]) * rng.normal(size=n_x + n_y)
    of_attributes = np.repeat(attributes, [n_a, n_b]) * rng.normal(size=n_a + n_b)
    table = np.outer(of_targets, np.repeat([0.5, -0.5], [n_a, n_b]))
    table += np.outer(np.repeat([0.5, -0.5], [n_x, n_y]), of_attributes)
    return table + residual * rng.normal(size=table.shape)


def some_table(seed, sizes):
    return slopes(np.random.default_rng(seed), sizes)


QUICK = settings(deadline=None, max_examples=50)
sizes_of_groups = st.tuples(*[st.integers(2, 6)] * 4)


def test_by_hand():
    # rows: associations 4, 2 | -1, -1, so V_T = 2/2 + 0 with 1 degree of freedom;
    # columns: 0, 2 | -3, -3: V_A = 2/2 with 1; no residual: V = 2, df = 2 / (1/1 + 1/1) = 1
    table = [[3.0, 5, 0, 0], [2, 4, 1, 1], [2, 2, 3, 3], [3, 3, 4, 4]]
    found = crossed_interaction(table, 2, 2)
    parts = found.difference, found.targets, found.attributes, found.residual
    assert parts == pytest.approx((4, 1, 1, 0), rel=1e-14, abs=1e-28)
    expected = math.sqrt(2), 1.0, 4 / math.sqrt(2)
    assert (found.se, found.df, found.t) == pytest.approx(expected, rel=1e-14)
    # df = 1 is Cauchy's distribution
    assert found.p_two_sided == pytest.approx(2 * math.atan(1 / found.t) / math.pi, rel=1e-13)
    assert found.p_greater == found.p_two_sided / 2
    assert found.p_less == 1 - found.p_greater
    reach = math.tan(math.pi * 0.475) * found.se
    assert (found.low, found.high) == (pytest.approx(4 - reach), pytest.approx(4 + reach))


def test_a_negative_estimate_is_set_to_0():
    # a residual alone: V_T + V_A - V_R is near V_R, in half of all tables below V_T
    bounded = 0
    for i in range(40):
        one = crossed_interaction(some_table_without_slopes(i), 4, 4)
        estimate = one.targets + one.attributes - one.residual
        least = max(one.targets, one.attributes)
        bounded += estimate < least
        assert one.se**2 == pytest.approx(max(estimate, least), rel=1e-14)
    assert 20 <= bounded < 40


def some_table_without_slopes(seed):
    return slopes(np.random.default_rng(seed), (4, 4, 4, 4), (0, 0), (0, 0))


@QUICK
@given(st.integers(0, 2**32), sizes_of_groups)
def test_t_exceeds_neither_sides_own(seed, sizes):
    found = crossed_interaction(some_table(seed, sizes), sizes[0], sizes[2])
    own = abs(found.difference) / math.sqrt(max(found.targets, found.attributes))
    assert abs(found.t) <= own * (1 + 1e-12)
    assert min(sizes) - 1 <= found.df * (1 + 1e-12)
    assert found.df <= (sum(sizes) - 4) * (1 + 1e-12)


@QUICK
@given(st.integers(0, 2**32), sizes_of_groups)
def test_swaps_of_groups_and_sides(seed, sizes):
    table, (n_x, n_y, n_a, n_b) = some_table(seed, sizes), sizes
    found = crossed_interaction(table, n_x, n_a)
    sides = crossed_interaction(table.T, n_a, n_x)
    assert (sides.t, sides.df) == (pytest.approx(found.t), pytest.approx(found.df))
    assert sides.targets == pytest.approx(found.attributes)
    mirrored = crossed_interaction(np.roll(table, n_y, axis=0), n_y, n_a)
    assert mirrored.t == pytest.approx(-found.t)
    assert mirrored.p_greater == pytest.approx(found.p_less)
    assert (mirrored.low, mirrored.high) == (pytest.approx(-found.high), pytest.approx(-found.low))
    both = crossed_interaction(np.roll(table, (n_y, n_b), axis=(0, 1)), n_y, n_b)
    assert both.t == pytest.approx(found.t)


@QUICK
@given(st.integers(0, 2**32), sizes_of_groups)
def test_main_effects_and_units_do_not_matter(seed, sizes):
    table, rng = some_table(seed, sizes), np.random.default_rng(seed + 1)
    found = crossed_interaction(table, sizes[0], sizes[2])
    # an effect of a target on all attributes, or of an attribute on all targets
    moved = 7 * (table + rng.normal(size=len(table))[:, None] + rng.normal(size=table.shape[1]))
    other = crossed_interaction(moved, sizes[0], sizes[2])
    assert other.t == pytest.approx(found.t, rel=1e-6, abs=1e-9)
    assert other.se == pytest.approx(7 * found.se, rel=1e-6)


@QUICK
@given(st.integers(0, 2**32), sizes_of_groups, st.floats(0.5, 0.99))
def test_interval_and_p_agree(seed, sizes, level):
    for found in (
        crossed_interaction(some_table(seed, sizes), sizes[0], sizes[2], level=level),
        crossed_association(some_table(seed, sizes), sizes[2], level=level),
    ):
        assert (found.p_two_sided < 1 - level) == (not found.low <= 0 <= found.high)
        assert found.p_two_sided == pytest.approx(2 * stats.t.sf(abs(found.t), found.df))
        assert found.p_greater + found.p_less == pytest.approx(1)


def test_level_2_by_hand():
    # associations 5, 3: V_T = 1; columns 2.5, 4.5 | -0.5, -0.5: V_A = 1; no residual
    found = crossed_association([[3.0, 5, -1, -1], [2, 4, 0, 0]], 2)
    parts = found.difference, found.targets, found.attributes, found.residual
    assert parts == pytest.approx((4, 1, 1, 0), rel=1e-14, abs=1e-28)
    assert (found.se, found.df) == pytest.approx((math.sqrt(2), 1.0), rel=1e-14)


SIMULATIONS = 400


@pytest.mark.parametrize(
    ("sizes", "spread"),
    [
        pytest.param((8, 8, 8, 8), ((2.0, 0.5), (0.5, 2.0), 1.0), marks=pytest.mark.slow),
        ((4, 20, 4, 20), ((2.0, 0.5), (2.0, 0.5), 1.0)),
    ],
)
def test_level_1_keeps_its_level(sizes, spread):
    """400 tables put the bound, four standard errors above 5 %, at 9.4 %."""
    rng = np.random.default_rng(5)
    p, narrow = np.empty(SIMULATIONS), np.empty(SIMULATIONS)
    for i in range(SIMULATIONS):
        table = slopes(rng, sizes, *spread)
        p[i] = crossed_interaction(table, sizes[0], sizes[2]).p_two_sided
        s = table[:, : sizes[2]].mean(axis=1) - table[:, sizes[2] :].mean(axis=1)
        narrow[i] = stats.ttest_ind(s[: sizes[0]], s[sizes[0] :], equal_var=False).pvalue
    assert (p < 0.05).mean() <= 0.05 + 4 * math.sqrt(0.05 * 0.95 / SIMULATIONS)
    assert (p < 0.05).any()  # the level is held, not by never rejecting
    assert (narrow < 0.05).mean() > 0.094  # the targets alone do not keep it


@pytest.mark.parametrize("value", [0.0, 0.3])
def test_nothing_varies(value):
    table = np.full((4, 4), value)
    table[:2, :2] += 1.0
    found = crossed_interaction(table, 2, 2)
    assert found.difference == 1.0
    for name in ("t", "df", "p_greater", "p_less", "p_two_sided", "low", "high"):
        assert math.isnan(getattr(found, name))


def test_what_differs_by_the_rounding_of_computed_vectors_does_not_vary():
    rng = np.random.default_rng(4)
    table = np.kron([[0.5, 0.1], [0.2, 0.3]], np.ones((3, 3)))
    noisy = table + 1e-8 * rng.normal(size=table.shape)
    assert math.isfinite(crossed_interaction(noisy, 3, 3).t)
    assert math.isnan(crossed_interaction(noisy, 3, 3, precision=2.0**-24).t)
    assert math.isnan(crossed_association(noisy[:3], 3, scale=1.0, precision=2.0**-24).t)


def by_definition(table, n, m, covariates):
    """The parts of the variance at equal covariates, by matrices of the whole model."""
    size = sum(n)
    group = np.repeat([1.0, 0.0], n)
    model = np.column_stack([np.ones(size), covariates, group])
    weights = np.linalg.pinv(model)[-1]
    hat = model @ np.linalg.pinv(model)
    free = 1 - np.diag(hat)
    edges = np.cumsum(m)[:-1]
    means = [part.mean(axis=1) for part in np.split(table, edges, axis=1)]
    scores = means[0] - means[1] if len(m) == 2 else means[0]
    rows = np.sum(weights**2 * (scores - hat @ scores) ** 2 / free)
    columns = sum(part.var(ddof=1) / part.size for part in np.split(weights @ table, edges))
    residual = 0.0
    for part in np.split(table - hat @ table, edges, axis=1):
        away = part - part.mean(axis=1, keepdims=True)
        width = part.shape[1]
        residual += np.sum((weights**2 / free)[:, None] * away**2) / (width * (width - 1))
    return weights @ scores, rows, columns, residual


@pytest.mark.parametrize("m", [(5, 7), (6,)])
def test_the_parts_at_equal_covariates_are_those_of_the_whole_model(m):
    r = np.random.default_rng(5)
    n = (6, 9)
    table, covariates = r.normal(size=(15, sum(m))), r.normal(size=(15, 2))
    tested = crossed_test_with_covariates(table, Regression.of_groups(n, covariates), m)
    names = ("difference", "targets", "attributes", "residual")
    expected = by_definition(table, n, m, covariates)
    assert [tested[name] for name in names] == pytest.approx(expected, rel=1e-10)
    low, high = tested["low"], tested["high"]
    assert (low > 0 or high < 0) == (tested["p_two_sided"] < 0.05)


@pytest.mark.parametrize(("n", "m"), [((4, 6), (5, 3)), ((8, 8), (8, 8)), ((3, 9), (4,))])
def test_without_covariates_it_is_the_crossed_test(n, m):
    table = np.random.default_rng(6).normal(size=(sum(n), sum(m)))
    plain = crossed_test(table.T if len(m) == 1 else table, *((m, n) if len(m) == 1 else (n, m)))
    adjusted = crossed_test_with_covariates(table, Regression.of_groups(n), m)
    swapped = {"targets": "attributes", "attributes": "targets"} if len(m) == 1 else {}
    for name, value in adjusted.items():
        assert value == pytest.approx(plain[swapped.get(name, name)], rel=1e-9), name
