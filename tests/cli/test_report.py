"""``eatlas report``."""

from tests.commands import QUICK

from eatlas import read_results
from eatlas.present import report_table


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
    assert "line 2: this line is not a result" in ended.err
    assert "eatlas/result/9" in ended.err
    page = (tmp_path / "mixed.html").read_text(encoding="utf-8")
    assert 'id="weat-6"' in page
    assert 'id="weat-7"' not in page
    assert "read it with the version of eatlas that wrote it" in page


def test_columns_as_in_the_paper(eatlas_cli, tmp_path):
    eatlas_cli("run", "--tests", "weat-6", "--measure", "ml-eat(resamples=0)", "--out", "o")
    results = read_results(tmp_path / "o" / "results.jsonl")
    ended = eatlas_cli("report", "o/results.jsonl", "--format", "latex", "--columns", "paper")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == report_table(results, "latex", columns="paper")
    assert r"\eatlasneutral" in ended.out
