"""``eatlas.plot``: each kind drawn, in print, as a file of its own; what is refused."""

import re
import struct
import subprocess
import sys
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.present.reading import svg_root, texts, variables
from tests.present.records import HOSTILE, adjusted, full, ml_eat, sc_eat, weat
from tests.present.test_comparison import encoded

import eatlas
from eatlas.errors import EatlasError, ResultsError
from eatlas.present import report_table
from eatlas.present.drawings.plot import KINDS, PAGE, TEMPLATES, Plot, style
from eatlas.present.drawings.point_names import text_box
from eatlas.present.drawings.single import BINS, DOT, null, triangle
from eatlas.present.drawings.svg import size_of
from eatlas.present.findings import findings_of
from eatlas.results import Results

SVG = "{http://www.w3.org/2000/svg}"
OF_OTHERS = {"matrix", "scatter", "specification", "targets", "themes", "timeline", "triangle"}
"""Kinds that show several settings or years, a study, themes, or tests of groups."""
OF_PACKAGES = {"specification", "themes"}
WIDTHS = None, "single", "double"


@pytest.fixture(scope="module")
def results():
    return eatlas.run(tests=["weat-1", "weat-6"])


@pytest.fixture(scope="module")
def two():
    vectors = {"plain": "glove-sample", "centred": "glove-sample?transform=center"}
    return eatlas.run(tests=["weat-1", "weat-6"], vectors=vectors)


@pytest.fixture(scope="module")
def religion():
    return eatlas.run(tests="divdist-religion", measures="divdist(resamples=50)")


def test_findings_without_d_have_no_axis_of_d(religion):
    plot = eatlas.plot(religion, "findings")
    assert "Axis: effect size d" not in plot.description
    assert "0" not in texts(plot)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("kind", sorted({*KINDS} - OF_PACKAGES))
def test_every_kind_is_drawn_in_every_width(kind, width, results, two, religion):
    dated = [r.model_copy(update={"period": y}) for y in (1990, 2000) for r in results]
    some = {
        "matrix": two, "scatter": two, "targets": religion, "timeline": dated, "triangle": religion,
    }  # fmt: skip
    drawn_in_width(some.get(kind, results), kind, width)


def drawn_in_width(shown, kind, width):
    plot = eatlas.plot(shown, kind, width=width)
    root = svg_root(plot.svg)
    assert len(plot.alt) > 20
    assert root.findtext(f"{SVG}desc") == f"{plot.alt} {plot.description}"
    if width:
        mm = {"single": 89, "double": 183}[width]
        assert root.get("width") == f"{mm:.2f}mm"
        pixels, _ = size_of(plot.drawn)
        assert 12 * mm / pixels * 72 / 25.4 == pytest.approx(7, rel=0.01)  # letters of 7 points
        for page in plot.pages or (plot,):
            assert float(svg_root(page.svg).get("height").removesuffix("mm")) <= PAGE
    # nothing is drawn beside the paper
    wide, high = size_of(plot.drawn)
    for node in root.iter(f"{SVG}text"):
        if node.get("x") and kind not in {"plane", "eat-map"}:
            assert -1 <= float(node.get("x")) <= wide
            assert float(node.get("y")) <= high
    # the title is drawn, what explains the drawing is not
    drawn = " ".join(texts(plot))
    assert drawn.startswith(plot.title.split(" (1 of")[0][:40])
    assert plot.description.startswith(plot.title)
    assert "asks about these words" not in drawn


@pytest.mark.parametrize("kind", sorted(KINDS.keys() - OF_OTHERS))
def test_hostile_names_stay_text(kind):
    result = full(names=HOSTILE, period=1990, test="<b>&", adjusted=adjusted())
    plot = eatlas.plot(result, kind)
    tags = {node.tag.removeprefix(SVG) for node in svg_root(plot.svg).iter()}
    assert tags <= {"svg", "title", "desc", "style", "g", "rect", "circle", "text", "path"}


def test_what_is_drawn_without_a_kind(results, religion):
    assert eatlas.plot(results[0]).alt.startswith(
        "EAT-Map by the paper's rule, pattern AX-Singular"
    )
    assert eatlas.plot(religion[0]).alt.startswith("Associations of ")
    for several in (results, weat(), [ml_eat()], Results([ml_eat(), weat()]), sc_eat({"a": 0.6})):
        assert eatlas.plot(several).alt.startswith("Forest plot of ")


def test_a_file_needs_nothing_else(results, tmp_path):
    results.plot().save(tmp_path / "deep" / "forest.svg")
    text = (tmp_path / "deep" / "forest.svg").read_text(encoding="utf-8")
    assert text.startswith('<?xml version="1.0" encoding="UTF-8"?>\n<svg ')
    assert not re.search(r"var\(|url\(|@import|href|<script|https?://(?!www.w3.org)", text)
    known = set(re.findall(r"\.([\w-]+)", re.sub(r"\{.*?\}", "", style())))
    used = {c for node in svg_root(text).iter() for c in (node.get("class") or "").split()}
    assert used - known <= {"forest", "figure"}


