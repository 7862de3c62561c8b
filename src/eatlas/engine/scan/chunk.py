"""One chunk of a vocabulary, measured, and finished chunks in a file that outlives the process."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas import kernels
from eatlas.engine.scan.plan import ScanPlan
from eatlas.engine.store import FileJournal
from eatlas.results.parts import TAILS
from eatlas.stats.effect_size import effect_sizes
from eatlas.stats.permutation import Tail, permutation_test, permutation_tests
from eatlas.stats.permutation.batch import LARGEST, MOST_SCORES, invert_rows

Array = NDArray[np.float64]
METHODS = ("exact", "inversion", "sampled")
EXACT, INVERSION, _ = range(len(METHODS))
ACCEPTED = 1e-3
"""Stated relative error up to which the inversion of many words at once is taken; a word beyond it
is tested by itself."""
AT_ONCE = 128
"""Words between two calls of `stop`: some 50 ms."""


@dataclass(frozen=True)
class TailArrays:
    """Three tails of many tests, shape (3, k) each, in the order greater, less, two_sided."""

    p: Array
    method: NDArray[np.uint8]
    """Index of METHODS."""
    rel_err: Array
    """Stated relative error; 0 for a count and for random draws."""


def word_tests(scores: Array, n: int, stop: Callable[[], None]) -> TailArrays:
    """Test each row's first `n` scores against its others.

    Up to 32 scores in a row every p is a count. Beyond, rows are inverted together, a fraction of a
    millisecond each. Rows whose stated error is above ACCEPTED have few relabellings beyond the
    observed one, or scores that inversion does not suit; they get what `permutation_test` gives: a
    count, an inversion or random draws, some 50 ms a row. `stop` is called now and then; it may
    raise.
    """
    if scores.shape[1] <= LARGEST:
        tests = permutation_tests(scores, n, scale=1.0)
        p = np.stack([tests.p(tail) for tail in TAILS])
        return TailArrays(p, np.zeros(p.shape, np.uint8), np.zeros(p.shape))
    tails = _inverted(scores, n, stop)
    # two tails make the third, so they go together
    alone = np.flatnonzero((tails.rel_err > ACCEPTED).any(axis=0))
    for row in alone.tolist():
        stop()
        found_here = permutation_test(scores[row], n, scale=1.0)
        for i, name in enumerate(TAILS):
            tail: Tail = getattr(found_here, name)
            tails.p[i, row] = tail.p
            tails.method[i, row] = METHODS.index(tail.method)
            tails.rel_err[i, row] = tail.rel_err or 0.0
    return tails


def _inverted(scores: Array, n: int, stop: Callable[[], None]) -> TailArrays:
    """Inversions of all rows; the error of those that are too long is infinite."""
    shape = len(TAILS), len(scores)
    p, error = np.ones(shape), np.full(shape, np.inf)
    if scores.shape[1] <= MOST_SCORES:
        for start in range(0, len(scores), AT_ONCE):
            stop()
            part = slice(start, start + AT_ONCE)
            inverted = invert_rows(scores[part], n, scale=1.0)
            p[:, part], error[:, part] = inverted.p, inverted.rel_err
    method = np.where(error > 0, INVERSION, EXACT).astype(np.uint8)
    return TailArrays(p, method, error)


BLOCK = 1024
"""Words whose unit rows and products are at hand together: 2.5 MB at 300 components."""
EXAMPLES = 5
"""Missing words that are named, of each reason."""
ZERO, INFINITE = "its vector is zero (norm 0)", "its vector has a component that is not finite"
REASONS = (ZERO, INFINITE)


@dataclass(frozen=True)
class Chunk:
    """What a scan keeps of some words: columns of those with a usable vector, and counts."""

    index: int
    """Number of the chunk in the source, from 0."""
    read: int
    """Words that the source gave."""
    rising: int
    """Neighbours of which the second is not before the first in the alphabet."""
    words: list[str]
    rank: NDArray[np.int64]
    side: NDArray[np.uint8]
    """0 for a word, 1 and 2 for an attribute of A and of B."""
    effect_size: Array
    """NaN without spread."""
    difference: Array
    p: Array
    """Shape (3, k): greater, less, two_sided."""
    method: NDArray[np.uint8]
    rel_err: Array
    reached: Array
    """What the word has reached for maxT."""
    maxima: Array
    """The greatest statistic of each relabelling over the words that are no attributes."""
    missing: NDArray[np.int64]
    """Words without a usable vector, by reason."""
    examples: list[list[str]]
    """The first few of them, by reason."""

    @classmethod
    def joined(cls, parts: Sequence[Chunk]) -> Chunk:
        """All chunks as one, whose index is their number."""
        columns = {name: [getattr(part, name) for part in parts] for name in _COLUMNS}
        named = ([word for part in parts for word in part.examples[i]] for i in range(len(REASONS)))
        return cls(
            index=len(parts),
            read=sum(part.read for part in parts),
            rising=sum(part.rising for part in parts),
            words=[word for part in parts for word in part.words],
            maxima=np.max([part.maxima for part in parts if part.maxima.size], axis=0),
            missing=np.sum([part.missing for part in parts], axis=0),
            examples=[words[:EXAMPLES] for words in named],
            **{name: np.concatenate(arrays, axis=-1) for name, arrays in columns.items()},
        )


def measure_chunk(
    plan: ScanPlan,
    index: int,
    words: Sequence[str],
    vectors: NDArray[np.floating],
    stop: Callable[[], None],
) -> Chunk:
    """Measure the words of one chunk; `stop` is called now and then and may raise."""
    finite = np.isfinite(vectors).all(axis=1)
    present = vectors.any(axis=1)
    usable = np.flatnonzero(finite & present)
    bad = np.flatnonzero(finite & ~present), np.flatnonzero(~finite)
    used = [words[i] for i in usable.tolist()]
    n = plan.found.sizes[0]
    scores = _scores(plan.found.rows, vectors, usable, stop)
    difference, d = effect_sizes(scores, n, ddof=plan.measure.ddof)
    tails = word_tests(scores, n, stop)
    flagged = plan.found.flagged
    side = np.array([" AB".index(flagged.get(word, " ")) for word in used], np.uint8)
    reached, maxima = _family(plan, scores, side == 0)
    return Chunk(
        index=index,
        read=len(words),
        rising=sum(a <= b for a, b in pairwise(words)),
        words=used,
        rank=usable + index * plan.rows + 1,
        side=side,
        effect_size=d,
        difference=difference,
        p=tails.p,
        method=tails.method,
        rel_err=tails.rel_err,
        reached=reached,
        maxima=maxima,
        missing=np.array([rows.size for rows in bad], np.int64),
        examples=[[words[i] for i in rows[:EXAMPLES].tolist()] for rows in bad],
    )


def _scores(
    attributes: Array,
    vectors: NDArray[np.floating],
    usable: NDArray[np.intp],
    stop: Callable[[], None],
) -> Array:
    """Cosines of the usable words with all attributes, shape (k, N)."""
    scores = np.empty((usable.size, len(attributes)))
    for start in range(0, usable.size, BLOCK):
        stop()
        part = slice(start, start + BLOCK)
        scores[part] = kernels.similarities(kernels.unit_rows(vectors[usable[part]]), attributes)
    return scores


def _family(plan: ScanPlan, scores: Array, member: NDArray[np.bool_]) -> tuple[Array, Array]:
    """What words have reached, and the maxima of the family; attributes are in none."""
    reached = np.full(len(scores), np.nan)
    reached[member], maxima = plan.shared.statistics(scores[member])
    return reached, maxima


_COLUMNS = ("rank", "side", "effect_size", "difference", "p", "method", "rel_err", "reached")
_TEXTS = ("words", "examples")
_NUMBERS = ("index", "read", "rising")


class Chunks(FileJournal):
    """The finished chunks of a scan."""

    work, task = "words", "scan"

    def __init__(self, out: Path | None = None, identity: str = "") -> None:
        super().__init__(out, identity)
        self._identity = identity
        self._indices: set[int] = set()
        self.words = 0
        """Words of all chunks."""

    def __contains__(self, index: int) -> bool:
        return index in self._indices

    def __len__(self) -> int:
        return len(self._indices)

    def __iter__(self) -> Iterator[Chunk]:
        """Finished chunks, in the order of the source."""
        return (_decoded(self.read(self._name(index))) for index in sorted(self._indices))

    def keep(self, chunk: Chunk) -> None:
        """Keep a finished chunk."""
        self.append(self._name(chunk.index), _encoded(chunk))
        self._count(chunk)

    def forget(self) -> None:
        """Forget all chunks, once what follows from them is elsewhere."""
        self.discard([self._name(index) for index in self._indices])
        self._indices.clear()
        self.words = 0

    def take(self, name: str, result: bytes) -> None:
        """Take over a chunk that was measured before."""
        chunk = _decoded(result)
        if name != self._name(chunk.index):
            raise ValueError(name)
        self._count(chunk)

    def _name(self, index: int) -> str:
        return f"{self._identity} {index}"

    def _count(self, chunk: Chunk) -> None:
        if chunk.index not in self._indices:
            self.words += chunk.read
        self._indices.add(chunk.index)


def _encoded(chunk: Chunk) -> bytes:
    """A chunk as NumPy writes arrays, without line ends: a tenth of the time of base64."""
    arrays: dict[str, Any] = {field.name: getattr(chunk, field.name) for field in fields(Chunk)}
    for name in _TEXTS:
        arrays[name] = np.frombuffer(json.dumps(arrays[name]).encode(), np.uint8)
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **arrays)
    return buffer.getvalue().replace(b"\x1b", b"\x1b0").replace(b"\n", b"\x1b1")


def _decoded(result: bytes) -> Chunk:
    data = io.BytesIO(result.replace(b"\x1b1", b"\n").replace(b"\x1b0", b"\x1b"))
    with np.load(data, allow_pickle=False) as file:
        arrays: dict[str, Any] = {field.name: file[field.name] for field in fields(Chunk)}
    for name in _TEXTS:
        arrays[name] = json.loads(arrays[name].tobytes())
    for name in _NUMBERS:
        arrays[name] = int(arrays[name])
    return Chunk(**arrays)
