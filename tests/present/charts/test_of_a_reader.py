"""What a reader takes from a chart: names, colours that keep their meaning, arrows, patterns."""

from pathlib import Path

import numpy as np
import pytest
from tests.present.charts.reading import rows, texts
from tests.present.charts.records import full
from tests.present.records import ml_eat

import eatlas
from eatlas.engine.verify import differences
from eatlas.present import charts
from eatlas.present.charts import draws, influence, stability
from eatlas.present.charts.backend import svg_of
from eatlas.present.charts.marks import LINE
from eatlas.present.charts.theme import LEVELS
from eatlas.present.charts.timeline import HEIGHT, _labelled

SETS = {"x1": (1.0, 0.2), "y1": (0.4, 1.0), "a1": (1.0, 0.0), "b1": (0.0, 1.0), "x2": (0.9, 0.5),
        "y2": (0.1, 0.8), "a2": (0.8, 0.1), "b2": (0.2, 0.9)}  # fmt: skip


def tiny(vectors, name):
    test = {role: [f"{role.lower()}1", f"{role.lower()}2"] for role in "XYAB"}
    words = list(vectors)
    source = eatlas.ArraySource(words, np.array([vectors[one] for one in words]), name=name)
    (result,) = eatlas.run(tests=eatlas.AssociationTest(**test), vectors=source)
    return result


def test_colours_are_of_x_and_y_and_shapes_of_sources():
    chart = eatlas.plot([full(), full(source="other-vectors")], "forest")
    written = chart.to_dict()
    assert written["encoding"]["color"]["field"] == "look"
    shapes = {layer["encoding"].get("shape", {}).get("field") for layer in written["layer"]}
    assert shapes == {None, "series"}
    lights = [layer["encoding"].get("opacity", {}).get("field") for layer in written["layer"]]
    assert lights.count("series") == 2


def test_effect_sizes_are_drawn_from_minus_two_to_two():
    x = eatlas.plot(full(), "forest").to_dict()["layer"]
    domains = [
        one["encoding"]["x"].get("scale", {}).get("domain") for one in x if "x" in one["encoding"]
    ]
    assert [-2.0, 2.0] in domains


def test_two_sources_are_arrows_in_units_of_their_spread():
    doubled = {word: (2 * x, 2 * y) for word, (x, y) in SETS.items()}
    moved = {word: (x, 1.4 * y) for word, (x, y) in SETS.items()}
    same = rows(eatlas.plot([tiny(SETS, "one"), tiny(doubled, "two")], "plane"))
    ends = [row for row in same if row.get("from_A") is not None]
    assert len(ends) == 6  # four words and two means
    assert all(row["from_A"] == pytest.approx(row["with_A"], abs=1e-4) for row in ends)
    first, second = tiny(SETS, "one"), tiny(moved, "two")
    drawn = rows(eatlas.plot([first, second], "plane"))
    ends = [row for row in drawn if row.get("from_A") is not None]
    own = {row["term"]: row for row in ends}
    values = np.array([[row["from_A"], row["from_B"]] for t, row in own.items() if t])
    assert values.mean() == pytest.approx(0, abs=1e-9)
    assert values.std(ddof=1) == pytest.approx(1)
    cosines = np.array(first.similarities)
    a, b = cosines[:, :2].mean(axis=1), cosines[:, 2:].mean(axis=1)
    spread = np.concatenate([a, b])
    assert own["x1"]["from_A"] == pytest.approx((a[0] - spread.mean()) / spread.std(ddof=1))


def test_three_sources_are_three_maps():
    results = [tiny(SETS, name) for name in ("one", "two", "three")]
    assert len(eatlas.plot(results, "plane").vconcat) == 2


def test_several_sources_are_a_table_of_small_maps():
    given = [full(test=t, source=s) for t in ("first", "second") for s in ("here", "there")]
    chart = eatlas.plot(given, "eat-map")
    assert {row["series"] for row in rows(chart) if "series" in row} == {"here", "there"}
    assert len([row for row in rows(chart) if row.get("cell") == "XA"]) == 4
    assert "4 EAT-Maps" in chart.description


