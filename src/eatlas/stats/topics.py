"""Pairs of random topics, as near to one another as two lists of words, and how they differ.

A topic is made of words near a seed, itself a word at random. The *i*-th of its n words is one of
the w words at the places i w to i w + w - 1 in order of nearness to the seed: the smaller w, the
more coherent the topic. Seeds and w are tried, and those topics are taken that are nearest to a
list in coherence and in frequency. Of topics like either of two lists, those pairs are taken whose
means have a cosine as that of the means of the lists.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import EatlasError

Array = NDArray[np.float64]
Places = NDArray[np.intp]
Words = NDArray[np.uint16]
"""Places of words in a vocabulary."""
Both = tuple[Array, Array]

SCALE = 4000.0
"""Unit rows are rounded to so many steps: float32 adds up their products without an error, so that
words are in one order on all machines."""
MOST_WORDS = 1 << 15
SEEDS = 500
"""Seeds, evenly spread over the logarithm of ranks."""
RELATIVES = (3, 6, 12, 25, 50, 100, 200)
"""A word at one of these places in order of nearness to a seed is a seed too: without it few topics
are as near to one another as two lists of one kind."""
OF_LIST = 448
"""Seeds whose ranks are nearest to a list's are tried for it."""
NEAREST = 1_024
"""Words whose order of nearness to a seed is known."""
HALVINGS, LOOSE = 5, 2.0
"""The w of a seed is found by halving the range of log w. Beyond the largest w there is a range of
this length, in which more and more words are at random."""
PAIRS = 150
"""Pairs in place of two lists."""
RETAINED = 16
"""Tests whose differences of topics a process retains, 0.5 MB each."""
SMALLEST = 500
"""Fewer usable words make no topics."""
LEAST, ENOUGH, EACH, COHERENT = 1_000, 4_000, 500, 0.2
"""Words of a list's frequencies that are taken at least, if there are so many; so many, and so many
for each word, where a list has so great a coherence or more, fewer for looser ones."""
BIN, SMOOTH = 0.1, 0.25
"""Frequencies of words are smoothed over the logarithm of ranks."""
APART, NEAR = (0.2, 0.5), 0.05
"""Differences that count alike: of coherence c, as a part of c + 1 / n, to which the spread of a
mean of n words is in proportion; of mean log rank; and of the cosine of two lists' means. Topics
that differ less in the former are alike."""


