"""The timeline: lines that break, marks, gaps, numbers of years."""

import re
from itertools import pairwise

from tests.present.reading import svg_root
from tests.present.records import full, ml_eat, planted, weat

from eatlas.present.drawings.curves import timeline_of
from eatlas.present.findings import finding_of


def pairs(line):
    return {at: (result, finding_of(result)) for at, result in line.items()}


def draw(effects, missing=None, made=weat):
    members = {year: made(d=d) for year, d in effects.items()}
    return svg_root(timeline_of({"": pairs(members)}, missing or {}, title="by year"))


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


def test_marks_are_filled_by_the_verdict_and_say_it():
    members = {
        1900: planted(words=0.6, others=0.6, after=0.6),
        1910: planted(words=0.01, others=0.6, after=0.6),
        1920: planted(words=0.01, others=0.01, after=0.01),
    }
    root = svg_root(timeline_of({"": pairs(members)}, {}, title="by year"))
    shapes = [p for p in root.iter("path") if p.get("class") in ("on", "off") and len(p)]
    assert [mark.get("class") for mark in shapes[:3]] == ["off", "off", "on"]
    name = "Level 1: Flowers against Insects"
    said = [text for text in told(root) if name in text]
    assert said[:3] == [
        f"1900, {name}: d = 1.40, not shown",
        f"1910, {name}: d = 1.40, these word lists only",
        f"1920, {name}: d = 1.40, supported",
    ]
    assert root.find("title").text == "by year"
    assert root.get("aria-label").startswith(
        f"{name}: d from 1.40 in 1900 to 1.40 in 1920, supported in 1 of 3 years"
    )


def test_lines_and_their_names_are_apart_and_intervals_are_bars():
    years = {"": pairs({year: full() for year in (1900, 1910)})}
    root = svg_root(timeline_of(years, {}, title="t"))
    starts = [float(re.match(r"M([\d.]+)", d)[1]) for d in paths(root, "open")]
    assert sorted(starts) == [starts[1], starts[0], starts[2]]
    assert [d.count("V") for d in paths(root, "bar")] == [2, 2], "Y has none"
    names = [t for t in root.iter("text") if t.text in ("Flowers", "Insects")]
    heights = sorted(float(name.get("y")) for name in names)
    assert all(late - early >= 14 for early, late in pairwise(heights))
    assert len(paths(draw({1900: 1.0, 1910: 1.0}, made=ml_eat), "open")) == 3


def test_long_names_leave_room_for_each_other():
    names = {"X": "x" * 300, "Y": "שמות " * 99, "A": "a" * 300, "B": "שמות"}
    years = {"": pairs({year: ml_eat(names=names) for year in (1900, 1910)})}
    root = svg_root(timeline_of(years, {}, title="t"))
    written = [text.text for text in root.iter("text")]
    for pattern in ("x{9,}…", "\u2068(שמות ?)+…\u2069", "↓ \u2068שמות\u2069", "↑ a+…"):
        assert any(re.fullmatch(pattern, text or "") for text in written)


def test_several_series_share_a_panel_of_one_effect():
    sizes = {"plain": 1.0, "The {}": 0.5}
    series = {name: pairs({n: full(d=d) for n in (1, 2)}) for name, d in sizes.items()}
    root = svg_root(timeline_of(series, {}, unit="layer", only=0))
    dashes = [p.get("stroke-dasharray") for p in root.iter("path") if p.get("class") == "open"]
    assert len(set(dashes)) == 2
    written = [text.text for text in root.iter("text")]
    assert {"plain", "The {}"} <= set(written)
    assert "Insects, The {}: d from 0.50 in layer 1" in root.get("aria-label")


LABELS = {1900: "A-Uniform", 1910: "A-Uniform", 1920: "BY-Singular", 1940: "A-Uniform"}


def rows_of_patterns(root):
    """The tooltips of strokes in the row of each pattern, by height."""
    strokes = [p for p in root.iter("path") if p.get("class") == "fig-ink" and len(p)]
    rows = {}
    for stroke in strokes:
        x, y = re.match(r"M([\d.]+) ([\d.]+)", stroke.get("d")).groups()
        rows.setdefault(float(y), []).append((float(x), stroke[0].text))
    return [rows[y] for y in sorted(rows)]


def test_each_period_has_a_stroke_in_the_row_of_its_pattern():
    series = {"": pairs({year: ml_eat(label) for year, label in LABELS.items()})}
    root = svg_root(timeline_of(series, {1930: "too few"}, title="t"))
    uniform, singular = rows_of_patterns(root)
    assert [said for _, said in uniform] == [f"{y}: A-Uniform" for y in (1900, 1910, 1940)]
    assert [said for _, said in singular] == ["1920: BY-Singular"]
    ticks = [float(x) for p in paths(root, "fig-line") for x in re.findall(r"M([\d.]+) 280v4", p)]
    at = dict(zip((1900, 1910, 1920, 1930, 1940), ticks, strict=True))
    assert [x for x, _ in uniform] == [at[1900], at[1910], at[1940]]
    said = root.get("aria-label")
    assert "A-Uniform in 1900 to 1910, BY-Singular in 1920, A-Uniform in 1940;" in said
    written = "".join(text.text for text in root.iter("text"))
    assert "A-Uniform" in written
    high = float(root.get("viewBox").split()[-1])
    assert max(float(t.get("y")) for t in root.iter("text") if not t.get("transform")) < high


def test_a_series_without_patterns_has_no_rows_and_is_as_high_as_ever():
    root = draw({1900: 0.1, 1910: 0.5})
    assert rows_of_patterns(root) == []
    assert root.get("viewBox").endswith(" 328")


def test_patterns_of_several_series_are_below_the_first_effect_size_alone():
    series = {
        name: pairs({n: ml_eat(label) for n in (1, 2, 3)})
        for name, label in (("The {}", "A-Uniform"), ("A {}", "B-Uniform"))
    }
    first, second = (svg_root(timeline_of(series, {}, unit="layer", only=n)) for n in (0, 1))
    assert [len(row) for row in rows_of_patterns(first)] == [3, 3]
    assert rows_of_patterns(second) == []
    assert "EAT pattern by the paper's rule: The {}" in [text.text for text in first.iter("text")]
    assert "EAT patterns of A {} by the paper's rule: B-Uniform in layer 1 to 3" in first.get(
        "aria-label"
    )
