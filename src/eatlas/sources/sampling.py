"""A random sample of rows that come in parts, the same however they are cut."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


class Sample:
    """Draws `size` rows without replacement from as many as are offered.

    Each row gets a random key in the order in which rows are offered, and the smallest keys stay;
    so neither their number need be known, nor does it matter how the rows are cut into parts.

    Parameters
    ----------
    size : int
        1 or more.
    rng : numpy.random.Generator

    Examples
    --------
    >>> sample = Sample(2, np.random.default_rng(0))
    >>> sample.offer(["a", "b", "c"], np.eye(3))
    >>> sample.drawn()[0]
    ['b', 'c']
    """

    def __init__(self, size: int, rng: np.random.Generator) -> None:
        self.size, self.rng = size, rng
        self._limit = 1.0
        self._keys: NDArray[np.float64] = np.empty(0)
        self._words: list[str] = []
        self._rows: NDArray[np.float32] | None = None

    def offer(self, words: Sequence[str], rows: NDArray[np.floating]) -> None:
        """Offer rows, shape (len(words), d); single precision is kept of them."""
        keys = self.rng.random(len(words))
        taken = np.flatnonzero(keys < self._limit)
        new = rows[taken].astype(np.float32)
        self._keys = np.concatenate([self._keys, keys[taken]])
        self._words += [words[int(i)] for i in taken]
        self._rows = new if self._rows is None else np.concatenate([self._rows, new])
        if len(self._keys) > self.size:
            kept = np.sort(np.argpartition(self._keys, self.size - 1)[: self.size])
            self._keys, self._rows = self._keys[kept], self._rows[kept]
            self._words = [self._words[i] for i in kept]
            self._limit = float(self._keys.max())

    def drawn(self) -> tuple[list[str], NDArray[np.float32]]:
        """The words and rows that were drawn, in the order in which they were offered."""
        rows = np.empty((0, 0), np.float32) if self._rows is None else self._rows
        return self._words, rows
