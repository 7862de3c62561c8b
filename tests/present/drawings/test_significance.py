"""The matrix of significance: which cells are filled, by hand; names of any length; refusals."""

import re

import pytest
from tests.present.reading import svg_root, texts
from tests.present.records import HOSTILE, TOTAL, sc_eat, weat

import eatlas
from eatlas.errors import ResultsError
from eatlas.results import Results

SVG = "{http://www.w3.org/2000/svg}"


def made(*rows, sources=("a", "b")):
    """A WEAT for each number of relabellings beyond, in the tests t-1, t-2 ... of each source.

    Below 0 it counts those beyond a negative d; None is no result.
    """
    results = []
    for n, row in enumerate(rows, start=1):
        for source, beyond in zip(sources, row, strict=True):
            if beyond is not None:
                d, greater = (0.8, beyond) if beyond > 0 else (-0.8, TOTAL + 1 + beyond)
                results.append(weat(d, greater, test=f"t-{n}", source=source))
    return Results(results)


def tiles(plot):
    """Tooltip and class of each cell, in rows."""
    root = svg_root(plot.svg)
    paths = (p for p in root.iter(f"{SVG}path") if (p.get("class") or "").startswith("tile "))
    return [(p.findtext(f"{SVG}title"), p.get("class").removeprefix("tile ")) for p in paths]


FOUR = made((10, -10), (40, 3000))
"""Two-sided p: 20, 20, 80 and 6000 of 12,870; times 4, 3, 2 and 1 by Holm."""


def test_cells_are_filled_by_adjusted_p_values_over_all_settings():
    adjusted = [4 * 20 / TOTAL, 4 * 20 / TOTAL, 2 * 80 / TOTAL, 6000 / TOTAL]
    for alpha in (0.001, 0.01, 0.012, 0.013, 0.5):
        shown = [
            kind.split()[0] for _, kind in tiles(eatlas.plot(FOUR, "significance", alpha=alpha))
        ]
        raw = [20 / TOTAL, 20 / TOTAL, 80 / TOTAL, 6000 / TOTAL]
        assert shown == [
            "on" if after < alpha else "before" if before < alpha else "off"
            for after, before in zip(adjusted, raw, strict=True)
        ]
    plot = eatlas.plot(FOUR, "significance")
    assert plot.title == "2 of 4 significant at .01 after adjustment"
    assert plot.alt.endswith("a, 1 of 2: t-1; b, 1 of 2: t-1.")
    assert tiles(plot)[0] == ("t-1, a: d = 0.80, p = .0016, adjusted p = .0062", "on r")
    assert tiles(plot)[1][1] == "on x", "below 0"
    assert "adjusted by Holm over all 4" in plot.description


def test_a_family_says_its_tail_and_its_method():
    """One-sided as in the paper: -10 of 12,870 is not above 0."""
    family = FOUR.family(settings=True, tail="greater", method="bh")
    plot = eatlas.plot(family)
    assert [kind.split()[0] for _, kind in tiles(plot)] == ["on", "off", "on", "off"]
    said = "p one-sided, d > 0, adjusted by Benjamini-Hochberg over all 4"
    assert said in plot.description
    levels = eatlas.plot(Results([sc_eat({"one": 0.9, "two": 0.1})]).family("level2"))
    assert {"test-1, one", "test-1, two"} <= set(texts(levels))
    each = eatlas.plot(FOUR.family())
    assert "adjusted by Holm over the tests of each setting" in each.description


def test_a_setting_without_a_result_has_a_dash_and_its_own_number_of_tests():
    plot = eatlas.plot(made((10, 10), (40, None)), "significance", width=150)
    assert texts(plot).count("–") == 1
    assert "significant" in texts(plot)
    assert "a, 2 of 2: t-1, t-2; b, 1 of 1: t-1." in plot.alt


@pytest.mark.parametrize("width", ["single", "double", None])
def test_ten_models_and_thirty_tests_are_on_one_page(width):
    models = tuple(f"a-model-of-some-name-{n}" for n in range(10))
    rows = [[1 if (t + m) % 3 else 3000 for m in range(10)] for t in range(30)]
    plot = eatlas.plot(made(*rows, sources=models), "significance", width=width, alpha=0.05)
    assert plot.pages == ()
    assert len(tiles(plot)) == 300
    wide = float(re.match(r'<svg viewBox="0 0 ([\d.]+)', plot.drawn)[1])
    for left, across in re.findall(
        r'd="M([\d.]+) [\d.]+h([\d.]+)v[\d.]+h-[^"]*" class="tile', plot.drawn
    ):
        assert float(left) + float(across) <= wide
    assert [t for t in texts(plot) if re.fullmatch(r"\d+", t)] == ["20"] * 10


def test_numbers_are_in_cells_that_have_room_and_signs_in_others():
    six = made((1, -1, 1, -1, 1, 4000), sources="abcdef")
    wide, narrow = (eatlas.plot(six, "significance", width=mm) for mm in (150, 60))
    assert (texts(wide).count("0.80"), texts(wide).count("−0.80")) == (4, 2)
    assert "0.80" not in texts(narrow)
    signs = re.findall(r'd="([^"]*)" class="tile-sign on (\w)"', narrow.drawn)
    assert [(path.count("M"), side) for path, side in signs] == [(2, "r"), (1, "x")] * 2 + [
        (2, "r")
    ]


def test_names_of_any_script_stay_text_and_upright_names_are_cut():
    names = HOSTILE["Y"], "שמותשלגבריםונשים" * 3
    plot = eatlas.plot(made((10, 10), sources=names), "significance", width=60)
    tags = {node.tag.removeprefix(SVG) for node in svg_root(plot.svg).iter()}
    assert tags <= {"svg", "title", "desc", "style", "g", "rect", "text", "path"}
    assert any(
        "rotate(-90)" in (g.get("transform") or "") for g in svg_root(plot.svg).iter(f"{SVG}g")
    )


def test_long_names_of_tests_are_whole_in_several_lines():
    name = "a test of words with quite a long name"
    plot = eatlas.plot([weat(test=name), weat(test="other")], "significance", width="single")
    lines = [t.text for t in svg_root(plot.svg).iter(f"{SVG}text")]
    assert name not in lines
    assert name in " ".join(filter(None, lines))


@pytest.mark.parametrize(
    ("draw", "said"),
    [
        (lambda: eatlas.plot(FOUR, "significance", alpha=0), "got: 0"),
        (lambda: eatlas.plot(FOUR, "significance", alpha=1.0), "allowed: above 0, below 1"),
        (lambda: eatlas.plot(FOUR, "significance", alpha="x"), "got: 'x'"),
        (lambda: eatlas.plot([sc_eat({"a": 1.0})], "significance"), "results with p-values of level 1"),
        (lambda: eatlas.plot(Results([]).family()), "0 p-values"),
        (lambda: eatlas.plot(FOUR.family(), "forest"), 'got: Family\n.*\n  remedy: take kind="significance"'),
        (
            lambda: eatlas.plot(made([1] * 99, sources=[str(n) for n in range(99)]), "significance", width=50),
            "got: 99 settings\n  allowed: 1?\\d at most",
        ),
    ],
)  # fmt: skip
def test_what_is_refused(draw, said):
    with pytest.raises(ResultsError, match=said):
        draw()
