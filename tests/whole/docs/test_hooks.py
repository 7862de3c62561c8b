"""What the site makes of a page's HTML: references of docstrings, drawings, pages from the root."""

import re
from pathlib import Path
from types import SimpleNamespace

import griffe
import pytest
from tools.docs import draw_path, drawings, live, reference, roles, signatures
from tools.docs.pages import seen_from_docs

import eatlas

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    ("role", "shown"),
    [
        (":func:<code>eatlas.run</code>", "eatlas.run"),
        (":mod:<code>~eatlas.present</code>", "present"),
    ],
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
    for name in ("three-levels", "exact-counts", "nine-patterns", "which-measure"):
        svg = (ROOT / f"docs/images/{name}.svg").read_text(encoding="utf-8")
        assert re.search('role="(img|group)" aria-label="', svg)
        assert "var(--eat-ink, #1d1d21)" in svg


def test_the_path_to_a_measure_is_drawn_and_leads_to_pages():
    """If the drawing is old, run: python tools/docs/draw_path.py"""
    assert draw_path.DRAWING.read_text(encoding="utf-8") == draw_path.drawing()
    pages = [page for ways in draw_path.PATH.values() for _, page in ways.values()]
    assert [page for page in pages if not (ROOT / f"docs/{page}.md").exists()] == []


def test_links_from_the_root_lead_on():
    assert seen_from_docs("[how](docs/files.md#tests)") == "[how](files.md#tests)"


def test_a_page_of_the_reference_begins_with_a_table_of_its_names():
    config = SimpleNamespace(docs_dir=ROOT / "docs", nav=[])
    page = SimpleNamespace(file=SimpleNamespace(src_uri="reference/api/x.md"), meta={})
    text = "# X\n\n::: eatlas.run\n\n::: eatlas.results.levels.Cell\n    options: { members: [] }\n"
    made = reference.on_page_markdown(text, page, config)
    assert (
        "| [`run`][eatlas.run] | Run every test on every source by every measure. | `eatlas` |"
        in made
    )
    assert "| [`Cell`][eatlas.results.levels.Cell] | Level 3: the cosines" in made
    assert made.index("[`Cell`]") < made.index("::: eatlas.run")
    assert made.endswith(text[text.index("::: eatlas.run") :])


def test_names_are_listed_in_the_order_of_the_navigation():
    nav = [{"Reference": [{"Python": [{"Vectors": [{"Open": "reference/api/vectors.md"}]}]}]}]
    config = SimpleNamespace(docs_dir=ROOT / "docs", nav=nav)
    page = SimpleNamespace(file=SimpleNamespace(src_uri="reference/index.md"), meta={})
    made = reference.on_page_markdown("<!-- names: eatlas -->", page, config)
    assert made.startswith("### Vectors\n")
    assert "[`open_vectors`][eatlas.open_vectors]" in made
    assert "published_vectors" not in made
    everything = reference.on_page_markdown("<!-- names: all -->", page, config)
    assert "[`published_vectors`][eatlas.sources.download.published_vectors]" in everything


def test_the_first_sentence_of_a_docstring_is_one_line():
    def documented():
        """Score of :func:`~eatlas.run` (Kurita et al. 2019),
        for a | b. More of it.
        """

    assert (
        reference.one_line(documented) == r"Score of `eatlas.run` (Kurita et al. 2019), for a \| b."
    )


@pytest.mark.slow
def test_defaults_in_signatures_are_values():
    loaded = griffe.load(
        eatlas.WEAT.__module__,
        search_paths=[ROOT / "src"],
        extensions=griffe.load_extensions(signatures.Signatures),
    )
    defaults = {name: str(found.value) for name, found in loaded["WEAT"].attributes.items()}
    assert defaults["ddof"] == "1"
    assert all("parameter(" not in value for value in defaults.values())


@pytest.mark.slow
@pytest.mark.xdist_group("site")
def test_the_site_has_pages_to_try(site):
    said = {
        "live/report.html": "of ten associations",
        "live/sources.html": "in these two embeddings",
        "live/atlas/index.html": "weat-6",
    }
    assert set(said) == set(live.PAGES)
    for name, text in said.items():
        page = (site / name).read_bytes()
        assert text in page.decode()
        assert len(page) < 1_000_000
