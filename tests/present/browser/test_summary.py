"""Sorting and filtering."""

from playwright.sync_api import Page, expect
from tests.present.browser.conftest import unfold


def order(page: Page, table: str = "ml-eat") -> list[str]:
    """Effect sizes of level 1 in the order of the rows that are shown."""
    rows = table_of(page, table).locator("tbody tr:visible")
    cells = rows.locator("td.num:nth-child(4)").all_inner_texts()
    return ["".join(text.split("\n")[0].split()) for text in cells]


def table_of(page: Page, table: str = "ml-eat"):
    return page.locator("table.summary", has_text=f"{table.upper()}(")


def head(page: Page, name: str, table: str = "ml-eat"):
    return table_of(page, table).locator("thead").get_by_role("button", name=name, exact=True).first


def test_rows_are_sorted_by_a_column_and_back(mixed, open_page):
    page = open_page(mixed)
    unfold(page)
    before = ["1.40", "0.70", "−1.20", "–"]
    assert order(page) == before
    button = head(page, "d")
    cell = button.locator("xpath=ancestor::th")
    for wanted, direction in (
        (["−1.20", "0.70", "1.40", "–"], "ascending"),
        (["1.40", "0.70", "−1.20", "–"], "descending"),  # the undefined one stays last
        (before, None),
    ):
        button.click()
        assert order(page) == wanted
        assert cell.get_attribute("aria-sort") == direction


def test_rows_are_sorted_by_a_p_value_of_the_question(ten_page, open_page):
    page = open_page(ten_page)
    unfold(page)
    head(page, "adjusted for frequency").click()
    tests = table_of(page).locator("tbody th").all_inner_texts()
    assert tests[:2] == ["weat-1", "weat-2"]  # p = 1.1e-4, 3.1e-4
    assert tests[-1] == "weat-9"  # p = .76


def test_rows_are_found(mixed, open_page):
    page = open_page(mixed)
    unfold(page)
    for how, value, left in (
        ("#search", "nobody", 0),
        ("#search", "ONE  first", 2),
        ("#search", "insects", 5),  # an SC-EAT does not name its targets in the summary
        ("#test-filter", "two", 2),
        ("#verdict-filter", "these word lists only", 5),
        ("#verdict-filter", "not shown", 1),  # that of the undefined one
        ("#source-filter", "second.txt", 2),
    ):
        shown = page.locator("#shown")
        expect(shown).to_have_text("6 results")
        if how == "#search":
            page.fill(how, value)
        else:
            page.select_option(how, label=value)
        expect(shown).to_have_text(f"{left} of 6 results, here and in the findings")
        assert page.locator("table.summary tbody tr:visible").count() == left, value
        assert page.locator("article.result:visible").count() == left, value
        if how == "#search":
            page.fill(how, "")
        else:
            page.select_option(how, index=0)


def test_a_link_to_a_result_that_is_filtered_away_shows_it(mixed, open_page):
    page = open_page(mixed)
    unfold(page)
    page.fill("#search", "nobody")
    expect(page.locator("#shown")).to_contain_text("0 of 6")
    page.locator("#sources .settings a").nth(1).click()
    expect(page.locator("#one-2")).to_be_visible()  # once the browser says that the hash changed
