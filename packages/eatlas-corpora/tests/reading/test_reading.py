"""Every kind of file gives the same texts; what is damaged is skipped, counted and named."""

import bz2
import csv
import gzip
import json
import lzma

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from tests.inputs import make_test

from eatlas import decoding
from eatlas.errors import SourceError
from eatlas_corpora.reading import find_contexts

TEST = make_test()
TEXTS = ["an aster, “love”", 'say "clover"\nor ant', "na\u00efve love", "nothing"]


def write(path, texts, field="text"):
    """Write texts as the name of the file says."""
    kind = path.suffixes[0]
    if kind == ".parquet":
        pq.write_table(pa.table({"id": list(range(len(texts))), field: texts}), path)
        return path
    if kind in {".csv", ".tsv"}:
        with path.open("w", encoding="utf-8", newline="") as file:
            rows = csv.writer(file, delimiter="," if kind == ".csv" else "\t")
            rows.writerows([["id", field], *([k, text] for k, text in enumerate(texts))])
    else:
        lines = [json.dumps({"id": k, field: text}) for k, text in enumerate(texts)]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def told(path, **options):
    contexts = find_contexts(path, TEST, **options)
    damaged = contexts.provenance["damaged"]
    return contexts, [f"{d['file']}, line {d['line']}: {d['why']}" for d in damaged]


@pytest.mark.parametrize("name", ["some.jsonl", "some.ndjson", "some.csv", "some.tsv", "some.parquet"])  # fmt: skip
@pytest.mark.parametrize("field", [None, "selftext"])
def test_every_format_holds_the_same(tmp_path, name, field):
    path = write(tmp_path / name, TEXTS, field or "text")
    contexts, damaged = told(path, field=field)
    assert sorted(one.text for one in contexts) == sorted(
        ["an aster, “love”"] * 2 + ['say "clover" or ant'] * 2 + ["na\u00efve love"]
    )
    assert not damaged
    assert contexts.provenance["files"][0]["texts"] == 4


@pytest.mark.parametrize(
    ("suffix", "pack"),
    [
        (".gz", gzip.compress),
        (".bz2", bz2.compress),
        (".xz", lzma.compress),
        (".zst", zstandard.ZstdCompressor().compress),
    ],
)
def test_compressed_texts(tmp_path, suffix, pack):
    plain = write(tmp_path / "some.jsonl", TEXTS)
    packed = tmp_path / f"some.jsonl{suffix}"
    packed.write_bytes(pack(plain.read_bytes()))
    unnamed = tmp_path / f"RC_2014-01{suffix}"
    unnamed.write_bytes(pack(plain.read_bytes()))
    expected = find_contexts(plain, TEST).rows
    assert find_contexts(packed, TEST).rows == expected
    assert find_contexts(unnamed, TEST).rows == expected


def test_dumps_of_reddit(tmp_path):
    lines = [
        {"body": "I love it &gt; &amp;amp; you", "author": "a", "score": 3},
        {"body": "[deleted]", "author": "[deleted]", "edited": False},
        {"body": "[removed]"},
        {"body": "[deleted]"},
        {"body": "  "},
    ]
    data = "\n".join(map(json.dumps, lines)).encode() + b"\n"
    window = zstandard.ZstdCompressionParameters.from_level(3, window_log=31)
    path = tmp_path / "RC_2014-01.zst"
    path.write_bytes(zstandard.ZstdCompressor(compression_params=window).compress(data))
    contexts, damaged = told(path)
    assert [one.text for one in contexts] == ["I love it > &amp; you"]
    assert contexts.provenance["files"][0]["skipped"] == {
        "[deleted]": 2,
        "[removed]": 1,
        "empty": 1,
    }
    assert not damaged


