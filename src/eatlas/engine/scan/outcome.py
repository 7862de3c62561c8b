"""From the family of words to the result: bands by frequency, top lists, and the summary."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from eatlas.engine.scan.chunk import METHODS, Chunks
from eatlas.engine.scan.family import Gathered, Judged, gather, judged
from eatlas.engine.scan.plan import ScanPlan
from eatlas.errors import EatlasError, did_you_mean
from eatlas.results.levels import Level, PValues
from eatlas.results.parts import TAILS
from eatlas.results.scan import (
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
    WordAssociation,
)
from eatlas.stats.inputs import ROUNDING_UNITS
from eatlas.stats.multiplicity import harmonic

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
    p = {tail: float(chunk.p[i, row]) for i, tail in enumerate(TAILS)}
    counts = {
        tail: _count(p[tail], total) if name == METHODS[0] else None
        for tail, name in zip(TAILS, names, strict=True)
    }
    errors = {
        tail: float(chunk.rel_err[i, row]) if names[i] == METHODS[1] else None
        for i, tail in enumerate(TAILS)
    }
    brackets = {
        tail: (p[tail] * (1 - float(chunk.rel_err[i, row])), p[tail])
        if names[i] == METHODS[2]
        else None
        for i, tail in enumerate(TAILS)
    }
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
