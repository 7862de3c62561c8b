"""What other documents would say: the doubt about parts of a corpus that words do not show."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas.measures.base import Input
from eatlas.measures.inference import CONFIDENCE
from eatlas.measures.seeding import generator_of
from eatlas.results.parts import finite, finite_ends
from eatlas.stats.bootstrap import percentile
from eatlas.stimuli import ROLES
from eatlas_corpora.results.documents import Documents, DocumentsLevel, PartDifference
from eatlas_corpora.stats.local import (
    Blocks,
    LocalTest,
    bootstrap_blocks,
    effective_level,
    permute_blocks,
)

RESAMPLES, RELABELLINGS = 1_000, 999
TOGETHER = 50
"""Resamples whose vectors are at hand together."""
MOST_PAIRS = 8
"""Parts of a corpus each two of which are compared; of more, neighbours are."""
LEAST_DEFINED = 0.9
"""Share of the resamples that must have an effect size, or there is no interval."""
LEAST_BLOCKS = 5
"""Units, or blocks of documents, that an interval is drawn from."""
DECIMALS = 6
LEVELS: tuple[Any, ...] = ("level1", "level2.X", "level2.Y")

Array = NDArray[np.float64]


def over_documents(measure: Any, given: Input, source: Any) -> Documents | None:
    """Resample and relabel the documents behind a test; None of a measure without both levels."""
    corpus = source.corpus
    if measure.rule is None:
        return None
    place = {term: i for i, term in enumerate(corpus.terms)}
    terms = [place[term] for role in ROLES for term in given.coverage[role].used]
    sizes = tuple(len(given.coverage[role].used) for role in ROLES)
    local = source.is_local[terms]
    rows = np.concatenate([given.rows[role] for role in ROLES])
    fixed = np.where(local[:, None], np.nan, rows)
    test = LocalTest(sizes, fixed, measure.ddof)  # type: ignore[arg-type]
    chosen = [term for term, own in zip(terms, local.tolist(), strict=True) if own]
    own = blocks_of(corpus, source.number, chosen)
    rng = generator_of(
        given.seed, {"": [corpus.terms[i] for i in chosen]}, f"documents {source.number}"
    )
    drawn = _effects(test, own, bootstrap_blocks(own.number, RESAMPLES, rng))
    if own.number < LEAST_BLOCKS:
        drawn[:] = np.nan
    levels = [
        _level(column, behind)
        for column, behind in zip(drawn.T, test.blocks_behind(own), strict=True)
    ]
    earlier = range(source.number)
    others = earlier if len(corpus.parts) <= MOST_PAIRS else earlier[-1:]
    return Documents(
        part=corpus.parts[source.number],
        corpus_sha256=corpus.about.corpus.corpus_sha256,
        vectors=corpus.about.source,
        window=corpus.about.window,
        quality=corpus.about.transformation.quality,
        transformation_sha256=hashlib.sha256(corpus.matrix.tobytes()).hexdigest(),
        unit=corpus.about.resample or "documents",
        documents=corpus.about.documents[source.number],
        blocks=own.number,
        resamples=RESAMPLES,
        contexts={
            corpus.terms[i]: int(n) for i, n in zip(chosen, own.counts.sum(axis=0), strict=True)
        },
        level1=levels[0],
        level2={"X": levels[1], "Y": levels[2]},
        differences=tuple(
            difference
            for other in others
            for difference in _differences(test, source, other, terms, rng)
        ),
    )


def blocks_of(corpus: Any, part: int, terms: list[int]) -> Blocks:
    """Sums of the vectors of some terms, and counts, in the blocks of a part."""
    row_of = np.full(len(corpus.terms), -1)
    row_of[terms] = np.arange(len(terms))
    own = np.flatnonzero((corpus.rows[:, 0] == part) & (row_of[corpus.rows[:, 2]] >= 0))
    number, d = corpus.about.blocks[part], corpus.sums.shape[1]
    sums, counts = np.zeros((number, len(terms), d), np.float32), np.zeros((number, len(terms)))
    at = corpus.rows[own, 1], row_of[corpus.rows[own, 2]]
    sums[at], counts[at] = corpus.sums[own], corpus.counts[own]
    return Blocks(sums, counts).transform(corpus.matrix)


def _effects(test: LocalTest, blocks: Blocks, weights: Array, words: Any = None) -> Array:
    """Effect sizes where blocks, and words, count so often, some draws at a time."""
    parts = []
    for start in range(0, len(weights), TOGETHER):
        some = slice(start, start + TOGETHER)
        of_words = None if words is None else [each[some] for each in words]
        parts.append(test.effects(test.cosines(blocks, weights[some]), of_words))
    return np.concatenate(parts)


def _level(drawn: Array, behind: float) -> DocumentsLevel:
    ends, se = _interval(drawn, behind)
    return DocumentsLevel(interval=ends, se=se)


def _interval(drawn: Array, behind: float) -> tuple[tuple[float, float] | None, float | None]:
    """Interval, of vectors that rest on so many blocks, and standard error; None of few draws."""
    d = drawn[np.isfinite(drawn)]
    if len(d) < LEAST_DEFINED * len(drawn):
        return None, None
    ends, _ = percentile(d, effective_level(CONFIDENCE, behind))
    return finite_ends(ends, DECIMALS), finite(float(d.std(ddof=1)), DECIMALS)


def _differences(
    test: LocalTest, source: Any, other: int, terms: list[int], rng: Any
) -> list[PartDifference]:
    """Each level here less that in another part, by words that both have."""
    corpus = source.corpus
    both = ~test.is_local | (corpus.contexts[other, terms] > 0)
    ends = np.cumsum((0, *test.sizes))
    sizes: Any = tuple(int(both[low:high].sum()) for low, high in pairwise(ends.tolist()))
    if min(sizes) < 2:
        return []
    test = replace(test, sizes=sizes, fixed=test.fixed[both])
    local = [
        term for term, own in zip(np.array(terms)[both].tolist(), test.is_local, strict=True) if own
    ]
    own, theirs = (blocks_of(corpus, part, local) for part in (source.number, other))
    observed = np.subtract(*(_effects(test, b, np.ones((1, b.number))) for b in (own, theirs)))[0]
    here, there = (bootstrap_blocks(b.number, RESAMPLES, rng) for b in (own, theirs))
    over_documents = _effects(test, own, here) - _effects(test, theirs, there)
    if min(own.number, theirs.number) < LEAST_BLOCKS:
        over_documents[:] = np.nan
    x, y, a, b = sizes
    words = [
        np.column_stack([bootstrap_blocks(n, RESAMPLES, rng) for n in pair])
        for pair in ((x, y), (a, b))
    ]
    over_both = _effects(test, own, here, words) - _effects(test, theirs, there, words)
    over_both += 0 * over_documents  # undefined where these are
    labels = permute_blocks(own.number, theirs.number, RELABELLINGS, rng)
    pooled = own + theirs
    by_chance = _effects(test, pooled, labels) - _effects(test, pooled, 1 - labels)
    behind = 2 / np.sum([1 / test.blocks_behind(blocks) for blocks in (own, theirs)], axis=0)
    differences = []
    for i, level in enumerate(LEVELS):
        drawn = np.abs(by_chance[np.isfinite(by_chance[:, i]), i])
        p = None
        if np.isfinite(observed[i]) and len(drawn) >= LEAST_DEFINED * RELABELLINGS:
            p = (1 + int((drawn >= abs(observed[i]) * (1 - 1e-6)).sum())) / (len(drawn) + 1)
        differences.append(
            PartDifference(
                part=corpus.parts[other],
                level=level,
                difference=finite(float(observed[i])),
                interval=_interval(over_documents[:, i], behind[i])[0],
                over_both=_interval(over_both[:, i], behind[i])[0],
                p=p,
            )
        )
    return differences
