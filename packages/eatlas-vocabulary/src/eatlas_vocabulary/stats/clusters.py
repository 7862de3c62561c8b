"""Clusters of the rows of an embedding space, by scikit-learn. Import where they are needed."""

from __future__ import annotations

from itertools import permutations
from warnings import catch_warnings, simplefilter

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from eatlas.errors import EatlasError
from eatlas.kernels.cosines import unit_rows

Array = NDArray[np.float64]
Labels = NDArray[np.int64]

STEPS = 25
"""Of k-means; further ones bring its clusters closer by less than a thousandth."""


def k_means(rows: NDArray[np.float32], count: int, seed: int, starts: int = 1) -> NDArray[np.int32]:
    """The cluster of each unit row: k-means from random rows, the best of some starts.

    A row belongs to the centre that is nearest in direction.
    """
    # the default, k-means++, takes four times as long for clusters that are no closer
    how = {"init": "random", "n_init": starts, "max_iter": STEPS, "random_state": seed}
    # threads add their sums in any order, and wait for each other longer than they save
    with threadpool_limits(1), catch_warnings():
        simplefilter("error", ConvergenceWarning)
        try:
            means = KMeans(count, **how).fit(rows)
        except ConvergenceWarning as error:
            raise EatlasError(
                f"the vectors do not form {count:,} clusters, as too many are equal",
                got=str(error).partition(".")[0],
                allowed="at least as many different vectors",
                remedy="ask for fewer, or check the vectors",
            ) from error
    centres = unit_rows(means.cluster_centers_).astype(np.float32)
    return np.asarray((rows @ centres.T).argmax(axis=1), np.int32)


def clusters_by_group(rows: Array, labels: Labels) -> float:
    """Proportion of rows in the cluster of their group, under the best naming of as many clusters.

    Gonen and Goldberg (2019), section 4, for two groups.
    """
    k = int(labels.max()) + 1
    clusters = KMeans(k, n_init=10, random_state=0).fit_predict(rows)
    table = np.zeros((k, k))
    np.add.at(table, (labels, clusters), 1)
    best = max(sum(table[i, j] for i, j in enumerate(order)) for order in permutations(range(k)))
    return float(best) / len(labels)
