"""Pages of the site in a real browser: axe finds no fault, and no page is wider than its window."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect
from tests.browsing import violations
from tests.present.browser.conftest import DESK, PHONE

import eatlas

ROOT = Path(__file__).parents[3]
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("site")]
KINDS = {
    "index": "the front page",
    "other-tools": "wide tables with an empty head",
    "methods/ml-eat": "formulas and drawings",
    "faq": "questions",
    "which-measure": "a drawing with links",
    "reading-the-report": "pictures light and dark",
    "tutorials/social-scientist": "a tutorial with its pictures",
    "cards/index": "measure cards",
    "cards/weat": "a measure card",
    "batteries": "tables of numbers",
    "gallery": "a notebook with charts",
    "reference/index": "names with their lines",
    "reference/cli/run": "options of a command",
    "reference/api/words": "parameters of measures",
    "reference/api/levels": "fields of records",
}
"""A page of each kind; all others are made of the same parts."""
WIDE = 1920
FONTS = "DejaVu Sans", "Liberation Sans"

LENGTHS = """() => [...document.querySelectorAll('main p')].flatMap(p => {
  const range = document.createRange();
  range.selectNodeContents(p);
  const lines = new Set([...range.getClientRects()].map(box => Math.round(box.bottom / 12))).size;
  return lines > 2 ? [p.textContent.length / lines] : [];
})"""
"""Characters in a line of each longer paragraph."""


@pytest.fixture
def opened(tabs, site):
    """Open a page as a reader would."""

    def page_of(name, width=DESK, scheme="light"):
        return tabs.open((site / f"{name}.html").as_uri(), width=width, scheme=scheme)

    return page_of


def axe_is_content_in_both_schemes(page):
    axe_is_content(page, "default")
    page.set_viewport_size({"width": PHONE, "height": 900})
    page.emulate_media(color_scheme="dark")
    page.reload()  # as by a reader who comes with them
    axe_is_content(page, "slate")


def axe_is_content(page, scheme):
    expect(page.locator("h1").first).to_be_visible()
    page.wait_for_function("document.readyState === 'complete'")
    shown = page.evaluate("document.body.dataset.mdColorScheme ?? null")  # a card has none
    assert shown in {None, scheme}
    assert violations(page) == []


def it_fits_its_window(page):
    beyond = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    for font in FONTS:
        page.add_style_tag(content=f'* {{ font-family: "{font}" !important; }}')
        for width in (PHONE, DESK, WIDE):
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate(beyond) == 0, (font, width)


@pytest.mark.parametrize("name", KINDS)
def test_axe_is_content_and_no_page_is_wider_than_its_window(opened, name):
    page = opened(name)
    axe_is_content_in_both_schemes(page)
    it_fits_its_window(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("width", "picture"), [(DESK, "findings"), (PHONE, "findings-phone")])
def test_the_front_page_shows_the_findings_in_its_own_colours_and_width(
    opened, width, picture, scheme
):
    page = opened("index", width=width, scheme=scheme)
    shown = page.locator(".hero img:visible")
    expect(shown).to_have_count(1)
    assert shown.evaluate("image => image.currentSrc").endswith(f"/{picture}-{scheme}.png")
    box = shown.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width


def test_the_header_names_the_version_and_leads_to_the_repository(opened):
    link = opened("index").locator(".md-header__source a")
    expect(link).to_contain_text(eatlas.__version__)
    config = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert f"\nrepo_url: {link.get_attribute('href')}\n" in config


def test_what_scrolls_sideways_is_reached_by_the_keyboard(opened):
    page = opened("other-tools", PHONE)
    wide = page.locator(".md-typeset__scrollwrap.scrolls").first
    expect(wide).to_have_attribute("tabindex", "0")
    wide.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("document.activeElement.scrollLeft > 0")


def test_lines_of_text_can_be_read(opened):
    """About 75 to 90 characters on a desk, in the fonts that are here."""
    page = opened("faq")
    lines = page.evaluate(LENGTHS)
    assert lines
    assert 60 <= sum(lines) / len(lines) <= 92


def test_names_lead_to_what_they_are(opened):
    page = opened("reference/index")
    page.get_by_role("link", name="MLEAT", exact=True).click()
    expect(page).to_have_url(re.compile(r"reference/api/words\.html#eatlas\.MLEAT$"))
    rows = page.locator("table.doc-fields").first.locator("tbody tr")
    expect(rows.first).to_contain_text("alpha")
    assert rows.count() > 10


def test_a_record_is_a_table_of_its_fields(opened):
    page = opened("reference/api/levels")
    field = page.locator("tr[id='eatlas.results.levels.Level.effect_size']")
    expect(field).to_contain_text("Magnitude")
    expect(page.locator(".doc-class .doc-attribute")).to_have_count(0)
