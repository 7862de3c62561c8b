"""Scan a vocabulary: chunks are measured and kept, then judged together and written."""

from __future__ import annotations

import heapq
import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from eatlas.engine.scan.chunk import (
    EXACT,
    EXAMPLES,
    INVERSION,
    METHODS,
    REASONS,
    Chunk,
    Chunks,
    measure_chunk,
)
from eatlas.engine.scan.plan import ScanPlan, make_scan, require_usable
from eatlas.errors import EatlasError, SourceError, did_you_mean
from eatlas.executors import Executor, Threads, processors
from eatlas.measures import SCEAT
from eatlas.results.levels import Level, PValues
from eatlas.results.parts import TAILS
from eatlas.results.scan import (
    NO_ATTRIBUTE,
    SIDES,
    AttributeCoverage,
    AttributeNames,
    Band,
    BandSummary,
    Family,
    MaxTFamily,
    ScannedWords,
    ScanResult,
    Sides,
    Sort,
    TopList,
    Vocabulary,
    WordAssociation,
    summary_of,
    words_file,
)
from eatlas.sources import CaseRule
from eatlas.sources.opening import VectorsLike
from eatlas.stats.inputs import ROUNDING_UNITS
from eatlas.stats.multiplicity import Tally, harmonic
from eatlas.stats.permutation.batch import MOST_SCORES
from eatlas.stimuli import Concept
from eatlas.stimuli.kinds import TestLike
from eatlas.writing import atomic_files

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


DEFAULT = (1_000, 10_000, 100_000)
_WAYS = ("leaning", "unadjusted", "holm", "benjamini_yekutieli", "max_t")
SORTS: tuple[Sort, ...] = get_args(Sort)
SLIGHT = 1e-9
"""Weight of the effect size beside log p, where it decides between equal p."""
_CERTAIN = 2**52
"""Counts up to here follow from p = count / total without doubt."""


def checked_edges(edges: Sequence[int]) -> tuple[int, ...]:
    """The last places of all bands but the last."""
    found = tuple(edges)
    whole = all(type(edge) is int and edge >= 1 for edge in found)
    if not whole or list(found) != sorted(set(found)):
        raise EatlasError(
            "the frequency bands are not usable",
            got=", ".join(map(str, found)),
            allowed="ascending whole numbers, such as 1000, 10000, 100000",
        )
    return found


def bands_of(edges: Sequence[int], read: int) -> tuple[Band, ...]:
    """Bands that the source reaches."""
    lasts = [edge for edge in edges if edge < read] + [read]
    firsts = [1, *(last + 1 for last in lasts[:-1])]
    return tuple(Band(first=a, last=b) for a, b in zip(firsts, lasts, strict=True))


def checked_sort(sort: str) -> Sort:
    """What lists are sorted by."""
    for known in SORTS:
        if sort == known:
            return known
    raise EatlasError(
        f"lists cannot be sorted by this{did_you_mean(sort, SORTS)}",
        got=sort,
        allowed=", ".join(SORTS),
    )


class BandKeeper:
    """Counts and top lists of one band; chunk by chunk."""

    def __init__(self, band: Band, top: int, alpha: float, sort: Sort = "effect_size") -> None:
        self.band, self._sort = band, sort
        self._top, self._alpha = top, alpha
        self._words = 0
        self._counts = {way: np.zeros(2, np.int64) for way in _WAYS}
        self._best: dict[str, list[tuple[float, int, Any]]] = {side: [] for side in SIDES}

    def add(self, plan: ScanPlan, judged: Judged) -> None:
        """Take the words of a chunk that belong to the band."""
        chunk = judged.chunk
        inside = (chunk.rank >= self.band.first) & (chunk.rank <= self.band.last)
        mine = np.flatnonzero(inside & (chunk.side == 0))
        self._words += mine.size
        d = chunk.effect_size[mine]
        sides = np.stack([d > 0, d < 0])
        ways = (chunk.p[2], judged.p_holm, judged.p_by, judged.p_max_t)
        self._counts["leaning"] += np.count_nonzero(sides, axis=1)
        for way, p in zip(_WAYS[1:], ways, strict=True):
            self._counts[way] += np.count_nonzero(sides & (p[mine] < self._alpha), axis=1)
        for name, belongs, sign in zip(SIDES, sides, (1.0, -1.0), strict=True):
            rows = mine[belongs]
            self._keep_best(plan, name, judged, rows, self._sizes(judged, rows, sign))

    def summary(self) -> BandSummary:
        """The counts."""
        return BandSummary(band=self.band, words=self._words, **self.sides())

    def sides(self) -> dict[str, Sides]:
        """Words that lean to either side, and those below alpha, by way of adjustment."""
        return {way: Sides(A=int(a), B=int(b)) for way, (a, b) in self._counts.items()}

    def lists(self) -> list[TopList]:
        """The top lists of both sides, best first."""
        return [
            TopList(
                band=self.band,
                side=side,
                words=tuple(word for *_, word in sorted(self._best[side], reverse=True)),
            )
            for side in SIDES
        ]

    def _sizes(self, judged: Judged, rows: NDArray[np.intp], sign: float) -> NDArray[np.float64]:
        """What some words are sorted by, the greatest first; equal p by effect size."""
        chunk = judged.chunk
        sizes: NDArray[np.float64] = sign * chunk.effect_size[rows]
        if self._sort == "difference":
            sizes = sign * chunk.difference[rows]
        elif self._sort == "p":
            # of equal p, the greater effect first
            sizes = sizes * SLIGHT - np.log(chunk.p[2][rows])
        return sizes

    def _keep_best(
        self,
        plan: ScanPlan,
        side: str,
        judged: Judged,
        rows: NDArray[np.intp],
        size: NDArray[np.float64],
    ) -> None:
        """Merge the rows of greatest size into a list; of equal ones the more frequent word."""
        best = self._best[side]
        least = best[0][:2] if len(best) == self._top and best else (-math.inf, 0)
        order = np.argsort(-size, kind="stable")[: self._top]
        for i in order.tolist():
            key = float(size[i]), -int(judged.chunk.rank[rows[i]])
            if self._top and (len(best) < self._top or key > least):
                push = heapq.heappush if len(best) < self._top else heapq.heapreplace
                push(best, (*key, word_association(plan, judged, int(rows[i]))))
                least = best[0][:2]


