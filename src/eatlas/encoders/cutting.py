"""Many things, some at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

T = TypeVar("T")


def cut(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Hand out items in their order, `size` at a time; the last list may be shorter.

    Examples
    --------
    >>> list(cut("abcde", 2))
    [['a', 'b'], ['c', 'd'], ['e']]
    """
    rest = iter(items)
    while some := list(islice(rest, size)):
        yield some
