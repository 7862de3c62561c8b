"""``eatlas tests sentences``: tests of sentences of tests of words, and what runs of them say."""

import json

import pytest

from eatlas import load_tests

JOBS = """
schema = 1

[[test]]
id = "jobs"
X = { name = "Women", terms = ["Ada", "Mary"] }
Y = { name = "Men", terms = ["Alan", "John"] }
A = { name = "Care", terms = ["nurse", "heiress"] }
B = { name = "Machines", terms = ["engineer", "usher"] }
"""
CLASSES = ("--class", "X=name", "--class", "person")


@pytest.fixture
def jobs(tmp_path):
    path = tmp_path / "jobs.toml"
    path.write_text(JOBS, encoding="utf-8")
    return path


@pytest.mark.slow  # inflect takes seconds to import
def test_printed_and_written_are_the_same_test(eatlas_cli, jobs, tmp_path):
    ended = eatlas_cli("tests", "sentences", jobs, *CLASSES, "-o", "new/sent.toml")
    assert (ended.code, ended.out, ended.err) == (0, "test: new/sent.toml\n", "")
    written = tmp_path / "new" / "sent.toml"
    assert eatlas_cli("tests", "sentences", jobs, *CLASSES).out == written.read_text("utf-8")
    (test,) = load_tests(written)
    assert (test.id, len(test.X.terms)) == ("sent-jobs", 16)
    assert "An heiress is a person." in test.A.terms
    assert "Ushers are people." in test.B.terms
    checked = eatlas_cli("tests", "check", written)
    assert checked.code == 0
    assert (
        "Each stimulus occurs in several sentences (X: 16 sentences of 2 stimuli, " in checked.err
    )


def test_results_name_the_stimulus_of_each_sentence(eatlas_cli, tmp_path):
    (test,) = load_tests("double-bind-likable-one-sentence")
    rows = [f"{text}\t{number}.5\t{number % 3}" for number, text in enumerate(test.terms)]
    (tmp_path / "sentences.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    ended = eatlas_cli("run", "--tests", test.id, "--vectors", "sentences.tsv", "--json")
    assert ended.code == 0, ended.err
    covered = json.loads(ended.out.splitlines()[0])["coverage"]["X"]
    assert covered["stimulus"]["John is an engineer with superior technical skills."] == "John"
    assert list(covered["stimulus"]) == covered["used"]
