"""Variance parts of a two-way layout: by hand, against an analysis of variance, unbiasedness."""

import numpy as np
import pandas as pd
import pytest
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm

from eatlas.stats.crossed import analyse

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
    found = analyse(table, [n, n], [m, m])
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
        assert getattr(found, side).variance == pytest.approx(scale * expected, rel=AGREEMENT)
    # Clark's quasi-F, as printed: the interaction's mean square over those three
    quasi = mean["C(g):C(h)"] / (by_hand["rows"] + by_hand["columns"] - by_hand["residual"])
    ours = found.rows.variance + found.columns.variance - found.residual.variance
    assert found.contrast**2 / ours == pytest.approx(quasi, rel=AGREEMENT)


def test_unequal_groups_are_welch():
    table = np.random.default_rng(0).normal(size=(9, 11)) * np.repeat([1.0, 3.0], [4, 5])[:, None]
    found = analyse(table, [4, 5], [3, 8])
    s = table[:, :3].mean(axis=1) - table[:, 3:].mean(axis=1)
    v = s[:4].var(ddof=1) / 4, s[4:].var(ddof=1) / 5
    assert found.rows.variance == pytest.approx(sum(v), rel=1e-13)
    assert found.rows.df == pytest.approx(sum(v) ** 2 / (v[0] ** 2 / 3 + v[1] ** 2 / 4), rel=1e-13)
    swapped = analyse(table.T, [3, 8], [4, 5])
    assert swapped.columns.variance == pytest.approx(found.rows.variance, rel=1e-13)
    assert swapped.residual.variance == pytest.approx(found.residual.variance, rel=1e-13)
    assert swapped.contrast == pytest.approx(found.contrast, abs=1e-13)
