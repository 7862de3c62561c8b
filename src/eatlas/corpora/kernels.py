"""Compiled loops over UTF-8: matches, windows of words and sentences, pairs, spans, keys."""

from __future__ import annotations

from typing import Any, NamedTuple

import numba as nb
import numpy as np
from numpy.typing import NDArray

from eatlas.corpora.characters import FNV_PRIME, FNV_START, LOWER, WORD

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]
Hashes = NDArray[np.uint64]
States = NDArray[np.int32]
compiled = nb.njit(cache=True, nogil=True)
inlined = nb.njit(cache=True, nogil=True, inline="always")

_START, _PRIME = np.uint64(FNV_START), np.uint64(FNV_PRIME)
_SLOT_BITS = 14  # the table stays in the fastest cache; with more or fewer slots it is slower
SLOTS = 1 << _SLOT_BITS
_SPREAD = np.uint32(2654435761)  # 2^32 over the golden ratio, as Knuth advises
_SPACE = 32
_ASCII = 128
_SOFT_HYPHEN = (0xC2, 0xAD)


class Tables(NamedTuple):
    """What a loop through texts looks up."""

    next: States
    """The state after a byte, shape (states, 256)."""
    final: States
    """What ends in a state, or -1."""
    characters: Bytes
    """Bits of each code point."""
    beginnings: Bytes
    """Whether a spelling may begin with the three bytes of a slot."""


class Sentences(NamedTuple):
    """What tells where sentences begin."""

    characters: Bytes
    abbreviations: Hashes


@inlined  # type: ignore[misc, unused-ignore]
def is_space(byte: Any) -> Any:
    """Whether a byte is white space of ASCII."""
    return byte == 32 or 9 <= byte <= 13


@compiled  # type: ignore[misc, unused-ignore]
def point(data: Bytes, i: int, end: int) -> tuple[Any, Any]:
    """Return the code point that begins at `i`, and its length; the bytes are valid UTF-8."""
    byte = np.int64(data[i])
    size = 1 if byte < 128 else 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
    if size == 1:
        return byte, 1
    if i + size > end:
        return np.int64(0), end - i
    point = byte & (0x7F >> size)
    for k in range(1, size):
        point = (point << 6) | (np.int64(data[i + k]) & 0x3F)
    return point, size


@compiled  # type: ignore[misc, unused-ignore]
def _is_soft_hyphen(data: Bytes, i: int, end: int) -> Any:
    """Whether a soft hyphen begins at `i`."""
    return i + 1 < end and data[i] == _SOFT_HYPHEN[0] and data[i + 1] == _SOFT_HYPHEN[1]


@compiled  # type: ignore[misc, unused-ignore]
def _behind_soft_hyphens(data: Bytes, i: int, end: int) -> int:
    """Return where the soft hyphens at `i` end, or `i`."""
    while _is_soft_hyphen(data, i, end):
        i += 2
    return i


@compiled  # type: ignore[misc, unused-ignore]
def _in_word(data: Bytes, i: int, end: int, table: Bytes) -> Any:
    """Whether a character of a word begins at `i`, or behind soft hyphens there."""
    if i < end and data[i] >= _ASCII:
        i = _behind_soft_hyphens(data, i, end)
    if i >= end:
        return False
    if data[i] < _ASCII:
        return table[data[i]] & WORD != 0
    return table[point(data, i, end)[0]] & WORD != 0


@compiled  # type: ignore[misc, unused-ignore]
def _ends_in_word(data: Bytes, i: int, table: Bytes) -> Any:
    """Whether the character before `i`, soft hyphens passed over, is one of a word."""
    end = len(data)
    while i > 0:
        i -= 1
        while i > 0 and (data[i] & 0xC0) == 0x80:
            i -= 1
        if not _is_soft_hyphen(data, i, end):
            return table[point(data, i, end)[0]] & WORD != 0
    return False


