import pytest
from rich.cells import cell_len
from rich.text import Text
from tests.present.records import PATTERNS, ml_eat

from eatlas.present.eat_map_text import full, mini


@pytest.mark.parametrize("label", PATTERNS)
def test_mini_shows_each_pattern(label):
    x, y = PATTERNS[label]
    wanted = tuple("".join("■" if c == row else "□" for c in (x, y)) for row in "AB")
    assert mini(ml_eat(label)) == wanted
    ascii_wanted = tuple(line.translate(str.maketrans("■□", "#.")) for line in wanted)
    assert mini(ml_eat(label), encoding="ascii") == ascii_wanted


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "no-such-encoding"])
def test_other_encodings_get_ascii(encoding):
    assert mini(ml_eat(undefined="Y"), encoding=encoding) == ("#?", ".?")
    full(ml_eat(undefined="Y"), encoding=encoding).encode("ascii")


def test_full_map():
    assert full(ml_eat("BY-Singular", two_sided_label="Non-Directional")) == (
        "                                     BY-Singular\n"
        "                            Flowers              Insects\n"
        "                     ┌────────────────────┬────────────────────┐\n"
        "            Pleasant │         □          │         □          │\n"
        "                     ├────────────────────┼────────────────────┤\n"
        "          Unpleasant │         □          │    ■ associated    │\n"
        "                     └────────────────────┴────────────────────┘\n"
        "                            d = 0.10            d = −0.90*\n"
        "                            p = .46             p = .0078\n"
        "                           * p < .05 in the direction of d\n"
        "                      under the two-sided rule: Non-Directional"
    )


@pytest.mark.parametrize(
    "name",
    ["n" * 300, "long name " * 30, "长" * 300, "👩‍👩‍👧" * 20, "שמות של גברים", "[bold]x[/]"],
    ids=["word", "words", "wide", "emoji", "right-to-left", "markup"],
)
def test_frames_stay_straight_for_any_name(name):
    names = dict.fromkeys("XYAB", name)
    plain = full(ml_eat(names=names))
    walls = [line for line in plain.splitlines() if line.endswith("│")]
    assert len(walls) >= 2
    assert {cell_len(line) for line in walls} == {64}
    marked = Text.from_markup(full(ml_eat(names=names), markup=True)).plain
    assert [line.rstrip() for line in marked.splitlines()] == plain.splitlines()


def test_markup_colours_the_associated_cell_alone():
    marked = full(ml_eat("AX-Singular"), markup=True)
    assert marked.count("[bold red]") == 1
    assert "[bold red]    ■ associated    [/]" in marked
    assert marked.count("[dim]") == 3


def test_undefined_is_said():
    assert full(ml_eat("Non-Directional", undefined="X")).count("▨ undefined") == 2
