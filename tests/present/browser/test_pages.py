"""Pages beside the report: axe, narrow screens, the theme."""

import pytest
from playwright.sync_api import expect
from tests.browsing import violations
from tests.present.browser.conftest import DESK, PHONE

PAGES = ("card_page", "replication_page", "study_page")


@pytest.mark.parametrize("made", PAGES)
@pytest.mark.parametrize(("scheme", "width"), [("light", DESK), ("dark", DESK), ("light", PHONE)])
def test_axe_is_content_and_nothing_overflows(made, request, open_page, picture, scheme, width):
    page = open_page(request.getfixturevalue(made), scheme=scheme, width=width)
    page.locator("details").evaluate_all("all => all.forEach(one => { one.open = true; })")
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == width
    picture(page, f"{made}-{scheme}-{width}")


@pytest.mark.parametrize("made", PAGES)
def test_the_theme_changes(made, request, open_page):
    page = open_page(request.getfixturevalue(made))
    page.get_by_role("button", name="Dark").click()
    expect(page.get_by_role("button", name="Light")).to_be_visible()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
