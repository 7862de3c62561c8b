"""Texts as the mean of the vectors of their words: SEAT's baseline, CBoW."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import cache

import numpy as np

from eatlas.errors import SourceError
from eatlas.sources.coverage import spellings
from eatlas.sources.protocol import Vector, VectorSource
from eatlas.sources.source import Answers, Found, Item, Source

SCHEME = "cbow:"
WORD = re.compile(r"[^\W_]+(?:['\u2019.-][^\W_]+)*")
"""Letters and digits, with apostrophes, hyphens and full stops inside; punctuation is left out."""
PART = re.compile(r"(?=['\u2019])|-")
"""Where a word is cut that has no vector of its own: person's into person and 's."""
SHOWN = 10


class CBOWSource(Source):
    """Sentences encoded as the mean of their words' vectors (May et al. 2019, section 4).

    Parameters
    ----------
    words : VectorSource
        Vectors of words; looked up as the case rule ``auto`` does.

    Examples
    --------
    >>> from eatlas.sources import ArraySource
    >>> words = ArraySource(["this", "is", "new"], [[1.0, 0.0], [0.0, 1.0], [2.0, 2.0]])
    >>> CBOWSource(words).lookup({"This is new."})["This is new."].tolist()
    [1.0, 1.0]
    """

    def __init__(self, words: VectorSource) -> None:
        self.words = words
        self._unknown: set[str] = set()

    @property
    def name(self) -> str:
        """``cbow:`` and the name of the vectors of words."""
        return f"{SCHEME}{self.words.name}"

    @property
    def dim(self) -> int:
        """Number of components of every vector."""
        return self.words.dim

    @property
    def fingerprint(self) -> str:
        """That of the vectors of words, marked as their mean."""
        return f"{SCHEME}{self.words.fingerprint}"

    @property
    def notes(self) -> tuple[str, ...]:
        """Words that had no vector, so far."""
        if not self._unknown:
            return self.words.notes
        named = sorted(self._unknown)
        more = f" and {len(named) - SHOWN} more" if len(named) > SHOWN else ""
        return (
            *self.words.notes,
            f"Words without a vector were left out of the means: {', '.join(named[:SHOWN])}{more}.",
        )

    def vectors(self, items: Collection[Item]) -> Iterator[Answers]:
        """Mean of the words' vectors, float64; a text none of whose words has one is missing.

        Raises
        ------
        SourceError
            If the source of the words finds fault with what it reads.
        """
        split = {one: WORD.findall(one.content) for one in items}
        tokens = {token for words in split.values() for token in words}
        pieces = {token: (token, *filter(None, PART.split(token))) for token in tokens}
        wanted = {s for many in pieces.values() for p in many for s in spellings(p, "auto")}
        found = self.words.lookup(wanted)

        @cache
        def of_word(token: str) -> list[Vector]:
            """Of the word, or else of its parts."""
            whole, *parts = (
                [found[key] for key in spellings(p, "auto") if key in found][:1]
                for p in pieces[token]
            )
            hits = whole or [vector for part in parts for vector in part]
            if not hits:
                self._unknown.add(token.lower())
            return hits

        yield {
            one: Found(np.mean(rows, axis=0, dtype=np.float64))
            for one, words in split.items()
            if (rows := [vector for token in words for vector in of_word(token)])
        }


def open_cbow(words: VectorSource) -> CBOWSource:
    """Take the mean of words' vectors for texts.

    Raises
    ------
    SourceError
        If the source does so already.
    """
    if isinstance(words, CBOWSource):
        raise SourceError(
            "the mean of words is taken twice", got=words.name, remedy=f"leave out one {SCHEME}"
        )
    return CBOWSource(words)
