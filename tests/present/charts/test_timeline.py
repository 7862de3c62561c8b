"""The frame of a timeline: periods, gaps, panels."""

import pytest
from tests.present.charts.records import full
from tests.present.records import ml_eat, sc_eat, weat

from eatlas.errors import ResultsError
from eatlas.present.charts import timeline


def states(frame, role="XY"):
    own = frame[frame["role"] == role]
    return dict(zip(own["period"].tolist(), own["state"].tolist(), strict=True))


def series(*years, **changes):
    return [ml_eat(period=year, **changes) for year in years]


def test_three_lines_in_the_order_of_time():
    found = timeline.prepare(series(1820, 1810, d_X=0.9))
    assert tuple(found.columns) == timeline.COLUMNS
    assert found["period"].tolist() == [1810] * 3 + [1820] * 3
    assert found["role"].tolist() == ["XY", "X", "Y"] * 2
    assert found.loc[found["role"] == "X", "effect_size"].tolist() == [0.9, 0.9]


def test_a_missing_period_has_a_row_without_an_effect_size():
    found = timeline.prepare(series(1810, 1820, 1840))
    wanted = {1810: "found", 1820: "found", 1830: "missing", 1840: "found"}
    assert states(found) == states(found, "Y") == wanted
    gap = found[found["period"] == 1830]
    assert gap[["effect_size", "p", "low"]].isna().all(axis=None)
    assert gap["name"].tolist() == ["Flowers and Insects", "Flowers", "Insects"]


def test_a_gap_in_one_source_is_seen_from_the_other():
    found = timeline.prepare([*series(1990, 2010), *series(1990, 2000, 2010, source="other")])
    assert states(found[found["series"] == "some-vectors"])[2000] == "missing"
    assert "missing" not in states(found[found["series"] == "other"]).values()


def test_periods_may_be_given():
    found = timeline.prepare(series(1990, 2000, 2001), periods=range(1980, 2010, 10))
    assert states(found) == {1980: "missing", 1990: "found", 2000: "found", 2001: "found"}


def test_undefined_is_not_missing():
    found = timeline.prepare([ml_eat(period=1810, undefined="Y"), *series(1820)])
    assert states(found, "Y") == {1810: "undefined", 1820: "found"}
    assert states(found, "X") == {1810: "found", 1820: "found"}


def test_one_file_a_period_makes_one_series():
    found = timeline.prepare([ml_eat(period=y, source=f"vectors-{y}.txt") for y in (1990, 2000)])
    assert found["series"].unique().tolist() == ["2 sources"]
    assert found["source"].unique().tolist() == ["vectors-1990.txt", "vectors-2000.txt"]


def test_two_sources_of_one_period_are_two_panels():
    found = timeline.prepare([ml_eat(period=1990), ml_eat(period=1990, source="other")])
    assert found["series"].unique().tolist() == ["some-vectors", "other"]


def test_a_weat_has_one_line():
    found = timeline.prepare([weat(period=1990), full(period=1990)])
    assert found.groupby("signature")["role"].apply(list).tolist() == [["XY", "X", "Y"], ["XY"]]


def test_results_without_a_period_are_refused():
    with pytest.raises(ResultsError) as caught:
        timeline.prepare([ml_eat(), ml_eat(period=1990), ml_eat(test="second")])
    assert str(caught.value) == (
        "a timeline needs the period of every result\n"
        "  got: 2 of 3 results without one, the first of them of test-1 on some-vectors\n"
        "  allowed: results of vectors of a year or decade\n"
        "  remedy: leave the others out: [r for r in results if r.period is not None]"
    )


def test_two_results_of_one_period_are_refused():
    with pytest.raises(ResultsError) as caught:
        timeline.prepare(series(1990, 1990))
    assert "two results of test-1 for the period 1990" in str(caught.value)
    assert "leave one of them out" in str(caught.value)


def test_sc_eat_is_refused():
    with pytest.raises(ResultsError, match="a timeline shows effect sizes of levels 1 and 2"):
        timeline.prepare(sc_eat({"rose": 0.5}, period=1990))
