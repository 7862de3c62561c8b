"""Series and their trends, computed again."""

import numpy as np
import pytest
from tests.inputs import make_test, make_vectors
from tests.sources.series_files import write_histwords

import eatlas
from eatlas.engine.verify import verify
from eatlas.results import Results

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
    assert details[1].endswith("1980, 1990] in the series")


def test_a_period_that_came_is_named(results, folder, decades):
    write_histwords(folder, {2000: decades[1][1900]})
    status, details = of_the_trend(results)
    assert (status, len(details)) == ("differs", 1)
    assert details[0].endswith("1990, 2000] in the series")


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
