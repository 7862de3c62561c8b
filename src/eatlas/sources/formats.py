"""Files and folders of vectors: how formats are recognised and opened, which options they take.

Other packages add formats as entry points of the group ``eatlas.formats``: the name of the entry is
that of the format and the suffix of its files, its object is called with the path, the options of
the source string and the name of the source, and returns a source, or a tuple of several. What
follows ``#`` in the source string is the option ``member``. An .npz archive with an array
``eatlas_NAME`` is of the format NAME.
"""

from __future__ import annotations

import codecs
import re
import zipfile
from collections.abc import Mapping
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import NamedTuple

from eatlas.errors import SourceError, described
from eatlas.paths import is_file, is_folder
from eatlas.plugins import absent, call_point, is_own, points, unusable
from eatlas.sources.archives import Content, locate
from eatlas.sources.array_files import array_with_words, open_folder, tables_in
from eatlas.sources.source import Source, VectorTable, Wrapper, forward
from eatlas.sources.spec import MEMBER, SUFFIXES, FileSpec, check_options, choice, load
from eatlas.sources.word2vec import HEAD_BYTES, announcement, first_lines, trailing_numbers
from eatlas.untrusted import require_trust

Options = Mapping[str, str]
ENTRY_POINTS = "eatlas.formats"
DECLARED = re.compile(r"eatlas_(?P<format>\w+)\.npy")
"""Array of an archive that names the format of another package."""
SAFETENSORS_HEAD = 100_000_000  # the limit of the format's own library


class Format(NamedTuple):
    """How a kind of file is recognised and opened."""

    opener: str
    options: str
    magic: bytes = b""
    streams: bool = False
    """Whether it can be read while compressed."""


FORMATS: dict[str, Format] = {
    "text": Format("word2vec:TextSource", "encoding", streams=True),
    "table": Format("array_files:open_table", "encoding", streams=True),
    "word2vec-binary": Format("word2vec:Word2VecBinarySource", "encoding", streams=True),
    "fasttext": Format("array_files:open_fasttext", "oov", b"\xba\x16O/"),
    "gensim": Format("array_files:open_gensim", "oov trust"),
    "npy": Format("array_files:open_npy", "vocab", b"\x93NUMPY"),
    "npz": Format("array_files:open_npz", "vectors words vocab", b"PK\x03\x04"),
    "safetensors": Format("array_files:open_safetensors", "tensor vocab"),
    "parquet": Format("array_files:open_parquet", "vectors words", b"PAR1"),
    "hdf5": Format("array_files:open_hdf5", "vectors words vocab", b"\x89HDF\r\n\x1a\n"),
}
"""By the name that ``?format=`` takes."""


def open_file(
    path: Path, options: Options | None = None, member: str | None = None, *, name: str = ""
) -> Source:
    """Open a file of vectors, or a folder of tables of features of images."""
    chosen = dict(options or {})
    name = name or str(path)
    if path.is_dir():
        if tables_in(path):
            return open_folder(path, chosen, name)
        allowed = "a file of vectors, or the folder of a model, with modules.json or config.json"
        spacy = "of a pipeline of spaCy hand over the object: spacy.load(FOLDER)"
        remedy = spacy if (path / "vocab").is_dir() else None
        raise SourceError(f"{path}: this is a folder", allowed=allowed, remedy=remedy)
    content = locate(path, member)
    kind = chosen.pop("format", None) or sniff(content)
    form = FORMATS[choice(kind, (*FORMATS, *_of_packages()), "format", content.label)]
    check_options(chosen, [*form.options.split(), "format"], content.label)
    if not form.streams:
        content.need_plain(f"the format {kind}")
    table: VectorTable = load(f"eatlas.sources.{form.opener}")(content, chosen, name)
    return table


def sources_of_file(file: FileSpec, name: str) -> tuple[Source, ...]:
    """Open a file of vectors; a format of another package may contain several sources."""
    declared = _format_in_archive(file.path)
    suffix = declared or file.path.suffix.removeprefix(".")
    point = _of_packages().get(file.options.get("format", suffix))
    if point is None:
        if declared and (lacking := absent("formats", declared)):
            raise lacking
        return (open_file(file.path, file.options, file.member, name=name),)
    if not is_own(point):
        require_trust(f"call {point.value}, which an installed package registers")
    options = dict(file.options) | ({} if file.member is None else {MEMBER: file.member})
    made = call_point(point, Source | tuple, file.path, options, name)
    sources: tuple[Source, ...] = made if isinstance(made, tuple) else (made,)
    if not sources or not all(isinstance(source, Source) for source in sources):
        what = f"{point.value} returns something else"
        raise unusable(point, what, described(made), "a source, or a tuple of sources")
    return sources


def _format_in_archive(path: Path) -> str:
    """The format of another package that an .npz archive names; empty where it names none."""
    if path.suffix.lower() != ".npz" or not is_file(path):
        return ""
    try:
        with zipfile.ZipFile(path) as archive:
            declared = map(DECLARED.fullmatch, archive.namelist())
            return next((found["format"] for found in declared if found), "")
    except Exception:  # noqa: BLE001  (what zipfile raises for a damaged file has no common class)
        return ""


def _of_packages() -> dict[str, EntryPoint]:
    """Formats that other packages register, for no file that eatlas itself reads."""
    return points(ENTRY_POINTS, {*FORMATS, *(suffix[1:] for suffix in SUFFIXES)})


_NO_VECTORS = {
    b"version https://git-lfs": ("a pointer of git LFS", "fetch the file itself: git lfs pull"),
    b"<!doctype html": ("a web page", "fetch the file that the page is about"),
    b"<html": ("a web page", "fetch the file that the page is about"),
    codecs.BOM_UTF16_LE: ("its first bytes look like UTF-16", "save it as UTF-8"),
}
_TEXT_CONTROLS = frozenset(b"\t\n\r\x0b\x0c\x1c\x1d\x1e\x1f")
_CONTROLS = bytes(c for c in range(32) if c not in _TEXT_CONTROLS)
_LOOKED_AT = 4096


