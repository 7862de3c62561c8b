"""SC-EAT of a whole vocabulary: every word against two attribute groups.

A plan checks everything and looks the attributes up; chunks of words are measured by threads and
kept in a file that outlives the process; then all words are judged together and written.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import IO, Any, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray
from pydantic_core import to_json

from eatlas import kernels
from eatlas.csv_cells import MARK, cell
from eatlas.engine.store import NumberedPieces
from eatlas.errors import EatlasError, SignatureError, SourceError, require_whole
from eatlas.executors import Executor, Progress, Threads, Tick, processors, watch_of
from eatlas.measures import SCEAT, get_measure
from eatlas.notes import Note
from eatlas.packing import pack, unpack
from eatlas.results.levels import Level, PValues
from eatlas.results.parts import TAILS, Concepts
from eatlas.sources import CaseRule, Source
from eatlas.sources.coverage import embed_concepts
from eatlas.sources.opening import VectorsLike, files_named, open_one_named
from eatlas.sources.outputs import pyarrow_of, require_other_files, require_place
from eatlas.stats.effect_size import effect_sizes
from eatlas.stats.inputs import ROUNDING_UNITS
from eatlas.stats.multiplicity import benjamini_yekutieli, harmonic, holm
from eatlas.stats.permutation import (
    DRAWS,
    LARGEST,
    permutation_test,
    permutation_tests,
)
from eatlas.stats.permutation.sampled import monte_carlo_tail
from eatlas.version import __version__
from eatlas.writing import atomic_files
from eatlas_vocabulary.engine.groups import GroupsLike, find_attributes, head_of, require_words
from eatlas_vocabulary.engine.themes import (
    GROUPS,
    Clusterings,
    ThemesLike,
    cluster_all,
    find_themes,
    make_themes,
)
from eatlas_vocabulary.results.scan import (
    COLUMNS,
    SIDES,
    SUFFIXES,
    TEXT,
    Band,
    BandSummary,
    Family,
    MaxTFamily,
    ScanResult,
    Sides,
    Sort,
    TopList,
    Vocabulary,
    WordAssociation,
    summary_of,
)
from eatlas_vocabulary.results.themes import ThemesResult
from eatlas_vocabulary.stats.inverted_rows import MOST_SCORES, invert_rows
from eatlas_vocabulary.stats.max_t import RunningMaxT

Array = NDArray[np.float64]

BANDS = (1_000, 10_000, 100_000)
"""Last places of the frequency bands by default."""
TOP = 10
"""Words on each list by default."""
ROWS, SLOW_ROWS, SLOWEST_ROWS = 8192, 1024, 64
"""Words of a chunk: a second or a few, where a word takes microseconds, a millisecond, or is tested
by itself. A scan that is killed loses the chunks in the making."""
QUICK = 22
"""Up to so many attributes a word takes less than 0.2 ms."""
MAX_T_DRAWS = 10_000
"""Permutations for maxT, if there are more; an adjusted p near 0.05 is known within 0.004."""
FORM = 4
"""Raised whenever chunks hold something else than before."""


def scan(  # noqa: PLR0913  (each is a decision of its own)
    vectors: VectorsLike | Mapping[str, VectorsLike],
    attributes: GroupsLike | None = None,
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
    progress: Progress = False,
    themes: ThemesLike | None = None,
    groups_from: str | Path | Sequence[str] | None = None,
    groups: int = GROUPS,
    names: str | Path | Mapping[str, str] | None = None,
    split: bool = True,
) -> ScanResult | ThemesResult:
    """Test every word of a vocabulary against two attribute groups, or its themes.

    Parameters
    ----------
    vectors : str, path or object
        What :func:`eatlas.open_vectors` takes, if it can be read from end to end. It may have a
        name, as ``"50d=FILE"`` or ``{"50d": "FILE"}``.
    attributes : str, path, Test, (Concept, Concept) or mapping
        A test, of which A and B are taken, or A and B themselves, as concepts or lists of words.
        With `themes` also the groups of a test of the kind groups, or two lists or more by name.
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
        Of the permutations for maxT, where all are too many.
    executor : Executor, optional
        Who measures the words instead of threads, such as :class:`eatlas.OnRay`.
    progress : bool or callable
        Show how many words, or clusterings of themes, are done. True shows a bar on a terminal and
        a line in a notebook; a function is called with the number done and the number of all, None
        if a file does not say how many words it has.
    themes : int, path, or mapping of str to list of str, optional
        Test themes instead of single words: so many clusters of the most frequent words, or the
        user's categories, in a CSV file with the columns ``theme`` and ``word``, a dictionary of
        LIWC (``.dic``) or quanteda (``.yml``), or lists of words by name. Then `top`, `sort`,
        `bands` and `executor` have no meaning, and `first` is 30,000 by default.
    groups_from : path or list of str, optional
        With `themes`, names that are clustered into groups, one on a line, instead of `attributes`.
    groups : int
        So many clusters of these names.
    names : path or mapping of str to str, optional
        What themes are called, by the names that they would have; or a CSV file with the columns
        ``theme`` and ``name``.
    split : bool
        With `themes`, search with a random half of the words of each group, and hold the others out
        for tests that can confirm what is found (:meth:`ThemesResult.tests
        <eatlas_vocabulary.results.themes.ThemesResult.tests>`). Groups of fewer than 8 words,
        near-synonyms counted as one, and groups that are made of names are not split. False
        searches with all
        words, and nothing can be confirmed with them.

    Returns
    -------
    ScanResult or ThemesResult
        Of a scan of words: attribute words are also tested, but belong to no family and to no list.
        With `themes` a :class:`eatlas_vocabulary.results.themes.ThemesResult`.

    Raises
    ------
    EatlasError
        If anything of that is not usable.

    Notes
    -----
    Effect sizes and p-values of a word are as in :class:`eatlas.SCEAT`: exact counts up to 32
    attributes, beyond that counts where few permutations are as extreme, else an inversion; the
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

    Themes of words, which need scikit-learn:

    >>> result = eatlas.scan("glove-sample", "weat-6", themes=60)  # doctest: +SKIP
    """
    if themes is not None:
        search = make_themes(
            vectors, attributes, themes, measure, groups_from=groups_from, groups=groups,
            names=names, first=first, out=out, case=case, seed=seed, split=split,
        )  # fmt: skip
        with Clusterings(search) as clusterings, watch_of(progress) as watch:
            cluster_all(search, clusterings, tick_of(watch, clusterings.work, search.expected))
            return find_themes(search, clusterings)
    if groups_from is not None or names is not None or not split:
        raise EatlasError(
            "groups_from, names and split are options of themes",
            remedy="add themes, such as themes=60",
        )
    plan = make_scan(
        vectors, attributes, measure,
        top=top, sort=sort, bands=bands, first=first, out=out, case=case, seed=seed,
    )  # fmt: skip
    with Chunks(plan) as chunks, watch_of(progress) as watch:
        tick = tick_of(watch, chunks.work, plan.expected)
        measure_all(plan, chunks, tick, executor)
        return finish(plan, chunks)


def tick_of(
    watch: Callable[[str, str], Tick] | None, what: str, total: int | None
) -> Callable[[int], None] | None:
    """What shows how much of some work is done; None if nothing does."""
    if watch is None:
        return None
    tick = watch(what, "")
    return lambda done: tick(done, total)


# --- what is to be done ---------------------------------------------------------------------------


@dataclass(frozen=True)
class ScanPlan:
    """A scan that can be done."""

    source: Source
    measure: SCEAT
    rows: Array
    """Unit rows of the attributes, shape (N, d), rows of A first."""
    sizes: tuple[int, int]
    """Attributes of A and of B."""
    shared: RunningMaxT
    """The permutations that all words share."""
    attributes: Mapping[str, int]
    """Words of the source that are attributes: 1 of A, 2 of B."""
    head: Mapping[str, Any]
    """What the result says of the question."""
    notes: tuple[Note, ...]
    """Warnings about the attributes."""
    identity: str
    """Hash of all that the chunks depend on; equal hashes mean equal chunks."""
    step: int
    """Words of a chunk."""
    first: int | None
    """Only so many words from the start of the source; None takes all."""
    top: int
    edges: tuple[int, ...]
    """Last places of all bands but the last."""
    out: Path | None

    @property
    def expected(self) -> int | None:
        """Words that will be read, where the source knows before it is read."""
        count = self.source.expected
        return self.first if count is None else min(count, self.first or count)

    @property
    def least(self) -> float:
        """The smallest two-sided p; in groups of one size every permutation has a mirror image."""
        a, b = self.sizes
        return (2 if a == b else 1) / self.shared.total

    def chunks(self) -> Iterator[tuple[list[str], NDArray[np.floating]]]:
        """Words and vectors of the source, up to `first`."""
        left = self.first
        for words, vectors in self.source.iter_chunks(self.step):
            yield words[:left], vectors[:left]
            if left is not None:
                left -= len(words)
                if left <= 0:
                    return


def make_scan(  # noqa: PLR0913  (as scan)
    vectors: Any,
    attributes: Any,
    measure: str | SCEAT = "sc-eat",
    *,
    top: int = TOP,
    sort: Sort = "effect_size",
    bands: Sequence[int] = BANDS,
    first: int | None = None,
    out: str | Path | None = None,
    case: CaseRule = "auto",
    seed: int = 0,
) -> ScanPlan:
    """Resolve and check everything; the attributes are looked up here.

    Parameters are as in :func:`eatlas.scan`.
    """
    edges = tuple(bands)
    _require_choices(top, edges, sort, first, seed)
    path = require_place(out, "all words of a scan", SUFFIXES)
    require_other_files(path, files_named(vectors, attributes))
    chosen = get_measure(measure)
    if not isinstance(chosen, SCEAT) or chosen.strict or chosen.statistic == "studentised":
        raise SignatureError(
            "a scan tests single words, and counts permutations or inverts",
            got=chosen.signature,
            allowed="sc-eat, with parameters alpha and ddof",
        )
    test, concepts = find_attributes(attributes)
    source, name, _ = open_one_named(vectors, "a scan")
    source.require_listed("a scan tests every word")
    embedded = embed_concepts(concepts, source, case, test.language if test else "")
    called = {side: f"attributes {side} ({concept.name})" for side, concept in concepts.items()}
    require_words(embedded, called, source, SCEAT.minimum["A"], " (their labels are permuted)")
    a, b = sizes = tuple(len(embedded.coverage[side].used) for side in SIDES)
    if chosen.p not in {"auto", "exact"} or (chosen.p == "exact" and a + b > LARGEST):
        raise SignatureError(
            "a scan counts all permutations of up to 32 attributes, and inverts beyond",
            got=f"{chosen.signature} with {a + b} attributes",
            allowed="p=auto, which counts or inverts and states its error",
            remedy="eatlas run --measure takes the other p-values, for the words of a test",
        )
    shared = RunningMaxT(
        a + b, a, rng=np.random.default_rng(seed), permutations=MAX_T_DRAWS, scale=1.0
    )
    stimuli: dict[str, object] = {"kind": "attributes"}
    stimuli |= {side: sorted(concepts[side].terms) for side in SIDES}
    head = {
        "signature": chosen.signature,
        "concepts": Concepts({side: concepts[side].name for side in SIDES}),
        "coverage": embedded.coverage,
        "sort": sort,
        **head_of(source, name, test, stimuli, embedded.sha256, case, seed),
    }
    step = ROWS if a + b <= QUICK else SLOW_ROWS if a + b <= MOST_SCORES else SLOWEST_ROWS
    side_of = {key: i for i, side in enumerate(SIDES, 1) for key in embedded.keys[side].values()}
    depends = [FORM, __version__, source.name, source.fingerprint, embedded.sha256, sizes]
    depends += [sorted(side_of.items()), chosen.ddof, first, step, shared.relabellings]
    depends += [None if shared.enumerated else seed]
    identity = hashlib.sha256(json.dumps(depends, ensure_ascii=False).encode()).hexdigest()
    rows = np.concatenate([kernels.unit_rows(embedded.vectors[side]) for side in SIDES])
    return ScanPlan(
        source, chosen, rows, (a, b), shared, side_of, head, embedded.notes, identity, step, first,
        top, edges, path,
    )  # fmt: skip


def _require_choices(top: Any, edges: tuple[Any, ...], sort: Any, first: Any, seed: Any) -> None:
    """Refuse numbers and orders that a scan cannot have."""
    require_whole("seed", seed, 0)
    require_whole("first", 1 if first is None else first, 1)
    require_whole("top", top, 0)
    whole = all(type(edge) is int and edge > 0 for edge in edges)
    rising = whole and list(edges) == sorted(set(edges))
    for name, value, usable, allowed in (
        ("bands", edges, rising, "ascending whole numbers, such as 1000, 10000"),
        ("sort", sort, sort in get_args(Sort), ", ".join(get_args(Sort))),
    ):
        if not usable:
            raise EatlasError(f"{name} is not usable", got=repr(value), allowed=allowed)


# --- chunks of words ------------------------------------------------------------------------------

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
    """What a scan keeps of some words: counts, and columns of those with a usable vector."""

    index: int
    """Number of the chunk in the source, from 0."""
    read: int
    """Words that the source gave."""
    words: list[str]
    missing: list[list[str]]
    """Words without a usable vector, by reason."""
    maxima: Array
    """The greatest statistic of each permutation over the words that are no attributes."""
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
    """Stated relative error; 0 for a count and for random samples."""
    reached: Array
    """What the word has reached for maxT."""

    @classmethod
    def concatenate(cls, parts: Sequence[Chunk]) -> Chunk:
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

    def to_bytes(self) -> bytes:
        """For a journal."""
        return pack({field.name: getattr(self, field.name) for field in fields(self)})

    @classmethod
    def from_bytes(cls, data: bytes) -> Chunk:
        """The inverse of :meth:`to_bytes`."""
        return cls(**unpack(data))


class Chunks(NumberedPieces[Chunk]):
    """The finished chunks of a scan."""

    work = "words"

    def __init__(self, plan: ScanPlan) -> None:
        super().__init__(plan, Chunk.to_bytes, Chunk.from_bytes)

    @property
    def n_finished(self) -> int:
        """Words of all chunks."""
        return sum(chunk.read for chunk in self.done.values())


def measure_all(
    plan: ScanPlan,
    chunks: Chunks,
    progress: Callable[[int], None] | None = None,
    executor: Executor | None = None,
) -> None:
    """Measure every chunk of the source that is not among `chunks`, and keep it there.

    However it ends, the chunks that were finished before are stored: each as soon as it is
    measured. Threads measure them, unless an executor does.
    """
    done = 0

    def pieces() -> Iterator[tuple[int, list[str], NDArray[np.floating]]]:
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
            chunks.keep(chunk.index, chunk)
            done += chunk.read
            if progress is not None:
                progress(done)


def measure_chunk(piece: tuple[int, list[str], NDArray[np.floating]], plan: ScanPlan) -> Chunk:
    """Measure the words of one chunk: its number, its words and their vectors."""
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
    used = [words[i] for i in usable.tolist()]
    side = np.array([plan.attributes.get(word, 0) for word in used], np.uint8)
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
    millisecond each. Rows whose stated error is above ACCEPTED have few permutations beyond the
    observed one, or scores that inversion does not suit; they get what `permutation_test` gives: a
    count, an inversion or random samples, some 50 ms a row.
    """
    shape = len(TAILS), len(scores)
    if scores.shape[1] <= LARGEST:
        p = permutation_tests(scores, n, scale=1.0) / math.comb(scores.shape[1], n)
        return p, np.zeros(shape, np.uint8), np.zeros(shape)
    p, error = np.ones(shape), np.full(shape, np.inf)
    if scores.shape[1] <= MOST_SCORES:
        p, error = invert_rows(scores, n, scale=1.0)
    method = np.where(error > 0, INVERSION, EXACT).astype(np.uint8)
    # two tails make the third, so they go together
    for row in np.flatnonzero((error > ACCEPTED).any(axis=0)).tolist():
        alone = permutation_test(scores[row], n, scale=1.0)
        for i, name in enumerate(TAILS):
            tail = getattr(alone, name)
            p[i, row], method[i, row] = tail.p, METHODS.index(tail.method)
            error[i, row] = tail.rel_err or 0.0
    return p, method, error


