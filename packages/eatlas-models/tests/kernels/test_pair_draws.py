"""Draws of pairs are what the whole matrices say."""

from __future__ import annotations

import numpy as np
import pytest

from eatlas_models.kernels.pair_draws import draw_pairs


@pytest.mark.parametrize("sizes", [(2, 3, 4, 2), (1, 1, 2, 2), (3, 3, 1, 5)])
def test_all_that_is_found_is_what_the_whole_matrices_say(sizes):
    n_x, n_y, n_a, n_b = sizes
    m = np.random.default_rng(1).normal(size=(7, n_x + n_y, n_a + n_b))  # draws first
    found = draw_pairs(iter(m.transpose(1, 2, 0).copy()), 7, sizes, 3)
    assert found.targets == pytest.approx(m[:, :, :n_a].mean(axis=2) - m[:, :, n_a:].mean(axis=2))
    assert found.attributes[:, 0] == pytest.approx(m[:, :n_x].mean(axis=1))
    assert found.attributes[:, 1] == pytest.approx(m[:, n_x:].mean(axis=1))
    blocks = [m[:, t, a] for t in (slice(n_x), slice(n_x, None))
              for a in (slice(n_a), slice(n_a, None))]  # fmt: skip
    assert found.cells == pytest.approx(
        np.stack([one.reshape(7, -1).mean(axis=1) for one in blocks], 1)
    )
    assert found.means == pytest.approx(m.mean(axis=0))
    assert np.array_equal(found.first, m[:3])


def test_no_more_draws_are_kept_than_there_are():
    m = np.ones((4, 4, 2))
    assert draw_pairs(iter(m), 2, (2, 2, 2, 2), 9).first.shape == (2, 4, 4)
