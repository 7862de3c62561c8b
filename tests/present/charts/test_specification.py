"""The specification curve: sorted effect sizes, and the choices of each."""

import pytest

import eatlas
from eatlas.errors import ResultsError
from eatlas.present.charts import specification

PLAN = {
    "tests": {"career": {"names": "c6-name", "terms": "c6-term"}},
    "choices": {"transform": ["none", "center"], "ddof": [1, 0]},
}


def test_each_specification_has_a_mark_for_each_of_its_choices():
    study = eatlas.multiverse(PLAN)
    frame = specification.prepare(study)
    assert len(frame) == 8 * 3
    curve = frame.drop_duplicates("rank").sort_values("rank")
    assert curve["effect_size"].is_monotonic_increasing
    assert sorted(curve["effect_size"]) == sorted(one.d for one in study.record.measured)
    for one in study.record.specifications:
        marks = frame[frame["specification"] == one.number]
        assert dict(zip(marks["choice"], marks["label"], strict=True)) == {
            name: one.choices[name] for name in ("stimuli", "transform", "ddof")
        }


def test_the_chart_is_a_curve_above_a_row_for_each_alternative(tmp_path):
    chart = eatlas.plot(eatlas.multiverse(PLAN).record, "specification")
    made = chart.to_dict()
    curve, below = made["vconcat"]
    assert below["encoding"]["y"]["sort"] == [
        "stimuli: names", "stimuli: terms", "transform: none", "transform: center", "ddof: 1",
        "ddof: 0",
    ]  # fmt: skip
    assert len(curve["layer"]) == 3
    chart.save(tmp_path / "curve.svg")
    assert "Specification curve" in (tmp_path / "curve.svg").read_text(encoding="utf-8")


def test_what_is_no_study_is_refused():
    with pytest.raises(ResultsError, match="there is no specification curve of this"):
        eatlas.plot(eatlas.run("weat-6", measures="weat"), "specification")
