"""Effect sizes of many draws of contexts, and what they say together.

An association of every unit in every draw is all that is needed, however it was found.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SignatureError, UndefinedWarning
from eatlas.kernels import Drawn
from eatlas.measures.base import AssociationMeasure, Input
from eatlas.measures.p_values import of_spread, remarks, to_record
from eatlas.measures.patterns import label_of, pattern_of, pattern_shares
from eatlas.notes import Note
from eatlas.results.levels import (
    CELLS,
    AttributeScores,
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
from eatlas.stats.bootstrap import PatternRule
from eatlas.stats.designs import Judge
from eatlas.stats.draws import Components, DrawEffects, draw_effects, random_effects
from eatlas.stats.effect_size import borenstein_variance, union_variance
from eatlas.stats.inputs import relative_tolerance
from eatlas.stats.permutation import DRAWING, DRAWS
from eatlas.stats.permutation.problem import SMALLEST
from eatlas.stimuli import ROLES

Array = NDArray[np.float64]
Sizes = tuple[int, int, int, int]
"""Units of X, Y, A and B."""

QUANTILES = (0.025, 0.25, 0.5, 0.75, 0.975)
DEGENERATE = 4
"""Units of a group up to which draws with (nearly) the largest effect size are frequent."""
KEPT = 2_000
"""Draws whose effect sizes a result keeps: a cloud of more is no clearer, and 2,000 are 60 kB."""
PLACES = {label: str(place) for place, label in enumerate(get_args(Label))}
"""The digit of each EAT pattern."""
CELL_SINGLES = 20_000
"""Single associations behind the standard deviation and the quantiles of a cell of level 3."""
SHARED = Note("draws.shared")
"""A note on every result."""


@dataclass(frozen=True)
class DrawnLevel:
    """One differential association in every draw."""

    place: str
    """Where it stands in the record."""
    scores: Array
    """Associations of its units, shape (draws, units)."""
    n: tuple[int, int]
    """Units of its two groups."""
    effects: DrawEffects
    magnitude: float = 1.0
    """Magnitude of what was summed into a score, 1 for cosines."""
    precision: float | None = None
    """Unit roundoff of what was summed; None where that is exact."""

    @classmethod
    def of(
        cls,
        place: str,
        scores: Array,
        n: tuple[int, int],
        ddof: int,
        magnitude: float = 1.0,
        precision: float | None = None,
    ) -> DrawnLevel:
        """Find the effect size of every draw."""
        found = draw_effects(scores, n[0], ddof=ddof, scale=magnitude, precision=precision)
        return cls(place, scores, n, found, magnitude, precision)


def levels_of(
    drawn: Drawn,
    sizes: tuple[int, int, int, int],
    ddof: int,
    magnitude: float = 1.0,
    precision: float | None = None,
) -> tuple[DrawnLevel, DrawnLevel, DrawnLevel]:
    """Level 1, level 2 of X and level 2 of Y."""
    targets, attributes = sizes[:2], sizes[2:]
    how = ddof, magnitude, precision
    return (
        DrawnLevel.of("level1", drawn.targets, targets, *how),
        DrawnLevel.of("level2.X", drawn.attributes[:, 0], attributes, *how),
        DrawnLevel.of("level2.Y", drawn.attributes[:, 1], attributes, *how),
    )


@dataclass(frozen=True)
class Drawing:
    """How contexts are drawn, and how effect sizes of draws are combined."""

    n: int
    """Draws."""
    replace: Replace
    model: Model
    """Estimator of the variance between draws."""
    variance: Variance
    """Sampling variance of an effect size in the random-effects model."""
    ddof: int

    def combined(self, found: DrawEffects, n: tuple[int, int]) -> CombinedEffect | None:
        """Combine the draws that have a variance; None for fewer than two, and of two units."""
        if sum(n) < 3:
            return None
        usable = found.defined
        v = np.full(found.d.shape, np.nan)
        v[usable] = self.variances(found.d[usable], found.sd[usable], n)
        # without any spread within groups a draw has no sampling error that could be weighed
        usable &= v > 0
        if usable.sum() < 2:
            return None
        with warnings.catch_warnings():
            # of two draws: they have no prediction interval, which the record says
            warnings.simplefilter("ignore", UndefinedWarning)
            pooled = random_effects(found.d[usable], v[usable], method=self.model.upper())
        ends = pooled.prediction_low, pooled.prediction_high
        upper, lower = (max(math.erfc(s * pooled.z / math.sqrt(2)) / 2, SMALLEST) for s in (1, -1))
        return CombinedEffect(
            draws=pooled.k,
            effect_size=pooled.mean,
            se=pooled.se,
            interval=(pooled.low, pooled.high),
            z=pooled.z,
            p=NormalP(greater=upper, less=lower, two_sided=pooled.p),
            tau2=pooled.tau2,
            q=pooled.q,
            i2=pooled.i2,
            prediction=ends if all(map(math.isfinite, ends)) else None,
        )

    def variances(self, d: Array, sd: Array, n: tuple[int, int]) -> Array:
        """What stands for the sampling variance of each draw.

        By default one number for all draws: a variance that is a function of a draw's own d would
        weigh large effects more, and the combined effect would exceed their mean.
        """
        if self.variance == "common":
            own = union_variance(d, *n, ddof=self.ddof)
            return np.full(d.shape, own.mean() if d.size else 0.0)
        if self.variance == "union":
            return union_variance(d, *n, ddof=self.ddof)
        if self.variance == "borenstein":
            return borenstein_variance(d, *n)
        return np.asarray(sd**2)

    def over_draws(self, level: DrawnLevel, parts: Components | None) -> OverDraws:
        """Everything that is kept of one effect size."""
        found = level.effects
        d = found.d[found.defined]
        return OverDraws(
            undefined=int(len(found.d) - d.size),
            sd=float(d.std(ddof=1)) if d.size > 1 else None,
            quantiles=np.quantile(d, QUANTILES).tolist() if d.size else None,
            combined=self.combined(found, level.n),
            shares=parts and shares(parts, level.magnitude, level.precision),
        )


def shares(
    parts: Components, magnitude: float = 1.0, precision: float | None = None
) -> VarianceShares | None:
    """Shares of the variance components; None where there is no variance."""
    within = None if math.isnan(parts.within) else parts.within
    whole = (within or 0.0) + parts.units + parts.groups
    # rounding makes no variance
    if whole <= (relative_tolerance(precision) * magnitude) ** 2:
        return None
    return VarianceShares(
        variance=whole,
        contexts=None if within is None else within / whole,
        stimuli=parts.units / whole,
        groups=parts.groups / whole,
    )


def require_draws_of_labels(measure: AssociationMeasure) -> None:
    """Refuse a number of random relabellings where none are drawn: draws of contexts are meant."""
    if measure.draws != DRAWS and measure.p not in DRAWING and not measure.studentised:
        raise SignatureError(
            f"{measure.name}: draws counts relabellings where p is sampled",
            got=f"draws={measure.draws}, p={measure.p}",
            allowed=f"n for draws of contexts or sentences: {measure.name}(n={measure.draws})",
        )


def drawn_fields(
    measure: AssociationMeasure,
    rule: PatternRule,
    drawing: Drawing,
    levels: Sequence[DrawnLevel],
    parts: Sequence[Components | None],
    notes: list[Note],
    given: Input,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Fields of a :class:`eatlas.results.DrawnResult`, and those of its draws.

    `levels` are level 1, level 2 of X and level 2 of Y; `parts` where their variance lies.
    """
    level1, x, y = (drawn_level(measure, one, notes, given.rng) for one in levels)
    over = [drawing.over_draws(*pair) for pair in zip(levels, parts, strict=True)]
    notes.extend(_favoured(drawing.variance, (level.n for level in levels)))
    # the seed of the run, so that another alpha, estimator or source sees the same draws
    shares, error, kept = _patterns(rule, levels[1:], np.random.default_rng(given.seed))
    level2 = Level2(X=x, Y=y)
    draws = {
        "count": drawing.n,
        "replace": drawing.replace,
        "model": drawing.model,
        "variance": drawing.variance,
        "level1": over[0],
        "level2": Level2OverDraws(X=over[1], Y=over[2]),
        "patterns": shares,
        "p_error": error,
        "kept_patterns": kept,
        "kept": _kept(np.stack([one.effects.d for one in levels], axis=1)),
    }
    return {"level1": level1, "level2": level2, "pattern": pattern_of(level2, rule)}, draws


