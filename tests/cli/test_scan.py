"""``eatlas scan``: what it prints, writes and answers."""

import csv
import json
import re
import subprocess

import jsonschema
import numpy as np
import pytest
from tests import terminal
from tests.inputs import TOML

import eatlas
from eatlas.engine.scan.chunk import Chunks
from eatlas.results.scan import COLUMNS, json_schema, read_scan

SCHEMA = json_schema()
SCAN = ("scan", "--vectors", "glove-sample", "--attributes", "weat-7", "--first", 1500)


@pytest.fixture
def tiny_scan(vectors_csv, test_file):
    with vectors_csv.open("a") as file:
        for i, row in enumerate(np.random.default_rng(0).normal(size=(20, 5)).tolist()):
            file.write(",".join([f"w{i}", *map(repr, row)]) + "\n")
    return ("scan", "--vectors", vectors_csv, "--attributes", test_file)


def test_the_table(eatlas_cli, tmp_path):
    ended = eatlas_cli(*SCAN, "--top", 3)
    assert (ended.code, ended.err) == (0, "")
    lines = ended.out.splitlines()
    assert lines[0] == (
        "SC-EAT(alpha=0.05,ddof=1,p=auto) of 1,500 words of glove-sample: Male terms (A) against "
        "Female terms (B), the attributes of weat-7"
    )
    assert lines[2] == (
        "Words 1–1,000 of the source (992: 98% lean to A, 2% to B; below 0.05 by maxT: A 0, B 0)"
    )
    assert lines[3].split() == [
        "A:",
        "Male",
        "terms",
        "d",
        "diff.",
        "p",
        "maxT",
        "BY",
        "│",
        "B:",
        "Female",
        "terms",
        "d",
        "diff.",
        "p",
        "maxT",
        "BY",
    ]
    assert lines[4].split()[0] == "al"
    assert lines[8].startswith("Words 1,001–1,500 of the source")
    assert lines[-1] == "Every word with its p-values: --out FILE.csv"
    assert "Holm, like Bonferroni, can reject no word here" in ended.out
    assert "no two-sided p is below 1.6e-4 (2 of 12,870)" in ended.out
    assert list(tmp_path.iterdir()) == []


def test_json_is_all_that_is_printed(eatlas_cli, tmp_path):
    ended = eatlas_cli(*SCAN, "--json", "--seed", 3)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.count("\n") == 1
    found = json.loads(ended.out)
    jsonschema.Draft202012Validator(SCHEMA).validate(found)
    assert found["schema"] == "eatlas/scan/1"
    assert (found["test"], found["source"]) == ("weat-7", "glove-sample")
    assert found["provenance"]["seed"] == 3
    assert found["family"]["total"] == 12_870
    assert found["words_file"] is None
    assert list(tmp_path.iterdir()) == []


