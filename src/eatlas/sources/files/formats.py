"""The formats of files of vectors: how they are recognised and opened, which options they take.

Other packages add formats as entry points of the group ``eatlas.formats``: the name of the entry is
that of the format and the suffix of its files, its object is called with the path, the options of
the source string and the name of the source, and returns a source.
"""

from __future__ import annotations

import codecs
import pickle
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint
from pathlib import Path

from eatlas.errors import SourceError
from eatlas.plugins import called, points
from eatlas.sources.archives import Content, locate
from eatlas.sources.files.dialects import (
    HEAD_BYTES,
    announcement,
    names_images,
    numbered_lines,
    separator_of,
    trailing_numbers,
)
from eatlas.sources.interface import ListedSource
from eatlas.sources.source import VectorTable
from eatlas.sources.spec import GGUF, SUFFIXES, check_options, choice, load, model_at
from eatlas.untrusted import require_trust

Options = Mapping[str, str]
ENTRY_POINTS = "eatlas.formats"
SAFETENSORS_HEAD = 100_000_000  # the limit of the format's own library
_OF_TEXT = {
    "index": "whether to keep an index of the words: auto, yes, no",
    "encoding": "encoding of the words: utf-8, latin-1",
}
_OF_SUBWORDS = {"oov": "vectors for words that are not in the vocabulary: none, subword"}
_VOCABULARY = {"vocab": "file of words, one a line"}
_NAMED = {"vectors": "name of the array of vectors", "words": "name of the array of words"}
_EVERYWHERE = {"format": "the format, where its content does not show it"}


@dataclass(frozen=True)
class Format:
    """How a kind of file is recognised and opened."""

    opener: str
    options: Options = field(default_factory=dict)
    magic: bytes = b""
    unpacked: str = ""
    ordered: bool = False

    def open(self, content: Content, options: Options, name: str) -> VectorTable:
        """Open a file of this kind."""
        if self.unpacked:
            content.need_plain(self.unpacked)
        source: VectorTable = load(f"eatlas.sources.files.{self.opener}")(content, options, name)
        source.ordered = self.ordered
        return source


FORMATS: dict[str, Format] = {
    "text": Format("text:open_text", _OF_TEXT, ordered=True),
    "table": Format("text:open_table", _OF_TEXT),
    "features": Format("features:open_features"),
    "word2vec-binary": Format("word2vec_binary:open_word2vec", _OF_TEXT, ordered=True),
    "fasttext": Format(
        "fasttext:open_fasttext", _OF_SUBWORDS, b"\xba\x16O/", "a model of fastText", ordered=True
    ),
    "gensim": Format(
        "gensim:open_gensim", _OF_SUBWORDS, unpacked="what gensim saved", ordered=True
    ),
    "npy": Format("arrays:open_npy", _VOCABULARY, b"\x93NUMPY", "an array"),
    "npz": Format("arrays:open_npz", _VOCABULARY | _NAMED, b"PK\x03\x04", "an archive of arrays"),
    "safetensors": Format(
        "arrays:open_safetensors",
        _VOCABULARY | {"tensor": "name of the tensor of vectors"},
        unpacked="safetensors",
    ),
    "parquet": Format(
        "parquet:open_parquet",
        {"words": "name of the column of words", "vectors": "name of the column of lists"},
        b"PAR1",
        "Parquet",
    ),
    "hdf5": Format(
        "hdf5:open_hdf5",
        {"vectors": "name of the data set of vectors", "words": "name of the data set of words"},
        b"\x89HDF\r\n\x1a\n",
        "HDF5",
    ),
}
"""By the name that ``?format=`` takes."""


def open_file(
    path: Path,
    options: Options | None = None,
    member: str | None = None,
    *,
    name: str | None = None,
) -> ListedSource:
    """Open a file of vectors, or a folder of spaCy, whatever its format."""
    chosen = dict(options or {})
    name = name or str(path)
    if path.is_dir():
        return _open_folder(path, chosen, name)
    suffix = path.suffix.removeprefix(".")
    if point := _of_packages().get(chosen.get("format", suffix)):
        require_trust(f"call {point.value}, which an installed package registers")
        source: ListedSource = called(point, ListedSource, path, chosen, name)
        return source
    content = locate(path, member)
    kind = chosen.pop("format", None) or sniff(content)
    form = FORMATS[choice(kind, (*FORMATS, *_of_packages()), "format", content.label)]
    check_options(chosen, {**form.options, **_EVERYWHERE}, content.label)
    return form.open(content, chosen, name)


def _of_packages() -> dict[str, EntryPoint]:
    """Formats that other packages register, for no file that eatlas itself reads."""
    return points(ENTRY_POINTS, {*FORMATS, *(suffix[1:] for suffix in SUFFIXES)})


def _open_folder(path: Path, options: Options, name: str) -> VectorTable:
    """Open the folder of a spaCy pipeline."""
    from eatlas.sources.files import arrays, features  # noqa: PLC0415  (few sources are folders)

    if features.tables_in(path):
        return features.open_folder(path, options, name)
    place = arrays.find_spacy(path)
    if place is None:
        raise SourceError(
            f"{path}: this is a directory",
            allowed="a file of vectors, or the folder of a spaCy pipeline that has vectors",
            remedy=f"for the model in it: {model}" if (model := model_at(path)) else None,
        )
    check_options(options, {}, str(path))
    return arrays.open_spacy(place, name)


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
    """Name the format of a content."""
    head = content.head(HEAD_BYTES)
    for kind, form in FORMATS.items():
        if form.magic and head.startswith(form.magic):
            return kind
    for magic, kind in _NO_VECTORS.items():
        if head.startswith(magic):
            raise _unknown(content, kind)
    if head.startswith(b"GGUF"):
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
    return named or (head[8:9] == b"{" and length <= min(SAFETENSORS_HEAD, content.stamp.size))


def _text_kind(head: bytes, content: Content) -> str:
    """Kind of a file that begins with text: table, text, image features or binary word2vec."""
    lines = numbered_lines(head)
    if not lines:
        return "table" if _suffix(content) in _TABLES else "text"
    first = lines[0][1]
    if names_images(first):
        return "features"
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
    """The suffix that shows the format: of the member, or of the name without its compression."""
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
