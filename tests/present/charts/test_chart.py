"""The charts as altair charts: theme, composition, notebooks."""

from itertools import combinations

import altair as alt
import pytest
from tests.present.charts.records import HOSTILE, full
from tests.present.charts.vision import VISION, distance
from tests.present.reading import contrast

import eatlas
from eatlas.present.charts import CONFIG
from eatlas.present.charts.theme import EDGE, INK, LEVELS, MUTED, OFF, ON, PAPER, SERIES


@pytest.fixture(scope="module")
def forest():
    return eatlas.plot(full(names=HOSTILE), kind="forest")


def test_the_theme_is_the_charts_own(forest):
    before = alt.theme.active
    own = forest.to_dict()["config"]
    own["view"] = {"stroke": own["view"]["stroke"]}
    assert own == CONFIG
    assert alt.theme.active == before
    plain = alt.Chart(alt.InlineData(values=[])).mark_point().to_dict()
    assert "background" not in plain["config"]


def test_what_the_user_configures_wins(forest):
    changed = (
        forest.configure_axis(labelColor="red").configure(background="ivory").to_dict()["config"]
    )
    assert changed["background"] == "ivory"
    assert forest.to_dict()["config"]["background"] == PAPER
    axis = forest.configure_axis(labelColor="red").to_dict()["config"]["axis"]
    assert axis["labelColor"] == "red"
    assert axis["titleColor"] == CONFIG["axis"]["titleColor"]


def test_properties_make_a_chart_of_the_same_kind(forest):
    wider = forest.properties(title="Mine")
    assert isinstance(wider, alt.LayerChart)
    assert type(wider) is type(forest)
    assert wider.to_dict()["title"] == "Mine"


@pytest.mark.parametrize(
    ("together", "where"),
    [
        (lambda a, b: a & b, "vconcat"),
        (lambda a, b: a | b, "hconcat"),
        (lambda a, b: (a | b) & b, "vconcat"),
        (lambda a, b: a & b | b, "hconcat"),
    ],
)
def test_charts_put_together_keep_theme_and_files(forest, tmp_path, together, where):
    both = together(forest, alt.Chart(alt.InlineData(values=[{"a": 1}])).mark_point())
    written = both.to_dict()
    assert written["config"]["title"] == CONFIG["title"]
    assert len(written[where]) == 2
    assert "config" not in written[where][0]
    assert both.description.startswith("Forest plot of 3 effect sizes.")
    both.save(tmp_path / "both.html")
    assert 'src="http' not in (tmp_path / "both.html").read_text(encoding="utf-8")


def test_a_chart_is_put_together_with_charts_alone(forest):
    with pytest.raises(ValueError, match="Only Chart objects"):
        _ = forest & 3


def test_notebooks_get_a_picture_that_asks_for_nothing(forest):
    shown = forest._repr_mimebundle_()
    assert shown["text/plain"] == forest.description
    assert shown["text/html"].startswith('<img alt="Forest plot of 3 effect sizes. ')
    assert "<script" not in shown["text/html"]
    assert 'src="data:image/svg+xml;base64,' in shown["text/html"]
    assert "http" not in shown["text/html"].split("base64,")[0]


def test_notebooks_obey_the_renderer_that_the_user_chose(forest):
    with alt.renderers.enable("json"):
        shown = forest._repr_mimebundle_()
    assert "application/json" in (shown[0] if isinstance(shown, tuple) else shown)


def test_colours_stand_out_from_the_paper():
    looks = [*SERIES, *LEVELS.values()]
    assert min(contrast(look["colour"], PAPER) for look in looks) >= 3.0
    assert min(contrast(colour, PAPER) for colour in (ON, EDGE)) >= 3.0
    assert min(contrast(colour, PAPER) for colour in (INK, MUTED)) >= 4.5


@pytest.mark.parametrize("vision", VISION)
def test_colours_differ_for_the_colour_blind(vision):
    colours = dict.fromkeys(look["colour"] for look in [*SERIES, *LEVELS.values()])
    assert len(colours) == 6
    nearest = min(distance(a, b, vision) for a, b in combinations(colours, 2))
    assert nearest >= 30  # least: 31.7, blue and violet with tritanopia
    assert distance(ON, OFF, vision) >= 60


def test_the_yardstick_knows_what_cannot_be_told_apart():
    red, olive = "#d55e00", "#8f6b00"
    assert distance(red, olive, "full") > 35
    assert distance(red, olive, "protanopia") < 5
    assert distance("#000000", "#ffffff", "full") == pytest.approx(100, abs=0.01)


def test_no_two_series_look_alike():
    looks = {(look["colour"], look["shape"]) for look in SERIES}
    assert len(looks) == len(SERIES) == 30


def test_descriptions_do_not_go_on_for_ever():
    many = eatlas.plot([full(test=f"t{n}") for n in range(30)])
    assert many.description.count(";") == 12
    assert many.description.endswith("; and 78 more.")
