"""``eatlas contexts``: what it prints, what it writes, and what it refuses."""

import json
import re
import signal
import subprocess
import sys

import pytest
from tests.inputs import TERMS

import eatlas
from eatlas_corpora.reading import Context, Contexts


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_bytes(b"an aster\nlove \xff\nthe clover, the aster\nno ant in it\n")
    return path


def test_the_table(eatlas_cli, tmp_path, corpus, test_file):
    ended = eatlas_cli("contexts", corpus, "--tests", test_file, "--per-term", 2)
    assert (ended.code, ended.err) == (0, f"skipped: {corpus}, line 2: not UTF-8\n")
    lines = ended.out.splitlines()
    assert lines[0].split() == ["stimulus", "found", "kept"]
    assert lines[1].split() == ["aster", "2", "2"]
    assert f"3 texts of 1 file, {corpus.stat().st_size} bytes" in lines
    assert "skipped, damaged lines: 1" in lines
    assert "with fewer than 2: clover (1), ant (1)" in lines
    assert "without any context: iris, lily, flea, wasp, gnat, love" in ended.out.replace("\n", " ")
    assert lines[-1] == "contexts: contexts.parquet"
    kept = eatlas.load_contexts(tmp_path / "contexts.parquet")
    assert [one.text for one in kept.of_stimulus("clover")] == ["the clover, the aster"]


def test_the_reason_is_beside_the_count(eatlas_cli, tmp_path, test_file):
    lines = ["an aster"] * 5 + ["a clover"] * 2 + [f"{k} iris" for k in range(4)]
    (tmp_path / "some.txt").write_text("\n".join(lines))
    ask = ("contexts", "some.txt", "--tests", test_file, "--per-term", 3, "-o", "c.jsonl")
    table = eatlas_cli(*ask).out.splitlines()
    assert table[1].split(maxsplit=3) == ["aster", "5", "1", "4 repeat a text that is kept"]
    assert table[2].split(maxsplit=3) == ["clover", "2", "1", "1 repeats a text that is kept"]
    assert table[3].split() == ["iris", "4", "3"]
    assert "with more than 3, which --per-term keeps: 1" in table
    table = eatlas_cli(*ask, "--repeats", "keep").out.splitlines()
    assert [line.split() for line in table[1:3]] == [["aster", "5", "3"], ["clover", "2", "2"]]
    assert eatlas.load_contexts(tmp_path / "c.jsonl").provenance["repeats"] == "keep"
    ended = eatlas_cli(*ask, "--repeats", "all")
    assert (ended.code, "allowed: drop, keep" in ended.err) == (2, True)


@pytest.mark.parametrize("how", ["SIGKILL", pytest.param("SIGINT", marks=pytest.mark.slow)])
def test_what_is_cut_off_leaves_the_old_file_as_it_was(tmp_path, corpus, test_file, how):
    out = tmp_path / "c.parquet"
    out.write_text("old")
    script = (
        "import os, signal, sys\n"
        "from eatlas_corpora.reading import files\n"
        # a shell that starts tests in the background has them ignore the signal
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "read = files.read_part\n"
        "def cut_off(*given):\n"
        "    yield from read(*given)\n"
        f"    os.kill(os.getpid(), signal.{how})\n"
        "files.read_part = cut_off\n"
        f"sys.argv = ['eatlas', 'contexts', {str(corpus)!r}, '--tests', {str(test_file)!r}, '-o', {str(out)!r}]\n"
        "from eatlas.cli import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == (-signal.SIGKILL if how == "SIGKILL" else 130)
    assert out.read_text() == "old"
    assert sorted(one.name for one in tmp_path.iterdir()) == [
        "c.parquet",
        "corpus.txt",
        "tiny.toml",
    ]


def in_contexts() -> Contexts:
    words = [word for group in TERMS.values() for word in group]
    return Contexts.of([Context(w, f"{w} {k}", 0, len(w)) for w in words for k in range(3)])


def test_a_run_of_the_command_line(tmp_path, eatlas_cli, test_file):
    in_contexts().write(tmp_path / "c.jsonl")
    ended = eatlas_cli(
        "run", "--tests", test_file, "--vectors", "cbow:glove-sample", "--contexts", "c.jsonl",
        "--per-term", 2, "--json",
    )  # fmt: skip
    assert ended.code == 0, ended.err
    result = json.loads(ended.out)
    assert result["coverage"]["X"]["contexts"] == dict.fromkeys(TERMS["X"], 2)
    assert result["provenance"]["sentences_from"].startswith("c.jsonl, SHA-256 ")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "results.jsonl").write_text(ended.out, encoding="utf-8")
    assert "1 of 1 results are the same\n" in eatlas_cli("verify", "out/results.jsonl").out
    (tmp_path / "c.jsonl").rename(tmp_path / "d.jsonl")
    (tmp_path / "c.jsonl.json").rename(tmp_path / "d.jsonl.json")
    gone = eatlas_cli("verify", "out/results.jsonl")
    assert gone.code == 1
    assert "  remedy: name the file: eatlas verify RESULTS --contexts FILE" in gone.out
    assert eatlas_cli("verify", "out/results.jsonl", "--contexts", "d.jsonl").code == 0
    refused = eatlas_cli("verify", "out/results.jsonl", "--contexts", "none.csv")
    assert (refused.code, refused.out) == (2, "")
    assert "none.csv: there is no such file" in refused.err
    alone = eatlas_cli("run", "--per-term", 2)
    assert (alone.code, alone.out) == (2, "")
    assert alone.err == (
        "error: --per-term needs a file of contexts\n"
        "  got: --per-term 2 alone\n  allowed: --contexts FILE --per-term N\n"
    )


