"""``eatlas protocol`` with data of the user's: a census, counts of texts, labels of people."""

import json

import pytest

SHARES = {"nurse": 0.9, "dancer": 0.8, "teacher": 0.7, "lawyer": 0.4, "pilot": 0.1}


@pytest.fixture
def census(tmp_path):
    rows = [f"2010,{term},{share},{1 - share:.1f}" for term, share in SHARES.items()]
    text = "Census year,Occupation,Female,Male\n" + "\n".join(rows) + "\n"
    (tmp_path / "shares.csv").write_text(text)
    return "shares.csv"


def test_a_census_is_correlated_with(eatlas_cli, census):
    ended = eatlas_cli("protocol", "semaxis", "--criterion", "predictive", "--census", census)
    assert ended.code == 0
    assert "Census of one year (glove-sample, Female/Male)" in ended.out
    assert "rho, lean to Female: " in ended.out
    assert "over 5 occupations" in ended.out
    assert "Census by decade: not run. No series of sources by period was given" in ended.out


def test_the_card_as_json_names_the_files(eatlas_cli, tmp_path, census):
    for name, women in (("text.csv", 6), ("made.csv", 8)):
        rows = [f"{term},10,{women},{10 - women}" for term in SHARES]
        (tmp_path / name).write_text("term,spans,Female,Male\n" + "\n".join(rows) + "\n")
    ended = eatlas_cli(
        "protocol", "divdist", "--criterion", "hypothesis", "--census", census,
        "--counts", "text.csv", "--generated", "made.csv", "--json",
    )  # fmt: skip
    assert ended.code == 0
    card = json.loads(ended.out)
    given = {one["name"]: one["value"] for one in card["given"]}
    assert given["counts"] == "text.csv"
    assert given["generated"] == "made.csv"
    assert given["census"] == "shares.csv"
    (found,) = [one for one in card["evidence"] if one["study"] == "amplification"]
    (change,) = found["figures"]
    # from |6 - 4| / 10 to |8 - 2| / 10 in each of five targets: of 32 signs two are as far
    assert change["value"] == pytest.approx(0.4)
    assert (change["n"], change["p"]) == (5, 2 / 32)


def test_a_census_that_was_not_fetched(eatlas_cli, tmp_path, monkeypatch):
    monkeypatch.setenv("EATLAS_DATA", str(tmp_path / "data"))
    ended = eatlas_cli("protocol", "semaxis", "--census", "census", "--out", "card")
    assert (ended.code, ended.out) == (2, "")
    assert "census-gender: these published counts are not on this machine yet" in ended.err
    assert "eatlas vectors fetch census-gender (203 kB)" in ended.err
    assert not (tmp_path / "card").exists()


def test_labels_without_their_items(eatlas_cli, tmp_path):
    (tmp_path / "anna.csv").write_text("item,label\nc1,Female\n")
    ended = eatlas_cli(
        "protocol", "semaxis", "--criterion", "inter-annotator", "--labels", "anna.csv"
    )
    assert ended.code == 0
    assert "not run. The labels are of 0 files of items, and one is needed" in ended.out
