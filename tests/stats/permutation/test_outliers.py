"""Outlying scores and heavy tails: no exception, no stated error exceeded."""

from __future__ import annotations

import pytest
from tests.stats.permutation.outlying import check


@pytest.mark.parametrize("seed", range(24))
def test_designs_with_outliers_and_heavy_tails(seed):
    label, result, wrong = check(seed, largest=80)
    assert result is not None, (label, wrong)
    assert not wrong, (label, wrong)
