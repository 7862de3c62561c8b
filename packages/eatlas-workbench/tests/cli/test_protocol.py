"""``eatlas protocol``: the card in terminal, JSON and files; bad input ends with code 2."""

import pytest
from tests.commands import QUICK as QUICK_RUN
from tests.protocol.test_predictive import census, planted

import eatlas
from eatlas import census_table, protocol, write_card

QUICK = ("--criterion", "face", "--criterion", "consequential")


def test_a_card_for_people_and_its_files(eatlas_cli, tmp_path):
    ended = eatlas_cli("protocol", "semaxis", *QUICK, "--out", "card")
    assert (ended.code, ended.err) == (0, "")
    lines = ended.out.splitlines()
    headline = "SemAxis: signs agree for 8 of 8 professions; 1 of 3 studies was not run"
    assert lines[:2] == [headline, "SEMAXIS(vectors=raw)"]
    agree = "    share of signs that agree: 8 of 8 professions [63%, 100%], p = .0078"
    assert agree in lines
    assert "    questions answered: 0 of 11" in lines
    assert "The verdict is the reader’s." in lines
    assert lines[-2:] == ["written: card/card.html", "written: card/card.json"]
    card = eatlas.read_card(tmp_path / "card" / "card.json")
    assert card == eatlas.protocol("semaxis", criteria=["face", "consequential"])
    page = (tmp_path / "card" / "card.html").read_text("utf-8")
    assert f"<title>{headline}</title>" in page
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "").replace("http-equiv", "")


def test_the_card_of_the_same_measure_is_replaced_and_another_one_is_not(eatlas_cli, tmp_path):
    assert eatlas_cli("protocol", "mac", *QUICK, "-o", "card").code == 0
    before = (tmp_path / "card" / "card.json").read_bytes()
    assert eatlas_cli("protocol", "mac", *QUICK, "-o", "card").code == 0
    assert (tmp_path / "card" / "card.json").read_bytes() == before
    refused = eatlas_cli("protocol", "rnd", *QUICK, "-o", "card")
    assert refused.code == 2
    assert "card/card.json: this file is the card of a different measure, which" in refused.err
    assert "give another folder with --out" in refused.err
    assert (tmp_path / "card" / "card.json").read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["wheat"], "there is no measure 'wheat'"),
        (["weat(alfa=1)"], "weat has no parameter 'alfa'; did you mean alpha?"),
        (["weat", "--vectors", "nothing.txt"], "nothing.txt"),
        (["weat", "--tests", "weat-11"], "weat-11"),
        (["weat", "--answers", "none.toml"], "--answers: there is no file none.toml"),
    ],
)
def test_bad_input_is_explained_and_nothing_is_written(eatlas_cli, tmp_path, arguments, message):
    ended = eatlas_cli("protocol", *arguments, "--out", "card")
    assert (ended.code, ended.out) == (2, "")
    assert message in ended.err
    assert "Traceback" not in ended.err
    assert not (tmp_path / "card").exists()


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
    eatlas_cli("run", "--tests", "weat-6", "--out", "o", *QUICK_RUN)
    for arguments, message in (
        (("mac/card.json",), "measure cards have no report in the format html"),
        (("mac/card.json", "--format", "latex"), "these cards contain no census study"),
        (("mac/card.json", "o/results.jsonl", "--format", "latex"), "got: o/results.jsonl"),
        (("mac/card.json", "--format", "latex", "--columns", "wide"), "--columns does not apply"),
        (("mac/card.json", "--format", "latex", "-o", "mac/card.json"), "mac/card.json"),
    ):
        before = (tmp_path / "mac" / "card.json").read_bytes()
        ended = eatlas_cli("report", *arguments)
        assert (ended.code, ended.out) == (2, "")
        assert message in ended.err
        assert "Traceback" not in ended.err
        assert (tmp_path / "mac" / "card.json").read_bytes() == before