# --- all words together ---------------------------------------------------------------------------

FEW = 20
"""Words in alphabetical order that are no accident."""
TIES = 1 + ROUNDING_UNITS * 2.0**-53
"""Two p-values that should be one differ by no more."""
CERTAIN = 2**52
"""Counts up to here follow exactly from p = count / total."""
EXAMPLES = 5
"""Missing words that are named, of each reason."""
NO_ATTRIBUTE = "no"
"""What is in the column `attribute` for all words that are none."""


def finish(plan: ScanPlan, chunks: Chunks) -> ScanResult:
    """Conclude a scan, write its words and its summary where there is a file, forget the chunks."""
    result, words = conclude(plan, [chunk for _, chunk in sorted(chunks.done.items())])
    if plan.out is None:
        result._words = words
    else:
        result = result.model_copy(update={"words_file": str(plan.out)})
        with atomic_files() as new:
            write_words(plan.out, new, words, result)
            new(summary_of(plan.out)).write(result.model_dump_json(indent=1) + "\n")
    chunks.discard(list(chunks.pieces))
    return result


def conclude(plan: ScanPlan, parts: Sequence[Chunk]) -> tuple[ScanResult, dict[str, Any]]:
    """Judge all words together: the summary, and all words as columns."""
    if not any((part.side == 0).any() for part in parts):
        raise SourceError(
            f"{plan.source.name}: there is no word to scan in this source",
            got=f"{sum(part.read for part in parts)} words, none with a usable vector that is not "
            "an attribute",
        )
    words = Chunk.concatenate(parts)
    judged = _Judged.of(plan, words)
    bands, tops = [], []
    for band in bands_of(plan.edges, words.read):
        rows = judged.member & (words.rank >= band.first) & (words.rank <= band.last)
        bands.append(BandSummary(band=band, **judged.count_rejections(rows)))
        tops += [judged.top(band, rows, side) for side in SIDES]
    vocabulary = _vocabulary(words)
    result = ScanResult(
        **plan.head,
        vocabulary=vocabulary,
        family=_family(plan, words, judged.p["unadjusted"], judged.count_rejections(judged.member)),
        bands=tuple(bands),
        tops=tuple(tops),
        warnings=(*plan.notes, *_warnings(plan, vocabulary)),
    )
    errors = words.rel_err.max(axis=0, initial=0.0)
    columns = {
        "word": words.words,
        "effect_size": words.effect_size,
        **{f"p_{tail}": words.p[i] for i, tail in enumerate(TAILS)},
        "p_max_t": judged.p["max_t"],
        "p_by": judged.p["benjamini_yekutieli"],
        "difference": words.difference,
        "rank": words.rank,
        "attribute": [(NO_ATTRIBUTE, *SIDES)[side] for side in words.side.tolist()],
        "method": [
            "+".join(METHODS[m] for m in sorted(set(row))) for row in words.method.T.tolist()
        ],
        "rel_err": np.where(errors > 0, errors, np.nan),
    }
    return result, columns