def word_association(plan: ScanPlan, judged: Judged, row: int) -> WordAssociation:
    """Write down one word."""
    chunk, (a, b) = judged.chunk, plan.found.sizes
    total = plan.shared.total
    names = [METHODS[code] for code in chunk.method[:, row].tolist()]
    p = dict(zip(TAILS, chunk.p[:, row].tolist(), strict=True))
    counts: dict[Any, Any] = dict.fromkeys(TAILS)
    errors, brackets = counts.copy(), counts.copy()
    for tail, name, error in zip(TAILS, names, chunk.rel_err[:, row].tolist(), strict=True):
        if name == METHODS[EXACT]:
            counts[tail] = _count(p[tail], total)
        elif name == METHODS[INVERSION]:
            errors[tail] = error
        else:
            brackets[tail] = p[tail] * (1 - error), p[tail]
    values = PValues.model_validate(
        {
            **p,
            "method": names[0] if len(set(names)) == 1 else dict(zip(TAILS, names, strict=True)),
            "count": _unless_empty(counts),
            "total": total,
            "min_p": 1 / total,
            "rel_err": _unless_empty(errors),
            "bracket": _unless_empty(brackets),
        }
    )
    level = Level(
        effect_size=float(chunk.effect_size[row]),
        difference=float(chunk.difference[row]),
        n=(a, b),
        p=values,
    )
    return WordAssociation(
        word=chunk.words[row],
        rank=int(chunk.rank[row]),
        level2=level,
        p_max_t=float(judged.p_max_t[row]),
        p_by=float(judged.p_by[row]),
    )


def _count(p: float, total: int) -> int | None:
    """The whole number of relabellings behind ``p = count / total``."""
    count = round(Fraction(p) * total)
    return count if count < _CERTAIN else None


def _unless_empty(values: dict[Any, Any]) -> dict[Any, Any] | None:
    return values if any(value is not None for value in values.values()) else None


TIES = 1 + ROUNDING_UNITS * 2.0**-53
"""Two p-values that should be one differ by no more."""


def conclude(
    plan: ScanPlan,
    chunks: Chunks,
    write: Callable[[ScannedWords], None],
    *,
    top: int,
    edges: Sequence[int],
    sort: Sort = "effect_size",
) -> ScanResult:
    """Judge all words together."""
    gathered = gather(plan, chunks)
    alpha = plan.measure.alpha
    bands = bands_of(edges, gathered.vocabulary.read)
    keepers = [BandKeeper(band, top, alpha, sort) for band in bands]
    for one in judged(plan, chunks, gathered):
        write(one.block)
        for keeper in keepers:
            keeper.add(plan, one)
    found = plan.found
    return ScanResult(
        signature=plan.measure.signature,
        test=plan.attributes.test,
        title=plan.attributes.title,
        source=plan.name or plan.source.name,
        source_from=plan.source.name if plan.name else "",
        concepts=AttributeNames({side: plan.attributes.concepts[side].name for side in SIDES}),
        coverage=AttributeCoverage({side: found.groups[side] for side in SIDES}),
        vocabulary=gathered.vocabulary,
        family=_family(plan, gathered, keepers),
        bands=tuple(keeper.summary() for keeper in keepers),
        sort=sort,
        tops=tuple(found for keeper in keepers for found in keeper.lists()),
        warnings=(*found.notes, *_warnings(plan, gathered)),
        provenance=plan.provenance,
    )


