"""Geometry of an embedding space: how alike directions are, linear maps, debiasing, clusters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import permutations
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import EatlasError
from eatlas.kernels.cosines import Moments, unit_rows

Array = NDArray[np.float64]
Groups = Sequence[NDArray[np.floating]]
Labels = NDArray[np.int64]

LEAST_PAIRS = 16
"""Product of the degrees of freedom of both sides from which a few rows may be judged: two against
two groups of three. In isotropic spaces of 50 to 300 dimensions the estimate is then .37 or more in
99.95% of 4,000 draws; with groups of eight .73, with groups of two .19."""
ROUNDING = 1e-24
"""Share of the squared length below which a squared distance from the mean is rounding error."""
NO_VARIANCE = 1e-12
"""Share of the largest variance below which a variance is rounding error: that of a covariance of
d <= 4,096 columns in float64 stays below d times 2.2e-16."""
VANISHED = 1e-10
"""Share of what was subtracted or multiplied below which a row that remains is rounding error."""


# --- how alike directions are ---------------------------------------------------------------------


def with_rows(before: Moments | None, rows: Array) -> Moments:
    """Moments of some rows, and of those that came before."""
    mean = rows.mean(axis=0)
    centred = rows - mean
    own = Moments(len(rows), mean, centred.T @ centred)
    return own if before is None else before + own


def products_of(moments: Moments) -> Array:
    """Sum of the outer products of the rows with themselves, shape (d, d)."""
    products: Array = moments.scatter + moments.n * np.outer(moments.mean, moments.mean)
    return products


def pair_cosines(unit: Moments) -> tuple[float, float, Array, Array]:
    """Mean and standard deviation of the cosines of all pairs, from sums over the rows alone.

    And what each dimension adds to the mean, whose sum it is; and its mean share in the squared
    length of a row, whose sum is 1.

    With u a unit row, s the sum of the rows and S the sum of their outer products,

        sum over pairs k != l of u_k . u_l     = |s|^2 - n
        sum over pairs k != l of (u_k . u_l)^2 = |S|_F^2 - n

    each divided by n (n - 1). The part of dimension i in the first is ``s_i^2 - S_ii``: the
    contribution CC(f_i) of Timkey and van Schijndel (2021), equations 3 and 4, over all pairs
    instead of a sample of them.
    """
    n, pairs, products = unit.n, unit.n * (unit.n - 1), products_of(unit)
    squares = np.diag(products)
    contributions = ((n * unit.mean) ** 2 - squares) / pairs
    mean = float(contributions.sum())
    variance = (float(np.sum(products**2)) - n) / pairs - mean**2
    return mean, float(np.sqrt(max(0.0, variance))), contributions, squares / n


def cosines_mean_and_sd(first: Array, second: Array, ddof: int) -> tuple[float, float]:
    """Mean and standard deviation of the cosines of all rows of one set with all of another.

    With t = m + t' and a = k + a', primes summing to zero, ``t.a - m.k = m.a' + t'.k + t'.a'``, and
    the three are uncorrelated over all pairs.
    """
    m, k = first.mean(axis=0), second.mean(axis=0)
    one, other = first - m, second - k
    squares = (
        len(first) * float(np.sum(np.square(other @ m)))
        + len(second) * float(np.sum(np.square(one @ k)))
        + _squared_products(one, other)
    )
    return float(m @ k), float(np.sqrt(squares / max(len(first) * len(second) - ddof, 1)))


def _squared_products(first: Array, second: Array) -> float:
    """Sum of the squared dot products of all rows of two sets, by the smaller of two tables."""
    if len(first) * len(second) <= first.shape[1] ** 2:
        return float(np.sum(np.square(first @ second.T)))
    return float(np.sum((first.T @ first) * (second.T @ second)))


def iso_score(covariance: Array) -> float:
    """IsoScore of Rudman, Gillman, Rayne and Eickhoff (2022), Algorithm 1.

    The published steps take the variances v along the principal components, scale them to
    ``w = sqrt(d) v / |v|``, measure the defect ``delta = |w - 1| / sqrt(2 (d - sqrt(d)))``, hence
    the share of dimensions used ``phi = (d - delta^2 (d - sqrt(d)))^2 / d^2``, and rescale:
    ``(d phi - 1) / (d - 1)``. Now ``|w - 1|^2 = 2 d - 2 sqrt(d) sum(v) / |v|``, so that
    ``d - delta^2 (d - sqrt(d)) = sqrt(d) sum(v) / |v|`` and ``d phi = sum(v)^2 / |v|^2``: the
    participation ratio, the number of equal dimensions that would spread the variance as evenly.
    It needs no principal components. A test holds the two to 1e-12.
    """
    # the trace and the Frobenius norm are the sums of eigenvalues and of their squares
    d, trace = len(covariance), float(np.trace(covariance))
    if d < 2 or trace <= 0:
        return float("nan")
    return float((trace**2 / np.sum(covariance**2) - 1) / (d - 1))


def shared_iso_score(first: Groups, second: Groups) -> float:
    """IsoScore of a space, estimated from the directions in which two sets of groups both spread.

    The covariance of a few rows is always lopsided: m rows have m - 1 components, whatever the
    space, and words of one topic have fewer still. But where S and T are covariances within the
    groups of either side, and both estimate one C, the rows of either being independent of the
    other's, ``E tr(S T) = tr(C^2)``: directions that only one side has count little, and those that
    the space imposes on both count fully. ``tr(S T) / (tr S tr T)`` hence estimates the inverse of
    the number of effective dimensions.
    """
    d = first[0].shape[1]
    one, other = _centred(first), _centred(second)
    pairs = (len(one) - len(first)) * (len(other) - len(second))
    spread = float(np.sum(one * one)) * float(np.sum(other * other))
    if d < 2 or pairs < LEAST_PAIRS or spread <= 0:
        return float("nan")
    inverse = min(max(_squared_products(one, other) / spread, 1 / d), 1.0)
    return float((1 / inverse - 1) / (d - 1))


def _centred(groups: Groups) -> Array:
    """Rows less the mean of their group; zeros where only rounding error would remain."""
    parts = []
    for rows in groups:
        centred = rows - rows.mean(axis=0)
        spread, size = (float(np.sum(np.square(part))) for part in (centred, rows))
        parts.append(centred if spread > ROUNDING * size else np.zeros_like(centred))
    return np.concatenate(parts)


def variance_shares(covariance: Array, counts: tuple[int, ...]) -> tuple[float, ...]:
    """Share of the variance in the first k principal components, for each k; NaN without any."""
    values = np.maximum(np.linalg.eigvalsh(covariance)[::-1], 0.0)
    total = values.sum() or np.nan
    return tuple(float(np.minimum(1.0, values[:k].sum() / total)) for k in counts)


# --- linear maps ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Affine:
    """``x -> (x - shift) matrix``; a matrix of None is the identity."""

    shift: Array
    matrix: Array | None = None

    def rows(self, vectors: NDArray[np.floating], *, bulk: bool = False) -> Array:
        """Map rows, shape (n, d); rows of zeros, and rows that vanish, give zeros.

        A row of zeros is the mark of a missing vector, so it stays what it is. Without
        `bulk` a row maps to the same bits whichever rows come with it; with it a matrix product
        does the work, many times faster, and the last bits may differ.
        """
        rows = np.asarray(vectors, dtype=np.float64)
        mapped = rows - self.shift
        scale = np.linalg.norm(rows, axis=1) + np.linalg.norm(self.shift)
        if self.matrix is not None:
            if bulk:
                mapped = mapped @ self.matrix
            else:
                mapped = np.array([np.einsum("j,jk->k", row, self.matrix) for row in mapped])
            scale = scale * np.abs(self.matrix).max()
        gone = np.linalg.norm(mapped, axis=1) <= VANISHED * scale
        mapped[gone | ~rows.any(axis=1)] = 0.0
        return mapped

    @property
    def gain(self) -> float:
        """How many times longer a small random difference of two rows becomes, on average."""
        if self.matrix is None:
            return 1.0
        return float(np.sqrt((self.matrix**2).sum() / len(self.matrix)))


def standardize(covariance: Array) -> Array:
    """Divide each dimension by its standard deviation; one without any becomes 0.

    Timkey and van Schijndel (2021), section 5: z-scores keep single dimensions from dominating.
    """
    return np.diag(_inverse_roots(np.diag(covariance)))


def whiten(covariance: Array) -> Array:
    """Give all directions the variance 1 and no covariance; directions without any become 0.

    The symmetric root ``C^(-1/2)`` (ZCA): of all matrices that do it, the one that moves the
    vectors least, and the only one that does not depend on the signs of principal components. The
    cosines are the same for all of them.
    """
    values, axes = np.linalg.eigh(covariance)
    root: Array = (axes * _inverse_roots(values)) @ axes.T
    return root


def without_top(covariance: Array, k: int) -> Array:
    """Take out the first k principal components: ``I - sum of v v^T``.

    Mu and Viswanath (2018), Algorithm 1, "all but the top"; they advise k of about d / 100.
    """
    values, axes = np.linalg.eigh(covariance)
    there = int(np.sum(values > NO_VARIANCE * max(values[-1], 0.0)))
    if k >= there:
        raise EatlasError(
            f"without its first {k} principal components nothing is left of the vectors",
            got=f"{there} components with any variance",
            allowed=f"up to {max(there - 1, 0)}",
        )
    top = axes[:, len(values) - k :]
    rest: Array = np.eye(len(values)) - top @ top.T
    return rest


def _inverse_roots(variances: Array) -> Array:
    there = variances > NO_VARIANCE * max(variances.max(), 0.0)
    roots = np.zeros(len(variances))
    roots[there] = 1 / np.sqrt(variances[there])
    return roots


# --- debiasing ------------------------------------------------------------------------------------

CLASSIFIERS = 35
"""Of INLP at most, as Ravfogel et al. (2020) train for word vectors."""
ABOVE_CHANCE = 1.645
"""Standard errors by which an accuracy must exceed chance: one-sided, 5%."""
SOLVED = 1e-10
"""Tolerance of a classifier, whose minimum is unique: the same on every machine to many digits."""


def bias_subspace(sets: Sequence[Array], components: int) -> Array:
    """Directions along which the members of defining sets differ most.

    Bolukbasi et al. (2016), section 6, step 1, for sets of any size, as Manzini et al. (2019)
    use it: the first rows of SVD(C), ``C = sum_i sum_{w in D_i} (w - mu_i)(w - mu_i)^T / |D_i|``.
    Not centred again: a PCA of the differences as rows has the same directions.
    """
    rows = np.concatenate([(each - each.mean(axis=0)) / np.sqrt(len(each)) for each in sets])
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
    """Components of rows within a subspace, shape (n, d); each sum runs along one row."""
    part = np.zeros_like(rows)
    for axis in basis:
        part += np.add.reduce(rows * axis, axis=1, keepdims=True) * axis
    return part


def unit_or_zero(rows: Array, least: float = 0.0) -> Array:
    """Scale rows to length 1; those without a component beyond `least` become zero."""
    there = np.abs(rows).max(axis=1, initial=0.0) > least
    unit = np.zeros_like(rows)
    if there.any():
        unit[there] = unit_rows(rows[there])
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
    ``w := nu + sqrt(1 - |nu|^2) (w_B - mu_B) / |w_B - mu_B|``. None where a member is the mean.
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
    and the minimum is where ``S (X-I) S + lambda/2 (C X P + P X C) = 0`` with ``S = W W^T``,
    ``C = N N^T``, ``P = B B^T``: ``X = I - S^-1 lambda/2 (C Z B^T + B Z^T C) S^-1`` for the few
    columns ``Z = X B``, which are the solution of linear equations. ``A`` is the symmetric root.
    """
    values, axes = np.linalg.eigh(words)
    if values[0] <= NO_VARIANCE * values[-1]:
        raise EatlasError(
            "the words do not span the space",
            got=f"{int(np.sum(values > NO_VARIANCE * values[-1]))} of {len(values)} dimensions",
            allowed="more words than dimensions, and no dimension without variance",
        )
    inverse, (k, d) = (axes / values) @ axes.T, basis.shape
    near, far = inverse @ neutral, inverse @ basis.T
    # Z + lambda/2 (S^-1 C Z (B^T S^-1 B) + S^-1 B Z^T (C S^-1 B)) = B, for the entries of Z
    linear = np.einsum("ib,aj->ijba", near, basis @ far) + np.einsum(
        "ia,bj->ijba", far, near.T @ basis.T
    )
    system = np.eye(d * k) + weight / 2 * linear.reshape(d * k, d * k)
    columns = np.linalg.solve(system, basis.T.ravel()).reshape(d, k)
    crossed = near @ columns @ far.T
    values, axes = np.linalg.eigh(np.eye(d) - weight / 2 * (crossed + crossed.T))
    # with all words neutral a Lyapunov equation, whose solution is positive
    root: Array = (axes * np.sqrt(np.maximum(values, 0.0))) @ axes.T
    return root


