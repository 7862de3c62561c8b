"""Contexts cut to fewer words, by the rule of words that extraction has."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas.corpora.collecting import MOST, cut_out_pair
from eatlas.corpora.rows import SENTENCE, Context, PairContext, Window
from eatlas.errors import EatlasError, described

SEPARATOR = 0xFF
"""Between two texts: a byte that UTF-8 never has."""
Span = tuple[int, int]
"""Where a stimulus begins and ends in a text."""


def cut_contexts(rows: Sequence[Context], window: int) -> list[Context]:
    """Leave so many words on either side; texts that no longer differ are one context."""
    laid = _Laid([(row.text, ((row.start, row.end),)) for row in rows])
    shorter = [Context(row.stimulus, *cut) for row, cut in zip(rows, laid.cut(window), strict=True)]
    return _each_once((row[:2], row[2:], row) for row in shorter)


def cut_pairs(rows: Sequence[PairContext], window: int) -> list[PairContext]:
    """Leave so many words before the first and behind the second of each pair."""
    laid = _Laid([(row.text, _both(row)) for row in rows])
    shorter = [PairContext(*row[:2], *cut) for row, cut in zip(rows, laid.cut(window), strict=True)]
    return _each_once((row[:3], tuple(sorted((row[3], row[5]))), row) for row in shorter)


def nearer(rows: Sequence[PairContext], distance: int) -> list[PairContext]:
    """Keep those with at most so many words between the two."""
    near = _Laid([(row.text, _both(row)) for row in rows]).near(distance)
    return [rows[place] for place in near]


def require_window(window: object, has: Window | None, name: str) -> None:
    """Refuse a window that contexts cannot be cut to.

    Raises
    ------
    EatlasError
        If it is none, or has more words than the contexts.
    """
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
    """Refuse a distance that pairs cannot be reduced to.

    Raises
    ------
    EatlasError
        If it is none, or the pairs were looked for less far from each other.
    """
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

    def cut(self, window: int) -> Iterable[tuple[Any, ...]]:
        """Cut each text to the words around its stimuli: the text, and their places in it."""
        from eatlas.corpora import _kernels  # noqa: PLC0415  (compiles on import)

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
        from eatlas.corpora import _pair_kernels  # noqa: PLC0415  (compiles on import)

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


def _whole(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= 0


def _each_once(rows: Iterable[tuple[Any, Any, Any]]) -> list[Any]:
    """Keep one of those that no longer differ: as extraction does, that with the first place."""
    kept: dict[Any, tuple[Any, Any]] = {}
    for key, place, row in rows:
        if key not in kept or place < kept[key][0]:
            kept[key] = (place, row)
    return [row for _, row in kept.values()]


def _both(row: PairContext) -> tuple[Span, Span]:
    return (row.target_start, row.target_end), (row.attribute_start, row.attribute_end)
