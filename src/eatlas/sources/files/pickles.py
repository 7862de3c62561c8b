"""Pickles read as data, and the vectors that gensim saves in them.

Nothing in a pickle is imported or called, and reading it has an end. The library's own reader is
used, to which all names are inert records, in a process of its own
(:mod:`eatlas.sources.files.unpickle`): some bytes are enough to make it hash or build for ever
where Ctrl-C is not heard, or to end the process.

gensim writes ``.kv`` and ``.model``, with large arrays in ``.npy`` files beside; it is not needed.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SourceError
from eatlas.sources.archives import Content, most_bytes
from eatlas.sources.files import unpickle
from eatlas.sources.files.arrays import map_array
from eatlas.sources.files.fasttext import Ngrams, SubwordSource, oov_of, subword_matrix
from eatlas.sources.files.matrix import ArrayMatrix, MatrixSource, check_matrix
from eatlas.sources.files.reading import Stamp
from eatlas.sources.files.words import as_words

SECONDS, BYTES_A_SECOND = 2, 4 << 20
"""Time of a processor: a constant, and one second for so many bytes of the file. Honest pickles of
words take a tenth of that."""
BASE_MEMORY = 512 << 20
"""Bytes of memory, besides those that any file of its size may grow to."""
_BEWARE = "do not open it elsewhere either, unless you know who made it"
_PATIENCE = 20
"""Seconds of the clock for one of a processor: a machine may have other work."""


@dataclass(frozen=True)
class Inert:
    """An object of a pickle: the name of what made it, the arguments, the listed attributes."""

    name: str
    arguments: Sequence[Any]
    state: Any

    def get(self, key: str) -> Any:
        """An attribute; None if there is none of this name."""
        return self.state.get(key) if isinstance(self.state, dict) else None


@dataclass(frozen=True)
class Unread:
    """A value that was not read: it is of another kind, or too deep; the name of its type."""

    kind: str


@dataclass(frozen=True)
class Listed:
    """What a pickle may name, and which attributes of its objects are read."""

    names: Sequence[str] = ()
    beginnings: Sequence[str] = ()
    attributes: Sequence[str] = ()


PLAIN = Listed()
"""Strings, numbers, lists and dicts alone."""


def load(path: Path, listed: Listed = PLAIN) -> Any:
    """Read a pickle; objects become :class:`Inert`.

    Raises
    ------
    SourceError
        If it names what is not listed, is damaged, or takes more memory or time than it may.
    """
    size = Stamp.of(path).size
    seconds = SECONDS + size // BYTES_A_SECOND
    lists = json.dumps([list(listed.names), list(listed.beginnings), list(listed.attributes)])
    limits = (str(BASE_MEMORY + most_bytes(size)), str(seconds))
    command = [sys.executable, "-I", "-S", unpickle.__file__, str(path.absolute()), lists, *limits]
    try:
        done = subprocess.run(  # noqa: S603  (our own script)
            command, capture_output=True, check=False, timeout=_PATIENCE * seconds
        )
    except subprocess.TimeoutExpired:
        raise _endless(path, seconds) from None
    except OSError as error:
        raise SourceError(
            f"{path}: no process can be started to read this pickle",
            got=error.strerror or str(error),
        ) from error
    if done.returncode in {-getattr(signal, "SIGXCPU", 0), -9}:
        raise _endless(path, seconds)
    if done.returncode:
        raise _damaged(path, "it ends the process that reads it")
    answer = _revived(done.stdout)
    if "refused" in answer:
        raise SourceError(
            f"{path}: this pickle names something that vectors do not need",
            got=answer["refused"],
            allowed="lists, dicts, strings, numbers and what gensim and numpy store vectors in",
            remedy=_BEWARE,
        )
    if "fault" in answer:
        raise _damaged(path, answer["fault"])
    return answer["value"]


def _revived(raw: bytes) -> dict[str, Any]:
    """What the other process wrote."""
    line, _, rest = raw.partition(b"\n")
    lengths = list(map(int, line.split()))
    parts, at = [], 0
    for length in lengths:
        parts.append(rest[at : at + length])
        at += length

    kinds: dict[str, Callable[[Any], Any]] = {
        "list": lambda content: content,
        "tuple": tuple,
        "dict": dict,
        "bytes": lambda number: parts[number + 1],
        "object": lambda content: Inert(*content),
        "other": Unread,
    }

    def value(node: dict[str, Any]) -> Any:
        ((kind, content),) = node.items()
        return kinds[kind](content) if kind in kinds else node  # the answer itself

    answer: dict[str, Any] = json.loads(parts[0], object_hook=value)
    return answer


def _endless(path: Path, seconds: int) -> SourceError:
    return SourceError(
        f"{path}: this pickle takes far more time than a file of its size accounts for",
        got=f"more than {seconds} s of a processor",
        remedy=_BEWARE,
    )


def _damaged(path: Path, got: str) -> SourceError:
    remedy = "get the file again; the copy is probably incomplete"
    return SourceError(f"{path}: this pickle is damaged, or no pickle", got=got, remedy=remedy)


# --- gensim ---------------------------------------------------------------------------------------

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

    def array(self, part: Inert, *names: str) -> NDArray[Any]:
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
        raise SourceError(
            f"{label}: this is not an array of numbers", got=str(error)[:100]
        ) from error
