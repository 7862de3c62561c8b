"""The effect size over attributes in resamples: targets and attributes change places."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from eatlas import kernels
from eatlas.measures.base import Array
from eatlas.measures.levels import sides, sizes
from eatlas.measures.resampling import Variation, interval_of
from eatlas.results.levels import EffectInterval
from eatlas.stats.bootstrap import block_layout, bootstrap_effects
from eatlas.stimuli.kinds import OPPOSITES
from eatlas_models.stats.log_sums import log_sum_layout


def over_attributes(
    vary: Variation, log_probabilities: Array | None = None, *, each: bool = False
) -> EffectInterval | None:
    """Interval of an effect size over attributes: targets and attributes change places.

    With log-probabilities of the used terms it is that of their sums over targets, of each sentence
    by itself or of their mean.
    """
    x, _, a, _ = sizes(vary.ordered.rows)
    if log_probabilities is None:
        layout = block_layout(kernels.similarities(*sides(vary.ordered.rows)).T, a, x)
    else:
        used = {role: group.used for role, group in vary.given.coverage.items()}
        places = [places_by_name(*(used[role] for role in side)) for side in OPPOSITES]
        layout = log_sum_layout(log_probabilities[np.ix_(*places)], x, a, each=each)
    if not (count := vary.count(layout)):
        return None
    (effects,) = bootstrap_effects(layout, count, vary.streams("ABXY"), vary.ddof, 1)
    return interval_of(effects, vary.confidence)


def places_by_name(first: Sequence[str], second: Sequence[str]) -> list[int]:
    """Places of the terms of two groups, each in the order of its names."""
    terms = [*((0, term) for term in first), *((1, term) for term in second)]
    return sorted(range(len(terms)), key=terms.__getitem__)
