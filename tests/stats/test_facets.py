"""Contrasts over facets: by hand, beside Welch, Clark, statsmodels, and by simulation."""

import numpy as np
import pytest
from scipy import stats

from eatlas.stats.facets import Facet, contrast, contrast_test, fill_missing
from eatlas.stats.regression import Regression

AGREEMENT = 1e-12
"""The largest relative difference seen is 2e-15."""


def groups(*sizes):
    return [Facet.of_groups(each) for each in sizes]


def values(*shape, seed=0):
    rng = np.random.default_rng(seed)
    table = rng.normal(size=shape)
    for axis, n in enumerate(shape):
        table += rng.normal(size=[n if i == axis else 1 for i in range(len(shape))])
    return table


def test_one_facet_is_welch():
    table = values(11)
    found = contrast_test(table, groups([4, 7]))
    welch = stats.ttest_ind(table[:4], table[4:], equal_var=False)
    interval = welch.confidence_interval()
    assert [found.t, found.df, found.p_two_sided, found.low, found.high] == pytest.approx(
        [welch.statistic, welch.df, welch.pvalue, interval.low, interval.high], rel=AGREEMENT
    )


def test_one_facet_with_covariates_is_hc2():
    statsmodels = pytest.importorskip("statsmodels.api")
    scores, covariates = values(14), values(14, 2, seed=1)
    found = contrast(scores, [Facet.of_regression(Regression.of_groups([6, 8], covariates))])
    label = np.repeat([1.0, 0.0], [6, 8])
    design = np.column_stack([np.ones(14), label, covariates])
    fit = statsmodels.OLS(scores, design).fit(cov_type="HC2")
    assert (found.estimate, found.variance) == pytest.approx(
        (fit.params[1], fit.bse[1] ** 2), rel=AGREEMENT
    )


def test_two_facets_have_the_mean_squares_of_clark():
    n, m = 6, 5
    table = values(2 * n, 2 * m)
    found = contrast(table, groups([n, n], [m, m]))
    blocks = table.reshape(2, n, 2, m)
    by_row = blocks.mean(axis=3)
    by_row = by_row[:, :, 0] - by_row[:, :, 1]
    by_column = blocks.mean(axis=1)
    by_column = by_column[0] - by_column[1]
    residual = blocks - blocks.mean(axis=3, keepdims=True) - blocks.mean(axis=1, keepdims=True)
    residual += blocks.mean(axis=(1, 3), keepdims=True)
    mean_squares = [
        m / 2 * by_row.var(axis=1, ddof=1).mean(),
        n / 2 * by_column.var(axis=1, ddof=1).mean(),
        (residual**2).sum() / (4 * (n - 1) * (m - 1)),
    ]
    assert list(found.variances.values()) == pytest.approx(
        [4 / (n * m) * square for square in mean_squares], rel=AGREEMENT
    )


def test_three_facets_by_brute_force():
    """Each interaction from its definition, block by block."""
    sizes = [(4, 5), (3, 6), (5,)]
    table = values(9, 9, 5)
    found = contrast(table, groups(*sizes))
    x, y = table[:4], table[4:]

    def interaction(block):
        left = block.copy()
        for axis in range(block.ndim):
            left -= left.mean(axis=axis, keepdims=True)
        n = np.array(block.shape)
        return (left**2).sum() / np.prod(n - 1) / np.prod(n)

    a_less_b = table[:, :3].mean(axis=1) - table[:, 3:].mean(axis=1)
    x_less_y = x.mean(axis=0) - y.mean(axis=0)
    mean = table.mean(axis=2)
    rows, columns = [slice(0, 4), slice(4, 9)], [slice(0, 3), slice(3, 9)]
    expected = {
        (0,): sum(interaction(a_less_b.mean(axis=1)[r]) for r in rows),
        (1,): sum(interaction(x_less_y.mean(axis=1)[c]) for c in columns),
        (2,): interaction(x_less_y[:3].mean(axis=0) - x_less_y[3:].mean(axis=0)),
        (0, 1): sum(interaction(mean[r, c]) for r in rows for c in columns),
        (0, 2): sum(interaction(a_less_b[r]) for r in rows),
        (1, 2): sum(interaction(x_less_y[c]) for c in columns),
        (0, 1, 2): sum(interaction(table[r, c]) for r in rows for c in columns),
    }
    assert found.variances == pytest.approx(expected, rel=AGREEMENT)
    signs = {1: 1, 2: -1, 3: 1}
    total = sum(signs[len(axes)] * value for axes, value in expected.items())
    assert found.variance == pytest.approx(
        max(total, expected[0,], expected[1,], expected[2,]), rel=AGREEMENT
    )


def test_a_fixed_facet_is_averaged_away():
    table = values(6, 7, 4)
    facets = groups([3, 3], [3, 4], [4])
    found, plain = contrast(table, facets, fixed=[2]), contrast(table.mean(axis=2), facets[:2])
    assert found.estimate == pytest.approx(plain.estimate, rel=AGREEMENT)
    assert found.variances == pytest.approx(plain.variances, rel=AGREEMENT)


