"""Resamples of the stimuli of one association test, drawn within their groups."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, get_args

import numpy as np

from eatlas.errors import EatlasError
from eatlas.stats.weighted import ATTRIBUTES, ROLES, TARGETS, Array, Layout, Weights

Over = Literal["targets", "attributes", "both"]
"""Which stimuli are taken as a sample, and hence resampled."""

Streams = Mapping[str, np.random.Generator]
"""Where the draws of each group come from. Each group has numbers of its own, so that another list
in place of one group leaves the draws of the three others as they are."""

BLOCK = 1024
"""Lists of each group that are drawn together. Fixed, as it decides which resamples there are."""
MANY = 512
"""Designs with more terms on a side are drawn in smaller blocks, for their memory."""
FEW = 64
"""Lists in such a block."""
ROTATIONS = 4
"""Resamples that each drawn list serves: as it is, and with all terms moved on by one, two and
three places. Every term is equally likely in each of them, as in a list drawn afresh, and takes
the places of its neighbours in the others. Drawing takes most of the time, so that four lists
cost little more than one."""


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
    return {**dict.fromkeys(TARGETS, targets), **dict.fromkeys(ATTRIBUTES, attributes)}


def streams_of(rng: np.random.Generator) -> dict[str, np.random.Generator]:
    """Return a generator for each group of a test, of numbers from one generator.

    Examples
    --------
    >>> sorted(streams_of(np.random.default_rng(0)))
    ['A', 'B', 'X', 'Y']
    """
    return {role: np.random.default_rng(rng.integers(0, 2**32, size=4)) for role in ROLES}


def draw(test: Layout, over: Over, count: int, streams: Streams) -> Iterator[Weights]:
    """How often each term was drawn, in chunks of resamples.

    Parameters
    ----------
    test : Layout
    over : {"targets", "attributes", "both"}
        Both: rows and columns are drawn independently of one another, the pigeonhole bootstrap.
    count : int
        Resamples in all. The first of many are those of few.
    streams : mapping of str to numpy.random.Generator
        By role: X, Y, A, B. They are drawn from; those of a side that stays as it is are not.

    Yields
    ------
    Weights
        Whole numbers; those of each resampled group sum to its size (multinomial, all terms
        equally likely).

    Notes
    -----
    Rows and columns: Owen (2007), The pigeonhole bootstrap, Annals of Applied Statistics 1. Each
    drawn list of terms serves in several rotations, a form of the balanced bootstrap (Davison,
    Hinkley and Schechtman 1986, Efficient bootstrap simulation, Biometrika 73).

    Examples
    --------
    >>> from eatlas.stats.weighted import Design
    >>> test = Design(np.zeros((4, 3)), 2, 1)
    >>> (weights,) = draw(test, "targets", 5, streams_of(np.random.default_rng(0)))
    >>> weights.targets.shape, weights.targets[:, :2].sum(axis=1), weights.attributes
    ((5, 4), array([2., 2., 2., 2., 2.]), array([[1., 1., 1.]]))
    """
    (targets, attributes), ones = sides(over), test.as_is
    drawn = TARGETS * targets + ATTRIBUTES * attributes
    resampled = {role: size for role, size in test.groups.items() if role in drawn}
    block = BLOCK if max(test.shape) <= MANY else FEW
    left = count
    while left > 0:
        lists = {role: _lists(streams[role], size, block) for role, size in resampled.items()}
        for by in range(min(ROTATIONS, *resampled.values())):
            rows = min(block, left)
            yield Weights(
                _rotated([lists[r] for r in TARGETS], by, rows) if targets else ones.targets,
                _rotated([lists[r] for r in ATTRIBUTES], by, rows)
                if attributes
                else ones.attributes,
                whole=test.alike,
            )
            left -= block
            if left <= 0:
                return


def _lists(rng: np.random.Generator, size: int, block: int) -> Array:
    """How often each term of a group is in each list, shape (size, block).

    Numbers of one term lie side by side in memory, so that what is summed over terms is summed
    for all lists at once.
    """
    drawn = rng.random((size, block)) * size
    at = drawn.astype(np.int64) * block + np.arange(block)
    return np.bincount(at.ravel(), minlength=size * block).astype(np.float64).reshape(size, block)


def _rotated(groups: list[Array], by: int, rows: int) -> Array:
    """The first lists of two groups with their terms moved on, shape (rows, terms)."""
    out = np.empty((sum(map(len, groups)), rows))
    start = 0
    for lists in groups:
        size = len(lists)
        out[start : start + size - by] = lists[by:, :rows]
        out[start + size - by : start + size] = lists[:by, :rows]
        start += size
    return out.T
