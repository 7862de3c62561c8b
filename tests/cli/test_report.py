"""``eatlas report``."""

import pytest
from tests.commands import QUICK

from eatlas import read_results
from eatlas.numbers import in_powers
from eatlas.present import report_table, report_text, sentence


def test_report(eatlas_cli, tmp_path):
    eatlas_cli("run", "--tests", "weat-6", "--tests", "weat-7", "--out", "o", *QUICK)
    ended = eatlas_cli("report", "o/results.jsonl", "-o", "again.html")
    assert (ended.code, ended.out, ended.err) == (0, "report: again.html\n", "")
    again = (tmp_path / "again.html").read_bytes()
    assert again == (tmp_path / "o" / "report.html").read_bytes()


def test_report_of_a_damaged_file(eatlas_cli, tmp_path):
    eatlas_cli("run", "--tests", "weat-6", "--tests", "weat-7", "--out", "o", *QUICK)
    path = tmp_path / "o" / "results.jsonl"
    path.write_bytes(path.read_bytes()[:-200])
    ended = eatlas_cli("report", path, "-o", "half.html")
    assert ended.code == 1
    assert "line 2: the file ends in the middle of this result" in ended.err
    page = (tmp_path / "half.html").read_text(encoding="utf-8")
    assert "weat-6" in page
    assert "ends in the middle" in page


def test_report_to_an_unwritable_place(eatlas_cli, tmp_path):
    eatlas_cli("run", "--tests", "weat-6", "--out", "o", *QUICK)
    ended = eatlas_cli("report", "o/results.jsonl", "-o", "o/results.jsonl/report.html")
    assert ended.code == 2
    assert "cannot be written" in ended.err


def test_report_as_tables(eatlas_cli, tmp_path):
    eatlas_cli("run", "--tests", "weat-6", "--tests", "weat-7", "--out", "o", *QUICK)
    results = read_results(tmp_path / "o" / "results.jsonl")
    for form in ("latex", "markdown", "html-table", "csv"):
        ended = eatlas_cli("report", "o/results.jsonl", "--format", form)
        assert (ended.code, ended.err) == (0, "")
        assert ended.out == report_table(results, form)
    ended = eatlas_cli("report", "o/results.jsonl", "--format", "csv", "-o", "t.csv")
    assert (ended.code, ended.out) == (0, "report: t.csv\n")
    assert (tmp_path / "t.csv").read_text(encoding="utf-8") == report_table(results, "csv")


def test_lines_of_another_schema_are_named_and_the_others_shown(eatlas_cli, tmp_path):
    eatlas_cli("run", "--tests", "weat-6", "--tests", "weat-7", "--out", "o", *QUICK)
    path = tmp_path / "o" / "results.jsonl"
    first, second = path.read_text(encoding="utf-8").splitlines()
    later = second.replace("eatlas/result/1", "eatlas/result/9")
    path.write_text(f"{first}\n{later}\n", encoding="utf-8")
    ended = eatlas_cli("report", path, "-o", "mixed.html")
    assert ended.code == 1
    assert "line 2: the schema of a result is unknown" in ended.err
    assert "eatlas/result/9" in ended.err
    page = (tmp_path / "mixed.html").read_text(encoding="utf-8")
    assert 'id="weat-6"' in page
    assert 'id="weat-7"' not in page
    assert "read it with the version of eatlas that wrote it" in page


def test_columns_as_in_the_paper(eatlas_cli, tmp_path):
    eatlas_cli("run", "--tests", "weat-6", "--measure", "ml-eat(resamples=0)", "--out", "o")
    results = read_results(tmp_path / "o" / "results.jsonl")
    ended = eatlas_cli("report", "o/results.jsonl", "--format", "latex", "--columns", "published")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == report_table(results, "latex", columns="published")
    assert r"\eatlasneutral" in ended.out


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("t.html", "html"), ("t.htm", "html"), ("t.TEX", "latex"), ("t.md", "markdown"),
        ("t.csv", "csv"), ("t.bib", "bibtex"),
    ],
)  # fmt: skip
def test_the_ending_chooses_the_format(eatlas_cli, tmp_path, name, form):
    eatlas_cli("run", "--tests", "weat-6", "--out", "o", *QUICK)
    ended = eatlas_cli("report", "o/results.jsonl", "-o", name)
    assert (ended.code, ended.out, ended.err) == (0, f"report: {name}\n", "")
    results = read_results(tmp_path / "o" / "results.jsonl")
    assert (tmp_path / name).read_text(encoding="utf-8") == report_text(results, form)


@pytest.mark.parametrize(
    ("options", "got", "remedy"),
    [
        ("-o t.pdf", ".pdf", "draw a figure: eatlas plot RESULTS --kind forest -o FILE"),
        ("-o t.svg", ".svg", "draw a figure"),
        ("-o t.odt", ".odt", "save it as t.html"),
        ("-o t.txt", ".txt", "say what it holds: --format sentences or --format methods"),
        ("-o t.xyz", ".xyz", "save it as t.html"),
        ("-o t", "a name without an ending", "save it as t.html"),
        ("-o t.pdf --format html", ".pdf", "give the file another ending, or leave the format out"),
        ("-o t.csv --format latex", ".csv", "give the file another ending"),
        ("-o t.html --format sentences", ".html", "give the file another ending"),
    ],
)
def test_another_ending_is_an_error_and_no_file(eatlas_cli, tmp_path, options, got, remedy):
    eatlas_cli("run", "--tests", "weat-6", "--out", "o", *QUICK)
    ended = eatlas_cli("report", "o/results.jsonl", *options.split())
    assert (ended.code, ended.out) == (2, "")
    assert f"  got: {got}\n  allowed: ." in ended.err
    assert f"  remedy: {remedy}" in ended.err
    assert [path.name for path in tmp_path.iterdir()] == ["o"]


@pytest.mark.parametrize(
    ("form", "name"),
    [("html-table", "t.html"), ("latex", "t.txt"), ("methods", "t.txt"), ("csv", "no-ending")],
)
def test_a_format_may_have_more_endings(eatlas_cli, tmp_path, form, name):
    eatlas_cli("run", "--tests", "weat-6", "--out", "o", *QUICK)
    assert eatlas_cli("report", "o/results.jsonl", "--format", form, "-o", name).code == 0
    results = read_results(tmp_path / "o" / "results.jsonl")
    assert (tmp_path / name).read_text(encoding="utf-8") == report_text(results, form)


def test_the_results_section(eatlas_cli, tmp_path):
    eatlas_cli("run", "--tests", "weat-6", "--tests", "weat-7", "--out", "o", *QUICK)
    ended = eatlas_cli("report", "o/results.jsonl", "--format", "sentences")
    results = read_results(tmp_path / "o" / "results.jsonl")
    paragraphs = [
        f"{result.test}: {sentence(result, finding)}"
        for result, finding in zip(results, results.findings, strict=True)
    ]
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == in_powers("\n\n".join(paragraphs)) + "\n"
    assert "Math against Arts: d = 1.28 [" in ended.out
