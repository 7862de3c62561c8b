"""Words in order of frequency: the rank of a word, and the words whose ranks are near."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice

from eatlas.sources.frequency.candidates import in_lower_case, is_candidate
from eatlas.sources.protocol import Vector

NEAR = 25
"""Candidates on either side of a term's rank. In simulations 10, 25 and 50 keep the type I error
of the matched null equally well; more of them are more rows to read."""
FARTHEST = 2_000
"""Words that are looked at on either side to find them."""
_STEP = 64


class WordOrder(ABC):
    """Words in order of frequency, the most frequent first.

    Parameters
    ----------
    name : str
        What it is the vocabulary of.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    @abstractmethod
    def size(self) -> int:
        """The lowest rank that a word can have."""

    @abstractmethod
    def ranks(self, words: Collection[str]) -> dict[str, int]:
        """Ranks, from 1, of those words that are listed; the first of several equal words."""

    @abstractmethod
    def _place(self, rank: int) -> int:
        """Where a rank stands among the words that random ones are taken from."""

    @abstractmethod
    def _block(self, first: int, last: int) -> Sequence[tuple[str, int]]:
        """Words at places from `first` to before `last`, with their ranks."""

    @property
    @abstractmethod
    def _places(self) -> int:
        """How many places there are."""

    def vectors_of(self, words: Collection[str]) -> Mapping[str, Vector]:  # noqa: ARG002
        """Vectors of words that the source itself does not have."""
        return {}

    def first(self, count: int) -> list[str]:
        """The most frequent words."""
        return [word for word, _ in self._block(0, min(count, self._places))]

    def neighbours(self, keys: Mapping[str, int], leave_out: Collection[str]) -> dict[str, int]:
        """All words that are near one of some terms, which are given with their ranks."""
        found: dict[str, int] = {}
        for key, rank in keys.items():
            found |= self.near(key, rank, leave_out)
        return found

    def near(self, term: str, rank: int, leave_out: Collection[str]) -> dict[str, int]:
        """Words like a term whose ranks are near: up to 25 on either side, with their ranks.

        They are made of letters, written in lower case if the term is, and not among those left
        out.
        """
        found: dict[str, int] = {}
        lower, place = in_lower_case(term), self._place(rank)
        for words in (self._down(place), self._up(place)):
            left = NEAR
            for word, its in islice(words, FARTHEST):
                if its == rank or in_lower_case(word) != lower or not is_candidate(word):
                    continue
                if word in leave_out or self._again(word, its):
                    continue
                found[word] = its
                left -= 1
                if not left:
                    break
        return found

    def _down(self, place: int) -> Iterator[tuple[str, int]]:
        while place > 0:
            first = max(0, place - _STEP)
            yield from reversed(self._block(first, place))
            place = first

    def _up(self, place: int) -> Iterator[tuple[str, int]]:
        while place < self._places:
            last = min(self._places, place + _STEP)
            yield from self._block(place, last)
            place = last

    def _again(self, word: str, rank: int) -> bool:  # noqa: ARG002
        """Whether the word stands before, with a lower rank."""
        return False


class ListedOrder(WordOrder):
    """All words in memory.

    Parameters
    ----------
    words : sequence of str
        The most frequent first.
    name : str

    Examples
    --------
    >>> order = ListedOrder(["the", "of", "house", "garden"], "mine")
    >>> order.ranks({"house", "shed"})
    {'house': 3}
    >>> order.near("house", 3, {"of"})
    {'the': 1, 'garden': 4}
    """

    def __init__(self, words: Sequence[str], name: str) -> None:
        super().__init__(name)
        self._words = words

    @property
    def size(self) -> int:
        """Number of words."""
        return len(self._words)

    @property
    def _places(self) -> int:
        return len(self._words)

    @cached_property
    def _first(self) -> dict[str, int]:
        first: dict[str, int] = {}
        for i, word in enumerate(self._words):
            first.setdefault(word, i + 1)
        return first

    def ranks(self, words: Collection[str]) -> dict[str, int]:
        """Ranks of words."""
        return {word: self._first[word] for word in sorted(words) if word in self._first}

    def _place(self, rank: int) -> int:
        return rank - 1

    def _block(self, first: int, last: int) -> Sequence[tuple[str, int]]:
        return [(word, first + 1 + i) for i, word in enumerate(self._words[first:last])]

    def _again(self, word: str, rank: int) -> bool:
        return self._first[word] != rank
