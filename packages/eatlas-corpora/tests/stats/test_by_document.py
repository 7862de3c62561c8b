"""Differences of PMI over documents: the engine of facets, plain loops, and errors."""

from __future__ import annotations

import numpy as np
import pytest
from tests.inputs import load_benchmark

from eatlas.stats.shares import design_effects
from eatlas_corpora.stats.by_document import document_tests


@pytest.fixture(scope="module")
def study():
    return load_benchmark("pmi_documents")


def difference(counts):
    shares = np.log(counts[:, :-1].sum(axis=0) / counts[:, -1].sum(axis=0))
    return shares[:, 0] - shares[:, 1]


def test_pseudo_values_are_nearly_those_of_a_jackknife(study):
    counts, _ = study.draw(study.World(2_000, 2, 0.3, 4), np.random.default_rng(2))
    tests = document_tests(counts, 0.0, 0.95)
    b = len(counts)
    without = np.array([difference(np.delete(counts, i, axis=0)) for i in range(b)])
    errors = np.sqrt((b - 1) / b * np.square(without - without.mean(axis=0)).sum(axis=0))
    half = (tests.intervals[:, 1] - tests.intervals[:, 0]) / 2
    np.testing.assert_allclose(half / 1.9842, errors, rtol=0.02)
    np.testing.assert_allclose(tests.intervals.mean(axis=1), difference(counts), atol=1e-12)
    assert tests.whole.difference == pytest.approx(difference(counts).mean())
    assert tests.crossed.difference == pytest.approx(difference(counts).mean())
    assert list(tests.crossed.variances) == [(0,), (1,), (0, 1)]


def test_what_cannot_be_tested():
    counts = np.zeros((100, 2, 2))
    counts[3] = [[2, 1], [9, 9]]
    assert document_tests(counts, 0.0, 0.95) is None  # one block
    counts[5] = [[1, 1], [9, 9]]
    tests = document_tests(counts, 0.0, 0.95)
    assert tests.blocks == 2
    assert tests.crossed is None  # one target
    counts[:, 0, 1] = 0
    assert document_tests(counts, 0.0, 0.95) is None
    assert document_tests(counts, 0.5, 0.95).p[0] > 0.05


def test_design_effects():
    alike = np.zeros((50, 1, 2))
    alike[np.arange(50), 0, np.arange(50) % 2] = 4
    assert design_effects(alike)[0] == pytest.approx(4 * 50 / 49)
    assert design_effects(np.full((50, 1, 2), 2.0))[0] == 1
    assert design_effects(np.array([[[3.0, 0]], [[1, 0]]]))[0] == pytest.approx(10 / 4)
    assert design_effects(np.zeros((3, 1, 2)))[0] == 1


@pytest.mark.slow
@pytest.mark.parametrize("targets", [3, 8, 20])
def test_targets_and_their_mean_err_as_seldom_as_said(study, targets):
    """In the full study .04 to .06 and .00 to .07, coverage .92 and more; counts err in .5."""
    found = study.rates(study.World(400, 10, 0.1, targets), 120)
    assert found["independent"] > 0.3
    assert found["targets"] < 0.09
    assert found["crossed"] < 0.11
    assert found["held"] > 0.92
    assert found["crossed held"] > 0.89
