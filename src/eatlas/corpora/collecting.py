"""From texts to samples of contexts, one for each stimulus."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from eatlas.corpora.characters import character_table
from eatlas.corpora.matching import Matcher, Matches
from eatlas.corpora.reservoir import Kept
from eatlas.corpora.rows import Window
from eatlas.corpora.samples import Samples
from eatlas.corpora.sentence_rule import abbreviations
from eatlas.corpora.texts import Batch

MOST = 4096
"""Bytes on either side of a stimulus that are looked at for words; what has longer words than that
is no prose."""


class Collector:
    """Takes in texts and keeps the sample of each stimulus.

    Parameters
    ----------
    stimuli : sequence of str
    matcher : Matcher
        Finds the same stimuli.
    per_term : int
        Most contexts of a stimulus.
    window : int or "sentence"
        Words on either side, or the whole sentence.
    seed : int
    """

    def __init__(self, matcher: Matcher, *, per_term: int, window: Window, seed: int) -> None:
        self.matcher, self.window = matcher, window
        self.samples = Samples[Kept]([(one,) for one in matcher.stimuli], per_term, seed)

    def take(self, batch: Batch) -> None:
        """Look through some texts."""
        for matches in self.matcher.matches(batch.data, batch.separator):
            if len(matches):
                self._take(batch, matches)

    def _take(self, batch: Batch, matches: Matches) -> None:
        from eatlas.corpora import _kernels  # noqa: PLC0415  (compiles on import)

        data, which = batch.data, matches.stimuli
        begins, stops = window_bounds(batch, matches, self.window)
        offsets = np.empty(len(matches), np.int64)
        keys = np.empty(len(matches), np.uint64)
        starts, ends = matches.starts, matches.ends
        _kernels.keys(data, begins, starts, stops, self.samples.seeds[which], keys, offsets)

        def context(at: int) -> Kept:
            place = [int(column[at]) for column in (begins, starts, ends, stops)]
            return cut_out(data, place, int(offsets[at]))

        self.samples.take(which, keys, offsets, context)


def window_bounds(batch: Batch, matches: Matches, window: Window) -> NDArray[np.int64]:
    """Return where the contexts of matches begin and end, shape (2, matches)."""
    from eatlas.corpora import _kernels  # noqa: PLC0415  (compiles on import)

    bounds = np.empty((2, len(matches)), np.int64)
    place = (batch.data, matches.starts, matches.ends, batch.separator)
    if not isinstance(window, int):
        from eatlas.corpora import _sentence_kernels  # noqa: PLC0415

        tables = (character_table(), abbreviations())
        _sentence_kernels.sentence_windows(*place, MOST, tables, bounds)
    else:
        _kernels.word_windows(*place, window, MOST, bounds)
    return bounds


def cut_out(data: NDArray[np.uint8], place: Sequence[int], offset: int) -> Kept:
    """Return a context as text, every run of white space as one space.

    `offset` is where the stimulus begins then, in bytes.
    """
    begin, start, end, stop = place
    text = b" ".join(data[begin:stop].tobytes().split())
    stimulus = b" ".join(data[start:end].tobytes().split())
    first = len(text[:offset].decode())
    return Kept(text.decode(), first, first + len(stimulus.decode()))


def cut_out_pair(
    data: NDArray[np.uint8], bounds: tuple[int, int], spans: Iterable[tuple[int, int]]
) -> tuple[str | int, ...]:
    """Return a context as text, then where each span begins and ends in it, in characters."""
    begin, stop = bounds
    text = b" ".join(data[begin:stop].tobytes().split()).decode()
    places: list[int] = []
    for start, end in spans:
        before = data[begin:start].tobytes()
        space = " " if before[-1:].isspace() else ""
        first = len(b" ".join(before.split()).decode() + space)
        stimulus = b" ".join(data[start:end].tobytes().split()).decode()
        places += [first, first + len(stimulus)]
    return (text, *places)
