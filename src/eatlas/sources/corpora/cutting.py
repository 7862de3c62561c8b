"""Contexts cut to fewer words, by the rule of words that extraction has."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from numbers import Integral
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import EatlasError, described
from eatlas.sources.corpora.collecting import MOST, SENTENCE, cut_out_pair
from eatlas.sources.corpora.record import CUT, WHOLE, Context, Contexts, PairContext, Pairs, Window

SEPARATOR = 0xFF
"""Between two texts: a byte that UTF-8 never has."""
Span = tuple[int, int]
"""Where a stimulus begins and ends in a text."""
Record = TypeVar("Record", Contexts, Pairs)


def cut_contexts(contexts: Contexts, window: Window) -> Contexts:
    """Leave so many words on either side; :meth:`Contexts.cut` documents it."""
    _require_window(contexts, window)
    if window == contexts.window or not isinstance(window, Integral):
        return contexts
    laid = _Laid([(row.text, ((row.start, row.end),)) for row in contexts.rows])
    rows = [
        Context(row.stimulus, *cut)
        for row, cut in zip(contexts.rows, laid.cut(int(window)), strict=True)
    ]
    kept = _each_once((row[:2], row[2:], row) for row in rows)
    return _with(contexts, kept, window=int(window))


def cut_pairs(pairs: Pairs, window: Window | None, distance: int | None) -> Pairs:
    """Leave so many words around pairs that are so near; :meth:`Pairs.cut` documents it."""
    if distance is not None and distance != pairs.distance:
        pairs = _nearer(pairs, distance)
    if window is None:
        return pairs
    _require_window(pairs, window)
    if window == pairs.window or not isinstance(window, Integral):
        return pairs
    laid = _Laid([(row.text, _both(row)) for row in pairs.rows])
    rows = [
        PairContext(*row[:2], *cut)
        for row, cut in zip(pairs.rows, laid.cut(int(window)), strict=True)
    ]
    kept = _each_once((row[:3], tuple(sorted((row[3], row[5]))), row) for row in rows)
    return _with(pairs, kept, window=int(window))


class _Laid:
    """Texts one behind the other as bytes, with the places of their stimuli."""

    def __init__(self, given: Sequence[tuple[str, tuple[Span, ...]]]) -> None:
        coded: list[bytes] = []
        self.spans: list[list[Span]] = []
        at = 0
        for text, spans in given:
            coded.append(text.encode())
            places = [[at + len(text[:place].encode()) for place in span] for span in spans]
            self.spans.append([(start, end) for start, end in places])
            at += len(coded[-1]) + 1
        joined = bytes([SEPARATOR]).join(coded)
        self.data: NDArray[np.uint8] = np.frombuffer(bytearray(joined), np.uint8)

    def cut(self, window: int) -> Iterable[tuple[str | int, ...]]:
        """Cut each text to the words around its stimuli: the text, and their places in it."""
        from eatlas.sources.corpora import _kernels  # noqa: PLC0415  (compiles on import)

        bounds = []
        for place in (min, max):  # the first of the stimuli, then the last
            starts, ends = self._ends(place)
            found = np.empty((2, len(starts)), np.int64)
            _kernels.word_windows(self.data, starts, ends, SEPARATOR, window, MOST, found)
            bounds.append(found)
        begins, stops = bounds[0][0].tolist(), bounds[1][1].tolist()
        for begin, stop, spans in zip(begins, stops, self.spans, strict=True):
            yield cut_out_pair(self.data, (begin, stop), spans)

    def near(self, distance: int) -> list[int]:
        """Return which texts have at most so many words between their two stimuli."""
        from eatlas.sources.corpora import _pair_kernels  # noqa: PLC0415  (compiles on import)

        spans = np.array([sorted(some) for some in self.spans], np.int64).reshape(-1, 2)
        which = np.tile(np.arange(2), len(self.spans))
        numbers = np.array([[-1, 0], [-1, -1]], np.int32)  # the first with the second
        starts, ends = np.ascontiguousarray(spans.T)
        found = _pair_kernels.near(self.data, starts, ends, which, SEPARATOR, distance, numbers)
        return sorted({int(place) // 2 for place in found[:, 0]})

    def _ends(self, place: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        chosen = np.array([place(some) for some in self.spans], np.int64).reshape(-1, 2)
        starts, ends = np.ascontiguousarray(chosen.T)
        return starts, ends


def _nearer(pairs: Pairs, distance: int) -> Pairs:
    whole = isinstance(distance, Integral) and not isinstance(distance, bool)
    if not whole or distance < 0:
        raise EatlasError(
            "the distance is not usable", got=described(distance), allowed="a whole number from 0"
        )
    has = pairs.distance
    if has is not None and distance > has:
        raise EatlasError(
            f"{_name(pairs)}: there are no pairs so far from each other",
            got=f"a distance of {distance} words",
            allowed=f"0 to {has} words, as they were looked for",
            remedy=f"look for them again: eatlas contexts --pairs --distance {distance}",
        )
    near = _Laid([(row.text, _both(row)) for row in pairs.rows]).near(int(distance))
    return _with(pairs, [pairs.rows[place] for place in near], distance=int(distance))


def _require_window(contexts: Contexts | Pairs, window: Window) -> None:
    whole = isinstance(window, Integral) and not isinstance(window, bool)
    if window != SENTENCE and not (whole and int(window) >= 0):
        raise EatlasError(
            "the window is not usable",
            got=described(window),
            allowed=f"a whole number from 0, or {SENTENCE!r}",
        )
    has = contexts.window
    if window == SENTENCE and has != SENTENCE:
        raise EatlasError(
            f"{_name(contexts)}: its contexts cannot be made whole sentences",
            got="a file that does not say what its contexts are"
            if has is None
            else f"contexts of {has} words on either side",
            allowed="numbers of words" if has is None else f"0 to {has} words",
            remedy="take them from the corpus: eatlas contexts --window sentence",
        )
    if isinstance(has, int) and int(window) > has:
        raise EatlasError(
            f"{_name(contexts)}: its contexts have fewer words",
            got=f"a window of {window} words",
            allowed=f"0 to {has} words on either side",
            remedy=f"take longer ones from the corpus: eatlas contexts --window {window}",
        )


def _each_once(rows: Iterable[tuple[Any, Any, Any]]) -> list[Any]:
    """Keep one of those that no longer differ: as extraction does, that with the first place."""
    kept: dict[Any, tuple[Any, Any]] = {}
    for key, place, row in rows:
        if key not in kept or place < kept[key][0]:
            kept[key] = (place, row)
    return [row for _, row in kept.values()]


def _with(of: Record, rows: list[Any], **sizes: int) -> Record:
    """Make a record of some of its contexts, or of shorter ones, that says what they are of."""
    made: Any = type(of).of(rows)
    kept = {count[:-2]: count.kept for count in made.counts}
    counts: Any = tuple(one._replace(kept=kept.get(one[:-2], 0)) for one in of.counts)
    whole = of.provenance.get(WHOLE, of.sha256)
    before = {"window": of.window, "first": WHOLE in of.provenance}
    said = {CUT: before, **of.provenance, **sizes, WHOLE: whole}
    return replace(of, rows=rows, counts=counts, provenance=said)


def _both(row: PairContext) -> tuple[Span, Span]:
    return (row.target_start, row.target_end), (row.attribute_start, row.attribute_end)


def _name(contexts: Contexts | Pairs) -> str:
    return contexts.name or "the contexts"
