"""A list of counts beside vectors that say nothing of how frequent their words are."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from eatlas.errors import SourceError
from eatlas.sources.files.reading import open_binary
from eatlas.sources.frequency.orders import ListedOrder
from eatlas.sources.protocol import VectorSource
from eatlas.sources.source import Wrapper
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


class CountedSource(Wrapper):
    """Vectors as they are, with the frequencies of a list of counts.

    Parameters
    ----------
    source : VectorSource
    order : CountedOrder
    """

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
