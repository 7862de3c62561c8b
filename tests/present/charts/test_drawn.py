"""Every kind of chart, really rendered: what is written in it, and hostile names."""

import pytest
from tests.present.charts.reading import NAMESPACE, holds, parsed, rows, squeezed, texts
from tests.present.charts.records import HOSTILE, full, weat_with_influence
from tests.present.records import PATTERNS, ml_eat, sc_eat, weat

import eatlas
from eatlas.present.charts import influence, level3, marks
from eatlas.present.charts.backend import svg_of

KINDS = ("eat-map", "forest", "level3", "stability", "influence", "timeline", "legend")


def drawn(results, kind):
    return svg_of(eatlas.plot(results, kind=kind))


@pytest.mark.parametrize("kind", KINDS)
def test_names_stand_in_full_whatever_they_hold(kind):
    result = full(names=HOSTILE, test="a-test-" * 30, source="source-" * 40, period=1990)
    svg = drawn(result, kind)
    if kind == "legend":
        return
    shown = {"eat-map": "XYAB", "level3": "XYAB", "timeline": "XYAB", "influence": "XYAB"}
    for role in shown.get(kind, "X" if kind == "forest" else ""):
        name = HOSTILE[role].replace("\x00", "\ufffd").replace("\x1b", "\ufffd")
        assert holds(svg, name), role
    assert holds(svg, "a-test-" * 30)
    assert holds(svg, "source-" * 40)
    assert "…" not in squeezed(*texts(svg))
    assert "script" not in {node.tag.removeprefix(NAMESPACE) for node in parsed(svg).iter()}


@pytest.mark.parametrize("kind", KINDS)
def test_the_drawing_says_what_it_is(kind):
    svg = drawn(full(period=1990), kind)
    root = parsed(svg)
    assert root.get("role") == "img"
    assert root.get("aria-label") == root.find(f"{NAMESPACE}desc").text
    assert len(root.get("aria-label")) > 40


def test_forest_writes_numbers_stars_and_directions():
    written = texts(drawn(full(d=1.4, d_X=0.9, d_Y=-0.1), "forest"))
    for part in (
        "1.40",
        "0.90",
        "−0.10",
        "[1.00, 1.70]",
        "[0.50, 1.20]",
        "← Unpleasant · Pleasant →",
        "Level 1: Flowers against Insects",
        "Level 2: Insects",
    ):
        assert part in written
    assert written.count("*") == 2
    assert "Filled and starred: p < .05 in the direction of d." in written
    assert "Bars: 95% intervals over resampled terms." in written


def test_forest_says_undefined_instead_of_drawing_a_point():
    svg = drawn(ml_eat(d=None, undefined="XY"), "forest")
    assert texts(svg).count("undefined") == 3
    points = [g for g in parsed(svg).iter() if "mark-symbol" in g.get("class", "")]
    assert points
    assert not [path for g in points for path in g]


def test_forest_of_sources_has_a_key_and_tells_them_apart():
    svg = drawn([full(), full(source="other-vectors"), weat(), sc_eat({"rose": 0.8})], "forest")
    written = texts(svg)
    assert "other-vectors, ML-EAT" in written
    assert sum(line.startswith("test-1") for line in written) == 1
    assert "rose" in written
    assert {"#0072b2", "#c95800"} <= {part.lower() for part in svg.split('"')}


def test_forest_of_many_sources_never_runs_out_of_looks():
    results = [weat(source=f"vectors-{n}") for n in range(40)]
    written = texts(drawn(results, "forest"))
    assert all(f"vectors-{n}" in written for n in range(40))


@pytest.mark.parametrize("label", PATTERNS)
def test_eat_map_has_the_words_of_its_pattern(label):
    written = texts(drawn(ml_eat(label), "eat-map"))
    assert label in written
    assert written.count("● associated") == sum(held is not None for held in PATTERNS[label])


def test_eat_map_shows_undefined_and_the_other_rule():
    written = texts(drawn(ml_eat(undefined="Y", two_sided_label="Non-Directional"), "eat-map"))
    assert written.count("undefined") == 2
    assert "d undefined" in written
    assert "two-sidedrule:Non-Directional" in squeezed(*written)


