"""The same tests measured by two methods: a point for each test, and how far the two agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from eatlas.results.settings import Settings
from eatlas.stats.correlation import Correlation, correlation

if TYPE_CHECKING:
    from eatlas.results.base import AssociationResult
    from eatlas.results.effects import Effect


Members = Sequence["AssociationResult | None"]
"""Results of one test, and None where there is none."""


@dataclass(frozen=True)
class MethodPoint:
    """One test measured by two methods."""

    test: str
    group: str
    """On what it was measured, such as a source; empty if that is the same for all points."""
    x: float
    """Effect size by the first method."""
    y: float
    """Effect size by the second method."""
    significant: bool
    """Whether both effect sizes are significant."""

    @property
    def name(self) -> str:
        """The test, and on what it was measured."""
        return f"{self.test} ({self.group})" if self.group else self.test


@dataclass(frozen=True)
class MethodPair:
    """Two methods over the same tests.

    Examples
    --------
    >>> import eatlas
    >>> results = eatlas.run(tests="caliskan", measures=["weat", "ml-eat(ddof=0)"])
    >>> (pair,) = results.compare("measure").pairs()
    >>> pair.first, pair.second, pair.correlation.n
    ('WEAT', 'ML-EAT', 10)
    """

    first: str
    """Name of the first method."""
    second: str
    """Name of the second method."""
    points: tuple[MethodPoint, ...]
    """A point for each test that has an effect size by both."""
    symbols: tuple[str, str] = ("d", "d")
    """What the numbers of each method are called."""
    by: str = ""
    """In what the methods differ, such as ``measure`` or ``layer``."""

    @cached_property
    def correlation(self) -> Correlation:
        """Pearson's and Spearman's correlation over the points.

        Intervals (95%) treat the points as independent. NaN with fewer than three points, and if
        the numbers of one method do not vary.
        """
        x, y = np.array([(p.x, p.y) for p in self.points], np.float64).reshape(-1, 2).T
        return correlation(x, y)

    @property
    def turned(self) -> MethodPair:
        """The same pair with the second method first."""
        points = tuple(replace(point, x=point.y, y=point.x) for point in self.points)
        return MethodPair(self.second, self.first, points, self.symbols[::-1], self.by)

    @property
    def significant(self) -> MethodPair:
        """The same over the tests that are significant by both methods."""
        return replace(self, points=tuple(point for point in self.points if point.significant))


def method_pairs(rows: Sequence[Members], names: Sequence[str], by: str) -> tuple[MethodPair, ...]:
    """Every two settings of a comparison, over the tests that both have.

    `rows` have the results of one test in the settings of these `names`, and None where a setting
    has none. The number of a result is its first effect size: that of level 1 if there are levels.
    """
    settings = Settings.from_results(result for row in rows for result in row if result)
    groups = [_in_common(settings, row) for row in rows]
    if len(set(groups)) == 1:
        groups = [""] * len(groups)
    effects = [[_first_effect(result) for result in row] for row in rows]
    pairs = []
    for (i, first), (j, second) in combinations(enumerate(names), 2):
        points, symbols = [], ("d", "d")
        for row, group, of_row in zip(rows, groups, effects, strict=True):
            x, y = of_row[i], of_row[j]
            if x is None or y is None or x.d is None or y.d is None:
                continue
            significant = x.significant and y.significant
            test = next(result.test for result in row if result)
            points.append(MethodPoint(test, group, x.d, y.d, significant))
            symbols = x.symbol, y.symbol
        pairs.append(MethodPair(first, second, tuple(points), symbols, by))
    return tuple(pairs)


def _first_effect(result: AssociationResult | None) -> Effect | None:
    """The first effect size of a result as a whole."""
    effects = result.effects() if result else ()
    return next((effect for effect in effects if effect.term is None), None)


def _in_common(settings: Settings, row: Members) -> str:
    """What of their settings all members of a row have in common, such as the source."""
    first, *others = (settings.of(result).split(", ") for result in row if result)
    return ", ".join(part for part in first if all(part in other for other in others))