def test_out_writes_every_word_and_the_summary(eatlas_cli, tmp_path):
    ended = eatlas_cli(*SCAN, "--out", "new/words.csv")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.endswith("\nwords:   new/words.csv\nsummary: new/words.csv.json\n")
    assert sorted(p.name for p in (tmp_path / "new").iterdir()) == ["words.csv", "words.csv.json"]
    with (tmp_path / "new" / "words.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert tuple(header) == COLUMNS
    assert len(rows) == 1500
    summary = json.loads((tmp_path / "new" / "words.csv.json").read_text("utf-8"))
    jsonschema.Draft202012Validator(SCHEMA).validate(summary)
    assert summary["words_file"] == "new/words.csv"
    provenance = summary["provenance"]
    assert provenance["version"] == eatlas.__version__
    assert len(provenance["stimuli_sha256"]) == 64
    assert provenance["source_fingerprint"].startswith("sha256:")
    assert summary["signature"] == "SC-EAT(alpha=0.05,ddof=1,p=auto)"


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_the_command_writes_what_python_returns(eatlas_cli, tmp_path, tiny_scan, suffix):
    out = tmp_path / f"words.{suffix}"
    assert eatlas_cli(*tiny_scan, "--out", out).code == 0
    mine = read_scan(out)
    other = eatlas.scan(str(tiny_scan[2]), str(tiny_scan[4]))
    assert mine.to_frame().equals(other.to_frame())
    assert mine == other
    assert mine != eatlas.scan(str(tiny_scan[2]), str(tiny_scan[4]), seed=1)
    assert mine != "a scan"
    assert mine.top().equals(other.top())
    again = eatlas.scan(str(tiny_scan[2]), str(tiny_scan[4]), out=out)
    assert again == mine


def test_json_with_out_does_both(eatlas_cli, tmp_path, tiny_scan):
    ended = eatlas_cli(*tiny_scan, "--out", "words.csv", "--json")
    summary = json.loads((tmp_path / "words.csv.json").read_text("utf-8"))
    assert json.loads(ended.out) == summary


def test_words_moved_with_their_summary_are_found(eatlas_cli, tmp_path, tiny_scan):
    eatlas_cli(*tiny_scan, "--out", "words.csv")
    (tmp_path / "there").mkdir()
    for name in ("words.csv", "words.csv.json"):
        (tmp_path / name).rename(tmp_path / "there" / name)
    for path in (tmp_path / "there" / "words.csv", tmp_path / "there" / "words.csv.json"):
        assert len(read_scan(path).to_frame()) == 36


def test_two_lists_of_words(eatlas_cli, tiny_scan):
    options = [
        "--vectors",
        tiny_scan[2],
        "--a",
        "love, peace,joy ,heaven",
        "--b",
        "war,filth,agony",
    ]
    found = json.loads(eatlas_cli("scan", *options, "--json").out)
    assert found["test"] is None
    assert found["concepts"] == {"A": "love, peace, ...", "B": "war, filth, ..."}
    assert found["coverage"]["A"]["used"] == ["love", "peace", "joy", "heaven"]
    assert found["family"]["design"] == [4, 3]


def test_options_reach_the_scan(eatlas_cli, tiny_scan):
    found = json.loads(
        eatlas_cli(
            *tiny_scan, "--measure", "sc-eat(alpha=0.2,ddof=0)", "--frequency-bands", "5,20",
            "--top", 2, "--first", 30, "--case", "EXACT", "--json",
        ).out
    )  # fmt: skip
    assert found["signature"] == "SC-EAT(alpha=0.2,ddof=0,p=auto)"
    assert found["family"]["alpha"] == 0.2
    assert [band["band"] for band in found["bands"]] == [
        {"first": 1, "last": 5}, {"first": 6, "last": 20}, {"first": 21, "last": 30},
    ]  # fmt: skip
    assert max(len(one["words"]) for one in found["tops"]) == 2
    assert found["vocabulary"]["read"] == 30
    assert found["provenance"]["case"] == "exact"
    (band,) = json.loads(eatlas_cli(*tiny_scan, "--frequency-bands", "none", "--json").out)["bands"]
    assert band["band"] == {"first": 1, "last": 36}


def test_missing_attributes_and_odd_words_are_shown(eatlas_cli, tmp_path):
    rng = np.random.default_rng(1)
    words = ["love", "peace", "joy", "hatred", "war", "filth", "a\x1b[31mb", "naïve", "長い言葉"]
    np.save(tmp_path / "v.npy", rng.normal(size=(9, 4)))
    (tmp_path / "v.vocab").write_text("\n".join(words) + "\n", encoding="utf-8")
    (tmp_path / "t.toml").write_text(TOML, encoding="utf-8")
    out = eatlas_cli("scan", "--vectors", "v.npy", "--attributes", "t.toml").out
    assert "Missing attributes of Pleasant: heaven." in out
    assert "Missing attributes of Unpleasant: agony." in out
    assert "6 attribute words are in no list and no family." in out
    assert r"a\x1b[31mb" in out
    assert "\x1b" not in out
    assert "naïve" in out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--attributes", "weat-77"], "there is no test or battery 'weat-77'"),
        (
            ["--attributes", "caliskan"],
            "caliskan: a scan takes the attributes of one test\n  got: 10",
        ),
        (
            [],
            "two groups of attributes are needed\n  got: none\n"
            "  allowed: --attributes TEST, or both --a WORD,WORD,... and --b WORD,WORD,...\n",
        ),
        (["--a", "he,him"], "two groups of attributes are needed\n  got: --a\n"),
        (
            ["--attributes", "weat-7", "--b", "she,her"],
            "two groups of attributes are needed\n  got: --attributes and --b\n",
        ),
        (["--a", "he,him", "--b", " , "], "Concept 'attributes', argument terms: "),
        (
            ["--a", "he,him", "--b", "she,he"],
            "some attributes are on both sides, A and B\n  got: he\n",
        ),
        (
            ["--attributes", "weat-7", "--frequency-bands", "ten"],
            "--frequency-bands: these are not ranks\n  got: ten\n  allowed: rising whole "
            "numbers separated by commas, such as 1000,10000,100000; or none\n",
        ),
        (
            ["--attributes", "weat-7", "--frequency-bands", "10,5"],
            "the frequency bands are not usable\n  got: 10, 5\n",
        ),
        (
            ["--attributes", "weat-7", "--measure", "weat"],
            "a scan tests single words\n  got: WEAT(",
        ),
        (["--attributes", "weat-7", "--measure", "sc-eat(alpha=2)"], "alpha"),
        (["--attributes", "weat-7", "--case", "lower"], "unknown case rule\n  got: 'lower'"),
        (
            ["--attributes", "weat-7", "--out", "x.xlsx"],
            "--out x.xlsx: this kind of file is not known\n  got: .xlsx\n"
            "  allowed: .csv or .parquet\n",
        ),
        (
            ["--attributes", "weat-7", "--out", "folder.csv"],
            "--out folder.csv: folder.csv is a directory\n  allowed: a file\n",
        ),
        (
            ["--attributes", "weat-7", "--out", "file/x.csv"],
            "--out file/x.csv: cannot be written to",
        ),
    ],
)
def test_mistakes(eatlas_cli, tmp_path, options, message):
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "file").write_text("")
    ended = eatlas_cli("scan", "--vectors", "glove-sample", *options)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("error: ")
    assert message in ended.err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", "folder.csv"]


