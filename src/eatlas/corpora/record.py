"""Contexts of stimuli and of pairs: what was sampled, cut to fewer words, made tests of."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from eatlas.corpora.writing import LABEL, write
from eatlas.errors import EatlasError, described
from eatlas.lazy import as_frame
from eatlas.stimuli import ContextsOrigin

if TYPE_CHECKING:
    import pandas as pd

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


ROWS: dict[int, Any] = {1: Context, 2: PairContext}
"""Contexts by the number of their stimuli."""

MOST = 4096
"""Bytes on either side of a stimulus that are looked at for words; what has longer words than that
is no prose."""


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


SCHEMA = "eatlas/contexts/1"
WHOLE = "sample_of_sha256"
"""Key of the provenance: hash of all contexts, where these are the first of them, or cut."""
CUT = "cut_from"
"""Key of the provenance of contexts that were cut: the window before, and whether they are the
first of all."""
SEPARATOR = 0xFF
"""Between two texts: a byte that UTF-8 never has."""
Span = tuple[int, int]
"""Where a stimulus begins and ends in a text."""
Row = TypeVar("Row", Context, PairContext)
Counted = TypeVar("Counted", Count, PairCount)


@dataclass(frozen=True, repr=False)
class Sample(Generic[Row, Counted]):
    """What contexts of stimuli and of pairs have in common.

    A context is a tuple: the stimulus, or the two of a pair; the text; and where each stimulus
    begins and ends in it.
    """

    rows: Sequence[Row]
    """Contexts, stimulus by stimulus; those of one in random order, so that the first n are a
    random sample of n."""
    counts: tuple[Counted, ...]
    """All that was looked for."""
    provenance: Mapping[str, Any] = field(default_factory=dict)
    """Files with size and hash, seed, options, version, and what could not be read."""
    name: str = ""
    """The file that they were loaded from."""
    labels: Mapping[Any, str] = field(default_factory=dict)
    """What people saw in a context: a group, or "none"; of :func:`eatlas.read_labels`."""
    ROW: ClassVar[Any]
    COUNT: ClassVar[Any]
    NAMES: ClassVar[int]
    """Stimuli of a context: one, or two."""

    @classmethod
    def of(cls, rows: Sequence[Row], **more: Any) -> Self:
        """Make a record of contexts alone."""
        counts = Counter(row[: cls.NAMES] for row in rows)
        return cls(rows, tuple(cls.COUNT(*names, n, n) for names, n in counts.items()), **more)

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    @classmethod
    def columns(cls) -> tuple[str, ...]:
        """Names of what every context has."""
        return tuple(cls.ROW._fields)

    @cached_property
    def groups(self) -> dict[tuple[Any, ...], list[Row]]:
        """The contexts of each stimulus, or pair, that has some."""
        groups: dict[tuple[Any, ...], list[Row]] = {}
        for row in self.rows:
            groups.setdefault(row[: self.NAMES], []).append(row)
        return groups

    @property
    def few(self) -> tuple[Counted, ...]:
        """Those with fewer contexts than were requested."""
        per_term = self.provenance.get("per_term", 1)
        return tuple(count for count in self.counts if count.kept < per_term)

    @cached_property
    def sha256(self) -> str:
        """Hash of all contexts and their labels, whatever their order."""
        rows: list[Any] = sorted(self.rows)
        if self.labels:
            rows = [self._labelled(row) for row in rows]
        text = json.dumps(rows, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def window(self) -> Window | None:
        """Words on either side, or "sentence"; None where a file does not say it."""
        return self.provenance.get("window")

    @property
    def with_repeats(self) -> bool:
        """Whether equal texts are contexts of their own, or one."""
        return bool(self.provenance.get("repeats") == KEEP)

    @property
    def distance(self) -> int | None:
        """Most words between the two stimuli of a pair; None where that is not known."""
        return self.provenance.get("distance")

    @property
    def origin(self) -> ContextsOrigin:
        """Where they were taken from, for provenance: file and hash, and how many if not all."""
        provenance = self.provenance
        first = provenance.get(CUT, {"first": WHOLE in provenance})["first"]
        return ContextsOrigin(
            name=self.name,
            sha256=provenance.get(WHOLE, self.sha256),
            per_term=provenance["per_term"] if first else None,
            window=self.window,
            distance=self.distance,
        )

    def first(self, per_term: int) -> Self:
        """Return the first contexts of each, which are a random sample of that size."""
        per_term = min(per_term, self.provenance.get("per_term", per_term))
        rows = [row for contexts in self.groups.values() for row in contexts[:per_term]]
        counts = tuple(count._replace(kept=min(count.kept, per_term)) for count in self.counts)
        # the first of what is cut are not what is left of the first: they are a sample of their own
        cut = CUT in self.provenance
        whole = self.sha256 if cut else self.provenance.get(WHOLE, self.sha256)
        provenance = {**self.provenance, "per_term": per_term, WHOLE: whole}
        provenance.pop(CUT, None)
        return replace(self, rows=rows, counts=counts, provenance=provenance, labels=self._of(rows))

    def _of(self, rows: Iterable[Row]) -> dict[Row, str]:
        """Labels of some of these contexts."""
        return {row: self.labels[row] for row in rows if row in self.labels}

    def _cut(self, window: Window | None, distance: int | None = None) -> Self:
        """Keep pairs within a distance, then cut texts to a window, where they have more words."""
        found = self
        if distance is not None and distance != self.distance:
            require_distance(distance, self.distance, self.name or "the contexts")
            near = _Laid(self.rows, self.NAMES).near(int(distance))
            kept = [self.rows[place] for place in near]
            found = found._with(kept, self._of(kept), distance=int(distance))
        if window is not None:
            require_window(window, self.window, self.name or "the contexts")
        if window in {None, self.window} or not isinstance(window, Integral):
            return found
        return found._with(*found._shorter(int(window)), window=int(window))

    def _shorter(self, window: int) -> tuple[list[Row], dict[Row, str]]:
        """Cut each to so many words; of those that no longer differ keep the first, and its label.

        As extraction does; all where repeats are kept.
        """
        kept: dict[tuple[Any, ...], Row] = {}
        labels: dict[Row, str] = {}
        cuts = _Laid(self.rows, self.NAMES).cut(window)
        every: list[Row] = []
        for row, cut in zip(self.rows, cuts, strict=True):
            short = self.ROW(*row[: self.NAMES], *cut)
            every.append(short)
            there = kept.setdefault(short[: self.NAMES + 1], short)
            if sorted(short[self.NAMES + 1 :: 2]) < sorted(there[self.NAMES + 1 :: 2]):
                kept[short[: self.NAMES + 1]] = short
            if row in self.labels:
                labels.setdefault(short, self.labels[row])
        rows = every if self.with_repeats else list(kept.values())
        return rows, {one: labels[one] for one in rows if one in labels}

    def _with(self, rows: Sequence[Row], labels: Mapping[Row, str], **sizes: int) -> Self:
        """Make a record of some of these contexts, or of shorter ones, that says so."""
        numbers = Counter(row[: self.NAMES] for row in rows)
        counts = tuple(count._replace(kept=numbers[count[:-2]]) for count in self.counts)
        before = {"window": self.window, "first": WHOLE in self.provenance}
        whole = self.provenance.get(WHOLE, self.sha256)
        provenance = {CUT: before, **self.provenance, **sizes, WHOLE: whole}
        return replace(self, rows=rows, counts=counts, provenance=provenance, labels=labels)

    def cut_as(self, origin: ContextsOrigin) -> Self:
        """Return what a result was made of: these with the window and the distance of others."""
        return self._cut(origin.window, origin.distance)

    def taken(self, origin: ContextsOrigin) -> Self | None:
        """Take of these what a result was made of, by the name it has there; None of others."""
        own = self.origin
        if CUT in self.provenance and origin.per_term and origin.sha256 == self.sha256:
            return replace(self, name=origin.name).first(origin.per_term).cut_as(origin)
        fewer = own.per_term is not None and own.per_term < (origin.per_term or own.per_term + 1)
        if own.sha256 != origin.sha256 or fewer:
            return None
        named = replace(self, name=origin.name)
        if origin.per_term not in {None, own.per_term}:
            if CUT in self.provenance:
                return None
            named = named.first(origin.per_term or 1)
        try:
            return named.cut_as(origin)
        except EatlasError:  # it was made of longer contexts
            return None

    def to_frame(self) -> pd.DataFrame:
        """Return a row for each context; with a column of labels, if there are some."""
        rows, columns = self._table()
        return as_frame(rows, columns)

    def _table(self) -> tuple[list[tuple[Any, ...]], list[str]]:
        """Rows and columns, those of labels where there are some."""
        if not self.labels:
            return list(self.rows), list(self.columns())
        return list(map(self._labelled, self.rows)), [*self.columns(), LABEL]

    def _labelled(self, row: Any) -> tuple[Any, ...]:
        """A context with its label; None for none."""
        return (*row, self.labels.get(row))

    def counts_frame(self) -> pd.DataFrame:
        """Return a row for each stimulus, or pair, that was looked for."""
        return as_frame(self.counts, self.COUNT._fields)

    def write(self, path: str | Path) -> None:
        """Write a file, .parquet, .jsonl or .csv; it appears only when it is whole.

        Parquet has counts and provenance within; for the others they are in ``FILE.json``.

        Raises
        ------
        EatlasError
            If the name has another ending, or the file cannot be written.
        """
        about = {
            **self.provenance,
            "schema": SCHEMA,
            "contexts_sha256": self.sha256,
            "counts": [list(count) for count in self.counts],
        }
        rows, columns = self._table()
        write(Path(path), rows, tuple(columns), about)


@dataclass(frozen=True, repr=False)
class Contexts(Sample[Context, Count]):
    """Contexts of stimuli, sampled from a corpus; what :func:`eatlas.find_contexts` returns.

    Examples
    --------
    >>> contexts = Contexts.of([Context("ivy", "The ivy grows.", 4, 7)])
    >>> len(contexts), contexts.of_stimulus("ivy")[0].text
    (1, 'The ivy grows.')
    """

    ROW, COUNT, NAMES = Context, Count, 1

    def __repr__(self) -> str:
        return f"<Contexts: {len(self):,} of {len(self.counts)} stimuli>"

    def of_stimulus(self, stimulus: str) -> list[Context]:
        """Return the contexts of one stimulus."""
        return list(self.groups.get((stimulus,), ()))

    def cut(self, window: Window) -> Contexts:
        """Leave so many words on either side of each stimulus.

        What is left is what :func:`eatlas.find_contexts` takes of the same place with that window;
        of sentences, only words of the sentence. Texts that no longer differ are one context.

        Parameters
        ----------
        window : int or "sentence"
            At most what there is.

        Raises
        ------
        EatlasError
            If these contexts hold fewer words.

        Examples
        --------
        >>> contexts = Contexts.of([Context("ivy", "Here the ivy grows well.", 9, 12)])
        >>> contexts.cut(1).rows
        [Context(stimulus='ivy', text='the ivy grows', start=4, end=7)]
        """
        require_window(window, self.window, self.name or "the contexts")
        return self._cut(window)


@dataclass(frozen=True, repr=False)
class Pairs(Sample[PairContext, PairCount]):
    """Targets and attributes in one text; what :func:`eatlas.find_pairs` returns.

    Examples
    --------
    >>> pairs = Pairs.of([PairContext("ivy", "love", "I love ivy.", 7, 10, 2, 6)])
    >>> pairs.of_pair("ivy", "love")[0].text
    'I love ivy.'
    """

    ROW, COUNT, NAMES = PairContext, PairCount, 2

    def __repr__(self) -> str:
        return f"<Pairs: {len(self):,} contexts of {len(self.counts)} pairs>"

    def of_pair(self, target: str, attribute: str) -> list[PairContext]:
        """Return the contexts of one target with one attribute."""
        return list(self.groups.get((target, attribute), ()))

    def cut(self, window: Window | None = None, distance: int | None = None) -> Pairs:
        """Leave so many words before the first and behind the second, and pairs so near.

        Parameters
        ----------
        window : int or "sentence", optional
            As in :meth:`Contexts.cut`.
        distance : int, optional
            Keep the contexts with at most so many words between the two.

        Raises
        ------
        EatlasError
            If these contexts hold fewer words, or were looked for less far from each other.

        Examples
        --------
        >>> pairs = Pairs.of([PairContext("ivy", "love", "My love to see ivy!", 15, 18, 3, 7)])
        >>> pairs.cut(0).rows[0].text, len(pairs.cut(distance=1))
        ('love to see ivy!', 0)
        """
        return self._cut(window, distance)


def require_window(window: object, has: Window | None, name: str) -> None:
    """Refuse a window that contexts cannot be cut to."""
    if window != SENTENCE and not _whole(window):
        raise EatlasError(
            "the window is not usable",
            got=described(window),
            allowed=f"a whole number from 0, or {SENTENCE!r}",
        )
    if window == SENTENCE and has != SENTENCE:
        raise EatlasError(
            f"{name}: its contexts cannot be made whole sentences",
            got="a file that does not say what its contexts are"
            if has is None
            else f"contexts of {has} words on either side",
            allowed="numbers of words" if has is None else f"0 to {has} words",
            remedy="take them from the corpus: eatlas contexts --window sentence",
        )
    if isinstance(has, int) and isinstance(window, Integral) and int(window) > has:
        raise EatlasError(
            f"{name}: its contexts have fewer words",
            got=f"a window of {window} words",
            allowed=f"0 to {has} words on either side",
            remedy=f"take longer ones from the corpus: eatlas contexts --window {window}",
        )


def require_distance(distance: object, has: int | None, name: str) -> None:
    """Refuse a distance that pairs cannot be reduced to."""
    if not _whole(distance):
        raise EatlasError(
            "the distance is not usable", got=described(distance), allowed="a whole number from 0"
        )
    if has is not None and isinstance(distance, Integral) and int(distance) > has:
        raise EatlasError(
            f"{name}: there are no pairs so far from each other",
            got=f"a distance of {distance} words",
            allowed=f"0 to {has} words, as they were looked for",
            remedy=f"look for them again: eatlas contexts --pairs --distance {distance}",
        )


class _Laid:
    """Texts one behind the other as bytes, with the places of their stimuli."""

    def __init__(self, rows: Iterable[tuple[Any, ...]], names: int) -> None:
        coded: list[bytes] = []
        self.spans: list[list[Span]] = []
        at = 0
        for text, *places in (row[names:] for row in rows):
            coded.append(text.encode())
            there = [at + len(text[:place].encode()) for place in places]
            self.spans.append(list(zip(there[::2], there[1::2], strict=True)))
            at += len(coded[-1]) + 1
        joined = bytes([SEPARATOR]).join(coded)
        self.data: NDArray[np.uint8] = np.frombuffer(bytearray(joined), np.uint8)

    def cut(self, window: int) -> Iterable[tuple[Any, ...]]:
        """Cut each text to the words around its stimuli: the text, and their places in it."""
        from eatlas.corpora import kernels  # noqa: PLC0415  (compiles on import)

        bounds = []
        for place in (min, max):  # the first of the stimuli, then the last
            starts, ends = self._ends(place)
            limits = np.empty((2, len(starts)), np.int64)
            kernels.word_windows(self.data, starts, ends, SEPARATOR, window, MOST, limits)
            bounds.append(limits)
        begins, stops = bounds[0][0].tolist(), bounds[1][1].tolist()
        for begin, stop, spans in zip(begins, stops, self.spans, strict=True):
            yield cut_out(self.data, (begin, stop), spans)

    def near(self, distance: int) -> list[int]:
        """Return which texts have at most so many words between their two stimuli."""
        from eatlas.corpora import kernels  # noqa: PLC0415  (compiles on import)

        spans = np.array([sorted(some) for some in self.spans], np.int64).reshape(-1, 2)
        which = np.tile(np.arange(2), len(self.spans))
        numbers = np.array([[-1, 0], [-1, -1]], np.int32)  # the first with the second
        starts, ends = np.ascontiguousarray(spans.T)
        pairs = kernels.near(self.data, starts, ends, which, SEPARATOR, distance, numbers)
        return sorted({int(place) // 2 for place in pairs[:, 0]})

    def _ends(self, place: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        chosen = np.array([place(some) for some in self.spans], np.int64).reshape(-1, 2)
        starts, ends = np.ascontiguousarray(chosen.T)
        return starts, ends


def _whole(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= 0
