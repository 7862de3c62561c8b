"""Contrasts over facets: by hand, beside Welch, Clark, Brennan, statsmodels, and by simulation."""

from itertools import chain, combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from tests.inputs import load_benchmark

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


SYNTHETIC = """
26752555 45676757 55465455 59865776 43564564
44476478 26652775 34456664 05455553 68766886
"""
"""Data set 3 of Brennan (2001): of 10 persons the scores of 4 items, on 2 occasions."""


def persons_items_occasions():
    digits = [list(person) for person in SYNTHETIC.split()]
    return np.array(digits, float).reshape(10, 2, 4).swapaxes(1, 2)


def sets(axes):
    return chain.from_iterable(combinations(axes, size) for size in range(1, len(axes) + 1))


def test_components_are_those_that_brennan_prints():
    """Generalizability theory, section 3.1: by expected mean squares, four decimals."""
    table = persons_items_occasions()
    variances = contrast(table, groups(*[(n,) for n in table.shape])).variances
    printed = {
        (0,): 0.5528,
        (1,): 0.4417,
        (2,): 0.0074,
        (0, 1): 0.5750,
        (0, 2): 0.1009,
        (1, 2): 0.1565,
        (0, 1, 2): 0.9352,
    }
    for axes, component in printed.items():
        larger = [found for found in variances if set(axes) <= set(found)]
        signed = sum((-1) ** (len(found) - len(axes)) * variances[found] for found in larger)
        units = np.prod([table.shape[axis] for axis in axes])
        assert signed * units == pytest.approx(component, abs=5e-5)


def test_variances_are_mean_squares_of_an_analysis_of_variance():
    """Sums of squares of effects, by means alone: MS / cells, and its degrees of freedom."""
    table = values(4, 3, 5)
    found = contrast(table, groups((4,), (3,), (5,)))
    for axes in sets(range(3)):
        effect = np.zeros(table.shape)
        for inner in [(), *sets(axes)]:
            others = tuple(axis for axis in range(3) if axis not in inner)
            sign = (-1) ** (len(axes) - len(inner))
            effect = effect + sign * table.mean(axis=others, keepdims=True)
        df = np.prod([table.shape[axis] - 1 for axis in axes])
        expected = (effect**2).sum() / df / table.size
        assert found.variances[axes] == pytest.approx(expected, rel=AGREEMENT)
        assert found.freedom[axes] == pytest.approx(df, rel=AGREEMENT)


def mixed_model(table, signs=()):
    """Estimate and standard error of a mixed model of every set of crossed random facets."""
    formula = pytest.importorskip("statsmodels.formula.api")
    pandas = pytest.importorskip("pandas")
    names = "abc"[: table.ndim]
    units = {name: unit.ravel() for name, unit in zip(names, np.indices(table.shape), strict=True)}
    signed = {f"s{name}": sign[units[name]] for name, sign in zip(names, signs, strict=False)}
    frame = pandas.DataFrame({"y": table.ravel(), "all": 1, **units, **signed})
    random = {}
    for axes in list(sets(range(table.ndim)))[:-1]:
        cell = ":".join(f"C({names[axis]})" for axis in axes)
        random[cell] = f"0 + {cell}"
        others = [f"s{names[axis]}" for axis in range(len(signs)) if axis not in axes]
        if others:
            random[f"{cell} slopes"] = f"0 + {cell}:{':'.join(others)}"
    fit = formula.mixedlm(
        f"y ~ {'*'.join(signed) or 1}", frame, groups="all", re_formula="0", vc_formula=random
    ).fit(method="lbfgs", gtol=1e-9)
    term = ":".join(signed) or "Intercept"
    return fit.params[term], fit.bse[term]


@pytest.mark.filterwarnings("ignore")  # of how far the optimiser came
def test_balanced_tables_have_the_errors_of_mixed_models():
    """By restricted maximum likelihood, if every component is above 0."""
    table = persons_items_occasions()
    found = contrast(table, groups(*[(n,) for n in table.shape]))
    expected = mixed_model(table)
    assert (found.estimate, found.variance**0.5) == pytest.approx(expected, rel=1e-3)
    signs = [np.repeat([0.5, -0.5], 5), np.repeat([0.5, -0.5], 4)]
    rng = np.random.default_rng(2)
    slopes = np.outer(rng.normal(size=10), signs[1]) + np.outer(signs[0], rng.normal(size=8))
    table = values(10, 8) + 2 * slopes
    found = contrast(table, groups([5, 5], [4, 4]))
    expected = mixed_model(table, signs)
    assert (found.estimate, found.variance**0.5) == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("shape", [(7, 5), (6, 4, 5)])
def test_variance_is_that_of_errors_in_all_clusterings(shape):
    """Cameron, Gelbach and Miller (2011), but for n / (n - 1) of each facet, if no bound is met."""
    statsmodels = pytest.importorskip("statsmodels.api")
    table = values(*shape)
    units = np.indices(shape).reshape(len(shape), -1)
    total = 0.0
    for axes in sets(range(len(shape))):
        clusters = np.ravel_multi_index(units[list(axes)], [shape[axis] for axis in axes])
        fit = statsmodels.OLS(table.ravel(), np.ones(table.size)).fit(
            cov_type="cluster", cov_kwds={"groups": clusters, "use_correction": False}
        )
        total -= (-1) ** len(axes) * fit.bse[0] ** 2
    found = contrast(table, groups(*[(n,) for n in shape]))
    assert found.variance > max(found.single)
    factor = np.prod([n / (n - 1) for n in shape])
    assert found.variance == pytest.approx(factor * total, rel=1e-9)


