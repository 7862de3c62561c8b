"""What other documents would say: the uncertainty about subcorpora that words do not show."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
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
from eatlas_corpora.sources.parts import CorpusParts
from eatlas_corpora.stats.local import (
    Blocks,
    ContextSums,
    LocalTest,
    bootstrap_blocks,
    effective_level,
    permute_blocks,
)

RESAMPLES, RELABELLINGS = 1_000, 999
TOGETHER = 50
"""Resamples whose vectors are at hand together."""
DRAWS = 4
"""Samples of the contexts of the part that has more of them; effect sizes are their means."""
MOST_PAIRS = 8
"""Subcorpora each two of which are compared; of more, neighbours are."""
LEAST_DEFINED = 0.9
"""Proportion of the resamples that must have an effect size, or there is no interval."""
LEAST_BLOCKS = 5
"""Units, or blocks of documents, that an interval is sampled from."""
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
    own = sums_of(corpus, source.number, chosen).blocks().transform(corpus.matrix)
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
        unit_found=corpus.about.resample_found,
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


def sums_of(corpus: CorpusParts, part: int, terms: list[int]) -> ContextSums:
    """Sums of the contexts of some terms in a part."""
    row_of = np.full(len(corpus.terms), -1)
    row_of[terms] = np.arange(len(terms))
    own = np.flatnonzero((corpus.rows[:, 0] == part) & (row_of[corpus.rows[:, 2]] >= 0))
    _, block, term, tier = corpus.rows[own].T.astype(np.int64)
    shape = corpus.about.blocks[part], len(terms)
    return ContextSums(block, row_of[term], tier, corpus.sums[own], corpus.counts[own], shape)


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


def _mean_effects(
    test: LocalTest, samples: Sequence[Blocks], weights: Array, words: Any = None
) -> Array:
    """Means of the effect sizes over samples of contexts."""
    effects = [_effects(test, blocks, weights, words) for blocks in samples]
    return np.asarray(np.mean(effects, axis=0))


def _draw_alike(
    corpus: CorpusParts, parts: tuple[int, int], terms: list[int], rng: np.random.Generator
) -> list[tuple[Blocks, ...]]:
    """Blocks of each of two parts with as many contexts of each term as the poorer has."""
    sums = [sums_of(corpus, part, terms) for part in parts]
    fewest = np.minimum(*(part.contexts for part in sums))
    return [
        tuple(part.draw(fewest, rng).blocks().transform(corpus.matrix) for _ in range(DRAWS))
        for part in sums
    ]


def _differences(
    test: LocalTest, source: Any, other: int, terms: list[int], rng: Any
) -> list[PartDifference]:
    """Each level here less that in another part, by as many contexts of words that both have."""
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
    samples = _draw_alike(corpus, (source.number, other), local, rng)
    numbers = [blocks.number for blocks, *_ in samples]
    here, there = (bootstrap_blocks(number, RESAMPLES, rng) for number in numbers)
    x, y, a, b = sizes
    words = [
        np.column_stack([bootstrap_blocks(n, RESAMPLES, rng) for n in pair])
        for pair in ((x, y), (a, b))
    ]

    def gap(weights: Sequence[Array], words: Any = None) -> Array:
        return np.subtract(
            *(_mean_effects(test, s, w, words) for s, w in zip(samples, weights, strict=True))
        )

    observed = gap([np.ones((1, number)) for number in numbers])[0]
    over_documents, over_both = gap((here, there)), gap((here, there), words)
    if min(numbers) < LEAST_BLOCKS:
        over_documents[:] = np.nan
    over_both += 0 * over_documents  # undefined where these are
    pooled = [own + theirs for own, theirs in zip(*samples, strict=True)]
    labels = permute_blocks(pooled[0].counts.sum(axis=1), RELABELLINGS, rng)
    by_chance = _mean_effects(test, pooled, labels) - _mean_effects(test, pooled, 1 - labels)
    behind = 2 / np.sum([1 / test.blocks_behind(blocks) for blocks, *_ in samples], axis=0)
    differences = []
    for i, level in enumerate(LEVELS):
        chance = np.abs(by_chance[np.isfinite(by_chance[:, i]), i])
        p = None
        if np.isfinite(observed[i]) and len(chance) >= LEAST_DEFINED * RELABELLINGS:
            p = (1 + int((chance >= abs(observed[i]) * (1 - 1e-6)).sum())) / (len(chance) + 1)
        differences.append(
            PartDifference(
                part=corpus.parts[other],
                level=level,
                difference=finite(float(observed[i])),
                interval=_interval(over_documents[:, i], behind[i])[0],
                over_both=_interval(over_both[:, i], behind[i])[0],
                p=p,
                contexts=tuple(int(blocks.counts.sum()) for blocks, *_ in samples),
            )
        )
    return differences
