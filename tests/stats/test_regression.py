"""Differences of two groups given covariates: least squares, Freedman and Lane, maxT, resamples."""

from __future__ import annotations

import itertools
import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.regression.linear_model import OLS
from statsmodels.tools import add_constant

from eatlas.errors import EatlasError
from eatlas.stats import regression as regression_module
from eatlas.stats.permutation import permutation_test
from eatlas.stats.regression import (
    Regression,
    family_test,
    groups_test,
    orders_of,
    regression_test,
    welch_permutation_test,
)


def design(n, size, covariates):
    """Columns of the whole model, the group's label last."""
    label = (np.arange(size) < n).astype(float)
    return np.column_stack([np.ones(size), covariates, label])


def sample(seed, size=14, n=6, columns=2):
    r = np.random.default_rng(seed)
    covariates = r.normal(size=(size, columns))
    return r.normal(size=size) + covariates[:, 0], n, covariates


def normal(t, f):
    """Wallace's approximation of the normal quantile that lies where t does with f degrees."""
    return math.copysign((8 * f + 1) / (8 * f + 3) * math.sqrt(f * math.log1p(t * t / f)), t)


def counts(result):
    return tuple(tail.count for tail in (result.greater, result.less, result.two_sided))


@pytest.mark.parametrize("columns", [0, 1, 2, 3])
@pytest.mark.parametrize("seed", range(5))
def test_estimates_and_errors_are_those_of_statsmodels(seed, columns):
    scores, n, covariates = sample(seed, size=25, n=4 + 3 * seed, columns=max(1, columns))
    covariates = covariates[:, :columns] * 10.0**seed + 7
    fit = OLS(scores, design(n, 25, covariates)).fit(cov_type="HC2")
    regressed = regression_test(scores, n, covariates, permutations=1)
    assert regressed.estimates[0] == pytest.approx(fit.params[-1], rel=1e-10)
    assert regressed.errors[0] == pytest.approx(fit.bse[-1], rel=1e-10)
    label = design(n, 25, covariates)[:, -1]
    shared = OLS(label, design(n, 25, covariates)[:, :-1]).fit().rsquared
    assert regressed.shared == pytest.approx(shared, abs=1e-10)


@pytest.mark.parametrize("seed", [0, 3])
def test_small_designs_are_brute_force_over_all_orders(seed):
    scores, n, covariates = sample(seed, size=6, n=3, columns=1)
    if seed == 3:
        scores = np.round(scores)  # ties
    whole = design(n, 6, covariates)
    reduced = OLS(scores, whole[:, :-1]).fit()
    t = []
    for order in itertools.permutations(range(6)):
        permuted = reduced.fittedvalues + reduced.resid[list(order)]
        fit = OLS(permuted, whole).fit(cov_type="HC2")
        influence = fit.get_influence().hat_matrix_diag
        slopes = np.linalg.pinv(whole)[-1] ** 2 * fit.resid**2 / (1 - influence)
        v = np.array([slopes[:n].sum(), slopes[n:].sum()])
        free = np.array([(1 - influence)[:n].sum(), (1 - influence)[n:].sum()])
        t.append(normal(fit.tvalues[-1], v.sum() ** 2 / (v**2 / free).sum()))
    t = np.array(t)
    for strict in (False, True):
        above, tie = (np.greater, 1e-8) if strict else (np.greater_equal, -1e-8)
        expected = (
            above(t, t[0] + tie).sum(),
            above(-t, -t[0] + tie).sum(),
            above(np.abs(t), abs(t[0]) + tie).sum(),
        )
        regressed = regression_test(scores, n, covariates, strict=strict)
        assert counts(regressed.p[0]) == expected
        assert regressed.p[0].total == math.factorial(6)
        if not strict:
            assert regressed.p_max_t[0] == pytest.approx(expected[2] / math.factorial(6))


def test_drawn_orders_agree_with_the_t_test_where_that_holds():
    scores, n, covariates = sample(2, size=40, n=20)
    scores[:n] += 0.7
    fit = OLS(scores, design(n, 40, covariates)).fit()
    p = regression_test(scores, n, covariates).p[0]
    assert p.two_sided.p == pytest.approx(fit.pvalues[-1], abs=0.04)
    low, high = p.two_sided.interval
    assert low < p.two_sided.p < high < low + 0.03
    assert p.two_sided.permutations == 9999


def test_without_covariates_it_is_welchs_test_of_every_relabelling():
    scores, n, _ = sample(4, size=8, n=4)
    orders, labels = regression_test(scores, n).p[0], welch_permutation_test(scores, n)
    for tail in ("greater", "less", "two_sided"):
        assert getattr(orders, tail).p == pytest.approx(getattr(labels, tail).p, rel=1e-12)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.floats(0.1, 10), st.floats(-5, 5))
