"""Tens of thousands of scores: against the hypergeometric law, the whole grid, and by hand."""

import math

import numpy as np
import pytest
from scipy.stats import hypergeom

from eatlas.stats.permutation import permutation_test
from eatlas.stats.permutation.counting import count_by_levels

SAME = 1e-9
"""Largest relative difference observed: 2e-13 from the whole grid, 3e-11 from the law."""


@pytest.mark.parametrize(("size", "n", "ones"), [(40_000, 20_000, 20_200), (64_000, 16_000, 7_000)])
def test_two_values_follow_the_hypergeometric_law(size, n, ones):
    law = hypergeom(size, ones, n)
    observed = int(law.mean() + 1.5 * law.std())
    scores = np.zeros(size)
    scores[:observed] = 1.0
    scores[n : n + ones - observed] = 1.0
    found = permutation_test(scores, n)
    assert found.greater.p == pytest.approx(law.sf(observed - 1), rel=SAME)
    assert found.less.p == pytest.approx(law.cdf(observed), rel=SAME)
    away = observed - law.mean()
    both = law.sf(math.ceil(law.mean() + away) - 1) + law.cdf(math.floor(law.mean() - away))
    assert found.two_sided.p == pytest.approx(both, rel=SAME)


def test_many_thousand_scores_have_the_stated_precision():
    """With the scores of both groups exchanged the tails change places: another contour."""
    rng = np.random.default_rng(1)
    scores = rng.normal(size=24_000)
    scores[:8_000] += 0.02
    found, turned = permutation_test(scores, 8_000), permutation_test(-scores, 8_000)
    assert found.greater.method == "inversion"
    assert found.greater.rel_err < 1e-7
    assert found.greater.p == pytest.approx(turned.less.p, rel=SAME)
    # a normal law is off by the skewness of the scores alone, here next to none
    z = (scores[:8_000].mean() - scores.mean()) / (
        scores.std(ddof=1) * math.sqrt((24_000 - 8_000) / 24_000 / 8_000)
    )
    assert found.greater.p == pytest.approx(math.erfc(z / math.sqrt(2)) / 2, rel=1e-3)


@pytest.mark.parametrize("n", [10_000, 4_000])
def test_groups_that_do_not_overlap_are_counted(n):
    scores = np.random.default_rng(0).normal(size=20_000)
    scores[:n] += 20
    found = permutation_test(scores, n)
    assert (found.greater.method, found.greater.count) == ("exact", 1)
    assert found.less.count == found.total
    assert found.greater.p == found.min_p == 5e-324


def test_levels_are_not_multiplied_in_vain():
    assert count_by_levels(np.arange(4_000), 2_000, [1], 10**6) is None
    assert count_by_levels(np.repeat(np.arange(4), 30), 60, [1], 900) is None