@inlined  # type: ignore[misc, unused-ignore]
def slot(first: Any, second: Any, third: Any) -> Any:
    """Return the place of three bytes in a table of SLOTS places."""
    three = (np.uint32(first) << 16) | (np.uint32(second) << 8) | np.uint32(third)
    return np.uint32(three * _SPREAD) >> (32 - _SLOT_BITS)


@compiled  # type: ignore[misc, unused-ignore]
def beginnings(following: States, final: States, table: Bytes) -> Bytes:
    """Mark the slots of the three bytes with which a spelling and what follows it may begin.

    A soft hyphen may be behind every character.
    """
    marked = np.zeros(SLOTS, np.uint8)
    for a in range(256):
        first = following[0, a]
        if first < 0:
            continue
        marked[slot(a, _SOFT_HYPHEN[0], _SOFT_HYPHEN[1])] = 1
        for b in range(256):
            two = following[first, b]
            over = final[first] >= 0 and (b >= _ASCII or table[b] & WORD == 0)
            if two < 0 and not over:
                continue
            for c in range(256):
                ends = over or (two >= 0 and (final[two] >= 0 or c == _SOFT_HYPHEN[0]))
                if ends or (two >= 0 and following[two, c] >= 0):
                    marked[slot(a, b, c)] = 1
    return marked


@compiled  # type: ignore[misc, unused-ignore]
def _past_soft_hyphen(data: Bytes, i: int, state: int, before: int) -> tuple[Any, Any]:
    """Return where to go on behind a soft hyphen, and in which state; -1 if there is none.

    One that begins at `i` leaves the state as it is; of one that `i` is the second byte of, the
    first could have begun something else.
    """
    if state != 0 and _is_soft_hyphen(data, i, len(data)):
        return i + 2, state
    if before != 0 and _is_soft_hyphen(data, i - 1, len(data)):
        return i + 1, before
    return -1, state


@compiled  # type: ignore[misc, unused-ignore]
def _walk(data: Bytes, i: int, end: int, separator: int, tables: Tables) -> tuple[Any, Any]:
    """Return where the longest spelling from `i` on ends, and which it is; -1 if there is none."""
    following, final, table = tables.next, tables.final, tables.characters
    before, state, at, ending = 0, 0, -1, -1
    while i < end and data[i] != separator:
        after = following[state, data[i]]
        if after < 0:
            if data[i] < _ASCII:
                break
            i, state = _past_soft_hyphen(data, i, state, before)
            if i < 0:
                break
            continue
        before, state = state, after
        i += 1
        if final[state] >= 0 and not _in_word(data, i, end, table):
            at, ending = i, final[state]
    return at, ending


@compiled  # type: ignore[misc, unused-ignore]
def find(data: Bytes, separator: int, tables: Tables) -> tuple[Any, Any, Any]:
    """Find spellings as whole words: from the left, the longest first, none within another.

    Where each begins and ends, and which it is. Three bytes and the one before tell nearly
    everywhere that no spelling begins; the loop that looks at them has no branch that is hard to
    foresee.
    """
    size, table, marked = len(data), tables.characters, tables.beginnings
    outside = np.empty(256, np.uint8)  # bytes that may precede a word
    for byte in range(256):
        outside[byte] = byte >= _ASCII or table[byte] & WORD == 0
    matches = np.empty((3, 1024), np.int64)
    i, count = 0, 0
    while i < size:
        while 0 < i < size - 2 and not (
            outside[data[i - 1]] & marked[slot(data[i], data[i + 1], data[i + 2])]
        ):
            i += 1
        before = data[i - 1] if i > 0 else separator
        if not outside[before] or (before >= _ASCII and _ends_in_word(data, i, table)):
            i += 1
            continue
        at, ending = _walk(data, i, size, separator, tables)
        if at < 0:
            i += 1
            continue
        if count == matches.shape[1]:
            matches = np.concatenate((matches, np.empty_like(matches)), axis=1)
        matches[0, count], matches[1, count], matches[2, count] = i, at, ending
        count += 1
        i = at
    return matches[0, :count].copy(), matches[1, :count].copy(), matches[2, :count].copy()


