"""The page of a study in a browser: its links, hostile names."""

import pytest
from playwright.sync_api import expect
from tests.apps.studies.test_study_page import HOSTILE, made
from tests.browsing import violations
from tests.present.browser.conftest import DESK, PHONE

from eatlas.apps.studies.analysis import analyse
from eatlas.apps.studies.page import study_html


def test_links_lead_to_their_parts(study_page, open_page):
    page = open_page(study_page)
    for link in page.locator("nav a").all():
        expect(page.locator(link.get_attribute("href"))).to_be_visible()


@pytest.mark.parametrize("width", [DESK, PHONE])
def test_long_and_hostile_names_stay_inside(tmp_path, open_page, width):
    choices = {
        "test": tuple(f"{HOSTILE}{n}" for n in range(30)), "measure": ("w" * 300, "שלום עולם"),
        "transform": tuple(f"{n} " + "long " * 30 for n in range(9)),
    }  # fmt: skip
    study = made(choices, low=-1.0, high=2.0, pattern="Non-Directional")
    path = tmp_path / "hostile.html"
    path.write_text(study_html(study, analyse(study)), encoding="utf-8")
    page = open_page(path, width=width)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert violations(page) == []
    names = page.locator("svg.study-curve text").all()
    widest = page.evaluate(
        "Math.max(...[...document.querySelectorAll('svg.study-curve text')].map(t => "
        "t.getBBox().x + t.getBBox().width))"
    )
    assert len(names) > 20
    assert widest <= 920
