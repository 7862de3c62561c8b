"""Tables as Word documents: the cells of the other formats, and documents that Word can open."""

import io
import sys
import zipfile

import pytest
from tests.present.kinds import KINDS, results_of
from tests.present.records import HOSTILE, full
from tests.present.tables.reading import markdown_tables

import eatlas
from eatlas.errors import ResultsError
from eatlas.present import report_table, report_text, write_report

docx = pytest.importorskip("docx")


def word_tables(path):
    """The rows of each table, its heads joined with those of their groups, and lines in a cell."""
    tables = []
    for table in docx.Document(path).tables:
        rows = [[cell.text for cell in row.cells] for row in table.rows]
        heads = [row for row in table.rows if row._tr.xpath("w:trPr/w:tblHeader")]
        of_groups = rows[: len(heads)]
        names = ["\n".join(filter(None, column)) for column in zip(*of_groups, strict=True)]
        tables.append([names, *rows[len(heads) :]])
    return tables


@pytest.mark.parametrize("columns", ["narrow", "wide", "published"])
@pytest.mark.parametrize("kind", KINDS)
def test_cells_are_those_of_markdown(kind, columns, tmp_path):
    results = results_of(kind, tmp_path)
    write_report(results, tmp_path / "t.docx", columns=columns)
    expected = markdown_tables(report_table(results, "markdown", columns=columns))
    assert word_tables(tmp_path / "t.docx") == expected


def test_narrow_by_default_with_caption_and_notes(tmp_path):
    results = eatlas.run(tests="caliskan")
    results.save(tmp_path / "t.docx")
    document = docx.Document(tmp_path / "t.docx")
    ((heads, *rows),) = word_tables(tmp_path / "t.docx")
    assert heads == ["Test", "Level 1\nd", "Level 2, X\nd", "Level 2, Y\nd", "p", "Verdict"]
    assert len(rows) == 10
    texts = [paragraph.text for paragraph in document.paragraphs]
    assert texts[0].startswith("10 results of ML-EAT(")
    assert document.paragraphs[0].style.name == "Caption"
    assert any(text.startswith("p, from top to bottom: these words") for text in texts)


def test_the_same_bytes_and_any_text(tmp_path):
    results = [full(names=HOSTILE), full(names=dict.fromkeys("XYAB", "tab\tand\x00null <b>&amp;"))]
    for name in ("one.docx", "two.docx"):
        write_report(results, tmp_path / name)
    first, second = ((tmp_path / name).read_bytes() for name in ("one.docx", "two.docx"))
    with zipfile.ZipFile(io.BytesIO(first)) as one, zipfile.ZipFile(io.BytesIO(second)) as two:
        assert one.namelist() == two.namelist()
        assert all(one.read(name) == two.read(name) for name in one.namelist())
    assert word_tables(tmp_path / "one.docx") == markdown_tables(
        report_table(results, "markdown", columns="narrow")
    )


def test_what_is_refused(tmp_path, monkeypatch):
    with pytest.raises(ResultsError, match="a Word document is not text"):
        report_text([full()], "docx")
    with pytest.raises(ResultsError, match="no results"):
        write_report([], tmp_path / "t.docx")
    monkeypatch.setitem(sys.modules, "docx", None)
    with pytest.raises(ResultsError, match="python-docx") as refused:
        write_report([full()], tmp_path / "t.docx")
    assert "eatlas[docx]" in refused.value.remedy
    assert not (tmp_path / "t.docx").exists()
