"""Topics drawn at random, as coherent and as frequent as a list, and the effect sizes they give.

A topic is made of words near a seed, itself a word at random. The *i*-th of its n words is one of
the w words at the places i w to i w + w - 1 in order of nearness to the seed: the smaller w, the
more coherent the topic. Seeds and w are tried, and those topics are taken that are nearest to the
list in coherence and in frequency.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import EatlasError
from eatlas.stats.bootstrap import PatternRule
from eatlas.stats.designs import Judge
from eatlas.stats.effect_size import effect_sizes

Integers = NDArray[np.int64]

Array = NDArray[np.float64]
Places = NDArray[np.intp]

TRIES = 200
"""Rounds in which topics that share a word with others are drawn anew."""
SCALE = 4000.0
"""Unit rows are rounded to so many steps: float32 adds up their products without an error, so that
words are in one order on all machines."""
MOST_WORDS = 1 << 15
SEEDS, OF_LIST = 500, 224
"""Seeds, evenly spread over the logarithm of ranks; those nearest to a list's are tried for it."""
NEAREST = 2_048
"""Words whose order of nearness to a seed is known."""
HALVINGS, LOOSE = 5, 2.0
"""The w of a seed is found by halving the range of log w. Beyond the largest w there is a range of
this length, in which more and more words are at random."""
FEWEST, TOPICS = 24, 128
"""Topics are drawn from so many that are most like a list; of those that differ from it more than
APART from so few."""
WORDS = 6_400
"""Of long lists there are no more topics than have so many words."""
LEAST, ENOUGH, EACH, COHERENT = 1_000, 4_000, 500, 0.2
"""Words of a list's frequencies that are taken at least: fewer are too few for topics; so many, and
so many for each word, where a list has so great a coherence or more, fewer for looser ones."""
BIN, SMOOTH = 0.1, 0.25
"""Frequencies of words are smoothed over the logarithm of ranks."""
APART = 0.2, 0.5
"""Differences that count alike: of coherence c, as a part of c + 1 / n, to which the spread of a
mean of n words is in proportion; and of mean log rank."""


