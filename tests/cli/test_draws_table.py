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


def test_a_test_of_words_is_refused_with_the_way_to_contexts(eatlas_cli):
    ran = eatlas_cli("run", "--tests", "weat-6", "--measure", "ceat", "--json")
    assert ran.code == 2
    assert "the measure ceat takes contexts, and test weat-6 has words" in ran.err
    assert "--contexts FILE" in ran.err
    assert ran.out == ""


def test_other_measures_have_no_such_table(eatlas_cli):
    assert "Over draws" not in eatlas_cli("run", "--tests", "weat-6").out
