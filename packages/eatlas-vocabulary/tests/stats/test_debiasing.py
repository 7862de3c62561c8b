"""Debiasing of a space and its clusters, by their definitions."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from sklearn.svm import LinearSVC

from eatlas.errors import EatlasError
from eatlas_vocabulary.stats.classifiers import null_space
from eatlas_vocabulary.stats.clusters import clusters_by_group
from eatlas_vocabulary.stats.debiasing import (
    bias_subspace,
    equalize,
    neutralize,
    soften,
    unit_or_zero,
)

RNG = np.random.default_rng(5)
EXACT = 1e-12
"""Largest seen in 200 draws: 6e-16."""
SOLVED = 1e-6
"""Largest gradient seen over 50 draws, relative to that at the identity: 2e-12."""


def unit(*shape):
    return unit_or_zero(RNG.standard_normal(shape))


@pytest.mark.parametrize("k", [2, 3, 5])
def test_neutral_words_have_no_part_in_the_subspace(k):
    basis = bias_subspace([unit(k, 20) for _ in range(8)], k - 1)
    rows = neutralize(unit(500, 20), basis)
    assert np.abs(rows @ basis.T).max() < EXACT
    assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(500), abs=EXACT)
    assert neutralize(rows, basis) == pytest.approx(rows, abs=EXACT)


def test_a_word_almost_within_the_subspace_is_neutralized_as_exactly():
    basis = bias_subspace([unit(2, 20)], 1)
    rows = unit_or_zero(basis + 1e-7 * unit(50, 20))
    assert np.abs(neutralize(rows, basis) @ basis.T).max() < EXACT
    assert not neutralize(basis, basis).any()


@pytest.mark.parametrize("k", [2, 3, 5])
def test_equalized_words_are_as_far_from_every_neutral_word(k):
    basis = bias_subspace([unit(k, 20) for _ in range(8)], k - 1)
    neutral = neutralize(unit(100, 20), basis)
    equal = equalize(unit(k, 20), basis)
    assert np.linalg.norm(equal, axis=1) == pytest.approx(np.ones(k), abs=EXACT)
    for one, other in combinations(equal, 2):
        assert neutral @ one == pytest.approx(neutral @ other, abs=EXACT)
    if k == 2:  # of more, the equalized words need not be centred on their mean
        assert equalize(equal, basis) == pytest.approx(equal, abs=EXACT)


def test_what_cannot_be_equalized_is_none():
    basis = np.eye(4)[:1]
    assert equalize(np.array([[0.6, 0.8, 0, 0], [0.6, 0, 0.8, 0]]), basis) is None


def test_sets_without_a_direction():
    same = np.tile(unit(1, 6), (2, 1))
    with pytest.raises(EatlasError) as caught:
        bias_subspace([same, same], 1)
    assert str(caught.value) == (
        "the defining sets do not differ in enough directions\n  got: 0 of 1\n"
        "  allowed: sets whose words have different vectors"
    )


def gradient(x, words, neutral, bias, weight):
    crossed = neutral @ x @ bias
    return words @ (x - np.eye(len(x))) @ words + weight / 2 * (crossed + crossed.T)


@pytest.mark.parametrize("weight", [0.2, 30, 1e4])
def test_softening_is_the_minimum_of_its_definition(weight):
    rows = unit(300, 10) * np.linspace(0.3, 1, 10)
    words, neutral = rows.T @ rows, rows[:260].T @ rows[:260]
    basis = bias_subspace([unit(3, 10) for _ in range(5)], 2)
    root = soften(words, neutral, basis, weight)
    bias = basis.T @ basis
    left = gradient(root @ root, words, neutral, bias, weight)
    start = gradient(np.eye(10), words, neutral, bias, weight)
    assert np.abs(left).max() < SOLVED * np.abs(start).max()

    def objective(a):
        kept = rows @ a @ a.T @ rows.T - rows @ rows.T
        return (kept**2).sum() + weight * ((rows[:260] @ a @ a.T @ basis.T) ** 2).sum()

    least = objective(root)
    assert least < objective(np.eye(10))
    assert all(least < objective(root + 1e-3 * unit(10, 10)) for _ in range(20))


def test_after_null_space_projection_a_fresh_classifier_is_at_chance():
    n = 600
    labels = np.repeat([0, 1, 2], n)
    rows = unit(3 * n, 30)
    rows[:, :3] += 0.5 * np.eye(3)[labels]
    projection, accuracies = null_space(rows, labels)
    assert accuracies[0] > 0.8
    assert projection @ projection == pytest.approx(projection, abs=EXACT)
    assert projection == pytest.approx(projection.T, abs=EXACT)
    assert np.trace(projection) >= 15
    fresh = LinearSVC(dual=False, random_state=1)
    seen = rows @ projection
    order = np.random.default_rng(0).permutation(len(labels))
    train, test = order[:1000], order[1000:]
    accuracy = np.mean(fresh.fit(seen[train], labels[train]).predict(seen[test]) == labels[test])
    assert accuracy == pytest.approx(1 / 3, abs=0.07)
    again, _ = null_space(rows, labels)
    assert (again == projection).all()


def test_clusters_that_are_there_are_found_and_named_freely():
    centres = 5 * np.eye(3, 8)
    labels = np.repeat([2, 0, 1], 40)
    rows = centres[labels] + RNG.standard_normal((120, 8))
    assert clusters_by_group(rows, labels) == 1


def test_softening_needs_words_that_span_the_space():
    with pytest.raises(EatlasError, match="the words do not span the embedding space"):
        soften(np.diag([1.0, 0.0]), np.eye(2), np.eye(2)[:1], 1.0)