class TopicVocabulary:
    """Words from which topics are drawn, the most frequent first; 32,768 at most."""

    def __init__(self, rows: Array, ranks: NDArray[np.integer]) -> None:
        self.unit = rows
        self.rows = np.rint(rows * SCALE).astype(np.float32)
        self.logs = np.log(ranks)
        self._squares = np.einsum("ij,ij->i", self.rows, self.rows, dtype=np.float64)
        spread = np.linspace(np.log(100), self.logs[-1], SEEDS)
        self._seeds = np.unique(np.searchsorted(self.logs, spread).clip(0, len(rows) - 1))

    @cached_property
    def _middle(self) -> Array:
        """Mean of all rows."""
        return np.asarray(np.rint(self.rows.mean(axis=0, dtype=np.float64)))

    @cached_property
    def _near(self) -> NDArray[np.uint16]:
        """Words in order of nearness to each seed."""
        n, most = len(self.rows), min(NEAREST, len(self.rows))
        near = np.empty((len(self._seeds), most), np.uint16)
        for start in range(0, len(near), 64):  # a number holds nearness, and below it the word
            products = self.rows[self._seeds[start : start + 64]] @ self.rows.T
            keys = (products.astype(np.int32) + (1 << 24)) >> 8
            keys = ((((1 << 17) - 1) ^ keys) << 15 | np.arange(n, dtype=np.int32)).view(np.uint32)
            keys = np.sort(np.partition(keys, most - 1, axis=1)[:, :most], axis=1)
            near[start : start + 64] = keys & (MOST_WORDS - 1)
        return near

    def like(
        self, logs: Array, rows: Array, usable: NDArray[np.bool_], rng: np.random.Generator
    ) -> Topics:
        """Topics like a list, by the log ranks and the unit rows of its words; the likest first."""
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
        seeds = np.argsort(np.abs(self.logs[self._seeds] - logs.mean()), kind="stable")[:OF_LIST]
        near = self._near[seeds]
        chosen = words[near]
        counts = chosen.sum(axis=1)
        order, unrelated = near[chosen].astype(np.intp), rng.permutation(np.flatnonzero(words))
        starts, most = np.cumsum(counts) - counts, counts // n
        apart_from, full = np.log(np.maximum(most, 1)), len(unrelated) // n

        def drawn(log_w: Array) -> tuple[Places, Array]:
            """A topic of each seed; beyond the largest w, more and more words at random."""
            w = np.minimum(np.exp(log_w).astype(np.intp), most)[:, None]
            parts = np.arange(n) + rng.random((len(w), n))
            near_by = starts[:, None] + (parts * w).astype(np.intp)
            lists = unrelated[(parts * full).astype(np.intp)]
            share = np.where(most > 0, (log_w - apart_from) / LOOSE, 1.0)[:, None]
            of_seed = np.arange(n) < np.rint(n * (1 - share))
            lists[of_seed] = order[near_by[of_seed]]
            sums = np.add.reduce(self.rows.take(lists.T, axis=0), axis=0).astype(np.float64)
            return lists, _coherence(sums, self._squares[lists].sum(axis=1), n, middle)

        low, high = np.zeros(len(seeds)), apart_from + LOOSE
        for _ in range(HALVINGS):
            middles = (low + high) / 2
            closer = drawn(middles)[1] > coherence
            low, high = np.where(closer, middles, low), np.where(closer, high, middles)
        lists, coherences = drawn((low + high) / 2)
        ranks = self.logs[lists].mean(axis=1) - logs.mean()
        scale = APART[0] * (abs(coherence) + 1 / n)
        apart = ((coherences - coherence) / scale) ** 2 + (ranks / APART[1]) ** 2
        ordered = np.sort(lists, axis=1)
        apart[(ordered[:, 1:] == ordered[:, :-1]).any(axis=1)] = np.inf  # no word twice
        best = np.argsort(apart, kind="stable")
        return Topics(lists[best], coherences[best], coherence, apart[best] <= 1)

    def _as_frequent(
        self, logs: Array, usable: NDArray[np.bool_], enough: float, rng: np.random.Generator
    ) -> NDArray[np.bool_]:
        """Usable words whose frequencies are distributed as those of a list, so many at least."""
        least = max(LEAST, 2 * len(logs))
        if np.count_nonzero(usable) < least:
            raise EatlasError("there are too few words for topics", got=f"fewer than {least:,}")
        bins = (self.logs / BIN).astype(np.intp)
        size = max(bins[-1], int(logs.max() / BIN)) + 1
        steps = np.arange(size) * (BIN / SMOOTH)
        kernel = np.exp(-0.5 * (steps[:, None] - steps) ** 2)
        there = np.bincount(bins[usable], minlength=size)
        wanted = kernel @ np.bincount((logs / BIN).astype(np.intp), minlength=size)
        ratio = wanted / np.maximum(kernel @ there, 1e-9)
        # all words of the bins that lack words most, of the others a share
        order = np.argsort(-ratio)
        all_of, some = np.cumsum(there[order]), (there * ratio)[order]
        rest = np.append(np.cumsum(some[::-1])[::-1][1:], 0.0)
        taken = all_of + rest / np.maximum(ratio[order], 1e-300)
        last = min(int(np.searchsorted(taken, max(enough, least))), size - 1)
        shares = np.minimum(1.0, ratio / max(ratio[order[last]], 1e-300))[bins] * usable
        return np.diff(np.floor(np.cumsum(shares) + rng.random()), prepend=0.0) > 0


