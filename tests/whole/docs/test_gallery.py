"""The gallery runs from top to bottom, and is kept without outputs."""

import re
from pathlib import Path

import nbformat
import pytest
from tools.docs.gallery import executed, to_markdown
from tools.docs.thumbnails import HEADING

from eatlas.present.drawings.kinds import drawing_kinds

pytestmark = pytest.mark.slow

NOTEBOOKS = sorted((Path(__file__).parents[3] / "docs").rglob("*.ipynb"))


def test_it_runs_and_becomes_a_page(gallery):
    shown = [cell for cell in gallery.cells if cell.cell_type == "code" and cell.outputs]
    assert shown
    said = [output for cell in shown for output in cell.outputs if output.get("name") == "stderr"]
    assert not said, said
    page = to_markdown(gallery, "gallery.ipynb")
    assert page.count('src="data:image/svg+xml;base64,') >= len(drawing_kinds())
    assert "http://" not in page.replace("http://www.w3.org/", "")
    assert "https://cdn" not in page


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_it_is_kept_without_outputs(path):
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "code":
            assert cell.outputs == []
            assert cell.execution_count is None


def test_outputs_become_text_or_pictures():
    cells = [
        nbformat.v4.new_markdown_cell("# Title"),
        nbformat.v4.new_code_cell(
            "x",
            outputs=[
                nbformat.v4.new_output("stream", name="stdout", text="said\n"),
                nbformat.v4.new_output(
                    "display_data",
                    {
                        "image/svg+xml": '<?xml version="1.0"?>\n<svg>\n\n  <g/>\n</svg>',
                        "text/plain": "x",
                    },
                ),
                nbformat.v4.new_output("execute_result", {"text/plain": "42"}, execution_count=1),
            ],
        ),
    ]
    page = to_markdown(nbformat.v4.new_notebook(cells=cells), "n.ipynb")
    assert page == (
        "# Title\n\n```python\nx\n```\n\n```text\nsaid\n```\n\n"
        '<div class="output">\n<svg> <g/> </svg>\n</div>\n\n```text\n42\n```\n\n'
        '[Download this page as a notebook](n.ipynb){ .md-button download="n.ipynb" }\n'
    )


def test_a_cell_that_fails_is_named(tmp_path):
    path = tmp_path / "broken.ipynb"
    cells = [nbformat.v4.new_code_cell("1 / 0")]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    with pytest.raises(RuntimeError, match=r"(?s)broken.ipynb does not run:.*ZeroDivisionError"):
        executed(path)


def test_every_kind_of_chart_has_a_thumbnail_and_the_code_that_makes_it():
    (path,) = NOTEBOOKS
    cells = {cell.id: cell.source for cell in nbformat.read(path, as_version=4).cells}
    code = "\n".join(cells.values())
    pictures = path.parent / "images" / "gallery"
    assert {one.stem for one in pictures.glob("*.png")} == set(drawing_kinds())
    assert sum(one.stat().st_size for one in pictures.glob("*.png")) < 1_500_000
    links = re.findall(r'<a href="#([^"]+)"><img src="([^"]+)" alt="([^"]+)"', cells["thumbnails"])
    assert {kind for kind, _, _ in links} == set(drawing_kinds())
    questions = re.findall(r"<span>([^<]+\?)</span></a>", cells["thumbnails"])
    assert len(questions) == len(links)
    text = " ".join(
        " ".join(source for id_, source in cells.items() if id_ != "thumbnails").split()
    )
    assert [question for question in questions if question not in text] == []
    for kind, source, said in links:
        assert (path.parent / source).exists()
        assert len(said) > 15
        assert f"{{ #{kind} }}" in code
        assert f'kind="{kind}"' in code


def test_the_heading_of_a_section_names_its_kind():
    found = HEADING.match("## Findings { #findings }\n\nDo all say the same? Each row.")
    assert found["kind"] == "findings"
    assert found["about"].startswith("Do all")
