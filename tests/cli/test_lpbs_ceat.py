"""LPBS within CEAT from the command line: tables, files, what is refused."""

import json

import pytest
from tests.encoders.language import tiny

TWO = "{target} is {attribute}.; Here {target} is {attribute}."


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    model, tokenizer = tiny.bert()
    place = tmp_path_factory.mktemp("bert")
    model.save_pretrained(place)
    tokenizer.save_pretrained(place)
    return place


@pytest.fixture
def battery(tmp_path):
    path = tmp_path / "garden.toml"
    path.write_text(
        """schema = 1

[battery]
id = "garden"
title = "A garden"
citation = "Made up."

[[test]]
id = "garden"
title = "Flowers and insects"
citation = "Made up."
X = { name = "Flowers", terms = ["rose", "ivy"] }
Y = { name = "Insects", terms = ["ant", "flea", "wasp"] }
A = { name = "Pleasant", terms = ["nice", "kind", "love"] }
B = { name = "Unpleasant", terms = ["vile", "war", "nasty"] }
"""
    )
    return str(path)


def test_a_run_prints_what_draws_say_and_can_be_verified(eatlas_cli, folder, battery, tmp_path):
    ran = eatlas_cli(
        "run", "--tests", battery, "--vectors", f"hf:{folder}", "--measure",
        f'lpbs-ceat(n=300,templates="{TWO}")', "--out", "here",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    assert "LPBS d over" in ran.out
    said = " ".join(ran.out.split())
    assert "means over draws of one sentence for each pair of a target and an attribute" in said
    assert "between sentences of the same pairs, stimuli, targets" in said
    row = next(line for line in ran.out.splitlines() if line.rstrip().endswith("% of draws"))
    assert row.split()[1] == "300"
    (line,) = (tmp_path / "here" / "results.jsonl").read_text().splitlines()
    record = json.loads(line)
    assert record["measure"] == "lpbs-ceat"
    assert record["draws"]["count"] == 300
    assert record["templates"] == TWO.split("; ")
    assert eatlas_cli("verify", "here/results.jsonl").code == 0
    for form, part in (("csv", "lpbs-ceat"), ("latex", "Flowers"), ("markdown", "Flowers")):
        table = eatlas_cli("report", "here/results.jsonl", "--format", form)
        assert table.code == 0, table.err
        assert part in table.out
