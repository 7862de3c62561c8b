"""``eatlas replicate``."""

import pytest


def test_replicate(eatlas_cli, tmp_path):
    ended = eatlas_cli("replicate", "ml-eat", "--out", "o")
    assert (ended.code, ended.err) == (0, "")
    assert "Table 1: GloVe, beside glove-840b-words" in ended.out
    assert "113 of 120 cells are the same to the last digit" in ended.out
    assert "glove-840b:" not in ended.out
    rows = [line for line in ended.out.splitlines() if line.startswith("Male/Female Career")]
    assert " ".join(" ".join(row.split()[2:]) for row in rows[:2]) == (
        "1.81* 1.81* 0.31 0.31 −1.39* −1.39* BY-Singular BY-Singular"
    )
    assert "462 checks, 3 fail" in ended.out
    assert "google-news: eatlas vectors fetch word2vec-google-news-300 (1.7 GB)" in ended.said
    assert "Why numbers differ:" in ended.out
    assert {path.name for path in (tmp_path / "o").iterdir()} == {
        "replication.html", "replication.csv", "results.jsonl", "report.html",
    }  # fmt: skip


@pytest.mark.slow
def test_jobs_that_fail_end_with_1(eatlas_cli):
    ended = eatlas_cli("replicate", "seat", "--vectors", "gpt=glove-sample")
    assert ended.code == 1
    assert ended.err.count("error: ") == 9
    assert "warning" not in ended.err


def test_mistakes_end_with_2_before_any_work(eatlas_cli, tmp_path):
    (tmp_path / "file").touch()
    for arguments, message in (
        (("mleat",), "did you mean ml-eat"),
        (("ml-eat", "--vectors", "glove.txt"), "MODEL=SOURCE"),
        (("ml-eat", "--vectors", "glove=x.txt"), "the paper has no model 'glove'"),
        (("ml-eat", "--vectors", "glove-840b=x.txt"), "x.txt"),
        (("ml-eat", "--vectors", "gpt2=a", "--vectors", "gpt2=b"), "each model once"),
        (("ml-eat", "--out", "file/o"), "cannot be written"),
    ):
        ended = eatlas_cli("replicate", *arguments)
        assert (ended.code, ended.out) == (2, ""), arguments
        assert message in ended.err
