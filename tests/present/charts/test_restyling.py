"""Charts are altair's: a user restyles them with altair's own words."""

import json

import altair as alt
import pytest
from tests.present.charts.reading import layers, rows, texts
from tests.present.charts.records import full
from tests.present.records import ml_eat, weat
from tests.present.test_encodings import encoded, in_texts

import eatlas
from eatlas.present.charts import KINDS, forest
from eatlas.present.charts.backend import svg_of

ONE_PANEL = ("forest", "level3", "stability", "timeline")
PANELS = {"eat-map": [full()], "legend": None, "stability": [full(test="a"), full(test="b")]}


@pytest.mark.parametrize("kind", ONE_PANEL)
def test_a_chart_of_one_panel_is_a_layered_chart_of_one_frame(kind):
    chart = eatlas.plot(full(period=1990), kind)
    assert isinstance(chart, alt.LayerChart)
    assert len(rows(chart)) == len(chart.data)
    assert all("data" not in layer or layer["data"] == {"name": "empty"} for layer in layers(chart))


@pytest.mark.parametrize("kind", ONE_PANEL)
def test_its_width_follows_and_nothing_is_at_pixels_of_the_panel(kind):
    chart = eatlas.plot(full(period=1990), kind)
    narrow = chart.properties(width=140)
    assert narrow.to_dict()["width"] == 140
    assert texts(svg_of(narrow))
    x = [layer["encoding"].get("x", {}) for layer in layers(chart)]
    places = [place["value"] for place in x if "value" in place]
    assert all(place == "width" or place <= 20 for place in places), places


@pytest.mark.parametrize("kind", ONE_PANEL)
def test_a_column_may_colour_it(kind):
    chart = eatlas.plot(full(period=1990), kind)
    ours = chart.to_dict()["encoding"]["color"]
    coloured = chart.encode(color=alt.Color("test:N", scale=alt.Scale(range=["#123456"])))
    assert coloured.to_dict()["encoding"]["color"]["field"] == "test" != ours["field"]
    assert "#123456" in svg_of(coloured)
    assert type(coloured) is type(chart)


@pytest.mark.parametrize("kind", [*ONE_PANEL, "eat-map"])
def test_axes_are_configured_as_those_of_any_chart(kind):
    chart = eatlas.plot(full(period=1990), kind).configure_axis(labelFontSize=21, titleFontSize=22)
    assert 'font-size="21px"' in svg_of(chart)
    assert chart.to_dict()["config"]["axis"]["labelLimit"] == 0, "the rest of the theme stays"


def test_a_layer_of_the_users_lies_above():
    chart = eatlas.plot(full(), "forest")
    line = (
        alt.Chart(alt.InlineData(values=[{}])).mark_rule(color="#abcdef").encode(x=alt.datum(0.8))
    )
    both = chart + line
    assert type(both) is type(chart)
    assert len(layers(both)) == len(layers(chart)) + 1
    assert both.description == chart.description
    assert both.to_dict()["config"]["title"] == chart.to_dict()["config"]["title"]


def test_sources_may_stand_beside_each_other():
    given = [full(source="one"), full(source="two", d=-0.4)]
    chart = forest.draw(forest.prepare(given)).facet(column="series:N")
    assert isinstance(chart, alt.FacetChart)
    assert {"one", "two"} <= set(texts(svg_of(chart)))
    assert chart.description.startswith("Forest plot of 6 effect sizes.")
    assert chart.to_dict()["config"]["background"] == "#ffffff"


@pytest.mark.parametrize("kind", PANELS)
def test_small_multiples_take_sizes_and_encodings_of_a_panel(kind):
    chart = eatlas.plot(PANELS[kind], kind)
    assert isinstance(chart, alt.FacetChart)
    changed = chart.properties(width=33, title="Mine").encode(opacity=alt.value(0.5))
    written = changed.to_dict()
    assert (written["spec"]["width"], written["title"]) == (33, "Mine")
    assert written["spec"]["encoding"]["opacity"] == {"value": 0.5}
    assert chart.to_dict()["spec"]["width"] != 33
    assert texts(svg_of(changed))


def test_titles_may_go_for_journals_that_forbid_them():
    bare = eatlas.plot([ml_eat()], "forest").properties(title="")
    assert "Effect sizes of levels 1 and 2" not in texts(svg_of(bare))


def test_more_rows_than_altair_takes_by_itself_are_drawn():
    many = eatlas.plot([full(test=f"t{n}") for n in range(1300)], "forest")
    assert len(many.data) > 5000
    assert len(rows(many)) == len(many.data)


@pytest.fixture(scope="module")
def made():
    """Results that every kind of chart can be drawn from, by kind."""
    one = eatlas.run(tests="weat-6")
    ceat = eatlas.run(tests="sent-weat-9", vectors="cbow:glove-sample", measures="ceat(n=20)")
    both = {"plain": "glove-sample", "centred": "glove-sample?transform=center"}
    tests = ["weat-6", "weat-7", "weat-8"]
    study = eatlas.multiverse({"tests": tests, "choices": {"transform": ["none", "center"]}})
    two = eatlas.run(tests="weat-6", vectors=both)
    layers = [encoded(layer=n) for n in "12"]
    return {
        **dict.fromkeys(KINDS, one), "legend": None, "matrix": two, "draws": ceat,
        "timeline": [full(period=year) for year in (1990, 2000)],
        "layers": layers, "prompts": [encoded(prompt=p) for p in ("The {}", "A {}")],
        "levels": [encoded(level=one) for one in ("sentence", "word")],
        "weights": [encoded(), encoded(weights="random", weights_seed=0)],
        "windows": [in_texts(window=n, made=weat) for n in (1, 3)],
        "distances": [in_texts(window=9, distance=n) for n in (6, 18)],
        **dict.fromkeys(("targets", "strip"), eatlas.run(tests="divdist-face-validity")),
        "ternary": eatlas.run(tests="divdist-religion"),
        **dict.fromkeys(("specification", "scatter-matrix"), study),
    }  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_takes_altairs_own_words(kind, made):
    chart = eatlas.plot(made[kind], kind)
    rule = alt.Chart(alt.InlineData(values=[{}])).mark_rule(color="#abcdef").encode(y=alt.value(9))
    changed = (chart + rule).properties(width=222, title="Mine").configure_axis(labelFontSize=21)
    assert type(changed) is type(chart)
    written = changed.to_dict()
    assert (written["title"], written["config"]["axis"]["labelFontSize"]) == ("Mine", 21)
    assert written["config"]["axis"]["labelLimit"] == 0, "the rest of the theme stays"
    text = json.dumps(written)
    assert '"width": 222' in text
    assert "#abcdef" in text
    assert "#abcdef" not in json.dumps(chart.to_dict()), "the chart that was changed is as before"
    assert "#abcdef" in svg_of(changed)
