"""Diagnosis of a test's own terms, made with every result."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from eatlas.kernels import moments, products_mean_and_sd
from eatlas.measures.rows import sides, sizes
from eatlas.results.diagnosis import ALIKE_MEAN, ALIKE_SD, DECIMALS, Dimension, TermsDiagnosis
from eatlas.results.parts import defined
from eatlas.stats.space import iso_score_of_scatters, shared_iso_score
from eatlas.stimuli import ROLES
from eatlas.stimuli.kinds import OPPOSITES

Array = NDArray[np.float64]
TABLE_CELLS = 8_000_000
"""Largest number of cosines of targets with attributes that are computed, 64 MB."""


def diagnose_terms(rows: Mapping[str, Array]) -> TermsDiagnosis | None:
    """Say whether cosines are meaningful among the terms of a test."""
    if not all(len(rows[role]) for role in ROLES):
        return None
    targets, attributes = sides(rows)
    n_x, _, n_a, _ = sizes(rows)
    if len(targets) * len(attributes) > TABLE_CELLS:
        x, y, a, b = (moments(rows[role]) for role in ROLES)
        cells: list[tuple[float, float | None]]
        cells = [products_mean_and_sd(t, u, 1) for t in (x, y) for u in (a, b)]
        mean, sd = products_mean_and_sd(x + y, a + b, 0)
        iso_score = iso_score_of_scatters(x.scatter + y.scatter, a.scatter + b.scatter)
    else:
        cosines = targets @ attributes.T
        blocks = [b for half in np.split(cosines, [n_x]) for b in np.split(half, [n_a], axis=1)]
        # level 3 divides by n - 1; a single cosine has no deviation
        cells = [(float(b.mean()), float(b.std(ddof=1)) if b.size > 1 else None) for b in blocks]
        mean, sd = float(cosines.mean()), float(cosines.std())
        iso_score = shared_iso_score(*([rows[role] for role in side] for side in OPPOSITES))
    lowest = round(min(cell[0] for cell in cells), DECIMALS)
    spreads = [spread for _, spread in cells if spread is not None]
    largest = round(max(spreads), DECIMALS) if spreads else None
    n = len(targets) + len(attributes)
    # the mean over all pairs of t_i a_i is the product of the means
    contributions = targets.mean(axis=0) * attributes.mean(axis=0)
    lengths = (np.square(targets).sum(axis=0) + np.square(attributes).sum(axis=0)) / n
    return TermsDiagnosis(
        terms=n,
        mean_cosine=round(mean, DECIMALS),
        sd_cosine=round(sd, DECIMALS),
        lowest_mean=lowest,
        largest_sd=largest,
        alike=lowest >= ALIKE_MEAN and largest is not None and largest <= ALIKE_SD,
        iso_score=defined(iso_score, DECIMALS),
        rogue=_largest(contributions, contributions, lengths),
        loudest=_largest(lengths, contributions, lengths),
    )


def _largest(by: Array, contributions: Array, lengths: Array) -> Dimension:
    # rounded, so that of two equal dimensions the first is named, in whatever order terms come
    return Dimension.of(
        int(np.argmax(by.round(DECIMALS))), contributions.tolist(), lengths.tolist()
    )
