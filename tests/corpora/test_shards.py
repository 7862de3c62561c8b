"""Parts of corpus files: each document is in exactly one, whatever their size."""

import bz2
import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eatlas.corpora.files import ReadingOptions, Shard, read_texts, shards_of
from eatlas.corpora.reading import Account
from eatlas.errors import SourceError

TEXTS = [f"Text {k} of she and he.{' More. ' * (k % 5)}" for k in range(60)]


def read(shards, reading):
    """Documents of shards, in order, and what was skipped."""
    found, account = [], Account("x")
    for shard in shards:
        for batch in read_texts(Path(shard.path), reading, account, shard):
            parts = batch.data.tobytes().decode().split(chr(batch.separator))
            found += [" ".join(part.split()) for part in parts if part.strip()]
    return found, account


def page(title, text, ns="0", more=""):
    return (
        f"  <page>\n    <title>{title}</title>\n    <ns>{ns}</ns>\n{more}"
        f'    <revision><text xml:space="preserve">{text}</text></revision>\n  </page>\n'
    )


HEAD = '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11">\n<siteinfo/>\n'
PAGES = [page(f"T{k}", text) for k, text in enumerate(TEXTS)]


def multistream(pages, each=7):
    """A dump as Wikimedia writes it: head, pages in streams of their own, tail."""
    streams = ["".join(pages[k : k + each]) for k in range(0, len(pages), each)]
    return b"".join(bz2.compress(one.encode()) for one in (HEAD, *streams, "</mediawiki>\n"))


def in_parquet(path):
    import pyarrow as pa
    from pyarrow import parquet

    parquet.write_table(pa.table({"text": TEXTS}), path, row_group_size=7)


def in_csv():
    return "id,text\n" + "".join(f'{k},"{one}"\n' for k, one in enumerate(TEXTS))


FILES = {
    "lines.txt": "\n".join(TEXTS).encode(),
    "bom.txt": b"\xef\xbb\xbf" + "\r\n".join(TEXTS).encode(),
    "paragraphs.txt": "\n \n".join(one.replace(". ", ".\n") for one in TEXTS).encode(),
    "dump.jsonl": "\n".join(json.dumps({"text": one}) for one in TEXTS).encode(),
    "lines.txt.gz": gzip.compress("\n".join(TEXTS).encode()),
    "table.csv": in_csv().encode(),
    "wiki.xml": (HEAD + "".join(PAGES) + "</mediawiki>\n").encode(),
    "wiki.xml.bz2": multistream(PAGES),
    "whole.xml.bz2": bz2.compress((HEAD + "".join(PAGES) + "</mediawiki>\n").encode()),
}
PARTED = {"lines.txt", "bom.txt", "paragraphs.txt", "dump.jsonl", "wiki.xml", "wiki.xml.bz2"}


@pytest.mark.parametrize("name", [*FILES, "rows.parquet"])
@pytest.mark.parametrize("size", [1, 100, 1000, 10**9])
def test_every_document_is_read_once(tmp_path, name, size):
    path = tmp_path / name
    if name.endswith(".parquet"):
        in_parquet(path)
    else:
        path.write_bytes(FILES[name])
    reading = ReadingOptions(unit="paragraph" if name == "paragraphs.txt" else "line")
    shards = shards_of(path, reading, size)
    assert read(shards, reading)[0] == [" ".join(one.split()) for one in TEXTS]
    assert len({one.identity for one in shards}) == len(shards)
    if size == 10**9:
        assert len(shards) == 1
    elif size == 1 and (name in PARTED or name.endswith(".parquet")):
        assert len(shards) > 5


@settings(deadline=None, max_examples=80)
@given(
    st.text(st.sampled_from("ab \n\r\té"), max_size=300),
    st.integers(1, 60),
    st.sampled_from(["line", "paragraph"]),
)
def test_cuts_change_nothing(tmp_path_factory, text, size, unit):
    path = tmp_path_factory.mktemp("cuts") / "t.txt"
    path.write_bytes(text.encode())
    reading = ReadingOptions("text", None, unit)
    whole, parts = shards_of(path, reading, 10**9), shards_of(path, reading, size)
    assert read(parts, reading)[0] == read(whole, reading)[0]
    assert [one.start for one in parts[1:]] == [one.stop for one in parts[:-1]]
    assert (parts[0].start, parts[-1].stop) == (0, path.stat().st_size)


def test_a_border_is_found_across_reads(tmp_path, monkeypatch):
    from eatlas.corpora import files as shards

    monkeypatch.setattr(shards, "_READ", 7)
    path = tmp_path / "t.txt"
    path.write_bytes(b"aaaaaa\n  \nbbbbbbbb\n\nccccc\n")
    cuts = [one.start for one in shards_of(path, ReadingOptions(unit="paragraph"), 1)]
    assert cuts == [0, 10, 20]


def test_streams_that_cut_pages_are_not_parted(tmp_path):
    """As pbzip2 writes them: streams of so many bytes."""
    whole = (HEAD + "".join(PAGES) + "</mediawiki>\n").encode()
    path = tmp_path / "cut.xml.bz2"
    path.write_bytes(b"".join(bz2.compress(whole[k : k + 999]) for k in range(0, len(whole), 999)))
    (shard,) = shards_of(path, ReadingOptions(), 1)
    assert len(read([shard], ReadingOptions())[0]) == len(TEXTS)


def test_a_file_that_changed_is_not_read(tmp_path):
    path = tmp_path / "t.txt"
    path.write_text("a\nb\n")
    shard = shards_of(path, ReadingOptions(), 1)[0]
    path.write_text("a\nb\nc\n")
    with pytest.raises(SourceError, match="the file changed while it was read"):
        read([shard], ReadingOptions())


def test_labels():
    assert Shard("a.pq", "parquet", "rows", 2, 4, 9, 0).label == "a.pq, row groups 2 to 4"
    assert Shard("a.gz", "text", "file", 0, 4, 9, 0).label == "a.gz"


def test_a_long_paragraph_stays_whole(tmp_path):
    """Longer than what is read at once: 5 MB without a blank line."""
    path = tmp_path / "long.txt"
    path.write_bytes(b"so it is\n" * 600_000 + b"\n" + b"short\n")
    reading = ReadingOptions(unit="paragraph")
    shards = shards_of(path, reading, 1_000_000)
    assert [one.start for one in shards] == [0, 5_400_001]
    assert [len(one) for one in read(shards, reading)[0]] == [5_399_999, 5]
