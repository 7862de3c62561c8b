"""Series and their trends, computed again."""

import numpy as np
import pytest
from tests.inputs import make_test, make_vectors
from tests.sources.series_files import write_histwords

import eatlas
from eatlas.engine.verify import verify
from eatlas.results import Results
from eatlas.results.trend import MissingPeriod

YEARS = range(1900, 2000, 10)


@pytest.fixture
def decades():
    test = make_test("drift", **{role: tuple(f"{role}{i}" for i in range(8)) for role in "XYAB"})
    vectors = {year: make_vectors(test, seed=year) for year in YEARS}
    vectors[1950] = {term: np.zeros(5) for term in vectors[1950]}
    return test, vectors


@pytest.fixture
def folder(tmp_path, decades):
    return write_histwords(tmp_path / "hist", decades[1])


@pytest.fixture
def results(folder, decades):
    with pytest.warns(eatlas.EatlasWarning, match="1 of 10 jobs failed"):
        return eatlas.run(
            tests=decades[0], vectors=str(folder), measures="weat(resamples=0)", seed=3
        )


def with_trend(results, **changes):
    (trend,) = results.trends
    return Results(results, trends=[trend.model_copy(update=changes)])


def of_the_trend(given):
    verdict = verify(given)[-1]
    assert verdict.result is given.trends[0]
    return verdict.status, verdict.details


def test_each_period_and_the_trend_are_found_again(results):
    assert [verdict.status for verdict in verify(results)] == ["same"] * 10
    assert verify(results)[-1].result == results.trends[0]


def test_a_period_that_is_not_there(results):
    other = results[0].model_copy(update={"period": 1811})
    (verdict,) = verify([other])
    assert verdict.status == "not repeated"
    assert verdict.details == ("the series has no period 1811",)


def test_a_changed_number_is_named(results):
    level = results.trends[0].level1
    changed = level.model_copy(update={"rho": 0.99, "p": level.p.model_copy(update={"count": 5})})
    status, details = of_the_trend(with_trend(results, level1=changed))
    assert status == "differs"
    assert details == (
        f"level1.rho: 0.99 in the file, {level.rho!r} now",
        f"level1.p.count: 5 in the file, {level.p.count} now",
    )


def test_a_period_that_was_hidden_is_named(results):
    given = with_trend(results, missing=(), periods=results.trends[0].periods[:-1])
    status, details = of_the_trend(given)
    assert status == "differs"
    assert details[0].startswith("periods: [1900, ")
    assert details[0].endswith("1980, 1990] now")
    assert details[1].startswith("missing: [] in the file, [{'period': 1950, ")
    assert len(details) == 2


def test_another_reason_is_named(results):
    given = with_trend(results, missing=(MissingPeriod(period=1950, reason="lost"),))
    status, details = of_the_trend(given)
    assert status == "differs"
    assert details[0].startswith("missing[0].reason: 'lost' in the file, 'test drift")


def test_periods_that_came_and_went_are_named(results, folder, decades):
    _, vectors = decades
    write_histwords(folder, {1950: vectors[1940], 2000: vectors[1900]})
    for name in ("1900-w.npy", "1900-vocab.pkl"):
        (folder / name).unlink()
    status, details = of_the_trend(results)
    assert status == "differs"
    for start in ("periods: [1900", "missing: [", "provenance.series_fing", "level1.rho: "):
        assert any(line.startswith(start) for line in details), (start, details)


def test_results_that_were_left_out_are_measured_again(results):
    some = Results(results[4:6], trends=results.trends)
    assert [verdict.status for verdict in verify(some)] == ["same"] * 3


def test_without_any_result_there_is_no_test_to_measure(results):
    alone = Results([], trends=results.trends)
    assert of_the_trend(alone) == (
        "not repeated",
        ("no result of its periods and seed was given, so that its test cannot be rebuilt",),
    )


def test_a_series_that_is_gone(results, folder):
    folder.rename(folder.with_name("elsewhere"))
    status, (why, remedy) = of_the_trend(results)
    assert status == "not repeated"
    assert str(folder) in why
    assert remedy.endswith(f"if the vectors are somewhere else: --vectors {folder}=PATH")


def test_a_series_of_which_one_period_is_left(results, folder):
    for path in folder.iterdir():
        if not path.name.startswith("1990"):
            path.unlink()
    assert of_the_trend(results) == (
        "not repeated",
        ("too few periods of the series give a result now",),
    )
