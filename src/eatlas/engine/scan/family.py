"""All words of a scan judged together: adjusted p-values, frequency bands, lists, warnings."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from eatlas.engine.scan.chunk import EXACT, INVERSION, METHODS, REASONS, Chunk
from eatlas.engine.scan.plan import ScanPlan
from eatlas.errors import EatlasError, SourceError, did_you_mean
from eatlas.notes import Note
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
)
from eatlas.stats.inputs import ROUNDING_UNITS, clopper_pearson
from eatlas.stats.multiplicity import benjamini_yekutieli, harmonic, holm
from eatlas.stats.permutation import DRAWS

Array = NDArray[np.float64]
Rows = NDArray[np.bool_]

BANDS = (1_000, 10_000, 100_000)
"""Last places of the frequency bands by default."""
TOP = 10
"""Words on each list by default."""
IN_ORDER = 0.9
"""A share of neighbours in alphabetical order that no list by frequency has: there it is a half."""
FEW = 20
"""Neighbours among which such a share is no accident."""
TIES = 1 + ROUNDING_UNITS * 2.0**-53
"""Two p-values that should be one differ by no more."""
_CERTAIN = 2**52
"""Counts up to here follow from p = count / total without doubt."""


@dataclass(frozen=True)
class Lists:
    """The lists that a scan ends in."""

    top: int = TOP
    """Words of each list."""
    edges: tuple[int, ...] = BANDS
    """Last places of all bands but the last."""
    sort: Sort = "effect_size"

    def __post_init__(self) -> None:
        if type(self.top) is not int or self.top < 0:
            raise EatlasError(
                "top is not usable", got=repr(self.top), allowed="a whole number from 0"
            )
        whole = all(type(edge) is int and edge >= 1 for edge in self.edges)
        if not whole or list(self.edges) != sorted(set(self.edges)):
            raise EatlasError(
                "the frequency bands are not usable",
                got=", ".join(map(str, self.edges)),
                allowed="ascending whole numbers, such as 1000, 10000, 100000",
            )
        if self.sort not in get_args(Sort):
            raise EatlasError(
                f"lists cannot be sorted by this{did_you_mean(self.sort, get_args(Sort))}",
                got=self.sort,
                allowed=", ".join(get_args(Sort)),
            )


@dataclass(frozen=True)
class JudgedWords:
    """All words, and what the whole family says of each; NaN for attributes, which are in none."""

    words: Chunk
    p: Array
    """Two-sided p, unadjusted."""
    holm: Array
    benjamini_yekutieli: Array
    max_t: Array

    @classmethod
    def of(cls, plan: ScanPlan, words: Chunk) -> JudgedWords:
        """Adjust the p-values of all words."""
        member = words.side == 0
        p, max_t = np.where(member, words.p[2], np.nan), np.full(member.size, np.nan)
        max_t[member] = plan.shared.p(words.reached[member], words.maxima)
        return cls(words, p, holm(p), benjamini_yekutieli(p), max_t)

    def rejected(self, rows: Rows, alpha: float) -> dict[str, Sides]:
        """How many of some words lean to either side, and are below alpha, by adjustment."""
        below = {
            "leaning": rows,
            "unadjusted": rows & (self.p < alpha),
            "holm": rows & (self.holm < alpha),
            "benjamini_yekutieli": rows & (self.benjamini_yekutieli < alpha),
            "max_t": rows & (self.max_t < alpha),
        }
        d = self.words.effect_size
        return {
            way: Sides(A=np.count_nonzero(some & (d > 0)), B=np.count_nonzero(some & (d < 0)))
            for way, some in below.items()
        }

    def first(self, rows: Rows, sign: float, lists: Lists) -> list[int]:
        """The words on one side that head a list; of equal ones the more frequent first."""
        d = sign * self.words.effect_size
        key = {"difference": -sign * self.words.difference, "p": self.p}.get(lists.sort, -d)
        some = np.flatnonzero(rows & (d > 0))
        order = np.lexsort((self.words.rank[some], -d[some], key[some]))
        return [int(row) for row in some[order[: lists.top]]]

    def table(self) -> ScannedWords:
        """The words as rows of the table."""
        words = self.words
        errors = words.rel_err.max(axis=0, initial=0.0)
        return ScannedWords(
            word=words.words,
            effect_size=words.effect_size,
            p_greater=words.p[0],
            p_less=words.p[1],
            p_two_sided=words.p[2],
            p_max_t=self.max_t,
            p_by=self.benjamini_yekutieli,
            difference=words.difference,
            rank=words.rank,
            attribute=[(NO_ATTRIBUTE, *SIDES)[side] for side in words.side.tolist()],
            method=_methods(words.method.T),
            rel_err=np.where(errors > 0, errors, np.nan),
        )


def _methods(codes: NDArray[np.uint8]) -> list[str]:
    """How each word's p-values were found; several words where its tails differ."""
    if not codes.any():
        return [METHODS[0]] * len(codes)
    return ["+".join(METHODS[code] for code in sorted(set(row))) for row in codes.tolist()]