class _Judged(NamedTuple):
    """All words of a scan with their two-sided p-values, and these adjusted for all of them."""

    plan: ScanPlan
    words: Chunk
    member: NDArray[np.bool_]
    """Which words are tested: all but the attributes."""
    p: Mapping[str, Array]
    """By adjustment; 0 for all words to count the words on each side."""

    @classmethod
    def of(cls, plan: ScanPlan, words: Chunk) -> _Judged:
        """Adjust the p-values of all words that are tested."""
        member = words.side == 0
        p, max_t = np.where(member, words.p[2], np.nan), np.full(member.size, np.nan)
        max_t[member] = plan.shared.p(words.reached[member], words.maxima)
        adjusted = {
            "leaning": np.zeros(member.size),
            "unadjusted": p,
            "holm": holm(p),
            "benjamini_yekutieli": benjamini_yekutieli(p),
            "max_t": max_t,
        }
        return cls(plan, words, member, adjusted)

    def count_rejections(self, rows: NDArray[np.bool_]) -> dict[str, Any]:
        """How many of some words are below alpha, by adjustment and side."""
        d, alpha = self.words.effect_size, self.plan.measure.alpha
        below = {way: rows & (values < alpha) for way, values in self.p.items()}
        sides = {
            way: Sides(A=np.count_nonzero(some & (d > 0)), B=np.count_nonzero(some & (d < 0)))
            for way, some in below.items()
        }
        return {"words": np.count_nonzero(rows), **sides}

    def top(self, band: Band, rows: NDArray[np.bool_], side: str) -> TopList:
        """The words of a band that are most associated with one side."""
        words, sign = self.words, 1.0 if side == SIDES[0] else -1.0
        d = sign * words.effect_size
        keys = {"effect_size": -d, "difference": -sign * words.difference}
        keys["p"] = self.p["unadjusted"]
        leaning = np.flatnonzero(rows & (d > 0))
        # of equal ones the more frequent first
        ties = words.rank[leaning], -d[leaning]
        order = np.lexsort((*ties, keys[self.plan.head["sort"]][leaning]))
        associations = tuple(
            WordAssociation(
                word=words.words[row],
                rank=int(words.rank[row]),
                level2=_level(self.plan, words, row),
                p_max_t=float(self.p["max_t"][row]),
                p_by=float(self.p["benjamini_yekutieli"][row]),
            )
            for row in leaning[order[: self.plan.top]].tolist()
        )
        return TopList(band=band, side=side, words=associations)


