"""The permutation distribution of level 1, and the block of level 3."""

from itertools import combinations

import numpy as np
import pytest

import eatlas
from eatlas.errors import ResultsError
from eatlas.plots import cosines, null

pytest.importorskip("altair")


@pytest.fixture(scope="module")
def results():
    return eatlas.run(tests=["weat-6", "weat-7"])


def test_the_distribution_is_that_of_all_relabellings(results):
    """Against all 12,870 assignments: shares of 20,000 random ones err by less than 0.02."""
    result = results["weat-6"]
    values = np.array([*result.scores.X, *result.scores.Y])
    chosen = np.array(list(combinations(range(16), 8)))
    sums = values[chosen].sum(axis=1)
    every = (2 * sums - values.sum()) / 8 / values.std(ddof=1)
    bars = null.prepare(result)
    for limit in (-1.0, 0.0, 0.5, 1.0):
        upper = bars[(bars["low"] + bars["high"]) / 2 >= limit]["share"].sum()
        near = bars["high"].iloc[0] - bars["low"].iloc[0]
        least, most = np.mean(every >= limit + near), np.mean(every >= limit - near)
        assert least - 0.02 <= upper <= most + 0.02
    assert bars["d"].iloc[0] == result.d
    assert bars["count"].sum() == 20_000


def test_what_is_as_far_from_zero_is_dark(results):
    bars = null.prepare(results["weat-7"])
    dark = bars[bars["beyond"]]
    assert (dark[["low", "high"]].mean(axis=1).abs() >= results["weat-7"].d - 1e-9).all()
    assert dark["share"].sum() == pytest.approx(
        results["weat-7"].effects()[0].p_of("two_sided")[0], abs=0.01
    )
    assert "d = 1.28, two-sided p = .0045" in results.plot("null").description


def test_a_result_without_scores_has_no_distribution(results):
    bare = results[0].model_copy(
        update={"scores": results[0].scores.model_copy(update={"X": (), "Y": ()})}
    )
    with pytest.raises(ResultsError, match="has no distribution of its level 1\n  got: no scores"):
        bare.plot("null")


def test_the_block_in_the_order_of_associations(results):
    pairs = cosines.prepare(results["weat-6"])
    block = np.array(results["weat-6"].similarities)
    assert pairs["value"].tolist() == pytest.approx(block.ravel().tolist())
    scores = dict(zip(results["weat-6"].coverage.X.used, results["weat-6"].scores.X, strict=True))
    first = pairs[pairs["target_role"] == "X"].drop_duplicates("target_term").sort_values("row")
    assert first["target_term"].tolist() == sorted(scores, key=lambda term: -scores[term])
    assert set(pairs["row"]) == set(pairs["column"]) == set(range(16))


def test_the_charts_say_what_they_show(results):
    assert "weat-6: from Joan with salary" in results.plot("cosines").description
    written = results["weat-6"].plot("cosines", width="double").to_dict()
    assert written["facet"]
    bare = results[0].model_copy(update={"similarities": None})
    with pytest.raises(ResultsError, match="has not kept the cosines of single words"):
        bare.plot("cosines")
