"""The formats of a report, in a file and as text."""

import pytest
from tests.present.records import head, weat

from eatlas.errors import ResultsError
from eatlas.present import report_html, report_table, report_text, write_report
from eatlas.present.report import FORMATS
from eatlas.present.tables import FORMATS as TABLES
from eatlas.present.tables import WORD
from eatlas.results import AssociationResult


@pytest.mark.parametrize("form", [form for form in FORMATS if form != WORD])
def test_every_format_as_text_and_in_a_file(form, tmp_path):
    path = tmp_path / "report"
    write_report([weat()], path, format=form)
    text = report_text([weat()], form)
    assert path.read_text(encoding="utf-8") == text
    if form == "html":
        assert text == report_html([weat()])
    elif form in TABLES:
        assert text == report_table([weat()], form)
    else:
        begin = {"methods": "We measured", "bibtex": "@software{eatlas,", "sentences": "test-1: "}
        assert text.startswith(begin[form])


@pytest.mark.parametrize("form", TABLES)
def test_every_table_of_another_package(form):
    class Other(AssociationResult):
        measure: str = "other"

    assert "test-1" in report_table([Other.from_dict(head(signature="OTHER()"))], form)


def test_an_unknown_format_writes_nothing(tmp_path):
    with pytest.raises(ResultsError) as caught:
        write_report([weat()], tmp_path / "r", format="latx")
    assert str(caught.value) == (
        "there is no report in the format 'latx'; did you mean latex?\n"
        "  allowed: html, latex, markdown, html-table, csv, docx, methods, bibtex, sentences"
    )
    with pytest.raises(ResultsError, match="there is no table in the format 'html'"):
        report_table([weat()], "html")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("form", TABLES)
def test_no_results_make_no_table(form):
    with pytest.raises(ResultsError, match="there are no results to put in a table"):
        report_table([], form)
