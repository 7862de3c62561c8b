"""SC-EAT of a whole vocabulary: every word against two attribute groups.

Chunks of words are measured and kept, then all words are judged together and written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from eatlas.engine.scan.chunk import Chunks, measure_all
from eatlas.engine.scan.family import BANDS, TOP, Lists, conclude
from eatlas.engine.scan.plan import ScanPlan, make_scan, require_usable
from eatlas.executors import Executor
from eatlas.measures import SCEAT
from eatlas.results.scan import ScanResult, Sort, summary_of, write_words
from eatlas.sources import CaseRule
from eatlas.sources.opening import VectorsLike
from eatlas.stimuli import Concept
from eatlas.stimuli.kinds import TestLike
from eatlas.writing import atomic_files

__all__ = ["finish", "scan"]


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
    result = conclude(plan, [chunk for _, chunk in sorted(chunks.done.items())], lists)
    if path is not None and result.words is not None:
        about = {
            "signature": result.signature,
            "test": result.test or "",
            "source": result.source,
            "source_from": result.source_from,
            **{key: str(value) for key, value in result.provenance if value not in {None, ""}},
        }
        words, result = result.words, result.model_copy(update={"words_file": str(path)})
        with atomic_files() as new:
            write_words(path, new, words, about)
            new(summary_of(path)).write(result.model_dump_json(indent=1) + "\n")
    chunks.discard(list(chunks.pieces))
    return result
