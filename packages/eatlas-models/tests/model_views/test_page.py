"""The page of the views of a model, in a browser."""

from __future__ import annotations

import pytest
from tests.browsing import violations
from tests.model_views.planted import ASK, TEST, Model, answers, vectors
from tests.tiny_models import make_model

import eatlas

DESK, PHONE = 1280, 390


@pytest.fixture(scope="module")
def page_path(tmp_path_factory):
    """A model in four layers, with vectors, log-probabilities and answers from elsewhere."""
    folder = tmp_path_factory.mktemp("views")
    gpt2 = make_model(folder / "gpt2", "gpt2")
    views = eatlas.views(
        tests=TEST, vectors={"tiny": f"hf:{gpt2}?layer=all&level=word", "planted": vectors()},
        logprobs=Model(), answers=answers, measures=[ASK, "ml-eat(resamples=200)"],
    )  # fmt: skip
    return eatlas.write_views(views, folder / "o")[0]


@pytest.mark.parametrize(
    ("width", "scheme"),
    [
        (DESK, "light"),
        pytest.param(DESK, "dark", marks=pytest.mark.slow),
        pytest.param(PHONE, "light", marks=pytest.mark.slow),
        (PHONE, "dark"),
    ],
)
def test_the_page_fits_and_axe_is_content(page_path, tabs, width, scheme):
    url = page_path.as_uri()
    page = tabs.open(url, width=width, scheme=scheme, allowed={url}.__contains__)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert violations(page) == []
    assert page.locator(".view-maps svg").count() == 4
    assert page.locator(".layers li").count() == 4
    assert page.locator("tbody th[scope=row]").all_inner_texts()[:6] == [
        "layer 0 of tiny", "layer 1 of tiny", "layer 2 of tiny", "layer 3 of tiny",
        "vectors of planted", "log-probabilities",
    ]  # fmt: skip
    narrowest = page.locator(".of-views tbody th").evaluate_all(
        "heads => Math.min(...heads.map(head => head.getBoundingClientRect().width))"
    )
    assert narrowest > 100


def test_the_page_says_what_was_found_and_how(page_path, tabs):
    page = tabs.open(page_path.as_uri(), width=DESK)
    assert "agree" in page.locator("h1").inner_text()
    assert page.locator(".lead-finding strong").inner_text().startswith("No agreement between")
    assert page.locator("summary").all_inner_texts() == [
        f"{what} in numbers, 7 views"
        for what in ("Effect sizes", "Agreement over targets", "Agreement over attributes")
    ]
    among = page.locator("figure", has_text="Layers of tiny among each other").locator("svg")
    assert "Between neighbouring layers, rho over" in among.get_attribute("aria-label")
    assert "Above the diagonal: over the targets." in among.text_content()
    drawn = page.locator(".rhos svg").first
    assert drawn.get_attribute("aria-label").startswith("Agreement with vectors of planted")
    assert "Spearman's rank correlation" in page.locator("#how").inner_text()
