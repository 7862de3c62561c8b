"""What measures share that draw contexts: effect sizes of many draws, and what they say together.

An association of every unit in every draw is all that they need, however it was found.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SignatureError
from eatlas.measures.drawn_levels import Combining, DrawnLevel, kept, pattern_shares
from eatlas.measures.p_values import of_spread, remarks, to_record
from eatlas.measures.patterned import PatternMeasure
from eatlas.results.draws import Level2OverDraws, Model, OverDraws, Replace, Variance
from eatlas.results.ml_eat import AttributeScores, Level2, Level3, Scores
from eatlas.results.parts import Cell, Level
from eatlas.stats.draws import Components
from eatlas.stats.permutation import DRAWING, DRAWS
from eatlas.stats.rejections import Judge

Array = NDArray[np.float64]
Sizes = tuple[int, int, int, int]
"""Units of X, Y, A and B."""

DEGENERATE = 4
"""Units of a group up to which draws with (nearly) the largest effect size are frequent."""
KEPT = 2_000
"""Draws whose effect sizes a result keeps: a cloud of more is no clearer, and 2,000 are 60 kB."""
CELL_SINGLES = 20_000
"""Single associations behind the standard deviation and the quantiles of a cell of level 3."""
SHARED = (
    "The draws share their stimuli. Q, tau2 and z of the random-effects model take them for "
    "independent, so its p-values mostly measure how many draws were made; the permutation "
    "p-values of levels 1 and 2 do not depend on that."
)
"""A remark on every result."""


@dataclass(frozen=True)
class DrawnMeasure(PatternMeasure):
    """A measure over draws of contexts.

    Parameters
    ----------
    n : int
        Draws of contexts.
    variance : {"common", "union", "borenstein", "ceat"}
        Sampling variance of an effect size in the random-effects model.
    replace : {"auto", "always"}
        Whether contexts are drawn with replacement.
    """

    n: int = field(default=10_000, kw_only=True)
    variance: Variance = field(default="common", kw_only=True)
    replace: Replace = field(default="auto", kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check("n", "a whole number from 2", ok=type(self.n) is int and self.n >= 2)
        self._check_choice("variance", Variance)
        self._check_choice("replace", Replace)
        if self.draws != DRAWS and self.p not in DRAWING and not self.studentised:
            raise SignatureError(
                f"{self.name}: draws counts relabellings where p is sampled or importance",
                got=f"draws={self.draws}, p={self.p}",
                allowed=f"n for draws of contexts or sentences: {self.name}(n={self.draws})",
            )

    @property
    @abstractmethod
    def between(self) -> Model:
        """Estimator of the variance between draws."""

    def drawn_result(
        self,
        levels: Sequence[DrawnLevel],
        parts: Sequence[Components | None],
        notes: list[str],
        rng: np.random.Generator,
        seed: int,
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Fields of a :class:`eatlas.results.DrawnResult`, and those of its draws.

        `levels` are level 1, level 2 of X and level 2 of Y; `parts` where their variance lies.
        `seed` is that of the draws: that of the run, so that another alpha, estimator or source
        sees the same draws.
        """
        level1, x, y = (self.drawn_level(one, notes, rng) for one in levels)
        over = [self.over_draws(*pair) for pair in zip(levels, parts, strict=True)]
        notes.extend(self._favoured(level.n for level in levels))
        shares, error = self._patterns(levels[1:], np.random.default_rng(seed))
        level2 = Level2(X=x, Y=y)
        draws = {
            "count": self.n,
            "replace": self.replace,
            "model": self.between,
            "variance": self.variance,
            "level1": over[0],
            "level2": Level2OverDraws(X=over[1], Y=over[2]),
            "patterns": shares,
            "p_error": error,
            "kept": kept(np.stack([one.effects.d for one in levels], axis=1), KEPT),
        }
        return {"level1": level1, "level2": level2, "pattern": self.pattern(level2)}, draws

    def _favoured(self, sizes: Iterable[tuple[int, int]]) -> Iterator[str]:
        """Say where a variance that depends on d gives a few draws nearly all of the weight."""
        least = min(min(n) for n in sizes)
        if self.variance == "union" and least <= DEGENERATE:
            yield (
                f"variance=union in groups of {least}: draws whose effect size is near the largest "
                "that there can be have a sampling variance near 0, and so nearly all of the "
                "weight in the combined effect size. variance=common weighs all draws alike."
            )

    def over_draws(self, level: DrawnLevel, parts: Components | None) -> OverDraws:
        """What the draws of one effect size say, beside their mean."""
        return Combining(self.between, self.variance, self.ddof).over_draws(level, parts)

    def drawn_level(self, one: DrawnLevel, notes: list[str], rng: np.random.Generator) -> Level:
        """Find the mean effect over draws and its permutation p-values."""
        found = one.effects
        p = to_record(self._permuted(found.scores, one.n[0], rng, found.scale, one.precision))
        lost = int((~found.defined).sum())
        if lost:
            notes.append(
                f"Undefined effect size of {one.what} in {lost} of {self.n} draws: their "
                "associations do not differ; they are left out of its mean and of its p-values."
            )
        if lost < self.n:
            notes.extend(remarks(p, one.what, one.n, self.alpha))
            if not self.studentised:
                means, first = found.scores, one.n[0]
                notes.extend(of_spread(means[:first], means[first:], one.what))
        return Level(
            effect_size=None if lost == self.n else found.mean,
            difference=float(found.difference.mean()),
            n=one.n,
            p=p,
        )

    def _patterns(
        self, level2: Sequence[DrawnLevel], rng: np.random.Generator
    ) -> tuple[dict[str, float], float]:
        """Shares of the patterns of the draws, and the standard error of a p near alpha."""
        n_a, n_b = level2[0].n
        two_sided = self.tail == "two-sided"
        judge = Judge(n_a + n_b, n_a, self.alpha, two_sided=two_sided, samples=self.n, rng=rng)
        x, y = (
            judge.associations(
                one.scores, one.effects.d, self.threshold, one.magnitude, one.precision
            )
            for one in level2
        )
        return pattern_shares(x, y), judge.error


def first_draws(sizes: Sizes) -> int:
    """How many draws have their single associations looked at, for level 3."""
    return max(1, CELL_SINGLES // (max(sizes[:2]) * max(sizes[2:])))


def level3_of(singles: Array, cells: Array, sizes: Sizes) -> Level3:
    """Mean associations over all draws; spread of single ones in the first of them.

    Parameters
    ----------
    singles : array, shape (some draws, targets, attributes)
    cells : array, shape (draws, 4)
    sizes : tuple
    """
    parts: dict[str, Any] = {}
    border, middle = sizes[0], sizes[2]
    for i, (rows, columns) in enumerate(
        (t, a)
        for t in (slice(border), slice(border, None))
        for a in (slice(middle), slice(middle, None))
    ):
        block = singles[:, rows, columns]
        parts[("XA", "XB", "YA", "YB")[i]] = Cell(
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
        AttributeScores(A=one[:n_a].tolist(), B=one[n_a:].tolist()) for one in (u[0], u[1])
    )
    return Scores(
        X=s[:n_x].tolist(),
        Y=s[n_x:].tolist(),
        attributes_with_X=with_x,
        attributes_with_Y=with_y,
    )
