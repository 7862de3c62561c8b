"""Bytes that are text, and bytes that are not."""

import codecs
import os
from pathlib import Path

import pytest

from eatlas.decoding import decode_utf8, require_file, toml_bytes
from eatlas.errors import SourceError, StimulusError


@pytest.mark.parametrize("data", [b"", b"a", b"ab", "grün\n".encode(), b"x\r\ny"])
def test_utf8_with_and_without_a_mark(data):
    assert decode_utf8(data, "f", SourceError) == data.decode()
    assert decode_utf8(codecs.BOM_UTF8 + data, "f", SourceError) == data.decode()


@pytest.mark.parametrize("kind", [SourceError, StimulusError])
def test_latin_1_names_line_byte_and_letter(kind):
    with pytest.raises(kind) as caught:
        decode_utf8("one\ngr\xfcn\n".encode("latin-1"), "mine.csv", kind)
    assert str(caught.value) == (
        "mine.csv, line 2: the file is not UTF-8\n"
        "  got: byte 0xfc, in Latin-1 ü\n"
        "  remedy: save it as UTF-8"
    )


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf16_is_named(encoding):
    with pytest.raises(SourceError, match="f: the file is not UTF-8\n  got: its first bytes"):
        decode_utf8("word,1,2".encode(encoding), "f", SourceError)


@pytest.mark.parametrize("data", [b"PK\x03\x04\x00\x01", b"a\nb\x00c"])
def test_what_is_no_text_is_named(data):
    line = 2 if data[:1] == b"a" else 1
    said = f"f, line {line}: the file is not UTF-8\n  got: "
    with pytest.raises(SourceError, match=said):
        decode_utf8(data, "f", SourceError)


@pytest.mark.parametrize("kind", [SourceError, StimulusError])
def test_what_is_neither_file_nor_folder_is_refused(tmp_path, kind):
    """Before it is opened: a pipe would wait, and a device need not end."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    link = tmp_path / "link"
    link.symlink_to("/proc/self/status")
    for path in (pipe, link, Path("/dev/zero"), Path("/proc/version")):
        with pytest.raises(
            kind, match="this is neither a file nor a folder\n  got: a device, a pi"
        ):
            require_file(path, kind)
        with pytest.raises(kind, match="remedy: save what comes from it in a file"):
            toml_bytes(path, kind)
    file = tmp_path / "file"
    file.write_text("x")
    for path in (file, tmp_path, tmp_path / "nothing", Path("a\0b"), Path("x" * 5000)):
        require_file(path, kind)
