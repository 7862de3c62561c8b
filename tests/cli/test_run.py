"""``eatlas run``: what it prints, writes and answers."""

import io
import json
import re
import signal
import subprocess
import sys

import jsonschema
import pytest
from tests.inputs import TOML, wait_until

from eatlas import read_results
from eatlas.results.json_lines import json_schema


def test_json_is_all_that_is_printed_and_nothing_is_written(eatlas_cli, tmp_path):
    ended = eatlas_cli("run", "--tests", "weat-6", "--tests", "weat-7", "--json", "--seed", 3)
    assert (ended.code, ended.err) == (0, "")
    lines = [json.loads(line) for line in ended.out.splitlines()]
    assert [line["test"] for line in lines] == ["weat-6", "weat-7"]
    assert {line["provenance"]["seed"] for line in lines} == {3}
    validator = jsonschema.Draft202012Validator(json_schema())
    for line in lines:
        validator.validate(line)
    assert list(tmp_path.iterdir()) == []


def test_a_terminal_that_knows_ascii_alone(eatlas_cli, monkeypatch):
    ascii_out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", ascii_out)
    quick = ("--measure", "ml-eat(resamples=0)", "--frequency", "off")
    ended = eatlas_cli("run", "--tests", "weat-6", "--tests", "weat-7", *quick)
    assert (ended.code, ended.err) == (0, "")
    ascii_out.flush()
    printed = ascii_out.buffer.getvalue().decode("ascii")
    assert re.search(
        r"^weat-6  Female .* -1\.34 \[-2\.60, -0\.50\] +\.0044 ", printed, re.MULTILINE
    )
    sensitive = re.search(r"^weat-7 .*\n(?: +.*\n)+", printed, re.MULTILINE)[0]
    assert '"male", "sister/daughter"' in sensitive


def test_some_failed(eatlas_cli, tmp_path, vectors_csv):
    bad = TOML.replace('"tiny"', '"bad"').replace(
        '"aster", "clover", "iris", "lily"', '"no", "none"'
    )
    path = tmp_path / "two.toml"
    path.write_text(TOML + bad.split("\n", 1)[1], encoding="utf-8")
    ended = eatlas_cli("run", "--tests", path, "--vectors", vectors_csv)
    assert ended.code == 1
    assert "test bad, group X (Flowers): no term has a usable vector" in ended.err
    assert "1 of 2 jobs failed; the others are done" in ended.err
    assert [r.test for r in read_results(tmp_path / "out" / "results.jsonl")] == ["tiny"]
    assert "bad" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")


def test_none_of_the_words_is_said_once(eatlas_cli, tmp_path):
    path = tmp_path / "numbers.txt"
    path.write_text("".join(f"{i} .1 .{i} .3\n" for i in range(1, 9)), encoding="utf-8")
    ended = eatlas_cli("run", "--vectors", path, "--measure", "weat", "--measure", "rnd")
    assert ended.code == 2
    assert ended.err.count("error:") == 1
    assert f"error: test weat-1 (100 terms): {path} has none of them\n" in ended.err
    assert "  got: its first words are '1', '2', '3'\n" in ended.err
    assert "the file has a column of words" in ended.err
    assert "weat-10" in ended.err
    assert not (tmp_path / "out" / "report.html").exists()


@pytest.mark.slow
def test_interrupted_by_the_user(tmp_path):
    command = [sys.executable, "-m", "eatlas", "run", "--workers", "2", "--out", "o"]
    command += ["--frequency", "off"]
    for k in range(1, 30):
        command += ["--measure", f"ml-eat(alpha=0.{k:03d},resamples=0)"]
    run = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    store = tmp_path / "o" / "unfinished.jsonl"
    # two jobs are written, so that one at least is also counted
    wait_until(
        lambda: run.poll() is not None or (store.exists() and store.read_bytes().count(b"\n") > 1)
    )
    run.send_signal(signal.SIGINT)
    said = run.communicate()[1]
    assert run.returncode == 130
    assert re.search(r"interrupted; \d+ of 290 jobs are done and kept; repeat the command", said)
    assert "Traceback" not in said
    assert not (tmp_path / "o" / "results.jsonl").exists()


@pytest.mark.slow
def test_a_reader_that_leaves_early_is_no_fault(tmp_path):
    command = f'"{sys.executable}" -m eatlas run --measure "weat(resamples=0)" --frequency off --json | head -c 10'
    done = subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, text=True)  # noqa: S602
    assert len(done.stdout) == 10
    assert done.stderr == ""


@pytest.mark.slow
def test_a_full_disk_behind_standard_output(tmp_path):
    command = f'"{sys.executable}" -m eatlas run --tests weat-6 --measure weat --frequency off --json > /dev/full'
    done = subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, text=True)  # noqa: S602
    assert done.returncode == 2
    assert "standard output cannot be written" in done.stderr
    assert "Traceback" not in done.stderr