def bands_of(edges: Iterable[int], read: int) -> tuple[Band, ...]:
    """Bands that the source reaches."""
    lasts = [edge for edge in edges if edge < read] + [read]
    firsts = [1, *(last + 1 for last in lasts[:-1])]
    return tuple(Band(first=a, last=b) for a, b in zip(firsts, lasts, strict=True))


def _vocabulary(words: Chunk) -> Vocabulary:
    """The words that were read, and how many were tested."""
    missing = {reason: some for reason, some in zip(MISSING, words.missing, strict=True) if some}
    head = words.words[:200]
    methods = np.bincount(words.method.max(axis=0), minlength=len(METHODS))
    return Vocabulary(
        read=words.read,
        tested=len(words.words),
        attributes=np.count_nonzero(words.side),
        undefined=np.count_nonzero(np.isnan(words.effect_size)),
        missing={reason: len(some) for reason, some in missing.items()},
        examples={reason: tuple(some[:EXAMPLES]) for reason, some in missing.items()},
        alphabetical=len(head) >= FEW and head == sorted(head),
        methods={m: int(k) for m, k in zip(METHODS, methods, strict=True) if k},
        rel_err=float(words.rel_err.max()) or None,
    )


def _level(plan: ScanPlan, words: Chunk, row: int) -> Level:
    """Effect size of one word with the p-values that its columns hold."""
    total = plan.shared.total
    p = dict(zip(TAILS, words.p[:, row].tolist(), strict=True))
    methods = {tail: METHODS[words.method[i, row]] for i, tail in enumerate(TAILS)}
    parts: dict[str, dict[str, Any]] = {
        name: dict.fromkeys(TAILS) for name in ("count", "rel_err", "interval", "permutations")
    }
    for i, (tail, method) in enumerate(methods.items()):
        if method == "exact":
            count = round(Fraction(p[tail]) * total)  # the permutations behind p = count / total
            parts["count"][tail] = count if count < CERTAIN else None
        elif method == "inversion":
            parts["rel_err"][tail] = float(words.rel_err[i, row])
        else:
            drawn = monte_carlo_tail(round(p[tail] * (DRAWS + 1)) - 1, DRAWS, 1 / total)
            parts["permutations"][tail], parts["interval"][tail] = DRAWS, drawn.interval
    used = {name: part for name, part in parts.items() if set(part.values()) != {None}}
    alike = len(set(methods.values())) == 1
    values = {"method": methods["greater"] if alike else methods, "total": total, **p, **used}
    return Level(
        effect_size=float(words.effect_size[row]),
        difference=float(words.difference[row]),
        n=plan.sizes,
        p=PValues.model_validate({**values, "min_p": 1 / total}),
    )


