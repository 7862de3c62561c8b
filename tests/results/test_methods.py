"""Two methods over the same tests: points by hand, correlations against scipy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import pearsonr, spearmanr
from tests.present.records import full, ml_eat, sc_eat, weat

from eatlas.results import Results
from eatlas.results.methods import MethodPair, MethodPoint

SIZES = {"t-1": (1.2, 0.9), "t-2": (0.3, 0.5), "t-3": (-0.4, -0.1), "t-4": (0.7, -0.2)}


def both(sizes=SIZES, sources=("a",)):
    """A WEAT and an ML-EAT of each test on each source; on a later source d is smaller."""
    results = []
    for n, source in enumerate(sources):
        for test, (x, y) in sizes.items():
            results += [
                weat(x - n / 10, test=test, source=source),
                ml_eat(d=y, test=test, source=source),
            ]
    return Results(results)


def test_correlations_are_those_of_scipy():
    (pair,) = both().compare("measure").pairs()
    assert (pair.first, pair.second, pair.by) == ("WEAT", "ML-EAT", "measure")
    x, y = np.array([*SIZES.values()]).T
    assert pair.correlation.n == 4
    assert pair.correlation.pearson == pytest.approx(pearsonr(x, y).statistic)
    assert pair.correlation.spearman == pytest.approx(spearmanr(x, y).statistic)
    ends = pearsonr(x, y).confidence_interval(0.95)
    assert (pair.correlation.pearson_low, pair.correlation.pearson_high) == pytest.approx(
        tuple(ends)
    )


def test_a_point_says_its_test_and_what_else_it_was_measured_on():
    (alone,) = both().compare("measure").pairs()
    assert [point.name for point in alone.points] == list(SIZES)
    (pair,) = both(sources=("a", "b")).compare("measure").pairs()
    assert pair.points[0] == MethodPoint("t-1", "a", 1.2, 0.9, True)
    assert pair.points[4] == MethodPoint("t-1", "b", pytest.approx(1.1), 0.9, True)
    assert pair.points[4].name == "t-1 (b)"
    of_sources = both(sources=("a", "b")).compare("source").pairs()
    assert {point.group for point in of_sources[0].points} == {"WEAT", "ML-EAT"}


def test_only_tests_that_both_methods_measured_are_points():
    results = both()
    some = Results([r for r in results if (r.test, r.measure) != ("t-1", "weat")])
    undefined = [weat(None, test="t-1"), ml_eat(test="t-1"), weat(test="t-2"), ml_eat(test="t-2")]
    assert [p.test for p in some.compare("measure").pairs()[0].points] == ["t-2", "t-3", "t-4"]
    (pair,) = Results(undefined).compare("measure").pairs()
    assert [point.test for point in pair.points] == ["t-2"]
    assert np.isnan(pair.correlation.pearson)
    terms = [sc_eat({"one": 1.0}), sc_eat({"one": 1.0}, source="b")]
    assert Results(terms).compare("source").pairs()[0].points == ()


def test_significance_is_by_both():
    results = [weat(0.9, test="t-1"), ml_eat(d=0.4, greater=6000, test="t-1"),
               weat(0.9, test="t-2"), ml_eat(d=0.9, test="t-2")]  # fmt: skip
    (pair,) = Results(results).compare("measure").pairs()
    assert [point.significant for point in pair.points] == [False, True]
    assert [point.test for point in pair.significant.points] == ["t-2"]


def test_every_two_of_several_methods_are_a_pair():
    sources = [full(source=name, test=test) for name in "abc" for test in ("t-1", "t-2")]
    pairs = Results(sources).compare("source").pairs()
    assert [(pair.first, pair.second) for pair in pairs] == [("a", "b"), ("a", "c"), ("b", "c")]


NUMBERS = st.floats(-3, 3).map(lambda value: round(value, 3))


@given(st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=20))
def test_a_turned_pair_has_the_same_correlation(points):
    made = tuple(MethodPoint(f"t-{n}", "", x, y, True) for n, (x, y) in enumerate(points))
    pair = MethodPair("first", "second", made, ("d", "PMI"), "measure")
    turned = pair.turned
    assert turned.turned == pair
    assert (turned.first, turned.symbols) == ("second", ("PMI", "d"))
    numbers = [(p.correlation.pearson, p.correlation.spearman) for p in (pair, turned)]
    assert numbers[0] == pytest.approx(numbers[1], nan_ok=True)