def test_units_of_covariates_and_scores_change_nothing(seed, factor, shift):
    scores, n, covariates = sample(seed, size=12, n=5)
    one = regression_test(scores, n, covariates, permutations=99)
    other = regression_test(
        scores * factor + shift, n, covariates * factor - shift, permutations=99
    )
    assert other.estimates == pytest.approx(one.estimates * factor, rel=1e-8, abs=1e-10)
    assert other.p[0].two_sided.p == one.p[0].two_sided.p
    trend = regression_test(scores + 3 * covariates[:, 1], n, covariates, permutations=99)
    assert trend.estimates == pytest.approx(one.estimates, rel=1e-8, abs=1e-10)
    assert trend.p[0].two_sided.p == one.p[0].two_sided.p


def test_max_t_is_brute_force_step_down():
    r = np.random.default_rng(5)
    rows, covariates = r.normal(size=(6, 12)), r.normal(size=(12, 1))
    rows[0, :5] += 3
    regressed = regression_test(rows, 5, covariates, permutations=499, seed=3)
    regression, orders = Regression.of(12, 5, covariates), orders_of(12, 499, 3).orders
    t = np.abs([regression.t(row, orders) for row in regression.residuals(rows)])
    observed = np.abs([regression.t(row)[0] for row in regression.residuals(rows)])
    p, smallest = {}, 0.0
    for rank, i in enumerate(np.argsort(-observed)):
        left = np.argsort(-observed)[rank:]
        smallest = max(smallest, ((t[left].max(axis=0) >= observed[i]).sum() + 1) / 500)
        p[i] = smallest
    assert regressed.p_max_t == pytest.approx([p[i] for i in range(6)])
    assert (regressed.p_max_t >= [row.two_sided.p for row in regressed.p]).all()


@pytest.mark.slow
def test_rejections_of_a_trend_that_both_groups_share():
    """X and Y of different rank on one curve: the plain test calls them different, this one not."""
    r, rejected = np.random.default_rng(8), np.zeros(2)
    for _ in range(200):
        rank = np.concatenate([r.uniform(0, 6, 12), r.uniform(3, 9, 12)])
        scores = 0.3 * rank + r.normal(size=24) * 0.5
        given = regression_test(scores, 12, np.column_stack([rank, rank**2]), permutations=499)
        rejected += [
            permutation_test(scores, 12).two_sided.p <= 0.05,
            given.p[0].two_sided.p <= 0.05,
        ]
    assert rejected[0] > 150
    assert 2 <= rejected[1] <= 20


@pytest.mark.parametrize("sizes", [(5, 9), (4, 3, 7), (2, 3, 4, 5)])
def test_group_means_and_f_are_those_of_statsmodels(sizes):
    r, k = np.random.default_rng(len(sizes)), len(sizes)
    covariates, rows = r.normal(size=(14, 2)) + 5, r.normal(size=(3, 14))
    labels = np.repeat(np.eye(k), sizes, axis=0)
    centred = covariates - covariates.mean(axis=0)
    regression = Regression.of_groups(sizes, covariates)
    means, f = regression.means(rows), regression.f(regression.residuals(rows))
    for row, mean, value in zip(rows, means, f[:, 0], strict=True):
        fit = OLS(row, np.column_stack([labels, centred])).fit()
        assert mean == pytest.approx(fit.params[:k], rel=1e-10)
        alike = np.hstack([np.eye(k)[:-1] - np.eye(k)[1:], np.zeros((k - 1, 2))])
        assert value == pytest.approx(fit.f_test(alike).fvalue, rel=1e-10)
    shared = [OLS(label, add_constant(covariates)).fit() for label in labels.T[:-1]]
    if k == 2:
        assert regression.shared == pytest.approx(shared[0].rsquared, rel=1e-10)
        assert f[:, 0] == pytest.approx(
            [OLS(row, design(5, 14, covariates)).fit().tvalues[-1] ** 2 for row in rows]
        )


def test_several_groups_are_brute_force_over_all_orders():
    r, sizes = np.random.default_rng(1), (2, 2, 3)
    covariates, rows = r.normal(size=(7, 1)), r.normal(size=(2, 7))
    rows[1] = np.round(rows[1])  # ties
    alone = add_constant(covariates)
    whole = np.column_stack([alone, np.repeat(np.eye(3)[:, :2], sizes, axis=0)])
    (first, second), total = groups_test(rows, Regression.of_groups(sizes, covariates)), 5040
    for row, tail in zip(rows, (first, second), strict=True):
        reduced = OLS(row, alone).fit()
        ratios = []
        for order in itertools.permutations(range(7)):
            permuted = reduced.resid[list(order)]
            ssr = [np.linalg.lstsq(x, permuted, rcond=None)[1][0] for x in (alone, whole)]
            ratios.append(ssr[0] / ssr[1])
        assert tail.count == (np.array(ratios) >= ratios[0] * (1 - 1e-9)).sum()
        assert tail.p == tail.count / total


