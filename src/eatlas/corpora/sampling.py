"""Contexts one by one, and samples of them that do not depend on the order of a corpus."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from itertools import product
from typing import Any, Generic, Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from eatlas.corpora.characters import abbreviations, character_table
from eatlas.corpora.matching import Matcher, Matches
from eatlas.corpora.reading import Batch
from eatlas.stimuli import AssociationTest

SENTENCE = "sentence"
Window = int | Literal["sentence"]
"""Words on either side, or the whole sentence."""
Repeats = Literal["drop", "keep"]
KEEP = "keep"


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
    """Places in the corpus, the same text counted as often as it occurs."""
    kept: int
    """Contexts, of equal texts one unless repeats are kept; fewer than requested only where there
    are no more."""


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


ROWS: dict[int, Any] = {1: Context, 2: PairContext}
"""Contexts by the number of their stimuli."""
Found = TypeVar("Found")
"""What is sampled: contexts, or pairs."""


class Reservoir(Generic[Found]):
    """Keeps the contexts with the `size` smallest keys, each key once.

    Every context has a key that looks random but follows from the seed, the stimulus and its text
    alone. So the sample is the same in whatever order, and from whatever number of files, contexts
    come; a text that comes again is the same context. The first n of the sample are the sample of
    size n.
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
        """Take in a context; of two with one key, the one whose stimulus comes first."""
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
    """Return what makes the keys of a seed and a stimulus, or a pair, different from all others."""
    said = "\0".join((str(seed), *stimuli)).encode()
    return int.from_bytes(hashlib.blake2b(said, digest_size=8).digest(), "little")


class Samples(Generic[Found]):
    """A reservoir for each of some stimuli, or pairs, and how often each was found."""

    def __init__(self, names: Sequence[tuple[str, ...]], size: int, seed: int) -> None:
        self.names = names
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
        """Take in what was found."""
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
    """Takes in texts and keeps the sample of each stimulus."""

    def __init__(
        self,
        matcher: Matcher,
        *,
        per_term: int,
        window: Window,
        seed: int,
        repeats: Repeats = "drop",
    ) -> None:
        self.matcher, self.window, self.repeats = matcher, window, repeats
        self._at = 0
        self.samples: Samples[Any] = Samples(self.names(), per_term, seed)

    def names(self) -> Sequence[tuple[str, ...]]:
        """What is sampled: each stimulus."""
        return [(one,) for one in self.matcher.stimuli]

    def begin(self, place: int) -> None:
        """Begin with a file; its place tells equal texts of several files apart."""
        self._at = place

    def take(self, batch: Batch) -> None:
        """Look through some texts."""
        self.look(batch)
        self._at = (self._at + len(batch.data) + 1) & _ALL

    def look(self, batch: Batch) -> None:
        """Find stimuli in some texts, one by one."""
        for matches in self.matcher.matches(batch.data, batch.separator):
            if len(matches):
                begins, stops = window_bounds(batch, matches, self.window)
                alone = np.arange(len(matches))
                self.keep(batch, matches, (alone,), matches.stimuli, begins, stops)

    def keep(
        self,
        batch: Batch,
        matches: Matches,
        places: tuple[NDArray[np.int64], ...],
        numbers: NDArray[np.int64],
        begins: NDArray[np.int64],
        stops: NDArray[np.int64],
    ) -> None:
        """Take in contexts, each with the places of its stimuli among the matches."""
        from eatlas.corpora import _kernels  # noqa: PLC0415  (compiles on import)

        keys = np.empty(len(numbers), np.uint64)
        offsets = np.zeros((2, len(numbers)), np.int64)
        seeds = self.samples.seeds[numbers]
        for row, place in zip(offsets, np.sort(places, axis=0), strict=False):
            _kernels.keys(batch.data, begins, matches.starts[place], stops, seeds, keys, row)
        for place in places if self.repeats == KEEP else ():
            keys = _mixed(
                keys ^ _mixed(matches.starts[place].astype(np.uint64) + np.uint64(self._at))
            )

        def context(at: int) -> Any:
            spans = [(int(matches.starts[k[at]]), int(matches.ends[k[at]])) for k in places]
            cut = cut_out(batch.data, (int(begins[at]), int(stops[at])), spans)
            return ROWS[len(places)](*self.samples.names[numbers[at]], *cut)

        self.samples.take(numbers, keys, (offsets[0] << 32) | offsets[1], context)


def _mixed(keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Numbers that look random; the finaliser of MurmurHash3."""
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        keys = (keys ^ (keys >> np.uint64(33))) * np.uint64(factor)
    return keys ^ (keys >> np.uint64(33))


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


def cut_out(
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


class PairCollector(Collector):
    """Takes in texts and keeps the sample of each pair."""

    def __init__(
        self, matcher: Matcher, pairs: Sequence[Pair], *, distance: int, **sampling: Any
    ) -> None:
        self._pairs, self._distance = pairs, distance
        super().__init__(matcher, **sampling)
        places = {stimulus: place for place, stimulus in enumerate(matcher.stimuli)}
        self._numbers = np.full((len(places), len(places)), -1, np.int32)
        for number, (target, attribute) in enumerate(pairs):
            self._numbers[places[target], places[attribute]] = number

    def names(self) -> Sequence[tuple[str, ...]]:
        """What is sampled: each pair."""
        return self._pairs

    def look(self, batch: Batch) -> None:
        """Find pairs; two stimuli of one text are seen together."""
        from eatlas.corpora import _kernels  # noqa: PLC0415  (compiles on import)

        parts = [part for part in self.matcher.matches(batch.data, batch.separator) if len(part)]
        if not parts:
            return
        matches = Matches.joined(parts)
        place = (matches.starts, matches.ends, matches.stimuli, batch.separator)
        near = _kernels.near(batch.data, *place, self._distance, self._numbers)
        if not len(near):
            return
        first = window_bounds(batch, matches.at(near[:, :2].min(axis=1)), self.window)
        second = window_bounds(batch, matches.at(near[:, :2].max(axis=1)), self.window)
        begins, stops = first[0], second[1]
        if not isinstance(self.window, int):  # nothing for two sentences
            stops = np.where((first == second).all(axis=0), stops, begins)
        inside = stops > begins
        target, attribute, number = near[inside].T
        self.keep(batch, matches, (target, attribute), number, begins[inside], stops[inside])
