"""Arithmetic on tails: the complement and the sum keep what is known about each part."""

from __future__ import annotations

from eatlas.stats.permutation.result import SMALLEST, Tail

ROUNDING = 2.0**-52


def complement(tail: Tail, total: int) -> Tail:
    """1 - p, by whatever way p was obtained."""
    if tail.count is not None:
        return Tail.exact(total - tail.count, total)
    if tail.rel_err is not None:
        rest = 1.0 - tail.p
        return Tail.inverted(rest, tail.rel_err * tail.p / rest + ROUNDING)
    low, high = bounds(tail)
    return Tail.bracketed(1.0 - high, (1.0 - low) * (1 + ROUNDING))


def added(first: Tail, second: Tail, total: int) -> Tail:
    """The sum of two disjoint tails: as good as the weaker of them."""
    if first.count is not None and second.count is not None:
        return Tail.exact(first.count + second.count, total)
    if "bracket" in (first.method, second.method):
        low, high = (a + b for a, b in zip(bounds(first), bounds(second), strict=True))
        return Tail.bracketed(low * (1 - ROUNDING), high * (1 + ROUNDING))
    p = first.p + second.p
    error = sum(tail.p * (tail.rel_err or ROUNDING) for tail in (first, second))
    return Tail.inverted(p, error / p + ROUNDING)


def bounds(tail: Tail) -> tuple[float, float]:
    """What is known of p as an interval."""
    if tail.bracket is not None:
        low, high = tail.bracket
        # the smallest double stands for none at all, and two of them are not more
        return (low if low > SMALLEST else 0.0), high
    slack = tail.rel_err or ROUNDING
    return tail.p * (1 - slack), tail.p * (1 + slack)
