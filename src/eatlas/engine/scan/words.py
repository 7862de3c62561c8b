"""Second pass over finished chunks: every word with its adjusted p-values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eatlas.engine.scan.chunk import Chunk
from eatlas.engine.scan.chunks import Chunks
from eatlas.engine.scan.gathering import Gathered
from eatlas.engine.scan.p_values import METHODS
from eatlas.engine.scan.plan import ScanPlan
from eatlas.results.scan_words import NO_ATTRIBUTE, ScannedWords

Array = NDArray[np.float64]


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
