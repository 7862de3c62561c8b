"""What a result and its groups are called belongs to what is verified."""

import json
from functools import cache

import pytest
from tests.commands import QUICK

import eatlas
from eatlas import load_tests
from eatlas.results import WEATResult
from eatlas.stimuli import to_toml

SWAP = {"X": "Y", "Y": "X", "A": "A", "B": "B"}


@cache
def weat_6():
    (result,) = eatlas.run("weat-6", measures="weat(resamples=0)", frequency="off")
    return result.to_dict()


@pytest.fixture
def doctored(eatlas_cli, tmp_path):
    """A results file of one test, changed."""

    def make(test, change, *more):
        if not more and test == "weat-6":
            line = json.loads(json.dumps(weat_6()))
            path = tmp_path / "results.jsonl"
        else:
            eatlas_cli("run", "--tests", test, *QUICK, *more)
            path = tmp_path / "out" / "results.jsonl"
            line = json.loads(path.read_text("utf-8"))
        change(line)
        path.write_text(json.dumps(line) + "\n", encoding="utf-8")
        return path

    return make


def swapped(line):
    """Other names, with the sentences that follow from them."""
    names = line["concepts"]
    line["concepts"] = {role: names[other] for role, other in SWAP.items()}
    line["finding"] = WEATResult.from_dict(line).finding.to_dict()


def without_hash(line):
    del line["provenance"]["labels_sha256"]


def hashed_again(line):
    test = WEATResult.from_dict(line).to_test()
    line["provenance"]["labels_sha256"] = test.labels_sha256(test.stimuli_sha256)


def both(*changes):
    def change(line):
        for one in changes:
            one(line)

    return change


@pytest.mark.parametrize(
    "change", [swapped, both(swapped, without_hash), both(swapped, hashed_again)]
)
def test_F6_swapped_names_of_a_built_in_test(eatlas_cli, doctored, change):
    ended = eatlas_cli("verify", doctored("weat-6", change))
    assert ended.code == 1
    assert ": differs\n" in ended.out
    assert (
        "concepts.X: 'Female names' in the file, 'Male names' in the built-in test weat-6"
        in ended.said
    )
    assert "concepts.Y: 'Male names' in the file" in ended.said
    assert "concepts.A" not in ended.said


@pytest.mark.parametrize(
    ("key", "said"), [("title", "title: 'Cats' in the file"), ("citation", "citation: 'Cats' in")]
)
def test_F6_another_title_or_citation(eatlas_cli, doctored, key, said):
    def change(line):
        (line if key == "title" else line["provenance"])[key] = "Cats"
        hashed_again(line)

    ended = eatlas_cli("verify", doctored("weat-6", change))
    assert ended.code == 1
    assert said in ended.said


def test_F6_the_id_of_a_built_in_test_with_other_terms(eatlas_cli, tmp_path):
    text = to_toml(load_tests("weat-6"))
    assert '"Amy"' in text
    (tmp_path / "mine.toml").write_text(text.replace('"Amy"', '"Emma"'), encoding="utf-8")
    eatlas_cli("run", "--tests", "mine.toml", *QUICK)
    ended = eatlas_cli("verify", "out/results.jsonl")
    assert ended.code == 1
    assert (
        "coverage: the terms are not those of the built-in test weat-6: 'Amy', 'Emma'; a test "
        "with other terms needs another id"
    ) in ended.said
    ended = eatlas_cli("verify", "out/results.jsonl", "--tests", "mine.toml")
    assert ended.code == 0
    assert "names of groups, title and citation of weat-6 with the tests that" in ended.said


def test_F6_names_of_a_test_that_is_not_built_in(eatlas_cli, doctored, test_file, vectors_csv):
    arguments = (test_file, swapped, "--vectors", vectors_csv)
    path = doctored(*arguments)
    ended = eatlas_cli("verify", path)
    assert ended.code == 1
    assert "provenance.labels_sha256: " in ended.said
    path = doctored(test_file, both(swapped, hashed_again), "--vectors", vectors_csv)
    ended = eatlas_cli("verify", path)
    assert ended.code == 1
    assert "The file does not match the run that wrote it: a result was replaced" in ended.said
    assert "names of groups, title and citation of tiny, which fit their hash" in ended.said
    ended = eatlas_cli("verify", path, "--tests", test_file)
    assert ended.code == 1
    assert "concepts.X: 'Insects' in the file, 'Flowers' in the test that was given," in ended.said
