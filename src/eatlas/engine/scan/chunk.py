"""Chunks of a vocabulary: measured by threads, and kept in a file that outlives the process."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas import kernels
from eatlas.engine.scan.plan import ScanPlan
from eatlas.engine.store import FileJournal
from eatlas.executors import Executor, Threads, processors
from eatlas.results.parts import TAILS
from eatlas.stats.effect_size import effect_sizes
from eatlas.stats.permutation import permutation_test, permutation_tests
from eatlas.stats.permutation.batch import LARGEST, MOST_SCORES, invert_rows

Array = NDArray[np.float64]
METHODS = ("exact", "inversion", "sampled")
EXACT, INVERSION, _ = range(len(METHODS))
ACCEPTED = 1e-3
"""Stated relative error up to which the inversion of many words at once is taken; a word beyond it
is tested by itself."""
BLOCK = 1024
"""Words whose unit rows and products are at hand together: 2.5 MB at 300 components."""
THREADS = 4
"""At most; almost all the work is done outside of the interpreter's lock."""
MISSING = "its vector is zero (norm 0)", "its vector has a component that is not finite"
"""Why a word is not tested."""


@dataclass(frozen=True)
class Chunk:
    """What a scan keeps of some words: columns of those with a usable vector, and counts."""

    index: int
    """Number of the chunk in the source, from 0."""
    read: int
    """Words that the source gave."""
    words: list[str]
    missing: list[list[str]]
    """Words without a usable vector, by reason."""
    maxima: Array
    """The greatest statistic of each relabelling over the words that are no attributes."""
    rank: NDArray[np.int64]
    side: NDArray[np.uint8]
    """0 for a word, 1 and 2 for an attribute of A and of B."""
    effect_size: Array
    """NaN without spread."""
    difference: Array
    p: Array
    """Shape (3, k): greater, less, two_sided; so are method and rel_err."""
    method: NDArray[np.uint8]
    """Index of METHODS."""
    rel_err: Array
    """Stated relative error; 0 for a count and for random draws."""
    reached: Array
    """What the word has reached for maxT."""

    @classmethod
    def joined(cls, parts: Sequence[Chunk]) -> Chunk:
        """All chunks as one."""
        columns = {
            field.name: np.concatenate([getattr(part, field.name) for part in parts], axis=-1)
            for field in fields(cls)[5:]
        }
        return cls(
            index=0,
            read=sum(part.read for part in parts),
            words=[word for part in parts for word in part.words],
            missing=[[w for part in parts for w in part.missing[i]] for i in range(len(MISSING))],
            maxima=np.max([part.maxima for part in parts if part.maxima.size], axis=0),
            **columns,
        )


Piece = tuple[int, list[str], NDArray[np.floating]]
"""Number of a chunk, its words and their vectors."""


def measure_chunk(piece: Piece, plan: ScanPlan) -> Chunk:
    """Measure the words of one chunk."""
    index, words, vectors = piece
    finite, present = np.isfinite(vectors).all(axis=1), vectors.any(axis=1)
    usable = np.flatnonzero(finite & present)
    scores = np.empty((usable.size, len(plan.rows)))
    for start in range(0, usable.size, BLOCK):
        part = slice(start, start + BLOCK)
        scores[part] = kernels.similarities(kernels.unit_rows(vectors[usable[part]]), plan.rows)
    n = plan.sizes[0]
    difference, d = effect_sizes(scores, n, ddof=plan.measure.ddof)
    p, method, rel_err = word_tests(scores, n)
    used, flagged = [words[i] for i in usable.tolist()], plan.flagged
    side = np.array([" AB".index(flagged.get(word, " ")) for word in used], np.uint8)
    reached = np.full(len(used), np.nan)
    reached[side == 0], maxima = plan.shared.statistics(scores[side == 0])
    return Chunk(
        index=index,
        read=len(words),
        words=used,
        missing=[
            [words[i] for i in np.flatnonzero(bad).tolist()] for bad in (finite & ~present, ~finite)
        ],
        maxima=maxima,
        rank=usable + index * plan.step + 1,
        side=side,
        effect_size=d,
        difference=difference,
        p=p,
        method=method,
        rel_err=rel_err,
        reached=reached,
    )


def word_tests(scores: Array, n: int) -> tuple[Array, NDArray[np.uint8], Array]:
    """Test each row's first `n` scores against its others: p, method and error, shape (3, k).

    Up to 32 scores in a row every p is a count. Beyond, rows are inverted together, a fraction of a
    millisecond each. Rows whose stated error is above ACCEPTED have few relabellings beyond the
    observed one, or scores that inversion does not suit; they get what `permutation_test` gives: a
    count, an inversion or random draws, some 50 ms a row.
    """
    shape = len(TAILS), len(scores)
    if scores.shape[1] <= LARGEST:
        tests = permutation_tests(scores, n, scale=1.0)
        p = np.stack([tests.p(tail) for tail in TAILS])
        return p, np.zeros(shape, np.uint8), np.zeros(shape)
    p, error = np.ones(shape), np.full(shape, np.inf)
    if scores.shape[1] <= MOST_SCORES:
        inverted = invert_rows(scores, n, scale=1.0)
        p, error = np.array(inverted.p), np.array(inverted.rel_err)
    method = np.where(error > 0, INVERSION, EXACT).astype(np.uint8)
    # two tails make the third, so they go together
    for row in np.flatnonzero((error > ACCEPTED).any(axis=0)).tolist():
        alone = permutation_test(scores[row], n, scale=1.0)
        for i, name in enumerate(TAILS):
            tail = getattr(alone, name)
            p[i, row], method[i, row] = tail.p, METHODS.index(tail.method)
            error[i, row] = tail.rel_err or 0.0
    return p, method, error


class Chunks(FileJournal):
    """The finished chunks of a scan, by their number."""

    work, task = "words", "scan"

    def __init__(self, out: Path | None = None, identity: str = "") -> None:
        super().__init__(out, identity)
        self._identity = identity
        self.done: dict[int, Chunk] = {}

    @property
    def words(self) -> int:
        """Words of all chunks."""
        return sum(chunk.read for chunk in self.done.values())

    def keep(self, chunk: Chunk) -> None:
        """Keep a finished chunk."""
        if self.path is not None:
            self.append(f"{self._identity} {chunk.index}", _encoded(chunk))
        self.done[chunk.index] = chunk

    def take(self, name: str, result: bytes) -> None:
        """Take over a chunk that was measured before."""
        chunk = _decoded(result)
        if name != f"{self._identity} {chunk.index}":
            raise ValueError(name)
        self.done[chunk.index] = chunk


_TEXTS, _NUMBERS = ("words", "missing"), ("index", "read")


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


def measure_all(
    plan: ScanPlan,
    chunks: Chunks,
    progress: Callable[[int], None] | None = None,
    executor: Executor | None = None,
) -> None:
    """Measure every chunk of the source that is not among `chunks`, and keep it there.

    However it ends, the chunks that were finished before are kept: each as soon as it is measured.
    Threads measure them, unless an executor does.
    """
    done = 0

    def pieces() -> Iterator[Piece]:
        nonlocal done
        for index, (words, vectors) in enumerate(plan.chunks()):
            if index in chunks.done:
                done += len(words)
            else:
                yield index, words, vectors

    source: Any = None  # of many gigabytes, and read here
    work = partial(measure_chunk, plan=replace(plan, source=source))
    with closing((executor or Threads(min(THREADS, processors())))(work, pieces())) as outcomes:
        for _, chunk in outcomes:
            chunks.keep(chunk)
            done += chunk.read
            if progress is not None:
                progress(done)
