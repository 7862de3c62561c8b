"""Debiasing of an embedding space: subspaces of a bias, and maps that take it out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import EatlasError
from eatlas.kernels.cosines import unit_rows
from eatlas.stats.space import NO_VARIANCE, VANISHED

Array = NDArray[np.float64]


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
    """Make the members of an equality set differ only within the bias subspace.

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
            "the words do not span the embedding space",
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
