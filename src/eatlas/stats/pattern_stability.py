"""How often each EAT pattern is seen among resamples of the stimuli."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import EatlasError, UndefinedWarning
from eatlas.stats.inputs import numbers, whole
from eatlas.stats.rejections import Judge, enumerable
from eatlas.stats.resampling import Over, Streams, draw
from eatlas.stats.weighted import Array, Layout, Scored, Weights

TailRule = Literal["directional", "two-sided"]
"""Which p decides: that of the tail of the observed sign, or of both."""

ASSOCIATIONS = (1, 0, -1)
"""With A, with neither, with B: the order of rows and columns of the shares."""


DECIDED = 2_048
"""Resamples whose p-values are compared with alpha. Of more, the others are judged by d alone, by
limits that judge as many of the first ones associated as their p-values do; the shares are then
corrected by what differs among the first. Of 7 or 8 attributes a group, d alone judged .3% to 2%
otherwise; of 25 a group, .1% to .3%."""
DECIDED_BY_DRAWS = 1_024
"""The same where relabellings are too many to visit each, so that a decision takes longer."""


@dataclass(frozen=True)
class PatternStability:
    """Shares of the nine pairs of associations, one pair for each EAT pattern.

    A share says in how much of the resamples a pattern is seen. It is no probability that a study
    with other stimuli replicates it.
    """

    shares: tuple[tuple[float, float, float], ...]
    """``shares[i][j]``: of the resamples, those with X associated as ``ASSOCIATIONS[i]`` and Y as
    ``ASSOCIATIONS[j]``."""
    errors: tuple[tuple[float, float, float], ...]
    """Monte Carlo standard errors of the shares."""
    over: Over
    """Which stimuli were resampled."""
    resamples: int
    """Resamples drawn."""
    decided: int
    """Of these, the first ones, whose p-values were compared with alpha."""
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
        >>> shares = ((0.0, 0.1, 0.6), (0.0, 0.3, 0.0), (0.0, 0.0, 0.0))
        >>> found = PatternStability(shares, shares, "targets", 100, 100, (0, 0), 0.0)
        >>> found.share(1, -1)  # AB-Divergent
        0.6
        """
        return self.shares[_place(x, "x")][_place(y, "y")]

    def error(self, x: int, y: int) -> float:
        """Standard error of a share due to the number of resamples."""
        return self.errors[_place(x, "x")][_place(y, "y")]

    @property
    def x(self) -> tuple[float, ...]:
        """Shares of X with A, with neither, with B."""
        return tuple(math.fsum(row) for row in self.shares)

    @property
    def y(self) -> tuple[float, ...]:
        """Shares of Y with A, with neither, with B."""
        return tuple(math.fsum(column) for column in zip(*self.shares, strict=True))


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


def pattern_stability_in(
    test: Layout,
    *,
    streams: Streams,
    aside: np.random.Generator,
    over: Over,
    resamples: int,
    rule: PatternRule,
    drawn: tuple[Array, Array] | None = None,
) -> PatternStability:
    """As :func:`pattern_stability`, of a layout with 2 units in every group that needs them."""
    enumerated = enumerable(test.shape[1], test.n_a)
    first = min(resamples, DECIDED if enumerated else DECIDED_BY_DRAWS)
    judged = min(resamples, DECIDED)
    decide = _Decisions(rule, test.shape[1], test.n_a, judged, aside)
    many = resamples if drawn is None else first
    signs, effects_of = decide.all(test, draw(test, over, many, streams), first)
    d = effects_of if drawn is None else drawn
    undefined = int(np.isnan(d[0]).sum()), int(np.isnan(d[1]).sum())
    _warn(undefined, resamples)
    shares, errors = _shares(signs, d)
    return PatternStability(
        shares=_rows(shares),
        errors=_rows(errors),
        over=over,
        resamples=resamples,
        decided=signs[0].size,
        undefined=undefined,
        p_error=decide.judge.error,
    )


Signs = NDArray[np.int64]
"""1 with A, 0 with neither, -1 with B, one a resample."""


