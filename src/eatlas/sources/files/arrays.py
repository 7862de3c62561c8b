"""Arrays with words: ``.npy`` and safetensors, mapped; ``.npz``, HDF5, gensim's and fastText's."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SourceError, listed
from eatlas.sources.archives import Content, archive_errors, check_growth
from eatlas.sources.files.matrix import (
    MatrixSource,
    as_words,
    beside,
    check_finite,
    check_matrix,
    part_of,
    read_vocabulary,
)
from eatlas.sources.files.on_disk import Stamp, faults_of_library, library, open_binary
from eatlas.sources.interface import Vector
from eatlas.sources.spec import choice, model_at
from eatlas.untrusted import require_trust

_TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2"}
_OBJECTS = "save words with np.array(words, dtype='U'), vectors as float32"
_LISTED = 10


def open_npy(content: Content, options: Mapping[str, str], name: str) -> MatrixSource:
    """Open an array and the vocabulary that belongs to it."""
    return array_with_words(content.path, options.get("vocab"), name)


def array_with_words(path: Path, vocabulary: str | None, name: str) -> MatrixSource:
    """Map an array whose words are in a file of their own."""
    Stamp.of(path)
    with faults_of_library(path, "this array"):
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    check_matrix(array.shape, array.dtype, str(path))
    words = beside(path, vocabulary)
    return MatrixSource(read_vocabulary(words), array, name=name, files=(path, words))


def open_npz(content: Content, options: Mapping[str, str], name: str) -> MatrixSource:
    """Open an array of vectors and one of words, or a named vector for each word."""
    path, files = content.path, [content.path]
    with archive_errors(str(path)), zipfile.ZipFile(path) as archive:
        size = sum(info.file_size for info in archive.infolist())
    check_growth(str(path), size, content.stamp.size)
    with (
        faults_of_library(path, f"an array of this archive ({_OBJECTS})"),
        np.load(path, allow_pickle=False) as arrays,
    ):
        parts = dict(arrays)
    shapes = {array.shape for array in parts.values()}
    numbers = {key: array for key, array in parts.items() if array.dtype.kind in "fiu"}
    if len(numbers) == len(parts) and len(shapes) == 1 and len(min(shapes)) == 1 and not options:
        return MatrixSource(list(parts), np.stack(list(parts.values())), name=name, files=files)
    kinds = {key: f"{array.dtype}, shape {array.shape}" for key, array in parts.items()}
    matrices = [key for key, array in numbers.items() if array.ndim == 2]
    vectors = parts[part_of(str(path), "vectors", kinds, matrices, options.get("vectors"))]
    texts = [key for key, array in parts.items() if array.dtype.kind in "US" and array.ndim == 1]
    if "vocab" in options or not (texts or "words" in options):
        vocabulary = beside(path, options.get("vocab"))
        words, files = read_vocabulary(vocabulary), [path, vocabulary]
    else:
        column = parts[part_of(str(path), "words", kinds, texts, options.get("words"))]
        with faults_of_library(path, "the array of words (UTF-8)"):
            words = (
                np.strings.decode(column, "utf-8").tolist()
                if column.dtype.kind == "S"
                else (column.tolist())
            )
    return MatrixSource(words, vectors, name=name, files=files)


def open_safetensors(content: Content, options: Mapping[str, str], name: str) -> MatrixSource:
    """Map a tensor of vectors; the vocabulary belongs to it."""
    from safetensors import safe_open  # noqa: PLC0415  (only this format needs it)

    path = content.path
    with (
        faults_of_library(path, "the head of this safetensors file"),
        safe_open(path, framework="numpy"),  # checks all that the head says
        open_binary(path) as file,
    ):
        length = int.from_bytes(file.read(8), "little")
        tensors: dict[str, Any] = json.loads(file.read(length))
    tensors.pop("__metadata__", None)
    matrices = [key for key, facts in tensors.items() if len(facts["shape"]) == 2]
    key = options.get("tensor") or (matrices[0] if len(matrices) == 1 else "")
    facts = tensors.get(key)
    if facts is None:
        model = model_at(path)
        raise SourceError(
            f"{path}: no single tensor holds the vectors",
            got=key or listed(tensors) or "no tensors",
            allowed=f"one of {listed(matrices)}" if matrices else "a tensor (words, components)",
            remedy=f"for the model in its folder: {model}"
            if model
            else f"name it: {path}?tensor=NAME",
        )
    dtype = np.dtype(_TYPES[choice(facts["dtype"], _TYPES, "tensor", f"{path}, {key}")])
    check_matrix(facts["shape"], dtype, f"{path}, {key}")
    start = 8 + length + facts["data_offsets"][0]
    array: NDArray[Any] = np.memmap(path, dtype, "r", start, tuple(facts["shape"]))
    words = beside(path, options.get("vocab"))
    files = (path, words)
    if facts["dtype"] != "BF16":
        return MatrixSource(read_vocabulary(words), array, name=name, files=files)
    return MatrixSource(
        read_vocabulary(words), array, name=name, files=files, convert=_from_bfloat16
    )


def _from_bfloat16(rows: NDArray[Any]) -> NDArray[np.floating]:
    """Numbers of bfloat16, the upper half of float32, which numpy does not know."""
    return (rows.astype(np.uint32) << 16).view(np.float32)


def open_hdf5(content: Content, options: Mapping[str, str], name: str) -> MatrixSource:
    """Open an array with as many strings, or a vector for each name, as sent-bias stores them."""
    path = content.path
    h5py = library("h5py", str(path), "HDF5")
    sets: dict[str, Any] = {}
    with faults_of_library(path, "this HDF5 file"), h5py.File(path) as file:
        # links to other files are not followed
        file.visititems(
            lambda key, item: sets.update({key: item} if hasattr(item, "dtype") else {})
        )
        if any(item.is_virtual or item.external for item in sets.values()):
            raise SourceError(f"{path}: a data set takes its content from other files")
        check_growth(str(path), sum(item.nbytes for item in sets.values()), content.stamp.size)
        numbers = {key: item for key, item in sets.items() if item.dtype.kind in "fiu"}
        if (
            numbers
            and not options
            and all(item.size == max(item.shape or (0,)) for item in numbers.values())
        ):
            # below the group of the term; a slash in a sentence makes more groups
            words = [key.partition("/")[2] or key for key in numbers]
            rows = np.stack([np.ravel(item[()]) for item in numbers.values()])
        else:
            texts = [
                key
                for key, item in sets.items()
                if item.ndim == 1
                and (item.dtype.kind == "S" or h5py.check_string_dtype(item.dtype))
            ]
            matrices = [key for key, item in numbers.items() if item.ndim == 2]
            rows = sets[part_of(str(path), "vectors", sets, matrices, options.get("vectors"))][()]
            fit = [key for key in texts if len(sets[key]) == len(rows)]
            column = sets[part_of(str(path), "words", sets, fit, options.get("words"))]
            words = [word.decode() for word in column[()].tolist()]
    return MatrixSource(words, rows, name=name, files=(path,))


# --- gensim and fastText --------------------------------------------------------------------------


def open_gensim(content: Content, options: Mapping[str, str], name: str) -> MatrixSource:
    """Open vectors that gensim saved: a pickle, which runs what its writer put into it."""
    path = content.path
    require_trust(f"open {path}, a pickle that can run code of whoever wrote it")
    if options.get("trust") != "yes":
        raise SourceError(
            f"{path}: what gensim saved is a pickle, which runs code of whoever wrote it",
            remedy=f"if you trust it: {path}?trust=yes; or save it in gensim with "
            "save_word2vec_format(..., binary=True)",
        )
    utils = library("gensim.utils", str(path), "what gensim saved", "pip install 'eatlas[gensim]'")
    with faults_of_library(path, "what gensim saved"):
        saved = utils.SaveLoad.load(str(path), mmap="r")
        keyed = getattr(saved, "wv", saved)
        words = as_words(list(keyed.index_to_key), str(path))
    files = [path, *sorted(path.parent.glob(f"{path.name}.*.npy"))]
    return _keyed(keyed, words, files, options, name)


def open_fasttext(content: Content, options: Mapping[str, str], name: str) -> MatrixSource:
    """Open a model of fastText."""
    path = content.path
    fasttext = library(
        "gensim.models.fasttext", str(path), "fastText's .bin", "pip install 'eatlas[gensim]'"
    )
    with faults_of_library(path, "this model of fastText"):
        keyed = fasttext.load_facebook_vectors(str(path))
    return _keyed(keyed, keyed.index_to_key, [path], options, name)


def _keyed(
    keyed: Any, words: Sequence[str], files: Sequence[Path], options: Mapping[str, str], name: str
) -> MatrixSource:
    """The source of gensim's KeyedVectors."""
    if choice(options.get("oov", "none"), ("none", "subword"), "oov", name) == "none":
        return MatrixSource(words, keyed.vectors, name=name, files=files)
    if not getattr(keyed, "bucket", 0) or not getattr(keyed, "max_n", 0):
        raise SourceError(f"{name}: this model has no sub-words", got="oov=subword")
    return SubwordSource(keyed, words, name=name, files=files)


