"""Diagnosis of a test's own terms, made with every result."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from eatlas.results import thresholds
from eatlas.results.diagnosis import DECIMALS, Dimension, TermsDiagnosis
from eatlas.stats.isoscore import shared_iso_score
from eatlas.stimuli import ROLES


def diagnose_terms(rows: Mapping[str, NDArray[np.float64]]) -> TermsDiagnosis | None:
    """Say whether cosines are meaningful among the terms of a test.

    Parameters
    ----------
    rows : mapping from X, Y, A, B to arrays of shape (n, d)
        Unit rows.

    Returns
    -------
    TermsDiagnosis or None
        None where a group has no rows.

    Examples
    --------
    >>> one = np.array([[1.0, 0.0]])
    >>> diagnose_terms({"X": one, "Y": one, "A": one, "B": -one}).mean_cosine
    0.0
    """
    if not all(len(rows[role]) for role in ROLES):
        return None
    targets, attributes = (np.concatenate([rows[role] for role in pair]) for pair in ("XY", "AB"))
    cosines = targets @ attributes.T
    n, n_x, n_a = len(targets) + len(attributes), len(rows["X"]), len(rows["A"])
    blocks = [block for half in (cosines[:n_x], cosines[n_x:]) for block in _split(half, n_a)]
    lowest = round(min(float(block.mean()) for block in blocks), DECIMALS)
    # level 3 divides by n - 1; a single cosine has no spread
    spreads = [float(block.std(ddof=1)) for block in blocks if block.size > 1]
    largest = round(max(spreads), DECIMALS) if spreads else None
    # the mean over all pairs of t_i a_i is the product of the means
    contributions = targets.mean(axis=0) * attributes.mean(axis=0)
    lengths = (np.square(targets).sum(axis=0) + np.square(attributes).sum(axis=0)) / n
    return TermsDiagnosis(
        terms=n,
        mean_cosine=round(float(cosines.mean()), DECIMALS),
        sd_cosine=round(float(cosines.std()), DECIMALS),
        lowest_mean=lowest,
        largest_sd=largest,
        alike=lowest >= thresholds.ALIKE_MEAN
        and largest is not None
        and largest <= thresholds.ALIKE_SD,
        iso_score=_defined(shared_iso_score([rows["X"], rows["Y"]], [rows["A"], rows["B"]])),
        rogue=_largest(contributions, contributions, lengths),
        loudest=_largest(lengths, contributions, lengths),
    )


def _split(half: NDArray[np.float64], n: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return half[:, :n], half[:, n:]


def _largest(
    by: NDArray[np.float64], contributions: NDArray[np.float64], lengths: NDArray[np.float64]
) -> Dimension:
    # rounded, so that of two equal dimensions the first is named, in whatever order terms come
    return Dimension.of(
        int(np.argmax(by.round(DECIMALS))), contributions.tolist(), lengths.tolist()
    )


def _defined(value: float) -> float | None:
    return round(value, DECIMALS) if math.isfinite(value) else None
