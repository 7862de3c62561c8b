"""Effect sizes where documents and words count so often, against loops of plain Python."""

import statistics

import numpy as np
import pytest
from scipy.stats import norm, t

from eatlas_corpora.engine import documents
from eatlas_corpora.sources.parts import CorpusParts, PartSource, PartsRecord
from eatlas_corpora.stats.local import (
    Blocks,
    ContextSums,
    LocalTest,
    bootstrap_blocks,
    effective_level,
    permute_blocks,
)

SIZES, D, DOCUMENTS = (3, 4, 2, 3), 6, 9


def made(seed, local=range(7)):
    """A test whose terms of these numbers are local, and what documents say of them."""
    rng = np.random.default_rng(seed)
    counts = rng.poisson(1.0, (DOCUMENTS, len(local)))
    counts[:, 1] = 0  # a term that no document has
    counts[:, 2] = np.arange(DOCUMENTS) == 4  # and of which there is one context
    sums = rng.normal(size=(*counts.shape, D)) * counts[..., None]
    fixed = rng.normal(size=(sum(SIZES), D))
    fixed /= np.linalg.norm(fixed, axis=1, keepdims=True)
    fixed[list(local)] = np.nan
    return LocalTest(SIZES, fixed, 1), Blocks(sums.astype(np.float32), counts.astype(float))


def by_loop(test, blocks, weights, words):
    """The three effect sizes; each document and word repeated so often."""
    local = np.flatnonzero(test.is_local).tolist()
    vectors = {}
    for term in range(sum(SIZES)):
        vector = test.fixed[term]
        if term in local:
            pairs = [
                (
                    blocks.sums[b, local.index(term)].astype(float),
                    blocks.counts[b, local.index(term)],
                )
                for b in range(blocks.number)
                for _ in range(int(weights[b]))
            ]
            if not sum(count for _, count in pairs):
                continue
            vector = sum(s for s, _ in pairs) / sum(count for _, count in pairs)
        vectors[term] = vector / np.linalg.norm(vector)
    groups, start = [], 0
    often = np.concatenate(words)
    for size in SIZES:
        groups.append(
            [k for k in range(start, start + size) if k in vectors for _ in range(int(often[k]))]
        )
        start += size
    x, y, a, b = groups

    def mean(term, others):
        return statistics.fmean(float(vectors[term] @ vectors[k]) for k in others)

    def d(first, second):
        both = [*first, *second]
        return (statistics.fmean(first) - statistics.fmean(second)) / statistics.stdev(both)

    def scores(group):
        return [mean(w, a) - mean(w, b) for w in group]

    return [
        d(scores(x), scores(y)),
        *(d([mean(k, s) for k in a], [mean(k, s) for k in b]) for s in (x, y)),
    ]


@pytest.mark.parametrize("local", [range(7), range(12), [0, 1, 2, 3, 4, 5, 6, 8]])
def test_effects_are_those_of_a_loop(local):
    test, blocks = made(len(local), local)
    rng = np.random.default_rng(5)
    weights = np.vstack([np.ones(DOCUMENTS), bootstrap_blocks(DOCUMENTS, 20, rng)])
    cosines = test.cosines(blocks, weights)
    assert cosines.shape == (21, 7, 5)
    assert np.isnan(cosines[:, 1]).all()
    np.testing.assert_array_equal(np.isnan(cosines[:, 2, 0]), weights[:, 4] == 0)
    once = [np.ones((21, 7)), np.ones((21, 5))]
    words = [rng.multinomial(7, np.full(7, 1 / 7), 21), rng.multinomial(5, np.full(5, 0.2), 21)]
    for often in (None, words):
        found = test.effects(cosines, often)
        for k, (w, each) in enumerate(zip(found, weights, strict=True)):
            try:
                expected = by_loop(test, blocks, each, [one[k] for one in often or once])
            except (statistics.StatisticsError, ZeroDivisionError):
                continue  # a group has no word left
            np.testing.assert_allclose(w, expected, atol=2e-5)


def test_documents_permuted_are_in_one_part_or_the_other_with_half_of_the_contexts():
    contexts = np.array([1.0, 3, 0, 2, 5, 1, 1, 3, 4, 0, 2, 2])
    labels = permute_blocks(contexts, 200, np.random.default_rng(0))
    assert set(labels.ravel()) == {0, 1}
    halves = labels @ contexts
    assert np.abs(halves - 12).max() <= 2.5
    assert 0.4 < labels[:, 0].mean() < 0.6
    (one,) = permute_blocks(np.array([9.0, 1]), 1, np.random.default_rng(1))
    assert sorted(one) == [0, 1]


