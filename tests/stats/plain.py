"""What the tests ask of resamples, for a block of cosines in place of a layout."""

import numpy as np

from eatlas.stats import bootstrap
from eatlas.stats.bootstrap import PatternRule, streams_of
from eatlas.stats.weighted import Design

RULE = PatternRule()


def bootstrap_effects(
    cosines, n_x, n_a, *, rng, over="targets", resamples=10_000, level=0.95, ddof=1
):
    """Intervals of level 1, level 2 of X and level 2 of Y."""
    how = {"over": over, "resamples": resamples, "level": level, "ddof": ddof}
    return bootstrap.bootstrap(Design(cosines, n_x, n_a), streams=streams_of(rng), **how)[0]


def influence(cosines, n_x, n_a, *, ddof=1):
    return bootstrap.influence(Design(cosines, n_x, n_a), ddof=ddof)


def pattern_stability(cosines, n_x, n_a, *, rng, over="both", resamples=10_000, rule=RULE):
    streams = streams_of(rng)
    aside = np.random.default_rng(rng.integers(0, 2**32, size=4))
    how = {"over": over, "resamples": resamples, "rule": rule}
    test = Design(cosines, n_x, n_a)
    return bootstrap.pattern_stability(test, streams=streams, aside=aside, **how)
