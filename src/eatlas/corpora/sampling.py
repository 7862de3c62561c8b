"""Contexts one by one, and samples of them that do not depend on the order of a corpus."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from itertools import product
from typing import Generic, Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from eatlas.corpora.lines import Batch
from eatlas.corpora.matching import Matcher, Matches, character_table
from eatlas.corpora.sentence_rule import abbreviations
from eatlas.stimuli import AssociationTest

SENTENCE = "sentence"
Window = int | Literal["sentence"]
"""Words on either side, or the whole sentence."""


class Context(NamedTuple):
    """A stimulus in a text."""

    stimulus: str
    text: str
    start: int
    """Where the stimulus begins: characters of the text."""
    end: int
    """Behind its last character."""


class Count(NamedTuple):
    """How often a stimulus was found, and how many contexts of it are kept."""

    stimulus: str
    found: int
    """Places in the corpus, the same text counted as often as it stands there."""
    kept: int
    """Different contexts; fewer than were asked for only where there are no more."""


class PairContext(NamedTuple):
    """A target and an attribute in one text; places are characters of the text."""

    target: str
    attribute: str
    text: str
    target_start: int
    target_end: int
    attribute_start: int
    attribute_end: int


class PairCount(NamedTuple):
    """How often a target and an attribute were found together, and how many contexts are kept."""

    target: str
    attribute: str
    found: int
    kept: int


_ALL = (1 << 64) - 1


class Kept(NamedTuple):
    """A context of a sample, and where in it the stimulus stands, in characters."""

    text: str
    start: int
    end: int


Found = TypeVar("Found")
"""What is sampled: contexts, or pairs."""


class Reservoir(Generic[Found]):
    """Keeps the contexts with the `size` smallest keys, each key once.

    Every context has a key that looks random but follows from the seed, the stimulus and its text
    alone. So the sample is the same in whatever order, and from whatever number of files, contexts
    come; a text that comes again is the same context. The first n of the sample are the sample of
    size n.

    Parameters
    ----------
    size : int
        Most contexts that are kept.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.limit = _ALL
        """Keys above it are not among the smallest."""
        self._kept: dict[int, tuple[int, Found]] = {}

    def offset(self, key: int) -> int | None:
        """Return the offset of the context of that key; None if there is none."""
        return self._kept[key][0] if key in self._kept else None

    def add(self, key: int, offset: int, context: Found) -> None:
        """Take in a context; of two with one key, that whose stimulus stands first."""
        if key > self.limit or (key in self._kept and self._kept[key][0] <= offset):
            return
        self._kept[key] = (offset, context)
        if len(self._kept) >= 2 * self.size:
            self._trim()

    def sample(self) -> list[Found]:
        """Return what is kept, in order of the keys."""
        self._trim()
        return [self._kept[key][1] for key in sorted(self._kept)]

    def merge(self, other: Reservoir[Found]) -> None:
        """Take in what another reservoir keeps."""
        for key, (offset, context) in other._kept.items():
            self.add(key, offset, context)

    def _trim(self) -> None:
        if len(self._kept) >= self.size:
            smallest = sorted(self._kept)[: self.size]
            self._kept = {key: self._kept[key] for key in smallest}
            self.limit = smallest[-1]


def key_seed(seed: int, *stimuli: str) -> int:
    """Return what makes the keys of a seed and a stimulus, or a pair, different from all others.

    Examples
    --------
    >>> key_seed(0, "ant") != key_seed(0, "ants") != key_seed(1, "ants")
    True
    """
    said = "\0".join((str(seed), *stimuli)).encode()
    return int.from_bytes(hashlib.blake2b(said, digest_size=8).digest(), "little")


class Samples(Generic[Found]):
    """A reservoir for each of some stimuli, or pairs, and how often each was found.

    Parameters
    ----------
    names : sequence of tuples of str
        The stimuli of each: one, or two of a pair.
    size : int
        Most contexts of each.
    seed : int
    """

    def __init__(self, names: Sequence[tuple[str, ...]], size: int, seed: int) -> None:
        self.found = np.zeros(len(names), np.int64)
        self.seeds = np.array([key_seed(seed, *name) for name in names], np.uint64)
        """What the keys of the contexts of each begin with."""
        self._reservoirs = [Reservoir[Found](size) for _ in names]
        self._limits = np.array([one.limit for one in self._reservoirs], np.uint64)

    def take(
        self,
        numbers: NDArray[np.integer],
        keys: NDArray[np.uint64],
        offsets: NDArray[np.int64],
        context: Callable[[int], Found],
    ) -> None:
        """Take in what was found.

        Parameters
        ----------
        numbers : array, shape (found,)
            Whose context it is.
        keys, offsets : arrays, shape (found,)
            As :class:`Reservoir` has them.
        context : callable
            Makes the context of one place in these arrays; called for those alone that are kept.
        """
        self.found += np.bincount(numbers, minlength=len(self.found))
        taken = np.flatnonzero(keys <= self._limits[numbers])
        columns = (taken, numbers[taken], keys[taken], offsets[taken])
        for at, number, key, offset in zip(*(one.tolist() for one in columns), strict=True):
            reservoir = self._reservoirs[number]
            known = reservoir.offset(key)
            if known is None or offset < known:
                reservoir.add(key, offset, context(at))
        for number in np.unique(numbers[taken]).tolist():
            self._limits[number] = self._reservoirs[number].limit

    def merge(self, other: Samples[Found]) -> None:
        """Take in what other samples of the same stimuli hold."""
        self.found += other.found
        for own, given in zip(self._reservoirs, other._reservoirs, strict=True):
            own.merge(given)
        self._limits = np.array([one.limit for one in self._reservoirs], np.uint64)

    def lists(self) -> list[list[Found]]:
        """Return the sample of each."""
        return [one.sample() for one in self._reservoirs]


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
        from eatlas.corpora import _kernels  # noqa: PLC0415  (they compile)

        near = _kernels.near(
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
