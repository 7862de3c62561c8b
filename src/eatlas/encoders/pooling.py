"""From the vectors of tokens to one vector."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]

CHOOSE: dict[str, Callable[[list[int]], list[int]]] = {
    "mean": lambda places: places,
    "max": lambda places: places,
    "first": lambda places: places[:1],
    "last": lambda places: places[-1:],
    "cls": lambda places: places,
    "mean-all": lambda places: places,
    "max-all": lambda places: places,
    "last-all": lambda places: places[-1:],
}
"""Which of the tokens that stand for a text or a stimulus are used; ``cls`` is given its own, and
those with ``-all`` the special tokens too, as sentence-transformers does."""
ALL = "-all"
NAMES = {
    "mean": "the mean of the tokens",
    "max": "the maximum of the tokens",
    "first": "the first token",
    "last": "the last token",
    "cls": "the token that stands for the whole text, such as [CLS]",
    "mean-all": "the mean of all tokens, special ones included",
    "max-all": "the maximum of all tokens, special ones included",
    "last-all": "the last of all tokens, special ones included",
}
"""In words."""


def pool(rows: Array, sizes: Sequence[int], how: str) -> Array:
    """Pool consecutive rows: the first ``sizes[0]``, the next ``sizes[1]``, ...

    Parameters
    ----------
    rows : array, shape (sum(sizes), dim)
    sizes : sequence of int
        At least 1 each.
    how : str
        ``max`` and ``max-all`` take the largest of each component; all others the mean, which
        of one row is that row.

    Returns
    -------
    array, shape (len(sizes), dim)

    Examples
    --------
    >>> rows = np.array([[1, 5], [3, 1], [7, 7]], np.float32)
    >>> pool(rows, [2, 1], "mean").tolist(), pool(rows, [2, 1], "max").tolist()
    ([[2.0, 3.0], [7.0, 7.0]], [[3.0, 5.0], [7.0, 7.0]])
    """
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    if how.startswith("max"):
        largest: Array = np.maximum.reduceat(rows, starts, axis=0)
        return largest
    sums: Array = np.add.reduceat(rows, starts, axis=0)
    return sums / np.asarray(sizes, np.float32)[:, np.newaxis]
