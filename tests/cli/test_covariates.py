"""``--covariates``: the record, and eatlas verify with the file, without it, and with another."""

import json
import shutil

import pytest
from tests.engine.test_covariates import WEAT_9, norms

QUICK = ("run", "--tests", "weat-9", "--measure", "weat(resamples=0)", "--frequency", "off")


@pytest.fixture
def folder(tmp_path):
    """A file of norms with a column of text, and the working folder."""
    own = norms()
    rows = [f"{w},noun,{own['valence'][w]!r},{own['length'][w]!r}" for w in WEAT_9.terms]
    text = "\n".join(["word,part,valence,length", *rows[:-1], rows[-1].replace("noun", "?")])
    (tmp_path / "norms.csv").write_text(text, encoding="utf-8")
    return tmp_path


def test_a_run_says_what_it_was_given_and_verify_finds_it(eatlas_cli, folder):
    spec = "norms.csv?columns=length,valence"
    ended = eatlas_cli(*QUICK, "--json", "--covariates", spec)
    assert ended.code == 0
    record = json.loads(ended.out)
    origin = record["provenance"]["covariates"]
    assert (origin["file"], origin["names"]) == ("norms.csv", ["length", "valence"])
    assert record["adjusted"]["covariates"] == ["frequency", "length", "valence"]
    (folder / "results").mkdir()
    file = folder / "results" / "results.jsonl"
    file.write_text(ended.out, encoding="utf-8")
    assert eatlas_cli("verify", file).code == 0  # in the working folder
    shutil.move(folder / "norms.csv", folder / "results" / "norms.csv")
    assert eatlas_cli("verify", file).code == 0  # beside the results
    shutil.move(folder / "results" / "norms.csv", folder / "moved.csv")
    ended = eatlas_cli("verify", file)
    assert ended.code == 1
    assert "weat-9 on glove-sample: not repeated" in ended.said
    assert "norms.csv: length, valence; SHA-256" in ended.said
    assert "their file is neither next to it nor in the working folder" in ended.said
    assert "remedy: name the file: eatlas verify RESULTS --covariates FILE" in ended.said
    assert eatlas_cli("verify", file, "--covariates", "moved.csv").code == 0


def test_a_file_that_was_changed_is_named(eatlas_cli, folder):
    ended = eatlas_cli(*QUICK, "--json", "--covariates", "norms.csv?columns=valence")
    (folder / "results.jsonl").write_text(ended.out, encoding="utf-8")
    text = (folder / "norms.csv").read_text("utf-8")
    (folder / "norms.csv").write_text(text.replace(",?,", ",noun,"), encoding="utf-8")
    assert eatlas_cli("verify", "results.jsonl").code == 0  # of another column
    first = repr(norms()["valence"][WEAT_9.terms[0]])
    (folder / "norms.csv").write_text(text.replace(first, "5.5"), encoding="utf-8")
    ended = eatlas_cli("verify", "results.jsonl")
    assert ended.code == 1
    assert "norms.csv has others, SHA-256" in ended.said
    (folder / "norms.csv").write_text(text.replace("valence", "arousal"), encoding="utf-8")
    ended = eatlas_cli("verify", "results.jsonl")
    assert "norms.csv: there is no column valence" in ended.said


def test_a_changed_result_differs(eatlas_cli, folder):
    ended = eatlas_cli(*QUICK, "--json", "--covariates", "norms.csv?columns=valence")
    record = json.loads(ended.out)
    record["adjusted"]["level1"]["effect_size"] += 0.1
    (folder / "results.jsonl").write_text(json.dumps(record), encoding="utf-8")
    ended = eatlas_cli("verify", "results.jsonl")
    assert ended.code == 1
    assert "adjusted.level1.effect_size: " in ended.said


@pytest.mark.parametrize(
    "name", ["elsewhere/secret.csv", "{folder}/elsewhere/secret.csv", "..", "a\0b"]
)
def test_a_strangers_file_is_read_beside_the_results_or_here_alone(eatlas_cli, folder, name):
    ended = eatlas_cli(*QUICK, "--json", "--covariates", "norms.csv?columns=valence")
    record = json.loads(ended.out)
    (folder / "elsewhere").mkdir()
    (folder / "norms.csv").rename(folder / "elsewhere" / "secret.csv")
    record["provenance"]["covariates"]["file"] = name.format(folder=folder)
    (folder / "results.jsonl").write_text(json.dumps(record), encoding="utf-8")
    ended = eatlas_cli("verify", "results.jsonl")
    assert (ended.code, ended.err) == (1, "")
    assert "their file is neither next to it nor in the working folder" in ended.said


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--covariates", "norms.csv"), "error: norms.csv, line 2, column part: this is not a number\n  got: 'noun'\n  allowed: a number with a decimal point; nothing, NA or NaN where it is missing\n  remedy: choose only columns of numbers: FILE.csv?columns=NAME,NAME\n"),
        (("--covariates", "norm.csv"), "error: norm.csv: the table cannot be read\n  got: No such file or directory\n  allowed: CSV or TSV in UTF-8 with a header; words in the first column, numbers in the others\n  remedy: did you mean norms.csv?\n"),
        (("--measure", "weat(adjust=none)", "--covariates", "norms.csv"), "error: covariates have no effect here: no measure adjusts for them\n  got: WEAT(adjust=none,alpha=0.05,ddof=1,p=auto)\n"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_before_anything_is_run(eatlas_cli, folder, arguments, message):
    ended = eatlas_cli("run", "--tests", "weat-9", *arguments)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(message)
    assert not (folder / "out").exists()
