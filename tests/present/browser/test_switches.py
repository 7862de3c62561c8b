"""Tests of a claim that a reader switches off, in a page of few results and in one of many."""

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.present.browser.conftest import PHONE
from tests.present.records import full

import eatlas
from eatlas.present import report, write_report
from eatlas.results import Results

SENTENCES = {
    7: "Male names are more strongly associated with Career than Female names are.",
    3: (
        "In these word lists, Male names are more strongly associated with Career than Female names "
        "are; word frequency was not adjusted for."
    ),
    1: (
        "In these word lists, Male names are more strongly associated with Career than Female names "
        "are; generalisation was not tested."
    ),
    0: (
        "No significant difference between Male names and Female names in their association with "
        "Career or Family is shown; these word lists were not tested."
    ),
}
"""Of level 1, by the tests that are on."""
NAMES = ("these words", "new words", "adjusted for frequency")
DRAWN = """svg => {
  const [line, mark] = ['.i', '.m'].map(kind => svg.querySelector(kind)), box = svg.getBoundingClientRect();
  return { axis: [svg.querySelector('.g').getAttribute('d'), box.x, box.width], line: line.getAttribute('d'), mark: mark.getAttribute('class') };
}"""


@pytest.fixture(scope="module")
def of_names() -> Results:
    return eatlas.run("weat-6", measures="ml-eat(resamples=200)")


@pytest.fixture(params=["few", "many"])
def claim(request, of_names, open_page, tmp_path) -> Locator:
    """The claim of an opened result; of many results it is data until then."""
    many = [full(test=f"other-{i}") for i in range(report.OPEN_UP_TO)]
    write_report([*of_names, *(many if request.param == "many" else [])], tmp_path / "page.html")
    page = open_page(tmp_path / "page.html", at="#weat-6")
    found = page.locator('article.result[aria-labelledby="weat-6"] .claim')
    expect(found).to_be_visible()
    return found


def switch(claim: Locator, tests: int) -> None:
    for i, name in enumerate(NAMES):
        claim.get_by_label(name).set_checked(bool(tests >> i & 1))


def first_row(claim: Locator) -> list[str]:
    return claim.locator("tbody tr").first.locator("td, th").all_inner_texts()


def test_the_sentence_the_interval_and_the_verdict_follow_the_switches(claim):
    status, drawing = claim.get_by_role("status"), claim.locator("tbody svg").first
    assert status.text_content() == ""
    whole, before = first_row(claim), drawing.evaluate(DRAWN)
    # d with its interval, p of all tests, and of the claim after Holm over the page
    assert whole[2].split("\n")[:2] == ["1.72", "[0.70, 4.08]"]
    lines = set()
    for tests in (3, 1, 0):
        switch(claim, tests)
        if whole[-1] == "supported":  # alone on its page
            expect(status).to_contain_text(SENTENCES[tests])
        row, shown = first_row(claim), drawing.evaluate(DRAWN)
        assert row[2].split("\n")[1] == ("not adjusted [1.00, 2.61]" if tests == 3 else "–")
        assert row[-2] == "–"
        expected = "these word lists only" if tests else "not shown"
        assert row[-1].split("\n")[0] == expected
        assert ("no" in shown["mark"].split()) == (not tests)
        assert shown["axis"] == before["axis"], "the axis stays where it is"
        lines.add(shown["line"])
        assert claim.locator("tbody tr").first.locator(".off").count() == 3 - tests.bit_count()
    assert lines == {"", *lines - {"", before["line"]}}
    assert len(lines) == 2
    switch(claim, 7)
    assert (first_row(claim), drawing.evaluate(DRAWN)) == (whole, before)
    if whole[-1] == "supported":
        expect(status).to_contain_text(SENTENCES[7])


def test_switches_by_keyboard_and_in_words(claim):
    group = claim.get_by_role("group", name="Tests that the verdicts use")
    boxes = group.get_by_role("checkbox")
    assert [box.evaluate("box => box.labels[0].innerText.trim()") for box in boxes.all()] == [
        *NAMES
    ]
    boxes.first.focus()
    claim.page.keyboard.press("Tab")
    claim.page.keyboard.press("Space")
    expect(boxes.nth(1)).not_to_be_checked()
    expect(claim.get_by_role("status")).to_contain_text(
        "Tests used: these words, adjusted for frequency. In these word lists, Male names"
    )


def numbers_of(page: Page) -> str:
    with page.expect_download() as download:
        page.get_by_role("button", name="Numbers (CSV)").click()
    return download.value.path().read_text(encoding="utf-8")


def test_a_file_of_numbers_has_the_whole_claim(of_names, open_page):
    page = open_page(of_names, width=PHONE)
    before = numbers_of(page)
    assert "supported" in before
    page.get_by_label("new words").uncheck()
    assert numbers_of(page) == before
    assert "supported" not in page.locator(".claim tbody").inner_text()


def test_paper_has_switches_only_if_one_is_off(of_names, open_page):
    page = open_page(of_names)
    page.emulate_media(media="print")
    switches = page.locator("fieldset.tests")
    assert not switches.is_visible()
    page.emulate_media(media="screen")
    page.get_by_label("new words").uncheck()
    page.emulate_media(media="print")
    assert switches.is_visible()
    assert page.get_by_role("status").filter(has_text="Tests used").is_visible()


def test_without_a_script_the_whole_claim_stands_alone(of_names, open_page):
    page = open_page(of_names, script=False)
    assert not page.locator("fieldset.tests").is_visible()
    assert page.locator(".claim tbody tr").first.inner_text().endswith("supported")


def test_a_measure_with_one_test_has_no_switches(open_page):
    page = open_page(eatlas.run("divdist-face-validity", measures="divdist(resamples=0)"))
    assert page.locator("fieldset.tests").count() == 0
