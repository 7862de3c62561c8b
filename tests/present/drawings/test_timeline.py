"""The timeline: lines that break, marks, gaps, numbers of years."""

import re
from itertools import pairwise

import pytest
from tests.present.reading import svg_root

from eatlas.present.drawings.timeline import Line, Point, timeline

SVG = ""


def points(effects, filled=()):
    return tuple(
        Point(year, d, None if d is None else (d - 0.1, d + 0.1), year in filled, f"d is {d}")
        for year, d in effects.items()
    )


def draw(effects, missing=None, threshold=0.2, filled=(), places=("level1",)):
    lines = [Line(place, "Line", (place,), points(effects, filled)) for place in places]
    svg = timeline(lines, missing or {}, title="by year", ends=("A", "B"), threshold=threshold)
    return svg_root(svg)


def paths(root, place="level1"):
    """Those of a line in the plot, not beside its name, without the ribbon of its intervals."""
    colour = {"level2.X": " x", "level2.Y": " y"}.get(place, "")
    group = root.findall(f"g[@class='fig-series{colour}']")
    return [p for one in group for p in one.findall(f"{SVG}path") if p.get("class") != "ribbon on"]


def marks(root, place="level1"):
    return [path for path in paths(root, place) if path.find(f"{SVG}title") is not None]


def line(root):
    (found,) = [p.get("d") for p in paths(root) if p.get("class") == "open"]
    return found


def told(root):
    return [title.text for title in root.iter(f"{SVG}title")]


def test_a_line_runs_through_all_years_and_stops_at_a_gap():
    whole = draw({1900: 0.1, 1910: 0.5, 1920: -0.4, 1930: 0.6})
    assert (line(whole).count("M"), line(whole).count("L")) == (1, 3)
    broken = draw({1900: 0.1, 1910: 0.5, 1930: 0.6}, {1920: "too few"})
    assert (line(broken).count("M"), line(broken).count("L")) == (2, 1)
    undefined = draw({1900: 0.1, 1910: None, 1920: -0.4, 1930: 0.6})
    assert (line(undefined).count("M"), line(undefined).count("L")) == (2, 1)


def test_missing_and_undefined_years_are_signed_and_told():
    root = draw({1900: 0.1, 1920: None}, {1910: "too <few>"}, places=("level1", "level2.X"))
    assert [t.text for t in root.iter(f"{SVG}text") if t.text in ("×", "?")] == ["×", "?"]
    assert told(root).count("1910: too <few>") == 2  # the column and the sign
    assert "1920, Line: level1: undefined; Line: level2.X: undefined" in told(root)
    assert root.get("aria-label").endswith("without a result: 1910")


def test_significant_marks_are_filled():
    found = marks(draw({1900: 0.1, 1910: 0.5, 1920: 0.7}, filled={1910, 1920}))
    assert [mark.get("class") for mark in found] == ["off", "on", "on"]
    assert "1910, Line: level1: d is 0.5" in [mark.find(f"{SVG}title").text for mark in found]


def test_intervals_are_ribbons_and_of_single_years_bars():
    root = draw({1900: 0.1, 1910: 0.5, 1930: 0.6}, {1920: "too few"})
    ribbon, bar = (
        [p.get("d") for p in root.iter(f"{SVG}path") if p.get(key) == value]
        for key, value in (("class", "ribbon on"), ("class", "bar"))
    )
    assert [(d.count("M"), d.count("L")) for d in ribbon] == [(1, 3)]
    assert [d.count("V") for d in bar] == [1]


def test_names_are_where_lines_end_and_apart():
    root = draw({1900: 0.1, 1910: 0.2}, places=("level1", "level2.X", "level2.Y"))
    names = [t for t in root.iter(f"{SVG}text") if (t.text or "").startswith("level")]
    heights = sorted(float(name.get("y")) for name in names)
    assert [name.text for name in names] == ["level1", "level2.X", "level2.Y"]
    assert all(late - early >= 14 for early, late in pairwise(heights))


def test_effect_sizes_go_up_and_years_to_the_right():
    found = re.findall(r"([\d.]+) ([\d.]+)", line(draw({1900: -0.5, 1905: 0.0, 1920: 1.5})))
    (x1, y1), (x2, y2), (x3, y3) = (tuple(map(float, pair)) for pair in found)
    assert (x2 - x1) * 3 == pytest.approx(x3 - x2, abs=0.3)
    assert (y1 - y2) * 3 == pytest.approx(y2 - y3, abs=0.3)
    assert y1 > y2 > y3


def test_lines_of_both_targets_stand_beside_each_other():
    root = draw({1900: 0.5, 1910: 0.5}, places=("level1", "level2.X", "level2.Y"))
    x = [
        float(re.match(r"M([\d.]+)", marks(root, place)[0].get("d"))[1]) + half
        for place, half in (("level2.X", 3.8), ("level1", 0.0), ("level2.Y", 3.4))
    ]
    assert x[0] < x[1] < x[2]


def test_numbers_of_years_never_touch():
    for years in (range(1800, 2000, 10), range(1900, 2000), [1990, 2001, 2002], [1990]):
        root = draw(dict.fromkeys(years, 0.3))
        numbers = [t for t in root.iter(f"{SVG}text") if re.fullmatch(r"\d{4}", t.text or "")]
        assert int(numbers[0].text) == years[0]
        places = [float(t.get("x")) for t in numbers]
        assert all(late - early > 34 for early, late in pairwise(places))


def test_the_threshold_is_shaded_where_there_is_one():
    shades = [
        len(list(draw({1900: 1, 1910: 1}, threshold=t).iter(f"{SVG}rect"))) for t in (0.2, None)
    ]
    assert shades == [1, 0]


def test_a_line_without_any_effect_size_is_said_to_be_undefined():
    root = draw({1900: None, 1910: None})
    assert root.get("aria-label") == "Line: level1: undefined in every year"
    assert marks(root) == []


def test_it_says_where_each_line_goes():
    root = draw({1900: -0.5, 1910: 0.25}, filled={1910})
    assert root.find(f"{SVG}title").text == "by year"
    assert root.get("aria-label") == (
        "Line: level1: d from −0.50 in 1900 to 0.25 in 1910, p below alpha in 1 of 2 years"
    )


def test_long_names_leave_room_for_each_other():
    line = Line("level1", "Level 1", ("x" * 300, "שמות " * 99), points({1900: 0.1, 1910: 0.2}))
    svg = timeline([line], {}, title="t", ends=("a" * 300, "שמות"), threshold=None)
    written = [text.text for text in svg_root(svg).iter(f"{SVG}text")]
    assert any(re.fullmatch("x{9,}…", text) for text in written)
    assert any(re.fullmatch("\u2068(שמות ?)+…\u2069", text) for text in written)
    assert "↓ \u2068שמות\u2069" in written
    assert any(re.fullmatch("↑ a+…", text) for text in written)
