"""The family of all words: two passes over finished chunks, for what concerns them together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eatlas.engine.scan.chunk import EXAMPLES, METHODS, REASONS, Chunk, Chunks
from eatlas.engine.scan.plan import ScanPlan
from eatlas.errors import SourceError
from eatlas.results.scan import NO_ATTRIBUTE, ScannedWords, Vocabulary
from eatlas.stats.multiplicity import Tally

Array = NDArray[np.float64]

IN_ORDER = 0.9
"""A share of neighbours in alphabetical order that no list by frequency has: there it is a half."""
FEW = 20
"""Neighbours among which such a share is no accident."""


@dataclass(frozen=True)
class Gathered:
    """The family of all words that are no attributes."""

    vocabulary: Vocabulary
    maxima: Array
    """The greatest statistic of each relabelling."""
    values: Array
    """Different two-sided p-values of the family, ascending."""
    counts: NDArray[np.int64]
    """How often each occurs."""
    holm: Array
    """Adjusted, for each of `values`."""
    yekutieli: Array

    @property
    def words(self) -> int:
        """Words in the family."""
        return int(self.counts.sum())

    def adjusted(self, p: Array, by: Array) -> Array:
        """The adjusted values, `holm` or `yekutieli`, of some p-values of the family."""
        return by[np.searchsorted(self.values, p)]


def gather(plan: ScanPlan, chunks: Chunks) -> Gathered:
    """Put together what the chunks say of the whole vocabulary."""
    counter, tally = _Counter(), Tally()
    maxima = np.zeros(plan.shared.relabellings)
    for chunk in chunks:
        counter.add(chunk)
        tally.add(chunk.p[2][chunk.side == 0])
        if chunk.maxima.size:
            np.maximum(maxima, chunk.maxima, out=maxima)
    if not tally.size:
        raise SourceError(
            f"{plan.source.name}: there is no word to scan",
            got=f"{counter.read} words, none with a usable vector that is not an attribute",
        )
    values, counts = tally.values, tally.counts
    return Gathered(
        counter.vocabulary(), maxima, values, counts, tally.holm(), tally.benjamini_yekutieli()
    )


class _Counter:
    """What was read, and what became of it."""

    def __init__(self) -> None:
        self.read = self.tested = self.attributes = self.undefined = 0
        self.pairs = self.rising = 0
        self.missing = np.zeros(len(REASONS), np.int64)
        self.examples: list[list[str]] = [[] for _ in REASONS]
        self.methods = np.zeros(len(METHODS), np.int64)
        self.rel_err = 0.0

    def add(self, chunk: Chunk) -> None:
        """Add the counts of a chunk of words."""
        self.read += chunk.read
        self.tested += len(chunk.words)
        self.attributes += int(np.count_nonzero(chunk.side))
        self.undefined += int(np.count_nonzero(np.isnan(chunk.effect_size)))
        self.pairs += chunk.read - 1
        self.rising += chunk.rising
        self.missing += chunk.missing
        for mine, more in zip(self.examples, chunk.examples, strict=True):
            mine.extend(more[: EXAMPLES - len(mine)])
        self.methods += np.bincount(chunk.method.max(axis=0, initial=0), minlength=len(METHODS))
        self.rel_err = max(self.rel_err, float(chunk.rel_err.max(initial=0.0)))

    def vocabulary(self) -> Vocabulary:
        """What is known of the words once all chunks are added."""
        reasons = [i for i in range(len(REASONS)) if self.missing[i]]
        return Vocabulary(
            read=self.read,
            tested=self.tested,
            attributes=self.attributes,
            undefined=self.undefined,
            missing={REASONS[i]: int(self.missing[i]) for i in reasons},
            examples={REASONS[i]: tuple(self.examples[i]) for i in reasons},
            alphabetical=self.pairs >= FEW and self.rising > IN_ORDER * self.pairs,
            methods={m: int(k) for m, k in zip(METHODS, self.methods, strict=True) if k},
            rel_err=self.rel_err or None,
        )


@dataclass(frozen=True)
class Judged:
    """A chunk with what the whole family says of its words; NaN for attributes."""

    chunk: Chunk
    p_max_t: Array
    p_by: Array
    p_holm: Array

    @property
    def block(self) -> ScannedWords:
        """The words as rows of the table."""
        chunk = self.chunk
        codes, errors = chunk.method.T, chunk.rel_err.max(axis=0, initial=0.0)
        return ScannedWords(
            word=chunk.words,
            effect_size=chunk.effect_size,
            p_greater=chunk.p[0],
            p_less=chunk.p[1],
            p_two_sided=chunk.p[2],
            p_max_t=self.p_max_t,
            p_by=self.p_by,
            difference=chunk.difference,
            rank=chunk.rank,
            attribute=[(NO_ATTRIBUTE, "A", "B")[side] for side in chunk.side.tolist()],
            method=_methods(codes),
            rel_err=np.where(errors > 0, errors, np.nan),
        )


def _methods(codes: NDArray[np.uint8]) -> list[str]:
    """How each word's p-values were found; several words where its tails differ."""
    if not codes.any():
        return [METHODS[0]] * len(codes)
    return ["+".join(METHODS[code] for code in sorted(set(row))) for row in codes.tolist()]


def judged(plan: ScanPlan, chunks: Chunks, gathered: Gathered) -> Iterator[Judged]:
    """Every chunk with adjusted p-values, in the order of the source."""
    for chunk in chunks:
        member = chunk.side == 0
        p = chunk.p[2][member]
        yield Judged(
            chunk,
            _spread(member, plan.shared.p(chunk.reached[member], gathered.maxima)),
            _spread(member, gathered.adjusted(p, gathered.yekutieli)),
            _spread(member, gathered.adjusted(p, gathered.holm)),
        )


def _spread(member: NDArray[np.bool_], values: Array) -> Array:
    out = np.full(member.size, np.nan)
    out[member] = values
    return out
