"""From a path and options to a source; each format says which options it takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from eatlas.errors import SourceError
from eatlas.sources.archives import Content, locate
from eatlas.sources.files import arrays, fasttext, gensim_files, hdf5, parquet, spacy
from eatlas.sources.files.dialects import HEAD_BYTES, Dialect, table_dialect, text_dialect
from eatlas.sources.files.matrix import WholeSource
from eatlas.sources.files.sequential import INDEX_CHOICES
from eatlas.sources.files.sniffing import sniff
from eatlas.sources.files.subwords import OOV
from eatlas.sources.files.text import TextSource
from eatlas.sources.files.word2vec_binary import Word2VecBinarySource
from eatlas.sources.misnamed import model_at
from eatlas.sources.spec import check_options

Options = Mapping[str, str]
# A fault in a small file is said before any work begins.
_CHECKED_AT_ONCE = 1 << 20
_ENCODINGS = {"utf-8": "utf-8", "utf8": "utf-8", "latin-1": "latin-1", "latin1": "latin-1"}
_OF_TEXT = {
    "index": "whether to keep an index of the words: auto, yes, no",
    "encoding": "encoding of the words: utf-8, latin-1",
}
_OF_SUBWORDS = {"oov": "vectors for words that are not in the vocabulary: none, subword"}
_EVERYWHERE = {"format": "the format, where its content does not tell it"}


@dataclass(frozen=True)
class Format:
    """How a kind of file is opened, and which options it takes."""

    open: Callable[[Content, Options, str], WholeSource]
    options: Mapping[str, str] = field(default_factory=dict)
    ordered: bool = False
    """Whether words stand in order of frequency: by the format's own tools they do."""


def _text(content: Content, options: Options, name: str) -> WholeSource:
    encoding = _encoding(options, content.label)
    return _lines(
        content, text_dialect(content.head(HEAD_BYTES), content.label, encoding), options, name
    )


def _table(content: Content, options: Options, name: str) -> WholeSource:
    encoding = _encoding(options, content.label)
    return _lines(
        content, table_dialect(content.head(HEAD_BYTES), content.label, encoding), options, name
    )


def _lines(content: Content, dialect: Dialect, options: Options, name: str) -> WholeSource:
    source = TextSource(content, dialect, name=name, index=_index(options, content.label))
    if content.stamp.size <= _CHECKED_AT_ONCE:
        source.check()
    return source


def _word2vec_binary(content: Content, options: Options, name: str) -> WholeSource:
    index, encoding = _index(options, content.label), _encoding(options, content.label)
    return Word2VecBinarySource(content, name=name, index=index, encoding=encoding)


def _fasttext(content: Content, options: Options, name: str) -> WholeSource:
    path = content.need_plain("a model of fastText")
    return fasttext.open_fasttext(path, name, oov=_oov(options, content.label))


def _gensim(content: Content, options: Options, name: str) -> WholeSource:
    path = content.need_plain("what gensim saved")
    return gensim_files.open_gensim(path, name, oov=_oov(options, content.label))


def _npy(content: Content, options: Options, name: str) -> WholeSource:
    return arrays.open_npy(content.need_plain("an array"), options.get("vocab"), name)


def _npz(content: Content, options: Options, name: str) -> WholeSource:
    return arrays.open_npz(content.need_plain("an archive of arrays"), options, name)


def _safetensors(content: Content, options: Options, name: str) -> WholeSource:
    return arrays.open_safetensors(content.need_plain("safetensors"), options, name)


def _parquet(content: Content, options: Options, name: str) -> WholeSource:
    return parquet.ParquetSource(content.need_plain("Parquet"), options, name)


def _hdf5(content: Content, options: Options, name: str) -> WholeSource:
    return hdf5.open_hdf5(content.need_plain("HDF5"), options, name)


FORMATS: dict[str, Format] = {
    "text": Format(_text, _OF_TEXT, ordered=True),
    "table": Format(_table, _OF_TEXT),
    "word2vec-binary": Format(_word2vec_binary, _OF_TEXT, ordered=True),
    "fasttext": Format(_fasttext, _OF_SUBWORDS, ordered=True),
    "gensim": Format(_gensim, _OF_SUBWORDS, ordered=True),
    "npy": Format(_npy, arrays.NPY_OPTIONS),
    "npz": Format(_npz, arrays.NPZ_OPTIONS),
    "safetensors": Format(_safetensors, arrays.SAFETENSORS_OPTIONS),
    "parquet": Format(_parquet, parquet.OPTIONS),
    "hdf5": Format(_hdf5, hdf5.OPTIONS),
}


def open_file(
    path: Path,
    options: Options | None = None,
    member: str | None = None,
    *,
    name: str | None = None,
) -> WholeSource:
    """Open a file of vectors, or a folder of spaCy, whatever its format.

    Parameters
    ----------
    path : Path
    options : mapping, optional
        What followed ``?`` in a source string; each format has its own, all have ``format``.
    member : str, optional
        Which file of an archive.
    name : str, optional
        What names the source in results; the path if left out.

    Returns
    -------
    WholeSource
        A source with ``lookup``, ``vocabulary`` and ``iter_chunks``.

    Raises
    ------
    SourceError
        If the file holds no vectors, is damaged, or an option is unknown.
    """
    given = dict(options or {})
    name = name or str(path)
    if path.is_dir():
        return _open_folder(path, given, name)
    content = locate(path, member)
    asked = given.pop("format", None)
    kind = _choice(asked, tuple(FORMATS), "format", content.label) if asked else sniff(content)
    check_options(given, {**FORMATS[kind].options, **_EVERYWHERE}, content.label)
    opened = FORMATS[kind].open(content, given, name)
    if FORMATS[kind].ordered:
        opened.ordered = True  # type: ignore[attr-defined]  # of files that state an order
    return opened


def _open_folder(path: Path, options: Options, name: str) -> WholeSource:
    place = spacy.find_spacy(path)
    if place is None:
        raise SourceError(
            f"{path}: this is a directory",
            allowed="a file of vectors, or the folder of a spaCy pipeline that has vectors",
            remedy=f"for the model in it: {model}" if (model := model_at(path)) else None,
        )
    check_options(options, {}, str(path))
    return spacy.open_spacy(place, name)


def _choice(value: str, allowed: tuple[str, ...], option: str, label: str) -> str:
    if value not in allowed:
        raise SourceError(
            f"{label}: the option {option} cannot be {value}",
            got=f"{option}={value}",
            allowed=", ".join(allowed),
        )
    return value


def _index(options: Options, label: str) -> str:
    return _choice(options.get("index", "auto"), INDEX_CHOICES, "index", label)


def _oov(options: Options, label: str) -> str:
    return _choice(options.get("oov", "none"), OOV, "oov", label)


def _encoding(options: Options, label: str) -> str:
    asked = options.get("encoding", "utf-8").lower()
    return _ENCODINGS[_choice(asked, tuple(_ENCODINGS), "encoding", label)]
