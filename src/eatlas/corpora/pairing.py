"""Pairs: a target and an attribute of one test, near each other in one text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from eatlas.corpora.collecting import cut_out_pair, window_bounds
from eatlas.corpora.matching import Matcher, Matches
from eatlas.corpora.rows import PairContext, Window
from eatlas.corpora.samples import Samples
from eatlas.corpora.texts import Batch
from eatlas.stimuli import AssociationTest

Pair = tuple[str, str]
"""A target and an attribute."""


def pairs_of(tests: Iterable[AssociationTest]) -> tuple[Pair, ...]:
    """Return every target of a test with every attribute of the same test, each pair once."""
    found: dict[Pair, None] = {}
    for test in tests:
        targets, attributes = test.X.terms + test.Y.terms, test.A.terms + test.B.terms
        found.update(dict.fromkeys(product(targets, attributes)))
    return tuple(pair for pair in found if pair[0] != pair[1])


class PairCollector:
    """Takes in texts and keeps the sample of each pair.

    Parameters
    ----------
    matcher : Matcher
    pairs : sequence of pairs of stimuli
    per_term : int
        Most contexts of a pair.
    window : int or "sentence"
        Words before the first and behind the second, or the sentence that holds both.
    distance : int
        Most words between the two.
    seed : int
    """

    def __init__(
        self,
        matcher: Matcher,
        pairs: Sequence[Pair],
        *,
        per_term: int,
        window: Window,
        distance: int,
        seed: int,
    ) -> None:
        self.matcher, self.pairs = matcher, pairs
        self.window, self.distance = window, distance
        places = {stimulus: place for place, stimulus in enumerate(matcher.stimuli)}
        self._numbers = np.full((len(places), len(places)), -1, np.int32)
        for number, (target, attribute) in enumerate(pairs):
            self._numbers[places[target], places[attribute]] = number
        self.samples = Samples[PairContext](pairs, per_term, seed)

    def take(self, batch: Batch) -> None:
        """Look through some texts; two stimuli of one text are seen together."""
        parts = [part for part in self.matcher.matches(batch.data, batch.separator) if len(part)]
        if parts:
            self._take(batch, Matches.joined(parts))

    def _take(self, batch: Batch, matches: Matches) -> None:
        from eatlas.corpora import _kernels, _pair_kernels  # noqa: PLC0415  (they compile)

        near = _pair_kernels.near(
            batch.data,
            matches.starts,
            matches.ends,
            matches.stimuli,
            batch.separator,
            self.distance,
            self._numbers,
        )
        if not len(near):
            return
        target, attribute, number = near.T
        first, second = np.minimum(target, attribute), np.maximum(target, attribute)
        begins, stops = self._bounds(batch, matches, first, second)
        inside = stops > begins
        target, attribute, number, first, second, begins, stops = (
            column[inside] for column in (target, attribute, number, first, second, begins, stops)
        )
        keys = np.empty(len(number), np.uint64)
        offsets = np.empty((2, len(number)), np.int64)
        for row, place in enumerate((first, second)):
            _kernels.keys(
                batch.data,
                begins,
                matches.starts[place],
                stops,
                self.samples.seeds[number],
                keys,
                offsets[row],
            )

        def context(at: int) -> PairContext:
            spans = tuple(
                (int(matches.starts[k]), int(matches.ends[k])) for k in (target[at], attribute[at])
            )
            bounds = int(begins[at]), int(stops[at])
            return PairContext(*self.pairs[number[at]], *cut_out_pair(batch.data, bounds, spans))

        self.samples.take(number, keys, (offsets[0] << 32) | offsets[1], context)

    def _bounds(
        self,
        batch: Batch,
        matches: Matches,
        first: NDArray[np.int64],
        second: NDArray[np.int64],
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return where contexts begin and end; nothing for two sentences."""
        one = window_bounds(batch, matches.at(first), self.window)
        two = window_bounds(batch, matches.at(second), self.window)
        if isinstance(self.window, int):
            return one[0], two[1]
        same = (one == two).all(axis=0)
        return one[0], np.where(same, one[1], one[0])