@compiled  # type: ignore[misc, unused-ignore]
def _words_before(data: Bytes, start: int, separator: int, n: int, most: int) -> int:
    """Return where the `n` words before the word that holds `start` begin."""
    least, i, begin = max(0, start - most), start, start
    for k in range(n + 1):
        while k > 0 and i > least and data[i - 1] != separator and is_space(data[i - 1]):
            i -= 1
        word = i
        while i > least and data[i - 1] != separator and not is_space(data[i - 1]):
            i -= 1
        whole = i > least or i == 0 or data[i - 1] == separator or is_space(data[i - 1])
        if not whole or (k > 0 and i == word):
            break
        begin = i
    return begin


@compiled  # type: ignore[misc, unused-ignore]
def _words_behind(data: Bytes, end: int, separator: int, n: int, most: int) -> int:
    """Return where the `n` words behind the word that `end` closes end."""
    size, i, stop = len(data), end, end
    last = min(size, end + most)
    for k in range(n + 1):
        while k > 0 and i < last and data[i] != separator and is_space(data[i]):
            i += 1
        word = i
        while i < last and data[i] != separator and not is_space(data[i]):
            i += 1
        whole = i < last or i == size or data[i] == separator or is_space(data[i])
        if not whole or (k > 0 and i == word):
            break
        stop = i
    return stop


@compiled  # type: ignore[misc, unused-ignore]
def word_windows(
    data: Bytes, separator: int, starts: Ints, ends: Ints, n: int, most: int, bounds: Ints
) -> None:
    """Write where `n` words on either side of each match begin and end to the rows of `bounds`.

    They are within its text, and at most `most` bytes away.
    """
    for k in range(len(starts)):
        bounds[0, k] = _words_before(data, starts[k], separator, n, most)
        bounds[1, k] = _words_behind(data, ends[k], separator, n, most)


@compiled  # type: ignore[misc, unused-ignore]
def keys(
    data: Bytes,
    begins: Ints,
    starts: Ints,
    stops: Ints,
    seeds: Hashes,
    hashes: Hashes,
    offsets: Ints,
) -> None:
    """Hash each context with its seed, any white space as one space; where its match begins.

    FNV-1a, then the finaliser of MurmurHash3, so that all bits of the key depend on all bytes.
    """
    for k in range(len(begins)):
        key = _START ^ seeds[k]
        size, spaced = 0, False
        for i in range(begins[k], stops[k]):
            if i == starts[k]:
                offsets[k] = size
            byte = data[i]
            space = is_space(byte)
            if space and spaced:
                continue
            spaced = space
            key = (key ^ np.uint64(_SPACE if space else byte)) * _PRIME
            size += 1
        key ^= key >> np.uint64(33)
        key *= np.uint64(0xFF51AFD7ED558CCD)
        key ^= key >> np.uint64(33)
        key *= np.uint64(0xC4CEB9FE1A85EC53)
        hashes[k] = key ^ (key >> np.uint64(33))


@compiled  # type: ignore[misc, unused-ignore]
def near(
    data: Bytes,
    starts: Ints,
    ends: Ints,
    stimuli: Ints,
    separator: int,
    distance: int,
    numbers: States,
) -> Any:
    """Find two matches of one text with at most `distance` words between them."""
    pairs = np.empty((1024, 3), np.int64)
    count = 0
    for k in range(len(starts)):
        at, gaps = ends[k], 0
        for j in range(k + 1, len(starts)):
            while at < starts[j] and gaps <= distance + 1 and data[at] != separator:
                gaps += is_space(data[at]) and not is_space(data[at + 1])
                at += 1
            if at < starts[j] or gaps > distance + 1:
                break
            for target, attribute in ((k, j), (j, k)):
                number = numbers[stimuli[target], stimuli[attribute]]
                if number >= 0:
                    if count == len(pairs):
                        pairs = np.concatenate((pairs, np.empty_like(pairs)))
                    pairs[count, 0], pairs[count, 1], pairs[count, 2] = target, attribute, number
                    count += 1
    return pairs[:count]


