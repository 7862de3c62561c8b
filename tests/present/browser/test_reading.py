"""The page is whole in light and dark, on a desk and a telephone, on paper and without a script."""

import pytest
from tests.present.browser.conftest import DESK, PHONE, PICTURES
from tests.present.records import full

PLACES = ("#in-brief", "#summary", "#weat-6", "#paper")
TITLE = (
    "GloVe 6B (100d): two of ten associations hold for other words at equal word frequency: Flowers "
    "more than Insects with Pleasant, Instruments more than Weapons with Pleasant; four in these "
    "word lists only"
)
SHOWN = "element => element.checkVisibility()"
BOTTOM = "element => element.getBoundingClientRect().bottom"
PAGES, A4 = 8, 1000
"""Sheets that ten tests take at most; pixels of one sheet within its margins."""


def overflow(page) -> int:
    """Pixels by which the page is wider than its window."""
    return page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )


def colour(page) -> str:
    return page.evaluate("getComputedStyle(document.body).backgroundColor")


@pytest.mark.parametrize(("width", "scheme"), [(DESK, "light"), (PHONE, "dark")])
def test_the_main_job_on_a_desk_and_a_telephone(ten_page, open_page, picture, scheme, width):
    page = open_page(ten_page, width=width, scheme=scheme)
    assert page.title() == TITLE
    assert overflow(page) == 0
    for place in PLACES:
        page.locator(place).evaluate("element => element.scrollIntoView()")
        picture(page, f"{scheme}-{width}-{place[1:]}")
    assert colour(page) == {"light": "rgb(253, 253, 252)", "dark": "rgb(23, 24, 27)"}[scheme]


FONTS = ("DejaVu Sans", "Liberation Sans")
LETTERS = """font => {
  const style = new CSSStyleSheet();
  style.replaceSync(`* { font-family: "${font}" !important; }`);
  document.adoptedStyleSheets = [style];
  document.querySelectorAll("details").forEach(part => { part.open = true; }); }"""


@pytest.mark.parametrize("width", [DESK, PHONE])
def test_hostile_names_change_nothing(open_page, picture, width):
    names = {
        "X": '<img src=x onerror="alert(1)"><script>alert(1)</script>',
        "Y": "👩‍👩‍👧‍👦" * 100,
        "A": "שמות של גברים ונשים",
        "B": "Donaudampfschifffahrtsgesellschaft" * 9,
    }
    given = [full(names=names, test=f"{'t' * 300}{i}", title="T" * 300) for i in "12"]
    page = open_page([*given, full(names=names, source="s" * 300, test="</title><b>")], width=width)
    assert overflow(page) == 0
    assert page.locator("img").count() == 0
    picture(page, f"hostile-{width}")


def test_the_reader_may_choose_the_colours_and_the_page_remembers(ten_page, open_page):
    page = open_page(ten_page)
    before = colour(page)
    page.get_by_role("button", name="Dark").click()
    assert colour(page) != before
    page.reload()
    assert colour(page) != before
    page.get_by_role("button", name="Light").click()
    assert colour(page) == before


def test_paper_has_the_findings_first_and_no_tools(ten_page, open_page):
    page = open_page(ten_page)
    references = page.locator("#bibtex-text")
    assert not references.evaluate(SHOWN)
    PICTURES.mkdir(parents=True, exist_ok=True)
    written = page.pdf(path=PICTURES / "report.pdf", prefer_css_page_size=True)
    assert written.startswith(b"%PDF")
    assert written.count(b"/Type /Page\n") + written.count(b"/Type /Page ") <= PAGES
    page.emulate_media(media="print")
    assert references.evaluate(SHOWN)
    assert page.locator("article.result").last.evaluate(BOTTOM) < A4
    for hidden in (".tools", "nav", "#theme"):
        assert not page.locator(hidden).evaluate(SHOWN)
    assert colour(page) == "rgb(255, 255, 255)"


def test_without_a_script_all_can_be_read(mixed, open_page):
    page = open_page(mixed, script=False)
    for hidden in (".tools", "#theme", "button"):
        assert not page.locator(hidden).first.is_visible()
    assert page.locator("article.result").count() == 6
    page.locator("#results > details > summary").click()
    page.locator("summary.line").first.click()
    assert page.locator("table.questions").first.is_visible()
    page.get_by_text("Each test in full").first.click()
    assert page.get_by_text("were assigned to the").first.is_visible()
    page.get_by_text("Provenance: how to reproduce").first.click()
    assert page.get_by_text("Fingerprint of source").first.is_visible()
