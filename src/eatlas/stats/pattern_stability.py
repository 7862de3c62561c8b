"""How often each EAT pattern would come back with other stimuli from where these came."""

from __future__ import annotations

import copy
import math
import warnings
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eatlas.errors import EatlasError, UndefinedWarning
from eatlas.stats.inputs import generator, numbers, whole
from eatlas.stats.judging import Judge
from eatlas.stats.resampling import Over, draw, fewest
from eatlas.stats.weighted import Array, Design, Level, design, effects

TailRule = Literal["directional", "two-sided"]
"""Which p decides: that of the tail of the observed sign, or of both."""

ASSOCIATIONS = (1, 0, -1)
"""With A, with neither, with B: the order of rows and columns of the shares."""


@dataclass(frozen=True)
class PatternStability:
    """Shares of the nine pairs of associations, one pair for each EAT pattern."""

    counts: tuple[tuple[int, int, int], ...]
    """``counts[i][j]``: resamples with X associated as ``ASSOCIATIONS[i]`` and Y as
    ``ASSOCIATIONS[j]``."""
    over: Over
    """Which stimuli were resampled."""
    resamples: int
    """Resamples drawn."""
    undefined: tuple[int, int]
    """Resamples in which X, and Y, has no effect size; they count as associated with neither."""
    p_error: float
    """Standard error of a p-value near alpha, 0 where relabellings were enumerated."""

    def share(self, x: int, y: int) -> float:
        """Share of resamples with one pattern.

        Parameters
        ----------
        x, y : {1, 0, -1}
            X, and Y, is associated with A, with neither, with B.

        Examples
        --------
        >>> counts = ((0, 10, 60), (0, 30, 0), (0, 0, 0))
        >>> PatternStability(counts, "targets", 100, (0, 0), 0.0).share(1, -1)  # AB-Divergent
        0.6
        """
        return self.counts[_place(x, "x")][_place(y, "y")] / self.resamples

    def error(self, x: int, y: int) -> float:
        """Standard error of a share due to the number of resamples."""
        share = self.share(x, y)
        return math.sqrt(share * (1 - share) / self.resamples)

    @property
    def x(self) -> tuple[float, ...]:
        """Shares of X with A, with neither, with B."""
        return tuple(sum(row) / self.resamples for row in self.counts)

    @property
    def y(self) -> tuple[float, ...]:
        """Shares of Y with A, with neither, with B."""
        return tuple(sum(column) / self.resamples for column in zip(*self.counts, strict=True))


@dataclass(frozen=True)
class PatternRule:
    """When a target group counts as associated with an attribute group.

    Parameters
    ----------
    alpha : float
        It needs p < alpha, in (0, 1).
    threshold : float
        And ``abs(d) > threshold``, 0 or more.
    tail : {"directional", "two-sided"}
        Which p decides: that of the tail of the observed sign, or the two-sided one.
    ddof : {1, 0}
        The standard deviation in d divides by N - ddof.

    Raises
    ------
    EatlasError
        For a value outside these ranges.

    Examples
    --------
    >>> PatternRule(tail="two-sided")
    PatternRule(alpha=0.05, threshold=0.2, tail='two-sided', ddof=1)
    """

    alpha: float = 0.05
    threshold: float = 0.2
    tail: TailRule = "directional"
    ddof: int = 1

    def __post_init__(self) -> None:
        if not 0 < numbers(self.alpha, "alpha", 0) < 1:
            raise EatlasError(
                "alpha must be a probability", got=repr(self.alpha), allowed="above 0 and below 1"
            )
        if not numbers(self.threshold, "threshold", 0) >= 0:
            raise EatlasError(
                "threshold must be a magnitude of d", got=repr(self.threshold), allowed="0 or more"
            )
        if self.tail not in get_args(TailRule):
            raise EatlasError(
                "tail must say which relabellings count as extreme",
                got=repr(self.tail),
                allowed=", ".join(get_args(TailRule)),
            )
        whole(self.ddof, "ddof", 0, 1)


DEFAULT_RULE = PatternRule()
"""The rule of the published tables."""