def test_pdf_and_png_have_the_size_in_print(results, tmp_path):
    plot = eatlas.plot(results, "forest", width="single")
    for name in ("a.pdf", "a.PNG"):
        plot.save(tmp_path / name)
    pdf, png = ((tmp_path / name).read_bytes() for name in ("a.pdf", "a.PNG"))
    assert pdf.startswith(b"%PDF-")
    assert b"/Font" in pdf
    wide = float(re.search(rb"/MediaBox\s*\[\s*0\s+0\s+([\d.]+)", pdf)[1])
    assert wide == pytest.approx(89 / 25.4 * 72, abs=0.5)
    assert struct.unpack(">I", png[16:20])[0] == pytest.approx(89 / 25.4 * 300, abs=2)


@pytest.mark.parametrize("name", ["👩‍👩‍👧‍👦", "漢字 שלום", "العربية 👩", "1️⃣"])
def test_no_script_brings_the_renderer_down(name, tmp_path):
    eatlas.plot(full(names={"X": name, "Y": f"Level 2: {name}"})).save(tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


def test_without_the_extra_svg_is_left(tmp_path):
    code = (
        "import sys; sys.modules['vl_convert'] = None\n"
        "from tests.present.records import ml_eat\nimport eatlas\nplot = eatlas.plot(ml_eat())\n"
        f"plot.save({str(tmp_path / 'a.svg')!r})\n"
        f"try:\n    plot.save({str(tmp_path / 'a.pdf')!r})\n"
        "except eatlas.EatlasError as error:\n    print(error)\n"
        "assert not {'pandas', 'altair', 'numba'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "remedy: pip install 'eatlas[plots]'" in done.stdout, done.stderr
    assert (tmp_path / "a.svg").stat().st_size > 1000


def test_notebooks_show_an_image():
    plot = eatlas.plot(ml_eat(names=HOSTILE))
    assert re.fullmatch(
        r'<figure><img alt="[^"<>]+" src="data:image/svg\+xml;base64,[\w+/=]+">'
        "<figcaption>[^<>]+</figcaption></figure>",
        plot._repr_html_(),
    )
    assert repr(eatlas.plot([weat()])) == (
        "<drawing: In these word lists, Flowers are more strongly associated with Pleasant than "
        "Insects are; generalisation cannot be tested (too few words)>"
    )


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda r: eatlas.plot(r, "pie"), r"got: 'pie'\n  allowed: eat-map, findings, forest"),
        (lambda _: eatlas.plot(None), "a drawing is made of results"),
        (lambda _: eatlas.plot([]), "got: 0 results"),
        (lambda _: eatlas.plot(weat(), "eat-map"), "allowed: results of ML-EAT"),
        (
            lambda _: eatlas.plot(weat(), "adjusted"),
            "allowed: results with associations adjusted for",
        ),
        (lambda r: eatlas.plot(r, "timeline"), "got: 2 results, 0 of them with a period"),
        (
            lambda r: eatlas.plot(r, "forest", alpha=0.01),
            "takes no alpha\n  got: alpha=0.01\n  allowed: kinds with alpha: significance",
        ),
        (lambda r: eatlas.plot(r, width="tripple"), r'allowed: "single" \(89 mm\)'),
        (lambda r: eatlas.plot(r, width=5), "cannot have this width"),
        (lambda r: eatlas.plot(r).save("a.jpg"), "got: .jpg\n  allowed: .svg, .pdf, .png"),
        (lambda r: eatlas.plot(r).save("a"), "a name without an ending"),
    ],
)
def test_what_is_refused(results, call, said):
    with pytest.raises(EatlasError, match=said):
        call(results)


def test_a_forest_has_the_numbers_of_every_effect(results):
    plot = eatlas.plot(results, width="double")
    written = texts(plot)
    for result in results:
        for effect in result.effects():
            assert f"{effect.d:.2f}".replace("-", "−") in written
            low, high = effect.interval
            assert f"[{low:.2f}, {high:.2f}]".replace("-", "−") in written
    verdicts = [q.verdict for f in findings_of(results) for q in f.questions.values()]
    assert verdicts.count("supported") == len(re.findall('class="m on[ "]', plot.drawn)) == 3
    assert verdicts.count("not shown") == len(re.findall('class="m no[ "]', plot.drawn)) == 3
    assert "Filled: supported. Outlined: in these word lists only." in " ".join(written)


