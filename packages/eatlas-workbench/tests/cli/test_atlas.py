"""``eatlas atlas``."""

from tests.commands import QUICK


def test_atlas(eatlas_cli, tmp_path):
    eatlas_cli("run", "--tests", "weat-6", "--tests", "weat-7", "--out", "a", *QUICK)
    eatlas_cli(
        "run", "--tests", "weat-6", "--vectors", "glove-sample?transform=center", "--out", "b"
    )
    ended = eatlas_cli("atlas", "a", "b/results.jsonl", "--out", "site", "--title", "Our lab")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == "2 sources by 2 tests, 3 results\nsite: site/index.html\n"
    assert sorted(one.name for one in (tmp_path / "site").iterdir()) == [
        "index.html", "results.csv", "results.jsonl",
    ]  # fmt: skip
    assert "<title>Our lab: " in (tmp_path / "site/index.html").read_text(encoding="utf-8")
    verified = eatlas_cli("verify", "site/results.jsonl")
    assert verified.code == 0


def test_atlas_of_a_store(eatlas_cli, tmp_path):
    for place in (("--store", "a.parquet"), ("--out", "a")):
        eatlas_cli("run", "--tests", "weat-6", "--tests", "weat-7", *place, *QUICK)
    for results in ("a.parquet", "a"):
        ended = eatlas_cli("atlas", results, "--out", f"site-{results}")
        assert (ended.code, ended.err) == (0, "")
    tables = [tmp_path / f"site-{results}" / "results.csv" for results in ("a.parquet", "a")]
    assert tables[0].read_text("utf-8") == tables[1].read_text("utf-8")


def test_notes_go_to_the_side(eatlas_cli):
    eatlas_cli("run", "--tests", "weat-6", "--out", "a", *QUICK)
    eatlas_cli("run", "--tests", "weat-6", "--out", "b", *QUICK)
    ended = eatlas_cli("atlas", "a", "b", "-o", "site")
    assert ended.code == 0
    assert ended.err == "note: 1 result occurs more than once and is shown once.\n"
    assert ended.out == "1 source by 1 test, 1 result\nsite: site/index.html\n"


def test_bad_input_ends_with_2_and_no_site(eatlas_cli, tmp_path):
    eatlas_cli("run", "--tests", "weat-6", "--out", "a", *QUICK)
    path = tmp_path / "a" / "results.jsonl"
    (tmp_path / "cut.jsonl").write_bytes(path.read_bytes()[:-100])
    for given, said in (
        (("cut.jsonl",), "cut.jsonl, line 1: "),
        (("nowhere",), "nowhere: the results file cannot be read"),
        ((".", "cut.jsonl"), "cut.jsonl, line 1: "),
        (("a/report.html",), "a/report.html, line 1: "),
    ):
        ended = eatlas_cli("atlas", *given, "--out", "site")
        assert ended.code == 2, given
        assert said in ended.err
        assert not list((tmp_path / "site").glob("*"))
    assert eatlas_cli("atlas", "a", "--out", "a").code == 2
    assert eatlas_cli("atlas", "a").code == 2  # no --out