_NEWLINE, _DOT = 10, 46
_MARKS = (0x21, 0x3F, 0x2026, 0x203D, 0x3002, 0xFF01, 0xFF1F)  # ! ? … ‽ 。 ！ ？
_CLOSING = (0x22, 0x27, 0x29, 0x5D, 0x7D, 0x2019, 0x201D, 0xBB, 0x2A)  # " ' ) ] } ’ ” » *
_OPENING = (0x22, 0x27, 0x28, 0x5B, 0x7B, 0x2018, 0x201C, 0xAB, 0x2A)  # " ' ( [ { ‘ “ « *
_LONGEST = 12
"""Bytes of the longest abbreviation that is looked for."""


@compiled  # type: ignore[misc, unused-ignore]
def _before(data: Bytes, i: int) -> Any:
    """Return where the character before `i` begins."""
    i -= 1
    while i > 0 and (data[i] & 0xC0) == 0x80:
        i -= 1
    return i


@compiled  # type: ignore[misc, unused-ignore]
def _goes_on(data: Bytes, i: int, table: Bytes) -> Any:
    """Whether what begins at `i` begins no sentence: lower case, or dots alone."""
    size = len(data)
    while i < size:
        code, width = point(data, i, size)
        if code not in _OPENING:
            return code == _DOT or table[code] & LOWER != 0
        i += width
    return False


@compiled  # type: ignore[misc, unused-ignore]
def _abbreviated(data: Bytes, dot: int, separator: int, hashes: Hashes) -> Any:
    """Whether the word before a full stop is an abbreviation or an initial."""
    first = dot
    while first > 0 and dot - first <= _LONGEST and data[first - 1] != separator:
        byte = data[first - 1]
        if not (byte == _DOT or 65 <= byte <= 90 or 97 <= byte <= 122):
            break
        first -= 1
    size = dot - first
    if size == 0 or size > _LONGEST:
        return False
    last = data[dot - 1]
    if (size == 1 or data[dot - 2] == _DOT) and 65 <= last <= 90:
        return size == 1 and last != 73  # an initial, but not the word I; U.S. may end a sentence
    key = _START
    for i in range(first, dot):
        byte = data[i] | 32 if 65 <= data[i] <= 90 else data[i]
        key = (key ^ np.uint64(byte)) * _PRIME
    position = np.searchsorted(hashes, key)
    return position < len(hashes) and hashes[position] == key


@compiled  # type: ignore[misc, unused-ignore]
def begins(data: Bytes, i: int, separator: int, tables: Sentences) -> Any:
    """Whether a sentence begins at `i`, which follows white space."""
    at, newlines = i, 0
    while at > 0 and data[at - 1] != separator and is_space(data[at - 1]):
        at -= 1
        newlines += data[at] == _NEWLINE
    if newlines > 1 or at == 0 or data[at - 1] == separator:
        return True
    last = _before(data, at)
    code, _ = point(data, last, len(data))
    while code in _CLOSING and last > 0 and data[last - 1] != separator:
        last = _before(data, last)
        code, _ = point(data, last, len(data))
    if code != _DOT and code not in _MARKS:
        return False
    if _goes_on(data, i, tables.characters):
        return False
    return code != _DOT or not _abbreviated(data, last, separator, tables.abbreviations)