def drawn_level(
    measure: AssociationMeasure, one: DrawnLevel, notes: list[Note], rng: np.random.Generator
) -> Level:
    """Find the mean effect over draws and its permutation p-values."""
    found = one.effects
    p = to_record(measure.relabelled(found.scores, one.n[0], rng, found.scale, one.precision))
    draws, lost = len(found.defined), int((~found.defined).sum())
    if lost:
        notes.append(Note("undefined.draws", one.place, {"count": lost, "of": draws}))
    if lost < draws:
        notes.extend(remarks(p, one.place, one.n, measure.alpha))
        if not measure.studentised:
            means, first = found.scores, one.n[0]
            notes.extend(of_spread(means[:first], means[first:], one.place))
    return Level(
        effect_size=None if lost == draws else found.mean,
        difference=float(found.difference.mean()),
        n=one.n,
        p=p,
    )


def _favoured(variance: Variance, sizes: Iterable[tuple[int, int]]) -> Iterator[Note]:
    """Say where a variance that depends on d gives a few draws nearly all of the weight."""
    least = min(min(n) for n in sizes)
    if variance == "union" and least <= DEGENERATE:
        yield Note("draws.union", values={"least": least})


def _patterns(
    rule: PatternRule, level2: Sequence[DrawnLevel], rng: np.random.Generator
) -> tuple[dict[str, float], float, str]:
    """Shares of the patterns of the draws, the error of a p near alpha, digits of the first."""
    (n_a, n_b), draws = level2[0].n, len(level2[0].scores)
    two_sided = rule.tail == "two-sided"
    judge = Judge(n_a + n_b, n_a, rule.alpha, two_sided=two_sided, samples=draws, rng=rng)
    x, y = (
        judge.associations(one.scores, one.effects.d, rule.threshold, one.magnitude, one.precision)
        for one in level2
    )
    signs = zip(x[:KEPT].tolist(), y[:KEPT].tolist(), strict=True)
    kept = "".join(PLACES[label_of(*pair)] for pair in signs)
    return pattern_shares(x, y), judge.error, kept