def pattern_stability(
    cosines: ArrayLike,
    n_x: int,
    n_a: int,
    *,
    rng: np.random.Generator,
    over: Over = "both",
    resamples: int = 10_000,
    rule: PatternRule = DEFAULT_RULE,
) -> PatternStability:
    """Resample the stimuli of a test and count which EAT patterns they make.

    Parameters
    ----------
    cosines : array_like, shape (n_targets, n_attributes)
        Rows X then Y, columns A then B; 2 attributes in each group, and 2 targets where they are
        resampled.
    n_x, n_a : int
        Rows of X, columns of A.
    rng : numpy.random.Generator
        Draws the resamples. Those of `bootstrap_effects` are the same for the same state.
    over : {"targets", "attributes", "both"}
        Which stimuli are a sample of what they stand for.
    resamples : int
        1 or more.
    rule : PatternRule
        When a target group counts as associated.

    Returns
    -------
    PatternStability

    Raises
    ------
    EatlasError
        For input outside these ranges.

    Warns
    -----
    UndefinedWarning
        When attributes of a resample have no spread.

    Notes
    -----
    A resample stands for the lists that another study would have drawn, and is treated as that
    study would treat them: an attribute drawn twice stands for two attributes that happen to
    score alike, and all N of them are relabelled. The page on uncertainty says what follows.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> block = rng.normal(size=(12, 12))
    >>> block[:6, :6] += 3  # X with A, and Y with nothing
    >>> found = pattern_stability(block, 6, 6, rng=rng, resamples=500)
    >>> found.x[0] > 0.95, round(sum(found.y), 6)
    (True, 1.0)
    """
    test = design(cosines, n_x, n_a, {**fewest(over), **dict.fromkeys("AB", 2)})
    return pattern_stability_in(test, rng=rng, over=over, resamples=resamples, rule=rule)


def pattern_stability_in(
    test: Design, *, rng: np.random.Generator, over: Over, resamples: int, rule: PatternRule
) -> PatternStability:
    """As :func:`pattern_stability`, of a design with 2 units in every group that needs them."""
    count, rng = whole(resamples, "resamples", 1), generator(rng)
    decide = _Decisions(rule, test.block.shape[1], test.n_a, count, _aside(rng))
    table, undefined = np.zeros((3, 3), dtype=np.int64), [0, 0]
    for weights in draw(test, over, count, rng):
        signs = []
        for i, pair in enumerate(test.sides(weights)[1:]):
            sign, lost = decide.associations(test.levels[1 + i], *pair)
            signs.append(sign)
            undefined[i] += lost
        np.add.at(table, tuple(1 - sign for sign in signs), 1)
    _warn(undefined, count)
    return PatternStability(
        counts=tuple((row[0], row[1], row[2]) for row in table.tolist()),
        over=over,
        resamples=count,
        undefined=(undefined[0], undefined[1]),
        p_error=decide.judge.error,
    )


class _Decisions:
    """Which associations a rule finds in resamples of a test with so many attributes."""

    def __init__(
        self, rule: PatternRule, size: int, n: int, resamples: int, rng: np.random.Generator
    ) -> None:
        self.rule, self.size = rule, size
        two_sided = rule.tail == "two-sided"
        self.judge = Judge(size, n, rule.alpha, two_sided=two_sided, samples=resamples, rng=rng)

    def associations(
        self, level: Level, units: Array, others: Array
    ) -> tuple[NDArray[np.int64], int]:
        """1, 0 or -1 for each set of weights, and how many have no effect size."""
        found = effects(level, units, others, self.rule.ddof)
        strong = np.flatnonzero(np.abs(found.d) > self.rule.threshold)
        sign = np.sign(found.d[strong])
        # where one side is not resampled, one row of scores or of weights stands for all
        scores, counts = (
            np.broadcast_to(side, (found.d.size, self.size))[strong]
            for side in (found.scores, units)
        )
        rows = sign[:, None] * _copies(scores, counts)
        signs = np.zeros(found.d.size, dtype=np.int64)
        signs[strong] = np.where(
            self.judge.significant(rows, float(np.abs(level.block).max())), sign, 0
        )
        return signs, int(np.isnan(found.d).sum())


def _copies(scores: Array, counts: Array) -> Array:
    """Each score as often as it counts, shape (samples, N)."""
    return np.repeat(scores.ravel(), counts.astype(np.int64).ravel()).reshape(scores.shape)


def _aside(rng: np.random.Generator) -> np.random.Generator:
    """Another stream that depends on `rng` and leaves it where it is.

    The resamples must be those of the intervals, so relabellings may not be drawn before them;
    and they are needed with the first resample, so they cannot be drawn after.
    """
    return np.random.default_rng(copy.deepcopy(rng).integers(0, 2**32, size=4))


def _place(association: int, name: str) -> int:
    if association not in ASSOCIATIONS:
        raise EatlasError(
            f"{name} must be an association",
            got=repr(association),
            allowed="1 (with A), 0 (with neither), -1 (with B)",
        )
    return ASSOCIATIONS.index(association)


def _warn(undefined: list[int], count: int) -> None:
    notes = [
        f"level 2 of {role}: {lost} of {count} resamples have no spread and count as neither"
        for role, lost in zip("XY", undefined, strict=True)
        if lost
    ]
    if notes:
        warnings.warn("; ".join(notes), UndefinedWarning, stacklevel=4)
