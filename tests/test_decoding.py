"""Bytes that are text, and bytes that are not."""

import codecs

import pytest

from eatlas.decoding import decoded
from eatlas.errors import SourceError, StimulusError


@pytest.mark.parametrize("data", [b"", b"a", b"ab", "grün\n".encode(), b"x\r\ny"])
def test_utf8_with_and_without_a_mark(data):
    assert decoded(data, "f", SourceError) == data.decode()
    assert decoded(codecs.BOM_UTF8 + data, "f", SourceError) == data.decode()


@pytest.mark.parametrize("kind", [SourceError, StimulusError])
def test_latin_1_names_line_byte_and_letter(kind):
    with pytest.raises(kind) as caught:
        decoded("one\ngr\xfcn\n".encode("latin-1"), "mine.csv", kind)
    assert str(caught.value) == (
        "mine.csv, line 2: the file is not UTF-8\n"
        "  got: byte 0xfc, which is ü in files that are Latin-1\n"
        "  remedy: save it as UTF-8"
    )


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf16_is_named(encoding):
    with pytest.raises(SourceError, match="f: the file is not UTF-8\n  got: UTF-16, to judge by"):
        decoded("word,1,2".encode(encoding), "f", SourceError)


@pytest.mark.parametrize("data", [bytes(range(256)), b"PK\x03\x04\x00\x01", b"a\nb\x00c"])
def test_what_is_no_text_is_named(data):
    line = 1 + data[: data.index(b"\0")].count(b"\n")
    said = f"f, line {line}: this is not a file of text\n  got: a byte that is 0\n  allowed: text in UTF-8"
    with pytest.raises(SourceError, match=said):
        decoded(data, "f", SourceError)
