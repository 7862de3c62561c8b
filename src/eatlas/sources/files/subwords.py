"""Vectors made of character n-grams, as fastText does (Bojanowski et al. 2017)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SourceError
from eatlas.sources.files.dialects import check_finite
from eatlas.sources.files.matrix import MatrixSource, as_floats
from eatlas.sources.files.words import Words
from eatlas.sources.protocol import Vector

OOV = ("none", "subword")
_END_OF_SENTENCE = "</s>"  # fastText gives it no n-grams
_LISTED = 10


@dataclass(frozen=True)
class Ngrams:
    """Which character n-grams a model has, hashed into buckets.

    Parameters
    ----------
    shortest, longest : int
        Lengths in characters of ``<word>``.
    buckets : int
    """

    shortest: int
    longest: int
    buckets: int

    def of(self, word: str) -> list[int]:
        """Buckets of a word's n-grams, in fastText's order.

        Examples
        --------
        >>> len(Ngrams(3, 6, 2_000_000).of("cat"))  # <ca <cat <cat> cat cat> at>
        6
        """
        if word == _END_OF_SENTENCE:
            return []
        letters = [letter.encode("utf-8", "surrogatepass") for letter in f"<{word}>"]
        found = []
        for start in range(len(letters)):
            for size in range(self.shortest, self.longest + 1):
                end = start + size
                if end > len(letters):
                    break
                if size == 1 and (start == 0 or end == len(letters)):
                    continue
                found.append(_hash(b"".join(letters[start:end])) % self.buckets)
        return found


def _hash(data: bytes) -> int:
    """FNV-1a, 32 bits, over signed bytes, as fastText's C++ code has it."""
    value = 2166136261
    for byte in data:
        signed = byte if byte < 128 else byte | 0xFFFFFF00
        value = ((value ^ signed) * 16777619) & 0xFFFFFFFF
    return value


@dataclass(frozen=True)
class SubwordMatrix:
    """A word's vector is the mean of its own row and of the rows of its n-grams."""

    words: Words
    rows: NDArray[np.floating]
    ngrams: NDArray[np.floating]
    scheme: Ngrams

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and components."""
        return self.rows.shape[0], self.rows.shape[1]

    def take(self, rows: Sequence[int]) -> NDArray[np.floating]:
        """Rows in ascending order, shape (len(rows), dim)."""
        wanted = set(rows)
        chosen = {row: word for row, word in enumerate(self.words) if row in wanted}
        return np.array([self._whole(self.rows[row], chosen[row]) for row in rows], np.float32)

    def blocks(self, size: int) -> Iterator[NDArray[np.floating]]:
        """All rows in order, at most `size` at a time."""
        block: list[Vector] = []
        for row, word in zip(self.rows, self.words, strict=True):
            block.append(self._whole(row, word))
            if len(block) == size:
                yield np.array(block, np.float32)
                block = []
        if block:
            yield np.array(block, np.float32)

    def composed(self, word: str) -> Vector | None:
        """A vector for a word that has no row; None if it has no n-gram either."""
        buckets = self.scheme.of(word)
        if not buckets:
            return None
        with _unchecked():
            mean: Vector = as_floats(self.ngrams[buckets]).mean(axis=0, dtype=np.float64)
            return mean.astype(np.float32)

    def _whole(self, row: NDArray[np.floating], word: str) -> Vector:
        buckets = self.scheme.of(word)
        with _unchecked():
            total = as_floats(self.ngrams[buckets]).sum(axis=0, dtype=np.float64) + row
            vector: Vector = (total / (len(buckets) + 1)).astype(np.float32)
        return vector


def _unchecked() -> np.errstate:
    """Sums of damaged numbers may be anything: what is not finite is found later, and said."""
    return np.errstate(invalid="ignore", over="ignore")


def subword_matrix(
    words: Words,
    rows: NDArray[np.floating],
    ngrams: NDArray[np.floating],
    scheme: Ngrams,
    label: str,
) -> SubwordMatrix:
    """Put the parts together.

    Raises
    ------
    SourceError
        If the numbers of rows or components do not fit.
    """
    fits = rows.shape[1] == ngrams.shape[1] and ngrams.shape[0] >= scheme.buckets > 0
    if not fits or not 0 < scheme.shortest <= scheme.longest <= 64:
        raise SourceError(
            f"{label}: the n-grams do not fit the model",
            got=f"{ngrams.shape} for {scheme.buckets} buckets, n of {scheme.shortest} to "
            f"{scheme.longest}, words {rows.shape}",
        )
    return SubwordMatrix(words, rows, ngrams, scheme)


class SubwordSource(MatrixSource):
    """Words with n-grams.

    Parameters
    ----------
    oov : {"none", "subword"}
        Whether a word that is not in the vocabulary gets the mean of its n-grams. It does so only
        if it holds no space, and if no other spelling of it that was asked for (upper or lower
        case) is in the vocabulary.
    """

    def __init__(
        self,
        words: Words,
        matrix: SubwordMatrix,
        *,
        name: str,
        files: Sequence[Path],
        oov: str,
    ) -> None:
        super().__init__(words, matrix, name=name, files=files)
        self._subwords = matrix
        self._oov = oov
        self._composed: set[str] = set()

    @property
    def notes(self) -> tuple[str, ...]:
        """Duplicates, and words whose vector was made of n-grams."""
        if not self._composed:
            return super().notes
        listed = sorted(self._composed)
        more = f" and {len(listed) - _LISTED} more" if len(listed) > _LISTED else ""
        note = (
            f"{self.name}: not in the vocabulary, vector made of character n-grams (in one "
            f"spelling or another): {', '.join(listed[:_LISTED])}{more}."
        )
        return (*super().notes, note)

    def lookup(self, keys: Collection[str]) -> Mapping[str, Vector]:
        """Return the vectors of those keys that have one, or can be given one."""
        found = dict(super().lookup(keys))
        if self._oov == "none":
            return found
        known = {key.casefold() for key in found}
        # what holds a space is a phrase or a sentence: no n-gram with a space was ever trained
        for key in (key for key in keys if not any(map(str.isspace, key))):
            if key.casefold() in known or (vector := self._subwords.composed(key)) is None:
                continue
            check_finite(vector, f"{self.name}, the n-grams of {key!r}")
            found[key] = vector
            self._composed.add(key.casefold())
        return found
