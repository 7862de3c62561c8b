"""Texts in batches of similar length."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


def batches(lengths: Sequence[int], budget: int) -> Iterator[list[int]]:
    """Put texts into batches of at most `budget` tokens, padding included.

    The longest texts come first, so that memory runs out at once or not at all. A text longer than
    the budget is a batch of its own.

    Parameters
    ----------
    lengths : sequence of int
        Tokens of each text, at least 1.
    budget : int
        Tokens of a batch.

    Yields
    ------
    list of int
        Places in `lengths`.

    Examples
    --------
    >>> list(batches([2, 5, 3, 4], 8))
    [[1], [3, 2], [0]]
    """
    order = sorted(range(len(lengths)), key=lambda i: -lengths[i])
    start = 0
    while start < len(order):
        end = start + max(1, budget // lengths[order[start]])
        yield order[start:end]
        start = end
