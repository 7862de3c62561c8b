"""From finished chunks to the result: both passes, the table of words, and the summary."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence

from eatlas.engine.scan.bands import BandKeeper, bands_of
from eatlas.engine.scan.chunks import Chunks
from eatlas.engine.scan.gathering import Gathered, gather
from eatlas.engine.scan.plan import ScanPlan
from eatlas.engine.scan.words import judged
from eatlas.results.scan import (
    AttributeCoverage,
    AttributeNames,
    Family,
    MaxTFamily,
    ScanResult,
    Sides,
    Sort,
)
from eatlas.results.scan_words import ScannedWords
from eatlas.stats.precision import ROUNDING_UNITS
from eatlas.stats.tally import harmonic

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
    """Judge all words together.

    Parameters
    ----------
    plan : ScanPlan
    chunks : Chunks
        All of them.
    write : callable
        Gets every word, block by block, in the order of the source.
    top : int
        Words on each list.
    edges : sequence of int
        Last places of the frequency bands.
    sort : {"effect_size", "difference", "p"}
        What the lists are sorted by.

    Raises
    ------
    SourceError
        If there is no word to be judged.
    """
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
        source=plan.source.name,
        concepts=AttributeNames(
            A=plan.attributes.concepts["A"].name, B=plan.attributes.concepts["B"].name
        ),
        coverage=AttributeCoverage(A=found.groups["A"], B=found.groups["B"]),
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
            f"Undefined effect sizes: {vocabulary.undefined:,}, of words whose cosines with all "
            "attributes are one number; their p-values are 1."
        )
    if vocabulary.alphabetical:
        yield (
            f"The words of {plan.source.name} stand in alphabetical order, so bands by place say "
            "nothing of frequency."
        )
    if vocabulary.rel_err is not None:
        yield (
            f"With {plan.shared.total:.3g} relabellings not every p is a count. By method: "
            f"{_methods(vocabulary.methods)}; the stated relative error is at most "
            f"{vocabulary.rel_err:.1e} (columns method and rel_err)."
        )


def _methods(methods: Mapping[str, int]) -> str:
    """How many words have p-values of which kind."""
    return ", ".join(f"{name} {count:,} words" for name, count in methods.items())