def conclude(plan: ScanPlan, chunks: Iterable[Chunk], lists: Lists) -> ScanResult:
    """Judge all words together; the result has them in memory."""
    parts = list(chunks)
    if not any((part.side == 0).any() for part in parts):
        raise SourceError(
            f"{plan.source.name}: there is no word to scan",
            got=f"{sum(part.read for part in parts)} words, none with a usable vector that is not "
            "an attribute",
        )
    words = Chunk.joined(parts)
    del parts  # of gigabytes, where the vocabulary is large
    judged = JudgedWords.of(plan, words)
    attributes = plan.found
    vocabulary = _vocabulary(words)
    rank, member = words.rank, words.side == 0
    summaries, tops = [], []
    for band in bands_of(lists.edges, words.read):
        rows = member & (rank >= band.first) & (rank <= band.last)
        rejected = judged.rejected(rows, plan.measure.alpha)
        summaries.append(BandSummary(band=band, words=np.count_nonzero(rows), **rejected))
        for side, sign in zip(SIDES, (1.0, -1.0), strict=True):
            first = [word_association(plan, judged, i) for i in judged.first(rows, sign, lists)]
            tops.append(TopList(band=band, side=side, words=tuple(first)))
    result = ScanResult(
        signature=plan.measure.signature,
        test=plan.attributes.test,
        title=plan.attributes.title,
        source=plan.name or plan.source.name,
        source_from=plan.source.name if plan.name else "",
        concepts=AttributeNames({side: plan.attributes.concepts[side].name for side in SIDES}),
        coverage=AttributeCoverage({side: attributes.groups[side] for side in SIDES}),
        vocabulary=vocabulary,
        family=_family(plan, judged),
        bands=tuple(summaries),
        sort=lists.sort,
        tops=tuple(tops),
        warnings=(*attributes.notes, *_warnings(plan, vocabulary)),
        provenance=plan.provenance,
    )
    return result.with_words(judged.table())


def bands_of(edges: Iterable[int], read: int) -> tuple[Band, ...]:
    """Bands that the source reaches."""
    lasts = [edge for edge in edges if edge < read] + [read]
    firsts = [1, *(last + 1 for last in lasts[:-1])]
    return tuple(Band(first=a, last=b) for a, b in zip(firsts, lasts, strict=True))


def _vocabulary(words: Chunk) -> Vocabulary:
    """What was read, and what became of it."""
    missing = {r: int(n) for r, n in zip(REASONS, words.missing, strict=True) if n}
    pairs = words.read - words.index  # neighbours within chunks
    methods = np.bincount(words.method.max(axis=0), minlength=len(METHODS))
    return Vocabulary(
        read=words.read,
        tested=len(words.words),
        attributes=np.count_nonzero(words.side),
        undefined=np.count_nonzero(np.isnan(words.effect_size)),
        missing=missing,
        examples={r: tuple(e) for r, e in zip(REASONS, words.examples, strict=True) if e},
        alphabetical=pairs >= FEW and words.rising > IN_ORDER * pairs,
        methods={m: int(k) for m, k in zip(METHODS, methods, strict=True) if k},
        rel_err=float(words.rel_err.max()) or None,
    )


