"""A page of many results: a browser draws from data what a template writes for few."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from tests.present.browser.conftest import unfold
from tests.present.kinds import KINDS, results_of
from tests.present.records import full, ml_eat, planted, sc_eat, weat

from eatlas.present import report, write_report
from eatlas.present.blocks import html_of
from eatlas.present.details import PageParts, body_of
from eatlas.present.drawings.svg import Scales
from eatlas.present.family import DeclaredFamily
from eatlas.present.sections import sections
from eatlas.results import Results

LONG = ["a term whose name is much too long for a single line of the chart", "b", "c"]
HOSTILE = '<img src=x onerror="alert(1)"> & \x1b[31m \u202eevil </script>'
READ = """part => {
  const said = [];
  const walk = document.createTreeWalker(part, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const node = walk.currentNode;
    if (node.parentElement?.closest('.step, .take')) continue;
    if (node.nodeType === Node.TEXT_NODE) said.push(node.data);
    else said.push(node.getAttribute('title') ?? '', node.getAttribute('aria-label') ?? '');
  }
  return said.join('').replace(/\\s+/g, '');
}"""
"""All that a part says, with its tooltips and its names for screen readers."""


def drawn(page: Page, anchor: str) -> str:
    """What the body of a result says once it is opened."""
    article = page.locator(f'article.result[aria-labelledby="{anchor}"]')
    article.locator("summary.line").evaluate("part => part.parentElement.open = true")
    body = article.locator(".body")
    expect(body.locator("p.meta")).to_be_attached()
    return body.evaluate(READ)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [*KINDS, "records"])
def test_a_browser_draws_what_the_template_writes(kind, open_page, tmp_path: Path):
    if kind == "records":
        known = {"words": 0.004, "others": {"level1": 0.004, "level2.X": 0.3}, "after": 0.004}
        given = [
            full(),
            weat(),
            planted(**known),
            sc_eat({"nurse": -1.3, "void": None, "poet": 0.9}),
            ml_eat("AX-Singular", d=None, undefined="Y"),
            full(test="long", coverage={role: {"used": LONG, "missing": []} for role in "XYAB"}),
        ]
    else:
        given = list(results_of(kind, tmp_path))
    every = [*given, *(full(test=f"other-{i}") for i in range(report.OPEN_UP_TO))]
    page = open_page(Results(every))
    unfold(page)
    shown = sections(every, DeclaredFamily.of(every).of_several())
    parts = PageParts(Scales.of(every))
    for section in shown[: len(given)]:
        html = html_of(body_of(section, parts))
        written = page.evaluate(
            f"html => {{ const part = document.createElement('template'); "
            f"part.innerHTML = html; return ({READ})(part.content); }}",
            str(html),
        )
        assert drawn(page, section.anchor) == written


def test_names_from_results_are_never_markup(open_page):
    concepts = {"X": HOSTILE, "Y": "Insects", "A": "Pleasant", "B": HOSTILE[::-1]}
    many = [full(test=f"{HOSTILE} {i}", concepts=concepts) for i in range(41)]
    page = open_page(many)
    page.locator("summary.line").nth(2).click()
    body = page.locator("article.result .body").nth(2)
    expect(body.locator("table.cosines").first).to_be_visible()
    assert page.locator("img").count() == 0
    assert '<img src=x onerror="alert(1)">' in body.inner_text()
    assert not re.search("[\x1b\u202e]", body.inner_text())


@pytest.fixture
def page_of_some(open_page, monkeypatch, tmp_path) -> Page:
    """A page of 45 results that has the first five of them; the others are data."""
    monkeypatch.setattr(report, "FIRST_ROWS", 5)
    many = [full(test=f"test-{i}", d=0.5 + i / 50) for i in range(45)]
    write_report(many, tmp_path / "some.html")
    page = open_page(tmp_path / "some.html")
    unfold(page)
    expect(page.locator("#shown")).to_have_text("45 results")
    return page


def names_in_rows(page: Page) -> list[str]:
    return page.locator("table.summary tbody th").all_inner_texts()


def test_rows_that_are_data_are_found_and_sorted(page_of_some):
    page = page_of_some
    assert names_in_rows(page) == [f"test-{i}" for i in range(5)]
    assert page.locator("article.result").count() == 5
    button = page.locator("table.summary thead").get_by_role("button", name="d", exact=True).first
    for first in ("test-0", "test-44"):  # ascending, then descending
        button.click()
        expect(page.locator("table.summary tbody th").first).to_have_text(first)
    page.fill("#search", "test-33")
    expect(page.locator("#shown")).to_have_text("1 of 45 results, here and in the findings")
    assert names_in_rows(page) == ["test-33"]
    assert page.locator("article.result:visible h3").get_attribute("id") == "test-33"


def test_all_rows_and_findings_are_shown_in_their_order(page_of_some):
    page = page_of_some
    for things, parts in (("rows", "table.summary tbody tr"), ("findings", "article.result")):
        page.get_by_role("button", name=f"Show all 45 {things}").click()
        expect(page.locator(parts)).to_have_count(45)
    ids = page.locator("article.result h3").evaluate_all("heads => heads.map(head => head.id)")
    assert names_in_rows(page) == ids == [f"test-{i}" for i in range(45)]
    links = page.locator("table.summary tbody a").evaluate_all("all => all.map(a => a.hash)")
    assert links == [f"#test-{i}" for i in range(45)]


def test_a_link_opens_a_result_that_is_data(page_of_some):
    page = page_of_some
    page.get_by_label("Go to a result").select_option("test-40")
    article = page.locator('article.result[aria-labelledby="test-40"]')
    expect(article.locator("table.cosines").first).to_be_visible()
    assert article.locator(".step a").all_inner_texts() == ["← test-39", "test-41 →"]
    written = page.locator("summary.line").first.inner_html()
    made = article.locator("summary.line").inner_html()
    shape = [re.findall(r"<(\w+)(?: class=\"([^\"]*)\")?", html) for html in (written, made)]
    assert [name for name, _ in shape[0]] == [name for name, _ in shape[1]]
