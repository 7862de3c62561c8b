"""Scan a vocabulary: chunks are measured and kept, then all words are judged and written."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas.engine.scan.chunk import Chunk, Chunks, measure_chunk
from eatlas.engine.scan.family import BANDS, TOP, Lists, conclude
from eatlas.engine.scan.plan import ScanPlan, make_scan, require_usable
from eatlas.executors import Executor, Threads, processors
from eatlas.measures import SCEAT
from eatlas.results.scan import ScanResult, Sort, summary_of, write_words
from eatlas.sources import CaseRule
from eatlas.sources.opening import VectorsLike
from eatlas.stats.permutation.batch import MOST_SCORES
from eatlas.stimuli import Concept
from eatlas.stimuli.kinds import TestLike
from eatlas.writing import atomic_files

THREADS = 4
"""At most; almost all the work is done outside of the interpreter's lock."""
Progress = Callable[[int], None]
"""Called with the number of words that are done."""
TRIALS, ALONE = (128, 2048), (4,)
"""Words of a trial, together and one by one: of few that are measured together, time says little.
The next trial is larger while one takes no time to speak of."""
ENOUGH = 0.2
"""Seconds of a trial that tells the time."""


def threads() -> int:
    """Return the number of threads that measure chunks."""
    return min(THREADS, processors())


def measure_all(
    plan: ScanPlan,
    chunks: Chunks,
    progress: Progress | None = None,
    executor: Executor | None = None,
) -> None:
    """Measure every chunk of the source that is not among `chunks`, and keep it there.

    However it ends, the chunks that were finished before are kept: each as soon as it is measured.
    Threads measure them, unless an executor does.
    """
    if executor is not None:
        _measure_apart(plan, chunks, progress or (lambda _: None), executor)
        return
    keeping, done, here = threading.Lock(), 0, Threads(threads())

    def measure(item: tuple[int, tuple[list[str], NDArray[np.floating]]]) -> int:
        index, (words, vectors) = item
        if index not in chunks:
            chunk = measure_chunk(plan, index, words, vectors, here.stop)
            with keeping:
                chunks.keep(chunk)
        return len(words)

    with closing(here(measure, enumerate(plan.chunks()))) as ended:
        for _, words in ended:
            done += words
            if progress is not None:
                progress(done)


Piece = tuple[int, list[str], NDArray[np.floating]]
"""Number of a chunk, its words and their vectors."""


def _measure_apart(plan: ScanPlan, chunks: Chunks, progress: Progress, executor: Executor) -> None:
    """Have others measure chunks, which are read and kept here."""
    sizes: dict[int, int] = {}
    done = 0

    def pieces() -> Iterator[Piece]:
        nonlocal done
        for index, (words, vectors) in enumerate(plan.chunks()):
            if index in chunks:
                done += len(words)
            else:
                sizes[index] = len(words)
                yield index, words, vectors

    source: Any = None  # of many gigabytes, and read here
    work = partial(_measured, plan=replace(plan, source=source))
    with closing(executor(work, pieces())) as ended:
        for _, chunk in ended:
            chunks.keep(chunk)
            done += sizes[chunk.index]
            progress(done)


def _measured(piece: Piece, plan: ScanPlan) -> Chunk:
    return measure_chunk(plan, *piece, lambda: None)


@dataclass(frozen=True)
class TimeEstimate:
    """The time that the words of a scan will take."""

    each: float
    """Seconds for a word, with all threads at work."""
    words: int | None
    """Words that will be read; None where the source does not know."""

    @property
    def seconds(self) -> float | None:
        """Seconds for all words; None where nobody knows how many there are."""
        return None if self.words is None else self.each * self.words


def estimate(plan: ScanPlan) -> TimeEstimate:
    """Measure the first words of a scan, after compiled code has been loaded, and time it."""
    words, vectors = next(plan.chunks(), ([], None))
    if vectors is None or not words:
        return TimeEstimate(0.0, plan.expected)
    trials = TRIALS if sum(plan.found.sizes) <= MOST_SCORES else ALONE

    def seconds(some: int) -> float:
        begun = time.perf_counter()
        measure_chunk(plan, 0, words[:some], vectors[:some], lambda: None)
        return time.perf_counter() - begun

    took, some = seconds(trials[0]), 1  # which also loads compiled code
    for some in (min(trial, len(words)) for trial in trials):
        took = seconds(some)
        if took > ENOUGH or some == len(words):
            break
    return TimeEstimate(took / some / threads(), plan.expected)


