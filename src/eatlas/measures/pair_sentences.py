"""Log-probability ratios of the sentences of pairs: pair by pair, and one of each in a draw."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eatlas.measures.log_ratios import Ratios
from eatlas.stats.draws import Components, Replace, components_of_means, draw_one, stream

Array = NDArray[np.float64]
Places = NDArray[np.int64]


@dataclass(frozen=True)
class PairSentences:
    """Ratios of all sentences of a test, and which are those of which pair.

    Targets stand as X and then Y, attributes as A and then B, each group by name: so the order in
    which a test lists them changes no sum.
    """

    single: Array
    """Ratio of every sentence."""
    starts: Places
    """Place of the first sentence of each pair, shape (targets, attributes)."""
    counts: Places
    """Sentences of each pair, in the same shape."""
    names: tuple[tuple[str, ...], tuple[str, ...]]
    """Of the targets, and of the attributes."""
    sizes: tuple[int, int, int, int]
    """Terms of X, Y, A and B."""
    listed: tuple[Places, Places]
    """Where each target of the test, and each attribute, stands among the names."""

    @classmethod
    def of(cls, found: Ratios) -> PairSentences:
        """Arrange the ratios of a test."""
        used = {role: found.coverage.group(role).used for role in "XYAB"}
        rows, columns = (_by_name(used[side[0]], used[side[1]]) for side in ("XY", "AB"))
        terms = used["X"] + used["Y"], used["A"] + used["B"]
        starts = (np.cumsum(found.counts) - found.counts.ravel()).reshape(found.counts.shape)
        x, y, a, b = (len(used[role]) for role in "XYAB")
        return cls(
            single=found.single,
            starts=starts[np.ix_(rows, columns)],
            counts=found.counts[np.ix_(rows, columns)],
            names=(tuple(terms[0][i] for i in rows), tuple(terms[1][i] for i in columns)),
            sizes=(x, y, a, b),
            listed=(np.argsort(rows), np.argsort(columns)),
        )

    def draw(self, draws: int, replace: Replace, seed: int) -> Iterator[Array]:
        """Ratios of each target with each attribute in each draw, shape (attributes, draws).

        The sentences of a pair depend on the seed and on the names of its two stimuli alone: not on
        the order of terms, nor on their groups, nor on the other terms.
        """
        for i, target in enumerate(self.names[0]):
            row = np.empty((len(self.names[1]), draws))
            for j, attribute in enumerate(self.names[1]):
                numbers = stream(seed, f"pair {len(target)} {target} {attribute}")
                count, start = int(self.counts[i, j]), int(self.starts[i, j])
                chosen = draw_one(count, draws, numbers, replace)
                np.take(self.single[start : start + count], chosen, out=row[j], mode="clip")
            yield row

    def components(self) -> tuple[Components | None, ...]:
        """Variance of the scores of draws: level 1, level 2 of X and of Y, over attributes.

        The score of a target is the mean of its ratios with A less that of those with B, each of
        one sentence; so its variance between sentences is the sum over pairs of a pair's variance,
        times the square of the pair's weight in that mean. None for fewer than three terms.
        """
        order = np.argsort(self.starts, axis=None)
        starts, counts = self.starts.ravel()[order], self.counts.ravel()[order]
        means = np.add.reduceat(self.single, starts) / counts
        away = self.single - np.repeat(means, counts)
        squares = np.add.reduceat(away * away, starts)
        place = np.argsort(order)
        mean, square = (each[place].reshape(self.counts.shape) for each in (means, squares))
        several = self.counts > 1
        variance = square / np.maximum(self.counts - 1, 1)
        usual = float(variance[several].mean()) if several.any() else float("nan")
        # of a pair with one sentence alone nothing is known: it stands for a usual one
        variance = np.where(several, variance, usual)
        x, y, a, b = self.sizes
        first, second = _weights(a, b), _weights(x, y)
        of_x, of_y = np.maximum(second, 0), np.maximum(-second, 0)
        return (
            _components(mean.T, variance.T, self.counts.T, first, x),
            *(_components(mean, variance, self.counts, w, a) for w in (of_x, of_y, second)),
        )


def _by_name(first: tuple[str, ...], second: tuple[str, ...]) -> list[int]:
    """Places of the terms of two groups, each in the order of its names."""
    terms = [*((0, term) for term in first), *((1, term) for term in second)]
    return sorted(range(len(terms)), key=terms.__getitem__)


def _weights(n: int, m: int) -> Array:
    """Of the terms of two groups in the difference of their means."""
    return np.repeat([1 / n, -1 / m], [n, m])


def _components(
    mean: Array, variance: Array, counts: Places, weights: Array, n: int
) -> Components | None:
    """Of units in columns, whose score is the weighted sum of their ratios in the rows."""
    if mean.shape[1] < 3:
        return None
    within = weights**2 @ variance
    known = not np.isnan(within).any()
    noise = weights**2 @ (variance / counts) if known else np.zeros(mean.shape[1])
    return components_of_means(weights @ mean, float(within.mean()), noise, n)
