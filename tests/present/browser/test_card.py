"""The page of a measure card in a browser: what is read, tables that open."""

from playwright.sync_api import expect

from eatlas.apps.protocol.card import VERDICT


def test_what_is_read_stands_on_the_page(card_page, open_page):
    page = open_page(card_page)
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
