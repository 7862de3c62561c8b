"""The page of a measure card in a browser: axe, narrow screens, the theme, tables that open."""

import pytest
from playwright.sync_api import expect
from tests.browsing import violations
from tests.present.browser.conftest import DESK, PHONE

import eatlas
from eatlas.present.card import VERDICT, card_html


@pytest.fixture(scope="module")
def page_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("card") / "card.html"
    criteria = ["face", "content", "convergent", "consequential"]
    path.write_text(card_html(eatlas.protocol("semaxis", criteria=criteria)), encoding="utf-8")
    return path


@pytest.mark.parametrize(("scheme", "width"), [("light", DESK), ("dark", DESK), ("light", PHONE)])
def test_axe_is_content_and_nothing_overflows(page_file, open_page, scheme, width):
    page = open_page(page_file, scheme=scheme, width=width)
    page.locator("details").evaluate_all("all => all.forEach(one => { one.open = true; })")
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_the_theme_changes(page_file, open_page):
    page = open_page(page_file)
    page.get_by_role("button", name="Dark").click()
    expect(page.get_by_role("button", name="Light")).to_be_visible()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


def test_what_is_read_stands_on_the_page(page_file, open_page):
    page = open_page(page_file)
    expect(page.get_by_text(VERDICT)).to_be_visible()
    expect(page.get_by_role("heading", name="Face validity")).to_be_visible()
    expect(page.get_by_text("Not run.").first).to_be_visible()
    drawn = page.get_by_role("img", name="Where each profession leans")
    expect(drawn).to_be_visible()
    assert "nurse" in drawn.get_attribute("aria-label")
    table = page.get_by_role("region", name="glove-sample: Sign of each profession")
    expect(table).to_be_hidden()
    page.get_by_text("Sign of each profession", exact=True).click()
    expect(table.get_by_role("row", name="nurse")).to_be_visible()
