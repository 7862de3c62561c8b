"""Which words stand for a term when words of its frequency are drawn at random."""

from __future__ import annotations

from functools import lru_cache
from unicodedata import category


@lru_cache(maxsize=1 << 16)  # the neighbours of one term are those of many
def is_candidate(word: str) -> bool:
    """Whether a word is made of letters alone, and in Latin script of two or more.

    Numbers, punctuation, phrases and pieces of words are no stimuli.

    Examples
    --------
    >>> [is_candidate(word) for word in ("rose", "x", "3d", "new_york", "don't", "été")]
    [True, False, False, False, False, True]
    """
    if word.isascii():
        return len(word) > 1 and word.isalpha()
    return word.isalpha() or all(category(letter)[0] in "LM" for letter in word)


@lru_cache(maxsize=1 << 16)
def in_lower_case(word: str) -> bool:
    """Whether a word has no capital letter; a term is matched by words of its own kind.

    Examples
    --------
    >>> in_lower_case("rose"), in_lower_case("Rose"), in_lower_case("玫瑰")
    (True, False, True)
    """
    return word == word.lower()
