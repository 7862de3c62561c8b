"""Nothing is wider than its page, whatever the font; the first finding is seen at once."""

from pathlib import Path

import pytest
from tests.present.browser.conftest import PHONE

import eatlas
from eatlas.present import write_report
from eatlas.results import Results

FONTS = "DejaVu Sans", "Liberation Sans"
WIDTHS = 1280, 1920, PHONE
SET = """
font => {
  const style = document.createElement('style');
  style.textContent = `:root { --sans: '${font}' !important; --serif: '${font}' !important; }
    svg, svg text { font-family: '${font}' !important; }`;
  document.head.append(style);
  document.querySelectorAll('details').forEach(part => { part.open = true; });
}
"""
TOO_WIDE = """
() => [document.documentElement, ...document.querySelectorAll('.scroll')]
  .filter(part => part.scrollWidth > part.clientWidth && part.clientWidth)
  .map(part => `${part.getAttribute('aria-label') ?? 'page'}: ${part.scrollWidth - part.clientWidth}`)
"""


@pytest.fixture(scope="module")
def two_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ten tests on two sources, one of them under a name of its own."""
    path = tmp_path_factory.mktemp("two") / "report.html"
    sources = {"GloVe 6B": "glove-sample", "centred": "glove-sample?transform=center"}
    write_report(Results(list(eatlas.run(vectors=sources))), path)
    return path


@pytest.mark.parametrize("made", ["ten_page", "two_page"])
def test_nothing_is_wider_than_the_page(made, request, open_page):
    page = open_page(request.getfixturevalue(made))
    for font in FONTS:
        page.evaluate(SET, font)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate(TOO_WIDE) == [], (font, width)


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (PHONE, 844)])
def test_the_first_finding_is_above_the_fold(ten_page, open_page, width, height):
    page = open_page(ten_page, width=width)
    page.set_viewport_size({"width": width, "height": height})
    box = page.locator("summary.line").first.bounding_box()
    assert box["y"] + box["height"] < height


def test_figures_and_numbers_are_saved(ten_page, open_page):
    page = open_page(ten_page, at="#weat-6")
    taken = page.locator("article:has(#weat-6) .take")
    with page.expect_download() as saved:
        taken.get_by_role("button", name="EAT-Map (SVG)").click()
    svg = Path(saved.value.path()).read_text("utf-8")
    assert saved.value.suggested_filename == "weat-6.svg"
    assert 'xmlns="http://www.w3.org/2000/svg"' in svg
    assert "rgb(179, 38, 30)" in svg  # red without the page's style
    with page.expect_download() as saved:
        taken.get_by_role("button", name="Numbers (CSV)").click()
    head, *rows = Path(saved.value.path()).read_text("utf-8").splitlines()
    assert head.startswith('"Level","d, 95% interval"')
    assert [row.split('","')[0] for row in rows] == [
        '"Level 1 Male names against Female names', '"Level 2, X Male names',
        '"Level 2, Y Female names',
    ]  # fmt: skip
