"""Timelines in a browser: on a desk and a telephone, light and dark, on paper."""

import pytest
from playwright.sync_api import expect
from tests.browsing import violations
from tests.present.browser.conftest import DESK, PHONE
from tests.present.browser.test_reading import overflow
from tests.present.records import full, ml_eat, trend

from eatlas.results import Results

YEARS = (*range(1800, 1860, 10), *range(1870, 2000, 10))
BOXES = """[...document.querySelectorAll('#over-time svg.figure text')].map(text => {
  const box = text.getBoundingClientRect(); return [box.left, box.right, box.height]; })"""
LONG = {"X": "Donaudampfschifffahrtsgesellschaft" * 5, "Y": "<b>" * 40, "A": "שמות", "B": "長" * 80}


@pytest.fixture(scope="module")
def decades():
    """Nineteen decades; of one there is no result."""
    given = [full(period=y, d=(y - 1890) / 60, d_Y=(1890 - y) / 80) for y in YEARS]
    missing = [{"period": 1860, "reason": "only 1 term has a usable vector"}]
    return Results(given, trends=[trend(YEARS, missing=missing)])


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [DESK, PHONE])
def test_a_timeline_fits_and_can_be_read(decades, open_page, picture, scheme, width):
    page = open_page(decades, width=width, scheme=scheme)
    assert overflow(page) == 0
    figure = page.locator("#over-time figure svg").bounding_box()
    assert 300 < figure["width"] <= width
    page.locator("#over-time").evaluate("element => element.scrollIntoView()")
    picture(page, f"over-time-{scheme}-{width}")
    drawn = page.evaluate(BOXES)
    assert len(drawn) > 20
    for left, right, height in drawn:
        assert left >= figure["x"] - 1
        assert right <= figure["x"] + figure["width"] + 1
        assert height > 9


def test_the_table_opens_and_leads_to_each_year(decades, open_page):
    page = open_page(decades)
    page.locator("summary", has_text="Effect sizes of test-1 by year").click()
    row = page.locator("table.by-year tbody tr", has_text="1860")
    assert row.inner_text().split("\t")[1] == "no result: only 1 term has a usable vector"
    page.locator("table.by-year a", has_text="1870").click()
    assert page.url.endswith("#test-1-7")
    expect(page.locator("#test-1-7")).to_be_visible()


def test_axe_is_content_with_timelines(open_page):
    missing = [{"period": 1910, "reason": "too few words"}]
    given = [ml_eat(period=year) for year in (1900, 1920)]
    shown = Results(given, trends=[trend((1900, 1920), missing=missing, warnings=["small"])])
    page = open_page(shown, scheme="dark")
    page.evaluate("document.querySelector('#over-time details').open = true")
    assert violations(page, "#over-time") == []


def test_paper_shows_the_table_in_light_colours(decades, open_page):
    page = open_page(decades, scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    assert page.locator("table.by-year").evaluate("element => element.checkVisibility()")
    colour = "getComputedStyle(document.querySelector('#over-time .fig-series.x .on')).fill"
    assert page.evaluate(colour) == "rgb(0, 114, 178)"


def test_long_names_stay_in_the_drawing(open_page, picture):
    given = [full(period=year, names=LONG, test="t" * 200) for year in (1990, 2000)]
    page = open_page(given, width=PHONE)
    assert overflow(page) == 0
    page.locator("#over-time").evaluate("element => element.scrollIntoView()")
    picture(page, "over-time-long")


def test_a_packed_table_opens(open_page):
    years = range(1800, 1842)
    page = open_page(Results([ml_eat(period=y) for y in years], trends=[trend(years)]))
    part = page.locator("#over-time details.later")
    part.locator("> summary").click()
    expect(part.locator("table.by-year tbody tr").first).to_be_visible()
    assert part.locator("table.by-year tbody tr").count() == 42
