"""A count of a corpus: exact however it is parted and killed; what cannot be read is named."""

import gzip
import json
import os
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pytest
from tests.inputs import ROOT
from tests.reading import span_oracle

import eatlas
from eatlas.errors import EatlasError, SourceError, StimulusWarning, UndefinedWarning
from eatlas.executors import here
from eatlas_corpora.engine.text import count_text
from eatlas_corpora.reading import files

GROUPS = {"Female": ["she", "her"], "Male": ["he", "his"]}
SURNAMES = {"Asian": ["chen", "li"], "Hispanic": ["garcia"], "White": ["smith"]}


def groups_test(test_id, **values):
    return eatlas.GroupsTest(id=test_id, reference="uniform", **values)


TEST = groups_test("jobs", targets=["nurse", "pilot", "abbot"], groups=GROUPS)
BY_NAME = groups_test("names", targets=["nurse", "judge"], groups=SURNAMES)
WORDS = [
    "nurse", "she", "it", "pilot", "he", "chen", "her", "garcia", "ran", "his", "judge", "li",
    "Smith", "so", "smith", "it", "it",
]  # fmt: skip


@pytest.fixture(scope="module")
def texts():
    """Documents of one to nine sentences, all different."""
    return [
        " ".join(
            f"So {' '.join(WORDS[(n * n * 3 + k * 7 + i * (n + k)) % 17] for i in range(6))}."
            for k in range(n % 9 + 1)
        )
        for n in range(400)
    ]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory, texts):
    folder = tmp_path_factory.mktemp("corpus")
    (folder / "a.txt").write_text("\n".join(texts[:250]))
    (folder / "b.jsonl").write_text("\n".join(json.dumps({"text": one}) for one in texts[250:]))
    return folder


