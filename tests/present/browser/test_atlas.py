"""The atlas in a browser: cells open and have links, filters, comparison, keyboard, axe."""

import pytest
from playwright.sync_api import expect
from tests.browsing import violations
from tests.present.browser.conftest import DESK, PHONE
from tests.present.records import PATTERNS, ml_eat, sc_eat, weat

import eatlas
from eatlas.results import Results

SOURCES = ("glove-small.txt", "glove-large.txt", "bert-base")
FOCUSED = "document.activeElement.getAttribute('aria-label')"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Three models by nine tests of two families, by two measures, with one hole."""
    folder = tmp_path_factory.mktemp("atlas")
    labels = list(PATTERNS)
    results = [
        ml_eat(labels[(i + j) % 9], test=f"{'arts' if i % 2 else 'age'}-{i}", source=source, d=0.1 * i + j)
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
    expect(dialog.get_by_role("heading", level=2)).to_contain_text("arts-3")
    expect(dialog).to_contain_text("bert-base")
    link = page.evaluate("location.hash")
    assert link.startswith("#r-")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    assert page.evaluate("location.hash") == ""
    assert page.evaluate(FOCUSED).startswith("arts-3, bert-base")
    again = open_page(site, at=link)
    expect(again.get_by_role("dialog")).to_contain_text("arts-3")


def test_an_address_that_changes_while_a_cell_closes_opens_the_next(site, open_page):
    page = open_page(site)
    links = page.evaluate("[...document.querySelectorAll('#matrix td a')].map((one) => one.id)")
    for link in links[:12]:
        page.evaluate(f"location.hash = '{link}'")
        expect(page.get_by_role("dialog")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_be_hidden()


def test_a_link_to_another_measure_shows_its_matrix(site, open_page):
    page = open_page(site)
    link = page.evaluate(
        "document.querySelector('.matrix[data-number=\"1\"] td a').getAttribute('href')"
    )
    again = open_page(site, at=link)
    expect(again.get_by_role("dialog")).to_be_visible()
    assert again.evaluate("document.querySelector('#measure-filter').value") == "1"


def test_filters(site, open_page):
    page = open_page(site)
    shown = page.locator("#shown")
    expect(shown).to_have_text("3 models, 9 tests")
    page.get_by_label("Find models").fill("GLOVE large")
    expect(shown).to_have_text("1 of 3 models, 9 tests")
    page.get_by_label("Find models").fill("")
    page.get_by_label("Family of models").select_option("glove")
    page.get_by_label("Family of tests").select_option("age")
    expect(shown).to_have_text("2 of 3 models, 5 of 9 tests")
    assert page.locator("#matrix .matrix:visible td:visible").count() == 10
    page.get_by_label("Pattern").select_option("AB-Divergent")
    expect(shown).to_contain_text("AB-Divergent in 2")
    assert page.locator("#matrix .matrix:visible td:visible:not(.dim)").count() == 2
    page.get_by_label("Measure").select_option("1")
    expect(shown).to_have_text("1 model, 1 test; AB-Divergent in 0")


def test_two_models_side_by_side(site, open_page):
    page = open_page(site)
    said = page.locator("#compared")
    expect(said).to_have_text(
        "9 tests of both. The first effect size has the same sign in 8. "
        "The EAT pattern is the same in 0."
    )
    page.get_by_label("Second model").select_option(label="bert-base")
    expect(said).to_contain_text("8 tests of both.")
    link = page.evaluate("location.hash")
    again = open_page(site, at=link)
    expect(again.locator("#compared")).to_contain_text("8 tests of both.")
    row = again.locator(".side tbody tr", has_text="age-4")
    expect(row).to_contain_text("not measured")
    again.locator(".side tbody a").first.click()
    expect(again.get_by_role("dialog")).to_be_visible()


def test_the_keyboard_moves_among_cells(site, open_page):
    page = open_page(site)
    stops = page.locator("#matrix .matrix:visible td a[tabindex='0']")
    assert stops.count() == 1
    stops.focus()
    assert page.evaluate(FOCUSED).startswith("age-0, glove-small.txt")
    for key, name in (
        ("ArrowRight", "arts-1, glove-small.txt"), ("ArrowDown", "arts-1, glove-large.txt"),
        ("End", "age-8, glove-large.txt"), ("ArrowDown", "age-8, bert-base"),
        ("ArrowDown", "age-8, bert-base"), ("Home", "age-0, bert-base"),
    ):  # fmt: skip
        page.keyboard.press(key)
        assert page.evaluate(FOCUSED).startswith(name + ":"), key
    for _ in range(4):  # the fourth passes over the hole
        page.keyboard.press("ArrowRight")
    assert page.evaluate(FOCUSED).startswith("arts-5, bert-base:")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    assert page.evaluate("document.activeElement.id") == "cell-title"


def test_a_column_sorts_models(site, open_page):
    page = open_page(site)
    page.locator(".matrix:visible th.test button").first.click()
    names = page.locator(".matrix:visible tbody th")
    assert [one.split("\n")[0] for one in names.all_inner_texts()] == list(SOURCES[::-1])
    assert page.locator("th[aria-sort='descending']").count() == 1
    page.locator(".matrix:visible th.test button").first.click()
    assert names.all_inner_texts() == list(SOURCES)


@pytest.mark.parametrize(("scheme", "width"), [("light", DESK), ("dark", PHONE)])
def test_axe_is_content_and_nothing_is_wider_than_the_screen(site, open_page, scheme, width):
    page = open_page(site, scheme=scheme, width=width)

    def check():
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") == width

    check()
    cell(page, "arts-3, bert-base").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    check()
    box = page.get_by_role("dialog").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width


def test_without_a_script_the_matrix_and_the_data_are_there(site, open_page):
    page = open_page(site, script=False)
    assert page.locator("td a").first.is_visible()
    assert page.locator("a[href='results.csv']").first.is_visible()
    assert page.get_by_text("need this page's script").is_visible()
    assert page.locator(".matrix:visible").count() == 3


def test_one_model_has_nothing_to_compare(tmp_path, open_page):
    Results([ml_eat()]).write(tmp_path / "r.jsonl")
    page = open_page(eatlas.write_atlas(tmp_path / "r.jsonl", tmp_path / "site").page)
    assert page.locator("#compare").count() == 0
    expect(page.locator("#shown")).to_have_text("1 model, 1 test")
