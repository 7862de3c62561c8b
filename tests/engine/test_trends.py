"""Series: a result for each period, and a trend over them."""

import json
import warnings
from types import SimpleNamespace

import jsonschema
import numpy as np
import pytest
from scipy import stats
from tests.inputs import make_sentences, make_test, make_vectors
from tests.sources.series_files import write_histwords

import eatlas
from eatlas.engine.trends import trends
from eatlas.executors import Processes
from eatlas.results import TrendResult, to_json_line
from eatlas.results.json_lines import json_schema
from eatlas.results.trend import Timeline, Years
from eatlas.stimuli import ContextsOrigin

YEARS = range(1810, 2000, 10)
MEASURE = "ml-eat(resamples=0)"


@pytest.fixture(scope="module")
def drift():
    names = {role: tuple(f"{role}{i}" for i in range(8)) for role in "XYAB"}
    return make_test("drift", **names)


@pytest.fixture(scope="module")
def folder(tmp_path_factory, drift):
    """X turns from B to A over the years; of 1850 almost everything is missing."""
    base = make_vectors(drift, seed=4)
    decades = {}
    for i, year in enumerate(YEARS):
        lean = (i - len(YEARS) / 2) / len(YEARS)
        side = sum(base[f"A{k}"] - base[f"B{k}"] for k in range(8))
        moved = {t: v + lean * side if t.startswith("X") else v for t, v in base.items()}
        decades[year] = moved
    decades[1850] = {t: v if t == "X0" else np.zeros_like(v) for t, v in base.items()}
    return write_histwords(tmp_path_factory.mktemp("series") / "hist", decades)


@pytest.fixture(scope="module")
def results(folder, drift):
    with pytest.warns(eatlas.EatlasWarning, match="1 of 19 jobs failed"):
        return eatlas.run(tests=drift, vectors=str(folder), measures=MEASURE)


def test_a_period_with_too_few_words_is_reported(results, folder):
    (failure,) = results.failures
    assert failure.period == 1850
    assert f"only 1 term has a usable vector in {folder}, 1850" in failure.error.what
    assert "is zero (norm 0)" in str(failure.error)
    (missing,) = results.trends[0].missing
    assert (missing.period, missing.reason) == (1850, failure.error.what)


def test_the_trend_is_spearman_with_the_year(results):
    (trend,) = results.trends
    years = [result.period for result in results]
    for found, of in (
        (trend.level1, lambda r: r.level1),
        (trend.level2.X, lambda r: r.level2.X),
        (trend.level2.Y, lambda r: r.level2.Y),
    ):
        effects = [of(result).effect_size for result in results]
        if found is None:
            assert len(set(effects)) == 1
            continue
        assert found.rho == pytest.approx(stats.spearmanr(years, effects).statistic)
        assert (found.n, found.block_length, found.p.total) == (18, 3, 720)
        assert found.shifts.min_p == pytest.approx(1 / 18)
    assert trend.level1.rho > 0.9
    assert trend.level1.p.p == trend.level1.p.count / 720 <= 0.05
    assert trend.periods == tuple(years)


def test_the_slope_is_that_of_scipy_per_decade_over_words(results):
    (trend,) = results.trends
    times = [result.period for result in results]
    sizes = [result.level1.effect_size for result in results]
    slope = trend.level1.slope
    assert slope.value == pytest.approx(10 * stats.theilslopes(sizes, times).slope, abs=1e-6)
    assert (slope.per, slope.over) == ("decade", ("words",))
    assert 0 < slope.interval[0] < slope.value < slope.interval[1]


def test_without_associations_of_words_there_is_no_interval(results):
    bare = [result.model_copy(update={"similarities": None, "scores": None}) for result in results]
    slope = trends(bare, (), 0)[0].level1.slope
    assert slope.value == results.trends[0].level1.slope.value
    assert (slope.interval, slope.over) == (None, ())


@pytest.mark.parametrize(
    ("periods", "source", "per"),
    [
        (range(1, 19), "book", "step"),
        (range(1990, 2008), "news", "year"),
        (range(1800, 1980, 10), "books", "decade"),
    ],
)
def test_a_slope_is_of_decades_if_there_are_some(results, periods, source, per):
    given = [
        result.model_copy(update={"period": period, "source": source})
        for result, period in zip(results, periods, strict=True)
    ]
    slope = trends(given, (), 0)[0].level1.slope
    assert slope.per == per
    sizes = [result.level1.effect_size for result in results]
    times = 0.1 * np.array(periods) if per == "decade" else periods
    assert slope.value == pytest.approx(stats.theilslopes(sizes, times).slope, abs=1e-6)


