"""The atlas in a browser: cells open and have links, filters, comparison, keyboard, axe."""

import pytest
from playwright.sync_api import expect
from tests.browsing import violations
from tests.present.browser.conftest import DESK, PHONE
from tests.present.records import PATTERNS, ml_eat, planted, sc_eat, weat

import eatlas
from eatlas.results import Results

SOURCES = ("glove-small.txt", "glove-large.txt", "bert-base")
FOCUSED = "document.activeElement.getAttribute('aria-label')"
P_VALUES = [
    {"words": 1e-4, "others": 1e-4, "after": 1e-4}, {"words": 1e-4, "others": 0.5, "after": 0.5},
    {"words": 0.9, "others": 0.9, "after": 0.9},
]  # fmt: skip
"""Of results that are supported, of those in these word lists only, and of others."""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Three models by nine tests of two families, by two measures, with one hole."""
    folder = tmp_path_factory.mktemp("atlas")
    labels = list(PATTERNS)
    results = [
        planted(labels[(i + j) % 9], test=f"{'arts' if i % 2 else 'age'}-{i}", source=source, d=0.1 * i + j - 0.05, **P_VALUES[(i + j) % 3])
        for j, source in enumerate(SOURCES)
        for i in range(9)
        if (i, j) != (4, 2)
    ]  # fmt: skip
    results += [weat(test="age-0", source=SOURCES[0]), sc_eat({"nurse": -1.3}, source=SOURCES[0])]
    Results(results).write(folder / "results.jsonl")
    return eatlas.write_atlas(folder, folder / "site").page


def cell(page, name):
    return page.locator(f"#matrix td a[aria-label^='{name}:']")


def test_a_cell_opens_and_closes_and_its_link_leads_back(site, open_page):
    page = open_page(site)
    cell(page, "arts-3, bert-base").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    expect(dialog.locator("h3")).to_contain_text("Flowers")
    expect(dialog).to_contain_text("arts-3")
    expect(dialog).to_contain_text("bert-base")
    link = page.evaluate("location.hash")
    assert link.startswith("#r-")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    page.wait_for_function("location.hash === ''")
    assert page.evaluate(FOCUSED).startswith("arts-3, bert-base")
    again = open_page(site, at=link)
    expect(again.get_by_role("dialog")).to_contain_text("arts-3")


def test_a_claim_is_without_the_tests_that_are_off(site, open_page):
    page = open_page(site)
    cell(page, "arts-3, glove-small.txt").click()
    claim = page.locator("dialog .claim")
    expect(claim.locator("tbody tr").first).to_contain_text("supported")
    claim.get_by_label("adjusted for frequency").uncheck()
    expect(claim.get_by_role("status")).to_contain_text(
        "In these word lists, Flowers are more strongly associated with Pleasant than Insects are; "
        "word frequency was not adjusted for."
    )
    page.keyboard.press("Escape")
    cell(page, "arts-3, glove-small.txt").click()
    expect(claim.get_by_role("checkbox", checked=True)).to_have_count(3)


def test_filters(site, open_page):
    page = open_page(site)
    shown = page.locator("#shown")
    expect(shown).to_have_text("3 sources, 9 tests")
    page.get_by_label("Find sources").fill("GLOVE large")
    expect(shown).to_have_text("1 of 3 sources, 9 tests")
    page.get_by_label("Find sources").fill("")
    page.get_by_label("Family of sources").select_option("glove")
    page.get_by_label("Family of tests").select_option("age")
    expect(shown).to_have_text("2 of 3 sources, 5 of 9 tests")
    assert page.locator("#matrix .matrix:visible td:visible").count() == 10
    page.locator("#verdict-filter").select_option(label="supported")
    expect(shown).to_contain_text("; supported in 4")
    assert page.locator("#matrix .matrix:visible td:visible:not(.dim)").count() == 4
    page.get_by_label("Measure").select_option("1")
    expect(shown).to_have_text("1 source, 1 test; supported in 0")


def test_heads_sort_by_size_and_by_verdict(site, open_page):
    page = open_page(site)
    rows = page.locator("#matrix .matrix:visible tbody th")

    def shown(test, number):
        return [
            float(text.rstrip("*").replace("−", "-"))
            for text in page.locator(
                f"#matrix .matrix:visible td:nth-child({test}) a span"
            ).all_text_contents()
        ][:number]

    page.locator(".matrix:visible th.test button").nth(1).click()
    assert shown(3, 3) == sorted(shown(3, 3), reverse=True)
    page.get_by_label("Sort by").select_option("verdict")
    cells = page.locator("#matrix .matrix:visible td:nth-child(3) a").all()
    said = [cell.get_attribute("aria-label").rpartition(", ")[2] for cell in cells]
    assert said == ["supported", "these word lists only", "not shown"]
    page.get_by_role("button", name="Source").click()
    assert page.locator(".matrix:visible th.corner").get_attribute("aria-sort") == "descending"
    assert rows.count() == 3


def test_the_matrix_is_on_the_first_screen(open_page, tmp_path):
    results = [ml_eat(test=f"t-{i}", source=source) for source in SOURCES for i in range(9)]
    Results(results).write(tmp_path / "results.jsonl")
    site = eatlas.write_atlas(tmp_path, tmp_path / "site").page
    for width, height in ((DESK, 800), (PHONE, 844)):
        page = open_page(site, width=width)
        page.set_viewport_size({"width": width, "height": height})
        box = page.locator("#matrix .matrix tbody tr").first.bounding_box()
        assert box["y"] + box["height"] < height
        assert page.get_by_label("Find sources").is_hidden()
        page.get_by_text("Filter and sort").click()
        assert page.get_by_label("Find sources").is_visible()


def test_two_sources_side_by_side(site, open_page):
    page = open_page(site)
    said = page.locator("#compared")
    expect(said).to_have_text(
        "9 tests in both, sorted by difference. Level 1 has the same sign in 8."
    )
    head = page.locator(".side thead th").last
    expect(head).to_have_text("Verdicts, Level 1")
    row = page.locator(".side tbody tr", has_text="arts-1")
    expect(row.locator("td").last).to_have_text("these word lists only / not shown")
    arrows = row.locator("svg path.a").get_attribute("d")
    assert "m-3-3" in arrows, "an interval that goes beyond the scale ends in an arrow"
    page.get_by_label("Second source").select_option(label="bert-base")
    expect(said).to_contain_text("8 tests in both, ")
    link = page.evaluate("location.hash")
    again = open_page(site, at=link)
    expect(again.locator("#compared")).to_contain_text("8 tests in both, ")
    row = again.locator(".side tbody tr", has_text="age-4")
    expect(row).to_contain_text("not measured")
    again.locator(".side tbody a").first.click()
    expect(again.get_by_role("dialog")).to_be_visible()


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [DESK, PHONE])
def test_axe_is_content_and_nothing_is_wider_than_the_screen(site, open_page, scheme, width):
    page = open_page(site, scheme=scheme, width=width)

    def check():
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") == width

    check()
    cell(page, "arts-3, bert-base").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    check()
    page.get_by_label("new words").uncheck()
    expect(page.get_by_role("dialog").get_by_role("status")).to_contain_text("Tests used: these")
    check()
    box = page.get_by_role("dialog").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width
