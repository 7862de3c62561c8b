"""Diagnosis of a test's own terms, made with every result."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from eatlas.measures.rows import sides
from eatlas.results.diagnosis import ALIKE_MEAN, ALIKE_SD, DECIMALS, Dimension, TermsDiagnosis
from eatlas.results.parts import defined
from eatlas.stats.space import cosines_mean_and_sd, shared_iso_score
from eatlas.stimuli import ROLES
from eatlas.stimuli.kinds import OPPOSITES

Array = NDArray[np.float64]


def diagnose_terms(rows: Mapping[str, Array]) -> TermsDiagnosis | None:
    """Say whether cosines are meaningful among the terms of a test."""
    if not all(len(rows[role]) for role in ROLES):
        return None
    targets, attributes = sides(rows)
    mean, sd = cosines_mean_and_sd(targets, attributes, 0)
    blocks = [(rows[t], rows[a]) for t in OPPOSITES[0] for a in OPPOSITES[1]]
    cells = [cosines_mean_and_sd(t, a, 1) for t, a in blocks]
    lowest = round(min(cell_mean for cell_mean, _ in cells), DECIMALS)
    # level 3 divides by n - 1; a single cosine has no deviation
    spreads = [s for (_, s), (t, a) in zip(cells, blocks, strict=True) if len(t) * len(a) > 1]
    largest = round(max(spreads), DECIMALS) if spreads else None
    n = len(targets) + len(attributes)
    # the mean over all pairs of t_i a_i is the product of the means
    contributions = targets.mean(axis=0) * attributes.mean(axis=0)
    lengths = (np.square(targets).sum(axis=0) + np.square(attributes).sum(axis=0)) / n
    # rounded, so that of two equal dimensions the first is named, in whatever order terms come
    rogue, loudest = (int(by.round(DECIMALS).argmax()) for by in (contributions, lengths))
    return TermsDiagnosis(
        terms=n,
        mean_cosine=round(mean, DECIMALS),
        sd_cosine=round(sd, DECIMALS),
        lowest_mean=lowest,
        largest_sd=largest,
        alike=lowest >= ALIKE_MEAN and largest is not None and largest <= ALIKE_SD,
        iso_score=defined(
            shared_iso_score(*([rows[role] for role in side] for side in OPPOSITES)), DECIMALS
        ),
        rogue=Dimension.of(rogue, contributions, lengths),
        loudest=Dimension.of(loudest, contributions, lengths),
    )
