"""Geometry of an embedding space (anisotropy, hubness, isotropy), its moves and its debiasing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import EatlasError
from eatlas.kernels.cosines import unit_rows
from eatlas.stats.inputs import numbers, whole

Array = NDArray[np.float64]
BLOCK = 512
"""Rows whose cosines with all others are held at once: 20 MB for 10,000 rows."""
Groups = Sequence[NDArray[np.floating]]

LEAST_PAIRS = 16
"""Product of the degrees of freedom of both sides from which a few rows may be judged: two against
two groups of three. In isotropic spaces of 50 to 300 dimensions the estimate is then .37 or more in
99.95% of 4,000 draws; with groups of eight .73, with groups of two .19."""
ROUNDING = 1e-24
"""Share of the squared length below which a squared distance from the mean is rounding error."""


@dataclass(frozen=True)
class PairCosines:
    """Cosines of all pairs of different rows, without any pair being drawn."""

    n: int
    """Rows."""
    mean: float
    """The expected cosine of two rows taken at random."""
    sd: float
    """Standard deviation of the cosine over the pairs."""
    contributions: Array
    """What each dimension adds to the mean, shape (d,); their sum is the mean."""
    lengths: Array
    """Mean share of each dimension in the squared length of a row, shape (d,); their sum is 1."""

    def largest(self, count: int) -> list[int]:
        """The dimensions that contribute most to the mean, in order."""
        order = np.argsort(-self.contributions, kind="stable")
        return [int(i) for i in order[:count]]


def pair_cosines(moments: Moments) -> PairCosines:
    """Mean and spread of the cosines of all pairs, from sums over the rows alone.

    With u a unit row, s the sum of the rows and S the sum of their outer products,

        sum over pairs k != l of u_k . u_l     = |s|^2 - n
        sum over pairs k != l of (u_k . u_l)^2 = |S|_F^2 - n

    each divided by n (n - 1). The part of dimension i in the first is ``s_i^2 - S_ii``: the
    contribution CC(f_i) of Timkey and van Schijndel (2021), equations 3 and 4, over all pairs
    instead of a sample of them.
    """
    n = moments.n
    if n < 2:
        raise EatlasError("a pair needs two vectors", got=str(n))
    pairs = n * (n - 1)
    squares = np.diag(moments.products)
    contributions = (moments.total**2 - squares) / pairs
    mean = float(contributions.sum())
    mean_square = (float(np.sum(moments.products**2)) - n) / pairs
    return PairCosines(
        n=n,
        mean=mean,
        sd=float(np.sqrt(max(0.0, mean_square - mean * mean))),
        contributions=contributions,
        lengths=squares / n,
    )


def k_occurrences(rows: NDArray[np.floating], k: int) -> Labels:
    """How often each row is among the k nearest neighbours of the others, by cosine."""
    n = len(rows)
    k = whole(k, "k", 1, n - 1)
    # ranks of cosines need no more than single precision, and take half the time with it
    rows = np.ascontiguousarray(rows, dtype=np.float32)
    counts = np.zeros(n, np.int64)
    for start in range(0, n, BLOCK):
        cosines = rows[start : start + BLOCK] @ rows.T
        own = np.arange(len(cosines))
        cosines[own, start + own] = -np.inf
        nearest = np.argpartition(-cosines, k - 1, axis=1)[:, :k]
        counts += np.bincount(nearest.ravel(), minlength=n)
    return counts


def skewness(values: NDArray[np.number]) -> float:
    """Third standardised moment, ``mean((v - m)^3) / sd^3`` with n in both; NaN without spread.

    With the counts of :func:`k_occurrences` it is the hubness S of Radovanovic, Nanopoulos and
    Ivanovic (2010).
    """
    array = numbers(values, "values", 1)
    centred = array - array.mean()
    variance = float(np.mean(centred**2))
    if variance == 0:
        return float("nan")
    return float(np.mean(centred**3) / variance**1.5)


def effective_dimensions(covariance: Array) -> float:
    """Number of equal dimensions that would spread the variance as evenly, 1 to d."""
    # the trace and the Frobenius norm are the sums of eigenvalues and of their squares
    trace = float(np.trace(covariance))
    if trace <= 0:
        return float("nan")
    scaled = covariance / trace
    return float(1.0 / np.sum(scaled * scaled))


def iso_score(covariance: Array) -> float:
    """IsoScore of Rudman, Gillman, Rayne and Eickhoff (2022), Algorithm 1.

    The published steps take the variances v along the principal components, scale them to
    ``w = sqrt(d) v / |v|``, measure the defect ``delta = |w - 1| / sqrt(2 (d - sqrt(d)))``, hence
    the share of dimensions used ``phi = (d - delta^2 (d - sqrt(d)))^2 / d^2``, and rescale:
    ``(d phi - 1) / (d - 1)``. Now ``|w - 1|^2 = 2 d - 2 sqrt(d) sum(v) / |v|``, so that
    ``d - delta^2 (d - sqrt(d)) = sqrt(d) sum(v) / |v|`` and ``d phi = sum(v)^2 / |v|^2``: the
    participation ratio, which needs no principal components. A test holds the two to 1e-12.
    """
    d = len(covariance)
    if d < 2:
        return float("nan")
    return (effective_dimensions(covariance) - 1) / (d - 1)


def shared_iso_score(first: Groups, second: Groups) -> float:
    """IsoScore of a space, estimated from the directions in which two sets of groups both spread.

    The covariance of a few rows is always lopsided: m rows have m - 1 components, whatever the
    space, and words of one topic have fewer still. But where S and T are covariances within the
    groups of either side, and both estimate one C, the rows of either being independent of the
    other's, ``E tr(S T) = tr(C^2)``: directions that only one side has count little, and those that
    the space imposes on both count fully. ``tr(S T) / (tr S tr T)`` hence estimates the inverse of
    the number of effective dimensions. The inner products of rows hold it all.
    """
    d = first[0].shape[1]
    pairs = _freedom(first) * _freedom(second)
    one, other = _centred(first), _centred(second)
    spread = float(np.sum(one * one)) * float(np.sum(other * other))
    if d < 2 or pairs < LEAST_PAIRS or spread <= 0:
        return float("nan")
    return _of_inverse(float(np.sum(np.square(one @ other.T))) / spread, d)


def iso_score_of_scatters(first: Array, second: Array) -> float:
    """As :func:`shared_iso_score`, from the scatters within the groups of either side."""
    d, spread = len(first), float(np.trace(first)) * float(np.trace(second))
    if d < 2 or spread <= 0:
        return float("nan")
    return _of_inverse(float(np.sum(first * second)) / spread, d)


def _of_inverse(inverse: float, d: int) -> float:
    return float((1 / min(max(inverse, 1 / d), 1.0) - 1) / (d - 1))


def _freedom(groups: Groups) -> int:
    return sum(len(rows) for rows in groups) - len(groups)


def _centred(groups: Groups) -> Array:
    """Rows less the mean of their group; zeros where only rounding error would remain."""
    parts = []
    for rows in groups:
        centred = rows - rows.mean(axis=0)
        spread, size = (float(np.sum(np.square(part))) for part in (centred, rows))
        parts.append(centred if spread > ROUNDING * size else np.zeros_like(centred))
    together: Array = np.concatenate(parts)
    return together


def variance_shares(covariance: Array, counts: tuple[int, ...]) -> tuple[float, ...]:
    """Share of the variance in the first k principal components, for each k."""
    values = np.maximum(np.linalg.eigvalsh(covariance)[::-1], 0.0)
    total = values.sum()
    if total <= 0:
        return tuple(float("nan") for _ in counts)
    return tuple(min(1.0, float(values[:k].sum() / total)) for k in counts)


NO_VARIANCE = 1e-12
"""Share of the largest variance below which a variance is rounding error: that of a covariance of
d <= 4,096 columns in float64 stays below d times 2.2e-16."""
VANISHED = 1e-10
"""Share of what was subtracted or multiplied below which a row that remains is rounding error."""


class Moments:
    """Running sums of rows and of their products."""

    def __init__(self, dim: int, pivot: Array | None = None) -> None:
        self.n = 0
        self.pivot = np.zeros(dim) if pivot is None else np.asarray(pivot, dtype=np.float64)
        self._sum = np.zeros(dim)
        self._products = np.zeros((dim, dim))

    def add(self, rows: NDArray[np.floating]) -> None:
        """Take in rows, shape (n, dim)."""
        shifted = np.asarray(rows, dtype=np.float64) - self.pivot
        self.n += len(shifted)
        with np.errstate(over="ignore", invalid="ignore"):
            self._sum += shifted.sum(axis=0)
            self._products += shifted.T @ shifted
        if not np.isfinite(self._products).all():
            raise EatlasError(
                "the components are too large to be squared",
                got=f"up to {np.abs(shifted).max():.3g}",
                allowed="magnitudes below about 1e150",
                remedy="scale the vectors; cosines do not change",
            )

    @property
    def mean(self) -> Array:
        """Mean row, shape (dim,)."""
        self._require(1)
        mean: Array = self.pivot + self._sum / self.n
        return mean

    @property
    def total(self) -> Array:
        """Sum of the rows less the pivot, shape (dim,)."""
        return self._sum

    @property
    def products(self) -> Array:
        """Sum of the outer products of the rows less the pivot, shape (dim, dim)."""
        return self._products

    def covariance(self) -> Array:
        """Sample covariance of the columns, n - 1 in the denominator, shape (dim, dim)."""
        self._require(2)
        offset = self._sum / self.n
        scatter = self._products - self.n * np.outer(offset, offset)
        # rounding must not make a variance negative, nor the matrix lopsided
        scatter = (scatter + scatter.T) / 2
        np.fill_diagonal(scatter, np.maximum(np.diag(scatter), 0.0))
        covariance: Array = scatter / (self.n - 1)
        return covariance

    def _require(self, least: int) -> None:
        if self.n < least:
            raise EatlasError(
                "too few rows", got=str(self.n), allowed=f"{least} or more for this moment"
            )


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
        given = np.asarray(vectors, dtype=np.float64)
        shifted = given - self.shift
        scale = np.linalg.norm(given, axis=1) + np.linalg.norm(self.shift)
        mapped = shifted
        if self.matrix is not None:
            matrix = self.matrix
            if bulk:
                mapped = shifted @ matrix
            else:
                mapped = np.array([np.einsum("j,jk->k", row, matrix) for row in shifted])
            scale = scale * np.abs(self.matrix).max()
        gone = np.linalg.norm(mapped, axis=1) <= VANISHED * scale
        mapped[gone | ~given.any(axis=1)] = 0.0
        return mapped

    @property
    def gain(self) -> float:
        """How many times longer a small random difference of two rows becomes, on average."""
        if self.matrix is None:
            return 1.0
        return float(np.sqrt((self.matrix**2).sum() / len(self.matrix)))

    def then(self, matrix: Array | None) -> Affine:
        """Follow this map by a linear one."""
        if matrix is None:
            return self
        return Affine(self.shift, matrix if self.matrix is None else self.matrix @ matrix)

    def covariance(self, covariance: Array) -> Array:
        """Covariance of the image of vectors that have this covariance."""
        if self.matrix is None:
            return covariance
        image: Array = self.matrix.T @ covariance @ self.matrix
        return (image + image.T) / 2


def standardize(covariance: Array) -> Array:
    """Divide each dimension by its standard deviation; one without any becomes 0.

    Timkey and van Schijndel (2021), section 5: z-scores keep single dimensions from dominating.
    """
    variances = np.diag(covariance)
    return np.diag(_inverse_roots(variances))


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
    kept = variances > NO_VARIANCE * max(variances.max(), 0.0)
    roots = np.zeros(len(variances))
    roots[kept] = 1 / np.sqrt(variances[kept])
    return roots


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
