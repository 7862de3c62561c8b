"""Association tests over samples of any kind: of contexts, or of sentences of pairs.

An association of every unit in every sample is all that is needed, however it was found.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

import numpy as np

from eatlas.kernels.draws import Drawn
from eatlas.measures.association import PatternMeasure, of_spread, remarks, to_record
from eatlas.measures.base import Array, Input
from eatlas.measures.levels import QUANTILES as QUARTILES
from eatlas.measures.levels import scores_to_store
from eatlas.measures.patterns import LABELS, pattern_of, pattern_shares
from eatlas.notes import Note
from eatlas.results.levels import (
    CELLS,
    Cell,
    CombinedEffect,
    Label,
    Level,
    Level2,
    Level2OverDraws,
    Level3,
    Model,
    NormalP,
    OverDraws,
    Replace,
    Scores,
    Variance,
    VarianceShares,
)
from eatlas.stats.designs import Judge
from eatlas.stats.effect_size import (
    Components,
    DrawEffects,
    draw_effects,
    random_effects,
    union_variance,
)
from eatlas.stats.inputs import relative_tolerance
from eatlas.stats.permutation.problem import normal_tails

Sizes = tuple[int, int, int, int]
"""Units of X, Y, A and B."""

QUANTILES = (0.025, 0.25, 0.5, 0.75, 0.975)
KEPT = 2_000
"""Draws whose effect sizes a result keeps: a cloud of more is no clearer, and 2,000 are 60 kB."""
DIGITS = {label: str(place) for place, label in enumerate(get_args(Label))}
"""Of each EAT pattern."""
CELL_SINGLES = 20_000
"""Single associations behind the standard deviation and the quantiles of a cell of level 3."""
SHARED = Note("samples.shared")
"""A note on every result."""


@dataclass(frozen=True)
class Draws:
    """How draws are made and combined, and the measure of each."""

    measure: PatternMeasure
    n: int
    estimator: Model
    """Of the variance between draws."""
    variance: Variance
    replace: Replace


def over_draws(
    draws: Draws,
    place: str,
    scores: Array,
    n: tuple[int, int],
    parts: Components | None,
    notes: list[Note],
    given: Input,
) -> tuple[Level, OverDraws, Array]:
    """One effect size over samples: its mean with p-values, a summary, and d of each sample.

    `scores` are the associations of its units in every sample, `n` the units of its two groups, and
    `parts` where the variance of the associations lies; None for fewer than three units.
    """
    magnitude, precision = given.magnitude, given.precision
    effects = draw_effects(
        scores, n[0], ddof=draws.measure.ddof, scale=magnitude, precision=precision
    )
    given.drawn[place] = effects
    d = effects.d[effects.is_defined]
    p = to_record(draws.measure.permutation_test(effects.scores, n[0], given, effects.scale))
    lost = effects.d.size - d.size
    if lost:
        notes.append(Note("undefined.samples", place, {"count": lost, "of": effects.d.size}))
    if d.size:
        notes.extend(remarks(p, place, n, draws.measure.alpha))
        if draws.measure.statistic == "difference":
            notes.extend(of_spread(effects.scores[: n[0]], effects.scores[n[0] :], place))
    level = Level(
        effect_size=effects.mean if d.size else None,
        difference=float(effects.difference.mean()),
        n=n,
        p=p,
    )
    over = OverDraws(
        undefined=lost,
        sd=float(d.std(ddof=1)) if d.size > 1 else None,
        quantiles=np.quantile(d, QUANTILES).tolist() if d.size else None,
        combined=combine_draws(draws, effects, n),
        published=combine_draws(replace(draws, estimator="dl", variance="ceat"), effects, n),
        shares=parts and shares(parts, magnitude, precision),
    )
    return level, over, effects.d


def combine_draws(draws: Draws, effects: DrawEffects, n: tuple[int, int]) -> CombinedEffect | None:
    """Combine the samples that have a variance; None for fewer than two, and of two units.

    By default one variance serves all samples: one that is a function of a draw's own d would weigh
    large effects more, and the combined effect would exceed their mean.
    """
    d, sd = effects.d[effects.is_defined], effects.sd[effects.is_defined]
    if sum(n) < 3 or not d.size:
        return None
    v = np.asarray(sd**2)
    if draws.variance == "common":
        v = np.full(d.shape, union_variance(d, *n, ddof=draws.measure.ddof).mean())
    # without any spread within groups a draw has no sampling error that could be weighed
    weighed = v > 0
    if weighed.sum() < 2:
        return None
    pooled = random_effects(d[weighed], v[weighed], method=draws.estimator)
    z = pooled["effect_size"] / pooled["se"]
    greater, less, two_sided = normal_tails(z)
    p = NormalP(greater=greater, less=less, two_sided=two_sided)
    return CombinedEffect(samples=int(weighed.sum()), z=z, p=p, **pooled)


def shares(
    parts: Components, magnitude: float = 1.0, precision: float | None = None
) -> VarianceShares | None:
    """Proportions of the variance components; None where there is no variance."""
    between_scores, units, groups = parts
    within = None if math.isnan(between_scores) else between_scores
    whole = (within or 0.0) + units + groups
    # rounding makes no variance
    if whole <= (relative_tolerance(precision) * magnitude) ** 2:
        return None
    return VarianceShares(
        variance=whole,
        contexts=None if within is None else within / whole,
        stimuli=units / whole,
        groups=groups / whole,
    )


def fields_of_draws(
    draws: Draws,
    drawn: Drawn,
    sizes: Sizes,
    parts: Sequence[Components | None],
    notes: list[Note],
    given: Input,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Fields of a result that has draws, and those of its draws.

    `parts` say where the variance of level 1, level 2 of X and level 2 of Y lies.
    """
    of_attributes = drawn.attributes[:, 0], drawn.attributes[:, 1]
    columns = {"level1": drawn.targets, "level2.X": of_attributes[0], "level2.Y": of_attributes[1]}
    groups = sizes[:2], sizes[2:], sizes[2:]
    (level1, of_1, d), (x, of_x, d_x), (y, of_y, d_y) = (
        over_draws(draws, place, scores, n, part, notes, given)
        for (place, scores), n, part in zip(columns.items(), groups, parts, strict=True)
    )
    # the seed of the run, so that another alpha, estimator or source sees the same samples
    rule, rng = draws.measure.rule, np.random.default_rng(given.seed)
    (n_a, n_b), two_sided = sizes[2:], rule.tail == "two-sided"
    judge = Judge(n_a + n_b, n_a, rule.alpha, two_sided=two_sided, samples=draws.n, rng=rng)
    how = rule.threshold, given.magnitude, given.precision
    signs = [
        judge.associations(scores, effects, *how)
        for scores, effects in zip(of_attributes, (d_x, d_y), strict=True)
    ]
    first = zip(*(some[:KEPT].tolist() for some in signs), strict=True)
    rows = np.round(np.stack([d, d_x, d_y], axis=1)[:KEPT], 4).tolist()
    level2 = Level2(X=x, Y=y)
    about = {
        "count": draws.n,
        "replace": draws.replace,
        "model": draws.estimator,
        "variance": draws.variance,
        "level1": of_1,
        "level2": Level2OverDraws(X=of_x, Y=of_y),
        "patterns": pattern_shares(*signs),
        "p_error": judge.error,
        "kept_patterns": "".join(DIGITS[LABELS[pair]] for pair in first),
        "kept": [[None if math.isnan(value) else value for value in row] for row in rows],
    }
    return {"level1": level1, "level2": level2, "pattern": pattern_of(level2, rule)}, about