class TopicVocabulary:
    """Words from which topics are made, the most frequent first; 32,768 at most."""

    def __init__(self, rows: Array, ranks: NDArray[np.integer]) -> None:
        self.rows = np.rint(rows * SCALE).astype(np.float32)
        self.logs = np.log(ranks)
        self._squares = np.einsum("ij,ij->i", self.rows, self.rows, dtype=np.float64)

    @cached_property
    def _middle(self) -> Array:
        """Mean of all rows."""
        return np.asarray(np.rint(self.rows.mean(axis=0, dtype=np.float64)))

    @cached_property
    def _seeds(self) -> tuple[Places, Words]:
        """Seeds, and the words in order of nearness to each."""
        spread = np.linspace(np.log(100), self.logs[-1], SEEDS)
        first = np.unique(np.searchsorted(self.logs, spread).clip(0, len(self.rows) - 1))
        near = self._near(first)
        relatives = near[np.arange(len(first)), np.resize(RELATIVES, len(first))]
        second = np.setdiff1d(relatives, first)
        return np.concatenate([first, second]), np.concatenate([near, self._near(second)])

    def _near(self, seeds: Places) -> Words:
        """Words in order of nearness to each seed."""
        n, most = len(self.rows), min(NEAREST, len(self.rows))
        near = np.empty((len(seeds), most), np.uint16)
        for start in range(0, len(near), 64):  # a number holds nearness, and below it the word
            products = self.rows[seeds[start : start + 64]] @ self.rows.T
            keys = (products.astype(np.int32) + (1 << 24)) >> 8
            keys = ((((1 << 17) - 1) ^ keys) << 15 | np.arange(n, dtype=np.int32)).view(np.uint32)
            keys = np.sort(np.partition(keys, most - 1, axis=1)[:, :most], axis=1)
            near[start : start + 64] = keys & (MOST_WORDS - 1)
        return near

    def like(
        self, logs: Array, rows: Array, usable: NDArray[np.bool_], rng: np.random.Generator
    ) -> Topics:
        """Topics like a list, by the log ranks and the unit rows of its words."""
        n, own = len(logs), rows * SCALE
        squares = np.array([np.sum(own * own)])

        def coherent(middle: Array) -> float:
            return float(_coherence(own.sum(axis=0)[None], squares, n, middle)[0])

        # coherent topics need more words, whose frequencies are then less like the list's
        more = min(1.0, max(0.0, coherent(self._middle)) / COHERENT)
        enough = LEAST + more * (max(ENOUGH, EACH * n) - LEAST)
        words = self._as_frequent(logs, usable, enough, rng)
        middle = np.rint(self.rows[words].mean(axis=0, dtype=np.float64))
        coherence = coherent(middle)
        seeds, orders = self._seeds
        near = orders[np.argsort(np.abs(self.logs[seeds] - logs.mean()), kind="stable")[:OF_LIST]]
        chosen = words[near]
        counts = chosen.sum(axis=1)
        order, unrelated = near[chosen].astype(np.intp), rng.permutation(np.flatnonzero(words))
        starts, most = np.cumsum(counts) - counts, counts // n
        apart_from, full = np.log(np.maximum(most, 1)), len(unrelated) // n

        def make_topics(log_w: Array) -> tuple[Places, Array]:
            """A topic of each seed; beyond the largest w, more and more words at random."""
            w = np.minimum(np.exp(log_w).astype(np.intp), most)[:, None]
            parts = np.arange(n) + rng.random((len(w), n))
            near_by = starts[:, None] + (parts * w).astype(np.intp)
            lists = unrelated[(parts * full).astype(np.intp)]
            share = np.where(most > 0, (log_w - apart_from) / LOOSE, 1.0)[:, None]
            of_seed = np.arange(n) < np.rint(n * (1 - share))
            lists[of_seed] = order[near_by[of_seed]]
            sums = self._sums(lists)
            return lists, _coherence(sums, self._squares[lists].sum(axis=1), n, middle)

        low, high = np.zeros(len(near)), apart_from + LOOSE
        for _ in range(HALVINGS):
            middles = (low + high) / 2
            closer = make_topics(middles)[1] > coherence
            low, high = np.where(closer, middles, low), np.where(closer, high, middles)
        lists, coherences = make_topics((low + high) / 2)
        ranks = self.logs[lists].mean(axis=1) - logs.mean()
        scale = APART[0] * (abs(coherence) + 1 / n)
        apart = ((coherences - coherence) / scale) ** 2 + (ranks / APART[1]) ** 2
        ordered = np.sort(lists, axis=1)
        apart[(ordered[:, 1:] == ordered[:, :-1]).any(axis=1)] = np.inf  # no word twice
        return Topics(lists.astype(np.uint16), apart, coherences, coherence)

    def means(self, lists: NDArray[np.integer]) -> Array:
        """Mean unit row of each list of words, shape (lists, d)."""
        return np.asarray(self._sums(lists) / (SCALE * lists.shape[1]))

    def _sums(self, lists: NDArray[np.integer]) -> Array:
        """Sum of the rows of each list of words: of 4,000 words still without an error."""
        sums = np.zeros((len(lists), self.rows.shape[1]), np.float32)
        for words in lists.T:
            sums += self.rows[words]
        return sums.astype(np.float64)

    def _as_frequent(
        self, logs: Array, usable: NDArray[np.bool_], enough: float, rng: np.random.Generator
    ) -> NDArray[np.bool_]:
        """At least so many usable words, with the frequency distribution of a list."""
        least = max(SMALLEST, 2 * len(logs))
        if np.count_nonzero(usable) < least:
            raise EatlasError("there are too few words for topics", got=f"fewer than {least:,}")
        bins = (self.logs / BIN).astype(np.intp)
        size = max(bins[-1], int(logs.max() / BIN)) + 1
        steps = np.arange(size) * (BIN / SMOOTH)
        kernel = np.exp(-0.5 * (steps[:, None] - steps) ** 2)
        there = np.bincount(bins[usable], minlength=size)
        wanted = kernel @ np.bincount((logs / BIN).astype(np.intp), minlength=size)
        ratio = wanted / np.maximum(kernel @ there, 1e-9)
        # all words of the bins that lack words most, of the others a proportion
        order = np.argsort(-ratio)
        all_of, some = np.cumsum(there[order]), (there * ratio)[order]
        rest = np.append(np.cumsum(some[::-1])[::-1][1:], 0.0)
        taken = all_of + rest / np.maximum(ratio[order], 1e-300)
        last = min(int(np.searchsorted(taken, max(enough, LEAST, least))), size - 1)
        shares = np.minimum(1.0, ratio / max(ratio[order[last]], 1e-300))[bins] * usable
        return np.diff(np.floor(np.cumsum(shares) + rng.random()), prepend=0.0) > 0


@dataclass(frozen=True)
class Topics:
    """Topics like a list."""

    words: Words
    """Shape (topics, n)."""
    apart: Array
    """How far each is from the list in coherence and frequency: squares of differences, in units of
    APART."""
    coherences: Array
    """Mean product of two words' rows, each less the mean row of words of these frequencies: 0 for
    unrelated words."""
    coherence: float
    """The same of the list."""


def _coherence(sums: Array, squares: Array, n: int, middle: Array) -> Array:
    """Of lists by the sums of their rows and of the squares in these; 0 of single words."""
    if n == 1:
        return np.zeros(len(sums))
    squares = squares - 2 * sums @ middle + n * (middle @ middle)
    total = np.square(sums - n * middle).sum(axis=1)
    return np.asarray((total - squares) / (n * (n - 1) * SCALE**2))


