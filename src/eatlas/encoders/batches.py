"""Texts in batches of similar length."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from eatlas.encoders.cutting import cut


def batches(lengths: Sequence[int], budget: int) -> Iterator[list[int]]:
    """Put texts of one length into batches of at most `budget` tokens.

    Nothing is padded: in a batch of several lengths sums would be taken over zeros too, in another
    order, and change their last bits with the texts that are beside a text. The longest texts come
    first, so that memory runs out at once or not at all. A text longer than the budget is a batch
    of its own.

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
    >>> list(batches([2, 5, 2, 4, 2], 4))
    [[1], [3], [0, 2], [4]]
    """
    for length, same in groupby(
        sorted(range(len(lengths)), key=lambda i: -lengths[i]), lengths.__getitem__
    ):
        yield from cut(same, max(1, budget // length))