def test_degrees_of_freedom_are_those_of_components_above_0():
    negative = 0
    for seed in range(20):
        found = contrast(values(4, 3, 5, seed=seed), groups((4,), (3,), (5,)))
        used = dict.fromkeys(found.variances, 0.0)
        for axes in sets(range(3)):
            signs = {
                larger: (-1) ** (len(larger) - len(axes))
                for larger in used
                if set(axes) <= set(larger)
            }
            if sum(sign * found.variances[larger] for larger, sign in signs.items()) > 0:
                used |= {
                    larger: used[larger] + sign * found.variances[larger]
                    for larger, sign in signs.items()
                }
            else:
                negative += 1
        satterthwaite = sum(used.values()) ** 2 / sum(
            part**2 / found.freedom[axes] for axes, part in used.items()
        )
        assert found.df == pytest.approx(satterthwaite, rel=1e-9)
    assert negative


QUICK = settings(deadline=None, max_examples=30)
seeds = st.integers(0, 2**32)
some_sizes = st.lists(
    st.lists(st.integers(2, 5), min_size=1, max_size=2).map(tuple), min_size=1, max_size=3
)


def same(test, other, factor=1.0, shift=0.0):
    """Whether a test is another one of values that are multiplied, with a larger contrast."""
    numbers = test.df, test.se, test.difference
    expected = other.df, factor * other.se, factor * other.difference + shift
    return numbers == pytest.approx(expected, rel=1e-9, abs=1e-9)


@QUICK
@given(seeds, some_sizes)
def test_order_of_units_and_of_facets_does_not_matter(seed, sizes):
    table, rng = values(*map(sum, sizes), seed=seed), np.random.default_rng(seed)
    shuffled = table
    for axis, of_groups in enumerate(sizes):
        parts = np.split(np.arange(sum(of_groups)), np.cumsum(of_groups)[:-1])
        order = np.concatenate([rng.permutation(part) for part in parts])
        shuffled = shuffled.take(order, axis=axis)
    found = contrast_test(table, groups(*sizes))
    assert same(contrast_test(shuffled, groups(*sizes)), found)
    assert same(contrast_test(table.T, groups(*sizes[::-1])), found)


@QUICK
@given(seeds, some_sizes, st.floats(-3, 3))
def test_scale_and_effects_of_groups(seed, sizes, effect):
    table = values(*map(sum, sizes), seed=seed)
    signs = [np.repeat([0.5, -0.5] if len(each) > 1 else [1.0], each) for each in sizes]
    planted = effect
    for sign in signs:
        planted = np.multiply.outer(planted, sign)
    found = contrast_test(table, groups(*sizes))
    assert same(contrast_test(7 * table + planted, groups(*sizes)), found, 7, effect)
    if any(len(each) > 1 for each in sizes):
        assert same(contrast_test(table + 5, groups(*sizes)), found)


@QUICK
@given(seeds, some_sizes, st.integers(2, 5))
def test_a_facet_of_equal_units_adds_nothing(seed, sizes, n):
    table, facets = values(*map(sum, sizes), seed=seed), groups(*sizes)
    found = contrast(np.repeat(table[..., None], n, axis=-1), [*facets, *groups((n,))])
    plain = contrast(table, facets)
    for axes, value in found.variances.items():
        assert value == pytest.approx(plain.variances.get(axes, 0.0), rel=1e-9, abs=1e-12)
    assert found.variance == pytest.approx(plain.variance, rel=1e-9)


@QUICK
@given(seeds, some_sizes, st.data())
def test_a_fixed_axis_is_its_contrast(seed, sizes, data):
    axis = data.draw(st.integers(0, len(sizes)))
    sizes = [*sizes[:axis], (3,), *sizes[axis:]]
    table, facets = values(*map(sum, sizes), seed=seed), groups(*sizes)
    found = contrast_test(table, facets, fixed=[axis])
    plain = contrast_test(table.mean(axis=axis), facets[:axis] + facets[axis + 1 :])
    assert same(found, plain)


@pytest.fixture(scope="module")
def study():
    return load_benchmark("facets")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sizes", "world", "how"),
    [
        (((8, 8), (8, 8)), "T A", {}),
        (((8, 8), (8, 8), (3,)), "Q", {}),
        (((8, 8), (8, 8), (8,)), "T A Q", {}),
        (((8, 8), (8, 8), (8,)), "TA TQ AQ", {}),
        (((4, 16), (8, 8), (8,)), "T A Q", {"spread": (3, 1, 1)}),
        (((8, 8), (8, 8), (8,)), "T A Q", {"covariate": True}),
        (((8, 8), (8, 8), (8,)), "T A Q", {"missing": 0.1}),
        (((4, 4), (4, 4), (4,), (4,)), "T A Q M", {}),
    ],
    ids=str,
)
def test_level(study, sizes, world, how):
    """Null designs are rejected as often as the level says; intervals cover in the others."""
    assert 0.03 <= study.level(study.Design(sizes, world, **how), 1500) <= 0.07
