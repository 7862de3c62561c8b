"""Parts of corpus files: each document is in exactly one, whatever their size."""

import gzip
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eatlas.errors import SourceError
from eatlas_corpora.reading import files
from eatlas_corpora.reading.files import Account, parts_of, read_part

TEXTS = [f"Text {k} of she and he.{' More. ' * (k % 5)}" for k in range(60)]


def sized(monkeypatch, size):
    monkeypatch.setattr(files, "SIZE", size)


def read(parts):
    """Documents of parts, in order."""
    found = []
    for part in parts:
        for data, separator in read_part(part, Account("x")):
            texts = data.tobytes().decode().split(chr(separator))
            found += [" ".join(text.split()) for text in texts if text.strip()]
    return found


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
}
PARTED = {"lines.txt", "bom.txt", "paragraphs.txt", "dump.jsonl"}


@pytest.mark.parametrize("name", [*FILES, "rows.parquet"])
@pytest.mark.parametrize("size", [1, 1000, 10**9])
def test_every_document_is_read_once(tmp_path, name, size, monkeypatch):
    sized(monkeypatch, size)
    path = tmp_path / name
    if name.endswith(".parquet"):
        in_parquet(path)
    else:
        path.write_bytes(FILES[name])
    parts = parts_of(path, unit="paragraph" if name == "paragraphs.txt" else "line")
    assert read(parts) == [" ".join(one.split()) for one in TEXTS]
    assert len({one.identity for one in parts}) == len(parts)
    if size == 10**9:
        assert len(parts) == 1
    elif size == 1 and name in PARTED:
        assert len(parts) > 5


@settings(deadline=None, max_examples=40)
@given(
    st.text(st.sampled_from("ab \n\r\té"), max_size=300),
    st.integers(1, 60),
    st.sampled_from(["line", "paragraph"]),
)
def test_cuts_change_nothing(tmp_path_factory, text, size, unit):
    path = tmp_path_factory.mktemp("cuts") / "t.txt"
    path.write_bytes(text.encode())
    whole = parts_of(path, unit=unit)
    with pytest.MonkeyPatch.context() as patch:
        sized(patch, size)
        parts = parts_of(path, unit=unit)
    assert read(parts) == read(whole)
    assert [one.start for one in parts[1:]] == [one.stop for one in parts[:-1]]
    assert (parts[0].start, parts[-1].stop) == (0, None)


def test_a_file_that_changed_is_not_read(tmp_path, monkeypatch):
    sized(monkeypatch, 1)
    path = tmp_path / "t.txt"
    path.write_text("a\nb\n")
    parts = parts_of(path)
    assert parts[1].label == f"{path}, bytes 2 to the end"
    path.write_text("a\nb\nc\n")
    with pytest.raises(SourceError, match="the file changed while it was read"):
        read(parts)


@pytest.mark.parametrize("name", ["t.txt", "t.jsonl"])
def test_a_last_part_may_hold_no_text(tmp_path, monkeypatch, name):
    sized(monkeypatch, 30)
    line = "Good." if name == "t.txt" else '{"text": "Good."}'
    path = tmp_path / name
    path.write_bytes("\n".join([line] * 9).encode() + b'\n{"id": 1}\n{"text": "cut\xff')
    assert read(parts_of(path))[:9] == ["Good."] * 9


def test_a_long_paragraph_stays_whole(tmp_path, monkeypatch):
    """Longer than what is read at once: 2 MB without a blank line."""
    sized(monkeypatch, 1_000_000)
    path = tmp_path / "long.txt"
    path.write_bytes(b"so it is\n" * 240_000 + b"\n" + b"short\n")
    parts = parts_of(path, unit="paragraph")
    assert [one.start for one in parts] == [0, 2_160_001]
    assert [len(one) for one in read(parts)] == [2_159_999, 5]