def first_draws(sizes: Sizes) -> int:
    """How many draws have their single associations looked at, for level 3."""
    return max(1, CELL_SINGLES // (max(sizes[:2]) * max(sizes[2:])))


def level3_of(singles: Array, cells: Array, sizes: Sizes) -> Level3:
    """Mean associations over all samples; spread of single ones in the first of them."""
    x, _, a, _ = sizes
    parts: dict[str, Cell] = {}
    for i, name in enumerate(CELLS):
        targets = slice(x) if name[0] == "X" else slice(x, None)
        attributes = slice(a) if name[1] == "A" else slice(a, None)
        block = singles[:, targets, attributes]
        parts[name] = Cell(
            mean=float(cells[:, i].mean()),
            sd=float(block.std(ddof=1)),
            n=block.size,
            quantiles=np.quantile(block, QUARTILES).tolist(),
        )
    return Level3(**parts)


def mean_scores(s: Array, u: Array, sizes: Sizes) -> Scores:
    """Mean associations of units over draws: of targets, and of attributes with X and with Y."""
    x, _, a, _ = sizes
    of_targets = {
        f"level2.{target}": (row[:a], row[a:]) for target, row in zip("XY", u, strict=True)
    }
    return scores_to_store({"level1": (s[:x], s[x:]), **of_targets})
