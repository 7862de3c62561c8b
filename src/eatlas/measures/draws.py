"""Effect sizes of many draws of contexts, and what they say together.

An association of every unit in every draw is all that is needed, however it was found.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SignatureError
from eatlas.kernels import Drawn
from eatlas.measures.association import PatternMeasure
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
from eatlas.stats.effect_size import union_variance
from eatlas.stats.inputs import relative_tolerance
from eatlas.stats.permutation import DRAWING, DRAWS
from eatlas.stats.permutation.problem import SMALLEST
from eatlas.stats.random_effects import Components, DrawEffects, draw_effects, random_effects
from eatlas.stimuli import ROLES

Array = NDArray[np.float64]
Sizes = tuple[int, int, int, int]
"""Units of X, Y, A and B."""

QUANTILES = (0.025, 0.25, 0.5, 0.75, 0.975)
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

    @property
    def estimator(self) -> Model:
        """How the variance between draws is estimated."""
        return "dl"

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
    parts: Components | None
    """Where the variance of the associations lies; None for fewer than three units."""

    @classmethod
    def of(
        cls,
        place: str,
        scores: Array,
        n: tuple[int, int],
        parts: Components | None,
        measure: DrawnMeasure,
        given: Input,
    ) -> DrawnLevel:
        """Find the effect size of every draw."""
        how: dict[str, Any] = {"scale": given.magnitude, "precision": given.precision}
        effects = draw_effects(scores, n[0], ddof=measure.ddof, **how)
        return cls(place, scores, n, effects, parts)

    def mean(self, measure: DrawnMeasure, notes: list[Note], given: Input) -> Level:
        """The mean effect over draws and its permutation p-values."""
        effects, n = self.effects, self.n
        p = to_record(measure.relabelled(effects.scores, n[0], given, effects.scale))
        draws, lost = len(effects.defined), int((~effects.defined).sum())
        if lost:
            notes.append(Note("undefined.draws", self.place, {"count": lost, "of": draws}))
        if lost < draws:
            notes.extend(remarks(p, self.place, n, measure.alpha))
            if not measure.studentised:
                first, second = effects.scores[: n[0]], effects.scores[n[0] :]
                notes.extend(of_spread(first, second, self.place))
        return Level(
            effect_size=None if lost == draws else effects.mean,
            difference=float(effects.difference.mean()),
            n=n,
            p=p,
        )

    def over_draws(self, measure: DrawnMeasure, given: Input) -> OverDraws:
        """Everything that is kept of the effect sizes of the draws."""
        d = self.effects.d[self.effects.defined]
        return OverDraws(
            undefined=int(len(self.effects.d) - d.size),
            sd=float(d.std(ddof=1)) if d.size > 1 else None,
            quantiles=np.quantile(d, QUANTILES).tolist() if d.size else None,
            combined=self.combined(measure),
            shares=self.parts and shares(self.parts, given.magnitude, given.precision),
        )

    def combined(self, measure: DrawnMeasure) -> CombinedEffect | None:
        """Combine the draws that have a variance; None for fewer than two, and of two units.

        By default one variance serves all draws: one that is a function of a draw's own d would
        weigh large effects more, and the combined effect would exceed their mean.
        """
        effects, n = self.effects, self.n
        if sum(n) < 3:
            return None
        d, sd = effects.d[effects.defined], effects.sd[effects.defined]
        if measure.variance == "ceat":
            v = np.asarray(sd**2)
        else:
            v = np.full(d.shape, union_variance(d, *n, ddof=measure.ddof).mean() if d.size else 0.0)
        # without any spread within groups a draw has no sampling error that could be weighed
        weighed = v > 0
        if weighed.sum() < 2:
            return None
        pooled = random_effects(d[weighed], v[weighed], method=measure.estimator)
        z = pooled.mean / pooled.se
        tails = [max(math.erfc(x / math.sqrt(2)) / 2, SMALLEST) for x in (z, -z)]
        both = max(math.erfc(abs(z) / math.sqrt(2)), SMALLEST)
        return CombinedEffect(
            draws=int(weighed.sum()),
            effect_size=pooled.mean,
            se=pooled.se,
            interval=pooled.interval,
            z=z,
            p=NormalP(greater=tails[0], less=tails[1], two_sided=both),
            tau2=pooled.tau2,
            q=pooled.q,
            i2=pooled.i2,
            prediction=pooled.prediction,
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
    drawn: Drawn,
    sizes: Sizes,
    parts: Sequence[Components | None],
    notes: list[Note],
    given: Input,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Fields of a :class:`eatlas.results.DrawnResult`, and those of its draws.

    `parts` say where the variance of level 1, level 2 of X and level 2 of Y lies.
    """
    scores: Mapping[str, Array] = {
        "level1": drawn.targets,
        "level2.X": drawn.attributes[:, 0],
        "level2.Y": drawn.attributes[:, 1],
    }
    sides = sizes[:2], sizes[2:], sizes[2:]
    levels = [
        DrawnLevel.of(place, scores[place], n, part, measure, given)
        for place, n, part in zip(scores, sides, parts, strict=True)
    ]
    level1, x, y = (level.mean(measure, notes, given) for level in levels)
    over = [level.over_draws(measure, given) for level in levels]
    # the seed of the run, so that another alpha, estimator or source sees the same draws
    rule, rng = measure.rule, np.random.default_rng(given.seed)
    n_a, n_b = levels[1].n
    judge = Judge(
        n_a + n_b,
        n_a,
        rule.alpha,
        two_sided=rule.tail == "two-sided",
        samples=measure.n,
        rng=rng,
    )
    how = rule.threshold, given.magnitude, given.precision
    signs = [judge.associations(level.scores, level.effects.d, *how) for level in levels[1:]]
    first = zip(*(some[:KEPT].tolist() for some in signs), strict=True)
    rows = np.round(np.stack([level.effects.d for level in levels], axis=1)[:KEPT], 4).tolist()
    level2 = Level2(X=x, Y=y)
    draws = {
        "count": measure.n,
        "replace": measure.replace,
        "model": measure.estimator,
        "variance": measure.variance,
        "level1": over[0],
        "level2": Level2OverDraws(X=over[1], Y=over[2]),
        "patterns": pattern_shares(*signs),
        "p_error": judge.error,
        "kept_patterns": "".join(PLACES[label_of(*pair)] for pair in first),
        "kept": [[None if math.isnan(value) else value for value in row] for row in rows],
    }
    return {"level1": level1, "level2": level2, "pattern": pattern_of(level2, rule)}, draws


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