@dataclass(frozen=True)
class Topics:
    """Topics like a list."""

    words: Places
    """Places in the vocabulary, shape (topics, n)."""
    coherences: Array
    """Mean product of two words' rows, each less the mean row of words of these frequencies: 0 for
    unrelated words."""
    coherence: float
    """The same of the list."""
    alike: NDArray[np.bool_]
    """Whether a topic is within APART of the list."""

    def without(self, words: Collection[int]) -> Topics:
        """Those without some words, as many as are drawn from."""
        free = np.flatnonzero(~np.isin(self.words, [*words]).any(axis=1))
        most = min(TOPICS, WORDS // self.words.shape[1], np.count_nonzero(self.alike[free]))
        free = free[: max(FEWEST, most)]
        return Topics(self.words[free], self.coherences[free], self.coherence, self.alike[free])


def _coherence(sums: Array, squares: Array, n: int, middle: Array) -> Array:
    """Of lists by the sums of their rows and of the squares in these; 0 of single words."""
    if n == 1:
        return np.zeros(len(sums))
    squares = squares - 2 * sums @ middle + n * (middle @ middle)
    total = np.square(sums - n * middle).sum(axis=1)
    return np.asarray((total - squares) / (n * (n - 1) * SCALE**2))


def draw_topics(topics: Sequence[Places], draws: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Numbers of one topic of each kind, many times, such that they share no word.

    Shape (draws, kinds).
    """
    picks = np.empty((draws, len(topics)), np.intp)
    for kind, words in enumerate(topics):
        again = np.arange(draws)
        for _ in range(TRIES):
            picks[again, kind] = rng.integers(0, len(words), len(again)) if len(words) else 0
            lists = [w[picks[again, k]] for k, w in enumerate(topics[: kind + 1])]
            drawn = np.sort(np.concatenate(lists, axis=1), axis=1)
            again = again[(drawn[:, 1:] == drawn[:, :-1]).any(axis=1)]
            if not len(again):
                break
        else:
            raise EatlasError("the topics have too many words in common")
    return picks


Topical = tuple[Array, Array, Array, Array]
"""Rows of the words of topics in the place of X, Y, A and B, each of shape (topics, n, d)."""


def topic_effects(
    topics: Topical,
    picks: NDArray[np.intp],
    *,
    ddof: int = 1,
    rule: PatternRule | None = None,
    rng: np.random.Generator | None = None,
) -> tuple[list[Array], list[Integers]]:
    """Effect sizes of many draws at level 1 and at level 2 of X and of Y, and their associations.

    `picks` has the number of the topic of each role for every draw, shape (draws, 4). NaN where
    scores have no spread. An association of X, or of Y, is 1 with A, -1 with B and 0 with neither;
    there is none without a rule.
    """
    n_x, n_a = topics[0].shape[1], topics[2].shape[1]
    means = [np.add.reduce(some, axis=1) / some.shape[1] for some in topics]

    def cosines(terms: int, group: int) -> Array:
        """Of the words of one topic with the mean of another, for every draw."""
        words = topics[terms]
        products = words.reshape(-1, words.shape[2]) @ means[group].T
        each = products.reshape(*words.shape[:2], -1).transpose(0, 2, 1)
        return np.ascontiguousarray(each)[picks[:, terms], picks[:, group]]

    scores = np.concatenate([cosines(i, 2) - cosines(i, 3) for i in (0, 1)], axis=1)
    attributes = [np.concatenate([cosines(i, side) for i in (2, 3)], axis=1) for side in (0, 1)]
    level2 = [effect_sizes(some, n_a, ddof=ddof)[1] for some in attributes]
    signs = [np.empty(0, np.int64)] * 2
    if rule is not None:
        judge = Judge(
            attributes[0].shape[1],
            n_a,
            rule.alpha,
            two_sided=rule.tail == "two-sided",
            samples=2 * len(picks),
            rng=rng or np.random.default_rng(0),
        )
        both = judge.associations(
            np.concatenate(attributes), np.concatenate(level2), rule.threshold
        )
        signs = np.split(both, 2)
    return [effect_sizes(scores, n_x, ddof=ddof)[1], *level2], signs


def monte_carlo_p(observed: float, draws: Array) -> tuple[float, float, float]:
    """The p-values of an observed number among draws: greater, less, and two-sided.

    ``(b + 1) / (B + 1)`` with b the draws at least as extreme (Davison and Hinkley 1997, section
    4.2). Two-sided: at least as far from the mean of all B + 1 numbers.
    """
    known = draws[np.isfinite(draws)]
    lost, total = len(draws) - len(known), len(draws) + 1
    middle = (float(known.sum()) + observed) / (len(known) + 1)
    far = abs(observed - middle) * (1 - 1e-12)
    counts = (
        np.count_nonzero(known >= observed),
        np.count_nonzero(known <= observed),
        np.count_nonzero(np.abs(known - middle) >= far),
    )
    greater, less, both = ((int(count) + lost + 1) / total for count in counts)
    return greater, less, both
