"""Units of a list of words: clusters of near-synonyms, which say the same thing twice.

A permutation test assumes that the words of a list are exchangeable, and a test for new words
assumes that they are independent. *He*, *him* and *his* are neither. Words whose vectors, less the
mean of the list, are alike are therefore one unit: its mean row is permuted and summed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eatlas.stats.inputs import remember

Array = NDArray[np.float64]
Labels = NDArray[np.intp]
"""Unit of each word of a list, numbered from 0 in the order of their first words."""

THRESHOLD = 0.4
"""Least mean cosine of the residuals of two clusters that are joined."""
SAME = 1e-6
"""Part of its length by which a vector may differ from the mean of the list and be the same."""
MOST_WORDS = 1_000
"""Words of a list among which clusters are looked for, in a second at most."""


@remember(256, largest=32_768)
def find_units(rows: Array, threshold: float = THRESHOLD) -> Labels:
    """Join the near-synonyms of a list by average linkage of its residuals.

    Parameters
    ----------
    rows : array, shape (words, d)
        Vectors of the words; their lengths do not matter beyond the mean.
    threshold : float
        Clusters are joined while the mean cosine of their words, each less the mean of the list,
        is at least this.

    Returns
    -------
    array, shape (words,)

    Examples
    --------
    >>> import numpy as np
    >>> rows = np.array([[1.0, 0, 0], [0.9, 0.1, 0], [0, 1, 0], [0, 0, 1]])
    >>> find_units(rows).tolist()
    [0, 0, 1, 2]
    """
    n = len(rows)
    if not 1 < n <= MOST_WORDS:
        return np.arange(n)
    residuals = rows - rows.mean(axis=0)
    lengths = np.linalg.norm(residuals, axis=1, keepdims=True)
    mean = lengths[:, 0] <= SAME * np.linalg.norm(rows, axis=1).max()
    unit = residuals / np.where(mean[:, None], 1.0, lengths)
    cosines = unit @ unit.T
    cosines[np.ix_(mean, mean)] = 1.0  # words that all have the mean of the list are the same
    np.fill_diagonal(cosines, -np.inf)
    labels, sizes = np.arange(n), np.ones(n)
    while True:  # as scipy.cluster, whose import takes ten times as long as this
        i, j = divmod(int(cosines.argmax()), n)
        if cosines[i, j] < threshold:
            break
        cosines[i] = (sizes[i] * cosines[i] + sizes[j] * cosines[j]) / (sizes[i] + sizes[j])
        cosines[:, i] = cosines[i]
        cosines[j] = cosines[:, j] = -np.inf
        sizes[i] += sizes[j]
        labels[labels == j] = i
    return np.unique(labels, return_inverse=True)[1]


def average_over_units(values: Array, labels: Labels, axis: int = 0) -> Array:
    """Mean over the words of each unit, along one axis."""
    sizes = np.bincount(labels)
    if len(sizes) == len(labels):
        return values
    rows, first = values.swapaxes(0, axis), np.unique(labels, return_index=True)[1]
    sums = rows[first].astype(np.float64)
    for i in np.delete(np.arange(len(labels)), first):
        sums[labels[i]] += rows[i]
    means = sums / sizes.reshape(-1, *[1] * (sums.ndim - 1))
    return np.ascontiguousarray(means.swapaxes(0, axis))