class SubwordSource(MatrixSource):
    """A model of fastText that also gives words outside its vocabulary a vector, of n-grams."""

    def __init__(
        self, keyed: Any, words: Sequence[str], *, name: str, files: Sequence[Path]
    ) -> None:
        super().__init__(words, keyed.vectors, name=name, files=files)
        self._keyed = keyed
        self._composed: set[str] = set()

    @property
    def notes(self) -> tuple[str, ...]:
        """Duplicates, and words whose vector was made of n-grams."""
        if not self._composed:
            return super().notes
        note = (
            f"{self.name}: outside the vocabulary, with a vector from character n-grams (in some "
            f"spelling): {listed(sorted(self._composed), _LISTED)}."
        )
        return (*super().notes, note)

    def lookup(self, keys: Collection[str]) -> Mapping[str, Vector]:
        """Return the vectors of those keys that have one, or can be given one."""
        vectors = dict(super().lookup(keys))
        spelled = {key.casefold() for key in vectors}
        # what holds a space is a phrase or a sentence: no n-gram with a space was ever trained
        for key in (key for key in keys if not any(map(str.isspace, key))):
            if key.casefold() in spelled or not (vector := self._keyed.get_vector(key)).any():
                continue
            check_finite(vector, f"{self.name}, the n-grams of {key!r}")
            vectors[key] = vector
            self._composed.add(key.casefold())
        return vectors
