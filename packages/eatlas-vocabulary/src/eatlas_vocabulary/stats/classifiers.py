"""Classifiers of the rows of an embedding space, by scikit-learn. Import where they are needed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import SVC, LinearSVC

from eatlas.errors import EatlasError
from eatlas.stats.space import VANISHED

Array = NDArray[np.float64]
Labels = NDArray[np.int64]

CLASSIFIERS = 35
"""Of INLP at most, as Ravfogel et al. (2020) train for word vectors."""
ABOVE_CHANCE = 1.645
"""Standard errors by which an accuracy must exceed chance: one-sided, 5%."""
SOLVED = 1e-10
"""Tolerance of a classifier, whose minimum is unique: the same on every machine to many digits."""


def null_space(rows: Array, labels: Labels) -> tuple[Array, tuple[float, ...]]:
    """Projection after which a linear classifier no longer distinguishes classes (INLP).

    Ravfogel et al. (2020), Algorithm 1: a classifier W is trained, a support vector machine without
    an intercept; the rows are projected onto the null space of W, and so on; the projection is the
    one onto the intersection of all null spaces. It ends when the accuracy no longer exceeds chance
    by 1.645 standard errors, or after 35.
    """
    held_out = np.zeros(len(labels), bool)
    for label in np.unique(labels):
        places = np.flatnonzero(labels == label)
        held_out[places[np.arange(len(places)) % 10 < 3]] = True
    chance = float(np.bincount(labels[held_out]).max() / held_out.sum())
    limit = chance + ABOVE_CHANCE * np.sqrt(chance * (1 - chance) / held_out.sum())
    projection, spans = np.eye(rows.shape[1]), np.empty((0, rows.shape[1]))
    accuracies: list[float] = []
    for trained in range(CLASSIFIERS + 1):
        seen = rows @ projection
        classifier = LinearSVC(fit_intercept=False, dual=False, tol=SOLVED, max_iter=10_000)
        classifier.fit(seen[~held_out], labels[~held_out])
        accuracies.append(float(np.mean(classifier.predict(seen[held_out]) == labels[held_out])))
        if accuracies[-1] <= limit or trained == CLASSIFIERS:
            break
        spans = np.concatenate([spans, _row_space(classifier.coef_ @ projection)])
        basis = _row_space(spans)
        if len(basis) == rows.shape[1]:
            raise EatlasError(
                "the transform would remove all dimensions of the vectors",
                got=f"{len(basis)} directions that separate the groups, of {len(basis)}",
                remedy="use vectors with more dimensions, or another transform",
            )
        projection = np.eye(rows.shape[1]) - basis.T @ basis
    return projection, tuple(accuracies)


def held_out_accuracy(rows: Array, labels: Labels, trained: NDArray[np.bool_]) -> float:
    """Proportion of the other rows whose class a support vector machine finds."""
    machine = SVC(kernel="rbf").fit(rows[trained], labels[trained])
    return float(machine.score(rows[~trained], labels[~trained]))


def _row_space(rows: Array) -> Array:
    """Orthonormal basis of what rows span."""
    _, values, axes = np.linalg.svd(rows, full_matrices=False)
    return np.asarray(axes[values > VANISHED * max(float(values[0]), 1e-300)])