def null_space(rows: Array, labels: Labels) -> tuple[Array, tuple[float, ...]]:
    """Projection after which a linear classifier no longer distinguishes classes (INLP).

    Ravfogel et al. (2020), Algorithm 1: a classifier W is trained, a support vector machine without
    an intercept; the rows are projected onto the null space of W, and so on; the projection is the
    one onto the intersection of all null spaces. It ends when the accuracy no longer exceeds chance
    by 1.645 standard errors, or after 35.
    """
    machines = sklearn("svm")
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
        classifier = machines.LinearSVC(
            fit_intercept=False, dual=False, tol=SOLVED, max_iter=10_000
        )
        classifier.fit(seen[~held_out], labels[~held_out])
        accuracies.append(float(np.mean(classifier.predict(seen[held_out]) == labels[held_out])))
        if accuracies[-1] <= limit or trained == CLASSIFIERS:
            break
        spans = np.concatenate([spans, _row_space(classifier.coef_ @ projection)])
        basis = _row_space(spans)
        if len(basis) == rows.shape[1]:
            raise EatlasError(
                "nothing would be left of the vectors",
                got=f"{len(basis)} directions that separate the groups, of {len(basis)}",
                remedy="vectors of more dimensions, or another transform",
            )
        projection = np.eye(rows.shape[1]) - basis.T @ basis
    return projection, tuple(accuracies)


