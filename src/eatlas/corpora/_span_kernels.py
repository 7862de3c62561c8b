"""Compiled: spans of sentences in UTF-8, and which stimuli occur in each."""

from __future__ import annotations

from typing import Any, NamedTuple

import numba as nb
import numpy as np
from numpy.typing import NDArray

from eatlas.corpora._kernels import is_space
from eatlas.corpora._sentence_kernels import begins

DOCUMENTS, SENTENCES, SPANS, TOKENS = range(4)
"""Places of the totals."""


class Roles(NamedTuple):
    """What each stimulus is, by its number."""

    target: NDArray[np.int32]
    """Row of the table; -1 where the stimulus is no target."""
    group: NDArray[np.int32]
    """Column of the table, shape (families, stimuli); -1 where it is not a word of a group."""
    first: NDArray[np.int32]
    """First column of each family, then the number of columns. Behind the groups of a family are
    two columns: spans with no group, and with several."""


class Sentences(NamedTuple):
    """What tells where sentences begin."""

    characters: NDArray[np.uint8]
    abbreviations: NDArray[np.uint64]


class Span(NamedTuple):
    """What the span that is open holds."""

    seen: NDArray[np.int64]
    """Sentence in which each target was seen last."""
    latest: NDArray[np.int64]
    """The same of each group, by its column."""
    targets: NDArray[np.int32]
    """Targets within the span, in no order; only the first so many count."""


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def _see(stimulus: int, sentence: int, begin: int, span: Span, count: int, roles: Roles) -> int:
    """Take a stimulus of a sentence into a span; return how many targets it has then."""
    target = roles.target[stimulus]
    if target >= 0:
        if span.seen[target] < begin:
            span.targets[count] = target
            count += 1
        span.seen[target] = sentence
    for family in range(len(roles.group)):
        column = roles.group[family, stimulus]
        if column >= 0:
            span.latest[column] = sentence
    return count


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def _kept(begin: int, span: Span, count: int) -> int:
    """Keep the targets that a span still holds when it begins with another sentence."""
    left = 0
    for k in range(count):
        if span.seen[span.targets[k]] >= begin:
            span.targets[left] = span.targets[k]
            left += 1
    return left


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def _emit(begin: int, span: Span, count: int, roles: Roles, table: NDArray[np.int64]) -> None:
    """Count a span whose first sentence is `begin` for every target in it."""
    for family in range(len(roles.first) - 1):
        none = roles.first[family + 1] - 2
        column = none
        for group in range(roles.first[family], none):
            if span.latest[group] >= begin:
                column = group if column == none else none + 1
        for k in range(count):
            table[span.targets[k], column] += 1


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def _is_first(data: NDArray[np.uint8], i: int, separator: int, tables: Sentences) -> Any:
    """Whether the word at `i`, not the first of its document, begins a sentence."""
    if data[i - 1] == 32 and (97 <= data[i - 2] <= 122 or data[i - 2] == 44):
        return False  # behind a small letter or a comma, as nearly all words are
    return begins(data, i, separator, tables.characters, tables.abbreviations)


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def count_spans(  # noqa: PLR0913, PLR0917  (one loop over bytes, in compiled code)
    data: NDArray[np.uint8],
    separator: int,
    starts: NDArray[np.int64],
    stimuli: NDArray[np.int64],
    roles: Roles,
    tables: Sentences,
    span: int,
    sliding: bool,  # noqa: FBT001  (compiled functions take no keywords)
    table: NDArray[np.int64],
    totals: NDArray[np.int64],
) -> None:
    """Add the spans of some documents to a table of counts.

    A document is between separators. Its spans are so many sentences that follow each other:
    disjoint, the last of a document with what is left; or sliding, one for every sentence that ends
    a whole span, and one of all in a shorter document. A match belongs to the sentence in which it
    begins.
    """
    size, matches = len(data), len(starts)
    open_span = Span(
        np.full(table.shape[0], -1, np.int64),
        np.full(table.shape[1], -1, np.int64),
        np.empty(table.shape[0], np.int32),
    )
    count = match = 0  # targets of the open span; matches that were seen
    sentence, begin, own = 0, 0, 0  # that is open; first of its span; spans of the document
    open_, i = False, 0
    while i <= size:
        at_end = i == size or data[i] == separator
        if not at_end and is_space(data[i]):
            i += 1
            continue
        if open_ and (at_end or _is_first(data, i, separator, tables)):
            while match < matches and starts[match] < i:
                count = _see(stimuli[match], sentence, begin, open_span, count, roles)
                match += 1
            sentence += 1
            totals[SENTENCES] += 1
            whole = sentence - begin == span
            if whole or (at_end and (own == 0 or (not sliding and sentence > begin))):
                _emit(begin, open_span, count, roles, table)
                totals[SPANS] += 1
                own += 1
                begin = begin + 1 if sliding and not at_end else sentence
                count = _kept(begin, open_span, count)
        if at_end:
            open_, begin, count, own = False, sentence, 0, 0
            i += 1
            continue
        if not open_:
            open_ = True
            totals[DOCUMENTS] += 1
        totals[TOKENS] += 1
        while i < size and data[i] != separator and not is_space(data[i]):
            i += 1
