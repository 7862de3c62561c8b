import re

import pytest
from tests.present.reading import svg_root
from tests.present.records import PATTERNS, full, ml_eat, planted

from eatlas.present.drawings.eat_map import eat_map, in_words, mini_map, states, states_of

SVG = ""
SIZES = {"full": eat_map, "mini": lambda r: mini_map(states(r), 0.0, 0.0, 44.0)}


def cells(svg: str) -> list[str]:
    return [r.get("class") for r in svg_root(svg).iter(f"{SVG}rect") if r.get("class")]


def text(svg: str) -> list[str]:
    return ["".join(node.itertext()) for node in svg_root(svg).iter(f"{SVG}text")]


@pytest.mark.parametrize("label", PATTERNS)
@pytest.mark.parametrize("size", SIZES)
def test_each_pattern_has_its_own_cells(label, size):
    x, y = PATTERNS[label]
    drawn = [c for c in cells(SIZES[size](ml_eat(label))) if c in {"eat-on", "eat-off"}]
    # column X from A to B, then column Y
    wanted = [attribute == row for attribute in (x, y) for row in "AB"]
    assert [c == "eat-on" for c in drawn] == wanted


def test_names_numbers_and_pattern_are_written():
    written = text(eat_map(ml_eat("AX-Singular", d_X=1.385, d_Y=-0.05)))
    for part in (
        "AX-Singular",
        "d = 1.39*",
        "p = .0078",
        "d = −0.05",
        "By the paper's rule: * p < .05 in the direction of d",
    ):
        assert part in written


def test_level_1_is_above_the_map_and_intervals_are_below_it():
    shown = full(d=-0.75, d_X=0.4)
    assert "Level 1: Flowers against Insects, d = −0.75" in text(eat_map(shown))
    root = svg_root(eat_map(shown))
    (x,) = (node.get("d") for node in root.iter("path") if node.get("class") == "i x")
    low, high = map(float, re.findall(r"[MH]([\d.]+)", x))
    ends = shown.effect("level2.X").interval
    assert (high - low) / 122 * 4 == pytest.approx(ends[1] - ends[0], abs=0.01)  # for -2 to 2
    assert shown.effect("level2.Y").interval is None
    assert 'class="i y"' not in eat_map(shown)
    assert not any("Level 1" in line for line in text(eat_map(ml_eat(d=None))))


def test_another_two_sided_pattern_is_written():
    written = text(eat_map(ml_eat(two_sided_label="Non-Directional")))
    assert "under the two-sided rule: Non-Directional" in written
    assert not any("two-sided" in line for line in text(eat_map(ml_eat())))


def test_undefined_columns_are_hatched_and_not_associated():
    shown = ml_eat("Non-Directional", undefined="X")
    svg = eat_map(shown)
    assert text(svg).count("undefined") == 2
    assert "d undefined" in text(svg)
    assert "associated" not in text(svg)
    assert svg.count("eat-hatch") == 2
    assert in_words(shown) == (
        "EAT-Map by the paper's rule, pattern Non-Directional: Flowers, association undefined; Insects, associated "
        "with neither Pleasant nor Unpleasant (d = 0.10, p = .46)."
    )


def test_alternative_text_says_what_the_map_shows():
    shown = ml_eat("AB-Divergent")
    assert in_words(shown) == (
        "EAT-Map by the paper's rule, pattern AB-Divergent: Flowers, associated with Pleasant (d = 0.90, p = .0078); "
        "Insects, associated with Unpleasant (d = −0.90, p = .0078)."
    )
    assert svg_root(eat_map(shown)).get("aria-label") == in_words(shown)


LOW, HIGH = 0.004, 0.4


def test_the_map_of_a_finding_is_filled_outlined_or_empty():
    known = {
        "words": LOW,
        "others": LOW,
        "after": {"level1": LOW, "level2.X": LOW, "level2.Y": HIGH},
    }
    shown = planted("AB-Divergent", **known)
    assert states_of(shown.finding) == ("A", "b")
    drawn = cells(mini_map(states_of(shown.finding), 0.0, 0.0, 44.0))
    assert drawn == ["eat-on", "eat-off", "eat-off", "eat-outlined"]
    assert states_of(planted(words=HIGH, others=LOW).finding) == ("N", "N")
    assert states_of(ml_eat("Non-Directional", undefined="X").finding) == ("U", "N")
    hatched = mini_map(("U", "N"), 0.0, 0.0, 44.0)
    assert hatched.count("eat-hatch") == 2