@compiled  # type: ignore[misc, unused-ignore]
def _from(data: Bytes, start: int, separator: int, most: int, tables: Sentences) -> Any:
    """Return where the sentence around `start` begins; the nearest word if it is too far away."""
    least, word, i = max(0, start - most), start, start
    while True:
        if i == 0 or data[i - 1] == separator:
            while i < start and is_space(data[i]):
                i += 1
            return i
        if is_space(data[i - 1]) and not is_space(data[i]):
            word = i
            if begins(data, i, separator, tables):
                return i
        if i == least:
            return word
        i -= 1


@compiled  # type: ignore[misc, unused-ignore]
def _to(data: Bytes, end: int, separator: int, most: int, tables: Sentences) -> Any:
    """Return where the sentence around `end` ends; the last word that is near enough."""
    size = len(data)
    last, stop, i = min(size, end + most), end, end
    while i < size and data[i] != separator:
        if i == last:
            return stop
        space = is_space(data[i])
        if space and not is_space(data[i - 1]):
            stop = i
        elif not space and is_space(data[i - 1]) and begins(data, i, separator, tables):
            return stop
        i += 1
    return stop if is_space(data[i - 1]) else i


@compiled  # type: ignore[misc, unused-ignore]
def sentence_windows(
    data: Bytes,
    separator: int,
    starts: Ints,
    ends: Ints,
    most: int,
    tables: Sentences,
    bounds: Ints,
) -> None:
    """Write the sentence of each match, within its text, to the two rows of `bounds`."""
    for k in range(len(starts)):
        bounds[0, k] = _from(data, starts[k], separator, most, tables)
        bounds[1, k] = _to(data, ends[k], separator, most, tables)


DOCUMENTS, SENTENCES, SPANS, TOKENS = range(4)
"""Places of the totals."""


class Roles(NamedTuple):
    """What each stimulus is, by its number."""

    target: States
    """Row of the table; -1 where the stimulus is no target."""
    group: States
    """Column of the table, shape (families, stimuli); -1 where it is not a word of a group."""
    first: States
    """First column of each family, then the number of columns. Behind the groups of a family are
    two columns: spans with no group, and with several."""


class Span(NamedTuple):
    """What the span that is open holds."""

    seen: Ints
    """Sentence in which each target was seen last."""
    latest: Ints
    """The same of each group, by its column."""
    targets: States
    """Targets within the span, in no order; only the first so many count."""


@compiled  # type: ignore[misc, unused-ignore]
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


@compiled  # type: ignore[misc, unused-ignore]
def _kept(begin: int, span: Span, count: int) -> int:
    """Keep the targets that a span still holds when it begins with another sentence."""
    left = 0
    for k in range(count):
        if span.seen[span.targets[k]] >= begin:
            span.targets[left] = span.targets[k]
            left += 1
    return left


@compiled  # type: ignore[misc, unused-ignore]
def _emit(begin: int, span: Span, count: int, roles: Roles, table: Ints) -> None:
    """Count a span whose first sentence is `begin` for every target in it."""
    for family in range(len(roles.first) - 1):
        none = roles.first[family + 1] - 2
        column = none
        for group in range(roles.first[family], none):
            if span.latest[group] >= begin:
                column = group if column == none else none + 1
        for k in range(count):
            table[span.targets[k], column] += 1


@compiled  # type: ignore[misc, unused-ignore]
def _is_first(data: Bytes, i: int, separator: int, tables: Sentences) -> Any:
    """Whether the word at `i`, not the first of its document, begins a sentence."""
    if data[i - 1] == 32 and (97 <= data[i - 2] <= 122 or data[i - 2] == 44):
        return False  # behind a small letter or a comma, as nearly all words are
    return begins(data, i, separator, tables)


@compiled  # type: ignore[misc, unused-ignore]
def count_spans(  # noqa: PLR0913, PLR0917  (one loop over bytes, in compiled code)
    data: Bytes,
    separator: int,
    starts: Ints,
    stimuli: Ints,
    roles: Roles,
    tables: Sentences,
    span: int,
    sliding: int,
    table: Ints,
    totals: Ints,
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
