"""Statistic, p-value and interval of a result under the names of scipy."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import scipy.stats
from tests.inputs import make_test, make_vectors

import eatlas
from eatlas.errors import EatlasError, NoTestError


@pytest.fixture(scope="module")
def weat() -> eatlas.results.AssociationResult:
    return eatlas.run("weat-6")[0]


def test_they_are_those_of_the_first_question(weat: eatlas.results.AssociationResult) -> None:
    question = weat.finding.questions["level1"]
    assert (weat.statistic, weat.pvalue) == (weat.value, question.p.claim)
    assert weat.confidence_interval() == question.interval
    low, high = interval = weat.confidence_interval(confidence_level=0.95)
    assert (low, high) == (interval.low, interval.high)


def test_supported_if_and_only_if_p_is_at_most_alpha() -> None:
    for result in eatlas.run("caliskan"):
        supported = result.finding.verdict == "supported"
        assert supported is (result.pvalue <= result.rule.alpha)


@pytest.mark.parametrize("options", [{}, {"adjust": "none"}])
def test_an_interval_can_have_any_level(options: dict[str, str]) -> None:
    known, other = (
        eatlas.run("weat-6", measures=eatlas.MLEAT(resamples=0, confidence=level, **options))[0]
        for level in (0.95, 0.8)
    )
    assert known.confidence_interval(0.8) == pytest.approx(other.confidence_interval(0.8), abs=2e-6)
    assert other.confidence_interval() == pytest.approx(known.confidence_interval(), abs=2e-6)


def test_without_adjustment_they_are_those_of_scipy() -> None:
    (result,) = eatlas.run("weat-6", measures=eatlas.WEAT(adjust="none"))

    def difference(x: np.ndarray, y: np.ndarray, axis: int) -> np.ndarray:
        return x.mean(axis=axis) - y.mean(axis=axis)

    groups = tuple(map(np.array, (result.scores.X, result.scores.Y)))
    found = scipy.stats.permutation_test(groups, difference, vectorized=True, n_resamples=np.inf)
    assert result.pvalue == pytest.approx(found.pvalue)
    crossed = result.generalisation.level1
    low, high = scipy.stats.t(crossed.df, crossed.difference, crossed.se).interval(0.99)
    sd = np.concatenate(groups).std(ddof=1)
    assert result.confidence_interval(0.99) == pytest.approx((low / sd, high / sd))


def test_a_bootstrap_interval_has_one_level() -> None:
    (result,) = eatlas.run("weat-6", measures=eatlas.MLEAT(confidence=0.9, resamples=100))
    effect = replace(result.effects()[0], crossed=None, adjusted=None)
    assert effect.confidence_interval(0.9) == effect.resampled.interval
    with pytest.raises(EatlasError, match="computed at this confidence level") as caught:
        effect.confidence_interval()
    assert caught.value.allowed == "0.9, the level of the result"


def test_a_size_has_the_p_value_of_one_side() -> None:
    (result,) = eatlas.run("weat-6", measures="same")
    assert (result.statistic, result.pvalue) == (result.value, result.p_values.greater)
    assert all(map(math.isnan, result.confidence_interval()))


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("mac", "MAC has no significance test"),
        ("sc-eat", "SC-EAT has a significance test of each of its terms"),
        ("divdist", "DivDist has a significance test of each of its targets"),
    ],
)
def test_without_a_single_test_there_are_none(measure: str, message: str) -> None:
    (result,) = eatlas.run("weat-6", measures=measure)
    assert not any(hasattr(result, name) for name in ("statistic", "pvalue"))
    with pytest.raises(AttributeError, match=message):
        result.confidence_interval()
    with pytest.raises(NoTestError, match=message) as caught:
        _ = result.pvalue
    assert caught.value.remedy


def test_too_few_words_have_no_interval() -> None:
    test = make_test(X=("aster", "clover", "iris"))
    (result,) = eatlas.run(test, make_vectors(test))
    assert result.pvalue == result.finding.questions["level1"].p.these
    assert all(map(math.isnan, result.confidence_interval()))


@pytest.mark.parametrize("level", [0, 1, 95])
def test_levels_are_between_0_and_1(weat: eatlas.results.AssociationResult, level: float) -> None:
    with pytest.raises(EatlasError, match="confidence_level is not usable"):
        weat.confidence_interval(level)
