"""``eatlas report``."""

from tests.apps.protocol.test_predictive import census, planted
from tests.cli.conftest import QUICK

from eatlas import census_table, protocol, read_results, write_card
from eatlas.present import report_table, report_text
from eatlas_vocabulary.results.themes import read_scan


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


def test_report_of_themes(eatlas_cli, tmp_path):
    (tmp_path / "mine.csv").write_text("theme,word\nSport,team\nSport,game\nChurch,church\n")
    scan = ("scan", "--vectors", "glove-sample", "--attributes", "weat-7", "--out", "w.csv")
    eatlas_cli(*scan, "--themes", "mine.csv")
    result = read_scan(tmp_path / "w.csv")
    for path in ("w.csv", "w.csv.json"):
        ended = eatlas_cli("report", path)
        assert (ended.code, ended.out, ended.err) == (0, "report: report.html\n", "")
        assert (tmp_path / "report.html").read_text(encoding="utf-8") == report_text(result)
    ended = eatlas_cli("report", "w.csv", "--format", "csv")
    assert ended.out.startswith("theme,name,n,towards,away,difference,effect_size,low,high,p,")
    for refused, words in {
        ("w.csv", "results.jsonl"): "a report of themes is of one scan alone",
        ("w.csv", "--family", "both"): "--family has no meaning for themes",
        ("w.csv", "-o", "w.csv.json"): "writing would destroy it",
        ("none.csv",): "none.csv: the results file cannot be read",
    }.items():
        ended = eatlas_cli("report", *refused)
        assert (ended.code, ended.out) == (2, "")
        assert words in ended.err
        assert "Traceback" not in ended.err


def test_columns_as_in_the_paper(eatlas_cli, tmp_path):
    eatlas_cli("run", "--tests", "weat-6", "--measure", "ml-eat(resamples=0)", "--out", "o")
    results = read_results(tmp_path / "o" / "results.jsonl")
    ended = eatlas_cli("report", "o/results.jsonl", "--format", "latex", "--columns", "paper")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == report_table(results, "latex", columns="paper")
    assert r"\eatlasneutral" in ended.out


def test_measure_cards_become_a_table(eatlas_cli, tmp_path):
    path = census(tmp_path / "census.csv")
    cards = []
    for measure in ("divdist", "semaxis"):
        card = protocol(measure, planted(1950), criteria=["predictive"], census=path)
        write_card(card, tmp_path / measure)
        cards.append(card)
    files = ("divdist/card.json", "semaxis/card.json")
    ended = eatlas_cli("report", *files, "--format", "latex")
    assert (ended.code, ended.err, ended.out) == (0, "", census_table(cards, "latex"))
    ended = eatlas_cli("report", *files, "--format", "csv", "-o", "t.csv")
    assert (ended.code, ended.out) == (0, "report: t.csv\n")
    assert (tmp_path / "t.csv").read_text(encoding="utf-8") == census_table(cards, "csv")


def test_what_measure_cards_cannot_be(eatlas_cli, tmp_path):
    write_card(protocol("mac", criteria=["consequential"]), tmp_path / "mac")
    eatlas_cli("run", "--tests", "weat-6", "--out", "o", *QUICK)
    for arguments, message in (
        (("mac/card.json",), "measure cards have no report in the format html"),
        (("mac/card.json", "--format", "latex"), "no study of a census was run"),
        (("mac/card.json", "o/results.jsonl", "--format", "latex"), "got: o/results.jsonl"),
        (("mac/card.json", "--format", "latex", "--columns", "wide"), "--columns has no meaning"),
        (("mac/card.json", "--format", "latex", "-o", "mac/card.json"), "mac/card.json"),
    ):
        before = (tmp_path / "mac" / "card.json").read_bytes()
        ended = eatlas_cli("report", *arguments)
        assert (ended.code, ended.out) == (2, "")
        assert message in ended.err
        assert "Traceback" not in ended.err
        assert (tmp_path / "mac" / "card.json").read_bytes() == before
