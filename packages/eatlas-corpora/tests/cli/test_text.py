"""``eatlas text``: what it prints, what it writes, how it ends, and what it refuses."""

import gzip
import json
import os
import subprocess
import sys

import pytest
from tests.inputs import ROOT

pytestmark = pytest.mark.filterwarnings("always::eatlas.EatlasWarning")
TOML = """\
schema = 1
[[test]]
id = "jobs"
kind = "groups"
reference = "uniform"
targets = { name = "Jobs", terms = ["nurse", "pilot", "abbot"] }
groups = [
  { name = "Female", terms = ["she", "her"] },
  { name = "Male", terms = ["he", "his"] },
]
"""
TEXT = "The nurse sat. She ate. A bell rang. His pilot left.\nA pilot and her map.\nThe nurse.\n"


@pytest.fixture
def jobs(tmp_path):
    path = tmp_path / "jobs.toml"
    path.write_text(TOML)
    (tmp_path / "corpus.txt").write_text(TEXT)
    return path


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_the_table(eatlas_cli, tmp_path, jobs):
    ended = eatlas_cli("text", "corpus.txt", "--tests", jobs)
    assert ended.code == 0, ended.err
    assert ended.out.splitlines() == [
        "target  spans  Female  Male",
        "nurse       2       1     0",
        "pilot       2       1     1",
        "(all)       4       2     1",
        "",
        "3 documents, 6 sentences, 4 spans, 18 words of 1 file, 85 bytes",
        "without any context, so undefined: abbot",
        "",
        "counts:     counts.csv",
        "provenance: counts.csv.json",
    ]
    assert ended.err == (
        "warning: No context found for 1 of 3 targets, so their counts are undefined: abbot.\n"
    )
    assert (tmp_path / "counts.csv").read_text() == (
        "term,spans,Female,Male\nnurse,2,1,0\npilot,2,1,1\nabbot,,,\n(all),4,2,1\n"
    )
    assert names(tmp_path) == ["corpus.txt", "counts.csv", "counts.csv.json", "jobs.toml"]


def test_pairs_of_words(eatlas_cli, tmp_path, jobs):
    ended = eatlas_cli("text", "corpus.txt", "--tests", jobs, "--window", 2)
    assert ended.out.splitlines()[:1] == ["target  pairs  Female  Male"]
    assert "3 documents, 54 pairs, 18 words" in ended.out
    about = json.loads((tmp_path / "counts.csv.json").read_text())
    assert (about["window"], about["pairs"]) == (2, 54)
    assert about.keys().isdisjoint({"span", "sentences"})


def test_the_table_is_measured(eatlas_cli, tmp_path, jobs):
    assert eatlas_cli("text", "corpus.txt", "--tests", jobs, "-o", "c.parquet").code == 0
    ended = eatlas_cli(
        "run", "--tests", jobs, "--vectors", "c.parquet", "--measure", "divdist(soa=counts)",
        "--json",
    )  # fmt: skip
    assert ended.code == 0, ended.err
    result = json.loads(ended.out)
    assert [one["distribution"] for one in result["targets"]] == [[1, 0], [0.5, 0.5]]
    assert result["coverage"]["targets"]["reasons"] == {"abbot": "no numbers in c.parquet"}


def test_a_damaged_file(eatlas_cli, tmp_path, jobs):
    good = gzip.compress("".join(f"The nurse. He {k * k}.\n" for k in range(150_000)).encode())
    (tmp_path / "z.txt.gz").write_bytes(good[: len(good) // 2])
    ended = eatlas_cli("text", "corpus.txt", "z.txt.gz", "--tests", jobs)
    assert (ended.code, ended.out) == (2, "")
    assert "z.txt.gz: the compressed data are damaged or end early" in ended.err
    assert "1 subcorpora are counted and kept; repeat the command" in ended.err
    (tmp_path / "z.txt.gz").write_bytes(good)
    again = eatlas_cli("text", "corpus.txt", "z.txt.gz", "--tests", jobs)
    assert again.code == 0
    assert "nurse   150,002       1  150,000" in again.out


INTERRUPTED = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from eatlas_corpora.reading import files as shards
shards.SIZE = 30
from eatlas.cli import progress
class CutOff(progress.Lines):
    def __call__(self, done, total):
        if done:
            os.kill(os.getpid(), signal.SIGINT)
progress.Lines = CutOff
sys.argv = ['eatlas', 'text', 'corpus.txt', '--tests', 'jobs.toml', '--workers', '1']
from eatlas.cli import main
main()
"""


@pytest.mark.slow
def test_a_count_that_is_interrupted_goes_on(eatlas_cli, tmp_path, jobs, monkeypatch):
    from eatlas_corpora.reading import files as shards

    root = str(ROOT / "src")
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": root},
    )  # fmt: skip
    assert done.returncode == 130
    assert done.stderr == (
        "interrupted; 1 subcorpora are counted and kept; repeat the command to continue\n"
    )
    monkeypatch.setattr(shards, "SIZE", 30)
    ended = eatlas_cli("text", "corpus.txt", "--tests", jobs, "--workers", 1)
    assert "parts taken over from an interrupted count: 1 of 2" in ended.err
    assert "nurse       2       1     0" in ended.out
    assert names(tmp_path) == ["corpus.txt", "counts.csv", "counts.csv.json", "jobs.toml"]
