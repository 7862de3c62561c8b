"""Effect sizes of many draws of contexts, and what they say together.

An association of every unit in every draw is all that is needed, however it was found.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SignatureError, UndefinedWarning
from eatlas.kernels import Drawn
from eatlas.measures.association import AssociationMeasure, PatternMeasure
from eatlas.measures.base import Input, parameter, whole
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
class DrawnMeasure(PatternMeasure):
    """A measure over draws of contexts or of sentences.

    Parameters
    ----------
    n, variance, replace
        As in :class:`eatlas.CEAT`.
    """

    _: KW_ONLY
    n: int = parameter(10_000, whole(2))
    variance: Variance = parameter("common", Variance)
    replace: Replace = parameter("auto", Replace)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.draws != DRAWS and self.p not in DRAWING and not self.studentised:
            raise SignatureError(
                f"{self.name}: draws counts relabellings where p is sampled",
                got=f"draws={self.draws}, p={self.p}",
                allowed=f"n for draws of contexts or sentences: {self.name}(n={self.draws})",
            )


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


def levels_of(drawn: Drawn, sizes: Sizes, ddof: int, given: Input) -> list[DrawnLevel]:
    """Level 1, level 2 of X and level 2 of Y."""
    how = ddof, given.magnitude, given.precision
    x, y = drawn.attributes[:, 0], drawn.attributes[:, 1]
    return [
        DrawnLevel.of("level1", drawn.targets, sizes[:2], *how),
        DrawnLevel.of("level2.X", x, sizes[2:], *how),
        DrawnLevel.of("level2.Y", y, sizes[2:], *how),
    ]


def combined(
    level: DrawnLevel, model: Model, variance: Variance, ddof: int
) -> CombinedEffect | None:
    """Combine the draws that have a variance; None for fewer than two, and of two units.

    By default one variance serves all draws: one that is a function of a draw's own d would weigh
    large effects more, and the combined effect would exceed their mean.
    """
    effects, n = level.effects, level.n
    if sum(n) < 3:
        return None
    d, sd = effects.d[effects.defined], effects.sd[effects.defined]
    v = union_variance(d, *n, ddof=ddof)
    if variance == "common":
        v = np.full(d.shape, v.mean() if d.size else 0.0)
    elif variance == "borenstein":
        v = borenstein_variance(d, *n)
    elif variance == "ceat":
        v = np.asarray(sd**2)
    # without any spread within groups a draw has no sampling error that could be weighed
    weighed = v > 0
    if weighed.sum() < 2:
        return None
    with warnings.catch_warnings():
        # of two draws: they have no prediction interval, which the record says
        warnings.simplefilter("ignore", UndefinedWarning)
        pooled = random_effects(d[weighed], v[weighed], method=model.upper())
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


def over_draws(
    level: DrawnLevel, parts: Components | None, model: Model, variance: Variance, ddof: int
) -> OverDraws:
    """Everything that is kept of one effect size."""
    d = level.effects.d[level.effects.defined]
    return OverDraws(
        undefined=int(len(level.effects.d) - d.size),
        sd=float(d.std(ddof=1)) if d.size > 1 else None,
        quantiles=np.quantile(d, QUANTILES).tolist() if d.size else None,
        combined=combined(level, model, variance, ddof),
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


def drawn_fields(
    measure: DrawnMeasure,
    model: Model,
    levels: Sequence[DrawnLevel],
    parts: Sequence[Components | None],
    notes: list[Note],
    given: Input,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Fields of a :class:`eatlas.results.DrawnResult`, and those of its draws.

    `levels` are level 1, level 2 of X and level 2 of Y; `parts` where their variance lies.
    """
    level1, x, y = (drawn_level(measure, level, notes, given) for level in levels)
    how = model, measure.variance, measure.ddof
    over = [over_draws(level, part, *how) for level, part in zip(levels, parts, strict=True)]
    least = min(min(level.n) for level in levels)
    if measure.variance == "union" and least <= DEGENERATE:
        # a variance that depends on d gives a few draws nearly all of the weight
        notes.append(Note("draws.union", values={"least": least}))
    # the seed of the run, so that another alpha, estimator or source sees the same draws
    rule, rng = measure.rule, np.random.default_rng(given.seed)
    (n_a, n_b), two_sided = levels[1].n, rule.tail == "two-sided"
    judge = Judge(
        n_a + n_b, n_a, rule.alpha, two_sided=two_sided, samples=len(levels[1].scores), rng=rng
    )
    signs = [
        judge.associations(
            each.scores, each.effects.d, rule.threshold, each.magnitude, each.precision
        )
        for each in levels[1:]
    ]
    first = zip(*(some[:KEPT].tolist() for some in signs), strict=True)
    rows = np.round(np.stack([level.effects.d for level in levels], axis=1)[:KEPT], 4).tolist()
    level2 = Level2(X=x, Y=y)
    draws = {
        "count": measure.n,
        "replace": measure.replace,
        "model": model,
        "variance": measure.variance,
        "level1": over[0],
        "level2": Level2OverDraws(X=over[1], Y=over[2]),
        "patterns": pattern_shares(*signs),
        "p_error": judge.error,
        "kept_patterns": "".join(PLACES[label_of(*pair)] for pair in first),
        "kept": [[None if math.isnan(value) else value for value in row] for row in rows],
    }
    return {"level1": level1, "level2": level2, "pattern": pattern_of(level2, rule)}, draws


def drawn_level(
    measure: AssociationMeasure, level: DrawnLevel, notes: list[Note], given: Input
) -> Level:
    """Find the mean effect over draws and its permutation p-values."""
    effects, n = level.effects, level.n
    p = to_record(measure.relabelled(effects.scores, n[0], given, effects.scale))
    draws, lost = len(effects.defined), int((~effects.defined).sum())
    if lost:
        notes.append(Note("undefined.draws", level.place, {"count": lost, "of": draws}))
    if lost < draws:
        notes.extend(remarks(p, level.place, n, measure.alpha))
        if not measure.studentised:
            means = effects.scores
            notes.extend(of_spread(means[: n[0]], means[n[0] :], level.place))
    return Level(
        effect_size=None if lost == draws else effects.mean,
        difference=float(effects.difference.mean()),
        n=n,
        p=p,
    )


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
    with_x, with_y = (
        AttributeScores(A=scores[:n_a].tolist(), B=scores[n_a:].tolist()) for scores in u
    )
    return Scores(
        X=s[:n_x].tolist(),
        Y=s[n_x:].tolist(),
        attributes_with_X=with_x,
        attributes_with_Y=with_y,
    )
