"""``eatlas replicate``."""

from eatlas.measures.weat import WEAT


def test_replicate(eatlas_cli, tmp_path):
    ended = eatlas_cli("replicate", "ml-eat", "--out", "o")
    assert (ended.code, ended.err) == (0, "")
    assert "Table 1: GloVe; ours: glove-840b-words" in ended.out
    assert (
        "113 of 120 cells are the same to the last digit, and 30 of 30 stars (30 of 30 by"
        in ended.out
    )
    assert "EA/AA32 P/U25, Level 1: 1.41*, printed 1.40*: 1.4052, rounded down" in ended.out
    assert "glove-840b:" not in ended.out
    lines = [line.split() for line in ended.out.splitlines()]
    row = next(i for i, line in enumerate(lines) if line[:2] == ["Male/Female", "Career/Family"])
    level_3 = [".18", "(.09)", ".16", "(.05)", ".09", "(.09)"]
    assert lines[row][2:] == ["1.81*", "0.31", "−1.39*", *level_3]
    assert lines[row + 1] == ["ours", "1.81*", "0.31", "−1.39*", *level_3]
    assert (
        "The published code is followed where the text differs (--as paper: the text):" in ended.out
    )
    assert "462 checks, 3 fail" in ended.out
    assert "google-news: eatlas vectors fetch word2vec-google-news-300 (1.7 GB)" in ended.said
    assert "Why numbers differ:" in ended.out
    assert {path.name for path in (tmp_path / "o").iterdir()} == {
        "replication.html", "replication.csv", "results.jsonl", "report.html",
    }  # fmt: skip


def test_a_table_for_another_model(eatlas_cli):
    ended = eatlas_cli("replicate", "divdist", "--table", "3", "--model", "sample=glove-sample")
    assert (ended.code, ended.err) == (0, "")
    assert "DivDist: sample by the recipe of the paper" in ended.out
    assert "cells are the same" not in ended.out
    rows = [line.split() for line in ended.out.splitlines()]
    assert ["nurse", "0.373", "0.097", "0.119", "0.114", "0.111", "0.058"] in rows
    assert "Table 4" not in ended.out


def test_the_text_is_followed_where_it_is_asked_for(eatlas_cli):
    ended = eatlas_cli("replicate", "caliskan", "--as", "paper")
    assert (
        "The text is followed where the published code differs (--as code: the code):" in ended.out
    )
    assert (
        "p-value: proportion of the permutations whose statistic is greater (supplement); the code: "
        "upper tail of a normal distribution"
    ) in ended.said
    assert "10 of 10 cells are the same to the last digit" in ended.out


def test_jobs_that_fail_end_with_1(eatlas_cli, monkeypatch):
    compute = WEAT.compute

    def failing(measure, given, notes):
        if given.head["test"] == "weat-9":
            raise RuntimeError("out of order")
        return compute(measure, given, notes)

    monkeypatch.setattr(WEAT, "compute", failing)
    ended = eatlas_cli("replicate", "caliskan")
    assert ended.code == 1
    assert "9 of 9 cells are the same to the last digit" in ended.out
    assert (ended.err.count("error: "), "out of order" in ended.err) == (1, True)
    assert "warning" not in ended.err


def test_mistakes_end_with_2_before_any_work(eatlas_cli, tmp_path):
    (tmp_path / "file").touch()
    for arguments, message in (
        (("mleat",), "did you mean ml-eat"),
        (("ml-eat", "--model", "glove.txt"), "NAME=SOURCE"),
        (("ml-eat", "--model", "glove=x.txt"), "x.txt"),
        (("ml-eat", "--model", "glove-840b=x.txt"), "x.txt"),
        (("ml-eat", "--model", "gpt2=a", "--model", "gpt2=b"), "each name once"),
        (("ml-eat", "--model", "gpt2=glove-sample"), "gpt2 is a causal language model"),
        (
            ("ml-eat", "--table", "5", "--model", "a=glove-sample"),
            "Table 5: GPT-2 Base takes last token",
        ),
        (("ml-eat", "--table", "13"), "ML-EAT has no table '13' here"),
        (("ml-eat", "--as", "book"), "allowed: code, paper"),
        (("ml-eat", "--vectors", "a=b"), "No such option"),
        (("ml-eat", "--out", "file/o"), "cannot be written"),
    ):
        ended = eatlas_cli("replicate", *arguments)
        assert (ended.code, ended.out) == (2, ""), arguments
        assert message in ended.err, arguments