def scan(  # noqa: PLR0913  (each is a decision of its own)
    vectors: VectorsLike | Mapping[str, VectorsLike],
    attributes: TestLike | tuple[Concept, Concept],
    measure: str | SCEAT = "sc-eat",
    *,
    top: int = TOP,
    sort: Sort = "effect_size",
    bands: Sequence[int] = BANDS,
    first: int | None = None,
    out: str | Path | None = None,
    case: CaseRule = "auto",
    seed: int = 0,
    executor: Executor | None = None,
) -> ScanResult:
    """Test every word of a vocabulary against two attribute groups.

    Parameters
    ----------
    vectors : str, path or object
        What :func:`eatlas.open_vectors` takes, if it can be read from end to end. It may have a
        name, as ``"50d=FILE"`` or ``{"50d": "FILE"}``.
    attributes : str, path, AssociationTest, or (Concept, Concept)
        A test, of which A and B are taken, or A and B themselves.
    measure : str or SCEAT
        Such as ``"sc-eat(alpha=0.01,ddof=0)"``.
    top : int
        Words on each list of the most associated ones.
    sort : {"effect_size", "difference", "p"}
        What the lists are sorted by: d, the difference of mean cosines, or the two-sided p.
    bands : sequence of int
        Last places of the frequency bands; the place in the source stands for frequency.
    first : int, optional
        Scan only so many words from the start of the source.
    out : path, optional
        Write all words to this file, ``.csv`` or ``.parquet``, and the summary to ``out`` with
        ``.json`` appended. A scan that is cut off continues where it was when it is started again.
        Without it all words stay in memory.
    case : {"auto", "exact"}
        Rule by which the attributes are looked up.
    seed : int
        Of the relabellings for maxT, where all are too many.
    executor : Executor, optional
        Who measures the words instead of threads, such as :class:`eatlas.OnRay`.

    Returns
    -------
    ScanResult
        Attribute words are tested too, but belong to no family and to no list.

    Raises
    ------
    EatlasError
        If anything of that is not usable.

    Notes
    -----
    Effect size and p-values of a word are those of :class:`eatlas.SCEAT`: exact counts up to 32
    attributes, beyond that counts where few relabellings are as extreme, else an inversion; the
    columns ``method`` and ``rel_err`` say which, and how large its error may be. All words are
    relabelled alike, so that Westfall and Young's maxT holds the family-wise error rate over the
    whole vocabulary; Benjamini and Yekutieli's adjustment holds the false discovery rate under any
    dependence.

    Examples
    --------
    >>> import eatlas
    >>> result = eatlas.scan("glove-sample", "weat-7", bands=())
    >>> result.vocabulary.read, result.family.design, result.family.min_two_sided
    (10496, (8, 8), 0.0001554001554001554)
    >>> result.top("A", n=3)["word"].tolist(), result.top("B", n=3)["word"].tolist()
    (['bulls', 'colts', 'steelers'], ['kristy', 'therapist', 'pregnancy'])
    >>> result.family.holm_possible, result.family.max_t.total
    (False, 9)
    """
    lists = Lists(top, tuple(bands), sort)
    path = None if out is None else Path(out)
    if path is not None:
        require_usable(path, vectors, attributes)
    plan = make_scan(vectors, attributes, measure, case=case, seed=seed, first=first)
    with Chunks(path, plan.identity) as chunks:
        measure_all(plan, chunks, executor=executor)
        return finish(plan, chunks, lists, path)


def finish(plan: ScanPlan, chunks: Chunks, lists: Lists, path: Path | None) -> ScanResult:
    """Conclude a scan, write its words and its summary where there is a file, forget the chunks."""
    result = conclude(plan, chunks, lists)
    words = result.words
    if path is not None and words is not None:
        result = result.model_copy(update={"words_file": str(path)})
        with atomic_files() as new:
            write_words(path, new, words, plan.about)
            new(summary_of(path)).write(result.model_dump_json(indent=1) + "\n")
    chunks.forget()
    return result
