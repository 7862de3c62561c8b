"""A source that encodes, with the texts that it is asked for: all its vectors can be had then."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from eatlas.results.parts import Encoding
from eatlas.sources.passages import (
    ContextualSource,
    Passage,
    Tell,
    Unknown,
    unknown,
    why_not,
    words_alone,
)
from eatlas.sources.protocol import CHUNK, Vector
from eatlas.sources.spec import with_option
from eatlas.sources.transforms import Step, TransformedSource
from eatlas.stats.precision import SINGLE


class EncodedTexts:
    """The vectors of some passages, as a source that can be read from end to end.

    Parameters
    ----------
    source : ContextualSource
    passages : collection of Passage
        In whatever order; they are taken in one of their own.
    tell : callable, optional
        Called with the number of passages encoded and the number of all.
    """

    ranked = False
    """The order of the texts says nothing about how frequent they are."""

    def __init__(
        self, source: ContextualSource, passages: Collection[Passage], tell: Tell | None = None
    ) -> None:
        self.source = source
        self.passages = sorted(set(passages), key=lambda one: (one.text, one.span or (0, 0)))
        self._tell = tell

    @property
    def name(self) -> str:
        """That of the source."""
        return self.source.name

    @property
    def dim(self) -> int:
        """Number of components of every vector."""
        return self.source.dim

    @property
    def fingerprint(self) -> str:
        """That of the source, and a hash of the passages."""
        digest = hashlib.sha256()
        for one in self.passages:
            digest.update(f"{one.text}\0{one.span}\0".encode())
        return f"{self.source.fingerprint};texts={digest.hexdigest()[:16]}"

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes of the source."""
        return self.source.notes

    @property
    def expected(self) -> int:
        """How many texts there are."""
        return len(self.passages)

    @cached_property
    def found(self) -> Mapping[Passage, Vector]:
        """The vector of each passage that can be encoded."""
        return self.source.encode(self.passages, self._tell)

    def lookup(self, keys: Collection[str]) -> Mapping[str, Vector]:
        """Return the vectors of passages with these texts; the first of several of one text."""
        wanted = set(keys)
        vectors: dict[str, Vector] = {}
        for one in self.passages:
            if one.text in wanted and one in self.found:
                vectors.setdefault(one.text, self.found[one])
        return vectors

    def iter_chunks(self, rows: int = CHUNK, /) -> Iterator[tuple[list[str], NDArray[np.floating]]]:
        """All texts with their vectors, `rows` at a time."""
        there = [one for one in self.passages if one in self.found]
        for start in range(0, len(there), rows):
            some = there[start : start + rows]
            yield [one.text for one in some], np.stack([self.found[one] for one in some])


class TransformedEncodings:
    """Vectors of a contextual source, transformed by what is fitted on all that is encoded at once.

    Parameters
    ----------
    source : ContextualSource
    steps : tuple of Step

    Notes
    -----
    A run encodes the passages of all its tests at once, so the fit is on those; the same test in
    another run gives other numbers. Name, notes and fingerprint say so.
    """

    def __init__(self, source: ContextualSource, steps: tuple[Step, ...]) -> None:
        self.source = source
        self.steps = steps
        self._fitted: TransformedSource | None = None
        self._growth: float | None = None
        self._given: float | None = None

    @property
    def transform(self) -> str:
        """The transforms as a source string writes them."""
        return ",".join(step.text for step in self.steps)

    @property
    def name(self) -> str:
        """The source's name and the transforms."""
        return with_option(self.source.name, f"transform={self.transform}")

    @property
    def dim(self) -> int:
        """Number of components of every vector."""
        return self.source.dim

    @property
    def encoding(self) -> Encoding:
        """That of the source, with the rounding error that the transform leaves."""
        encoding = self.source.encoding
        if self._growth is None:
            return encoding
        given = encoding.roundoff or self._given
        return encoding.model_copy(update={"roundoff": given and given * self._growth})

    @property
    def fingerprint(self) -> str:
        """That of the source and the transforms; once something is encoded, of its texts too."""
        if self._fitted is not None:
            return self._fitted.fingerprint
        return f"{self.source.fingerprint};transform={self.transform}"

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes of the source, and one on the transform."""
        return self.source.notes if self._fitted is None else self._fitted.notes

    def encode(
        self, passages: Collection[Passage], tell: Tell | None = None
    ) -> Mapping[Passage, Vector]:
        """Encode passages, fit the transform on them, and transform them.

        Raises
        ------
        SourceError
            If there are too few passages for the transform, or nothing is left of their vectors.
        """
        texts = EncodedTexts(self.source, passages, tell)
        self._fitted = TransformedSource(texts, self.steps)
        there = [one for one in texts.passages if one in texts.found]
        rows = [vector for _, block in self._fitted.iter_chunks() for vector in block]
        vectors = [texts.found[one] for one in there]
        first: dict[bytes, int] = {}  # texts that share a vector share its image, bit for bit
        rows = [rows[first.setdefault(v.tobytes(), i)] for i, v in enumerate(vectors)]
        if vectors:
            self._given = SINGLE if vectors[0].dtype == np.float32 else None
            self._growth = _growth(np.stack(vectors), np.stack(rows), self._fitted.gain)
        return dict(zip(there, rows, strict=True))

    def why_not(self, passage: Passage) -> str:
        """What the source says."""
        return why_not(self.source, passage)

    def unknown(self, passage: Passage) -> Unknown:
        """What the source says."""
        return unknown(self.source, passage)

    def lookup(self, keys: Collection[str]) -> Mapping[str, Vector]:
        """Encode words alone, by word."""
        return words_alone(self, keys)


def _growth(before: NDArray[np.floating], after: NDArray[np.floating], gain: float) -> float:
    """How many times larger a transform makes the rounding error of a vector, beside its length.

    A vector that is short when the mean is taken off keeps the error that it had when it was long.
    The median over vectors, 1 or more.

    Examples
    --------
    >>> _growth(np.array([[8.0, 6.0]]), np.array([[0.0, 2.0]]), 1.0)
    5.0
    """
    lengths = np.linalg.norm(before, axis=1), np.linalg.norm(after, axis=1)
    left = lengths[1] > 0
    if not left.any():
        return 1.0
    return max(1.0, gain * float(np.median(lengths[0][left] / lengths[1][left])))