def _family(plan: ScanPlan, words: Chunk, p: Array, rejected: Mapping[str, Any]) -> Family:
    """The hypotheses of all words together, and what each way of judging them can do."""
    alpha, count, size, least = plan.measure.alpha, rejected["words"], sum(plan.sizes), plan.least
    needed = math.floor(count * harmonic(count) * least / alpha) + 1
    critical = plan.shared.critical(words.maxima, alpha)
    critical *= math.sqrt((size - plan.measure.ddof) / (size - 1))
    # the greatest level below alpha that a p-value in steps of the least one has
    attainable = (math.ceil(alpha / least / TIES) - 1) * least
    return Family(
        **rejected,
        alpha=alpha,
        design=plan.sizes,
        total=plan.shared.total,
        min_two_sided=least,
        by_chance=count * attainable,
        at_min=np.count_nonzero(p <= least * TIES),
        holm_needs=alpha / count,
        holm_possible=least * count < alpha,
        by_needs=needed if needed <= count else None,
        max_t_details=MaxTFamily(
            relabellings=plan.shared.relabellings,
            enumerated=plan.shared.enumerated,
            min_p=plan.shared.min_p,
            critical=critical if math.isfinite(critical) else None,
        ),
    )


def _warnings(plan: ScanPlan, vocabulary: Vocabulary) -> Iterator[Note]:
    """Warnings of a scan: too few permutations, missing words, undefined effects, odd order."""
    alpha, total = plan.measure.alpha, plan.shared.total
    if plan.least >= alpha:
        values = {"sizes": list(plan.sizes), "total": total, "least": plan.least}
        yield Note("p.design-two-sided", "attributes", {**values, "alpha": alpha})
    for reason, count in vocabulary.missing.items():
        such = list(vocabulary.examples[reason])
        yield Note("scan.missing", values={"count": count, "reason": reason, "such": such})
    if vocabulary.undefined:
        yield Note("scan.undefined", values={"count": vocabulary.undefined})
    if vocabulary.alphabetical:
        yield Note("scan.alphabetical", values={"source": plan.head["source"]})
    if vocabulary.rel_err is not None:
        values = {"total": float(total), "methods": dict(vocabulary.methods)}
        yield Note("scan.methods", values={**values, "rel_err": vocabulary.rel_err})