def sniff(content: Content) -> str:
    """Name the format of a content."""
    head = content.head(HEAD_BYTES)
    for kind, form in FORMATS.items():
        if form.magic and head.startswith(form.magic):
            return kind
    for magic, (got, remedy) in _NO_VECTORS.items():
        if head[:32].lower().startswith(magic):
            raise _unknown(content, got, remedy)
    if head.startswith(b"GGUF"):
        raise _unknown(content, "a model (GGUF)", "give it a name that ends in .gguf")
    if head[:1] == b"\x80" and b"\x02" <= head[1:2] <= b"\x05":
        return "gensim"
    length = int.from_bytes(head[:8], "little")
    by_head = head[8:9] == b"{" and length <= min(SAFETENSORS_HEAD, content.stamp.size)
    if by_head or content.path.suffix.lower() == ".safetensors":
        return "safetensors"
    return _text_kind(head, content)


def _text_kind(head: bytes, content: Content) -> str:
    """Kind of a file that begins with text: a table, text or binary word2vec."""
    path = Path(content.member or content.path)
    if not content.member and not content.plain:
        path = path.with_suffix("")  # that of the compression
    suffix, lines = path.suffix.lower(), first_lines(head)
    by_name = suffix in {".csv", ".tsv"}
    if not lines:
        return "table" if by_name else "text"
    first = lines[0][1]
    if announcement(first):
        # few bytes may look like text by chance
        rest = head.partition(first)[2].lstrip(b"\r\n")
        return "word2vec-binary" if suffix == ".bin" or _is_controlled(rest) else "text"
    if _is_controlled(head):
        raise _unknown(content, f"binary data: {head[:16].hex(' ')}")
    separated = any(mark in first for mark in (b",", b"\t", b";"))
    return "table" if separated and (by_name or not trailing_numbers(first)) else "text"


def _is_controlled(data: bytes) -> bool:
    return len(data[:_LOOKED_AT].translate(None, _CONTROLS)) < len(data[:_LOOKED_AT])


def _unknown(
    content: Content, got: str, remedy: str = "if you know better, say so: ?format=NAME"
) -> SourceError:
    return SourceError(
        f"{content.label}: unknown file type",
        got=got,
        allowed=", ".join(FORMATS),
        remedy=remedy,
    )


# --- a folder of years ----------------------------------------------------------------------------

HISTWORDS = re.compile(r"(?P<year>\d{4})-w\.npy")
"""Vectors of a decade as HistWords stores them, beside YEAR-vocab.pkl."""
BY_YEAR = re.compile(r"(?P<year>\d{4})\.(?!npy$)[a-z0-9.]+", re.IGNORECASE)
"""Any other file of vectors that is called by its year, such as 1990.txt.gz or 1990.bin."""
_PERIODS = ("from", "to", "period")
"""First and last year that are taken, or the only one."""


class PeriodSource(Wrapper):
    """One period of a series: the vectors of a file, the name of the series, the year."""

    def __init__(self, name: str, period: int, source: Source) -> None:
        super().__init__(source)
        self._name, self._period = name, period

    name = forward("_name")
    period = forward("_period")


def is_series(path: Path) -> bool:
    """Whether a folder holds vectors by year."""
    return is_folder(path) and bool(_files(path))


def open_series(spec: FileSpec, name: str) -> tuple[PeriodSource, ...]:
    """Open every period of a series, in the order of years."""
    check_options(spec.options, _PERIODS, str(spec.path))
    for key, value in spec.options.items():
        if not re.fullmatch(r"\d{1,4}", value):
            raise SourceError(
                f"{spec.path}: the option {key} is not a year",
                got=f"{key}={value}",
                allowed="a year such as 1990",
            )
    years = {key: int(value) for key, value in spec.options.items()}
    first = years.get("period", years.get("from", 0))
    last = years.get("period", years.get("to", 9999))
    files = sorted(_files(spec.path))
    sources = []
    for year, path in files:
        if first <= year <= last:
            words = path.name.replace("-w.npy", "-vocab.pkl")
            of_array = HISTWORDS.fullmatch(path.name)
            source = array_with_words(path, words, str(path)) if of_array else _only_source(path)
            sources.append(PeriodSource(name, year, source))
    if not sources:
        raise SourceError(
            f"{spec.path}: the series has no such period",
            got="&".join(f"{key}={value}" for key, value in spec.options.items()),
            allowed=", ".join(str(year) for year, _ in files),
        )
    return tuple(sources)


def _only_source(path: Path) -> Source:
    """Open the file of one period."""
    first, *others = sources_of_file(FileSpec(path), str(path))
    if others:
        raise SourceError(
            f"{path}: {1 + len(others)} sources belong to one period of the series",
            remedy="remove the file from the folder",
        )
    return first


def _files(folder: Path) -> list[tuple[int, Path]]:
    """Files of vectors with their years: those of HistWords, or else all that a year names."""
    names = sorted(path for path in folder.iterdir() if path.is_file())
    for pattern in (HISTWORDS, BY_YEAR):
        files = [(int(m["year"]), path) for path in names if (m := pattern.fullmatch(path.name))]
        years = [year for year, _ in files]
        if twice := [path.name for year, path in files if years.count(year) > 1]:
            raise SourceError(
                f"{folder}: two files for the same year",
                got=", ".join(twice[:2]),
                allowed="one file of vectors for each year",
                remedy="remove one of them from the folder",
            )
        if files:
            return files
    return []
