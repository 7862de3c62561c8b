"""Vectors that gensim saved: ``.kv`` and ``.model``, with large arrays in ``.npy`` files beside.

gensim itself is not needed.
"""

from __future__ import annotations

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
from eatlas.sources.files.pickles import Listed, PickledObject, load
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
    """Open vectors that gensim saved."""
    path, oov = content.path, oov_of(options, content.label)
    root = load(path, _LISTED)
    part, prefix = _keyed_vectors(root)
    if part is None:
        raise SourceError(
            f"{path}: this pickle holds no word vectors",
            got=root.name if isinstance(root, PickledObject) else type(root).__name__,
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


def _keyed_vectors(root: Any) -> tuple[PickledObject | None, str]:
    """The object with the vectors, and how its files are called after the path."""
    for candidate, prefix in ((root, ""), (_attribute(root, "wv"), ".wv")):
        if isinstance(candidate, PickledObject) and _first(candidate, _WORDS) is not None:
            return candidate, prefix
    return None, ""


def _attribute(thing: Any, name: str) -> Any:
    return thing.get(name) if isinstance(thing, PickledObject) else None


def _first(part: PickledObject, names: Sequence[str]) -> Any:
    return next((part.get(name) for name in names if part.get(name) is not None), None)


def _ngram_options(part: PickledObject) -> tuple[int, int, int] | None:
    values = tuple(part.get(key) for key in ("min_n", "max_n", "bucket"))
    if not all(type(value) is int for value in values):
        return None
    return values if values[1] > 0 and values[2] > 0 else None


def _open_subwords(
    part: PickledObject, words: Sequence[str], files: _Files, name: str, oov: str
) -> MatrixSource:
    """Open a FastText model of gensim, with its n-grams."""
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

    def array(self, part: PickledObject, *names: str) -> NDArray[Any]:
        """The first array of these names, from the pickle or the .npy file beside it."""
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
    """An array out of the record that a pickle made of it."""
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
        raise SourceError(
            f"{label}: this is not an array of numbers", got=str(error)[:100]
        ) from error
