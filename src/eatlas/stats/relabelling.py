"""Permutation p-values of many samples at once, as sharp as a comparison with alpha needs.

Ten thousand resamples each ask on which side of alpha their p lies. All samples of one design
share a list of relabellings, so that sums of scores are one matrix product.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import chain, combinations
from typing import Literal, get_args

import numpy as np

from eatlas.errors import EatlasError
from eatlas.stats.effect_size import ROUNDING_UNITS
from eatlas.stats.weighted import Array

TailRule = Literal["directional", "two-sided"]
"""Which tail decides: that of the observed sign, or both."""

ENUMERATED = 12_870
"""Designs with no more relabellings (8 against 8) are enumerated."""
FIRST = 2_000
"""Random relabellings that every sample is compared with."""
DRAWS = 50_000
"""Random relabellings for samples whose p is near alpha: its standard error at .05 is .001."""
LEAST_DRAWS = 10_000
LABELS = 2**25
"""Labels kept, one byte each: beyond 670 terms there are fewer than DRAWS relabellings."""
MARGIN = 5.0
"""Standard errors that count as near alpha; the side of a p further off is wrong once in 1e6."""
ROWS, COLUMNS = 256, 1024
"""Sums held at once: 2 MB."""


def tail_rule(tail: TailRule) -> TailRule:
    """Check the name of a rule for the tail.

    Examples
    --------
    >>> tail_rule("two-sided")
    'two-sided'
    """
    if tail in get_args(TailRule):
        return tail
    raise EatlasError(
        "tail must say which relabellings count as extreme",
        got=repr(tail),
        allowed=", ".join(get_args(TailRule)),
    )


@dataclass(frozen=True)
class Relabellings:
    """Relabellings of `size` terms, `n` of them in the first group.

    Of groups of one size each relabelling stands for its mirror image too, whose sum of centred
    scores is the same with the other sign.
    """

    chosen: np.ndarray[tuple[int, int], np.dtype[np.bool_]]
    """Members of the first group, shape (size, relabellings)."""
    n: int
    exact: bool
    """Whether these are all there are."""

    @property
    def mirrored(self) -> bool:
        """Whether each relabelling stands for two."""
        return 2 * self.n == len(self.chosen)

    @property
    def draws(self) -> int:
        """Relabellings, mirror images included."""
        return self.chosen.shape[1] * (1 + self.mirrored)

    def error(self, alpha: float) -> float:
        """Standard error of a p-value of alpha: 0 if all relabellings are listed.

        Examples
        --------
        >>> relabellings(6, 3, np.random.default_rng(0)).error(0.05)
        0.0
        """
        return 0.0 if self.exact else math.sqrt(alpha * (1 - alpha) / self.draws)

    def first(self, count: int) -> Relabellings:
        """As many of them as make `count` draws."""
        return Relabellings(self.chosen[:, : count // (1 + self.mirrored)], self.n, exact=False)


def relabellings(size: int, n: int, rng: np.random.Generator) -> Relabellings:
    """List all relabellings of a small design, or random ones.

    Parameters
    ----------
    size, n : int
        Terms, and how many of them are in the first group.
    rng : numpy.random.Generator
        Draws them; not used where all are listed.

    Examples
    --------
    >>> listed = relabellings(6, 3, np.random.default_rng(0))
    >>> listed.chosen.shape, listed.draws, listed.exact
    ((6, 10), 20, True)
    """
    mirrored = 2 * n == size
    exact = math.comb(size, n) <= ENUMERATED
    if exact:
        # the halves with the last term are mirror images of those without it
        free = size - mirrored
        count = math.comb(free, n)
        subsets = chain.from_iterable(combinations(range(free), n))
        places = np.fromiter(subsets, np.intp, count * n).reshape(count, n)
    else:
        count = min(DRAWS, max(LEAST_DRAWS, LABELS // size)) // (1 + mirrored)
        uniform = (rng.random(size) for _ in range(count))
        places = np.stack([np.argpartition(row, n - 1)[:n] for row in uniform])
    chosen = np.zeros((size, count), dtype=np.bool_)
    chosen[places.T, np.arange(count)] = True
    return Relabellings(chosen, n, exact)


def relabelling_p(
    scores: Array,
    counts: Array,
    listed: Relabellings,
    *,
    tail: TailRule,
    alpha: float,
    scale: float = 1.0,
) -> Array:
    """Permutation p-value of the difference of two groups' means, for many samples.

    Parameters
    ----------
    scores : array, shape (samples, N)
        Scores of the N terms in each sample, first group first.
    counts : array, shape (samples or 1, N)
        How often each term stands in the sample: whole numbers, n in all over the first n terms
        and N - n over the others. Each copy is relabelled on its own.
    listed : Relabellings
        Of N terms, n in the first group.
    tail : {"directional", "two-sided"}
        The tail of the observed sign, or both.
    alpha : float
        Where p must be known well.
    scale : float
        Magnitude of what was summed into a score; sums tie within ``16 N 2^-53 scale``.

    Returns
    -------
    array, shape (samples,)
        Shares of all relabellings if these are listed. Else (b + 1) / (B + 1), with B = 2,000
        and, where that is within 5 standard errors of alpha, all that were drawn.

    Examples
    --------
    >>> scores, once = np.array([[5.0, 4.0, 3.0, 1.0, 0.0, 2.0]]), np.ones((1, 6))
    >>> listed = relabellings(6, 3, np.random.default_rng(0))
    >>> relabelling_p(scores, once, listed, tail="two-sided", alpha=0.05)  # 2 of 20
    array([0.1])
    """
    size, n = scores.shape[1], listed.n
    values = _copies(scores, np.broadcast_to(counts, scores.shape))
    values = values - values.mean(axis=1, keepdims=True)
    observed = values[:, :n].sum(axis=1)
    values = np.where(observed < 0, -1.0, 1.0)[:, None] * values
    reach = np.abs(observed) - ROUNDING_UNITS * size * 2.0**-53 * scale
    if listed.exact:
        return _shares(values, reach, listed, tail)
    some = listed.first(FIRST)
    p = _shares(values, reach, some, tail)
    near = np.abs(p - alpha) <= MARGIN * some.error(alpha)
    p[near] = _shares(values[near], reach[near], listed, tail)
    return p


def _copies(scores: Array, counts: Array) -> Array:
    """Each score as often as it counts, shape (samples, N)."""
    return np.repeat(scores.ravel(), counts.astype(np.int64).ravel()).reshape(scores.shape)


def _shares(values: Array, reach: Array, listed: Relabellings, tail: TailRule) -> Array:
    """Share of relabellings of each row whose sum is at least `reach`, or beyond it either way."""
    chosen, extreme = listed.chosen, np.zeros(len(values))
    both = tail == "two-sided" or listed.mirrored
    for start in range(0, chosen.shape[1], COLUMNS):
        labels = chosen[:, start : start + COLUMNS].astype(np.float64)
        for top in range(0, len(values), ROWS):
            here = slice(top, top + ROWS)
            sums, least = values[here] @ labels, reach[here, None]
            extreme[here] += np.count_nonzero(sums >= least, axis=1)
            if both:
                extreme[here] += np.count_nonzero(sums <= -least, axis=1)
    # of two tails a mirror image is as extreme as its original
    draws = chosen.shape[1] * (1 + (listed.mirrored and tail == "directional"))
    if listed.exact:
        return np.minimum(extreme / draws, 1.0)
    return np.minimum((extreme + 1) / (draws + 1), 1.0)
