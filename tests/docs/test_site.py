"""Pages of the site in a real browser: axe finds no fault, and no page is wider than its window."""

import shutil
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from mkdocs.commands.build import build
from mkdocs.config import load_config
from playwright.sync_api import expect
from tests.present.browser.conftest import DESK, PHONE

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
KINDS = {
    "index": "the front page",
    "other-tools": "wide tables with an empty head",
    "methods/ml-eat": "formulas and drawings",
    "reference/cli": "the command line",
    "reference/api/errors": "docstrings",
}
"""A page of each kind; all others are made of the same parts."""
WIDE = 1920


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """The site of these pages alone, as `make docs` builds it."""
    docs = tmp_path_factory.mktemp("docs")
    for name in KINDS:
        (docs / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(DOCS / f"{name}.md", docs / f"{name}.md")
    for folder in ("assets", "images"):
        shutil.copytree(DOCS / folder, docs / folder)
    nav = [{"Home": "index.md"}, {"Pages": [f"{name}.md" for name in KINDS if name != "index"]}]
    made = tmp_path_factory.mktemp("site")
    build(
        load_config(
            str(ROOT / "mkdocs.yml"), docs_dir=str(docs), site_dir=str(made), nav=nav, validation={}
        )
    )
    return made


@pytest.fixture
def opened(browser, site):
    """Open a page as a reader would; at the end its scripts may not have failed."""
    faults, contexts = [], []

    def page_of(name, width=DESK, scheme="light"):
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, reduced_motion="reduce"
        )
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: faults.append(f"{name}: {error}"))
        page.goto((site / f"{name}.html").as_uri())
        return page

    yield page_of
    for context in contexts:
        context.close()
    assert not faults


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize(("scheme", "width"), [("light", DESK), ("dark", PHONE)])
def test_axe_is_content(opened, name, scheme, width):
    page = opened(name, width, scheme)
    expect(page.locator("main h1").first).to_be_visible()
    page.wait_for_function("document.readyState === 'complete'")
    found = Axe().run(page).response["violations"]
    assert [f"{rule['id']}: {node['html']}" for rule in found for node in rule["nodes"]] == []


@pytest.mark.parametrize("name", KINDS)
def test_no_page_is_wider_than_its_window(opened, name):
    for width in (PHONE, DESK, WIDE):
        page = opened(name, width)
        beyond = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert page.evaluate(beyond) == 0, width


def test_the_front_page_shows_the_findings_in_its_own_colours(opened):
    for scheme in ("light", "dark"):
        page = opened("index", scheme=scheme)
        shown = page.locator(".hero img:visible")
        expect(shown).to_have_count(1)
        assert f"findings-{scheme}.png" in shown.get_attribute("src")


def test_what_scrolls_sideways_is_reached_by_the_keyboard(opened):
    page = opened("other-tools", PHONE)
    wide = page.locator(".md-typeset__scrollwrap.scrolls").first
    expect(wide).to_have_attribute("tabindex", "0")
    wide.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("document.activeElement.scrollLeft > 0")