def test_influence_is_on_the_axis_of_d():
    frame = influence.prepare(full(d=1.4))
    chart = influence.draw(frame)
    assert len(chart.vconcat) == 3
    drawn = [row for row in rows(chart) if row.get("words")]
    known = frame.set_index(["level", "role", "term_role", "term"])["without"]
    keys = [(row["level"], row["role"], row["term_role"], row["term"]) for row in drawn]
    assert keys
    assert [row["without"] for row in drawn] == [known[key] for key in keys]


def test_shares_may_be_in_order():
    frame = stability.prepare(full())
    written = texts(svg_of(stability.draw(frame, order="share")))
    patterns = [one for one in written if one in set(frame["pattern"])]
    shares = frame.set_index("pattern")["share"]
    assert [shares[one] for one in patterns] == sorted(shares, reverse=True)


def test_names_at_the_ends_of_lines_do_not_meet():
    lines = [
        {"line": str(n), "role": "X", "name": f"name {n}", "effect_size": d, "period": 1}
        for n, d in enumerate((0.01, 0.0, -0.01, -1.99))
    ]
    named = [row for row in _labelled(lines, [-2.0, 2.0]) if "place" in row]
    places = sorted(row["place"] for row in named)
    assert min(np.diff(places)) >= LINE * 4 / HEIGHT - 1e-9
    assert places[0] >= -2.0


def test_a_timeline_has_the_maps_of_its_years_and_says_where_no_interval_is():
    chart = eatlas.plot([ml_eat("BY-Singular", period=1990), ml_eat(period=2000)], "timeline")
    cells = [row for row in rows(chart) if row.get("cell") == "YB" and row["period"] == 1990]
    assert [row["state"] for row in cells] == ["associated"]
    assert "No intervals" in " ".join(texts(svg_of(chart)))


@pytest.fixture(scope="module")
def ceat():
    vectors = "cbow:glove-sample"
    (result,) = eatlas.run(tests="sent-weat-9", vectors=vectors, measures="ceat(n=60)")
    return result


def test_each_draw_has_its_pattern(ceat):
    labels = ceat.draws.labels_of_kept
    assert len(labels) == 60
    shares = {label: labels.count(label) / 60 for label in ceat.draws.patterns}
    assert shares == pytest.approx(ceat.draws.patterns, abs=1e-6)
    drawn = [row for row in rows(eatlas.plot(ceat, "draws")) if row.get("what") == "draw"]
    assert [row["pattern"] for row in drawn] == list(labels)


def test_patterns_of_draws_that_were_changed_are_seen(ceat):
    old, new = ceat.to_dict(), ceat.to_dict()
    digits = new["draws"]["kept_patterns"]
    old["draws"]["kept_patterns"] = digits[::-1] if digits != digits[::-1] else "0" * len(digits)
    assert any("kept_patterns" in one for one in differences(old, new))


def test_groups_have_a_map_too():
    result = eatlas.run(tests="divdist-face-validity")
    strip = eatlas.plot(result, "plane")
    shares = {(row["group"], row["term"]): row["share"] for row in rows(strip) if row.get("term")}
    assert strip.description.startswith("Shares of targets")
    assert shares["Female", "nurse"] + shares["Male", "nurse"] == pytest.approx(1)


def test_x_and_y_have_one_colour_in_charts_and_report():
    css = (Path(charts.__file__).parents[1] / "templates" / "report.css").read_text()
    assert f"--line-x: {LEVELS['X']['colour']}" in css
    assert f"--line-y: {LEVELS['Y']['colour']}" in css


@pytest.mark.parametrize("kind", ["forest", "eat-map", "influence", "timeline"])
def test_a_title_can_be_taken_away(kind):
    chart = eatlas.plot(full(period=1990), kind)
    heading = " ".join(chart.title.text)
    assert heading in " ".join(texts(svg_of(chart)))
    without = chart.properties(title=None)
    assert heading not in " ".join(texts(svg_of(without)))
    assert type(without) is type(chart)


def test_results_may_come_one_by_one():
    assert eatlas.plot((one for one in [tiny(SETS, "one")]), "plane").description


def test_draws_with_patterns_of_others_are_drawn_without(ceat):
    kept = ceat.draws.model_copy(update={"kept_patterns": "08"})
    frame = draws.prepare(ceat.model_copy(update={"draws": kept}))
    assert frame.loc[frame["what"] == "draw", "pattern"].isna().all()
