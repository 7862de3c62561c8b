"""Tests of thousands of sentences: the same numbers without a table of all cosines."""

import json
import tracemalloc

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from tests.inputs import make_sentences, make_test, make_vectors

import eatlas
from eatlas.measures import levels
from eatlas.present import report_html
from eatlas.results.json_lines import json_schema

pytestmark = pytest.mark.filterwarnings("ignore::eatlas.errors.AnisotropyWarning")
COUNTS = {"X": (40, 25, 60), "Y": (30, 50, 20), "A": (35, 45, 30), "B": (50, 20, 40)}


def alike(test, dim=12, seed=0):
    """Vectors that share a direction, and those of one stimulus another."""
    rng = np.random.default_rng(seed)
    about = {s: rng.normal(1, 1, dim) for _, c in test.parts for s in c.stimulus_of.values()}
    return {
        text: about[stimulus] + rng.normal(size=dim)
        for _, concept in test.parts
        for text, stimulus in concept.stimulus_of.items()
    }


def test_the_numbers_are_those_of_the_table(monkeypatch):
    test = make_sentences(COUNTS)
    vectors = alike(test)
    measure = eatlas.MLEAT(resamples=0)
    small = measure(test, vectors)
    monkeypatch.setattr(levels, "TABLE_CELLS", 100)
    large = measure(test, vectors)
    assert (small.level1, small.level2, small.stimulus_level) == (
        large.level1, large.level2, large.stimulus_level,
    )  # fmt: skip
    for name in ("XA", "XB", "YA", "YB"):
        one, other = small.level3[name], large.level3[name]
        assert (one.sampled, other.sampled, other.n) == (None, one.n, one.n)
        assert other.mean == pytest.approx(one.mean, rel=1e-12)
        assert other.sd == pytest.approx(one.sd, rel=1e-12)
        assert other.quantiles == pytest.approx(one.quantiles, rel=1e-12)


def test_quantiles_of_a_sample_are_near_those_of_all(monkeypatch):
    test = make_sentences(COUNTS)
    vectors = alike(test)
    measure = eatlas.MLEAT(resamples=0)
    small = measure(test, vectors).level3.XA
    monkeypatch.setattr(levels, "TABLE_CELLS", 100)
    monkeypatch.setattr(levels, "SAMPLED_ROWS", 60)
    found = measure(test, vectors).level3.XA
    assert found.sampled == 60 * 60
    assert np.abs(np.subtract(found.quantiles[1:4], small.quantiles[1:4])).max() < small.sd / 4
    # the same rows, whatever order they come in
    turned = test.model_copy(
        update={"X": eatlas.Concept(name="X", sentences=test.X.sentences[::-1])}
    )
    again = measure(turned, vectors).level3.XA
    assert again.quantiles == pytest.approx(found.quantiles, rel=1e-12)


def test_associations_of_very_many_terms_are_left_out(monkeypatch):
    test = make_sentences(COUNTS)
    vectors = alike(test)
    monkeypatch.setattr(levels, "KEPT_SCORES", 200)
    result = eatlas.MLEAT(resamples=0)(test, vectors)
    assert (result.scores.X, result.scores.attributes_with_Y.B) == ((), ())
    assert len(result.stimulus_level.scores.X) == 3
    assert eatlas.WEAT(resamples=0)(test, vectors).scores.Y == ()
    Draft202012Validator(json_schema()).validate(json.loads(json.dumps(result.to_dict())))
    assert "said" in report_html([result])


def test_terms_without_stimuli_are_not_resampled_from_a_huge_table(monkeypatch):
    monkeypatch.setattr(levels, "MOST_CELLS", 20)
    result = eatlas.MLEAT()(make_test(), make_vectors(make_test()))
    assert result.uncertainty is result.influence is None
    assert (
        "No intervals and no influence of terms: there are more than 20,000,000 pairs of terms. If "
        "sentences name their stimulus, stimuli are resampled instead."
    ) in map(str, result.warnings)


@pytest.mark.slow
def test_memory_grows_with_the_sentences_and_not_with_their_pairs():
    test = make_sentences(dict.fromkeys("XYAB", (200,) * 8))
    vectors = alike(test, dim=8)
    tracemalloc.start()
    result = eatlas.MLEAT(resamples=50, p="normal")(test, vectors)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert result.level3.XA.n == 1_600**2
    assert result.level3.XA.sampled == 1_000_000
    # a table of 3,200 by 3,200 cosines is 82 MB, and the sample of a million 8
    assert peak < 60e6
