"""What the script does besides the summary: it unpacks and copies."""

import re

from playwright.sync_api import expect
from tests.present.reading import Page as Parsed
from tests.present.records import full

from eatlas.present import report_html


def test_packed_details_are_what_they_would_be_unpacked(open_page):
    many = [full(test=f"test-{i}", d=0.5 + i / 50) for i in range(41)]
    page = open_page(many)
    for place in (0, 17, 40):
        part = page.locator("article.result").nth(place)
        assert part.locator("table.cosines").count() == 0
        page.locator("summary.line").nth(place).click()
        expect(part.locator("table.cosines")).to_be_visible()
    whole = Parsed(report_html(many[17:18], family="none")).text
    shown = page.locator("article.result").nth(17).locator("table.cosines").first.inner_text()
    for row in shown.split("\n"):
        assert re.sub(r"\s", "", row) in re.sub(r"\s", "", whole)


def test_a_link_from_outside_opens_its_test(open_page):
    page = open_page([full(test=f"test-{i}") for i in range(41)], at="#test-30")
    expect(page.locator("article.result:has(#test-30) table.cosines")).to_be_visible()
    assert page.locator("table.cosines").count() == 1
    assert page.locator("#test-30").evaluate("h => Math.abs(h.getBoundingClientRect().top) < 200")


def test_a_result_is_chosen_by_its_test_and_setting(mixed, open_page):
    page = open_page(mixed)
    options = page.get_by_label("Go to a result").locator("option").all_text_contents()
    assert options[1:3] == ["one, first.txt, ML-EAT", "one, second.txt, ML-EAT"]
    page.get_by_label("Go to a result").select_option(index=2)
    expect(page.locator("#one-2")).to_be_visible()


def test_without_a_script_packed_findings_are_read(open_page):
    page = open_page([full(test=f"test-{i}") for i in range(41)], script=False)
    assert page.get_by_text("are compressed and need JavaScript").is_visible()
    heads = page.locator("article.result h3").all_text_contents()
    assert len(heads) == 41
    assert all("is shown after correction for 41 tests" in head for head in heads)


def test_the_methods_and_the_references_are_copied(mixed, open_page):
    page = open_page(mixed)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_text("BibTeX of all works").click()
    for name, source in (("Copy the paragraph", "#methods-text"), ("Copy BibTeX", "#bibtex-text")):
        page.get_by_role("button", name=name).click()
        expect(page.locator(f"button[data-copy={source[1:]}]")).to_have_text("Copied")
        copied = page.evaluate("navigator.clipboard.readText()")
        assert copied == page.locator(source).text_content()
        assert copied
