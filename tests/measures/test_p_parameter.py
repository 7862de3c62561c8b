"""How p-values are found is a parameter: its signature, its records, its random numbers."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from tests.inputs import make_test, make_vectors

import eatlas
from eatlas.errors import EatlasError
from eatlas.measures.association import to_record
from eatlas.numbers import explain_p
from eatlas.results.levels import PValues
from eatlas.stats.permutation import permutation_test

DRAWN = ["sampled"]
TESTS = [make_test(f"t{i}", X=tuple(f"x{i}{j}" for j in range(5))) for i in range(4)]
VECTORS = {t: v for i, test in enumerate(TESTS) for t, v in make_vectors(test, seed=i).items()}


@pytest.mark.parametrize(
    ("measure", "signature"),
    [
        (eatlas.WEAT(), "WEAT(alpha=0.05,ddof=1,p=auto)"),
        (eatlas.WEAT(p="normal"), "WEAT(alpha=0.05,ddof=1,p=normal)"),
        (eatlas.WEAT(p="sampled"), "WEAT(alpha=0.05,ddof=1,p=sampled,permutations=100000)"),
        (eatlas.WEAT(strict=True), "WEAT(alpha=0.05,ddof=1,p=auto,strict=true)"),
        (eatlas.WEAT(permutations=7), "WEAT(alpha=0.05,ddof=1,p=auto,permutations=7)"),
        (eatlas.MLEAT(), "ML-EAT(alpha=0.05,ddof=1,p=auto,tail=directional,threshold=0.2)"),
    ],
)
def test_signatures_say_what_matters_and_parse_back(measure, signature):
    assert measure.signature == signature
    assert eatlas.get_measure(signature) == measure


def weat(p, permutations=2000, **call):
    return eatlas.WEAT(p=p, permutations=permutations)(TESTS[0], VECTORS, **call)


@pytest.mark.parametrize("p", DRAWN)
def test_a_result_records_interval_and_draws(p, tmp_path):
    result, exact = weat(p), eatlas.WEAT()(TESTS[0], VECTORS)
    found = result.level1.p
    assert found.method == p
    assert found.count is None
    assert found.permutations.to_dict() == {"greater": 2000, "less": 2000, "two_sided": 2000}
    for tail in ("greater", "less", "two_sided"):
        low, high = getattr(found.interval, tail)
        assert low <= exact.level1.p[tail] <= high
        assert low <= found[tail] <= high
    assert result.level1.effect_size == exact.level1.effect_size
    assert exact.level1.p.interval is exact.level1.p.permutations is None
    results = eatlas.run(TESTS[0], VECTORS, eatlas.WEAT(p=p, permutations=50))
    results.write(tmp_path / "results.jsonl")
    assert eatlas.read_results(tmp_path / "results.jsonl") == results


@pytest.mark.parametrize("p", DRAWN)
def test_the_generator_is_explicit_and_defaults_to_the_seed(p):
    one = weat(p, rng=np.random.default_rng(4))
    assert weat(p, rng=np.random.default_rng(4)) == one
    assert weat(p, rng=np.random.default_rng(5)).level1 != one.level1
    assert weat(p, seed=4).level1 == weat(p, seed=4).level1 != weat(p, seed=5).level1
    with pytest.raises(EatlasError, match="rng must be a numpy Generator\n  got: int"):
        weat(p, rng=4)


def test_too_few_draws_are_remarked():
    result = weat("sampled", permutations=10)
    remark = "10 random permutations cannot show a p-value of level 1 below 0.0909, so none is below alpha = 0.05."
    assert remark in map(str, result.warnings)
    assert not any(
        "permutations cannot" in note
        for note in map(str, weat("sampled", permutations=20).warnings)
    )


@pytest.mark.filterwarnings("ignore::eatlas.errors.AnisotropyWarning")  # two or three dimensions
def test_a_strict_count_of_zero_is_remarked():
    axis = dict.fromkeys(("aster", "clover", "iris", "lily"), (1.0, 0.1))
    axis |= dict.fromkeys(("ant", "flea", "wasp", "gnat"), (0.1, 1.0))
    axis |= dict.fromkeys(("love", "peace", "joy", "heaven"), (1.0, 0.0))
    axis |= dict.fromkeys(("hatred", "war", "filth", "agony"), (0.0, 1.0))
    result = eatlas.WEAT(strict=True)(make_test(), axis)
    assert (result.level1.p.count.greater, result.level1.p.count.less) == (0, 69)
    assert 0 < result.level1.p.greater < 1e-300
    assert (
        "With strict inequalities no permutation of level 1 is counted in the tails greater and "
        "two_sided; p is 0, reported as the smallest positive number."
    ) in map(str, result.warnings)


def test_a_number_of_relabellings_that_no_reader_takes_is_left_out():
    scores = np.random.default_rng(0).normal(size=20_000)
    scores[:10_000] += 20
    few, many = (
        to_record(permutation_test(s, len(s) // 2)) for s in (scores[9_000:11_000], scores)
    )
    assert (few.count.greater, few.total) == (1, math.comb(2_000, 1_000))
    assert (many.count.greater, many.count.less, many.total) == (1, None, None)
    assert (many.method, many.greater) == ("exact", 5e-324)
    assert explain_p(few, "greater").startswith("1 of ")
    assert explain_p(many, "greater") == "1 of more than 10^3,900 permutations"
    assert PValues.from_dict(json.loads(json.dumps(many.to_dict()))) == many
