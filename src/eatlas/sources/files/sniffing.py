"""Which format a file has, by what stands in it; the name settles only what content leaves open."""

from __future__ import annotations

import codecs
import pickle
from pathlib import Path

from eatlas.errors import SourceError
from eatlas.sources.archives import Content
from eatlas.sources.files import arrays, fasttext, hdf5
from eatlas.sources.files.dialects import (
    HEAD_BYTES,
    announcement,
    numbered_lines,
    separator_of,
    trailing_numbers,
)
from eatlas.sources.misnamed import GGUF, model_at

_MAGICS = {
    arrays.NPY_MAGIC: "npy",
    hdf5.MAGIC: "hdf5",
    b"PAR1": "parquet",
    fasttext.MAGIC: "fasttext",
    b"PK\x03\x04": "npz",
}
_GGUF = b"GGUF"
_TEXT_CONTROLS = frozenset(b"\t\n\r\x0b\x0c\x1c\x1d\x1e\x1f\x85")
_CONTROLS = bytes(c for c in range(32) if c not in _TEXT_CONTROLS)
_LOOKED_AT = 4096
_TABLES = {".csv", ".tsv"}
_NO_VECTORS = {
    b"%PDF": "PDF", b"<!DOC": "HTML", b"<!doc": "HTML", b"<html": "HTML", b"\x7fELF": "a program",
    b"\x89PNG": "an image", b'{"': "JSON", b'[{"': "JSON",
}  # fmt: skip
_IN_OTHER_FORM = {
    b"7z\xbc\xaf": ("a 7z archive", "unpack it, and open the file in it"),
    b"Rar!": ("a RAR archive", "unpack it, and open the file in it"),
    b"\x1f\x9d": ("a file of compress", "unpack it, and open the file in it"),
    b"version https://git-lfs": ("a pointer of git LFS", "fetch the file itself: git lfs pull"),
    codecs.BOM_UTF16_LE: ("UTF-16, to judge by its first bytes", "save it as UTF-8"),
    codecs.BOM_UTF16_BE: ("UTF-16, to judge by its first bytes", "save it as UTF-8"),
}


def sniff(content: Content) -> str:
    """Name the format of a content.

    Raises
    ------
    SourceError
        If it is none that holds vectors.
    """
    head = content.head(HEAD_BYTES)
    for magic, kind in _MAGICS.items():
        if head.startswith(magic):
            return kind
    for magic, kind in _NO_VECTORS.items():
        if head.startswith(magic):
            raise _unknown(content, kind)
    if head.startswith(_GGUF):
        model = model_at(content.path.with_suffix(GGUF))
        raise _unknown(content, "a model (GGUF)", f"for a model: {model}")
    for magic, (kind, remedy) in _IN_OTHER_FORM.items():
        if head.startswith(magic):
            raise _unknown(content, kind, remedy)
    if head[:1] == b"\x80" and 2 <= int.from_bytes(head[1:2], "big") <= pickle.HIGHEST_PROTOCOL:
        return "gensim"
    if _is_safetensors(head, content):
        return "safetensors"
    return _text_kind(head, content)


def _is_safetensors(head: bytes, content: Content) -> bool:
    length = int.from_bytes(head[:8], "little")
    named = content.path.suffix.lower() == ".safetensors"
    return named or (
        head[8:9] == b"{" and length <= min(arrays.SAFETENSORS_HEAD, content.stamp.size)
    )


def _text_kind(head: bytes, content: Content) -> str:
    lines = numbered_lines(head)
    if not lines:
        return "table" if _suffix(content) in _TABLES else "text"
    first = lines[0][1]
    if announcement(first) is not None and _is_binary(head, first, content):
        return "word2vec-binary"
    if _is_controlled(head[:_LOOKED_AT]):
        raise _unknown(content, f"binary data: {head[:16].hex(' ')}")
    return "table" if _is_table(first, content) else "text"


def _is_binary(head: bytes, first: bytes, content: Content) -> bool:
    """Whether numbers, not text, follow a header; few bytes may look like text by chance."""
    after = head.split(first, 1)[1].removeprefix(b"\r").removeprefix(b"\n")
    return _is_controlled(after[:_LOOKED_AT]) or _suffix(content) == ".bin"


def _is_controlled(data: bytes) -> bool:
    return len(data.translate(None, _CONTROLS)) < len(data)


def _is_table(first: bytes, content: Content) -> bool:
    line = first.removeprefix(codecs.BOM_UTF8)
    by_space = trailing_numbers(line.rstrip(b" \t").split(separator_of(line)))
    if _suffix(content) in _TABLES:
        return not by_space or b"\t" in line or b"," in line.split(b" ", 1)[-1]
    if announcement(line) is not None or by_space:
        return False
    return line.count(b",") > 0 or line.count(b";") > 0 or line.count(b"\t") > 0


def _suffix(content: Content) -> str:
    """The suffix that tells a form: of the member, or of the name without its compression."""
    path = Path(content.member or content.path)
    if not content.member and not content.plain:
        path = path.with_suffix("")
    return path.suffix.lower()


def _unknown(
    content: Content, got: str, remedy: str = "if you know better, say so: ?format=NAME"
) -> SourceError:
    return SourceError(
        f"{content.label}: this kind of file is not known",
        got=got,
        allowed="text (GloVe, word2vec, fastText), word2vec or fastText binary, gensim, npy, npz, "
        "safetensors, CSV, TSV, Parquet, HDF5, a folder of spaCy",
        remedy=remedy,
    )
