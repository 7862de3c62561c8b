"""``eatlas run``: what it prints, writes and answers."""

import json
import os
import re
import signal
import subprocess
import sys

import jsonschema
import pytest
from tests.inputs import TOML, wait_until

from eatlas import read_results
from eatlas.results.json_lines import json_schema

SCHEMA = json_schema()


def test_the_main_job(eatlas_cli, tmp_path):
    ended = eatlas_cli("run")
    assert (ended.code, ended.err) == (0, "")
    results = read_results(tmp_path / "out" / "results.jsonl")
    assert [r.test for r in results] == [f"weat-{n}" for n in range(1, 11)]
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    for result in results:
        assert result.test in ended.out
        assert result.pattern.label in ended.out
        assert result.test in page
    assert "results: out/results.jsonl" in ended.out
    assert "report:  out/report.html" in ended.out


def test_json_is_all_that_is_printed_and_nothing_is_written(eatlas_cli, tmp_path):
    ended = eatlas_cli("run", "--tests", "weat-6", "--tests", "weat-7", "--json", "--seed", 3)
    assert (ended.code, ended.err) == (0, "")
    lines = [json.loads(line) for line in ended.out.splitlines()]
    assert [line["test"] for line in lines] == ["weat-6", "weat-7"]
    assert {line["provenance"]["seed"] for line in lines} == {3}
    validator = jsonschema.Draft202012Validator(SCHEMA)
    for line in lines:
        validator.validate(line)
    assert list(tmp_path.iterdir()) == []


def test_json_with_out_does_both(eatlas_cli, tmp_path):
    ended = eatlas_cli("run", "--tests", "weat-6", "--json", "--out", "here")
    assert json.loads(ended.out)["test"] == "weat-6"
    assert sorted(p.name for p in (tmp_path / "here").glob("[!.]*")) == [
        "report.html",
        "results.jsonl",
    ]
    assert (tmp_path / "here" / "results.jsonl").read_text("utf-8") == ended.out


def test_own_tests_and_vectors(eatlas_cli, test_file, vectors_csv):
    ended = eatlas_cli("run", "--tests", test_file, "--vectors", vectors_csv, "--json")
    line = json.loads(ended.out)
    assert (line["test"], line["source"]) == ("tiny", str(vectors_csv))


def test_several_measures_and_sources(eatlas_cli, test_file, vectors_csv):
    ended = eatlas_cli(
        "run", "--tests", "weat-6", "--vectors", "glove-sample", "--vectors", "glove-sample",
        "--measure", "ML-EAT()", "--measure", "ml-eat", "--measure", "weat(ddof=0)", "--json",
    )  # fmt: skip
    signatures = [json.loads(line)["signature"] for line in ended.out.splitlines()]
    assert [s.split("(")[0] for s in signatures] == ["ML-EAT", "WEAT"]


def test_case_exact_misses_names_in_a_lower_case_vocabulary(eatlas_cli):
    assert (
        json.loads(eatlas_cli("run", "--tests", "weat-8", "--json").out)["coverage"]["X"]["missing"]
        == []
    )
    exact = json.loads(eatlas_cli("run", "--tests", "weat-8", "--case", "exact", "--json").out)
    assert exact["coverage"]["X"]["missing"] == ["Einstein", "NASA"]
    assert exact["provenance"]["case"] == "exact"


LONG_ID = "a-test-with-an-id-that-is-longer-than-any-column-should-ever-be"


@pytest.fixture
def long_id(tmp_path):
    """Arguments of a run of a test with a long id."""
    path, vectors = tmp_path / "mine.toml", tmp_path / "v.csv"
    path.write_text(TOML.replace('id = "tiny"', f'id = "{LONG_ID}"'), encoding="utf-8")
    terms = [t.strip(' "') for line in TOML.splitlines() if "terms" in line
             for t in line.split("[")[1].split("]")[0].split(",")]  # fmt: skip
    rows = [f"{term},{i % 3},{i % 5},{i % 7 + 1}" for i, term in enumerate(terms)]
    vectors.write_text("\n".join(rows), encoding="utf-8")
    return ["run", "--tests", str(path), "--vectors", str(vectors)]


