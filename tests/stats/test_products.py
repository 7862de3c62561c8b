"""Tiled products: numpy's, whatever the sizes of tiles."""

import numpy as np
import pytest

from eatlas.kernels import cosines as module
from eatlas.kernels.cosines import product


@pytest.mark.parametrize("shape", [(1, 1, 1), (5, 3, 4), (300, 50, 300), (7, 0, 3), (0, 4, 3)])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_a_product(shape, kind):
    m, k, n = shape
    rng = np.random.default_rng(0)
    # whole numbers: every order of adding gives the same
    left = rng.integers(-9, 10, (m, k)).astype(kind)
    right = rng.integers(-9, 10, (k, n)).astype(kind)
    found = product(left, right)
    assert found.dtype == kind
    assert np.array_equal(found, left @ right)


def test_tiles_meet(monkeypatch):
    left, right = np.arange(35.0).reshape(7, 5), np.arange(45.0).reshape(5, 9)
    monkeypatch.setattr(module, "TILE", 4)
    for limit in (1, 40, 60, 1000):
        monkeypatch.setattr(module, "ONE_THREAD", limit)
        assert np.array_equal(product(left, right), left @ right)
        assert np.array_equal(product(left.T.copy().T, right[:, ::-1]), left @ right[:, ::-1])
