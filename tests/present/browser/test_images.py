"""Thumbnails in a real browser: they are drawn, named, and no fault to axe."""

import pytest
from tests.browsing import violations
from tests.present.browser.conftest import DESK, PHONE
from tests.present.test_thumbnails import images_of

import eatlas
from eatlas.present import write_report

DRAWN = """
() => [...document.querySelectorAll('svg.thumbnail, svg.eat-map use, svg.figure use')].filter(
  one => one.getBoundingClientRect().width > 5
).length
"""
DECODED = """
() => Promise.all([...document.querySelectorAll('symbol image')].map(one => new Promise(done => {
  const image = new Image();
  image.onload = () => done(image.naturalWidth);
  image.onerror = () => done(0);
  image.src = one.getAttribute('href');
})))
"""


@pytest.fixture(scope="module")
def page_of_images(tmp_path_factory):
    folder = tmp_path_factory.mktemp("images")
    test, vectors = images_of(folder / "set", count=8)
    path = folder / "report.html"
    results = eatlas.run(test, vectors, ["ml-eat(resamples=500)", "sc-eat"])
    write_report(results, path, images=folder / "set")
    return path


@pytest.mark.parametrize(("scheme", "width"), [("light", DESK), ("dark", DESK), ("light", PHONE)])
def test_images_are_drawn_and_axe_is_content(page_of_images, open_page, picture, scheme, width):
    page = open_page(page_of_images, scheme=scheme, width=width)
    assert page.evaluate(DRAWN) > 10
    assert all(side > 0 for side in page.evaluate(DECODED))
    assert violations(page) == []
    picture(page, f"images-{scheme}-{width}")


def test_images_have_names(page_of_images, open_page):
    page = open_page(page_of_images)
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    found = page.get_by_role("img", name=", image of Flowers")
    assert found.count() > 1
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= DESK
