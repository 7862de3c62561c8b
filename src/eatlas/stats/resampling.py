"""Resamples of the stimuli of one association test, drawn within their groups."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import EatlasError
from eatlas.stats.weighted import Array, Layout, Weights

Over = Literal["targets", "attributes", "both"]
"""Which stimuli are taken as a sample, and hence resampled."""

CHUNK = 2**16
"""Numbers in one array of weights: 512 kB. 2**15 to 2**18 take about the same time at 16 to 50
terms a side, 2**13 twice as much."""


def sides(over: Over) -> tuple[bool, bool]:
    """Whether targets, and whether attributes, are resampled.

    Examples
    --------
    >>> sides("attributes")
    (False, True)
    """
    if over not in get_args(Over):
        raise EatlasError(
            "over must say which stimuli are resampled",
            got=repr(over),
            allowed=", ".join(get_args(Over)),
        )
    return over != "attributes", over != "targets"


def fewest(over: Over) -> dict[str, int]:
    """Terms that each group needs: two where it is resampled."""
    targets, attributes = (1 + resampled for resampled in sides(over))
    return {"X": targets, "Y": targets, "A": attributes, "B": attributes}


def draw(test: Layout, over: Over, count: int, rng: np.random.Generator) -> Iterator[Weights]:
    """How often each term was drawn, in chunks of resamples.

    Parameters
    ----------
    test : Layout
    over : {"targets", "attributes", "both"}
        Both: rows and columns are drawn independently of one another, the pigeonhole bootstrap.
    count : int
        Resamples in all.
    rng : numpy.random.Generator
        The same state gives the same resamples, however they are cut into chunks.

    Yields
    ------
    Weights
        Whole numbers; those of each resampled group sum to its size (multinomial, all terms
        equally likely).

    Notes
    -----
    Rows and columns: Owen (2007), The pigeonhole bootstrap, Annals of Applied Statistics 1.

    Examples
    --------
    >>> from eatlas.stats.weighted import Design
    >>> test = Design(np.zeros((4, 3)), 2, 1)
    >>> (weights,) = draw(test, "targets", 5, np.random.default_rng(0))
    >>> weights.targets.shape, weights.targets[:, :2].sum(axis=1), weights.attributes
    ((5, 4), array([2., 2., 2., 2., 2.]), array([[1., 1., 1.]]))
    """
    resampled, size = sides(over), test.groups
    groups = [size[role] for role in "XY" * resampled[0] + "AB" * resampled[1]]
    many, start = _runs(groups)
    targets, ones = resampled[0] * test.shape[0], test.as_is
    step = max(1, CHUNK // max(test.shape))
    for done in range(0, count, step):
        # one draw for each place of each group, row by row: the size of a chunk changes nothing
        counts = _counts(rng.random((min(step, count - done), many.size)), many, start)
        yield Weights(
            counts[:, :targets] if resampled[0] else ones.targets,
            counts[:, targets:] if resampled[1] else ones.attributes,
        )


def _runs(groups: list[int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each place: how many terms its group has, and where the group begins."""
    sizes = np.array(groups)
    return np.repeat(sizes, sizes), np.repeat(np.cumsum(sizes) - sizes, sizes)


def _counts(uniform: Array, many: NDArray[np.int64], start: NDArray[np.int64]) -> Array:
    """How often each term was drawn in each row.

    Numbers of one term lie side by side in memory, so that what is summed over terms is summed
    for all rows at once.
    """
    rows, terms = uniform.shape
    uniform *= many
    drawn = uniform.astype(np.int64)
    drawn += start
    drawn *= rows
    drawn += np.arange(rows)[:, None]
    counts: Array = np.bincount(drawn.ravel(), minlength=rows * terms).astype(np.float64)
    return counts.reshape(terms, rows).T