def test_two_groups_of_many_rows_are_two_groups():
    scores, n, covariates = sample(3)
    rows = np.stack([scores, scores**2, np.zeros(len(scores))])
    tails = groups_test(rows, Regression.of(len(scores), n, covariates), permutations=999)
    regressed = regression_test(rows, n, covariates, permutations=999, scale=1.0)
    assert tails == tuple(p.two_sided for p in regressed.p)
    assert tails[2].p == 1.0


@pytest.mark.slow
def test_rejections_of_several_groups_on_one_curve():
    r, p, plain = np.random.default_rng(2), [], []
    for _ in range(300):
        rank = np.concatenate([r.uniform(0, 5, 6), r.uniform(2, 8, 8), r.uniform(4, 9, 10)])
        row = 0.3 * rank + r.normal(size=24) * 0.5
        curve = np.column_stack([rank, rank**2])
        for columns, kept in ((curve, p), (None, plain)):
            regression = Regression.of_groups((6, 8, 10), columns)
            kept.append(groups_test(row[None], regression, permutations=199)[0].p)
    assert np.mean(np.array(plain) <= 0.05) > 0.7
    assert 0.02 <= np.mean(np.array(p) <= 0.05) <= 0.08


@pytest.mark.parametrize(
    ("covariates", "message"),
    [
        (np.ones((12, 1)), "constant, or a combination"),
        (np.repeat(np.arange(12.0)[:, None], 2, axis=1), "constant, or a combination"),
        ((np.arange(12) < 5)[:, None] * 1.0, "determine the groups"),
        (np.zeros((11, 1)), "every unit needs covariates"),
        (np.full((12, 1), np.nan), "covariates must be finite"),
        (np.random.default_rng(0).normal(size=(12, 9)), "too few units"),
    ],
)
def test_covariates_that_cannot_serve(covariates, message):
    with pytest.raises(EatlasError, match=message):
        regression_test(np.arange(12.0), 5, covariates)


def test_scores_on_the_curve_of_the_covariates_have_p_1():
    rank = np.arange(12.0)[:, None]
    regressed = regression_test(2 * rank[:, 0] + 1, 6, rank)
    assert regressed.p[0].two_sided.p == 1.0


def welch_counts(scores, n, *, strict=False):
    """(greater, less, two-sided) counts by scipy's Welch test of every relabelling.

    Its t is carried to the normal scale by its degrees of freedom (Wallace 1959).
    """

    def statistic(first):
        x, y = scores[first], scores[~first]
        if x.mean() == y.mean():
            return 0.0
        if not x.var() and not y.var():
            return math.copysign(math.inf, x.mean() - y.mean())
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = stats.ttest_ind(x, y, equal_var=False)
        return normal(float(found.statistic), float(found.df))

    values = []
    for chosen in itertools.combinations(range(scores.size), n):
        first = np.zeros(scores.size, bool)
        first[list(chosen)] = True
        values.append(statistic(first))
    found, t = np.array(values), values[0]
    tie = 0.0 if math.isinf(t) else 1e-8 * max(1.0, abs(t))
    if strict:
        counts = found > t + tie, found < t - tie, np.abs(found) > abs(t) + tie
    else:
        counts = found >= t - tie, found <= t + tie, np.abs(found) >= abs(t) - tie
    return tuple(int(x.sum()) for x in counts)


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_counts_are_those_of_all_relabellings(seed, strict):
    r = np.random.default_rng(seed)
    size = int(r.integers(4, 11))
    n = int(r.integers(2, size - 1))
    scores = [r.normal(size=size), r.integers(0, 4, size) * 1.0, r.normal(size=size) * 1e-6 + 1][
        seed % 3
    ]
    if np.ptp(scores) == 0:
        pytest.skip("no spread")
    scores[:n] *= 1 + seed % 4
    result = welch_permutation_test(scores, n, strict=strict)
    assert counts(result) == welch_counts(scores, n, strict=strict)
    assert result.total == math.comb(size, n)
    assert result.greater.method == "exact"


def test_orders_that_are_kept_give_what_orders_made_anew_give(monkeypatch):
    scores, n, _ = sample(6, size=12, n=5)
    kept = welch_permutation_test(scores, n), welch_permutation_test(scores[::-1], n)
    regression_module._test_all_labels.cache_clear()
    monkeypatch.setattr(regression_module, "LISTED_CELLS", 0)
    assert kept == (welch_permutation_test(scores, n), welch_permutation_test(scores[::-1], n))


