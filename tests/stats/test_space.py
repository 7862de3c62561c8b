"""Geometry of a space: how alike directions are, linear maps, debiasing."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eatlas.errors import EatlasError
from eatlas.kernels import unit_rows
from eatlas.stats.space import (
    Affine,
    bias_subspace,
    clusters_by_group,
    cosines_mean_and_sd,
    equalize,
    iso_score,
    neutralize,
    null_space,
    pair_cosines,
    shared_iso_score,
    soften,
    standardize,
    unit_or_zero,
    variance_shares,
    whiten,
    with_rows,
    without_top,
)

FIT = 1e-13
"""Largest difference seen from the means over all pairs, in 5,000 draws: 4.4e-16."""


def of(rows):
    return pair_cosines(with_rows(None, rows))


def rows_of(seed, n=12, d=5):
    rng = np.random.default_rng(seed)
    return unit_rows(rng.standard_normal((n, d)) + rng.standard_normal(d))


@given(st.integers(0, 2**32 - 1), st.integers(2, 15))
def test_every_pair(seed, n):
    rows = rows_of(seed, n)
    first, second = np.triu_indices(n, 1)
    products = rows[first] * rows[second]
    mean, sd, contributions, lengths = of(rows)
    assert mean == pytest.approx(products.sum(axis=1).mean(), abs=FIT)
    # a variance is a difference of like numbers, and its root loses half the digits: 3e-8 seen
    assert sd == pytest.approx(products.sum(axis=1).std(), abs=1e-7)
    # Timkey and van Schijndel (2021), eq. 3 and 4: the mean of u_i v_i over the pairs
    assert contributions == pytest.approx(products.mean(axis=0), abs=FIT)
    assert lengths == pytest.approx((rows**2).mean(axis=0), abs=FIT)


@given(st.integers(0, 2**32 - 1), st.lists(st.integers(1, 20), min_size=1, max_size=5))
def test_moments_of_parts_are_those_of_the_whole(seed, sizes):
    rows = np.random.default_rng(seed).standard_normal((sum(sizes) + 1, 4)) + 1e6
    moments = None
    for part in np.split(rows, np.cumsum(sizes)):
        moments = with_rows(moments, part)
    assert moments.n == len(rows)
    assert moments.mean == pytest.approx(rows.mean(axis=0), rel=1e-14)
    assert moments.scatter / (len(rows) - 1) == pytest.approx(np.cov(rows.T), abs=1e-8)


@given(st.integers(0, 2**32 - 1), st.integers(1, 9), st.integers(2, 9))
def test_cosines_of_two_sets(seed, n, m):
    """By either table: of 5 dimensions, 25 products or fewer, or more."""
    rows = rows_of(seed, n + m)
    cosines = rows[:n] @ rows[n:].T
    mean, sd = cosines_mean_and_sd(rows[:n], rows[n:], 1)
    assert mean == pytest.approx(cosines.mean(), abs=FIT)
    assert sd == pytest.approx(cosines.std(ddof=1), abs=FIT)


FIT_OF_SCORES = 1e-12
"""Largest difference seen from the published steps: 1.1e-15 in 5,000 clouds of points."""


def published(points):
    """Algorithm 1 of Rudman et al. (2022), step by step; rows are points."""
    n = points.shape[1]
    centred = points - points.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=True)  # 1 and 2: principal components
    reoriented = centred @ axes.T
    diagonal = np.diag(np.cov(reoriented.T))  # 3 and 4
    normalised = np.sqrt(n) * diagonal / np.linalg.norm(diagonal)  # 5
    defect = np.linalg.norm(normalised - 1) / np.sqrt(2 * (n - np.sqrt(n)))  # 6
    used = (n - defect**2 * (n - np.sqrt(n))) ** 2 / n**2  # 7
    return (n * used - 1) / (n - 1)  # 8


@given(st.integers(0, 2**32 - 1), st.integers(2, 12), st.floats(0, 3))
def test_the_published_steps_give_the_same(seed, d, power):
    rng = np.random.default_rng(seed)
    scales = np.arange(1.0, d + 1) ** -power
    axes, _ = np.linalg.qr(rng.standard_normal((d, d)))
    points = (rng.standard_normal((40, d)) * scales) @ axes + rng.standard_normal(d)
    assert iso_score(np.cov(points.T)) == pytest.approx(published(points), abs=FIT_OF_SCORES)


def test_undefined_is_nan():
    assert np.isnan(iso_score(np.eye(1)))
    assert np.isnan(iso_score(np.zeros((3, 3))))
    assert np.isnan(variance_shares(np.zeros((3, 3)), (1, 2))).all()


def test_shares_are_those_of_singular_values():
    points = np.random.default_rng(3).standard_normal((50, 6)) * [5, 3, 1, 1, 1, 0.1]
    singular = np.linalg.svd(points - points.mean(axis=0), compute_uv=False) ** 2
    expected = singular.cumsum() / singular.sum()
    found = variance_shares(np.cov(points.T), (1, 3, 10))
    assert found == pytest.approx([expected[0], expected[2], 1.0], rel=1e-12)


@given(st.integers(0, 2**32 - 1))
def test_the_estimate_by_its_definition_and_in_any_order_axes_or_scale(seed):
    rng = np.random.default_rng(seed)
    groups = [rng.standard_normal((n, 7)) for n in (5, 6, 7, 8)]
    found = shared_iso_score(groups[:2], groups[2:])
    one, other = (
        sum(len(rows) * np.cov(rows.T, bias=True) for rows in pair)
        for pair in (groups[:2], groups[2:])
    )
    k = np.trace(one) * np.trace(other) / np.trace(one @ other)
    assert found == pytest.approx((min(max(k, 1), 7) - 1) / 6, abs=1e-12)
    axes, _ = np.linalg.qr(rng.standard_normal((7, 7)))
    moved = [3.0 * rng.permutation(rows) @ axes + 1.0 for rows in reversed(groups)]
    assert shared_iso_score(moved[:2], moved[2:]) == pytest.approx(found, abs=1e-12)


def test_a_few_rows_say_nothing():
    rows = np.random.default_rng(0).standard_normal((12, 5))
    four, three = [rows[:3], rows[3:6]], [rows[6:9], rows[9:11]]
    assert np.isnan(shared_iso_score(four, three))
    assert 0 <= shared_iso_score(four, [rows[6:9], rows[9:]]) <= 1


FIT_OF_MAPS = 1e-9
"""Largest difference seen in 2,000 draws: 1.2e-12, where two components are almost equal."""


def cloud(seed, n=40, d=5):
    rng = np.random.default_rng(seed)
    axes, _ = np.linalg.qr(rng.standard_normal((d, d)))
    return (rng.standard_normal((n, d)) * np.arange(1, d + 1)) @ axes + 5 * rng.standard_normal(d)


def fitted(rows, matrix=None):
    covariance = np.cov(rows.T)
    return Affine(rows.mean(axis=0), None if matrix is None else matrix(covariance))


@given(st.integers(0, 2**32 - 1))
def test_center_gives_a_mean_of_zero_and_keeps_differences(seed):
    rows = cloud(seed)
    found = fitted(rows).rows(rows)
    assert found.mean(axis=0) == pytest.approx(np.zeros(5), abs=FIT_OF_MAPS)
    assert found[1:] - found[0] == pytest.approx(rows[1:] - rows[0], abs=FIT_OF_MAPS)


@given(st.integers(0, 2**32 - 1))
def test_standardize_gives_z_scores(seed):
    rows = cloud(seed)
    expected = (rows - rows.mean(axis=0)) / rows.std(axis=0, ddof=1)
    assert fitted(rows, standardize).rows(rows) == pytest.approx(expected, abs=FIT_OF_MAPS)


@given(st.integers(0, 2**32 - 1))
def test_whiten_gives_the_identity_as_covariance(seed):
    rows = cloud(seed)
    fit = fitted(rows, whiten)
    assert np.cov(fit.rows(rows).T) == pytest.approx(np.eye(5), abs=FIT_OF_MAPS)
    # of all that do, the symmetric one: it turns nothing
    assert fit.matrix == pytest.approx(fit.matrix.T, abs=FIT_OF_MAPS)
    assert np.linalg.eigvalsh(fit.matrix).min() > 0


@given(st.integers(0, 2**32 - 1), st.integers(1, 4))
def test_without_top_is_algorithm_1(seed, k):
    """Mu and Viswanath (2018), word by word: center, components, subtract the projections."""
    rows = cloud(seed)
    expected = rows - rows.mean(axis=0)
    _, _, components = np.linalg.svd(expected, full_matrices=False)
    expected = expected - sum(np.outer(expected @ components[i], components[i]) for i in range(k))
    found = fitted(rows, lambda covariance: without_top(covariance, k)).rows(rows)
    assert found == pytest.approx(expected, abs=FIT_OF_MAPS)


def test_a_row_maps_to_the_same_bits_whichever_rows_come_with_it():
    rows = cloud(3, n=600, d=50)
    fit = fitted(rows, whiten)
    together = fit.rows(rows)
    for i in (0, 17, 599):
        assert (fit.rows(rows[i : i + 1])[0] == together[i]).all()
    assert fit.rows(rows, bulk=True) == pytest.approx(together, abs=FIT_OF_MAPS)


def test_rows_of_zeros_stay_and_the_mean_becomes_zero():
    fit = Affine(np.array([0.1, 0.2]))
    assert fit.rows(np.array([[0.0, 0.0], [0.1, 0.2], [0.2, 0.2]])).tolist() == [
        [0.0, 0.0],
        [0.0, 0.0],
        [0.1, 0.0],
    ]


def test_dimensions_without_variance_become_zero():
    covariance = np.diag([4.0, 0.0, 1.0])
    assert np.diag(standardize(covariance)).tolist() == [0.5, 0.0, 1.0]
    assert np.diag(whiten(covariance)) == pytest.approx([0.5, 0.0, 1.0])
    assert standardize(np.zeros((2, 2))).tolist() == [[0.0, 0.0], [0.0, 0.0]]


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
    svm = pytest.importorskip("sklearn.svm")
    n = 600
    labels = np.repeat([0, 1, 2], n)
    rows = unit(3 * n, 30)
    rows[:, :3] += 0.5 * np.eye(3)[labels]
    projection, accuracies = null_space(rows, labels)
    assert accuracies[0] > 0.8
    assert projection @ projection == pytest.approx(projection, abs=EXACT)
    assert projection == pytest.approx(projection.T, abs=EXACT)
    assert np.trace(projection) >= 15
    fresh = svm.LinearSVC(dual=False, random_state=1)
    seen = rows @ projection
    order = np.random.default_rng(0).permutation(len(labels))
    train, test = order[:1000], order[1000:]
    accuracy = np.mean(fresh.fit(seen[train], labels[train]).predict(seen[test]) == labels[test])
    assert accuracy == pytest.approx(1 / 3, abs=0.07)
    again, _ = null_space(rows, labels)
    assert (again == projection).all()


def test_clusters_that_are_there_are_found_and_named_freely():
    pytest.importorskip("sklearn")
    centres = 5 * np.eye(3, 8)
    labels = np.repeat([2, 0, 1], 40)
    rows = centres[labels] + RNG.standard_normal((120, 8))
    assert clusters_by_group(rows, labels) == 1
