"""Arithmetic on tails: the complement and the sum keep what is known about each part."""

from __future__ import annotations

from eatlas.stats.permutation.result import SMALLEST, Tail

ROUNDING = 2.0**-52


def complement(tail: Tail, total: int) -> Tail:
    """1 - p, by whatever way p was obtained."""
    if tail.count is not None:
        return Tail.exact(total - tail.count, total)
    if tail.rel_err is not None and tail.p < 1.0:
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


def joined(tails: list[Tail], weights: list[int], count: int, total: int) -> Tail:
    """A tail from disjoint parts: `count` subsets, and each tail's share of its `weights`."""
    if all(tail.count is not None for tail in tails):
        return Tail.exact(count + sum(tail.count or 0 for tail in tails), total)
    certain, shares = count / total, [weight / total for weight in weights]
    if any(tail.method == "bracket" for tail in tails):
        both = [bounds(tail) for tail in tails]
        low, high = (
            certain + sum(share * ends[i] for share, ends in zip(shares, both, strict=True))
            for i in (0, 1)
        )
        slack = ROUNDING * (2 + len(tails))
        return Tail.bracketed(low * (1 - slack), high * (1 + slack))
    p = certain + sum(share * tail.p for share, tail in zip(shares, tails, strict=True))
    error = sum(
        share * tail.p * (tail.rel_err or 0.0) for share, tail in zip(shares, tails, strict=True)
    )
    return Tail.inverted(p, error / p + ROUNDING * (2 + len(tails)))


def bounds(tail: Tail) -> tuple[float, float]:
    """What is known of p as an interval."""
    if tail.bracket is not None:
        low, high = tail.bracket
        # the smallest double stands for none at all, and two of them are not more
        return (low if low > SMALLEST else 0.0), high
    slack = tail.rel_err or ROUNDING
    return tail.p * (1 - slack), tail.p * (1 + slack)
