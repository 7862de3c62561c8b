"""Least squares of vectors on covariates, against statsmodels and loops of plain NumPy."""

import numpy as np
import pytest
from statsmodels.regression.linear_model import OLS, WLS

from eatlas_corpora.stats.embedding_regression import Observations, permutation_p, standard_error

D = 4


@pytest.fixture(scope="module")
def simple():
    """A group and a number, one observation a unit, spread by group."""
    rng = np.random.default_rng(0)
    group = np.repeat([0.0, 1.0], [25, 15])
    x = np.column_stack([np.ones(40), group, rng.normal(size=40)])
    y = rng.normal(size=(40, D)) * (1 + group[:, None])
    return Observations(x, y, np.arange(40), np.ones(40))


@pytest.fixture(scope="module")
def nested():
    """Units with one to three observations that weigh 1 together."""
    rng = np.random.default_rng(1)
    unit = np.repeat(np.arange(20), rng.integers(1, 4, 20))
    n = len(unit)
    x = np.column_stack([np.ones(n), rng.normal(size=n), rng.integers(0, 2, n)])
    y = rng.normal(size=(n, D)) + rng.normal(size=(20, D))[unit]
    weights = rng.integers(1, 9, n).astype(float)
    weights /= np.bincount(unit, weights)[unit]
    return Observations(x, y, unit, weights)


def test_coefficients_and_variances_are_those_of_statsmodels(simple):
    fits = [OLS(column, simple.x).fit(cov_type="HC2") for column in simple.y.T]
    np.testing.assert_allclose(simple.coefficients.T, [fit.params for fit in fits], atol=1e-12)
    squared, noise = simple.coefficient_norms()
    np.testing.assert_allclose(squared, sum(fit.params**2 for fit in fits), rtol=1e-10)
    np.testing.assert_allclose(noise, sum(fit.bse**2 for fit in fits), rtol=1e-10)


def test_two_groups_are_the_published_formula(simple):
    """Squared distance of the means, less the variances of both (Green et al. 2025)."""
    groups = Observations(simple.x[:, :2], simple.y, simple.unit, simple.weights)
    first, second = simple.y[:25], simple.y[25:]
    squared, noise = groups.coefficient_norms()
    assert squared[1] == pytest.approx(np.square(second.mean(0) - first.mean(0)).sum())
    both = first.var(0, ddof=1).sum() / 25 + second.var(0, ddof=1).sum() / 15
    assert noise[1] == pytest.approx(both)


def brute_noise(x, y, unit, weights):
    """CR2 by matrices of all observations."""
    root = np.sqrt(weights)[:, None]
    x, y = x * root, y * root
    inverse = np.linalg.inv(x.T @ x)
    hat = x @ inverse @ x.T
    residuals = y - hat @ y
    noise = np.zeros(x.shape[1])
    for u in np.unique(unit):
        own = unit == u
        values, axes = np.linalg.eigh((np.eye(len(x)) - hat)[np.ix_(own, own)])
        half = axes @ np.diag(values**-0.5) @ axes.T
        noise += np.square(inverse @ x[own].T @ half @ residuals[own]).sum(axis=1)
    return noise


def test_units_with_several_observations(nested):
    wls = [WLS(column, nested.x, nested.weights).fit() for column in nested.y.T]
    np.testing.assert_allclose(nested.coefficients.T, [fit.params for fit in wls], atol=1e-12)
    parts = (nested.x, nested.y, nested.unit, nested.weights)
    np.testing.assert_allclose(nested.coefficient_norms()[1], brute_noise(*parts), rtol=1e-10)
    without = [
        Observations(*(part[each.weights > 0] for part in parts))
        for each in nested.without_groups()
    ]
    assert len(without) == 20
    left = [set(nested.unit) - set(each.unit) for each in without]
    assert sorted(u for each in left for u in each) == list(range(20))
    estimates = np.array([np.subtract(*each.coefficient_norms()) for each in without])
    weightless = [np.subtract(*each.coefficient_norms()) for each in nested.without_groups()]
    np.testing.assert_allclose(weightless, estimates, rtol=1e-9)
    by_hand = np.sqrt(19 / 20 * np.square(estimates - estimates.mean(0)).sum(0))
    np.testing.assert_allclose(standard_error(estimates), by_hand)


@pytest.mark.parametrize("case", ["simple", "nested"])
def test_p_is_that_of_a_loop(case, request):
    o = request.getfixturevalue(case)
    p = permutation_p(o, 1, 199, np.random.default_rng(5))
    rng = np.random.default_rng(5)
    root = np.sqrt(o.weights)[:, None]
    others = np.delete(o.x, 1, axis=1) * root
    fitted = others @ np.linalg.lstsq(others, o.y * root, rcond=None)[0]
    residuals = o.y * root - fitted
    n = len(o.y)
    if case == "simple":
        orders = rng.permuted(np.tile(np.arange(n), (199, 1)), axis=1)
        drawn = [residuals[np.argsort(order)] for order in orders]
    else:
        drawn = [signs[o.unit][:, None] * residuals for signs in rng.choice([-1, 1], (199, 20))]
    ratios = []
    for each in [residuals, *drawn]:
        again = Observations(o.x, (fitted + each) / root, o.unit, o.weights)
        squared, noise = again.coefficient_norms()
        ratios.append(squared[1] / noise[1])
    assert p == (1 + sum(r >= ratios[0] * (1 - 1e-9) for r in ratios[1:])) / 200
