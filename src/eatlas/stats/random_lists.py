"""Lists of random units drawn as others were chosen, and the effect sizes that they give."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import EatlasError
from eatlas.stats.bootstrap import PatternRule
from eatlas.stats.designs import Judge
from eatlas.stats.effect_size import effect_sizes

Integers = NDArray[np.int64]

Array = NDArray[np.float64]
Places = NDArray[np.intp]

NUMBERS = 1 << 17
"""Of the rows of lists that are looked at together: 1 MB."""
TRIES = 1_000
"""Rounds in which a unit that a list holds twice is drawn anew."""


def matched_lists(
    windows: Sequence[Places], draws: int, rng: np.random.Generator
) -> NDArray[np.intp]:
    """Draw lists with one unit from each window, and no unit twice in a list.

    Each place is drawn uniformly from its window. A place whose unit is earlier in the list
    is drawn anew.
    """
    if not all(len(window) for window in windows):
        raise EatlasError("there is nothing to draw from", got="an empty window")
    lists = np.stack([window[rng.integers(0, len(window), draws)] for window in windows], axis=1)
    rows = np.arange(draws)
    for _ in range(TRIES):
        again = _repeated(lists[rows])
        rows = rows[again.any(axis=1)]
        if not len(rows):
            return lists
        again = again[again.any(axis=1)]
        for place in np.flatnonzero(again.any(axis=0)).tolist():
            which = rows[again[:, place]]
            window = windows[place]
            lists[which, place] = window[rng.integers(0, len(window), len(which))]
        # a place can be free only if another one moves: all of a list that fails often move
        if _ % 20 == 19:
            for place, window in enumerate(windows):
                lists[rows, place] = window[rng.integers(0, len(window), len(rows))]
    raise EatlasError(
        "the windows have too few units for lists that hold none twice",
        got=f"{len(np.unique(np.concatenate(list(windows))))} units for {len(windows)} places",
    )


def _repeated(lists: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Which places hold a unit that is earlier in their list."""
    order = np.argsort(lists, axis=1, kind="stable")
    ordered = np.take_along_axis(lists, order, axis=1)
    same = np.zeros(lists.shape, np.bool_)
    np.put_along_axis(same, order[:, 1:], ordered[:, 1:] == ordered[:, :-1], axis=1)
    return same


def matched_effects(
    rows: Array,
    lists: NDArray[np.intp],
    sizes: tuple[int, int, int, int],
    *,
    ddof: int = 1,
    rule: PatternRule | None = None,
    rng: np.random.Generator | None = None,
) -> tuple[list[Array], list[Integers]]:
    """Effect sizes of many lists at level 1 and at level 2 of X and of Y, and their associations.

    NaN where scores have no spread. An association of X, or of Y, is 1 with A, -1 with B and 0 with
    neither; there is none without a rule.
    """
    n_x, _, n_a, n_b = sizes
    scores, attributes = _scores(rows, lists, sizes)
    level1 = effect_sizes(scores, n_x, ddof=ddof)[1]
    level2 = [effect_sizes(some, n_a, ddof=ddof)[1] for some in attributes]
    signs = [np.empty(0, np.int64)] * 2
    if rule is not None:
        judge = Judge(
            n_a + n_b,
            n_a,
            rule.alpha,
            two_sided=rule.tail == "two-sided",
            samples=2 * len(lists),
            rng=rng or np.random.default_rng(0),
        )
        both = judge.associations(
            np.concatenate(attributes), np.concatenate(level2), rule.threshold
        )
        signs = np.split(both, 2)
    return [level1, *level2], signs


def _scores(
    rows: Array, lists: NDArray[np.intp], sizes: tuple[int, int, int, int]
) -> tuple[Array, list[Array]]:
    """Associations of each list's targets, and of its attributes with X and with Y."""
    borders = np.cumsum(sizes)
    n_targets = borders[1]
    parts: list[tuple[Array, Array, Array]] = []
    step = max(1, NUMBERS // (lists.shape[1] * rows.shape[1]))
    for start in range(0, len(lists), step):
        # a row of each list lies beside that of the next, so that all lists are added up at once
        terms = rows.take(lists[start : start + step].T, axis=0)
        groups = np.split(terms, borders[:-1])
        mean_x, mean_y, mean_a, mean_b = (np.add.reduce(g, axis=0) / len(g) for g in groups)
        parts.append(
            (
                _products(terms[:n_targets], mean_a - mean_b),
                _products(terms[n_targets:], mean_x),
                _products(terms[n_targets:], mean_y),
            )
        )
    scores, with_x, with_y = (np.concatenate(some) for some in zip(*parts, strict=True))
    return scores, [with_x, with_y]


def _products(terms: Array, means: Array) -> Array:
    """Product of each row of a list, shape (n, lists, d), with the list's mean; (lists, n)."""
    return np.asarray(np.matmul(terms.transpose(1, 0, 2), means[:, :, None])[:, :, 0])


def monte_carlo_p(observed: float, draws: Array) -> tuple[float, float, float]:
    """The p-values of an observed number among draws: greater, less, and two-sided.

    ``(b + 1) / (B + 1)`` with b the draws at least as extreme (Davison and Hinkley 1997, section
    4.2). Two-sided: at least as far from the mean of all B + 1 numbers.
    """
    known = draws[np.isfinite(draws)]
    lost, total = len(draws) - len(known), len(draws) + 1
    middle = (float(known.sum()) + observed) / (len(known) + 1)
    far = abs(observed - middle) * (1 - 1e-12)
    counts = (
        np.count_nonzero(known >= observed),
        np.count_nonzero(known <= observed),
        np.count_nonzero(np.abs(known - middle) >= far),
    )
    greater, less, both = ((int(count) + lost + 1) / total for count in counts)
    return greater, less, both
