"""The cloud of draws: what the frame holds, and what is written in the drawing."""

import re
from html import unescape

import numpy as np
import pytest
from tests.inputs import make_sentences
from tests.present.charts.records import HOSTILE
from tests.present.records import ml_eat

import eatlas
from eatlas.errors import ResultsError
from eatlas.present.charts import draws
from eatlas.present.charts.backend import svg_of
from eatlas.present.numbers import percent
from eatlas.results.parts import Concepts


@pytest.fixture(scope="module")
def result():
    test = make_sentences(dict.fromkeys("XYAB", (4, 3, 5, 2)))
    rng = np.random.default_rng(5)
    vectors = {text: rng.normal(size=40) for text in test.terms}
    return eatlas.CEAT(n=2100)(test, vectors)


def test_a_row_for_each_kept_draw_the_mean_and_each_pattern(result):
    frame = draws.prepare(result)
    assert frame["what"].value_counts().to_dict() == {"draw": 2000, "pattern": 9, "mean": 1}
    first = frame[frame["what"] == "draw"].iloc[0]
    assert [first["d_X"], first["d_Y"]] == list(result.draws.kept[0][1:])
    mean = frame[frame["what"] == "mean"].iloc[0]
    assert first["pattern"] == result.draws.labels_of_kept[0]
    assert mean["d_X"] == result.level2.X.effect_size
    assert mean["pattern"] == result.pattern.label
    shares = frame[frame["what"] == "pattern"].set_index("pattern")["share"]
    assert shares.to_dict() == result.draws.patterns
    assert set(frame["rule"]) == {"|d| > 0.2 and p < 0.05 in the direction of d"}


def test_the_drawing_names_all_patterns_and_says_what_dots_are(result):
    chart = eatlas.plot(result, kind="draws")
    written = unescape(re.sub(r"<[^>]+>", " ", svg_of(chart)))
    for label, share in result.draws.patterns.items():
        assert (f"{label} {percent(share)}" in written) == (share > 0)
    assert "Dots: 2,000 of 2,100 draws. Cross: the mean over all draws." in written
    assert "d of Flowers" in written
    assert chart.description.startswith("Draws of contexts. ")
    assert f"pattern of the means {result.pattern.label}" in chart.description


def test_broken_lines_are_at_the_threshold(result):
    chart = eatlas.plot(result, kind="draws")
    written = chart.to_dict()["layer"]
    edges = [x["datum"] for x in (one["encoding"].get("x", {}) for one in written) if "datum" in x]
    assert sorted(edges) == [-0.2, 0.2]
    assert len(re.findall(r'<line [^>]*stroke-dasharray="3,3"', svg_of(chart))) == 4


def test_several_results_stand_below_each_other_whatever_their_names(result):
    other = result.model_copy(update={"test": "other", "concepts": Concepts(**HOSTILE)})
    chart = eatlas.plot([result, other], kind="draws")
    assert len(chart.vconcat) == 2
    svg = svg_of(chart)
    assert "<script>" not in svg
    assert svg.count("Level 2 effect sizes of draws of contexts") >= 2


def test_draws_that_are_undefined_are_left_out(result):
    kept = ((None, None, 0.5), *result.draws.kept[:9])
    lost = result.model_copy(
        update={
            "draws": result.draws.model_copy(
                update={
                    "kept": kept,
                    "count": 10,
                    "kept_patterns": result.draws.kept_patterns[:10],
                }
            )
        }
    )
    assert "Dots: 9 of 10 draws" in re.sub(r"<[^>]+>", " ", svg_of(eatlas.plot(lost, "draws")))


def test_other_measures_are_refused():
    with pytest.raises(ResultsError) as error:
        eatlas.plot(ml_eat(), kind="draws")
    assert str(error.value).startswith(
        "draws are made by CEAT and LPBS-CEAT\n  got: the result of ML-EAT("
    )
    assert "allowed: results of the measure ceat" in str(error.value)
