"""The keyboard reaches everything, and axe finds no fault (WCAG 2.2 AA and good practice)."""

import pytest
from playwright.sync_api import expect
from tests.browsing import violations
from tests.present.browser.conftest import DESK, PHONE, unfold

FOCUSED = "document.activeElement.textContent.trim()"


@pytest.mark.parametrize(
    ("scheme", "width"),
    [
        ("light", DESK),
        pytest.param("dark", DESK, marks=pytest.mark.slow),
        pytest.param("light", PHONE, marks=pytest.mark.slow),
        pytest.param("dark", PHONE, marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("made", ["mixed", pytest.param("ten_page", marks=pytest.mark.slow)])
def test_axe_is_content(made, request, open_page, scheme, width):
    page = open_page(request.getfixturevalue(made), scheme=scheme, width=width)
    page.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true; })")
    if made == "ten_page":
        page.locator(".claim input").nth(2).uncheck()
        assert page.locator(".claim .off").count() == 3
    assert violations(page) == []


def test_the_keyboard_comes_to_the_results(ten_page, open_page):
    page = open_page(ten_page)
    page.keyboard.press("Tab")
    assert page.evaluate(FOCUSED) == "Skip to the findings"
    assert page.locator(".skip").bounding_box()["width"] > 100  # seen once it has the focus
    page.keyboard.press("Enter")
    reached = []
    for _ in range(6):
        page.keyboard.press("Tab")
        reached.append(
            page.evaluate("document.activeElement.id || document.activeElement.className")
        )
    assert reached == ["line"] * 6


def test_the_keyboard_sorts_follows_links_and_unfolds(ten_page, open_page):
    page = open_page(ten_page)
    unfold(page)
    page.locator("table.summary thead button").first.focus()
    page.keyboard.press("Space")
    assert page.locator("th[aria-sort]").get_attribute("aria-sort") == "ascending"
    page.locator("table.summary tbody a", has_text="weat-6").focus()
    page.keyboard.press("Enter")
    assert page.url.endswith("#weat-6")
    assert page.evaluate("document.activeElement.id") == "weat-6"
    expect(page.locator("article.result:has(#weat-6) .body")).to_be_visible()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "line"
    for value in ("1", "2", "4"):  # the switches of tests
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.value") == value
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.ariaLabel") == "Questions of weat-6"
    page.keyboard.press("Tab")
    assert page.evaluate(FOCUSED).startswith("Each test in full")
    page.locator("article.result:has(#weat-6) .body summary", has_text="Words:").focus()
    page.keyboard.press("Enter")
    assert page.locator("article.result:has(#weat-6) table.coverage").is_visible()


def test_wide_tables_are_cards_on_a_phone(ten_page, open_page):
    page = open_page(ten_page, width=PHONE)
    unfold(page)
    table = page.get_by_role("table", name="ML-EAT(")
    cell = table.locator("tbody td").nth(1)
    assert cell.evaluate("cell => getComputedStyle(cell, '::before').content").startswith(
        '"Level 1: d"'
    )
    assert table.get_by_role("rowheader").count() == 10
