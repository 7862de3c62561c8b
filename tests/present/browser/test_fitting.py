"""Nothing is wider than its page, whatever the font; the first finding is seen at once."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.present.browser.conftest import PHONE, Opener
from tests.present.kinds import KINDS, on_layers, results_of

import eatlas
from eatlas.present import write_report
from eatlas.results import Results

FONT = "DejaVu Sans"
"""The widest that is usual."""
WIDTHS = 1280, PHONE
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
() => [document.documentElement, ...document.querySelectorAll('main *')]
  .filter(part => part.clientWidth && part.scrollWidth > part.clientWidth + 1 && !part.closest('svg'))
  .filter(part => part.tagName === 'HTML' || getComputedStyle(part).overflowX !== 'visible')
  .filter(part => !part.matches('.sr, .cards thead, [aria-label="Drawing: specification curve"]'))
  .map(part => `${part.getAttribute('aria-label') ?? part.tagName + '.' + part.className}: `
    + `${part.scrollWidth - part.clientWidth}`)
"""
"""Whatever holds more than its width. A curve of many specifications may, with a shade at its edge
that says so, as the contents above a page may."""
SHADED = "getComputedStyle(document.querySelector('nav div')).backgroundImage"


def of_kind(kind: str) -> Callable[[Path], None]:
    return lambda path: write_report(results_of(kind, path.parent), path)


def write_two(path: Path) -> None:
    """Tests of up to 32 names on two sources, each under a name of its own."""
    sources = {"GloVe 6B": "glove-sample", "centred": "glove-sample?transform=center"}
    results = eatlas.run(["weat-3", "weat-6"], sources, "ml-eat(resamples=200)", frequency="off")
    write_report(Results(list(results)), path)


PAGES: dict[str, Callable[[Path], None]] = {
    "two sources": write_two,
    **{kind: of_kind(kind) for kind in KINDS},
}


@pytest.mark.parametrize("made", PAGES)
def test_nothing_is_wider_than_the_page(made, tmp_path, open_page):
    path = tmp_path / "page.html"
    PAGES[made](path)
    nothing_is_wider(open_page, path)


def nothing_is_wider(open_page: Opener, path: Path) -> None:
    page = open_page(path, width=PHONE)  # tables of a narrow page become cards as it opens
    page.evaluate(SET, FONT)
    for width in reversed(WIDTHS):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate(TOO_WIDE) == [], width
    assert "linear-gradient" in page.evaluate(SHADED)


@pytest.fixture(scope="module")
def layers_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three tests on seven layers."""
    path = tmp_path_factory.mktemp("layers") / "report.html"
    layers = on_layers(results_of("sample", path.parent)[0])
    tests = [
        one.model_copy(update={"test": test, "title": test.capitalize()})
        for test in ("garden", "meadow", "forest")
        for one in layers
    ]
    write_report(tests, path)
    return path


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (PHONE, 844)])
@pytest.mark.parametrize(
    ("made", "finding"),
    [
        ("ten_page", "summary.line"),
        ("layers_page", "article.compared"),
    ],
)
def test_the_first_finding_is_above_the_fold(made, finding, request, open_page, width, height):
    path = request.getfixturevalue(made)
    page = open_page(path, width=width)
    page.set_viewport_size({"width": width, "height": height})
    box = page.locator(finding).first.bounding_box()
    assert box["y"] + box["height"] < height


def test_figures_and_numbers_are_saved(ten_page, open_page):
    page = open_page(ten_page, at="#weat-6")
    taken = page.locator("article:has(#weat-6) .take")
    with page.expect_download() as saved:
        taken.get_by_role("button", name="EAT-Map (SVG)").click()
    svg = Path(saved.value.path()).read_text("utf-8")
    assert saved.value.suggested_filename == "weat-6-3.svg"  # below the map and the terms
    assert 'xmlns="http://www.w3.org/2000/svg"' in svg
    assert "rgb(179, 38, 30)" in svg  # red without the page's style
    with page.expect_download() as saved:
        taken.get_by_role("button", name="Numbers (CSV)").click()
    head, *rows = Path(saved.value.path()).read_text("utf-8").splitlines()
    assert head == (
        '"Question","d, interval for other words at equal word frequency","these words, p",'
        '"new words, p","adjusted for frequency, p","claim, p after Holm","Verdict"'
    )
    assert [row.split('","')[0] for row in rows] == [
        '"Male names against Female names', '"Male names', '"Female names',
    ]  # fmt: skip
    assert rows[0].endswith('"these word lists only not significant after correction for 10 tests"')