@dataclass(frozen=True, eq=False)
class TopicPairs:
    """Pairs of topics in place of two lists."""

    words: tuple[Words, Words]
    """Indices for topics like the first list and like the second, each of shape (pairs, n)."""
    means: Both
    """Means of their rows, scaled to the length of the list's mean; shape (pairs, d)."""
    difference: Array
    """Difference of the lists' means, shape (d,)."""
    differences: Array
    """The same for each pair, scaled to the lists."""
    coherence: tuple[float, float]
    """Of the lists."""
    coherences: Both
    """Of the topics."""
    cosines: Array
    """Of the means in each pair."""
    cosine: float
    """The same of the lists."""

    @classmethod
    def near(
        cls,
        vocabulary: TopicVocabulary,
        topics: tuple[Topics, Topics],
        own: Both,
        avoided: Collection[int] = (),
    ) -> TopicPairs:
        """Those topics like two lists, whose means are `own`, that are as near to one another.

        Without topics that have a word to be `avoided`.
        """
        means = [vocabulary.means(some.words) for some in topics]
        cosines, cosine = _unit(means[0]) @ _unit(means[1]).T, float(_unit(own[0]) @ _unit(own[1]))
        first, second = (np.maximum(some.apart, 1.0) for some in topics)
        for apart, some in zip((first, second), topics, strict=True):
            apart[np.isin(some.words, [*avoided]).any(axis=1)] = np.inf
        off = ((cosines - cosine) / NEAR) ** 2 + first[:, None] + second
        count = min(PAIRS, int(np.count_nonzero(np.isfinite(off))))
        if not count:
            raise EatlasError("all topics contain a word of the test")
        nearest = np.sort(np.argpartition(off, count - 1, axis=None)[:count])
        picks = np.unravel_index(nearest, off.shape)
        x, y = (mean[pick] for mean, pick in zip(means, picks, strict=True))
        return cls(
            words=(topics[0].words[picks[0]], topics[1].words[picks[1]]),
            means=(_as_long(x, own[0]), _as_long(y, own[1])),
            difference=own[0] - own[1],
            differences=_as_long(x - y, own[0] - own[1]),
            coherence=(topics[0].coherence, topics[1].coherence),
            coherences=(topics[0].coherences[picks[0]], topics[1].coherences[picks[1]]),
            cosines=cosines[picks],
            cosine=cosine,
        )


@lru_cache(maxsize=RETAINED)
def topic_differences(targets: TopicPairs, attributes: TopicPairs) -> tuple[Array, Array, Array]:
    """How much more the first of two topics is associated with the first of a pair.

    Of every pair in place of X and Y with every pair in place of A and B, unless they share
    a word: the difference at level 1; and of the topics in place of X, and of Y, with the
    latter pairs: that at level 2. There, what all these topics have in common is compared with A
    and B themselves, as it follows from the frequency of their words.
    """
    behind = np.concatenate(attributes.words, axis=1)
    apart = [_no_word_shared(words, behind) for words in targets.words]
    both = apart[0] & apart[1]
    if not both.any():
        raise EatlasError("the topics have too many words in common")
    towards = attributes.differences.T

    def level2(means: Array, ok: NDArray[np.bool_]) -> Array:
        common = means.mean(axis=0)
        return np.asarray(((means - common) @ towards)[ok] + common @ attributes.difference)

    x, y = map(level2, targets.means, apart)
    return (targets.differences @ towards)[both], x, y


def _no_word_shared(first: Words, second: Words) -> NDArray[np.bool_]:
    """Whether lists have no word in common, shape (lists of the first kind, of the second)."""
    known = np.unique(first)
    column = np.full(MOST_WORDS, len(known))
    column[known] = np.arange(len(known))

    def there(lists: Words) -> NDArray[np.float32]:
        flags = np.zeros((len(lists), len(known) + 1), np.float32)
        np.put_along_axis(flags, column[lists], 1, axis=1)
        return flags[:, :-1]

    return np.asarray(there(first) @ there(second).T == 0)


def _unit(rows: Array) -> Array:
    """Rows of length 1; zeros stay."""
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=-1, keepdims=True), 1e-300))


def _as_long(rows: Array, row: Array) -> Array:
    """Rows as long as another one."""
    return np.asarray(_unit(rows) * np.linalg.norm(row))


def monte_carlo_p(observed: float, numbers: Array) -> tuple[float, float, float]:
    """The p-values of an observed number among random ones: greater, less, and two-sided.

    ``(b + 1) / (B + 1)`` with b of the B numbers at least as extreme (Davison and Hinkley 1997,
    section 4.2). Two-sided: at least as far from the mean of all B + 1 numbers.
    """
    total = len(numbers) + 1
    middle = (float(numbers.sum()) + observed) / total
    far = abs(observed - middle) * (1 - 1e-12)
    counts = (
        np.count_nonzero(numbers >= observed),
        np.count_nonzero(numbers <= observed),
        np.count_nonzero(np.abs(numbers - middle) >= far),
    )
    greater, less, both = ((int(count) + 1) / total for count in counts)
    return greater, less, both