def test_several_windows(tmp_path, eatlas_cli, test_file):
    words = [word for group in TERMS.values() for word in group]
    around = ("river", "music"), ("winter", "house"), ("garden", "school")
    texts = [(w, f"{a} {b} {w} {b} {a}") for w in words for a, b in around]
    rows = [Context(w, text, text.index(w), text.index(w) + len(w)) for w, text in texts]
    Contexts.of(rows, provenance={"window": 2}).write(tmp_path / "c.jsonl")
    given = ("run", "--tests", test_file, "--vectors", "cbow:glove-sample", "--contexts", "c.jsonl")
    quick = ("--measure", "ml-eat(resamples=0)", "--frequency", "off")
    ended = eatlas_cli(*given, *quick, "--window", 2, "--window", 1, "--json")
    assert ended.code == 0, ended.err
    results = [json.loads(line) for line in ended.out.splitlines()]
    assert [one["provenance"]["contexts"]["window"] for one in results] == [2, 1]
    shown = eatlas_cli(*given, *quick, "--window", 1, "--window", 2)
    assert re.search(r"^Test +window 1 +window 2 +Difference$", shown.out, re.MULTILINE)
    assert "\ntiny by window: " in shown.out
    assert eatlas_cli("verify", "out/results.jsonl").code == 0
    other = ("--vectors", "cbow:glove-sample?transform=center", "--measure", "weat(resamples=0)")
    shown = eatlas_cli(*given, *quick, *other, "--window", 1, "--window", 2)
    for transform in ("no transform", "transform center"):
        for measure in ("ML-EAT", "WEAT"):
            assert f"\ntiny ({transform}, {measure}) by window: " in shown.out


def test_pairs(eatlas_cli, tmp_path, test_file):
    (tmp_path / "some.txt").write_text("aster love\nant war\n")
    ended = eatlas_cli("contexts", "some.txt", "--tests", test_file, "--pairs", "-o", "p.csv")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.splitlines() == [
        "2 texts of 1 file, 19 bytes",
        "pairs with a context: 2 of 64; contexts kept: 2 of 2",
        "targets without any pair: clover, iris, lily, flea, wasp, gnat",
        "",
        "pairs: p.csv",
    ]
    assert len(eatlas.load_pairs(tmp_path / "p.csv")) == 2
    (tmp_path / "some.txt").write_text("aster love\n" * 3 + "ant war\n")
    ask = ("contexts", "some.txt", "--tests", test_file, "--pairs", "-o", "p.csv")
    first = "pairs with a context: 2 of 64; contexts kept: "
    assert f"{first}2 of 4; 2 repeat a text that is kept" in eatlas_cli(*ask).out
