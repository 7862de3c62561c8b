"""Years of a series, with those that should be there."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise


def steps(years: Iterable[int]) -> list[int]:
    """Complete a series of years, if it is one.

    Parameters
    ----------
    years : iterable of int

    Returns
    -------
    list of int
        Rising. Where the distances of the years are multiples of the smallest, and half of the
        steps are there, all steps from the first to the last; else the years alone.

    Examples
    --------
    >>> steps([1810, 1820, 1840]), steps([1990, 2000, 2001])
    ([1810, 1820, 1830, 1840], [1990, 2000, 2001])
    """
    known = sorted(set(years))
    gaps = {late - early for early, late in pairwise(known)}
    if not gaps:
        return known
    step = min(gaps)
    full = list(range(known[0], known[-1] + 1, step))
    regular = all(gap % step == 0 for gap in gaps) and 2 * len(known) >= len(full)
    return full if regular else known