def _family(plan: ScanPlan, gathered: Gathered, keepers: Sequence[BandKeeper]) -> Family:
    """The hypotheses of all words together, and what each way of judging them can do."""
    alpha, words, sizes = plan.measure.alpha, gathered.words, plan.found.sizes
    least = _least_two_sided(plan)
    needed = math.floor(words * harmonic(words) * least / alpha) + 1
    sides = [keeper.sides() for keeper in keepers]
    critical = plan.shared.critical(gathered.maxima, alpha)
    size = sum(sizes)
    return Family(
        words=words,
        **{
            way: Sides(A=sum(one[way].A for one in sides), B=sum(one[way].B for one in sides))
            for way in sides[0]
        },
        alpha=alpha,
        design=sizes,
        total=plan.shared.total,
        min_two_sided=least,
        by_chance=words * _attainable(least, alpha),
        at_min=int(gathered.counts[gathered.values <= least * TIES].sum()),
        holm_needs=alpha / words,
        holm_possible=least * words < alpha,
        by_needs=needed if needed <= words else None,
        max_t_details=MaxTFamily(
            relabellings=plan.shared.relabellings,
            enumerated=plan.shared.enumerated,
            min_p=plan.shared.min_p,
            critical=None
            if math.isinf(critical)
            else critical * math.sqrt((size - plan.measure.ddof) / (size - 1)),
        ),
    )


def _least_two_sided(plan: ScanPlan) -> float:
    """Of groups of one size every relabelling has a mirror image that is as extreme."""
    a, b = plan.found.sizes
    return (2 if a == b else 1) / plan.shared.total


def _attainable(least: float, alpha: float) -> float:
    """The greatest level below alpha that a p-value in steps of `least` has."""
    return (math.ceil(alpha / least / TIES) - 1) * least


def _warnings(plan: ScanPlan, gathered: Gathered) -> Iterator[str]:
    """Warnings of a scan: too few relabellings, missing words, undefined effects, odd order."""
    vocabulary, alpha = gathered.vocabulary, plan.measure.alpha
    a, b = plan.found.sizes
    if (least := _least_two_sided(plan)) >= alpha:
        yield (
            f"The design, {a} against {b} attributes, has {plan.shared.total} relabellings: no "
            f"two-sided p-value can fall below {least:.3g}, so none is below alpha = {alpha}."
        )
    for reason, count in vocabulary.missing.items():
        some = ", ".join(vocabulary.examples[reason])
        more = ", ..." if count > len(vocabulary.examples[reason]) else ""
        yield (f"{count:,} word{'s are' if count > 1 else ' is'} missing: {reason}: {some}{more}.")
    if vocabulary.undefined:
        yield (
            f"Undefined effect sizes: {vocabulary.undefined:,}. These words have the same cosine "
            "with all attributes; their p-values are 1."
        )
    if vocabulary.alphabetical:
        yield (
            f"The words of {plan.name or plan.source.name} are in alphabetical order, so bands "
            "by place say nothing about frequency."
        )
    if vocabulary.rel_err is not None:
        yield (
            f"With {plan.shared.total:.3g} relabellings not every p is a count. By method: "
            f"{_by_method(vocabulary.methods)}; the stated relative error is at most "
            f"{vocabulary.rel_err:.1e} (columns method and rel_err)."
        )


def _by_method(methods: Mapping[str, int]) -> str:
    """How many words have p-values of which kind."""
    return ", ".join(f"{name} {count:,} words" for name, count in methods.items())


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


TOP = 10
"""Words on each list by default."""


def scan(  # noqa: PLR0913  (each is a decision of its own)
    vectors: VectorsLike | Mapping[str, VectorsLike],
    attributes: TestLike | tuple[Concept, Concept],
    measure: str | SCEAT = "sc-eat",
    *,
    top: int = TOP,
    sort: Sort = "effect_size",
    bands: Sequence[int] = DEFAULT,
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
    edges, sort = _checked_lists(top, bands), checked_sort(sort)
    if out is not None:
        require_usable(Path(out), vectors, attributes)
    plan = make_scan(vectors, attributes, measure, case=case, seed=seed, first=first)
    if out is None:
        blocks: list[ScannedWords] = []
        with Chunks() as chunks:
            measure_all(plan, chunks, executor=executor)
            found = conclude(plan, chunks, blocks.append, top=top, sort=sort, edges=edges)
            return found.with_words(blocks)
    path = Path(out)
    with Chunks(path, plan.identity) as kept:
        measure_all(plan, kept, executor=executor)
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
    """Conclude a scan and write its words and its summary."""
    with atomic_files() as new:
        with words_file(path, new, plan.about) as write:
            result = conclude(plan, chunks, write, top=top, sort=sort, edges=edges)
        result = result.model_copy(update={"words_file": str(path)})
        new(summary_of(path)).write(result.model_dump_json(indent=1) + "\n")
    return result


__all__ = ["Progress", "scan", "written"]