def test_contexts_are_drawn_down_to_so_many_of_each_term():
    rng = np.random.default_rng(2)
    block, term = np.repeat(np.arange(30), 2), np.tile([0, 1], 30)
    block, term, tier = (np.repeat(a, 4) for a in (block, term, np.zeros(60, int)))
    tier = np.tile(np.arange(4), 60)
    counts = np.tile([8, 4, 2, 1], 60)
    sums = (counts[:, None] * (1 + term[:, None])).astype(np.float32)
    whole = ContextSums(block, term, tier, sums, counts, (30, 2))
    np.testing.assert_array_equal(whole.contexts, [450, 450])
    few = whole.draw(np.array([20, 1_000]), rng)
    np.testing.assert_array_equal(few.contexts, [20, 450])
    assert len(set(few.block[few.term == 0].tolist())) == 20  # one context of a document
    np.testing.assert_array_equal(few.blocks().counts[:, 1], 15)
    np.testing.assert_array_equal(few.blocks().sums[..., 0] / [1, 2], few.blocks().counts)
    np.testing.assert_allclose(whole.draw(np.array([300, 100]), rng).contexts, [300, 100], atol=4)


def test_an_interval_of_few_documents_is_expanded():
    test, blocks = made(3)
    contexts = blocks.counts.T[[0, 2, 3, 4, 5, 6]]  # a term without one has no say
    behind = [np.square(each.sum()) / np.square(each).sum() for each in contexts]
    of_x, of_y = (statistics.harmonic_mean(side) for side in (behind[:2], behind[2:]))
    np.testing.assert_allclose(
        test.blocks_behind(blocks), [statistics.harmonic_mean(behind), of_x, of_y]
    )
    assert effective_level(0.95, 10) == pytest.approx(
        1 - 2 * norm.sf(t.isf(0.025, 9) * np.sqrt(10 / 9)), abs=1e-12
    )
    assert effective_level(0.95, np.inf) == 0.95
    assert effective_level(0.95, 1) == effective_level(0.95, 2) > 0.9999


@pytest.mark.slow
def test_intervals_over_documents_cover():
    """Contexts with an effect of their document; 93 to 97% wanted, and a chance error of 3 SE."""
    rng = np.random.default_rng(4)
    terms = sum(SIZES[:2])
    means = rng.normal(size=(terms, D))
    test, _ = made(0)
    infinite = Blocks(means[None].astype(np.float32), np.ones((1, terms)))
    truth = test.effects(test.cosines(infinite, np.ones((1, 1))))[0]
    held = []
    for _ in range(300):
        counts = rng.poisson(rng.gamma(0.5, 4, (40, 1)), (40, terms))
        noise = rng.normal(0, 0.7, (40, terms, D)) * counts[..., None]
        noise += rng.normal(size=(40, terms, D)) * np.sqrt(counts)[..., None]
        blocks = Blocks((means * counts[..., None] + noise).astype(np.float32), counts * 1.0)
        drawn = documents._effects(test, blocks, bootstrap_blocks(40, 400, rng))
        for level, behind in enumerate(test.blocks_behind(blocks)):
            (low, high), _ = documents._interval(drawn[:, level], behind)
            held.append(low <= truth[level] <= high)
    assert 0.92 < np.mean(held) < 0.98


def in_two_parts(blocks, labels):
    """Both parts of a corpus that documents with such labels are in; all documents are blocks."""
    at = np.nonzero(blocks.counts)
    block = np.where(labels, np.cumsum(labels), np.cumsum(~labels)) - 1
    rows = np.column_stack([labels[at[0]], block[at[0]], at[1], 0 * at[1]]).astype(np.int32)
    terms = tuple(f"t{i}" for i in range(sum(SIZES)))
    number = (int((~labels).sum()), int(labels.sum()))
    about = PartsRecord.model_construct(parts=("a", "b"), years=(), blocks=number, targets=terms)
    counts = blocks.counts[at].astype(int)
    published = np.full((len(terms), D), np.nan, np.float32)
    parts = CorpusParts(terms, rows, blocks.sums[at], counts, np.eye(D), published, about)
    return PartSource("parts.npz", parts, 1)


@pytest.mark.slow
def test_p_of_a_difference_errs_as_often_as_said(monkeypatch):
    monkeypatch.setattr(documents, "RESAMPLES", 4)
    monkeypatch.setattr(documents, "RELABELLINGS", 99)
    rng, terms, every = np.random.default_rng(8), sum(SIZES[:2]), [*range(sum(SIZES))]
    test, _ = made(0)
    counts = 1 + rng.poisson(rng.gamma(0.5, 4, (60, 1)), (60, terms))
    sums = rng.normal(size=(terms, D)) + rng.normal(size=(60, terms, D))
    blocks = Blocks((sums * counts[..., None]).astype(np.float32), counts * 1.0)
    drawn = []
    for _ in range(150):
        source = in_two_parts(blocks, rng.permutation(60) < 25)
        drawn.append([d.p for d in documents._differences(test, source, 0, every, rng)])
    assert np.mean(np.array(drawn) <= 0.05) == pytest.approx(0.05, abs=0.04)
    labels = np.arange(60) < 30
    towards = test.fixed[7:9].mean(axis=0) - test.fixed[9:].mean(axis=0)
    sums[:30, : SIZES[0]] += 4 * towards
    planted = Blocks((sums * counts[..., None]).astype(np.float32), counts * 1.0)
    first, *_ = documents._differences(test, in_two_parts(planted, labels), 0, every, rng)
    assert first.level == "level1"
    assert first.difference > 0
    assert first.p <= 0.02
