"""What the site makes of a page's HTML: references of docstrings, drawings, pages from the root."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from tools.docs import drawings, roles
from tools.docs.pages import seen_from_docs

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("role", "shown"),
    [(":func:<code>eatlas.run</code>", "eatlas.run"), (":mod:<code>~eatlas.plots</code>", "plots")],
)
def test_a_reference_becomes_a_link_that_may_be_left_open(role, shown):
    html = roles.on_page_content(f"<p>What {role} takes.</p>")
    assert html.startswith('<p>What <autoref optional identifier="eatlas.')
    assert f"<code>{shown}</code></autoref> takes.</p>" in html


def test_a_reference_within_code_becomes_its_name():
    html = roles.on_page_content("<code>anything that :func:`eatlas.open_vectors` opens</code>")
    assert html == "<code>anything that eatlas.open_vectors opens</code>"


def test_code_is_left_alone():
    assert roles.on_page_content("<p>:func: <code>x</code></p>") == "<p>:func: <code>x</code></p>"


def test_a_drawing_is_inlined_with_its_caption():
    config = SimpleNamespace(docs_dir=ROOT / "docs")
    page = '<p><img alt="A &lt; B &amp; more" class="drawing wide" src="../images/weat-6.svg"></p>'
    html = drawings.on_page_content(page, config)
    assert html.startswith('<figure class="drawing wide"><svg ')
    assert html.endswith("<figcaption>A &lt; B &amp; more</figcaption></figure>")
    assert "<?xml" not in html


def test_another_image_is_left_alone():
    page = '<p><img alt="x" src="a.png"></p>'
    assert drawings.on_page_content(page, SimpleNamespace(docs_dir=ROOT)) == page


def test_every_drawing_tells_its_content_and_adapts_to_dark_pages():
    for name in ("three-levels", "exact-counts", "nine-patterns"):
        svg = (ROOT / f"docs/images/{name}.svg").read_text(encoding="utf-8")
        assert 'role="img" aria-label="' in svg
        assert "var(--eat-ink, #1d1d21)" in svg


def test_links_from_the_root_lead_on():
    assert seen_from_docs("[how](docs/files.md#tests)") == "[how](files.md#tests)"
