"""The timeline: lines that break, marks, gaps, numbers of years."""

import re
from itertools import pairwise

from tests.present.reading import svg_root
from tests.present.records import full, ml_eat, weat

from eatlas.present.drawings.curves import timeline_of


def draw(effects, missing=None, made=weat):
    """By year; an effect size below 0.5 is not significant."""
    members = {
        year: made(d=d, greater=None if d is None or abs(d) >= 0.5 else 6000)
        for year, d in effects.items()
    }
    return svg_root(timeline_of({"": members}, missing or {}, title="by year"))


def paths(root, kind):
    return [p.get("d") for p in root.iter("path") if p.get("class") == kind]


def told(root):
    return [title.text for title in root.iter("title")]


def test_a_line_runs_through_all_years_and_stops_at_a_gap():
    for effects, missing, pieces in (
        ({1900: 0.1, 1910: 0.5, 1920: -0.4, 1930: 0.6}, {}, (1, 3)),
        ({1900: 0.1, 1910: 0.5, 1930: 0.6}, {1920: "too few"}, (2, 1)),
        ({1900: 0.1, 1910: None, 1920: -0.4, 1930: 0.6}, {}, (2, 1)),
    ):
        (line,) = paths(draw(effects, missing), "open")
        assert (line.count("M"), line.count("L")) == pieces


def test_missing_years_are_shaded_and_told():
    root = draw({1900: 0.1, 1920: None}, {1910: "too <few>"})
    assert "1910: too <few>" in told(root)
    assert root.get("aria-label").endswith("without a result: 1910")
    alone = draw({1900: None, 1910: None})
    assert alone.get("aria-label").endswith("Insects: undefined in every year")


def test_significant_marks_are_filled_and_told_with_their_numbers():
    root = draw({1900: 0.1, 1910: 0.5, 1920: -0.7})
    shapes = [p for p in root.iter("path") if p.get("class") in ("on", "off") and len(p)]
    assert [mark.get("class") for mark in shapes] == ["off", "on", "on"]
    assert "1910, Level 1: Flowers against Insects: d = 0.50, p = .0078" in told(root)
    assert root.find("title").text == "by year"
    assert root.get("aria-label") == (
        "Level 1: Flowers against Insects: d from 0.10 in 1900 to −0.70 in 1920, "
        "p below alpha in 2 of 3 years"
    )


def test_lines_and_their_names_are_apart_and_intervals_are_bars():
    years = {"": {year: full() for year in (1900, 1910)}}
    root = svg_root(timeline_of(years, {}, title="t"))
    starts = [float(re.match(r"M([\d.]+)", d)[1]) for d in paths(root, "open")]
    assert sorted(starts) == [starts[1], starts[0], starts[2]]
    assert [d.count("V") for d in paths(root, "bar")] == [2, 2], "Y has none"
    names = [t for t in root.iter("text") if t.text in ("Flowers", "Insects")]
    heights = sorted(float(name.get("y")) for name in names)
    assert all(late - early >= 14 for early, late in pairwise(heights))
    assert len(paths(draw({1900: 1.0, 1910: 1.0}, made=ml_eat), "open")) == 3
    shades = [len(list(draw({1900: 1, 1910: 1}, made=m).iter("rect"))) for m in (ml_eat, weat)]
    assert shades == [1, 0], "the threshold"


def test_long_names_leave_room_for_each_other():
    names = {"X": "x" * 300, "Y": "שמות " * 99, "A": "a" * 300, "B": "שמות"}
    years = {"": {year: ml_eat(names=names) for year in (1900, 1910)}}
    root = svg_root(timeline_of(years, {}, title="t"))
    written = [text.text for text in root.iter("text")]
    for pattern in ("x{9,}…", "\u2068(שמות ?)+…\u2069", "↓ \u2068שמות\u2069", "↑ a+…"):
        assert any(re.fullmatch(pattern, text or "") for text in written)


def test_several_series_share_a_panel_of_one_effect():
    series = {name: {n: full(d=d) for n in (1, 2)} for name, d in (("plain", 1.0), ("The {}", 0.5))}
    root = svg_root(timeline_of(series, {}, unit="layer", only=0))
    dashes = [p.get("stroke-dasharray") for p in root.iter("path") if p.get("class") == "open"]
    assert len(set(dashes)) == 2
    written = [text.text for text in root.iter("text")]
    assert {"plain", "The {}"} <= set(written)
    assert "Insects, The {}: d from 0.50 in layer 1" in root.get("aria-label")