def quiet(*given, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return count_text(*given, **options)


def same(one, other):
    assert one.table.tolist() == other.table.tolist()
    assert one.totals.tolist() == other.totals.tolist()


def test_counts_of_files_are_those_of_plain_loops(corpus, texts):
    with pytest.warns(UndefinedWarning, match="No context found for 1 of 4 targets"):
        counts = count_text(corpus, [TEST, BY_NAME])
    targets = ("nurse", "pilot", "abbot", "judge")
    assert counts.targets == targets
    found, totals = span_oracle.count(texts, targets, [GROUPS, SURNAMES])
    for term in ("nurse", "pilot", "judge"):
        assert counts.counts(term) == {
            name.casefold(): found[term, number, name]
            for number, family in enumerate((GROUPS, SURNAMES))
            for name in family
        }
        assert counts.spans[term] == sum(found[term, 0, o] for o in (*GROUPS, "none", "several"))
    assert counts.counts("nurse")["female"] > 10
    assert (counts.counts("abbot"), counts.counts("monk")) == ({}, None)
    assert counts.unseen == ("abbot",)
    assert tuple(counts.totals.tolist()) == tuple(
        totals[one] for one in ("documents", "sentences", "spans", "tokens")
    )


@pytest.mark.parametrize("size", [200, pytest.param(3000, marks=pytest.mark.slow)])
def test_parts_and_processes_change_nothing(corpus, size, monkeypatch):
    one = quiet(corpus, TEST, span=2)
    monkeypatch.setattr(files, "SIZE", size)
    same(one, quiet(corpus, TEST, span=2))
    if size == 3000:
        two = quiet(corpus, TEST, span=2, workers=2)
        same(one, two)
        assert two.provenance == one.provenance


def test_any_order_of_outcomes(corpus, monkeypatch):
    def backwards(function, items):
        for position in reversed(range(len(items))):
            yield position, function(items[position])

    one = quiet(corpus, TEST)
    monkeypatch.setattr(files, "SIZE", 500)
    same(one, quiet(corpus, TEST, executor=backwards))


KILLED = """
import os, signal, sys
import eatlas
from eatlas_corpora.reading import files
from eatlas_corpora.engine import text as counting
from tests.text.test_counting import TEST
files.SIZE = 2000
keep = counting.CountedParts.keep
def cut_off(self, *given):
    keep(self, *given)
    if len(self.done) == {after}:
        os.kill(os.getpid(), signal.SIGKILL)
counting.CountedParts.keep = cut_off
eatlas.count_text({corpus!r}, TEST, out={out!r})
"""


def test_what_is_killed_goes_on(corpus, tmp_path, monkeypatch):
    out, after = tmp_path / "counts.csv", 5
    script = KILLED.format(after=after, corpus=str(corpus), out=str(out))
    ended = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    assert not out.exists()
    whole = quiet(corpus, TEST)
    monkeypatch.setattr(files, "SIZE", 2000)
    counted = []

    def watched(function, items):
        counted.extend(items)
        yield from here(function, items)

    same(quiet(corpus, TEST, out=out, executor=watched), whole)
    assert len(counted) == len(files.parts_of(corpus)) - after
    assert sorted(path.name for path in tmp_path.iterdir()) == ["counts.csv", "counts.csv.json"]


def test_texts_that_are_left_out_are_counted_where_a_count_goes_on(tmp_path):
    rows = '{"text": ""}\n{"text": "So nurse she."}\n'
    paths = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    for path in paths:
        path.write_text(rows)

    def half(function, items):
        yield 0, function(items[0])
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        quiet(paths, TEST, out=tmp_path / "counts.csv", executor=half)
    counts = quiet(paths, TEST, out=tmp_path / "counts.csv")
    skipped = [file["skipped"] for file in counts.provenance["files"]]
    assert skipped == [{"empty": 1}] * 2
    assert counts.counts("nurse") == {"female": 2, "male": 0}


def test_a_file_that_changed_is_counted_again(tmp_path, monkeypatch):
    """Kept parts of a file with another time of change are of another file."""
    monkeypatch.setattr(files, "SIZE", 1)
    text, out = tmp_path / "t.txt", tmp_path / "c.csv"
    text.write_text("So nurse she.\nSo pilot he.\n")

    def half(function, items):
        yield 0, function(items[0])
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        quiet(text, TEST, out=out, executor=half)
    assert [path for path in tmp_path.iterdir() if path.suffix == ".unfinished"]
    text.write_text("So nurse he.\nSo pilot he.\n")
    os.utime(text, ns=(0, time.time_ns()))
    assert quiet(text, TEST, out=out).counts("nurse") == {"female": 0, "male": 1}
    assert not [path for path in tmp_path.iterdir() if path.suffix == ".unfinished"]


def test_the_table_is_a_source(corpus, tmp_path):
    counts = quiet(corpus, [TEST, BY_NAME], out=tmp_path / "c.csv")
    counts.write(tmp_path / "c.parquet")
    lines = (tmp_path / "c.csv").read_text().splitlines()
    assert lines[0] == "term,spans,Female,Male,Asian,Hispanic,White"
    assert lines[3] == "abbot,,,,,,"
    measured = [
        eatlas.run(TEST, source, "divdist(soa=counts)")[0]
        for source in (counts, str(tmp_path / "c.csv"), str(tmp_path / "c.parquet"))
    ]
    nurse = counts.counts("nurse")
    for result in measured:
        assert result.targets[0].association == (nurse["female"], nurse["male"])
        assert result.coverage["targets"].missing == ("abbot",)
        assert result.coverage["targets"].reasons["abbot"].startswith("no numbers in ")
    assert measured[0].source == "a.txt and 1 more, spans of 3 sentences"
    about = json.loads((tmp_path / "c.csv.json").read_text())
    assert about["schema"] == "eatlas/text/1"
    assert about["families"][0]["counts"]["abbot"] is None
    assert sum(about["families"][0]["counts"]["nurse"]) == counts.spans["nurse"]


def test_frames(corpus):
    frame = quiet(corpus, [TEST, BY_NAME]).to_frame()
    assert list(frame.columns) == ["term", "family", "group", "spans", "share"]
    assert len(frame) == 4 * (4 + 5)
    assert frame[frame.term == "abbot"].spans.isna().all()
    nurse = frame[(frame.term == "nurse") & (frame.family == "Female/Male")]
    assert nurse.share.sum() == pytest.approx(1)


def test_the_hash_of_a_corpus_knows_no_names(tmp_path):
    for name, text in (("a", "So nurse."), ("b", "So pilot.")):
        (tmp_path / f"{name}.txt").write_text(text)
    one = quiet([tmp_path / "a.txt", tmp_path / "b.txt"], TEST)
    (tmp_path / "a.txt").rename(tmp_path / "c.txt")
    other = quiet(tmp_path, TEST)
    assert one.provenance["corpus_sha256"] == other.provenance["corpus_sha256"]
    (tmp_path / "b.txt").write_text("So pilot!")
    assert quiet(tmp_path, TEST).provenance["corpus_sha256"] != one.provenance["corpus_sha256"]


# --- bad input ------------------------------------------------------------------------------------


def test_a_file_that_cannot_be_read_ends_the_count_and_the_rest_is_kept(tmp_path):
    good = gzip.compress("".join(f"So nurse she {k * k}.\n" for k in range(150_000)).encode())
    (tmp_path / "a.txt").write_text("So nurse he.\n")
    (tmp_path / "b.txt.gz").write_bytes(good[: len(good) // 2])
    out = tmp_path / "out" / "c.csv"
    out.parent.mkdir()
    with pytest.raises(SourceError, match="the compressed data are damaged or end early"):
        quiet([tmp_path / "a.txt", tmp_path / "b.txt.gz"], TEST, out=out)
    assert [path.suffix for path in out.parent.iterdir()] == [".unfinished"]
    (tmp_path / "b.txt.gz").write_bytes(good)
    counted = []

    def watched(function, items):
        counted.extend(items)
        yield from here(function, items)

    counts = quiet([tmp_path / "a.txt", tmp_path / "b.txt.gz"], TEST, out=out, executor=watched)
    assert counts.counts("nurse") == {"female": 150_000, "male": 1}
    assert [Path(part.path).name for part in counted] == ["b.txt.gz"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\xff\xfeS\0o\0", "the file is not UTF-8"),
        ("So café nurse.\nSo é.\n".encode("latin-1"), "none of its text can be read"),
    ],
)
def test_another_encoding(tmp_path, data, message):
    (tmp_path / "c.txt").write_bytes(data)
    with pytest.raises(SourceError, match=message):
        count_text(tmp_path / "c.txt", TEST, out=tmp_path / "c.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["c.txt"]


def test_damaged_lines_have_their_numbers_in_their_part(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "SIZE", 100)
    path = tmp_path / "t.txt"
    lines = [b"So nurse she."] * 50
    lines[41] = b"caf\xe9 nurse he."
    path.write_bytes(b"\n".join(lines))
    counts = quiet(path, TEST)
    damaged = {"file": f"{path}, bytes 560 to 673", "line": 2, "why": "not UTF-8"}
    assert counts.provenance["damaged"] == [damaged]
    assert counts.totals[0] == 49
    assert counts.provenance["files"][0]["damaged"] == 1


def test_a_document_of_many_megabytes_on_one_line(tmp_path):
    path = tmp_path / "long.txt"
    piece = b"So the nurse sat there. She was here. Nobody came or went at all, it was late. "
    times = 2_000_000 // len(piece)
    path.write_bytes(piece * times + b"\nSo pilot he.\n")
    counts = quiet(path, TEST)
    assert counts.counts("nurse") == {"female": times, "male": 0}
    assert counts.counts("pilot") == {"female": 0, "male": 1}
    assert counts.totals.tolist()[:3:2] == [2, times + 1]


OTHER = groups_test("x", targets=["nurse"], groups=GROUPS | {"Male": ["he"]})
CASE = groups_test("x", targets=["Nurse"], groups=GROUPS)


@pytest.mark.parametrize(
    ("tests", "options", "message"),
    [
        (TEST, {"span": 0}, "span is not usable"),
        (TEST, {"case": "no"}, "unknown rule for case"),
        (TEST, {"unit": "page"}, "the unit cannot be used"),
        (TEST, {"out": "c.xlsx"}, "c.xlsx: counts cannot be written in this format"),
        (TEST, {"workers": 0}, "the number of workers is not usable"),
        ("weat-6", {}, "the test weat-6 has no social groups"),
        ([TEST, OTHER], {}, "test x: another test has a group Female"),
        ([TEST, CASE], {}, "two targets differ only in case"),
    ],
)
def test_what_cannot_be_counted(corpus, tests, options, message):
    with pytest.raises(EatlasError, match=message):
        count_text(corpus, tests, **options)


def test_targets_that_are_words_of_a_group(corpus):
    test = groups_test("x", targets=["nurse", "she"], groups=GROUPS)
    with pytest.warns(StimulusWarning, match=r"are also words of a group.*she \(Female\)"):
        count_text(corpus, test)


def test_stimuli_that_hide_others(corpus):
    test = groups_test("x", targets=["head nurse", "so"], groups=GROUPS)
    with pytest.warns() as said:
        count_text(corpus, [TEST, test])
    assert (said[0].category, len(said)) == (StimulusWarning, 2)
    assert "an occurrence of 'head nurse' does not count as 'nurse'" in str(said[0].message)
