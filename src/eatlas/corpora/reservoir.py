"""A sample that does not depend on the order in which it is drawn."""

from __future__ import annotations

import hashlib
from typing import Generic, NamedTuple, TypeVar

_ALL = (1 << 64) - 1


class Kept(NamedTuple):
    """A context of a sample, and where in it the stimulus stands, in characters."""

    text: str
    start: int
    end: int


Found = TypeVar("Found")
"""What is sampled: contexts, or pairs."""


class Reservoir(Generic[Found]):
    """Keeps the contexts with the `size` smallest keys, each key once.

    Every context has a key that looks random but follows from the seed, the stimulus and its text
    alone. So the sample is the same in whatever order, and from whatever number of files, contexts
    come; a text that comes again is the same context. The first n of the sample are the sample of
    size n.

    Parameters
    ----------
    size : int
        Most contexts that are kept.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.limit = _ALL
        """Keys above it are not among the smallest."""
        self._kept: dict[int, tuple[int, Found]] = {}

    def offset(self, key: int) -> int | None:
        """Return the offset of the context of that key; None if there is none."""
        return self._kept[key][0] if key in self._kept else None

    def add(self, key: int, offset: int, context: Found) -> None:
        """Take in a context; of two with one key, that whose stimulus stands first."""
        if key > self.limit or (key in self._kept and self._kept[key][0] <= offset):
            return
        self._kept[key] = (offset, context)
        if len(self._kept) >= 2 * self.size:
            self._trim()

    def sample(self) -> list[Found]:
        """Return what is kept, in order of the keys."""
        self._trim()
        return [self._kept[key][1] for key in sorted(self._kept)]

    def merge(self, other: Reservoir[Found]) -> None:
        """Take in what another reservoir keeps."""
        for key, (offset, context) in other._kept.items():
            self.add(key, offset, context)

    def _trim(self) -> None:
        if len(self._kept) >= self.size:
            smallest = sorted(self._kept)[: self.size]
            self._kept = {key: self._kept[key] for key in smallest}
            self.limit = smallest[-1]


def key_seed(seed: int, *stimuli: str) -> int:
    """Return what makes the keys of a seed and a stimulus, or a pair, different from all others.

    Examples
    --------
    >>> key_seed(0, "ant") != key_seed(0, "ants") != key_seed(1, "ants")
    True
    """
    said = "\0".join((str(seed), *stimuli)).encode()
    return int.from_bytes(hashlib.blake2b(said, digest_size=8).digest(), "little")
