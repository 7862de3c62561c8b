"""Charts in the width of a journal's column."""

import re

import pytest

import eatlas
from eatlas.errors import ResultsError
from eatlas.present.charts.printing import LETTERS, POINTS_PER_MM, TYPE, millimetres

pytest.importorskip("altair")
HEAD = re.compile(
    r'<svg[^>]* width="([\d.]+)mm" height="([\d.]+)mm" viewBox="0 0 ([\d.]+) ([\d.]+)"'
)


@pytest.fixture(scope="module")
def results():
    return eatlas.run(tests=["weat-1", "weat-6", "weat-7"])


def head(chart, tmp_path):
    chart.save(tmp_path / "c.svg")
    return [float(size) for size in HEAD.search((tmp_path / "c.svg").read_text()).groups()]


@pytest.mark.parametrize(
    ("kind", "width", "size"),
    [
        *((kind, "single", 89) for kind in ("forest", "compact", "plane", "level3", "influence")),
        *((kind, "double", 183) for kind in ("forest", "plane", "cosines")),
        ("cosines", "single", 89),
        ("compact", 120, 120),
    ],
)
def test_the_width_and_the_letters_in_print(results, tmp_path, kind, width, size):
    given = results["weat-6"] if kind in {"plane", "level3", "influence", "cosines"} else results
    wide, high, pixels, tall = head(eatlas.plot(given, kind=kind, width=width), tmp_path)
    assert wide == pytest.approx(size, abs=0.3)
    assert wide / high == pytest.approx(pixels / tall, rel=1e-3)
    assert LETTERS * wide * POINTS_PER_MM / pixels == pytest.approx(TYPE, rel=0.01)


@pytest.mark.parametrize("kind", ["eat-map", "legend", "stability"])
def test_maps_of_one_size_are_wrapped_and_keep_their_letters(results, tmp_path, kind):
    wide, _, pixels, _ = head(eatlas.plot(results, kind=kind, width="double"), tmp_path)
    assert wide <= 183.01
    assert LETTERS * wide * POINTS_PER_MM / pixels == pytest.approx(TYPE, rel=0.01)


def test_a_triangle_keeps_its_angles():
    chart = eatlas.plot(eatlas.run(tests="divdist-religion"), "ternary", width="double")
    written = chart.to_dict()
    assert written["width"] == written["height"] > 360
    x, y = (written["layer"][1]["encoding"][way]["scale"]["domain"] for way in "xy")
    assert x[1] - x[0] == pytest.approx(y[1] - y[0])


def test_cells_of_the_legend_are_larger_on_two_columns():
    steps = [
        eatlas.plot(kind="legend", width=width).to_dict()["spec"]["width"]["step"]
        for width in ("single", "double")
    ]
    assert steps == [36, 72]


def test_the_forests_of_a_matrix_follow_the_width_of_their_panels():
    both = {"plain": "glove-sample", "centred": "glove-sample?transform=center"}
    chart = eatlas.plot(eatlas.run("weat-6", both), "matrix", width="double").to_dict()
    encodings = [layer["encoding"].get("x", {}) for layer in chart["spec"]["layer"]]
    scales = [x["scale"] for x in encodings if "scale" in x]
    assert len(scales) > 2
    assert all(scale == scales[0] for scale in scales)
    assert "range" not in scales[0]


def test_a_pdf_has_the_size_in_points(results, tmp_path):
    eatlas.plot(results, kind="compact", width="single").save(tmp_path / "c.pdf")
    box = re.search(rb"/MediaBox\s*\[\s*0\s+0\s+([\d.]+)", (tmp_path / "c.pdf").read_bytes())
    assert float(box[1]) == pytest.approx(89 * POINTS_PER_MM, abs=1)


def test_a_png_has_300_pixels_an_inch(results, tmp_path):
    eatlas.plot(results, kind="compact", width="single").save(tmp_path / "c.png")
    wide = int.from_bytes((tmp_path / "c.png").read_bytes()[16:20])
    assert wide == pytest.approx(89 / 25.4 * 300, abs=2)


def test_a_chart_of_a_screen_is_as_before(results, tmp_path):
    results.plot().save(tmp_path / "c.svg")
    assert not HEAD.search((tmp_path / "c.svg").read_text())


@pytest.mark.parametrize("width", ["tripple", 5, 2000, True, None.__class__])
def test_no_width(results, width):
    with pytest.raises(
        ResultsError, match=r"cannot have this width[\s\S]*allowed: \"single\" \(89 mm\)"
    ):
        eatlas.plot(results, kind="forest", width=width)
    assert millimetres("double") == 183


def test_what_does_not_fit_says_how_wide_it_is(results):
    with pytest.raises(
        ResultsError, match=r"does not fit into this width\n  got: 60 mm, where it takes \d+ mm"
    ):
        eatlas.plot(results, kind="stability", width=60)