def word_association(plan: ScanPlan, judged: JudgedWords, row: int) -> WordAssociation:
    """Write down one word."""
    chunk, (a, b) = judged.words, plan.found.sizes
    total = plan.shared.total
    names = [METHODS[code] for code in chunk.method[:, row].tolist()]
    p = dict(zip(TAILS, chunk.p[:, row].tolist(), strict=True))
    counts: dict[Any, Any] = dict.fromkeys(TAILS)
    errors, intervals, draws = counts.copy(), counts.copy(), counts.copy()
    for tail, name, error in zip(TAILS, names, chunk.rel_err[:, row].tolist(), strict=True):
        if name == METHODS[EXACT]:
            counts[tail] = _count(p[tail], total)
        elif name == METHODS[INVERSION]:
            errors[tail] = error
        else:
            draws[tail], reached = DRAWS, round(p[tail] * (DRAWS + 1)) - 1
            intervals[tail] = clopper_pearson(reached, DRAWS)
    values = PValues.model_validate(
        {
            **p,
            "method": names[0] if len(set(names)) == 1 else dict(zip(TAILS, names, strict=True)),
            "count": _unless_empty(counts),
            "total": total,
            "min_p": 1 / total,
            "rel_err": _unless_empty(errors),
            "interval": _unless_empty(intervals),
            "draws": _unless_empty(draws),
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
        p_max_t=float(judged.max_t[row]),
        p_by=float(judged.benjamini_yekutieli[row]),
    )


def _count(p: float, total: int) -> int | None:
    """The whole number of relabellings behind ``p = count / total``."""
    count = round(Fraction(p) * total)
    return count if count < _CERTAIN else None


def _unless_empty(values: dict[Any, Any]) -> dict[Any, Any] | None:
    return values if any(value is not None for value in values.values()) else None


def _family(plan: ScanPlan, judged: JudgedWords) -> Family:
    """The hypotheses of all words together, and what each way of judging them can do."""
    alpha, sizes, member = plan.measure.alpha, plan.found.sizes, judged.words.side == 0
    words = int(np.count_nonzero(member))
    least = _least_two_sided(plan)
    needed = math.floor(words * harmonic(words) * least / alpha) + 1
    critical = plan.shared.critical(judged.words.maxima, alpha)
    size = sum(sizes)
    return Family(
        words=words,
        **judged.rejected(member, alpha),
        alpha=alpha,
        design=sizes,
        total=plan.shared.total,
        min_two_sided=least,
        by_chance=words * _attainable(least, alpha),
        at_min=np.count_nonzero(judged.p <= least * TIES),
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


def _warnings(plan: ScanPlan, vocabulary: Vocabulary) -> Iterator[Note]:
    """Warnings of a scan: too few relabellings, missing words, undefined effects, odd order."""
    alpha = plan.measure.alpha
    values: dict[str, Any]
    if (least := _least_two_sided(plan)) >= alpha:
        values = {"sizes": list(plan.found.sizes), "total": plan.shared.total}
        yield Note("p.design-two-sided", "attributes", {**values, "least": least, "alpha": alpha})
    for reason, count in vocabulary.missing.items():
        values = {"count": count, "reason": reason, "such": list(vocabulary.examples[reason])}
        yield Note("scan.missing", values=values)
    if vocabulary.undefined:
        yield Note("scan.undefined", values={"count": vocabulary.undefined})
    if vocabulary.alphabetical:
        yield Note("scan.alphabetical", values={"source": plan.name or plan.source.name})
    if vocabulary.rel_err is not None:
        values = {"total": float(plan.shared.total), "methods": dict(vocabulary.methods)}
        yield Note("scan.methods", values={**values, "rel_err": vocabulary.rel_err})
