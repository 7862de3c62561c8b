"""All words of a scan judged together: adjusted p-values, frequency bands, lists, warnings."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from eatlas.engine.scan.chunk import METHODS, MISSING, Chunk
from eatlas.engine.scan.plan import ScanPlan
from eatlas.errors import EatlasError, SourceError
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
    ScanResult,
    Sides,
    Sort,
    TopList,
    Vocabulary,
    WordAssociation,
)
from eatlas.stats.inputs import ROUNDING_UNITS
from eatlas.stats.multiplicity import benjamini_yekutieli, harmonic, holm
from eatlas.stats.permutation import DRAWS
from eatlas.stats.permutation.sampled import drawn_tail

Array = NDArray[np.float64]
Rows = NDArray[np.bool_]

BANDS = (1_000, 10_000, 100_000)
"""Last places of the frequency bands by default."""
TOP = 10
"""Words on each list by default."""
FEW = 20
"""Words in alphabetical order that are no accident."""
TIES = 1 + ROUNDING_UNITS * 2.0**-53
"""Two p-values that should be one differ by no more."""
_CERTAIN = 2**52
"""Counts up to here follow from p = count / total without doubt."""
EXAMPLES = 5
"""Missing words that are named, of each reason."""


@dataclass(frozen=True)
class Lists:
    """The lists that a scan ends in."""

    top: int = TOP
    """Words of each list."""
    edges: tuple[int, ...] = BANDS
    """Last places of all bands but the last."""
    sort: Sort = "effect_size"

    def __post_init__(self) -> None:
        whole = all(type(edge) is int and edge >= 1 for edge in self.edges)
        ascending = whole and list(self.edges) == sorted(set(self.edges))
        for name, value, usable, allowed in (
            ("top", self.top, type(self.top) is int and self.top >= 0, "a whole number from 0"),
            ("bands", self.edges, ascending, "ascending whole numbers, such as 1000, 10000"),
            ("sort", self.sort, self.sort in get_args(Sort), ", ".join(get_args(Sort))),
        ):
            if not usable:
                raise EatlasError(f"{name} is not usable", got=repr(value), allowed=allowed)


def conclude(plan: ScanPlan, parts: Sequence[Chunk], lists: Lists) -> ScanResult:
    """Judge all words together; the result has them in memory."""
    if not any((part.side == 0).any() for part in parts):
        raise SourceError(
            f"{plan.source.name}: there is no word to scan",
            got=f"{sum(part.read for part in parts)} words, none with a usable vector that is not "
            "an attribute",
        )
    words = Chunk.joined(parts)
    member, d = words.side == 0, words.effect_size
    p, max_t = np.where(member, words.p[2], np.nan), np.full(member.size, np.nan)
    max_t[member] = plan.shared.p(words.reached[member], words.maxima)
    adjusted = {
        "leaning": np.zeros(member.size),
        "unadjusted": p,
        "holm": holm(p),
        "benjamini_yekutieli": benjamini_yekutieli(p),
        "max_t": max_t,
    }

    def rejected(rows: Rows) -> dict[str, Any]:
        """How many of some words are below alpha, by adjustment and side."""
        below = {way: rows & (values < plan.measure.alpha) for way, values in adjusted.items()}
        sides = {
            way: Sides(A=np.count_nonzero(some & (d > 0)), B=np.count_nonzero(some & (d < 0)))
            for way, some in below.items()
        }
        return {"words": np.count_nonzero(rows), **sides}

    bands, tops = [], []
    for band in bands_of(lists.edges, words.read):
        rows = member & (words.rank >= band.first) & (words.rank <= band.last)
        bands.append(BandSummary(band=band, **rejected(rows)))
        for side, sign in zip(SIDES, (1.0, -1.0), strict=True):
            key = {"difference": -sign * words.difference, "p": p}.get(lists.sort, -sign * d)
            leaning = np.flatnonzero(rows & (sign * d > 0))
            # of equal ones the more frequent first
            order = np.lexsort((words.rank[leaning], -sign * d[leaning], key[leaning]))
            top = leaning[order[: lists.top]].tolist()
            associations = tuple(_association(plan, words, adjusted, row) for row in top)
            tops.append(TopList(band=band, side=side, words=associations))
    vocabulary = _vocabulary(words)
    concepts = plan.attributes.concepts
    result = ScanResult(
        signature=plan.measure.signature,
        test=plan.attributes.test,
        title=plan.attributes.title,
        source=plan.called,
        source_from=plan.source.name if plan.name else "",
        concepts=AttributeNames({side: concepts[side].name for side in SIDES}),
        coverage=AttributeCoverage({side: plan.embedded.coverage[side] for side in SIDES}),
        vocabulary=vocabulary,
        family=_family(plan, words, p, rejected(member)),
        bands=tuple(bands),
        sort=lists.sort,
        tops=tuple(tops),
        warnings=(*plan.embedded.notes, *_warnings(plan, vocabulary)),
        provenance=plan.provenance,
    )
    errors = words.rel_err.max(axis=0, initial=0.0)
    columns = {
        "word": words.words,
        "effect_size": d,
        **{f"p_{tail}": words.p[i] for i, tail in enumerate(TAILS)},
        "p_max_t": max_t,
        "p_by": adjusted["benjamini_yekutieli"],
        "difference": words.difference,
        "rank": words.rank,
        "attribute": [(NO_ATTRIBUTE, *SIDES)[side] for side in words.side.tolist()],
        "method": [
            "+".join(METHODS[m] for m in sorted(set(row))) for row in words.method.T.tolist()
        ],
        "rel_err": np.where(errors > 0, errors, np.nan),
    }
    return result.with_words(columns)


def bands_of(edges: Iterable[int], read: int) -> tuple[Band, ...]:
    """Bands that the source reaches."""
    lasts = [edge for edge in edges if edge < read] + [read]
    firsts = [1, *(last + 1 for last in lasts[:-1])]
    return tuple(Band(first=a, last=b) for a, b in zip(firsts, lasts, strict=True))


def _vocabulary(words: Chunk) -> Vocabulary:
    """What was read, and what became of it."""
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


def _association(
    plan: ScanPlan, words: Chunk, adjusted: Mapping[str, Array], row: int
) -> WordAssociation:
    """Write down one word."""
    total, methods = plan.shared.total, {}
    parts: dict[str, dict[str, Any]] = {
        name: {} for name in ("count", "rel_err", "interval", "draws")
    }
    p: dict[str, float] = dict(zip(TAILS, words.p[:, row].tolist(), strict=True))
    for i, tail in enumerate(TAILS):
        methods[tail], error = METHODS[words.method[i, row]], float(words.rel_err[i, row])
        if methods[tail] == "exact":
            count = round(Fraction(p[tail]) * total)  # the relabellings behind p = count / total
            parts["count"][tail] = count if count < _CERTAIN else None
        elif methods[tail] == "inversion":
            parts["rel_err"][tail] = error
        else:
            drawn = drawn_tail(round(p[tail] * (DRAWS + 1)) - 1, DRAWS, 1 / total)
            parts["draws"][tail], parts["interval"][tail] = DRAWS, drawn.interval
    single = len(set(methods.values())) == 1
    values = {
        name: {tail: of_tails.get(tail) for tail in TAILS}
        for name, of_tails in parts.items()
        if any(value is not None for value in of_tails.values())
    }
    level = Level(
        effect_size=float(words.effect_size[row]),
        difference=float(words.difference[row]),
        n=plan.sizes,
        p=PValues.model_validate(
            {
                **p,
                "method": methods[TAILS[0]] if single else methods,
                "total": total,
                "min_p": 1 / total,
                **values,
            }
        ),
    )
    return WordAssociation(
        word=words.words[row],
        rank=int(words.rank[row]),
        level2=level,
        p_max_t=float(adjusted["max_t"][row]),
        p_by=float(adjusted["benjamini_yekutieli"][row]),
    )


def _family(plan: ScanPlan, words: Chunk, p: Array, rejected: Mapping[str, Any]) -> Family:
    """The hypotheses of all words together, and what each way of judging them can do."""
    alpha, count, size = plan.measure.alpha, rejected["words"], sum(plan.sizes)
    least = _least_two_sided(plan)
    needed = math.floor(count * harmonic(count) * least / alpha) + 1
    critical = plan.shared.critical(words.maxima, alpha)
    if math.isfinite(critical):
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


def _least_two_sided(plan: ScanPlan) -> float:
    """Of groups of one size every relabelling has a mirror image that is as extreme."""
    a, b = plan.sizes
    return (2 if a == b else 1) / plan.shared.total


def _warnings(plan: ScanPlan, vocabulary: Vocabulary) -> Iterator[Note]:
    """Warnings of a scan: too few relabellings, missing words, undefined effects, odd order."""
    alpha, least = plan.measure.alpha, _least_two_sided(plan)
    if least >= alpha:
        values = {"sizes": list(plan.sizes), "total": plan.shared.total, "least": least}
        yield Note("p.design-two-sided", "attributes", {**values, "alpha": alpha})
    for reason, count in vocabulary.missing.items():
        such = list(vocabulary.examples[reason])
        yield Note("scan.missing", values={"count": count, "reason": reason, "such": such})
    if vocabulary.undefined:
        yield Note("scan.undefined", values={"count": vocabulary.undefined})
    if vocabulary.alphabetical:
        yield Note("scan.alphabetical", values={"source": plan.called})
    if vocabulary.rel_err is not None:
        values = {"total": float(plan.shared.total), "methods": dict(vocabulary.methods)}
        yield Note("scan.methods", values={**values, "rel_err": vocabulary.rel_err})