def _row_space(rows: Array) -> Array:
    """Orthonormal basis of what rows span."""
    _, values, axes = np.linalg.svd(rows, full_matrices=False)
    return np.asarray(axes[values > VANISHED * max(float(values[0]), 1e-300)])


def sklearn(module: str) -> Any:
    """A module of scikit-learn, which is an extra."""
    try:
        return import_module(f"sklearn.{module}")
    except ImportError as error:
        raise EatlasError(
            "this needs scikit-learn, which is not installed",
            remedy="pip install 'eatlas[probes]'",
        ) from error


# --- clusters -------------------------------------------------------------------------------------

STEPS = 25
"""Of k-means; further ones bring its clusters closer by less than a thousandth."""


def clustered(
    rows: NDArray[np.float32], count: int, seed: int, starts: int = 1
) -> NDArray[np.int32]:
    """The cluster of each unit row: k-means from random rows, the best of some starts.

    A row belongs to the centre that is nearest in direction.
    """
    # the default, k-means++, takes four times as long for clusters that are no closer
    how = {"init": "random", "n_init": starts, "max_iter": STEPS, "random_state": seed}
    fewer = sklearn("exceptions").ConvergenceWarning
    # threads add their sums in any order, and wait for each other longer than they save
    with import_module("threadpoolctl").threadpool_limits(1), catch_warnings():
        simplefilter("error", fewer)
        try:
            means = sklearn("cluster").KMeans(count, **how).fit(rows)
        except fewer as error:
            raise EatlasError(
                f"the vectors do not form {count:,} clusters, as too many are equal",
                got=str(error).partition(".")[0],
                allowed="so many vectors that differ",
                remedy="ask for fewer, or check the vectors",
            ) from error
    centres = unit_rows(means.cluster_centers_).astype(np.float32)
    return np.asarray((rows @ centres.T).argmax(axis=1), np.int32)


def clusters_by_group(rows: Array, labels: Labels) -> float:
    """Share of rows in the cluster of their group, under the best naming of as many clusters.

    Gonen and Goldberg (2019), section 4, for two groups.
    """
    k = int(labels.max()) + 1
    clusters = sklearn("cluster").KMeans(k, n_init=10, random_state=0).fit_predict(rows)
    table = np.zeros((k, k))
    np.add.at(table, (labels, clusters), 1)
    best = max(sum(table[i, j] for i, j in enumerate(order)) for order in permutations(range(k)))
    return float(best) / len(labels)
