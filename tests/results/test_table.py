"""One frame of the numbers of results, and the same numbers side by side and drawn."""

import re

import numpy as np
import pytest
from tests.present.reading import texts

import eatlas
from eatlas.errors import ResultsError

SOURCES = {"plain": "glove-sample", "centred": "glove-sample?transform=center"}
MEASURES = ["weat", "rnd", "mac", "sc-eat", "divdist"]


@pytest.fixture(scope="module")
def results():
    return eatlas.run(["weat-6", "weat-7"], SOURCES, MEASURES, frequency="off")


@pytest.fixture(scope="module")
def of_one_test(results):
    return eatlas.Results(result for result in results if result.test.startswith("weat-7"))


def test_sources_are_rows_and_measures_columns(of_one_test):
    frame = of_one_test.table()
    assert frame["source"].tolist() == ["plain", "centred"]
    assert frame.columns[1:].tolist() == ["WEAT", "RND", "MAC", "SC-EAT", "DIVDIST"]
    for result in of_one_test:
        assert frame.loc[frame["source"] == result.source, result.measure.upper()].item() == (
            result.value
        )


def test_the_value_of_a_result_is_the_number_of_its_measure(of_one_test):
    weat, rnd, mac, sc_eat, divdist = of_one_test[:5]
    assert weat.value == weat.level1.effect_size == weat.metrics()["d"]
    assert (rnd.value, mac.value) == (rnd.effects()[0].d, mac.to_dict()["value"])
    assert sc_eat.value == pytest.approx(np.mean([effect.d for effect in sc_eat.effects()]))
    assert divdist.value == divdist.mean_bias


def test_rows_may_differ_in_two_respects(results):
    frame = results.table(rows=["test", "source"])
    assert frame[["test", "source"]].to_numpy().tolist() == [
        [test, source] for test in ("weat-6", "weat-7") for source in SOURCES
    ]
    turned = results.table("measure", ["test", "source"]).set_index("measure")
    assert turned.columns[1] == "weat-6, centred"
    assert turned.loc["MAC", "weat-7, plain"] == frame["MAC"][2]


def test_what_is_not_there_is_missing(results):
    kept = [r for r in results if (r.source, r.measure) != ("centred", "mac")]
    frame = eatlas.Results(kept).table(["test", "source"])
    assert frame["MAC"].isna().tolist() == [False, True, False, True]
    assert not frame["RND"].isna().any()
    undefined = results[0].model_copy(
        update={"level1": results[0].level1.model_copy(update={"effect_size": None})}
    )
    assert eatlas.Results([undefined]).table()["WEAT"].isna().tolist() == [True]


def test_two_results_in_one_cell_are_refused(results):
    with pytest.raises(ResultsError, match="the cell plain, WEAT has two results") as caught:
        results.table()
    assert caught.value.got == "they differ in their test: weat-6, weat-7"
    assert 'rows=["test", "source"]' in caught.value.remedy
    with pytest.raises(ResultsError, match="has the same result twice"):
        eatlas.Results([results[0], results[0].model_copy()]).table()
    with pytest.raises(ResultsError, match="by 'sorce'; did you mean source"):
        results.table("sorce")
    with pytest.raises(ResultsError, match="different things in its rows and in its columns"):
        results.table(["test", "measure"])


def test_measures_are_compared_on_the_same_test(of_one_test):
    found = of_one_test.compare("measure")
    assert [row.name for row in found] == ["weat-7 (plain)", "weat-7 (centred)"]
    assert [member.value for member in found[0].members] == [r.value for r in of_one_test[:5]]
    assert found.spreads == {}  # numbers of different measures have no difference
    assert found.to_frame()["difference"].isna().all()
    assert not found.to_frame()["sign_flips"].any()
    mac = eatlas.Results(r for r in of_one_test if r.measure in {"rnd", "mac"}).compare("source")
    assert "differs by" not in str(mac)


def test_the_matrix_prints_numbers_that_are_no_effect_sizes(of_one_test):
    written = texts(of_one_test.compare("source").plot())
    for result in of_one_test:
        number = f"{result.value:.2f}" if result.measure == "sc-eat" else f"{result.value:.3f}"
        if result.measure != "weat":
            assert number.replace("-", "−") in written
    assert {"RND", "MAC", "SC-EAT"} <= set(written)


def test_a_forest_has_an_axis_for_each_scale(of_one_test):
    two = eatlas.run("weat-7", measures=["rnd(distance=cosine)", "rnd"], frequency="off")
    written = texts(eatlas.plot([*of_one_test, *two], "forest"))
    assert {"Effect size d", "RND (distance)", "RND (cosine)", "MAC (cosine distance)"} <= {
        *written
    }


def test_a_table_is_drawn_with_an_axis_for_each_measure(results):
    plot = eatlas.plot(results, "table")
    assert plot.title.startswith("2 sources: WEAT: two of four supported and one of four in these ")
    assert plot.title.endswith("; MAC has no test")
    written = texts(plot)
    assert "2 tests, 2 sources, 5 measures" in written
    assert {"weat-6, plain", "WEAT", "DIVDIST", "cosine distance", "effect size d"} <= {*written}
    for result in results:
        number = f"{result.value:.{2 if result.measure in {'weat', 'sc-eat'} else 3}f}"
        assert number.replace("-", "−") in written
        assert number.replace("-", "−") in plot.alt
    assert len(re.findall('class="b"', plot.svg)) == 12, "MAC, SC-EAT and DivDist have no test"
    narrow = eatlas.plot(results, "table", width="single")
    assert {"WEAT", "RND", "MAC", "SC-EAT", "DIVDIST"} <= set(texts(narrow))
    (row, *_), gap = results.table(["test", "source"]).to_dict("records"), results[1:]
    assert row["test"] == "weat-6"
    assert "no result" in texts(eatlas.plot(gap, "table"))
