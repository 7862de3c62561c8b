"""What gensim and spaCy save.

gensim: ``.kv`` and ``.model``, pickles with large arrays in ``.npy`` files beside; the pickle is
read as data (:mod:`eatlas.sources.files.pickles`), and gensim is not needed.

spaCy: a folder, in which ``vectors`` is an array, ``key2row`` a map from the key of a word to its
row, and ``strings.json`` lists the words, but not those that are symbols of spaCy. spaCy gives the
keys. Several words may share a row: that is how spaCy prunes a table.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SourceError
from eatlas.sources.archives import Content
from eatlas.sources.files.arrays import map_array
from eatlas.sources.files.fasttext import Ngrams, SubwordSource, oov_of, subword_matrix
from eatlas.sources.files.matrix import ArrayMatrix, MatrixSource, check_matrix
from eatlas.sources.files.pickles import Inert, Listed, load
from eatlas.sources.files.reading import library
from eatlas.sources.files.words import as_words

_MODULES = ("gensim.", "numpy.random.")
_NAMES = frozenset(
    {
        *(f"numpy.{core}.multiarray.{name}" for core in ("core", "_core")
          for name in ("_reconstruct", "scalar")),
        *(f"numpy.{core}.numeric._frombuffer" for core in ("core", "_core")),
        "numpy.ndarray", "numpy.dtype", "numpy.float32", "numpy.float64", "numpy.uint32",
        "numpy.int64",
        "collections.defaultdict", "collections.OrderedDict",
        "builtins.int", "builtins.hash", "builtins.object", "builtins.set",
        "__builtin__.int", "__builtin__.hash", "__builtin__.object",
        "copyreg._reconstructor", "copy_reg._reconstructor",
    }
)  # fmt: skip
_ARRAYS = ("vectors", "syn0", "vectors_vocab", "syn0_vocab", "vectors_ngrams", "syn0_ngrams")
# Newer gensim first, then 3.x, then 1.x.
_VECTORS = ("vectors", "syn0")
_WORDS = ("index_to_key", "index2word")
_DTYPES = {"f2", "f4", "f8"}
_LISTED = Listed(
    names=sorted(_NAMES),
    beginnings=_MODULES,
    attributes=("wv", *_WORDS, *_ARRAYS, "min_n", "max_n", "bucket", "compatible_hash"),
)


def open_gensim(content: Content, options: Mapping[str, str], name: str) -> MatrixSource:
    """Open vectors that gensim saved.

    Raises
    ------
    SourceError
        If the pickle names anything that gensim does not save, or holds no vectors.
    """
    path, oov = content.path, oov_of(options, content.label)
    root = load(path, _LISTED)
    part, prefix = _keyed_vectors(root)
    if part is None:
        raise SourceError(
            f"{path}: this pickle holds no word vectors",
            got=root.name if isinstance(root, Inert) else type(root).__name__,
            allowed="KeyedVectors, Word2Vec or FastText, saved by gensim",
        )
    words = as_words(_first(part, _WORDS), f"{path}, the words")
    files = _Files(path, prefix)
    if _ngram_options(part) is not None:
        return _open_subwords(part, words, files, name, oov)
    if oov != "none":
        raise SourceError(
            f"{path}: these vectors have no sub-words", got=f"oov={oov}", allowed="FastText models"
        )
    array = files.array(part, *_VECTORS)
    check_matrix(array.shape, array.dtype, str(path))
    return MatrixSource(words, ArrayMatrix(array), name=name, files=files.used)


def _keyed_vectors(root: Any) -> tuple[Inert | None, str]:
    """The object with the vectors, and how its files are called after the path."""
    for candidate, prefix in ((root, ""), (_attribute(root, "wv"), ".wv")):
        if isinstance(candidate, Inert) and _first(candidate, _WORDS) is not None:
            return candidate, prefix
    return None, ""


def _attribute(thing: Any, name: str) -> Any:
    return thing.get(name) if isinstance(thing, Inert) else None


def _first(part: Inert, names: Sequence[str]) -> Any:
    return next((part.get(name) for name in names if part.get(name) is not None), None)


def _ngram_options(part: Inert) -> tuple[int, int, int] | None:
    values = tuple(part.get(key) for key in ("min_n", "max_n", "bucket"))
    if not all(type(value) is int for value in values):
        return None
    return values if values[1] > 0 and values[2] > 0 else None


def _open_subwords(
    part: Inert, words: Sequence[str], files: _Files, name: str, oov: str
) -> MatrixSource:
    options = _ngram_options(part)
    if part.get("compatible_hash") is False or options is None:
        raise SourceError(
            f"{files.path}: sub-words of this model are hashed in a way that old gensim alone has",
            remedy="load it in gensim and save its vectors with save_word2vec_format",
        )
    rows = files.array(part, "vectors_vocab", "syn0_vocab")
    ngrams = files.array(part, "vectors_ngrams", "syn0_ngrams")
    for array, what in ((rows, "vectors_vocab"), (ngrams, "vectors_ngrams")):
        check_matrix(array.shape, array.dtype, f"{files.path}, {what}")
    scheme = Ngrams(*options)
    matrix = subword_matrix(words, rows, ngrams, scheme, str(files.path))
    return SubwordSource(words, matrix, name=name, files=files.used, oov=oov)


class _Files:
    """Arrays of a saved object: in the pickle, or in a file beside it."""

    def __init__(self, path: Path, prefix: str) -> None:
        self.path, self.prefix = path, prefix
        self.used: list[Path] = [path]

    def array(self, part: Inert, *names: str) -> NDArray[Any]:
        for name in names:
            if part.get(name) is not None:
                return stored_array(part.get(name), f"{self.path}, {name}")
            beside = self.path.with_name(f"{self.path.name}{self.prefix}.{name}.npy")
            if beside.is_file():
                self.used.append(beside)
                return map_array(beside)
        expected = f"{self.path.name}{self.prefix}.{names[0]}.npy"
        raise SourceError(
            f"{self.path}: the vectors are not in this file, nor beside it",
            got=f"no {expected}",
            remedy="keep the files that gensim wrote together, under the names it gave them",
        )


def _is_length(value: Any) -> bool:
    return type(value) is int and 0 <= value < 1 << 48


def stored_array(value: Any, label: str) -> NDArray[Any]:
    """An array out of the record that a pickle made of it.

    Raises
    ------
    SourceError
        If the record is not that of an array of floating-point numbers.
    """
    try:
        if value.name.endswith("_frombuffer"):
            raw, dtype, shape, order = value.arguments
        else:
            _, shape, dtype, fortran, raw = value.state
            order = "F" if fortran else "C"
        code = dtype.arguments[0]
        big = dtype.state[1] == ">"
        # nothing is looked up or printed before it is known to be a text or a number
        if not isinstance(code, str) or code not in _DTYPES or order not in ("C", "F"):
            raise ValueError("numbers of a type that cannot be read")
        if not isinstance(shape, tuple) or len(shape) > 2 or not all(map(_is_length, shape)):
            raise ValueError("a shape that no array of vectors has")
        array = np.frombuffer(raw, (">" if big else "<") + code)
        return array.reshape(shape, order=order)
    except (AttributeError, IndexError, TypeError, ValueError) as error:
        raise SourceError(f"{label}: this is no array of numbers", got=str(error)[:100]) from error


# --- spaCy ----------------------------------------------------------------------------------------

_TABLE = "key2row"


def find_spacy(folder: Path) -> Path | None:
    """The folder with the vectors: this one, its ``vocab``, or that of the package in it."""
    places = [folder, folder / "vocab", *sorted(folder.glob("*/vocab"))]
    places += sorted(folder.glob("*/*/vocab"))
    return next((place for place in places if (place / _TABLE).is_file()), None)


def open_spacy(folder: Path, name: str) -> MatrixSource:
    """Open the vectors of a spaCy pipeline.

    Parameters
    ----------
    folder : Path
        Where ``vectors``, ``key2row`` and ``strings.json`` are.

    Raises
    ------
    SourceError
        If one of the files is missing or damaged, or the vectors are made of hashed n-grams.
    """
    paths = [folder / "vectors", folder / _TABLE, folder / "strings.json"]
    for path in paths:
        if not path.is_file():
            raise SourceError(
                f"{folder}: a file of the spaCy vectors is not there",
                got=f"no {path.name}",
                remedy="save the pipeline with nlp.to_disk(folder)",
            )
    _refuse_floret(folder)
    array = map_array(paths[0])
    check_matrix(array.shape, array.dtype, str(paths[0]))
    keys, words, places = _keys(_strings(paths[2]), folder), [], []
    rows = _rows(paths[1])
    for word, key in keys.items():
        row = rows.get(key, -1)
        if 0 <= row < len(array):
            words.append(word)
            places.append(row)
        elif row >= 0:
            raise SourceError(
                f"{paths[1]}: a word has a row that is not there",
                got=f"{word!r}, row {row}",
                allowed=f"rows 0 to {len(array) - 1}",
            )
    if not words:
        raise SourceError(f"{folder}: no word of this pipeline has a vector")
    return MatrixSource(words, ArrayMatrix(array, places=np.array(places)), name=name, files=paths)


def _keys(words: list[str], folder: Path) -> dict[str, int]:
    """The keys by which spaCy knows words: hashes, or small numbers of its symbols."""
    what, remedy = "the vectors of its pipelines", "pip install spacy"
    store = library("spacy.strings", str(folder), what, remedy).StringStore()
    symbols = library("spacy.symbols", str(folder), what, remedy).IDS
    return {word: store[word] for word in words} | {word: n for word, n in symbols.items() if n}


def _rows(path: Path) -> dict[int, int]:
    """The row of each key."""
    try:
        rows = library("srsly", str(path), "spaCy's tables").msgpack_loads(path.read_bytes())
    except Exception as error:
        raise _no_table(path, str(error)) from error
    if not isinstance(rows, dict) or {type(n) for pair in rows.items() for n in pair} - {int}:
        raise _no_table(path, "something other than whole numbers")
    return rows


def _no_table(path: Path, got: str) -> SourceError:
    return SourceError(f"{path}: this is no table of words and rows", got=got[:200])


def _refuse_floret(folder: Path) -> None:
    path = folder / "vectors.cfg"
    if path.is_file() and _json(path) and b"floret" in path.read_bytes():
        raise SourceError(
            f"{folder}: these vectors are made of hashed n-grams (floret), which cannot be read",
            allowed="tables with a row for each word",
            remedy="export the words you need: nlp.vocab[word].vector",
        )


def _strings(path: Path) -> list[str]:
    words = _json(path)
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise SourceError(f"{path}: this is no list of words")
    try:
        "".join(words).encode()
    except UnicodeEncodeError as error:
        raise SourceError(f"{path}: a word is half a character", got=str(error)[:200]) from error
    return words


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise SourceError(f"{path}: this is not JSON", got=str(error)[:200]) from error
