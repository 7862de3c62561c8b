"""Samples of many stimuli, or pairs, that are filled side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic

import numpy as np
from numpy.typing import NDArray

from eatlas.corpora.reservoir import Found, Reservoir, key_seed


class Samples(Generic[Found]):
    """A reservoir for each of some stimuli, or pairs, and how often each was found.

    Parameters
    ----------
    names : sequence of tuples of str
        The stimuli of each: one, or two of a pair.
    size : int
        Most contexts of each.
    seed : int
    """

    def __init__(self, names: Sequence[tuple[str, ...]], size: int, seed: int) -> None:
        self.found = np.zeros(len(names), np.int64)
        self.seeds = np.array([key_seed(seed, *name) for name in names], np.uint64)
        """What the keys of the contexts of each begin with."""
        self._reservoirs = [Reservoir[Found](size) for _ in names]
        self._limits = np.array([one.limit for one in self._reservoirs], np.uint64)

    def take(
        self,
        numbers: NDArray[np.integer],
        keys: NDArray[np.uint64],
        offsets: NDArray[np.int64],
        context: Callable[[int], Found],
    ) -> None:
        """Take in what was found.

        Parameters
        ----------
        numbers : array, shape (found,)
            Whose context it is.
        keys, offsets : arrays, shape (found,)
            As :class:`Reservoir` has them.
        context : callable
            Makes the context of one place in these arrays; called for those alone that are kept.
        """
        self.found += np.bincount(numbers, minlength=len(self.found))
        taken = np.flatnonzero(keys <= self._limits[numbers])
        columns = (taken, numbers[taken], keys[taken], offsets[taken])
        for at, number, key, offset in zip(*(one.tolist() for one in columns), strict=True):
            reservoir = self._reservoirs[number]
            known = reservoir.offset(key)
            if known is None or offset < known:
                reservoir.add(key, offset, context(at))
        for number in np.unique(numbers[taken]).tolist():
            self._limits[number] = self._reservoirs[number].limit

    def merge(self, other: Samples[Found]) -> None:
        """Take in what other samples of the same stimuli hold."""
        self.found += other.found
        for own, given in zip(self._reservoirs, other._reservoirs, strict=True):
            own.merge(given)
        self._limits = np.array([one.limit for one in self._reservoirs], np.uint64)

    def lists(self) -> list[list[Found]]:
        """Return the sample of each."""
        return [one.sample() for one in self._reservoirs]
