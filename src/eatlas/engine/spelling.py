"""Words of a vocabulary that a missing word may be a misspelling of."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from eatlas.engine.frequency import words_within
from eatlas.sources import Source

MOST_WORDS = 400_000
"""First words of a vocabulary among which near ones are looked for, in a second or two."""
MOST_MISSING = 100
"""Missing words for which near ones are looked for."""
SUGGESTED = 3
"""Near words of one missing word."""
SHORTEST, SHORT, LONG, LONGEST = 4, 6, 8, 40
"""Characters of words that have near ones, of short words and of long ones. A short word is near to
many others by chance: only two neighbours may be swapped."""
FEW_EDITS, MOST_EDITS = 1, 2
"""Edits between a word and a near one; the second number holds for long words."""


def find_near_words(
    missing: Collection[str], vocabulary: Iterable[str], most_edits: int = MOST_EDITS
) -> dict[str, tuple[str, ...]]:
    """Find the words of a vocabulary within one or two edits of missing ones.

    Of these, only the words of the fewest edits are taken, those first that the vocabulary has
    first: in most vocabularies they are the most frequent ones. Capitals make no difference.

    Examples
    --------
    >>> find_near_words(["offcie", "Davdi"], ["the", "david", "office", "officer"])
    {'offcie': ('office',), 'Davdi': ('david',)}
    """
    folded = {
        word: fold
        for word in islice(dict.fromkeys(missing), MOST_MISSING)
        if SHORTEST <= len(fold := word.casefold()) <= LONGEST
    }
    lengths = {
        len(fold) + k for fold in folded.values() for k in range(-MOST_EDITS, MOST_EDITS + 1)
    }
    by_length: dict[int, dict[str, tuple[int, str]]] = {length: {} for length in lengths}
    for rank, word in enumerate(islice(vocabulary, MOST_WORDS) if folded else ()):
        fold = word.casefold()
        if len(fold) in by_length and "\0" not in fold:
            by_length[len(fold)].setdefault(fold, (rank, word))
    words = {length: list(of.values()) for length, of in by_length.items() if of}
    letters = {
        length: np.array([*by_length[length]]).view(np.uint32).reshape(-1, length).T.copy()
        for length in words
    }
    near = {}
    for word, fold in folded.items():
        most = most_edits if len(fold) >= LONG else FEW_EDITS
        found: list[tuple[int, int, str]] = []
        for length in range(len(fold) - most, len(fold) + most + 1):
            if length in letters:
                edits = count_edits(fold, letters[length], most)
                found += [(int(edits[i]), *words[length][i]) for i in np.flatnonzero(edits <= most)]
        if len(fold) < SHORT:
            found = [hit for hit in found if is_swapped(fold, hit[2])]
        if found:
            least = min(edits for edits, _, _ in found)
            nearest = sorted((rank, meant) for edits, rank, meant in found if edits == least)
            near[word] = tuple(meant for _, meant in nearest[:SUGGESTED])
    return near


def count_edits(word: str, letters: NDArray[np.uint32], most: int) -> NDArray[np.uint8]:
    """Count the edits between a word and each of many words of one length.

    An edit inserts, deletes or replaces a letter, or swaps two neighbours (optimal string
    alignment). The table of prefixes is filled for all words at once, near its diagonal alone.

    Parameters
    ----------
    word : str
    letters : array of uint32, shape (length, words)
        Code points.
    most : int
        Of more edits, only that they are more is found.

    Returns
    -------
    array of uint8, shape (words,)

    Examples
    --------
    >>> import numpy as np
    >>> letters = np.array(["office", "offend"]).view(np.uint32).reshape(2, -1).T
    >>> count_edits("offcie", letters, 2).tolist()
    [1, 3]
    """
    length, n = letters.shape
    codes = [ord(letter) for letter in word]
    previous: dict[int, NDArray[np.uint8]] = {}
    row = {j: np.full(n, j, np.uint8) for j in range(min(length, most) + 1)}
    for i, code in enumerate(codes, start=1):
        new = {0: np.full(n, i, np.uint8)} if i <= most else {}
        for j in range(max(1, i - most), min(length, i + most) + 1):
            best = row[j - 1] + (letters[j - 1] != code)
            if j in row:
                best = np.minimum(best, row[j] + 1)
            if j - 1 in new:
                best = np.minimum(best, new[j - 1] + 1)
            if j - 2 in previous:
                swapped = (letters[j - 2] == code) & (letters[j - 1] == codes[i - 2])
                best = np.where(swapped, np.minimum(best, previous[j - 2] + 1), best)
            new[j] = np.minimum(best, most + 1).astype(np.uint8)
        previous, row = row, new
    return row.get(length, np.full(n, most + 1, np.uint8))


def is_swapped(word: str, meant: str) -> bool:
    """Whether letters of a word are in another order, which is no other form of the word."""
    of_word, of_meant = word.casefold(), meant.casefold()
    return of_word != of_meant and sorted(of_word) == sorted(of_meant)


def near_words_of(
    source: Source, missing: Collection[str], most_edits: int = MOST_EDITS
) -> dict[str, tuple[str, ...]]:
    """Find near words in the vocabulary of a source; none if it cannot list its words."""
    inner = words_within(source)
    if not missing or not inner.listed:
        return {}
    order = inner.word_order
    words = inner.vocabulary() if order is None else order.words
    return find_near_words(missing, words, most_edits)