def test_ids_and_labels_are_whole_at_any_width(eatlas_cli, long_id, tmp_path, monkeypatch):
    tables = set()
    for columns in (20, 60, 80, 100, 140, 300):
        monkeypatch.setenv("COLUMNS", str(columns))
        ended = eatlas_cli(*long_id)
        assert ended.code == 0
        (result,) = read_results(tmp_path / "out" / "results.jsonl")
        assert LONG_ID in ended.out
        assert result.pattern.label in ended.out
        assert "Flowers / Insects" in ended.out.replace("\n", " ") or columns < 60
        tables.add(ended.out)
    assert len(tables) > 1  # it does know how wide it may be


def test_ids_and_labels_are_whole_in_a_process_of_its_own(long_id, tmp_path):
    command = [sys.executable, "-m", "eatlas", *long_id]
    environment = {**os.environ, "COLUMNS": "80"}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, encoding="utf-8"
    )
    assert done.returncode == 0
    (result,) = read_results(tmp_path / "out" / "results.jsonl")
    assert LONG_ID in done.stdout
    assert result.pattern.label in done.stdout
    assert "Flowers / Insects" in done.stdout.replace("\n", " ")


def test_a_terminal_that_knows_no_squares(tmp_path):
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    command = [sys.executable, "-m", "eatlas", "run", "--tests", "weat-6"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0
    assert "A .." in done.stdout
    assert "B .#" in done.stdout
    assert "-1.34*" in done.stdout
    assert done.stderr == ""


def test_json_is_utf8_whatever_the_terminal(tmp_path):
    path = tmp_path / "rose.toml"
    path.write_text(TOML.replace("Flowers", "🌹"), encoding="utf-8")
    vectors = tmp_path / "v.csv"
    terms = "aster clover iris lily ant flea wasp gnat love peace joy heaven hatred war filth agony"
    rows = [f"{term},{i % 3},{i % 5},{i % 7 + 1}" for i, term in enumerate(terms.split())]
    vectors.write_text("\n".join(rows), encoding="utf-8")
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    command = [
        sys.executable,
        "-m",
        "eatlas",
        "run",
        "--json",
        "--tests",
        path,
        "--vectors",
        vectors,
    ]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True)
    assert done.returncode == 0
    assert json.loads(done.stdout.decode("utf-8"))["concepts"]["X"] == "🌹"


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


def test_none_could_run(eatlas_cli, tmp_path, vectors_csv):
    ended = eatlas_cli("run", "--tests", "weat-6", "--vectors", vectors_csv)
    assert ended.code == 2
    assert "test weat-6, group X (Male names): no term has a usable vector" in ended.err
    assert "John (not in " in ended.err
    assert ended.out == ""
    assert not (tmp_path / "out" / "results.jsonl").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--tests", "weat-66"], "there is no test or battery 'weat-66'"),
        (["--tests", "none.toml"], "none.toml: there is no such test file"),
        (["--vectors", "glove-simple"], "there are no vectors called 'glove-simple'"),
        (["--vectors", "none.txt"], "none.txt: there is no such file"),
        (["--measure", "weet"], "there is no measure 'weet'"),
        (["--measure", "ml-eat(alpha=2)"], "the parameter alpha has no such value"),
        (["--case", "lower"], "unknown case rule"),
        (["--out", "file/below"], "--out file/below: cannot be written to"),
    ],
)
def test_bad_arguments_end_before_any_work(eatlas_cli, tmp_path, arguments, message):
    (tmp_path / "file").touch()
    ended = eatlas_cli("run", *arguments)
    assert ended.code == 2
    assert ended.err.startswith("error: ")
    assert message in ended.err
    assert "Traceback" not in ended.err
    assert ended.out == ""
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("arguments", [["--seed", "x"], ["--seed", "-1"], ["--nonsense"]])
def test_what_the_parser_refuses(eatlas_cli, arguments):
    ended = eatlas_cli("run", *arguments)
    assert ended.code == 2
    assert arguments[0] in ended.err


