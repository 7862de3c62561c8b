"""A list of counts beside vectors that say nothing of how frequent their words are."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SourceError
from eatlas.results.parts import Encoding
from eatlas.sources.files.reading import open_binary
from eatlas.sources.frequency.orders import ListedOrder
from eatlas.sources.passages import Passage, Tell, is_contextual, why_not
from eatlas.sources.protocol import CHUNK, ChunkedSource, Vector, VectorSource
from eatlas.sources.spec import with_option

OPTION = "counts"
_LARGEST = 1 << 28
_REMEDY = "one word and its count on a line, with a tab, a space or a comma between"


class CountedOrder(ListedOrder):
    """Words in the order of their counts, the most frequent first; equal ones as they are listed.

    Parameters
    ----------
    path : Path
        A word and its count on each line, with a tab, a space or a comma between; the first line
        may be a header.

    Raises
    ------
    SourceError
        If the file cannot be read, or a line has no count.
    """

    def __init__(self, path: Path) -> None:
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
                f"{path}, line {number}: this is no word with its count",
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


class CountedSource:
    """Vectors as they are, with the frequencies of a list of counts.

    Parameters
    ----------
    source : VectorSource
    order : CountedOrder
    """

    def __init__(self, source: VectorSource, order: CountedOrder) -> None:
        self.source, self.order = source, order

    @property
    def name(self) -> str:
        """That of the source, with the list as an option."""
        return with_option(self.source.name, f"{OPTION}={quote(self.order.name, safe='/.-_ ')}")

    @property
    def dim(self) -> int:
        """Number of components of every vector."""
        return self.source.dim

    @property
    def fingerprint(self) -> str:
        """That of the source, and the hash of the list."""
        return f"{self.source.fingerprint};{OPTION}=sha256:{self.order.sha256}"

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes of the source."""
        return self.source.notes

    @property
    def period(self) -> int | None:
        """Year of the source, in a series."""
        return getattr(self.source, "period", None)

    def lookup(self, keys: Collection[str]) -> Mapping[str, Vector]:
        """Return the vectors of those keys that the source has."""
        return self.source.lookup(keys)


class CountedList(CountedSource):
    """The same of vectors that can be read from end to end."""

    def iter_chunks(self, rows: int = CHUNK, /) -> Iterator[tuple[list[str], NDArray[np.floating]]]:
        """All words with their vectors, `rows` at a time."""
        source: Any = self.source
        chunks: Iterator[tuple[list[str], NDArray[np.floating]]] = source.iter_chunks(rows)
        return chunks

    @property
    def expected(self) -> int | None:
        """How many words there are, where the source says it."""
        count: int | None = getattr(self.source, "expected", None)
        return count


class CountedEncodings(CountedSource):
    """The same of a source that encodes."""

    @property
    def encoding(self) -> Encoding:
        """That of the source."""
        source: Any = self.source
        found: Encoding = source.encoding
        return found

    def encode(
        self, passages: Collection[Passage], tell: Tell | None = None
    ) -> Mapping[Passage, Vector]:
        """Encode passages as the source does."""
        source: Any = self.source
        found: Mapping[Passage, Vector] = source.encode(passages, tell)
        return found

    def why_not(self, passage: Passage) -> str:
        """What the source says."""
        return why_not(self.source, passage)


def counted(source: VectorSource, order: CountedOrder) -> CountedSource:
    """Put a list of counts beside a source of any kind."""
    if is_contextual(source):
        return CountedEncodings(source, order)
    listed = isinstance(source, ChunkedSource)
    return CountedList(source, order) if listed else CountedSource(source, order)