def test_years_of_a_part_of_a_corpus():
    def record(source, period):
        return SimpleNamespace(source=source, period=period)

    spans = {
        "a.npz#1790-1860": (1790, 1860), "a.npz#1790": (1790, 1790), "1790-1860": (1790, 1790),
        "a.npz#1790-07-14": (1790, 1790), "a.npz#x": (1790, 1790),
    }  # fmt: skip
    for source, span in spans.items():
        assert Years.of(record(source, 1790)) == span
    first, second = Years.of(record("a#-10--1", -10)), Years.of(record("a#0-9", 0))
    assert (first.middle, second.middle, str(first)) == (-5.5, 4.5, "-10--1")
    decades = Timeline([record("a#1790-1799", 1790), record("a#1810-1819", 1810)])
    assert decades[1800] == (1800, 1809)


def test_a_significant_trend_says_what_its_p_supposes(results):
    (trend,) = results.trends
    (said,) = [str(note) for note in trend.warnings if note.code == "trend.correlated"]
    assert said == (
        "The p-value of a trend assumes that neighbouring periods correlate little beyond the trend. "
        "If they correlate by .6, one in nine series without a trend has p < .05; if by .9, one in "
        "four (benchmarks/trend_null.py). 18 periods are too few to show how much they correlate."
    )


def test_few_periods_are_said_to_be_few(folder, drift):
    few = eatlas.run(tests=drift, vectors=f"{folder}?from=1950", measures="weat").trends[0]
    assert few.level2 is None
    assert any("are too few for a significant trend" in note for note in map(str, few.warnings))
    two = eatlas.run(tests=drift, vectors=f"{folder}?from=1980", measures=MEASURE).trends[0]
    assert two.level1 is None
    assert "2 periods have an effect size; a trend needs at least" in str(two.warnings[0])


def test_one_period_has_no_trend(folder, drift):
    assert eatlas.run(tests=drift, vectors=f"{folder}?period=1990", measures=MEASURE).trends == ()


def test_trends_are_written_and_read_back(results, tmp_path):
    path = tmp_path / "results.jsonl"
    results.write(path)
    again = eatlas.read_results(path)
    assert again == results
    assert isinstance(again.trends[0], TrendResult)
    lines = path.read_text().splitlines()
    last = json.loads(lines[-1])
    assert last["schema"] == "eatlas/trend/1"
    jsonschema.Draft202012Validator(json_schema()).validate(last)
    assert lines[-1] == to_json_line(results.trends[0])
    assert "per decade" in str(again)


@pytest.mark.slow
def test_the_same_command_gives_the_same_numbers(folder, drift, results):
    with pytest.warns(eatlas.EatlasWarning):
        assert eatlas.run(drift, str(folder), MEASURE, executor=Processes(1)) == results


def test_each_window_of_contexts_has_its_own_trend(results):
    def cut(window):
        origin = ContextsOrigin(name="c.csv", sha256="0" * 64, window=window)
        for one in results:
            given = one.provenance.model_copy(
                update={"contexts": origin, "stimuli_sha256": str(window) * 64}
            )
            yield one.model_copy(update={"provenance": given})

    (failure,) = results.failures
    found = trends([*cut(1), *cut(9)], [failure], 0)
    assert [trend.periods for trend in found] == [results.trends[0].periods] * 2
    assert [trend.missing for trend in found] == [(), ()], "the failure is of words alone"
    assert len({trend.provenance.stimuli_sha256 for trend in found}) == 2


def test_the_trend_of_a_test_of_sentences_is_that_of_the_effect_sizes_over_stimuli():
    test = make_sentences(dict.fromkeys("XYAB", (1, 2, 5, 2)))
    series = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", eatlas.EatlasWarning)
        for year in range(1900, 1980, 10):
            result = eatlas.MLEAT(resamples=0)(test, make_vectors(test, seed=year))
            series.append(result.model_copy(update={"period": year}))
    (trend,) = trends(series, (), 0)
    years = [result.period for result in series]
    read, sentences = (
        stats.spearmanr(years, [of(result).effect_size for result in series]).statistic
        for of in (lambda r: r.primary.level1, lambda r: r.level1)
    )
    assert trend.level1.rho == pytest.approx(read)
    assert trend.level1.rho != pytest.approx(sentences)
