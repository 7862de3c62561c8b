"""The scatter matrix of methods: every two alternatives over the tests."""

import numpy as np
import pytest

import eatlas
from eatlas.errors import ResultsError
from eatlas.present.charts import scatter

PLAN = {
    "tests": ["weat-6", "weat-7", "weat-8", "weat-9"],
    "measures": ["weat"],
    "choices": {"transform": ["none", "center", "all-but-the-top:2"], "ddof": [1, 0]},
}


@pytest.fixture(scope="module")
def study():
    return eatlas.multiverse(PLAN)


def test_each_pair_of_alternatives_has_a_point_for_each_test_and_other_choice(study):
    frame = scatter.prepare(study)
    sizes = frame.groupby(["choice", "first", "second"], sort=False).size().to_dict()
    assert sizes == {
        ("transform", "none", "center"): 8,
        ("transform", "none", "all-but-the-top:2"): 8,
        ("transform", "center", "all-but-the-top:2"): 8,
        ("ddof", "1", "0"): 12,
    }
    d = {tuple(one.choices.values()): one.d for one in study.record.measured}
    pairs = {
        (d[key], d[tuple("0" if value == "1" else value for value in key)])
        for key in d
        if key[-1] == "1"
    }
    shown = frame[frame["choice"] == "ddof"]
    assert set(zip(shown["x"], shown["y"], strict=True)) == pairs
    for _, some in frame.groupby(["choice", "first", "second"]):
        r = np.corrcoef(some["x"], some["y"])[0, 1]
        assert some["pearson"].iloc[0] == pytest.approx(r, abs=1e-9)


def test_the_chart_is_a_matrix_for_each_choice(study, tmp_path):
    chart = eatlas.plot(study.analysis(), "scatter-matrix")
    made = chart.to_dict()
    panels = [
        [
            (one["layer"][1]["encoding"]["x"]["title"], one["layer"][1]["encoding"]["y"]["title"])
            for one in row["hconcat"]
        ]
        for matrix in made["vconcat"]
        for row in matrix["vconcat"]
    ]
    assert panels == [
        [("transform = none", "transform = center")],
        [(f"transform = {one}", "transform = all-but-the-top:2") for one in ("none", "center")],
        [("ddof = 1", "ddof = 0")],
    ]
    frame = scatter.prepare(study)
    for one in [one for m in made["vconcat"] for row in m["vconcat"] for one in row["hconcat"]]:
        encoding = one["layer"][1]["encoding"]
        drawn = made["datasets"][one["layer"][1]["data"]["name"]]
        pair = tuple(encoding[way]["title"].split(" = ")[1] for way in "xy")
        assert {(point["first"], point["second"]) for point in drawn} == {pair}
        some = frame[(frame["first"] == pair[0]) & (frame["second"] == pair[1])]
        assert f"r = {some['pearson'].iloc[0]:.2f}" in one["title"]["text"]
    assert chart.description.startswith("Scatter matrix of 4 pairs of alternatives, Pearson's r ")
    for name in ("matrix.svg", "matrix.png"):
        chart.save(tmp_path / name)
    assert "Scatter matrix of methods" in (tmp_path / "matrix.svg").read_text(encoding="utf-8")


def test_matrices_are_beside_each_other_in_two_columns_of_a_journal(study):
    wide = eatlas.plot(study, "scatter-matrix", width="double").to_dict()
    sides = [
        [(one["width"], one["height"]) for row in matrix["vconcat"] for one in row["hconcat"]]
        for matrix in wide["hconcat"]
    ]
    assert [len(matrix) for matrix in sides] == [3, 1]
    assert len({side for matrix in sides for panel in matrix for side in panel}) == 1


@pytest.mark.parametrize("given", [{"tests": ["weat-6"], "choices": {"ddof": [1, 0]}}])
def test_too_few_tests_are_refused(given):
    with pytest.raises(ResultsError, match="there is no scatter matrix of this"):
        eatlas.plot(eatlas.multiverse(given), "scatter-matrix")


def test_what_is_no_study_is_refused():
    with pytest.raises(ResultsError, match="there is no scatter matrix of this"):
        eatlas.plot(eatlas.run("weat-6", measures="weat"), "scatter-matrix")
