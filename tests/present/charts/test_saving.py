"""Files of charts."""

import json
import re
import struct
import warnings

import altair as alt
import pytest
from tests.present.charts.reading import holds
from tests.present.charts.records import HOSTILE, full

import eatlas
from eatlas.errors import EatlasError, EatlasWarning, ResultsError
from eatlas.present.charts import backend, save
from eatlas.present.charts.backend import lines_of, with_fonts
from eatlas.present.text import pixels

FOREIGN = re.compile(
    r"""(?:src|href)\s*=\s*["']?(?:https?:)?//|<link|<iframe|@import|url\(\s*["']?http"""
)


@pytest.fixture(scope="module")
def chart():
    return eatlas.plot(full(names=HOSTILE), kind="forest")


def read(chart, path, **options):
    chart.save(path, **options)
    return path.read_bytes()


def test_svg(chart, tmp_path):
    text = read(chart, tmp_path / "a.svg").decode()
    assert text.startswith('<?xml version="1.0" encoding="UTF-8"?>\n<svg ')
    assert holds(text, HOSTILE["X"])
    assert not FOREIGN.search(text)


def size_of(png):
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", png[16:24])


def test_png_grows_with_its_scale(chart, tmp_path):
    width, height = size_of(read(chart, tmp_path / "a.png"))
    half = size_of(read(chart, tmp_path / "b.PNG", scale_factor=1))
    assert half == pytest.approx((width / 2, height / 2), abs=1)


def test_pdf(tmp_path):
    chart = eatlas.plot(full(), kind="stability")
    found = read(chart, tmp_path / "a.pdf")
    assert found.startswith(b"%PDF-")
    assert found.rstrip().endswith(b"%%EOF")
    assert b"/Font" in found


def test_pdf_of_a_font_that_cannot_be_embedded_is_a_picture():
    found = backend._pdf_of_picture(backend.svg_of(eatlas.plot(kind="legend")))
    assert found.startswith(b"%PDF-")
    assert b"/Image" in found
    assert b"/Font" not in found


def test_pdf_of_emoji_is_written_either_way(tmp_path):
    chart = eatlas.plot(full(names={"X": "👩 women"}), kind="eat-map")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = read(chart, tmp_path / "a.pdf")
    assert found.startswith(b"%PDF-")
    # a machine without a font for emoji draws a box, whose font can be embedded
    for warning in said:
        assert warning.category is EatlasWarning
        assert "cannot be embedded in a PDF" in str(warning.message)
        assert warning.filename == __file__


@pytest.mark.parametrize(
    "name", ["👩‍👩‍👧‍👦", "🇩🇪 x", "👩🏽‍🚀 y", "❤️", "漢字 שלום", "العربية 👩", "1️⃣"]
)
def test_no_script_brings_the_renderer_down(name, tmp_path):
    # spans with their own fonts made it panic, and every later file of the process failed
    chart = eatlas.plot(full(names={"X": name, "Y": f"Level 2: {name} and more"}), kind="eat-map")
    assert size_of(read(chart, tmp_path / "a.png", scale_factor=0.5))


def test_fonts_are_chosen_by_script_in_texts_alone():
    given = '<desc>א</desc><text font-family="Arial" x="1">abc</text><text font-family="Arial">אב</text>'
    wanted = given.replace('"Arial">א', f'"{with_fonts.__globals__["_RIGHT_TO_LEFT"]}">א')
    assert with_fonts(given) == wanted
    assert with_fonts('<text font-family="A">👩\u200d👧 क्\u200dष ❤\ufe0f</text>') == (
        '<text font-family="A">👩👧 क्\u200dष ❤</text>'
    )


def test_room_is_kept_for_what_the_renderer_draws():
    family = "👩\u200d👩\u200d👧\u200d👦"  # one sign in a browser, four here
    assert backend.pixels(family, 10) == 4 * backend.pixels("👩", 10)
    assert backend.pixels("🇩🇪", 10) >= 2 * backend.pixels("👩", 10)
    assert backend.pixels("names", 10) == pixels("names", 10)
    name = "x" * 40
    assert len(lines_of(f"{name} שמות", 240)[0]) < len(lines_of(f"{name} abcd", 240)[0])


def test_html_needs_no_network_and_no_name_ends_its_script(chart, tmp_path):
    page = read(chart, tmp_path / "a.html").decode()
    assert not FOREIGN.search(page)
    assert "default-src 'none'" in page
    assert page.count("<script") == page.count("</script") == 3
    assert "<script>alert" not in page
    kept = re.search(r'type="application/json">(.*?)</script>', page, re.DOTALL)[1]
    assert json.loads(kept) == json.loads(json.dumps(chart.to_dict()))
    assert "vegaEmbed" in page
    assert "<noscript><svg " in page
    assert "<title>Effect sizes of levels 1 and 2</title>" in page


def test_json_is_the_specification(chart, tmp_path):
    kept = json.loads(read(chart, tmp_path / "a.json"))
    assert kept["$schema"].startswith("https://vega.github.io/schema/vega-lite/v6")
    assert kept == json.loads(json.dumps(chart.to_dict()))


@pytest.mark.parametrize(("name", "got"), [("a.jpg", ".jpg"), ("a", "a name without an ending")])
def test_other_endings_are_refused(chart, tmp_path, name, got):
    with pytest.raises(ResultsError) as caught:
        chart.save(tmp_path / name)
    assert str(caught.value) == (
        f"{tmp_path / name}: a chart is not saved like this\n  got: {got}\n"
        "  allowed: .svg, .pdf, .png, .html, .json\n  remedy: save it as a.svg"
    )
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("scale", [0, -1, 21, float("nan")])
def test_scales_out_of_range_are_refused(chart, tmp_path, scale):
    with pytest.raises(ResultsError) as caught:
        save(chart, tmp_path / "a.png", scale_factor=scale)
    assert str(caught.value) == (
        f"the scale of a chart is out of range\n  got: {scale!r}\n  allowed: 0.1 to 20"
    )


def test_a_place_that_cannot_be_written(chart, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ResultsError, match="cannot be written"):
        chart.save(tmp_path / "file" / "a.svg")


def test_any_altair_chart_is_saved_offline(tmp_path):
    values = alt.InlineData(values=[{"a": 1, "b": "</script>"}])
    other = alt.Chart(values, title="Mine").mark_point().encode(x="a:Q", tooltip="b:N")
    save(other, tmp_path / "a.html")
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "<title>Mine</title>" in page
    assert not FOREIGN.search(page)


def test_altairs_own_ways_of_saving_stay(chart, tmp_path):
    chart.save(tmp_path / "a.chart", format="svg")
    assert (tmp_path / "a.chart").read_text(encoding="utf-8").startswith("<svg")
    chart.save(tmp_path / "a.html", format="html")
    assert not re.search(r'src="http', (tmp_path / "a.html").read_text(encoding="utf-8"))


def test_without_vl_convert_a_chart_says_what_to_install(chart, monkeypatch, tmp_path):
    import sys

    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(EatlasError) as caught:
        chart.save(tmp_path / "a.svg")
    assert str(caught.value) == (
        "charts are saved by vl-convert-python, which is not installed\n"
        "  got: no module named vl_convert\n  allowed: the extra plots\n"
        "  remedy: pip install 'eatlas[plots]'"
    )