def test_a_forest_of_one_measure_has_a_mark_for_each_of_its_numbers(religion):
    """Mean bias and bias of the concept are called otherwise, and are on one scale."""
    drawing = eatlas.plot(religion, "forest")
    assert len(re.findall('<path[^>]*class="b"', drawing.svg)) == len(religion[0].effects()) == 2
    assert "Gray: no test." in drawing.description


def test_adjusted_joins_both_effect_sizes_of_level_1_of_many_and_of_all_levels_of_one(results):
    many, one = (eatlas.plot(some, "adjusted", width=85) for some in (results, results["weat-6"]))
    for plot, effects in (
        (many, [result.effect("level1") for result in results]),
        (one, results["weat-6"].effects()),
    ):
        written, both = texts(plot), [e for effect in effects for e in (effect, effect.after)]
        assert [text for text in written if re.fullmatch(r"−?\d\.\d\d", text)] == [
            f"{e.d:.2f}".replace("-", "−") for e in both
        ]
        for mark in (r"m on( [xy])?", r"m( [xy])?", r"i( [xy])?", "b faint"):
            assert len(re.findall(f'class="{mark}"', plot.drawn)) == len(effects)
    assert "weat-6: Male names against Female names: d = 1.72, 2.37 adjusted" in many.alt
    assert (
        "Filled: d adjusted for frequency, with its 95% interval for other words."
        in many.description
    )


def test_adjusted_marks_lie_on_one_axis():
    """From hollow to filled; the bar of the interval ends where the numbers say."""
    values = adjusted(d=0.3)
    drawn = eatlas.plot(full(d=1.4, adjusted=values), "adjusted").drawn
    x0, x1 = map(float, re.search(r'd="M([\d.]+) [\d.]+H([\d.]+)" class="i"', drawn).groups())
    low, high = map(float, re.search(r'd="M([\d.]+) [\d.]+H([\d.]+)v5', drawn).groups())
    unit = (x1 - x0) / (0.3 - 1.4)
    assert unit > 0
    assert high - low == pytest.approx(1.1 * unit, abs=0.2)
    assert x1 - low == pytest.approx(0.5 * unit, abs=0.2)


def test_adjusted_of_no_spread_is_a_dash():
    written = texts(eatlas.plot(full(adjusted=adjusted(d=None)), "adjusted"))
    assert written.count("–") == 3


def test_a_matrix_says_what_differs(two):
    plot = two.compare("source").plot()
    assert plot.title == "Level 1 differs by at most 0.04 between plain and centred (weat-1)"
    assert texts(plot).count("supported") == 4
    assert "weat-6: plain: supported" in plot.alt
    assert (
        "centred: supported, weat-6: level 1, Male names against Female names: d = 1.72" in plot.alt
    )
    with pytest.raises(ResultsError, match="does not fit"):
        eatlas.plot(two, "matrix", width=40)


def test_influence_is_d_without_each_term(results):
    (result,) = (r for r in results if r.test == "weat-6")
    written = texts(eatlas.plot(result, "influence"))
    level = result.effect("level2.Y")
    change = level.influence["Y"][result.scored("Y").index("Diana")]
    assert f"{level.d + change:.2f}".replace("-", "−") in written
    assert "Diana" in written


def test_resamples_have_the_share_of_the_observed_pattern(results):
    share = results["weat-6"].primary.uncertainty.patterns["BY-Singular"]
    assert f"BY-Singular {share:.0%}" in eatlas.plot(results["weat-6"], "resamples").alt


def test_null_is_the_permutation_distribution():
    """Few targets have few relabellings: each bar is as high as their share."""
    result = eatlas.run(
        eatlas.AssociationTest(X=["man", "boy"], Y=["woman", "girl"], A=["he", "him"], B=["she", "her"]),
        "glove-sample", "weat",
    )[0]  # fmt: skip
    (drawn,) = null(result, 460.0).pages()
    heights = sorted({float(h) for h in re.findall(r"v-([\d.]+)H", drawn)} - {0.0})
    assert 2 <= len(heights) <= 6
    assert len(re.findall(r"v-[\d.]+H", drawn)) == BINS
    assert f"observed d = {result.value:.2f}" in drawn


def test_a_timeline_says_which_years_are_missing():
    series = [full(period=year) for year in (1950, 1960, 1980)]
    assert "without a result: 1970" in eatlas.plot(series, "timeline").alt
    with pytest.raises(ResultsError, match="2 results, 2 of them with a period"):
        eatlas.plot([series[0], series[0]], "timeline")


@given(st.lists(st.floats(-3, 3), min_size=1, max_size=12), st.floats(60, 400))
def test_any_effects_are_drawn_in_any_width(sizes, width):
    drawn = eatlas.plot(
        [ml_eat(d=round(d, 3), test=f"t-{i}") for i, d in enumerate(sizes)], "forest", width=width
    )
    assert isinstance(drawn, Plot)
    numbers = [float(x) for x in re.findall(r'(?:x|cx)="([-\d.]+)"', drawn.drawn)]
    assert np.isfinite(numbers).all()


