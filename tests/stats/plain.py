"""What the tests ask of resamples, for a block of cosines in place of a layout."""

import numpy as np

from eatlas.stats.bootstrap import bootstrap_layout, influence_in
from eatlas.stats.pattern_stability import PatternRule, pattern_stability_in
from eatlas.stats.resampling import streams_of
from eatlas.stats.weighted import Design

RULE = PatternRule()


def bootstrap_effects(
    cosines, n_x, n_a, *, rng, over="targets", resamples=10_000, level=0.95, ddof=1
):
    how = {"over": over, "resamples": resamples, "level": level, "ddof": ddof}
    return bootstrap_layout(Design(cosines, n_x, n_a), streams=streams_of(rng), **how)[0]


def influence(cosines, n_x, n_a, *, ddof=1):
    return influence_in(Design(cosines, n_x, n_a), ddof=ddof)


def pattern_stability(cosines, n_x, n_a, *, rng, over="both", resamples=10_000, rule=RULE):
    streams = streams_of(rng)
    aside = np.random.default_rng(rng.integers(0, 2**32, size=4))
    how = {"over": over, "resamples": resamples, "rule": rule}
    return pattern_stability_in(Design(cosines, n_x, n_a), streams=streams, aside=aside, **how)