def test_damaged_lines_of_json(tmp_path):
    path = tmp_path / "some.jsonl"
    good = json.dumps({"text": "love"}).encode()
    lines = [
        good, b'{"text": "love', b"", b"[1]", b'{"text": 5}', b'{"text": "\xff"}', b'{"id": 1}',
        good,
    ]  # fmt: skip
    path.write_bytes(b"\n".join(lines) + b"\n")
    contexts, damaged = told(path)
    places = [one.split(": ")[0].rsplit(" ", 1)[1] for one in damaged]
    assert places == ["2", "4", "5", "6"]
    assert damaged[0] == f"{path}, line 2: Input data was truncated"
    assert damaged[2].startswith(f"{path}, line 5: Expected `str")
    assert damaged[3] == f"{path}, line 6: not UTF-8"
    (file,) = contexts.provenance["files"]
    assert (file["damaged"], file["texts"], file["skipped"]) == (4, 2, {"no text or body": 1})
    assert contexts.provenance["damaged"][0] == {"file": str(path), "line": 2, "why": "Input data was truncated"}  # fmt: skip


def test_lines_that_are_no_utf_8(tmp_path):
    path = tmp_path / "some.txt"
    path.write_bytes(b"\xef\xbb\xbflove one\nlove \xff two\nlove three\n\xe9 love")
    contexts, damaged = told(path)
    assert sorted(one.text for one in contexts) == ["love one", "love three"]
    assert damaged == [f"{path}, line 2: not UTF-8", f"{path}, line 4: not UTF-8"]
    assert contexts.provenance["files"][0]["texts"] == 2


def test_damaged_rows_of_a_table(tmp_path):
    path = tmp_path / "some.csv"
    path.write_bytes(b'id,text\n1,love a\n2\n3,"love\nb"\n4,love \xff c\n5,love d\n')
    contexts, damaged = told(path)
    assert sorted(one.text for one in contexts) == ["love a", "love b", "love d"]
    assert damaged == [f"{path}, line 3: 1 cells instead of 2", f"{path}, line 6: not UTF-8"]


def test_rows_of_parquet_that_hold_no_text(tmp_path):
    path = tmp_path / "some.parquet"
    binary = pa.array([b"love a", None, b"love \xff", b"love b"], pa.binary())
    pq.write_table(pa.table({"text": binary.view(pa.string())}), path)
    contexts, damaged = told(path)
    assert sorted(one.text for one in contexts) == ["love a", "love b"]
    assert damaged == [f"{path}, line 3: not UTF-8"]
    assert contexts.provenance["files"][0]["skipped"] == {"empty": 1}


def test_files_that_end_early(tmp_path):
    packed = tmp_path / "some.txt.gz"
    packed.write_bytes(gzip.compress(b"love\n" * 1000)[:-20])
    with pytest.raises(SourceError, match="the compressed data are damaged or end early"):
        find_contexts(packed, TEST)
    table = write(tmp_path / "some.parquet", TEXTS)
    table.write_bytes(table.read_bytes()[:-10])
    with pytest.raises(SourceError, match="this Parquet file is damaged"):
        find_contexts(table, TEST)


def test_a_quotation_mark_that_is_never_closed(tmp_path, monkeypatch):
    monkeypatch.setattr("eatlas_corpora.reading.files.LONGEST_CELL", 50)
    path = tmp_path / "some.csv"
    path.write_text('id,text\n1,love a\n2,"' + "love\n" * 30 + "3,love b\n", encoding="utf-8")
    contexts, damaged = told(path)
    assert "love a" in {one.text for one in contexts}
    assert "field larger than field limit (50)" in damaged[0]


@pytest.mark.slow
@pytest.mark.parametrize("spread", [False, True], ids=["in a dictionary", "in pages"])
def test_a_small_parquet_file_of_long_texts_is_refused_in_little_memory(
    tmp_path, spread, monkeypatch
):
    """One text that all rows share, of which few are read at once; or texts that shrink to nothing."""
    path, text = tmp_path / "bomb.parquet", "ant " * 25_000
    if spread:
        column = pa.array([f"{k} {text}" for k in range(90)])
    else:
        column = pa.DictionaryArray.from_arrays(pa.array([0] * 65_536, pa.int32()), [text])
    pq.write_table(pa.table({"text": column}), path, compression="zstd", use_dictionary=not spread)
    monkeypatch.setattr(decoding, "FREE_BYTES", 1 << 20)
    monkeypatch.setenv("EATLAS_MAX_GROWTH", "2")
    with pytest.raises(SourceError, match="it expands to far more data than a file of its size"):
        find_contexts(path, TEST)