def test_a_drawing_that_is_longer_than_a_page_goes_on_over_pages(results, tmp_path):
    many = [r.model_copy(update={"test": f"t-{n}"}) for n, r in enumerate([*results] * 8)]
    plot = eatlas.plot(many, "forest", width="single")
    assert len(plot.pages) > 1
    plot.save(tmp_path / "forest.svg")
    names = [f"forest-{n}.svg" for n in range(1, len(plot.pages) + 1)]
    assert sorted(path.name for path in tmp_path.iterdir()) == names
    axes, seen = set(), []
    for n, page in enumerate(plot.pages, start=1):
        root = svg_root(page.svg)
        assert float(root.get("height").removesuffix("mm")) <= PAGE
        written = texts(page)
        assert f"({n} of {len(plot.pages)})" in " ".join(written)
        seen += [text for text in written if re.fullmatch(r"t-\d+: .*", text)]
        axes.add(tuple(t for t in written if t in {"−2", "−1", "0", "1", "2"}))
        assert "Effect size d" in written
    assert len(axes) == 1, "one scale on all pages"
    assert len(seen) >= 16, "each test is on one of them"
    assert eatlas.plot(many, "forest").pages == ()


def test_what_cannot_be_divided_is_refused_where_it_is_longer_than_a_page(results):
    with pytest.raises(ResultsError, match=r"(?s)longer than a page.*allowed: 247 mm.*remedy: "):
        eatlas.plot(results[0], "plane", width=300)


def test_a_title_of_ones_own(results):
    plot = eatlas.plot(results[0], "null", title="What chance shows")
    assert texts(plot)[0] == plot.title == "What chance shows"
    assert "weat-1: Flowers and insects, pleasant and unpleasant · GloVe 6B (100d)" in texts(plot)
    plain = results[0].plot("null", title="")
    assert not any("weat-1" in text or "Flowers" in text for text in texts(plain))
    assert results.plot(title="Ten tests").title == "Ten tests"


def test_two_prompts_share_a_panel():
    both = (("The {}", 1.0), ("A {}", 0.5))
    series = [encoded(layer=n, prompt=prompt, d=d) for prompt, d in both for n in "12"]
    plot = eatlas.plot(series, "timeline")
    lines = re.findall('<path d="[^"]*" class="open"', plot.drawn)
    panels = re.findall('class="figure timeline"', plot.drawn)
    assert (len(panels), len(lines)) == (3, 6)
    assert {"“The {}”", "prompt “A"} <= set(texts(plot))


def test_names_in_a_triangle_lie_on_no_dot(religion):
    root = svg_root(triangle(religion[0], 433.0))
    (dots,) = (p.get("d") for p in root.iter("path") if p.get("class") == "fig-dot")
    spots = [(float(x) + DOT, float(y)) for x, y in re.findall(r"M([\d.]+) ([\d.]+)", dots)]
    named = [t for t in root.iter("text") if t.get("font-size") == "11"]
    assert "reference" in [t.text for t in named]
    for text in named:
        spot = float(text.get("x")), float(text.get("y"))
        left, top, right, bottom = text_box(text.text, spot, text.get("text-anchor"), 11)
        assert not [(x, y) for x, y in spots if left < x < right and top < y < bottom]


def test_charts_and_tables_write_an_interval_alike(results):
    low, high = results["weat-6"].effects()[0].interval
    between = f"[{low:.2f}, {high:.2f}]".replace("-", "−")
    assert between in texts(eatlas.plot(results, "forest"))
    assert between in report_table(results, "markdown").replace("\\", "")


PROTANOPIA = (0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)  # fmt: skip
DEUTERANOPIA = (0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)  # fmt: skip
"""Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB."""
APART = 20.0
"""Distance in CIELAB; two colours beside each other differ from about 2 on."""


def lab(colour, seen):
    """A colour in CIELAB, as somebody sees it."""
    parts = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    rgb = np.clip(np.array(seen) @ linear, 0, 1)
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    x, y, z = np.cbrt(np.array(to_xyz) @ rgb / [0.9505, 1.0, 1.089])
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("seen", [PROTANOPIA, DEUTERANOPIA], ids=["protanopia", "deuteranopia"])
@pytest.mark.parametrize("sheet", ["report.css", "dark.css"])
def test_the_five_colours_of_marks_differ_for_the_colour_blind(sheet, seen):
    colours = variables((TEMPLATES / sheet).read_text(encoding="utf-8").partition("}")[0])
    used = [lab(colours[name], seen) for name in ("line-x", "line-y", "line-a", "muted", "ink")]
    assert min(np.linalg.norm(a - b) for a, b in combinations(used, 2)) > APART
