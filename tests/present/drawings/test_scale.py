"""Scales, intervals and bars: where things lie."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.present.reading import svg_root
from tests.present.records import full, ml_eat, planted, weat

from eatlas.present.drawings.eat_map import eat_map
from eatlas.present.drawings.svg import (
    MARGIN,
    SHARE,
    Axis,
    Scales,
    ends_within,
    interval_line,
    outline,
    share_bar,
)
from eatlas.present.effects import levels_of


def test_an_axis_of_effect_sizes_holds_two_either_way_at_least():
    assert Axis.of_effects([0.3, None, -1.2], 0, 100) == Axis(-2.0, 2.0, 1, 0, 100)
    assert Axis.of_effects([]).high == 2.0
    axis = Axis.of_effects([-2.3], 0, 100)
    assert (axis.at(-2.5), axis.at(0), axis.at(2.5)) == (0, 50, 100)
    assert [text for _, text in axis.ticks()] == ["−2", "−1", "0", "1", "2"]


SCALES = Scales(Axis.of_effects([], MARGIN, MARGIN + 100))


def drawn(svg: str, kind: str) -> list[str]:
    root = svg_root(svg)
    assert root.get("aria-hidden") == "true"
    return [node.get("d") for node in root if node.get("class") == kind]


def test_an_interval_is_a_line_with_a_mark():
    shown = full(d=1.2).effect("level1")
    low, high = shown.interval
    at = [round(MARGIN + 50 + 25 * end, 1) for end in (low, high)]
    assert drawn(SCALES.interval(shown), "i") == [f"M{at[0]:g} 8H{at[1]:g}"]
    without = SCALES.interval(ml_eat("BX-Singular").effect("level2.Y"))
    assert drawn(without, "i y") == []
    assert len(drawn(without, "m y")) == 1


@pytest.mark.parametrize(
    ("verdict", "kind"),
    [("supported", "m on"), ("these words", "m"), ("not shown", "m no"), (None, "m")],
)
def test_a_mark_is_filled_by_the_verdict(verdict, kind):
    svg = SCALES.interval(replace(full(d=1.2).effect("level1"), verdict=verdict))
    assert len(drawn(svg, kind)) == 1


def test_an_adjusted_estimate_is_a_stroke_and_ends_beyond_the_axis_are_arrows():
    shown = planted(others=0.01, after=0.01).effect("level1")
    low, high = shown.interval
    axis = Axis(low, high, 1, 8, 108)
    line = interval_line(shown, axis, 8)
    assert line == '<path d="M8 8H108M58.0 4.5v7" class="i"/>'
    line = interval_line(shown, replace(axis, low=low + 0.01, high=high - 0.01), 8)
    assert "H108m-3-3l3 3-3 3M11 5l-3 3 3 3M" in line


def test_an_axis_follows_an_interval_to_6_and_no_further():
    """That of two words at equal frequency went from -674 to 694."""
    shown = planted(others=0.01, after=0.01)
    level = shown.adjusted.level1.model_copy(update={"interval": (-673.6, 694.2)})
    two = shown.adjusted.level2.model_copy(update={"X": level})
    after = shown.adjusted.model_copy(update={"level1": level, "level2": two})
    wild = shown.model_copy(update={"adjusted": after})
    assert wild.effect("level1").interval == (-673.6, 694.2)
    assert ends_within(wild.effect("level1")) == (-6, 6)
    assert ends_within(shown.effect("level1")) == shown.effect("level1").interval
    assert Scales.of([wild]).axis.high == Scales.of([ml_eat()]).axis.high == 2
    assert [text for text in svg_root(eat_map(wild)).itertext() if text == "6"] == ["6", "6"]


def test_an_undefined_effect_is_a_dash():
    svg = SCALES.line(levels_of(weat(d=None)))
    assert [node.text for node in svg_root(svg) if node.tag.endswith("text")] == ["–"]


def test_a_ruler_names_whole_numbers():
    assert re.findall(r">([^<]+)</text>", SCALES.ruler()) == ["−2", "−1", "0", "1", "2"]


def test_bars_are_as_long_as_their_share():
    assert f"M0 0h{SHARE / 2:.1f}v" in share_bar(0.5)
    assert 'class="b on"' in share_bar(0.5, strong=True)
    assert "M0 0h1.0v" in share_bar(0.0001)  # some is not none
    assert 'class="b"' not in share_bar(0.0)


@given(st.lists(st.floats(-1, 1), max_size=9))
def test_an_axis_encloses_its_values_and_zero_in_round_steps(values):
    axis = Axis.with_zero(values, 10, 110)
    for value in [0.0, *values]:
        assert 10 - 1e-6 <= axis.at(value) <= 110 + 1e-6
    ticks = axis.ticks()
    assert 2 <= len(ticks) <= 8
    assert any(at == pytest.approx(axis.at(0.0)) for at, _ in ticks)


@pytest.mark.parametrize("shape", ["diamond", "circle", "square", "triangle"])
def test_marks_are_closed_paths(shape):
    assert outline(shape, 10.0, 10.0).endswith("z")


@pytest.mark.parametrize("value", [0.0, 0.5, 1e15, -1e149])
def test_an_axis_around_a_number_has_room_and_a_few_ticks(value: float) -> None:
    axis = Axis.with_margin([value], 0.0, 100.0)
    assert axis.at(value) == pytest.approx(50)
    assert 1 <= len(axis.ticks()) <= 20