# --- the file of words ----------------------------------------------------------------------------

AT_ONCE = 10_000
"""Rows that are written together."""


def write_words(
    path: Path, new: Callable[..., IO[Any]], words: Mapping[str, Any], result: ScanResult
) -> None:
    """Write all words to one of several files that appear together."""
    if path.suffix.lower() == ".parquet":
        pa, parquet = pyarrow_of(path)
        names = ("signature", "test", "source", "source_from")
        about = {name: getattr(result, name) or "" for name in names}
        about |= {name: str(value) for name, value in result.provenance if value not in {None, ""}}
        arrays = [pa.array(words[name], from_pandas=name not in TEXT) for name in COLUMNS]
        table = pa.table(arrays, names=COLUMNS)
        table = table.replace_schema_metadata({f"eatlas.{key}": about[key] for key in about})
        parquet.write_table(table, new(path, binary=True), compression="zstd")
        return
    file = new(path)
    file.write(",".join(COLUMNS) + "\n")
    # the csv module takes four times as long: it looks for commas in every number
    for start in range(0, len(words["word"]), AT_ONCE):
        part = {name: words[name][start : start + AT_ONCE] for name in COLUMNS}
        part["word"] = [cell(word) if word else MARK for word in part["word"]]
        texts = [part[name] if name in TEXT else numbers_as_text(part[name]) for name in COLUMNS]
        file.writelines(",".join(row) + "\n" for row in zip(*texts, strict=True))


def numbers_as_text(column: NDArray[np.generic]) -> list[str]:
    """Numbers with the fewest digits that give every bit back; NaN is empty.

    A fifth of the time that `repr` takes: 0.15 microseconds a number.
    """
    text = to_json(column.tolist(), inf_nan_mode="null").decode()
    return text[1:-1].replace("null", "").split(",")