def test_legend_has_nine_patterns():
    written = texts(svg_of(eatlas.plot(kind="legend")))
    assert set(PATTERNS) <= set(written)
    assert "2 results" in texts(drawn([ml_eat(), ml_eat()], "legend"))
    assert "1 result" in texts(drawn(ml_eat(), "legend"))


def test_level3_shows_dots_where_cosines_are_kept():
    with_dots, without = drawn(full(), "level3"), drawn(ml_eat(), "level3")
    assert "dots: the cosines" in " ".join(texts(with_dots))
    assert "dots" not in " ".join(texts(without))
    assert with_dots.count("<path") - without.count("<path") >= 36
    assert {"mean", "sd"} <= set(texts(without))
    assert texts(without).count("0.100") == texts(without).count("0.050") == 4


def test_level3_says_where_dots_are_too_many(monkeypatch):
    monkeypatch.setattr(level3, "MOST_DOTS", 35)
    written = " ".join(texts(svg_of(level3.draw(level3.prepare(full())))))
    assert "(the 36 cosines themselves are too many to show)" in written


def test_dots_keep_their_row_and_spread_where_they_crowd():
    import numpy as np

    values = np.array([0.0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 1.0])
    shifts = marks.swarm(values)
    assert np.abs(shifts).max() <= 1.0
    assert np.ptp(shifts[1:8]) > 4 * np.ptp(shifts[[0, 8]])
    assert len(set(shifts[1:8])) == 7
    assert np.array_equal(shifts, marks.swarm(values))
    assert not marks.swarm(np.array([0.3])).any()
    assert not marks.swarm(np.array([0.3, 0.3])).any()


def test_stability_of_one_and_of_several():
    one = texts(drawn(full(), "stability"))
    assert {"75% observed", "25%"} <= set(one)
    assert "0%" not in one
    assert (
        "Share of 1,000 resamples of targets and attributes that show each pattern, not the "
        "probability that another study would. Red and bold: observed." in " ".join(one)
    )
    many = texts(drawn([full(test="first"), ml_eat(test="second")], "stability"))
    assert {"first: A test made by hand", "second: A test made by hand"} <= set(many)
    assert {"not resampled", "75%"} <= set(many)


def test_influence_shows_the_strongest_terms():
    result = full(d=1.4)
    written = texts(drawn(result, "influence"))
    assert "0.90" in written
    assert "Marks: d without the term; the line: d with all terms." in " ".join(written)
    assert "Level 1: Flowers against Insects, d = 1.40" in written
    one = influence.draw(influence.prepare(result), terms=1)
    few = texts(svg_of(one))
    assert few.count("1 of 9 terms, those that change it most") == 2
    assert sum("change" in row and row["change"] is not None for row in rows(one)) == 3
    every = texts(svg_of(influence.draw(influence.prepare(result), terms=99)))
    assert "all 12 terms; no effect size is left without 1 of them" in every
    assert "all 9 terms" in every


def test_influence_of_an_undefined_effect_size():
    written = texts(drawn(full(d=None, undefined="XY"), "influence"))
    assert written.count("whichever term is left out, no effect size is defined") == 3
    assert "d undefined" in " ".join(written)
    assert "Level 1: Flowers against Insects, d = 1.20" in texts(
        drawn(weat_with_influence(), "influence")
    )


def test_timeline_marks_gaps_and_undefined_periods():
    results = [full(period=1810), ml_eat(period=1820, undefined="Y"), full(period=1840)]
    svg = drawn(results, "timeline")
    written = texts(svg)
    assert {"1810", "1820", "1830", "1840", "×", "?"} <= set(written)
    assert "×: no result for this period. ?: effect size undefined." in written
    assert "Flowers against Insects" in " ".join(written)
    assert "Insects" in written
    assert "×" not in texts(drawn(full(period=1990), "timeline"))


def test_an_axis_has_a_minus_and_no_hyphen():
    numbers = [t for t in texts(drawn(full(d=-1.4), "forest")) if t[1:].replace(".", "").isdigit()]
    assert any(number.startswith("−") for number in numbers)
    assert not any(number.startswith("-") for number in numbers)
