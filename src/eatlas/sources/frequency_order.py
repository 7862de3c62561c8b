"""Words in order of frequency: the rank of a word, and the words that topics are made of.

The order is that of a source's vocabulary, of the words that come with the package, or of a list of
counts.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from unicodedata import category
from urllib.parse import quote

from eatlas.errors import SourceError
from eatlas.sources.memory import bundled_tensors, sample_vocabulary
from eatlas.sources.source import Source, Vector, Wrapper

FREQUENT = 10_000
"""Of the sample's words so many are all that are as frequent; those beyond are the papers'."""
MOST_WORDS, RARER = 16_000, 6_000
"""Words that topics are made of: of a longer list its beginning, and rarer ones evenly spread over
the logarithm of ranks."""
SIZE = 400_000
"""Words of GloVe 6B."""
OPTION = "counts"
_BUNDLED = "glove-frequency"
_LARGEST = 1 << 28
_LINE = "one word and its count on a line, with a tab, a space or a comma between"


def is_candidate(word: str) -> bool:
    """Whether a word is made of letters alone, and in Latin script of two or more.

    Numbers, punctuation, phrases and pieces of words are no stimuli.
    """
    if word.isascii():
        return len(word) > 1 and word.isalpha()
    return word.isalpha() or all(category(letter)[0] in "LM" for letter in word)


class WordOrder:
    """Words in order of frequency, the most frequent first."""

    def __init__(
        self,
        name: str,
        words: Sequence[str],
        ranks: Sequence[int] | None = None,
        size: int | None = None,
        rank_of: Mapping[str, int] | None = None,
    ) -> None:
        self.name, self.words = name, words
        self._ranks: Sequence[int] = range(1, len(words) + 1) if ranks is None else ranks
        self.size = len(words) if size is None else size
        # the first of equal words
        self._known = rank_of or dict(zip(reversed(words), reversed(self._ranks), strict=True))
        self.vectors: Mapping[str, Vector] = {}
        """Of words that the source itself may not have."""

    def ranks(self, words: Collection[str]) -> dict[str, int]:
        """Ranks of those words that have one; the first of several equal words."""
        return {word: self._known[word] for word in sorted(words) if word in self._known}

    def candidates(self) -> dict[str, int]:
        """Words that topics are made of, with their ranks: of letters alone."""
        rows: Iterable[int] = range(len(self.words))
        if len(self.words) > MOST_WORDS:
            first = MOST_WORDS - RARER
            step = (len(self.words) / first) ** (1 / RARER)
            rows = sorted({*range(first), *(int(first * step**i) for i in range(RARER))})
        pairs = ((self.words[row], self._ranks[row]) for row in rows)
        # a word comes by its first rank
        return {w: rank for w, rank in pairs if self._known[w] == rank and is_candidate(w)}


@cache
def sample_order() -> WordOrder:
    """The words of ``glove-sample`` by their rank in GloVe 6B, and 4,000 rarer ones.

    The papers' words beyond the 10,000 most frequent have a rank, and are in no topic.
    """
    tensors = bundled_tensors(_BUNDLED)
    sample, rarer = sample_vocabulary(), sample_vocabulary(_BUNDLED)
    own, added = tensors["sample_ranks"].tolist(), tensors["ranks"].tolist()
    rank_of = dict(zip(sample, own, strict=True)) | dict(zip(rarer, added, strict=True))
    words, ranks = [*sample[:FREQUENT], *rarer], [*own[:FREQUENT], *added]
    order = WordOrder("GloVe 6B", words, ranks, SIZE, rank_of)
    order.vectors = dict(zip(rarer, tensors["vectors"], strict=True))
    return order


class CountedOrder(WordOrder):
    """Words in the order of their counts in a file, the most frequent first."""

    def __init__(self, path: Path) -> None:
        from eatlas.sources.archives import open_binary  # noqa: PLC0415  (seldom such a file)

        with open_binary(path) as file:
            raw = file.read(_LARGEST + 1)
        if len(raw) > _LARGEST:
            raise SourceError(f"{path}: the file is too large for a list of counts")
        try:
            lines = raw.decode("utf-8-sig").splitlines()
        except UnicodeDecodeError as error:
            raise SourceError(f"{path}: the file is not UTF-8", allowed=_LINE) from error
        counts = sorted(_counts(lines, path), key=lambda pair: -pair[1])
        super().__init__(str(path), [word for word, _ in counts])
        self.sha256 = hashlib.sha256(raw).hexdigest()


def _counts(lines: list[str], path: Path) -> Iterator[tuple[str, float]]:
    """Words with their counts, line by line; the first line may be a header."""
    for number, line in enumerate(lines, start=1):
        separator = "\t" if "\t" in line else "," if "," in line else None
        word, _, text = line.strip().rpartition(separator or " ")
        try:
            count = float(text)
        except ValueError:
            count = math.nan
        if word.strip() and 0 <= count < math.inf:
            yield word.strip().strip('"'), count
        elif line.strip() and number > 1:
            raise SourceError(
                f"{path}, line {number}: not a word with its count",
                got=repr(line[:60]),
                allowed=_LINE,
            )


class CountedSource(Wrapper):
    """Vectors as they are, with the frequencies of a list of counts."""

    def __init__(self, source: Source, order: CountedOrder) -> None:
        super().__init__(source)
        self.order = order
        self.option = f"{OPTION}={quote(order.name, safe='/.-_ ')}"
        self.mark = f"{OPTION}=sha256:{order.sha256}"