def test_constant_groups_are_the_most_extreme_relabelling():
    result = welch_permutation_test([1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0], 3)
    assert counts(result) == (1, 35, 1)


def test_no_spread_makes_every_p_one():
    result = welch_permutation_test([0.3] * 9, 4)
    assert counts(result) == (126, 126, 126)
    near = 0.3 + np.arange(9) * 2.0**-28
    assert welch_permutation_test(near, 4, scale=1.0, precision=2.0**-24).two_sided.p == 1.0
    assert welch_permutation_test(near, 4, scale=1.0).two_sided.p < 1.0


@pytest.mark.slow
def test_unequal_spreads_are_allowed_for():
    """5 of 20 scores three times as wide: the difference rejects equal means four times too often.

    Rejections of 200 tests at .05; two standard errors are .031.
    """
    r = np.random.default_rng(7)
    rejected = np.zeros(2)
    for _ in range(200):
        scores = np.concatenate([3 * r.normal(size=5), r.normal(size=15)])
        tests = permutation_test(scores, 5), welch_permutation_test(scores, 5)
        rejected += [test.two_sided.p <= 0.05 for test in tests]
    difference, studentised = rejected / 200
    assert difference > 0.15
    assert studentised < 0.09


def sharp(p, alpha, interval):
    """Whether an interval excludes 0 just where p is below alpha."""
    low, high = interval
    return bool((p < alpha) == (low > 0 or high < 0))


@pytest.mark.parametrize(("size", "n", "draws"), [(7, 3, 1), (8, 4, 1), (14, 6, 399), (14, 6, 400)])
@pytest.mark.parametrize("columns", [0, 1])
def test_simultaneous_intervals_exclude_0_just_where_the_single_step_p_is_below_alpha(
    size, n, draws, columns
):
    r = np.random.default_rng(size)
    rows, covariates = r.normal(size=(25, size)), r.normal(size=(size, columns))
    rows[:, :n] += np.linspace(0, 6, 25)[:, None]  # p of all sizes
    regression = Regression.of(size, n, covariates)
    family, residuals = (
        family_test(rows, regression, permutations=draws),
        regression.residuals(rows),
    )
    t, estimates = np.abs(regression.t(residuals)[:, 0]), regression.estimates(rows)
    reached = (family.maxima >= t[:, None] - 1e-8).sum(axis=1)
    drawn = size > 8
    p = (reached + drawn) / (family.maxima.size + drawn)
    assert p.min() < 0.2 < p.max()
    for alpha in (0.01, 0.05, 0.2, *np.unique(p)[:3]):
        margins = regression.margins(residuals, family.critical(alpha))
        ends = zip(estimates - margins, estimates + margins, strict=True)
        assert all(sharp(*each) for each in zip(p, [alpha] * 25, ends, strict=True))
    # an end of an interval is a difference that the same test would not reject by a hair
    label, critical = (np.arange(size) < n).astype(float), family.critical(0.2)
    ends = estimates - regression.margins(residuals, critical)
    moved = regression.residuals(rows - ends[:, None] * label)
    assert regression.t(moved)[:, 0] == pytest.approx(np.full(25, critical), rel=1e-9)
    assert family.critical(1e-6) >= (math.inf if drawn else family.maxima.max())
    assert np.isinf(regression.margins(residuals, math.inf)).all()


def test_step_down_of_three_groups_over_all_orders_and_intervals_that_agree():
    r, sizes = np.random.default_rng(4), (2, 3, 3)
    rows, covariates = r.normal(size=(5, 8)), r.normal(size=(8, 1))
    rows[2, 5:] += 4
    rows[3] = np.round(rows[3])  # ties
    family = family_test(rows, Regression.of_groups(sizes, covariates))
    alone = add_constant(covariates)
    whole = np.column_stack([alone, np.repeat(np.eye(3)[:, :2], sizes, axis=0)])
    left = [np.eye(8) - x @ np.linalg.pinv(x) for x in (alone, whole)]
    orders = np.array(list(itertools.permutations(range(8))))
    f = []
    for row in rows:
        permuted = (left[0] @ row)[orders]
        ssr = [np.square(permuted @ matrix).sum(axis=1) for matrix in left]
        f.append((ssr[0] / ssr[1] - 1) * 4 / 2)
    f, order = np.array(f), np.argsort([-row[0] for row in f])
    smallest = 0.0
    for rank, i in enumerate(order):
        maxima = f[order[rank:]].max(axis=0)
        smallest = max(smallest, (maxima >= f[i, 0] * (1 - 1e-9)).mean())
        assert family.p_max_t[i] == smallest
        assert family.tails[i].p == (f[i] >= f[i, 0] * (1 - 1e-9)).mean()
    assert family.maxima == pytest.approx(f.max(axis=0), rel=1e-8)
