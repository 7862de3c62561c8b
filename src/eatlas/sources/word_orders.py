"""Words in order of frequency: the rank of a word, and the words whose ranks are near.

The order is that of a vocabulary, of the words that come with the package, or of a list of counts.
"""

from __future__ import annotations

import hashlib
import math
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from importlib import resources
from pathlib import Path
from unicodedata import category
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SourceError
from eatlas.sources.interface import Vector, VectorSource
from eatlas.sources.memory import sample_words
from eatlas.sources.source import Wrapper
from eatlas.sources.spec import with_option

NEAR = 25
"""Candidates on either side of a term's rank. In simulations 10, 25 and 50 keep the type I error
of the matched null equally well; more of them are more rows to read."""
FARTHEST = 2_000
"""Words that are looked at on either side to find them."""
FREQUENT = 10_000
"""Of the sample's words so many are all that are as frequent; those beyond are the papers'."""
SIZE = 400_000
"""Words of GloVe 6B."""
_BUNDLED = "glove-frequency"
OPTION = "counts"
_LARGEST = 1 << 28
_REMEDY = "one word and its count on a line, with a tab, a space or a comma between"


@lru_cache(maxsize=1 << 16)  # the neighbours of one term are those of many
def is_candidate(word: str) -> bool:
    """Whether a word is made of letters alone, and in Latin script of two or more.

    Numbers, punctuation, phrases and pieces of words are no stimuli.
    """
    if word.isascii():
        return len(word) > 1 and word.isalpha()
    return word.isalpha() or all(category(letter)[0] in "LM" for letter in word)


@lru_cache(maxsize=1 << 16)
def in_lower_case(word: str) -> bool:
    """Whether a word has no capital letter; a term is matched by words of its own kind."""
    return word == word.lower()


class WordOrder:
    """Words in order of frequency, the most frequent first."""

    def __init__(
        self,
        name: str,
        words: Sequence[str],
        ranks: Sequence[int],
        size: int,
        known: Mapping[str, int],
    ) -> None:
        self.name, self.size = name, size
        self._words, self._ranks, self._known = words, ranks, known

    def ranks(self, words: Collection[str]) -> dict[str, int]:
        """Ranks of those words that have one; the first of several equal words."""
        return {word: self._known[word] for word in sorted(words) if word in self._known}

    def vectors_of(self, words: Collection[str]) -> Mapping[str, Vector]:  # noqa: ARG002
        """Vectors of words that the source itself does not have."""
        return {}

    def first(self, count: int) -> list[str]:
        """The most frequent words."""
        return list(self._words[:count])

    def neighbours(self, keys: Mapping[str, int], leave_out: Collection[str]) -> dict[str, int]:
        """All words that are near one of some terms, by their ranks."""
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
        lower, place = in_lower_case(term), bisect_left(self._ranks, rank)
        for places in (range(place - 1, -1, -1), range(place, len(self._words))):
            left = NEAR
            for at in places[:FARTHEST]:
                word, its = self._words[at], self._ranks[at]
                if its == rank or in_lower_case(word) != lower or not is_candidate(word):
                    continue
                if word in leave_out or self._known[word] != its:  # a word comes by its first rank
                    continue
                found[word] = its
                left -= 1
                if not left:
                    break
        return found


class ListedOrder(WordOrder):
    """All words in memory."""

    def __init__(self, words: Sequence[str], name: str) -> None:
        ranks = range(1, len(words) + 1)
        known = dict(zip(reversed(words), reversed(ranks), strict=True))  # the first of equal ones
        super().__init__(name, words, ranks, len(words), known)