def test_components_are_unbiased():
    """Means over many tables of what facets bring are the variances that were planted."""
    rng, n, m, k = np.random.default_rng(3), 4, 3, 5
    facets, sums = groups([n], [m], [k]), 0.0
    for _ in range(4000):
        table = rng.normal(0, 1, (n, 1, 1)) + rng.normal(0, 0.5, (1, m, 1))
        table = table + rng.normal(0, 2, (1, m, k)) + rng.normal(0, 1, (n, m, k))
        found = contrast(table, facets).variances
        signed = sum((-1) ** (len(axes) + 1) * value for axes, value in found.items())
        sums += np.array([found[0, 1], found[1, 2], found[0, 1, 2], signed])
    planted = 1 / (n * m * k)
    expected = [planted, 4 / (m * k) + planted, planted, 1 / n + 0.25 / m + 4 / (m * k) + planted]
    assert sums / 4000 == pytest.approx(expected, rel=0.05)


def test_without_spread_nothing_is_tested():
    found = contrast_test(np.ones((4, 4)), groups([2, 2], [4]))
    assert found.se < 1e-15
    assert np.isnan([found.p_two_sided, found.low, found.df]).all()


def test_missing_cells_of_an_additive_table_come_back():
    full = np.add.outer(np.add.outer(values(6), values(5, seed=1)), values(4, seed=2))
    holes = full.copy()
    holes[0, 1, 2] = holes[3, 0, 0] = holes[5, 4, 3] = holes[5, 3, 3] = np.nan
    sizes = [(3, 3), (2, 3), (4,)]
    assert fill_missing(holes, sizes) == pytest.approx(full, rel=1e-9)  # converged at 1e-12
    assert fill_missing(full, sizes).tolist() == full.tolist()


def test_missing_cells_are_fitted_as_statsmodels_fits_them():
    statsmodels = pytest.importorskip("statsmodels.formula.api")
    pandas = pytest.importorskip("pandas")
    table = values(5, 6)
    table[0, 1] = table[2, 2] = table[2, 3] = np.nan
    row, column = np.indices(table.shape)
    frame = pandas.DataFrame({"y": table.ravel(), "r": row.ravel(), "c": column.ravel()})
    fit = statsmodels.ols("y ~ C(r) + C(c)", frame.dropna()).fit()
    expected = np.where(np.isnan(table), fit.predict(frame).to_numpy().reshape(5, 6), table)
    assert fill_missing(table, [(5,), (6,)]) == pytest.approx(expected, rel=1e-9)


def test_a_unit_without_values_stays_missing():
    table = values(4, 3)
    table[1, :] = np.nan
    filled = fill_missing(table, [(2, 2), (3,)])
    assert np.isnan(filled[:2]).all()
    assert filled[2:].tolist() == table[2:].tolist()


def test_variance_is_that_of_errors_in_two_clusterings():
    """Cameron, Gelbach and Miller (2011): the two agree as facets grow."""
    statsmodels = pytest.importorskip("statsmodels.api")
    table = values(200, 220)
    row, column = np.indices(table.shape)
    label = np.repeat([1.0, 0.0], 100)[row.ravel()]
    clusters = np.column_stack([row.ravel(), column.ravel()])
    fit = statsmodels.OLS(table.ravel(), np.column_stack([np.ones(label.size), label])).fit(
        cov_type="cluster", cov_kwds={"groups": clusters, "use_correction": False}
    )
    found = contrast(table, groups([100, 100], [220]))
    assert found.estimate == pytest.approx(fit.params[1], rel=1e-9)
    # without the factor n / (n - 1), and without what is left of single cells
    assert found.variance == pytest.approx(fit.bse[1] ** 2, rel=0.03)


def null_table(rng, sizes, taste):
    """A table of three facets without an effect, of which every facet has tastes of its own."""
    shape = [sum(each) for each in sizes]
    signs = [np.repeat([1.0, -1.0][: len(each)], each) for each in sizes]
    table = rng.normal(0, 0.5, shape)
    for axis in range(len(sizes)):
        own = [n if i == axis else 1 for i, n in enumerate(shape)]
        effect = rng.normal(0, taste, own)
        for other in range(len(sizes)):
            if other != axis:
                effect = effect * signs[other].reshape(
                    [-1 if i == other else 1 for i in range(len(sizes))]
                )
        table = table + rng.normal(0, 0.4, own) + effect
    return table


@pytest.mark.slow
@pytest.mark.parametrize(
    "sizes",
    [[(8, 8), (8, 8)], [(8, 8), (8, 8), (3,)], [(8, 8), (8, 8), (8,)], [(4, 16), (8, 8), (8,)]],
    ids=str,
)
def test_level_and_coverage(sizes):
    """Null designs are rejected as often as the level says, and intervals cover 0 as often."""
    rng, facets = np.random.default_rng(11), groups(*sizes)
    found = [contrast_test(null_table(rng, sizes, 0.4), facets) for _ in range(1500)]
    rejected = np.mean([test.p_two_sided <= 0.05 for test in found])
    covered = np.mean([test.low <= 0 <= test.high for test in found])
    assert 0.03 <= rejected <= 0.07
    assert 0.93 <= covered <= 0.97
