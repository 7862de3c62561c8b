"""``eatlas scan``: what it prints, writes and answers."""

import csv
import json

import jsonschema
import numpy as np
import pytest
from tests.inputs import TOML, make_test, make_vectors

import eatlas
from eatlas.results.parts import schema_of
from eatlas_vocabulary.results.scan import COLUMNS, ScanResult
from eatlas_vocabulary.results.themes import read_scan

SCHEMA = schema_of(ScanResult, "Scan")
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
        "glove-sample: 0 of 1,490 words are significantly associated: 0 with Male terms, 0 with Female"
    )
    assert "Male terms (A) against Female terms (B), the attributes of weat-7." in ended.said
    assert "Words 1–1,000 of the source (992: 98% nearer to A, 2% to B)\n" in ended.out
    head = "A: Male terms, none significant d diff. p maxT BY"
    assert sum(" ".join(line.split()) == head for line in lines) == 2
    assert "BY: p adjusted so that few findings are false" in ended.said
    assert lines[-1] == "Every word with its p-values: --out FILE.csv"
    assert "Holm, like Bonferroni, can reject no word here" in ended.said
    assert "no two-sided p is below 1.6e-4 (2 of 12,870)" in ended.said
    assert max(map(len, lines)) <= 100
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


def test_two_lists_of_words(eatlas_cli, tmp_path, tiny_scan):
    words = ("--a", "love, peace,joy ,heaven", "--b", "war,filth,agony", "--out", "w.csv")
    assert eatlas_cli("scan", "--vectors", tiny_scan[2], *words).code == 0
    found = json.loads((tmp_path / "w.csv.json").read_text("utf-8"))
    assert found["test"] is None
    assert found["concepts"] == {"A": "love, peace, ...", "B": "war, filth, ..."}
    assert found["coverage"]["A"]["used"] == ["love", "peace", "joy", "heaven"]
    assert found["family"]["design"] == [4, 3]


def test_options_reach_the_scan(eatlas_cli, tmp_path, tiny_scan):
    options = ("--top", 2, "--first", 30, "--sort", "difference", "--out", "w.csv")
    eatlas_cli(*tiny_scan, "--frequency-bands", "5,20", *options)
    found = json.loads((tmp_path / "w.csv.json").read_text("utf-8"))
    assert [band["band"] for band in found["bands"]] == [
        {"first": 1, "last": 5}, {"first": 6, "last": 20}, {"first": 21, "last": 30},
    ]  # fmt: skip
    assert max(len(one["words"]) for one in found["tops"]) == 2
    assert found["vocabulary"]["read"] == 30
    assert found["sort"] == "difference"
    eatlas_cli(*tiny_scan, "--frequency-bands", "none", "--out", "one.csv")
    (band,) = json.loads((tmp_path / "one.csv.json").read_text("utf-8"))["bands"]
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


def test_what_is_read_is_not_written(eatlas_cli, tiny_scan):
    vectors = tiny_scan[2]
    before = vectors.read_bytes()
    for source in (vectors, f"{vectors}?encoding=utf-8"):
        options = ["--vectors", source, "--attributes", tiny_scan[4], "--out", vectors]
        ended = eatlas_cli("scan", *options)
        assert ended.code == 2
        assert f"{vectors}: this is also the input file; writing would destroy it" in ended.err
    assert vectors.read_bytes() == before


def test_ctrl_c_without_a_file(eatlas_cli, monkeypatch, tiny_scan):
    from eatlas_vocabulary.engine import scan as module

    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "measure_chunk", interrupted)
    ended = eatlas_cli(*tiny_scan)
    assert (ended.code, ended.out) == (130, "")
    assert ended.err == "interrupted; nothing is kept, which takes --out\n"
    ended = eatlas_cli(*tiny_scan, "--out", "words.csv")
    assert (ended.code, ended.err) == (130, "interrupted; nothing is kept\n")


def test_ctrl_c_while_words_are_written_keeps_them(eatlas_cli, tmp_path, monkeypatch, tiny_scan):
    from eatlas_vocabulary.engine import scan as module

    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(module, "conclude", interrupted)
        ended = eatlas_cli(*tiny_scan, "--out", "words.csv")
    assert (ended.code, ended.out) == (130, "")
    assert ended.err == (
        "interrupted; 36 words are done and kept; repeat the command to continue\n"
    )
    ended = eatlas_cli(*tiny_scan, "--out", "words.csv")
    assert ended.code == 0
    assert ended.err == "words taken over from an interrupted scan: 36\n"


def test_a_scan_and_a_diagnosis_call_a_source_by_its_name(eatlas_cli, tmp_path):
    (tmp_path / "deep").mkdir()
    rows = make_vectors(make_test()).items()
    text = "".join(f"{word} {' '.join(map(str, row))}\n" for word, row in rows)
    (tmp_path / "deep" / "one.txt").write_text(text, encoding="utf-8")
    a, b = (",".join(concept.terms) for concept in list(make_test().concepts.values())[2:])
    scan = ("scan", "--a", a, "--b", b, "--frequency-bands", "none")
    ended = eatlas_cli(*scan, "--vectors", "small=deep/one.txt", "--out", "words.csv")
    assert ended.code == 0, ended.err
    assert ended.out.startswith("small: 0 of 8 words are ")
    assert "deep/" not in ended.out
    summary = json.loads((tmp_path / "words.csv.json").read_text())
    assert (summary["source"], summary["source_from"]) == ("small", "deep/one.txt")
    eatlas_cli(*scan, "--vectors", "deep/one.txt", "--out", "same.csv")
    unnamed = json.loads((tmp_path / "same.csv.json").read_text())
    assert "source_from" not in unnamed
    assert unnamed["tops"] == summary["tops"]
    ended = eatlas_cli("vectors", "check", "small=deep/one.txt")
    assert ended.out.startswith("small: "), ended.err