@pytest.mark.parametrize(
    "options", [["--top", "-1"], ["--first", "0"], ["--seed", "-1"], ["--topp"]]
)
def test_options_that_typer_refuses(eatlas_cli, options):
    ended = eatlas_cli(*SCAN, *options)
    assert (ended.code, ended.out) == (2, "")


def test_what_is_read_is_not_written(eatlas_cli, tiny_scan):
    vectors = tiny_scan[2]
    before = vectors.read_bytes()
    for source in (vectors, f"{vectors}?encoding=utf-8"):
        options = ["--vectors", source, "--attributes", tiny_scan[4], "--out", vectors]
        ended = eatlas_cli("scan", *options)
        assert ended.code == 2
        assert f"--out {vectors}: {vectors} is a file that is read; writing would destroy it" in (
            ended.err
        )
    assert vectors.read_bytes() == before


def test_a_broken_vector_on_the_way_is_said_and_finished_words_stay(eatlas_cli, tmp_path):
    rng = np.random.default_rng(2)
    words = ["love", "peace", "joy", "heaven", "hatred", "war", "filth", "agony"]
    words += [f"w{i}" for i in range(9000)]
    lines = [
        f"{w} {a:.4f} {b:.4f} {c:.4f}"
        for w, (a, b, c) in zip(words, rng.normal(size=(9008, 3)), strict=True)
    ]
    lines[8500] = "w8492 0.1 nan 0.2"
    (tmp_path / "v.txt").write_text("\n".join(lines) + "\n")
    (tmp_path / "t.toml").write_text(TOML)
    ended = eatlas_cli("scan", "--vectors", "v.txt", "--attributes", "t.toml", "--out", "w.csv")
    assert ended.code == 2
    assert "not finite" in ended.err
    assert "Traceback" not in ended.err
    assert not (tmp_path / "w.csv").exists()


