"""Linear algebra of debiasing: bias subspaces, what takes them out, and clusters of rows."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import EatlasError
from eatlas.kernels.cosines import unit_rows
from eatlas.stats.moments import NO_VARIANCE, VANISHED

Array = NDArray[np.float64]
Labels = NDArray[np.int64]

ITERATIONS = 35
"""Classifiers of INLP at most, as Ravfogel et al. (2020) train for word vectors."""
ABOVE_CHANCE = 1.645
"""Standard errors by which an accuracy must exceed chance: one-sided, 5%."""
SOLVED = 1e-10
"""Tolerance of a classifier, whose minimum is unique: the same on every machine to many digits."""
CONVERGED = 1e-12
MOST_STEPS = 5_000


def bias_subspace(sets: Sequence[Array], components: int) -> Array:
    """Directions along which the members of defining sets differ most.

    Bolukbasi et al. (2016), section 6, step 1, for sets of any size, as Manzini et al. (2019)
    use it: the first rows of SVD(C), ``C = sum_i sum_{w in D_i} (w - mu_i)(w - mu_i)^T / |D_i|``.
    Not centred again: a PCA of the differences as rows has the same directions.
    """
    rows = np.concatenate([(one - one.mean(axis=0)) / np.sqrt(len(one)) for one in sets])
    _, values, axes = np.linalg.svd(rows, full_matrices=False)
    there = int(np.sum(values > VANISHED))  # unit rows: what is less is rounding
    if there < components:
        raise EatlasError(
            "the defining sets do not differ in enough directions",
            got=f"{there} of {components}",
            allowed="sets whose words have different vectors",
        )
    basis: Array = axes[:components]
    return basis


def in_subspace(rows: Array, basis: Array) -> Array:
    """Components of rows within a subspace, shape (n, d).

    A row has the same bits whichever rows come with it: each sum runs along one row.
    """
    part = np.zeros_like(rows)
    for axis in basis:
        part += np.add.reduce(rows * axis, axis=1, keepdims=True) * axis
    return part


def unit_or_zero(rows: Array, least: float = 0.0) -> Array:
    """Scale rows to length 1; those without a component beyond `least` become zero."""
    kept = np.abs(rows).max(axis=1, initial=0.0) > least
    unit = np.zeros_like(rows)
    if kept.any():
        unit[kept] = unit_rows(rows[kept])
    return unit


def neutralize(rows: Array, basis: Array) -> Array:
    """Take a bias subspace out of unit rows: ``(w - w_B) / |w - w_B|``.

    Bolukbasi et al. (2016), section 6, step 2a. A row that is within the subspace becomes zero.
    """
    rest = rows - in_subspace(rows, basis)
    rest -= in_subspace(rest, basis)  # once more, for rows of which little is left
    return unit_or_zero(rest, VANISHED)


def equalize(rows: Array, basis: Array) -> Array | None:
    """Make the members of an equality set differ within the bias subspace alone.

    Bolukbasi et al. (2016), section 6, step 2a, which Manzini et al. (2019) apply to sets of more
    than two: with ``mu`` the mean and ``nu = mu - mu_B``,
    ``w := nu + sqrt(1 - |nu|^2) (w_B - mu_B) / |w_B - mu_B|``.
    """
    mean = rows.mean(axis=0, keepdims=True)
    common = mean - in_subspace(mean, basis)
    apart = in_subspace(rows - mean, basis)
    lengths = np.linalg.norm(apart, axis=1, keepdims=True)
    if lengths.min() <= VANISHED:
        return None
    height = np.sqrt(max(0.0, 1.0 - float((common**2).sum())))
    equal: Array = common + height * apart / lengths
    return equal


def soften(words: Array, neutral: Array, basis: Array, weight: float) -> Array:
    """Linear map that trades bias against the preservation of all dot products.

    Bolukbasi et al. (2016), section 6, step 2b, and Manzini et al. (2019), equation 3:
    ``min_A |(AW)^T (AW) - W^T W|_F^2 + lambda |(AN)^T (AB)|_F^2``. In ``X = A^T A`` that is convex,
    and the minimum, where ``S (X-I) S + lambda/2 (C X P + P X C) = 0`` with ``S = W W^T``,
    ``C = N N^T``, ``P = B B^T``, is found by conjugate gradients, preconditioned with the first
    term. ``A`` is the symmetric root of X.
    """
    values, axes = np.linalg.eigh(words)
    if values[0] <= NO_VARIANCE * values[-1]:
        raise EatlasError(
            "the words do not span the space",
            got=f"{int(np.sum(values > NO_VARIANCE * values[-1]))} of {len(values)} dimensions",
            allowed="more words than dimensions, and no dimension without variance",
        )
    inverse = (axes / values) @ axes.T
    bias = basis.T @ basis

    def gradient(x: Array) -> Array:
        crossed = neutral @ x @ bias
        result: Array = words @ x @ words + weight / 2 * (crossed + crossed.T)
        return result

    change = np.zeros_like(words)
    rest = -gradient(np.eye(len(words))) + words @ words
    step = ahead = inverse @ rest @ inverse
    size = start = float((rest * ahead).sum())
    for _ in range(MOST_STEPS):
        if size <= CONVERGED**2 * start:
            break
        image = gradient(step)
        length = size / float((step * image).sum())
        change, rest = change + length * step, rest - length * image
        ahead = inverse @ rest @ inverse
        size, last = float((rest * ahead).sum()), size
        step = ahead + size / last * step
    values, axes = np.linalg.eigh(np.eye(len(words)) + (change + change.T) / 2)
    # with all words neutral a Lyapunov equation, whose solution is positive
    root: Array = (axes * np.sqrt(np.maximum(values, 0.0))) @ axes.T
    return root


def linear_classifier() -> Any:
    """Linear support vector machine without an intercept, as Ravfogel et al. (2020) train it."""
    try:
        from sklearn.svm import LinearSVC  # noqa: PLC0415  (an extra, and slow to import)
    except ImportError as error:
        raise EatlasError(
            "a linear classifier is trained by scikit-learn, which is not installed",
            remedy="pip install 'eatlas[probes]'",
        ) from error
    return LinearSVC(fit_intercept=False, dual=False, tol=SOLVED, max_iter=10_000)


def null_space(rows: Array, labels: Labels) -> tuple[Array, tuple[float, ...]]:
    """Projection after which a linear classifier no longer distinguishes classes (INLP).

    Ravfogel et al. (2020), Algorithm 1: a classifier W is trained, the rows are projected onto the
    null space of W, and so on; the projection is the one onto the intersection of all null spaces.
    It ends when the accuracy no longer exceeds chance by 1.645 standard errors, or after 35.
    """
    held_out = np.zeros(len(labels), bool)
    for label in np.unique(labels):
        places = np.flatnonzero(labels == label)
        held_out[places[np.arange(len(places)) % 10 < 3]] = True
    chance = max(float(np.mean(labels[held_out] == one)) for one in np.unique(labels))
    limit = chance + ABOVE_CHANCE * np.sqrt(chance * (1 - chance) / held_out.sum())
    projection, spans = np.eye(rows.shape[1]), np.empty((0, rows.shape[1]))
    accuracies: list[float] = []
    for trained in range(ITERATIONS + 1):
        seen = rows @ projection
        classifier = linear_classifier().fit(seen[~held_out], labels[~held_out])
        accuracies.append(float(np.mean(classifier.predict(seen[held_out]) == labels[held_out])))
        if accuracies[-1] <= limit or trained == ITERATIONS:
            break
        spans = np.concatenate([spans, row_space(classifier.coef_ @ projection)])
        basis = row_space(spans)
        if len(basis) == rows.shape[1]:
            raise EatlasError(
                "nothing would be left of the vectors",
                got=f"{len(basis)} directions that separate the groups, of {len(basis)}",
                remedy="vectors of more dimensions, or another transform",
            )
        projection = np.eye(rows.shape[1]) - basis.T @ basis
    return projection, tuple(accuracies)


def row_space(rows: Array) -> Array:
    """Orthonormal basis of what rows span."""
    _, values, axes = np.linalg.svd(rows, full_matrices=False)
    return np.asarray(axes[values > VANISHED * max(float(values[0]), 1e-300)])


def k_means(rows: Array, k: int, rng: np.random.Generator, restarts: int = 10) -> Labels:
    """Clusters of rows, by Lloyd's algorithm from k-means++ starts; the best of several.

    Arthur and Vassilvitskii (2007). Of our own, so that the same seed gives the same clusters
    whatever version of a library is installed.
    """
    best, least = np.zeros(len(rows), np.int64), np.inf
    for _ in range(restarts):
        centres = _spread(rows, k, rng)
        labels = np.full(len(rows), -1)
        for _ in range(300):
            far = _squares(rows, centres)
            now = np.argmin(far, axis=1)
            if (now == labels).all():
                break
            labels = now
            centres = np.stack(
                [
                    rows[labels == i].mean(axis=0) if (labels == i).any() else centres[i]
                    for i in range(k)
                ]
            )
        total = float(np.take_along_axis(far, labels[:, None], axis=1).sum())
        if total < least * (1 - CONVERGED):
            best, least = labels, total
    return best


def _squares(rows: Array, centres: Array) -> Array:
    """Squared distance of each row to each centre, shape (n, k)."""
    lengths = np.add.reduce(rows * rows, axis=1)[:, None] + np.add.reduce(centres * centres, axis=1)
    far: Array = np.maximum(lengths - 2 * rows @ centres.T, 0.0)
    return far


def _spread(rows: Array, k: int, rng: np.random.Generator) -> Array:
    """Draw first centres, far rows more often: by squared distance to those drawn (k-means++)."""
    centres = [rows[rng.integers(len(rows))]]
    while len(centres) < k:
        far = _squares(rows, np.stack(centres)).min(axis=1)
        share = far / far.sum() if far.any() else None
        centres.append(rows[rng.choice(len(rows), p=share)])
    return np.stack(centres)


def agreement(labels: Labels, clusters: Labels, k: int) -> float:
    """Share of rows whose cluster is that of their label, under the best naming of clusters.

    Gonen and Goldberg (2019), section 4, for two.
    """
    table = np.zeros((k, k))
    np.add.at(table, (labels, clusters), 1)
    best = max(sum(table[i, j] for i, j in enumerate(order)) for order in permutations(range(k)))
    return float(best) / len(labels)
