"""Intervals, pattern shares and influence in results: against the statistics and by measuring again."""

import copy
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from tests.inputs import TERMS, make_test, make_vectors

import eatlas
from eatlas.measures.resampling import Variation
from eatlas.measures.seeding import generator_of
from eatlas.stats.bootstrap import (
    PatternRule,
    block_layout,
    bootstrap_effects,
    pattern_stability,
    percentile,
)

SIZES = {"X": 6, "Y": 7, "A": 8, "B": 6}
TEST = make_test(**{role: tuple(f"{role}{i}" for i in range(n)) for role, n in SIZES.items()})
VECTORS = make_vectors(TEST, dim=5, seed=3)


def measured(**parameters):
    return eatlas.MLEAT(**parameters)(TEST, VECTORS, rng=np.random.default_rng(5))


@pytest.mark.parametrize(
    ("size", "count"), [(8, 100_000), (299, 10_000), (300, 5_000), (600, 2_000)]
)
def test_large_groups_have_fewer_resamples(size, count, monkeypatch):
    counts = (100_000, 50_000, 20_000, 10_000)  # tests take fewer
    monkeypatch.setattr("eatlas.measures.resampling.RESAMPLE_COUNTS", counts)
    layout = SimpleNamespace(sizes=dict.fromkeys("XYAB", size), work=(2 * size) ** 2)
    vary = Variation(None, None, [], "auto", 0.95, 1)
    assert vary.count(layout) == count
    assert replace(vary, resamples=1_000).count(layout) == 1_000


def test_the_record_holds_what_the_statistics_found():
    result = measured(resamples=300, confidence=0.9)
    unit = {term: v / np.linalg.norm(v) for term, v in VECTORS.items()}
    targets, attributes = (
        np.array([unit[t] for role in roles for t in TEST.concept(role).terms])
        for roles in ("XY", "AB")
    )
    layout = block_layout(targets @ attributes.T, 6, 8)
    streams = {
        role: generator_of(0, {role: TEST.concept(role).terms}, "resamples") for role in "XYAB"
    }
    drawn = bootstrap_effects(layout, 300, copy.deepcopy(streams), 1)
    found = result.uncertainty
    assert (found.resamples, found.confidence) == (300, 0.9)
    for record, d in zip((found.level1, found.level2.X, found.level2.Y), drawn, strict=True):
        ends, errors = percentile(d, 0.9)
        assert record.interval == pytest.approx(ends, abs=1e-6)
        assert record.se == pytest.approx(d.std(ddof=1), abs=1e-6)
        assert record.error == pytest.approx(errors, abs=1e-6)
    aside = np.random.default_rng(0)  # 3,003 relabellings are all visited
    how = {"streams": streams, "aside": aside, "rule": PatternRule()}
    shares, errors = pattern_stability(layout, (drawn[1], drawn[2]), **how)
    assert found.patterns_error["AB-Divergent"] == pytest.approx(errors[0, 2], abs=1e-6)
    assert found.patterns["AB-Divergent"] == pytest.approx(shares[0, 2], abs=1e-6)
    assert found.patterns["BY-Singular"] == pytest.approx(shares[1, 2], abs=1e-6)
    assert len(found.patterns) == 9
    assert sum(found.patterns.values()) == pytest.approx(1)


def test_influence_is_what_a_test_without_the_term_measures():
    result = measured()
    for role in "XYAB":
        for i, term in enumerate(TEST.concept(role).terms):
            kept = tuple(t for t in TEST.concept(role).terms if t != term)
            others = {r: TEST.concept(r).terms for r in "XYAB"} | {role: kept}
            without = eatlas.MLEAT(resamples=0)(make_test(**others), VECTORS)
            change = without.level1.effect_size - result.level1.effect_size
            assert result.influence.level1[role][i] == pytest.approx(change, abs=1e-6)
            for target in "XY":
                mine = result.influence.level2[target][role]
                if role in "XY" and role != target:
                    assert mine == ()
                    continue
                change = without.level2[target].effect_size - result.level2[target].effect_size
                assert mine[i] == pytest.approx(change, abs=1e-6)


def test_one_attribute_cannot_be_resampled():
    test = make_test(A=("love",))
    vectors = make_vectors(make_test())
    result = eatlas.WEAT()(test, vectors)
    assert result.uncertainty is None
    assert result.influence is None
    assert "No intervals: a group of one term cannot be resampled." in map(str, result.warnings)


@pytest.mark.filterwarnings("ignore::eatlas.errors.AnisotropyWarning")  # two or three dimensions
def test_no_spread_has_no_interval_and_says_so():
    vectors = dict.fromkeys((t for terms in TERMS.values() for t in terms), (1.0, 2.0))
    with pytest.warns(eatlas.EatlasWarning, match="Undefined effect size"):
        result = eatlas.MLEAT(resamples=500)(make_test(), vectors)
    assert result.uncertainty.level1.interval is None
    assert result.uncertainty.level1.se is None
    assert result.uncertainty.level1.undefined == 500
    assert result.uncertainty.patterns["Non-Directional"] == 1
    assert set(result.influence.level1.X) == {None}
    assert "500 of 500 bootstrap samples have no spread" in " ".join(map(str, result.warnings))
