"""A summary of very many rows shows the first of them until it is asked for more."""

import pytest
from playwright.sync_api import Page, expect
from tests.present.records import ml_eat

from eatlas.present import write_report
from eatlas.present.page import FIRST_ROWS

MANY = FIRST_ROWS + 10


@pytest.fixture(scope="module")
def long_page(tmp_path_factory):
    path = tmp_path_factory.mktemp("long") / "report.html"
    write_report([ml_eat(test=f"test-{i}", d=i / MANY) for i in range(MANY)], path)
    return path


def shown(page: Page) -> int:
    return page.locator("table.summary tbody tr:visible").count()


def test_all_rows_are_sorted_and_found(long_page, open_page):
    page = open_page(long_page)
    last = f"test-{MANY - 1}"
    page.locator("thead").get_by_role("button", name="d", exact=True).first.dblclick()
    assert page.locator("table.summary tbody a:visible").first.inner_text() == last
    page.fill("#search", last)
    expect(page.locator("#shown")).to_contain_text(f"1 of {MANY}")
    assert shown(page) == 1
    assert not page.locator(".more").is_visible()
    page.fill("#search", "")
    expect(page.locator("#shown")).to_have_text(f"{MANY} results")
    assert shown(page) == FIRST_ROWS
    assert page.locator(".more").is_visible()