def test_a_bad_line_of_a_vector_file(eatlas_cli, tmp_path, test_file):
    path = tmp_path / "v.txt"
    path.write_text("aster 1 2\nclover 1\n", encoding="utf-8")
    ended = eatlas_cli("run", "--tests", test_file, "--vectors", path)
    assert ended.code == 2
    assert "v.txt, line 2: a vector of the wrong length" in ended.err


def test_markup_and_hostile_names_are_text(eatlas_cli, tmp_path, vectors_csv):
    path = tmp_path / "odd.toml"
    name = "<script>alert(1)</script> [bold]x[/bold] שלום 🌹"
    path.write_text(TOML.replace('name = "Flowers"', f'name = "{name}"'), encoding="utf-8")
    ended = eatlas_cli("run", "--tests", path, "--vectors", vectors_csv)
    assert ended.code == 0
    assert "[bold]" in ended.out
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_two_runs_write_the_same_bytes(eatlas_cli, tmp_path):
    for directory in ("one", "two"):
        eatlas_cli("run", "--tests", "weat-6", "--out", directory)
    for name in ("results.jsonl", "report.html"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


@pytest.mark.parametrize("workers", ["1", "2"])
def test_interrupted_by_the_user(tmp_path, workers):
    command = [sys.executable, "-m", "eatlas", "run", "--workers", workers, "--out", "o"]
    for k in range(1, 50):
        command += ["--measure", f"ml-eat(alpha=0.{k:03d})"]
    run = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    store = tmp_path / "o" / "unfinished.jsonl"
    # two jobs are written, so that one at least is also counted
    wait_until(
        lambda: run.poll() is not None or (store.exists() and store.read_bytes().count(b"\n") > 1)
    )
    run.send_signal(signal.SIGINT)
    said = run.communicate()[1]
    assert run.returncode == 130
    assert re.search(r"interrupted; \d+ of 490 jobs are done and kept; repeat the command", said)
    assert "Traceback" not in said
    assert not (tmp_path / "o" / "results.jsonl").exists()


def test_a_reader_that_leaves_early_is_no_fault(tmp_path):
    command = (
        f'"{sys.executable}" -m eatlas run --measure "ml-eat(resamples=0)" --json | head -c 10'
    )
    done = subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, text=True)  # noqa: S602
    assert len(done.stdout) == 10
    assert done.stderr == ""


def test_a_full_disk_behind_standard_output(tmp_path):
    command = f'"{sys.executable}" -m eatlas run --tests weat-6 --json > /dev/full'
    done = subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, text=True)  # noqa: S602
    assert done.returncode == 2
    assert "standard output cannot be written" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&- <&-"])
def test_closed_streams(tmp_path, closed):
    command = f'"{sys.executable}" -m eatlas run --tests weat-6 --out here {closed}'
    done = subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, text=True)  # noqa: S602
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    assert (tmp_path / "here" / "results.jsonl").exists()


def test_what_holds_for_all_results_names_none(eatlas_cli, tmp_path):
    """A term that no source has is missing in every test."""
    groups = re.sub(r"terms = \[", 'terms = ["zzqq", ', TOML.partition("[[test]]")[2], count=1)
    for n in range(4):
        text = "schema = 1\n[[test]]" + re.sub(r'id = "[^"]*"', f'id = "t{n}"', groups, count=1)
        (tmp_path / f"{n}.toml").write_text(text)
    few, all_four = (
        eatlas_cli("run", *(part for k in range(n) for part in ("--tests", f"{k}.toml"))).out
        for n in (3, 4)
    )
    assert "t0, t1, t2: Missing terms: Flowers: zzqq." in few
    assert "all 4 results: Missing terms: Flowers: zzqq." in all_four
