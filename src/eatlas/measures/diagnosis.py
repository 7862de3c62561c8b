"""Diagnosis of a test's own terms, made with every result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eatlas.kernels import Moments, products_mean_and_sd
from eatlas.measures.rows import sides, sizes
from eatlas.results.diagnosis import ALIKE_MEAN, ALIKE_SD, DECIMALS, Dimension, TermsDiagnosis
from eatlas.results.parts import defined
from eatlas.stats.space import iso_score_of_scatters, shared_iso_score
from eatlas.stimuli import ROLES
from eatlas.stimuli.association_test import OPPOSITES

TABLE_CELLS = 8_000_000
"""Largest number of cosines of targets with attributes that are computed, 64 MB."""


def diagnose_terms(
    rows: Mapping[str, NDArray[np.float64]], moments: Mapping[str, Moments] | None = None
) -> TermsDiagnosis | None:
    """Say whether cosines are meaningful among the terms of a test."""
    if not all(len(rows[role]) for role in ROLES):
        return None
    targets, attributes = sides(rows)
    n = len(targets) + len(attributes)
    if moments is not None and len(targets) * len(attributes) > TABLE_CELLS:
        found = _of_moments(moments)
    else:
        found = _of_table(rows, targets, attributes)
    lowest = round(min(found.means), DECIMALS)
    largest = round(max(found.spreads), DECIMALS) if found.spreads else None
    # the mean over all pairs of t_i a_i is the product of the means
    contributions = targets.mean(axis=0) * attributes.mean(axis=0)
    lengths = (np.square(targets).sum(axis=0) + np.square(attributes).sum(axis=0)) / n
    return TermsDiagnosis(
        terms=n,
        mean_cosine=round(found.mean, DECIMALS),
        sd_cosine=round(found.sd, DECIMALS),
        lowest_mean=lowest,
        largest_sd=largest,
        alike=lowest >= ALIKE_MEAN and largest is not None and largest <= ALIKE_SD,
        iso_score=defined(found.iso_score, DECIMALS),
        rogue=_largest(contributions, contributions, lengths),
        loudest=_largest(lengths, contributions, lengths),
    )


@dataclass(frozen=True)
class _Found:
    """What the cosines say."""

    mean: float
    sd: float
    means: list[float]
    """Of the four blocks."""
    spreads: list[float]
    """Their standard deviations; a single cosine has none."""
    iso_score: float


def _of_table(
    rows: Mapping[str, NDArray[np.float64]],
    targets: NDArray[np.float64],
    attributes: NDArray[np.float64],
) -> _Found:
    """Mean and spread of all cosines, of the four cells of level 3, and IsoScore of the terms."""
    cosines, (n_x, _, n_a, _) = targets @ attributes.T, sizes(rows)
    blocks = [b for half in (cosines[:n_x], cosines[n_x:]) for b in (half[:, :n_a], half[:, n_a:])]
    return _Found(
        float(cosines.mean()),
        float(cosines.std()),
        [float(block.mean()) for block in blocks],
        # level 3 divides by n - 1
        [float(block.std(ddof=1)) for block in blocks if block.size > 1],
        shared_iso_score(*([rows[role] for role in side] for side in OPPOSITES)),
    )


def _of_moments(of: Mapping[str, Moments]) -> _Found:
    x, y, a, b = (of[role] for role in ROLES)
    blocks = [products_mean_and_sd(t, u, 1) for t in (x, y) for u in (a, b)]
    mean, sd = products_mean_and_sd(x + y, a + b, 0)
    score = iso_score_of_scatters(x.scatter + y.scatter, a.scatter + b.scatter)
    return _Found(mean, sd, [block[0] for block in blocks], [block[1] for block in blocks], score)


def _largest(
    by: NDArray[np.float64], contributions: NDArray[np.float64], lengths: NDArray[np.float64]
) -> Dimension:
    # rounded, so that of two equal dimensions the first is named, in whatever order terms come
    return Dimension.of(
        int(np.argmax(by.round(DECIMALS))), contributions.tolist(), lengths.tolist()
    )
