"""Scan a vocabulary, from Python."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from eatlas.engine.scan.chunks import Chunks
from eatlas.engine.scan.outcome import DEFAULT, checked_edges, checked_sort, conclude
from eatlas.engine.scan.perform import Progress, measure_all
from eatlas.engine.scan.plan import ScanPlan, make_scan, require_usable
from eatlas.errors import EatlasError
from eatlas.measures import SCEAT
from eatlas.results.files import atomic_file
from eatlas.results.scan import ScanResult, Sort, summary_of
from eatlas.results.scan_words import ScannedWords, words_file
from eatlas.sources import CaseRule

TOP = 10
"""Words on each list unless told otherwise."""


def scan(  # noqa: PLR0913  (each is a decision of its own)
    vectors: Any,
    attributes: Any,
    measure: str | SCEAT = "sc-eat",
    *,
    top: int = TOP,
    sort: Sort = "effect_size",
    bands: Sequence[int] = DEFAULT,
    first: int | None = None,
    out: str | Path | None = None,
    case: CaseRule = "auto",
    seed: int = 0,
) -> ScanResult:
    """Test every word of a vocabulary against two attribute groups.

    Parameters
    ----------
    vectors : str, path or object
        What :func:`eatlas.open_vectors` takes, if it can be read from end to end.
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
        ``.json`` appended. A scan that is cut off goes on where it was when it is started again.
        Without it all words stay in memory.
    case : {"auto", "exact"}
        Rule by which the attributes are looked up.
    seed : int
        Of the relabellings for maxT, where all are too many.

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
    edges, sort = _checked_lists(top, bands), checked_sort(sort)
    if out is not None:
        require_usable(Path(out), vectors, attributes)
    plan = make_scan(vectors, attributes, measure, case=case, seed=seed, first=first)
    if out is None:
        blocks: list[ScannedWords] = []
        with Chunks() as chunks:
            measure_all(plan, chunks)
            found = conclude(plan, chunks, blocks.append, top=top, sort=sort, edges=edges)
            return found.with_words(blocks)
    path = Path(out)
    with Chunks(path, plan.identity) as kept:
        measure_all(plan, kept)
        result = written(plan, kept, path, top=top, sort=sort, edges=edges)
        kept.forget()
        return result


def _checked_lists(top: int, bands: Sequence[int]) -> tuple[int, ...]:
    if not isinstance(top, int) or isinstance(top, bool) or top < 0:
        raise EatlasError("top is not usable", got=repr(top), allowed="a whole number from 0")
    return checked_edges(bands)


def written(
    plan: ScanPlan,
    chunks: Chunks,
    path: Path,
    *,
    top: int,
    edges: Sequence[int],
    sort: Sort = "effect_size",
) -> ScanResult:
    """Conclude a scan and write its words and its summary.

    Raises
    ------
    ResultsError
        If either cannot be written; what stood there before stays.
    """
    with words_file(path, plan.about) as write:
        result = conclude(plan, chunks, write, top=top, sort=sort, edges=edges)
        result = result.model_copy(update={"words_file": str(path)})
    with atomic_file(summary_of(path)) as file:
        file.write(result.model_dump_json(indent=1) + "\n")
    return result


__all__ = ["Progress", "scan", "written"]
