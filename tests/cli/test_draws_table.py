"""The table of draws of contexts in a terminal."""


def test_a_ceat_prints_what_its_draws_say(eatlas_cli):
    ran = eatlas_cli(
        "run", "--tests", "sent-weat-9", "--vectors", "cbow:glove-sample",
        "--measure", "ceat(n=300)", "--out", "here",
    )  # fmt: skip
    assert ran.code == 0
    row = next(line for line in ran.out.splitlines() if "of draws" in line and "300" in line)
    assert row.split()[:2] == ["sent-weat-9", "300"]
    assert row.rstrip().endswith("% of draws")
    assert "random-effects model of the published CEAT" in ran.out
    again = eatlas_cli("verify", "here/results.jsonl")
    assert again.code == 0