class BundledOrder(WordOrder):
    """The words of ``glove-sample`` by their rank in GloVe 6B, and 4,000 rarer ones.

    The papers' words beyond the 10,000 most frequent have a rank, and are no random words.
    """

    def __init__(self) -> None:
        # only this needs it
        from safetensors.numpy import load  # noqa: PLC0415

        data = resources.files("eatlas.sources") / "data"
        tensors = load((data / f"{_BUNDLED}.safetensors").read_bytes())
        sample = sample_words()
        rarer = (data / f"{_BUNDLED}.vocab.txt").read_text(encoding="utf-8").split("\n")[:-1]
        own, added = tensors["sample_ranks"].tolist(), tensors["ranks"].tolist()
        known = dict(zip(sample, own, strict=True)) | dict(zip(rarer, added, strict=True))
        ranks = [*own[:FREQUENT], *added]
        super().__init__("GloVe 6B", [*sample[:FREQUENT], *rarer], ranks, SIZE, known)
        self._vectors = dict(zip(rarer, tensors["vectors"], strict=True))

    @cached_property
    def _candidates(self) -> NDArray[np.bool_]:
        """Which words may replace a term; all are in lower case."""
        return np.array([is_candidate(word) for word in self._words])

    def neighbours(self, keys: Mapping[str, int], leave_out: Collection[str]) -> dict[str, int]:
        """All words that are near one of some terms."""
        ranks, others = np.array(self._ranks), self._candidates.copy()
        own = np.searchsorted(ranks, list(self.ranks(leave_out).values()))
        others[[p for p in own.tolist() if self._words[p] in leave_out]] = False
        places = np.flatnonzero(others)
        at = np.searchsorted(ranks[places], list(keys.values()))
        near = np.zeros(len(places), np.bool_)
        near[np.clip(at[:, None] + np.arange(-NEAR, NEAR), 0, len(places) - 1)] = True
        chosen = places[near].tolist()
        return {self._words[place]: self._ranks[place] for place in chosen}

    def probes(self) -> list[str]:
        """Every twentieth of the 10,000 most frequent words."""
        return list(self._words[10:FREQUENT:20])

    def vectors_of(self, words: Collection[str]) -> Mapping[str, Vector]:
        """Vectors of the rarer words, of GloVe 6B as those of the sample."""
        return {word: self._vectors[word] for word in words if word in self._vectors}


@cache
def bundled_order() -> BundledOrder:
    """Read the ranks that come with the package."""
    return BundledOrder()


class CountedOrder(ListedOrder):
    """Words in the order of their counts, the most frequent first."""

    def __init__(self, path: Path) -> None:
        from eatlas.sources.archives import open_binary  # noqa: PLC0415  (seldom such a file)

        with open_binary(path) as file:
            raw = file.read(_LARGEST + 1)
        if len(raw) > _LARGEST:
            raise SourceError(f"{path}: this is too large for a list of counts")
        try:
            lines = raw.decode("utf-8-sig").splitlines()
        except UnicodeDecodeError as error:
            raise SourceError(f"{path}: the file is not UTF-8", allowed=_REMEDY) from error
        counts = list(_counts(lines, path))
        counts.sort(key=lambda pair: -pair[1])
        super().__init__([word for word, _ in counts], str(path))
        self.sha256 = hashlib.sha256(raw).hexdigest()


def _counts(lines: list[str], path: Path) -> Iterator[tuple[str, float]]:
    """Words with their counts, line by line."""
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        separator = "\t" if "\t" in line else "," if "," in line else None
        word, *rest = line.rsplit(separator, 1)
        count = _number(rest[0]) if rest else None
        if count is None and number == 1:
            continue  # a header
        if count is None or not word.strip():
            raise SourceError(
                f"{path}, line {number}: this is not a word with its count",
                got=repr(line[:60]),
                allowed=_REMEDY,
            )
        yield word.strip().strip('"'), count


def _number(text: str) -> float | None:
    try:
        count = float(text)
    except ValueError:
        return None
    return count if math.isfinite(count) and count >= 0 else None


class CountedSource(Wrapper):
    """Vectors as they are, with the frequencies of a list of counts."""

    def __init__(self, source: VectorSource, order: CountedOrder) -> None:
        super().__init__(source)
        self.order = order

    @property
    def name(self) -> str:
        """That of the source, with the list as an option."""
        return with_option(self.source.name, f"{OPTION}={quote(self.order.name, safe='/.-_ ')}")

    @property
    def fingerprint(self) -> str:
        """That of the source, and the hash of the list."""
        return f"{self.source.fingerprint};{OPTION}=sha256:{self.order.sha256}"