def _kept(d: Array) -> list[list[float | None]]:
    """Effect sizes of the first draws, a row each; undefined is None."""
    rows = np.round(d[:KEPT], 4).tolist()
    return [[None if math.isnan(value) else value for value in row] for row in rows]


def first_draws(sizes: Sizes) -> int:
    """How many draws have their single associations looked at, for level 3."""
    return max(1, CELL_SINGLES // (max(sizes[:2]) * max(sizes[2:])))


def level3_of(singles: Array, cells: Array, sizes: Sizes) -> Level3:
    """Mean associations over all draws; spread of single ones in the first of them."""
    x, _, a, _ = sizes
    each = slice(x), slice(x, None), slice(a), slice(a, None)
    places = dict(zip(ROLES, each, strict=True))
    parts: dict[str, Cell] = {}
    for i, name in enumerate(CELLS):
        block = singles[:, places[name[0]], places[name[1]]]
        parts[name] = Cell(
            mean=float(cells[:, i].mean()),
            sd=float(block.std(ddof=1)),
            n=block.size,
            quantiles=np.quantile(block, [0, 0.25, 0.5, 0.75, 1]).tolist(),
        )
    return Level3(**parts)


def mean_scores(s: Array, u: Array, sizes: Sizes) -> Scores:
    """Mean associations of units over draws: of targets, and of attributes with X and with Y."""
    n_x, n_a = sizes[0], sizes[2]
    with_x, with_y = (AttributeScores(A=one[:n_a].tolist(), B=one[n_a:].tolist()) for one in u)
    return Scores(
        X=s[:n_x].tolist(),
        Y=s[n_x:].tolist(),
        attributes_with_X=with_x,
        attributes_with_Y=with_y,
    )
