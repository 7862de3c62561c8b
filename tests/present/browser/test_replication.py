"""The page of a replication in a browser: axe, narrow screens, the theme."""

import pytest
from playwright.sync_api import expect
from tests.browsing import violations
from tests.present.browser.conftest import DESK, PHONE

import eatlas
from eatlas.present.replication import replication_html


@pytest.fixture(scope="module")
def page_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("replication") / "replication.html"
    path.write_text(replication_html(eatlas.replicate("divdist")), encoding="utf-8")
    return path


@pytest.mark.parametrize(("scheme", "width"), [("light", DESK), ("dark", DESK), ("light", PHONE)])
def test_axe_is_content_and_nothing_overflows(page_file, open_page, scheme, width):
    page = open_page(page_file, scheme=scheme, width=width)
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_the_theme_changes(page_file, open_page):
    page = open_page(page_file)
    page.get_by_role("button", name="Dark").click()
    expect(page.get_by_role("button", name="Light")).to_be_visible()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