def test_ctrl_c_without_a_file(eatlas_cli, monkeypatch, tiny_scan):
    from eatlas.engine.scan import scanning

    def interrupted(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(scanning, "measure_chunk", interrupted)
    ended = eatlas_cli(*tiny_scan)
    assert (ended.code, ended.out) == (130, "")
    assert ended.err == "interrupted; nothing is kept, which takes --out\n"
    ended = eatlas_cli(*tiny_scan, "--out", "words.csv")
    assert (ended.code, ended.err) == (130, "interrupted; nothing is kept\n")


def test_ctrl_c_while_words_are_written_keeps_them(eatlas_cli, tmp_path, monkeypatch, tiny_scan):
    from eatlas.engine.scan import scanning

    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(scanning, "conclude", interrupted)
        ended = eatlas_cli(*tiny_scan, "--out", "words.csv")
    assert (ended.code, ended.out) == (130, "")
    assert ended.err == (
        "interrupted; 36 words are done and kept; repeat the command to continue\n"
    )
    ended = eatlas_cli(*tiny_scan, "--out", "words.csv")
    assert ended.code == 0
    assert ended.err == "words taken over from an interrupted scan: 36\n"


def test_what_is_sorted_by_is_said(eatlas_cli, tiny_scan):
    out = eatlas_cli(*tiny_scan, "--sort", "difference").out
    assert "Sorted by diff., the strength of an association. d is the effect size" in out
    ended = eatlas_cli(*tiny_scan, "--sort", "size")
    assert ended.code == 2
    assert "lists cannot be sorted by this" in ended.err
    assert "allowed: effect_size, difference, p" in ended.err


def test_what_another_scan_has_left_is_named_and_left(eatlas_cli, tmp_path, tiny_scan):
    (left := tmp_path / ".words.csv.0123456789ab.unfinished").write_bytes(b"of other settings")
    ended = eatlas_cli(*tiny_scan, "--out", "words.csv")
    assert ended.code == 0
    assert ended.err == (
        f"{left.name}: found an interrupted scan with other settings; its words are left there\n"
    )
    assert left.exists()


def test_a_second_scan_of_the_same_file_waits_for_nobody(eatlas_cli, tmp_path, tiny_scan):
    with Chunks(tmp_path / "words.csv", "0" * 64):
        ended = eatlas_cli(*tiny_scan, "--out", tmp_path / "words.csv")
    assert ended.code == 2
    assert ended.err == (
        f"error: {tmp_path / 'words.csv'}: another scan is writing this file\n"
        "  remedy: wait for it to end, or choose another file with --out\n"
    )


def test_a_summary_that_is_none(tmp_path):
    with pytest.raises(eatlas.EatlasError, match=r"w.csv.json: the summary of the scan cannot be"):
        read_scan(tmp_path / "w.csv")
    (tmp_path / "w.csv.json").write_text("{}")
    with pytest.raises(
        eatlas.EatlasError, match=r"w.csv.json: this is not a summary of a scan\n  got"
    ):
        read_scan(tmp_path / "w.csv")


@terminal.NEEDED
def test_on_a_narrow_terminal_lines_fit(tmp_path):
    text = terminal.on_a_terminal(
        *SCAN, "--top", 4, cwd=tmp_path, columns=60, stderr=subprocess.DEVNULL
    )
    lines = text.replace("\r", "").split("\n")
    assert max(map(len, lines)) <= 60
    assert any(line.split()[:1] == ["al"] for line in lines)


@pytest.mark.slow
@terminal.NEEDED
def test_progress_is_shown_to_a_person_who_waits(tmp_path):
    words = [*(f"a{i}" for i in range(13)), *(f"b{i}" for i in range(13))]
    groups = ["--a", ",".join(words[:13]), "--b", ",".join(words[13:])]
    words += [f"w{i}" for i in range(20_500)]
    np.save(tmp_path / "v.npy", np.random.default_rng(0).normal(size=(len(words), 8)))
    (tmp_path / "v.vocab").write_text("\n".join(words) + "\n")
    text = terminal.on_a_terminal(
        "scan", "--vectors", "v.npy", *groups, "--top", 1, cwd=tmp_path, columns=100
    )
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)  # colours
    assert "/20526 words, " in text
    assert " a second" in text
    assert " 0 a second" not in text