def _shares(signs: tuple[Signs, Signs], d: tuple[Array, Array]) -> tuple[Array, Array]:
    """Shares of the nine patterns and their standard errors, both of shape (3, 3)."""
    first, count = signs[0].size, d[0].size
    decided = _table(*signs)
    if first == count:
        share = decided / count
        return share, np.sqrt(share * (1 - share) / count)
    x, y = (_by_effect(*pair) for pair in zip(signs, d, strict=True))
    alike = (x[:first] == signs[0]) & (y[:first] == signs[1])
    # a resample that is judged otherwise leaves one pattern and enters another
    moved = (
        _table(x[:first][~alike], y[:first][~alike]) + _table(*(s[~alike] for s in signs))
    ) / first
    raw = _table(x, y) / count
    shares = raw + (decided - _table(x[:first], y[:first])) / first
    errors = np.sqrt(raw * (1 - raw) / count + moved * (1 / first - 1 / count))
    shares = shares.clip(0)
    return shares / shares.sum(), errors


def _by_effect(signs: Signs, d: Array) -> Signs:
    """Associations judged by d alone, as many of the first ones as `signs` has, either way."""
    found = np.zeros(d.size, dtype=np.int64)
    for sign in (1, -1):
        many = int((signs == sign).sum())
        ahead = sign * d[: signs.size]
        ahead = np.sort(ahead[~np.isnan(ahead)])[::-1]
        if many:
            # half way to the first one that is not associated
            found[sign * d >= ahead[many - 1 : many + 1].mean()] = sign
    return found


def _table(x: Signs, y: Signs) -> Array:
    """How many resamples show each pattern, shape (3, 3)."""
    return np.bincount(3 * (1 - x) + 1 - y, minlength=9).reshape(3, 3).astype(np.float64)


def _rows(table: Array) -> tuple[tuple[float, float, float], ...]:
    return tuple((row[0], row[1], row[2]) for row in table.tolist())


class _Decisions:
    """Which associations a rule finds in resamples of a test with so many attributes."""

    def __init__(
        self, rule: PatternRule, size: int, n: int, resamples: int, rng: np.random.Generator
    ) -> None:
        self.rule, self.size = rule, size
        two_sided = rule.tail == "two-sided"
        self.judge = Judge(size, n, rule.alpha, two_sided=two_sided, samples=resamples, rng=rng)

    def all(
        self, test: Layout, resamples: Iterable[Weights], first: int
    ) -> tuple[tuple[Signs, Signs], tuple[Array, Array]]:
        """Associations in the first resamples, in whole chunks, and effect sizes in all."""
        signs: tuple[list[Signs], list[Signs]] = [], []
        d: tuple[list[Array], list[Array]] = [], []
        done = 0
        for weights in resamples:
            for i, pair in enumerate(test.sides(weights)[1:]):
                level = cast("Scored", test.levels[1 + i])
                if done < first:
                    sign, effect = self.associations(level, *pair)
                    signs[i].append(sign)
                else:
                    effect = level.effect(*pair, self.rule.ddof, whole=weights.whole)
                d[i].append(effect)
            done += max(len(weights.targets), len(weights.attributes))
        x, y = ((np.concatenate(signs[i]), np.concatenate(d[i])) for i in range(2))
        return (x[0], y[0]), (x[1], y[1])

    def associations(self, level: Scored, units: Array, others: Array) -> tuple[Signs, Array]:
        """1, 0 or -1 for each set of weights, and the effect sizes."""
        found = level.effects(units, others, self.rule.ddof)
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
            self.judge.significant(rows, level.peak, level.precision),
            sign,
            0,
        )
        return signs, found.d


def _copies(scores: Array, counts: Array) -> Array:
    """Each score as often as it counts, shape (samples, N)."""
    return np.repeat(scores.ravel(), counts.astype(np.int64).ravel()).reshape(scores.shape)


def _place(association: int, name: str) -> int:
    if association not in ASSOCIATIONS:
        raise EatlasError(
            f"{name} must be an association",
            got=repr(association),
            allowed="1 (with A), 0 (with neither), -1 (with B)",
        )
    return ASSOCIATIONS.index(association)


def _warn(undefined: tuple[int, int], count: int) -> None:
    notes = [
        f"level 2 of {role}: {lost} of {count} resamples have no spread and count as neither"
        for role, lost in zip("XY", undefined, strict=True)
        if lost
    ]
    if notes:
        warnings.warn("; ".join(notes), UndefinedWarning, stacklevel=4)
