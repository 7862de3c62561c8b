"""Compiled loops over UTF-8: matches, windows of words and sentences, pairs, spans, keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba as nb
import numpy as np
from numpy.typing import NDArray

F = TypeVar("F", bound=Callable[..., Any])
Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]
Hashes = NDArray[np.uint64]
States = NDArray[np.int32]
Automaton = tuple[States, States, Bytes, Bytes, Bytes]
"""The state after a byte, shape (states, 256); what ends in a state, or -1; the bits of each code
point; whether a spelling may begin with the three bytes of a slot; and whether a byte may precede
a word."""
Tables = tuple[Bytes, Hashes]
"""What determines where sentences begin: the bits of each code point, and abbreviations."""
Roles = tuple[States, States, States]
"""Of each stimulus the row of a table of counts, or -1, and the column in each family, or -1; then
the first column of each family, and the number of columns. Behind the groups of a family are two
columns: spans with no group, and with several."""
_OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "no_cfunc_wrapper": True}
compiled: Callable[[F], F] = nb.njit(**_OPTIONS)
inner: Callable[[F], F] = nb.njit(**_OPTIONS | {"no_cpython_wrapper": True})
"""For functions that only compiled functions call: without wrappers they compile in less time. Each
function of numpy in a compiled function, such as ``np.full``, is compiled as well."""
inlined = nb.njit(cache=True, nogil=True, inline="always")

WORD, LOWER, MARK, CLOSING, OPENING, BLANK = 1, 2, 4, 8, 16, 32
"""Bits of a code point: a character of a word (letter, digit, ``_``, mark of a letter), a letter in
lower case, a mark that ends a sentence, one that closes or opens a quotation, and a blank."""
_START, _PRIME = np.uint64(14695981039346656037), np.uint64(1099511628211)  # of FNV
_SLOT_BITS = 14  # the table stays in the fastest cache; with more or fewer slots it is slower
SLOTS = 1 << _SLOT_BITS
_SPREAD = np.uint32(2654435761)  # 2^32 over the golden ratio, as Knuth advises
_SPACE = 32
_ASCII = 128
IS_SPACE = np.array([byte == _SPACE or 9 <= byte <= 13 for byte in range(256)])
"""Whether a byte is white space of ASCII; in a table, as comparisons take longer to compile."""


@inner  # type: ignore[misc, unused-ignore]
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


@inner  # type: ignore[misc, unused-ignore]
def _before(data: Bytes, i: int) -> Any:
    """Return where the character before `i` begins."""
    i -= 1
    while i > 0 and (data[i] & 0xC0) == 0x80:
        i -= 1
    return i


@inner  # type: ignore[misc, unused-ignore]
def _in_word(data: Bytes, i: int, characters: Bytes) -> Any:
    """Whether a character of a word begins at `i`."""
    if data[i] < _ASCII:
        return characters[data[i]] & WORD != 0
    return characters[point(data, i, len(data))[0]] & WORD != 0


# --- matches --------------------------------------------------------------------------------------


def slot_of(first: Any, second: Any, third: Any) -> Any:
    """Return the place of three bytes in a table of SLOTS places; or of arrays of them."""
    three = (np.uint32(first) << 16) | (np.uint32(second) << 8) | np.uint32(third)
    return np.uint32(three * _SPREAD) >> (32 - _SLOT_BITS)


slot = inlined(slot_of)


@inner  # type: ignore[misc, unused-ignore]
def _walk(data: Bytes, i: int, separator: int, automaton: Automaton) -> tuple[Any, Any]:
    """Return where the longest spelling from `i` on ends, and which it is; -1 if there is none."""
    following, final, characters, _, _ = automaton
    size, state, at, ending = len(data), 0, -1, -1
    while i < size and data[i] != separator:
        state = following[state, data[i]]
        if state < 0:
            break
        i += 1
        if final[state] >= 0 and not (i < size and _in_word(data, i, characters)):
            at, ending = i, final[state]
    return at, ending


@compiled  # type: ignore[misc, unused-ignore]
def find(
    data: Bytes, separator: int, automaton: Automaton, i: int, matches: Ints
) -> tuple[Any, Any]:
    """Find spellings as whole words: from the left, the longest first, none within another.

    The rows of `matches` receive where each begins and ends, and which it is. Returns their number
    and the byte to continue from: the end of the data unless `matches` was full. Three bytes and
    the one before tell nearly everywhere that no spelling begins; the loop that looks at them has
    no branch that is hard to foresee.
    """
    _, _, characters, marked, outside = automaton
    size, count = len(data), 0
    while i < size:
        while 0 < i < size - 2 and not (
            outside[data[i - 1]] & marked[slot(data[i], data[i + 1], data[i + 2])]
        ):
            i += 1
        before = data[i - 1] if i > 0 else separator
        if not outside[before] or (
            before >= _ASCII and _in_word(data, _before(data, i), characters)
        ):
            i += 1
            continue
        at, ending = _walk(data, i, separator, automaton)
        if at < 0:
            i += 1
            continue
        if count == matches.shape[1]:
            break
        matches[0, count], matches[1, count], matches[2, count] = i, at, ending
        count += 1
        i = at
    return count, i


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
                gaps += IS_SPACE[data[at]] and not IS_SPACE[data[at + 1]]
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


# --- windows and keys of contexts -----------------------------------------------------------------


@inner  # type: ignore[misc, unused-ignore]
def _words(data: Bytes, edge: int, step: int, separator: int, n: int, most: int) -> int:
    """Return where the `n` words before (step -1) or behind (step 1) the word at an edge end."""
    border, look = (len(data), 0) if step > 0 else (0, -1)
    last = min(border, edge + most) if step > 0 else max(border, edge - most)
    i = edge
    for k in range(n + 1):
        while k > 0 and i != last and data[i + look] != separator and IS_SPACE[data[i + look]]:
            i += step
        word = i
        while i != last and data[i + look] != separator and not IS_SPACE[data[i + look]]:
            i += step
        cut = i == last and i != border and data[i + look] != separator
        if (cut and not IS_SPACE[data[i + look]]) or (k > 0 and i == word):
            break
        edge = i
    return edge


@compiled  # type: ignore[misc, unused-ignore]
def word_windows(
    data: Bytes, separator: int, starts: Ints, ends: Ints, n: int, most: int, bounds: Ints
) -> None:
    """Write where `n` words on either side of each match begin and end to the rows of `bounds`.

    They are within its text, and at most `most` bytes away.
    """
    back: Any = np.int64(-1)  # for literals it would be compiled twice
    ahead: Any = np.int64(1)
    for k in range(len(starts)):
        bounds[0, k] = _words(data, starts[k], back, separator, n, most)
        bounds[1, k] = _words(data, ends[k], ahead, separator, n, most)


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
    """Hash each context with its seed (FNV-1a), any white space as one space; note its match."""
    for k in range(len(begins)):
        key = _START ^ seeds[k]
        size, spaced = 0, False
        for i in range(begins[k], stops[k]):
            if i == starts[k]:
                offsets[k] = size
            byte = data[i]
            space = IS_SPACE[byte]
            if space and spaced:
                continue
            spaced = space
            key = (key ^ np.uint64(_SPACE if space else byte)) * _PRIME
            size += 1
        hashes[k] = key


# --- sentences ------------------------------------------------------------------------------------

_NEWLINE, _DOT = 10, 46
SENTENCE_CHARACTERS = {
    MARK: "!?…‽⁇⁈⁉。｡！？।॥؟۔։;።፧။។᠃",
    CLOSING: "\"')]}*’”»“‘›」』）》",  # “ and ‘ close in German, » opens
    OPENING: "\"'([{*‘“«„‚‹»”「『（《¿¡",
    BLANK: "\x20\xa0\u202f",
}
_LONGEST, _DIGITS = 8, 2
"""Bytes of the longest abbreviation that is looked for, and digits of an ordinal number."""
_A_NUMBER = np.uint64(48)
"""What stands for ordinal numbers among abbreviations."""


@inner  # type: ignore[misc, unused-ignore]
def _goes_on(data: Bytes, i: int, characters: Bytes) -> Any:
    """Whether what begins at `i` begins no sentence: lower case, dots or only a closing mark."""
    size, first = len(data), i
    while i < size:
        code, width = point(data, i, size)
        if (
            i == first
            and characters[code] & CLOSING
            and i + width < size
            and IS_SPACE[data[i + width]]
        ):
            return True  # a mark that closes what is before it, as in French
        if not characters[code] & OPENING:
            return code == _DOT or characters[code] & LOWER != 0
        i += width
    return False


@inner  # type: ignore[misc, unused-ignore]
def _is_in(word: Any, abbreviations: Hashes) -> bool:
    """Whether a word is among abbreviations."""
    for k in range(len(abbreviations)):  # noqa: SIM110  (compiled in half the time)
        if abbreviations[k] == word:
            return True
    return False


@inner  # type: ignore[misc, unused-ignore]
def _is_abbreviation(data: Bytes, dot: int, separator: int, abbreviations: Hashes) -> Any:
    """Whether the word before a full stop is an abbreviation or an initial."""
    first, word, shift = dot, np.uint64(0), np.uint64(0)
    while first > 0 and dot - first <= _LONGEST and data[first - 1] != separator:
        byte = data[first - 1]
        capital = 65 <= byte <= 90
        if not (byte == _DOT or capital or 97 <= byte <= 122):
            break
        word |= np.uint64(byte | 32 if capital else byte) << shift
        shift += np.uint64(8)
        first -= 1
    size = dot - first
    if size == 0:  # a number, which is an ordinal number in some languages
        while first > 0 and dot - first <= _DIGITS and 48 <= data[first - 1] <= 57:
            first -= 1
        return 0 < dot - first <= _DIGITS and _is_in(_A_NUMBER, abbreviations)
    if size > _LONGEST:
        return False
    last = data[dot - 1]
    if (size == 1 or data[dot - 2] == _DOT) and 65 <= last <= 90:
        return size == 1 and last != 73  # an initial, but not the word I; U.S. may end a sentence
    return _is_in(word, abbreviations)


@compiled  # type: ignore[misc, unused-ignore]
def begins(data: Bytes, i: int, separator: int, tables: Tables) -> Any:
    """Whether a sentence begins at `i`, which follows white space."""
    characters, abbreviations = tables
    at, newlines = i, 0
    while at > 0 and data[at - 1] != separator and IS_SPACE[data[at - 1]]:
        at -= 1
        newlines += data[at] == _NEWLINE
    if newlines > 1 or at == 0 or data[at - 1] == separator:
        return True
    last = _before(data, at)
    code, _ = point(data, last, len(data))
    closed = False
    while characters[code] & CLOSING or (closed and characters[code] & BLANK):
        if last == 0 or data[last - 1] == separator:
            break
        closed = True
        last = _before(data, last)
        code, _ = point(data, last, len(data))
    if code != _DOT and not characters[code] & MARK:
        return False
    if _goes_on(data, i, characters):
        return False
    return code != _DOT or not _is_abbreviation(data, last, separator, abbreviations)


@inner  # type: ignore[misc, unused-ignore]
def _from(data: Bytes, start: int, separator: int, most: int, tables: Tables) -> Any:
    """Return where the sentence around `start` begins; the nearest word if it is too far away."""
    least, word, i = max(0, start - most), start, start
    while True:
        if i == 0 or data[i - 1] == separator:
            while i < start and IS_SPACE[data[i]]:
                i += 1
            return i
        if IS_SPACE[data[i - 1]] and not IS_SPACE[data[i]]:
            word = i
            if begins(data, i, separator, tables):
                return i
        if i == least:
            return word
        i -= 1


@inner  # type: ignore[misc, unused-ignore]
def _to(data: Bytes, end: int, separator: int, most: int, tables: Tables) -> Any:
    """Return where the sentence around `end` ends; the last word that is near enough."""
    size = len(data)
    last, stop, i = min(size, end + most), end, end
    while i < size and data[i] != separator:
        if i == last:
            return stop
        space = IS_SPACE[data[i]]
        if space and not IS_SPACE[data[i - 1]]:
            stop = i
        elif not space and IS_SPACE[data[i - 1]] and begins(data, i, separator, tables):
            return stop
        i += 1
    return stop if IS_SPACE[data[i - 1]] else i


@compiled  # type: ignore[misc, unused-ignore]
def sentence_windows(
    data: Bytes,
    separator: int,
    starts: Ints,
    ends: Ints,
    most: int,
    tables: Tables,
    bounds: Ints,
) -> None:
    """Write the sentence of each match, within its text, to the two rows of `bounds`."""
    for k in range(len(starts)):
        bounds[0, k] = _from(data, starts[k], separator, most, tables)
        bounds[1, k] = _to(data, ends[k], separator, most, tables)


# --- spans of sentences ---------------------------------------------------------------------------

DOCUMENTS, SENTENCES, SPANS, TOKENS = range(4)
"""Places of the totals."""


@inner  # type: ignore[misc, unused-ignore]
def _count(
    span: int, members: States, count: int, latest: Ints, first: States, table: Ints
) -> None:
    """Count a span for each target in it, and for all: of a family one group, none or several."""
    for family in range(len(first) - 1):
        none = first[family + 1] - 2
        column = none
        for group in range(first[family], none):
            if latest[group] == span:
                column = group if column == none else none + 1
        for k in range(count):
            table[members[k], column] += 1
        table[-1, column] += 1


@inner  # type: ignore[misc, unused-ignore]
def _is_first(data: Bytes, i: int, separator: int, tables: Tables) -> Any:
    """Whether the word at `i`, not the first of its document, begins a sentence."""
    if data[i - 1] == 32 and (97 <= data[i - 2] <= 122 or data[i - 2] == 44):
        return False  # behind a small letter or a comma, as nearly all words are
    return begins(data, i, separator, tables)


@compiled  # type: ignore[misc, unused-ignore]
def count_spans(  # noqa: C901, PLR0913, PLR0917  (one loop over bytes, in compiled code)
    data: Bytes,
    separator: int,
    starts: Ints,
    stimuli: Ints,
    roles: Roles,
    tables: Tables,
    size: int,
    blocks: Ints,
    open_span: tuple[Ints, Ints, States],
    table: Ints,
    totals: Ints,
) -> None:
    """Add the spans of some documents to a table of counts, each in the block of its document.

    The last row of a block counts every span. A document is between separators. Its spans are
    `size` sentences that follow each other, the last with what is left. A match belongs to the
    sentence in which it begins. `open_span` is room for the last span with each target, the last
    span with each group, by its column, all -1, and the targets of the open span.
    """
    target, groups, first = roles
    seen, latest, members = open_span
    # targets and sentences of the open span; for a literal 0 calls would be compiled once more
    zero: Any = np.int64(0)
    count = match = span = sentences = document = i = zero
    inside = False
    while i <= len(data):
        at_end = i == len(data) or data[i] == separator
        if not at_end and IS_SPACE[data[i]]:
            i += 1
            continue
        if inside and (at_end or _is_first(data, i, separator, tables)):
            while match < len(starts) and starts[match] < i:
                row = target[stimuli[match]]
                if row >= 0 and seen[row] != span:
                    seen[row] = span
                    members[count] = row
                    count += 1
                for family in range(len(groups)):
                    if groups[family, stimuli[match]] >= 0:
                        latest[groups[family, stimuli[match]]] = span
                match += 1
            sentences += 1
            totals[SENTENCES] += 1
            if sentences == size or at_end:
                _count(span, members, count, latest, first, table[blocks[document]])
                totals[SPANS] += 1
                span += 1
                count = sentences = 0
        if at_end:
            inside = False
            document += 1
            i += 1
            continue
        totals[DOCUMENTS] += not inside
        inside = True
        totals[TOKENS] += 1
        while i < len(data) and data[i] != separator and not IS_SPACE[data[i]]:
            i += 1


@compiled  # type: ignore[misc, unused-ignore]
def count_pairs(  # noqa: C901, PLR0912, PLR0913, PLR0917  (one loop over bytes, in compiled code)
    data: Bytes,
    separator: int,
    starts: Ints,
    ends: Ints,
    stimuli: Ints,
    roles: Roles,
    window: int,
    blocks: Ints,
    counts: Ints,
    totals: Ints,
) -> None:
    """Add the pairs of words of some documents that are at most `window` apart to their blocks.

    A target's row counts its pairs with any word of a text, by the group of that word; the last
    row of a block the pairs of every word. Each pair counts from both sides.
    """
    target, groups, first = roles
    places = np.empty((2, len(starts)), np.int64)  # the first and the last word of each match
    match = opened = words = document = i = 0
    while i <= len(data):
        if i < len(data) and data[i] != separator:
            if IS_SPACE[data[i]]:
                i += 1
                continue
            if match > opened and ends[match - 1] > i:  # a match of several words
                places[1, match - 1] = words
            while i < len(data) and data[i] != separator and not IS_SPACE[data[i]]:
                i += 1
            while match < len(starts) and starts[match] < i:
                places[:, match] = words
                match += 1
            words += 1
            continue
        if words:
            reach = min(window, words - 1)
            pairs = 2 * reach * words - reach * (reach + 1)
            totals[DOCUMENTS] += 1
            totals[SPANS] += pairs
            totals[TOKENS] += words
            table = counts[blocks[document]]
            for family in range(len(groups)):
                none = first[family + 1] - 2
                table[-1, none] += pairs
                for k in range(opened, match):
                    row, column = target[stimuli[k]], groups[family, stimuli[k]]
                    near = min(window, places[0, k]) + min(window, words - 1 - places[1, k])
                    if row >= 0:
                        table[row, none] += near
                    if column >= 0:
                        table[-1, column] += near
                        table[-1, none] -= near
                    for j in range(k + 1, match):
                        if places[0, j] - places[1, k] > window:
                            break
                        for a, b in ((k, j), (j, k)):
                            row, column = target[stimuli[a]], groups[family, stimuli[b]]
                            if row >= 0 and column >= 0:
                                table[row, column] += 1
                                table[row, none] -= 1
        opened, words = match, 0
        document += 1
        i += 1
