"""Arrays with a word for each row: ``.npy``, ``.npz``, safetensors, HDF5, gensim, fastText."""

from __future__ import annotations

import io
import json
import pickle
import subprocess
import sys
import zipfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from eatlas.decoding import decoded, json_value
from eatlas.errors import SourceError, listed
from eatlas.notes import Note
from eatlas.sources.archives import (
    Content,
    FileDigest,
    Stamp,
    archive_errors,
    check_growth,
    faults_of_library,
    library,
)
from eatlas.sources.interface import CHUNK, Vector
from eatlas.sources.memory import MAX_COMPONENTS, ArraySource, Chunk, check_finite
from eatlas.sources.source import VectorTable
from eatlas.sources.spec import choice, model_at
from eatlas.untrusted import require_trust

_READ_STRINGS = """import h5py, json, sys
words = h5py.File(sys.argv[1])[sys.argv[2]][()]
print(json.dumps([word.decode() for word in words.tolist()]))"""
_PATIENCE = 30
"""Seconds for them, and one more for each megabyte of the file."""
_OBJECTS = "save words with np.array(words, dtype='U'), vectors as float32"
_BESIDE = (".vocab", ".vocab.txt", ".vocab.json", "-vocab.txt", "-vocab.pkl")


class MatrixSource(ArraySource):
    """Words with rows of an array, of files; a mapped array is read where it is needed."""

    def __init__(
        self, words: Sequence[str], array: NDArray[Any], *, name: str, files: Sequence[Path]
    ) -> None:
        VectorTable.__init__(self, name)  # nothing is read yet
        check_matrix(array.shape, array.dtype, name)
        if len(words) != len(array):
            raise SourceError(
                f"{name}: the vocabulary does not fit the vectors",
                got=f"{len(words)} words, {len(array)} vectors",
                allowed="one word for each vector",
                remedy="check that both files belong together, one word a line and no header",
            )
        self._words, self._vectors = words, array
        self._stamps = [(path, Stamp.of(path)) for path in files]
        self._digest = FileDigest(self._stamps)

    @property
    def fingerprint(self) -> str:  # hashed by a thread
        """Hash of the bytes of all files."""
        return f"sha256:{self._digest.result()}"

    def floats(self, rows: Any) -> NDArray[np.floating]:
        """Some rows as float32, or as float64 where that or whole numbers are stored."""
        self._check_unchanged()  # to touch a mapped file that was cut would end the process
        return as_floats(np.asarray(self._vectors[rows]))

    def lookup(self, keys: Collection[str]) -> Mapping[str, Vector]:
        """Return the vectors of those keys that have one."""
        found = super().lookup(keys)
        self._check_unchanged()
        return found

    def iter_chunks(self, rows: int = CHUNK, /) -> Iterator[Chunk]:
        """Every word and vector, `rows` rows at a time."""
        for words, vectors in super().iter_chunks(rows):
            check_finite(vectors, f"{self.name}, between {words[0]!r} and {words[-1]!r}")
            yield Chunk(words, vectors)

    def _check_unchanged(self) -> None:
        for path, stamp in self._stamps:
            stamp.check(path)


def as_floats(rows: NDArray[Any]) -> NDArray[np.floating]:
    """Rows as float32, or as float64 where that is how they are stored."""
    wide = rows.dtype.kind in "iu" or rows.dtype.itemsize > 4
    return np.ascontiguousarray(rows, np.float64 if wide else np.float32)


def check_matrix(shape: Sequence[int], dtype: np.dtype[Any], label: str) -> None:
    """Refuse what is no matrix of numbers."""
    if len(shape) != 2 or dtype.kind not in "fiu" or 0 in shape or shape[1] > MAX_COMPONENTS:
        raise SourceError(
            f"{label}: this is not an array of vectors",
            got=f"{dtype}, shape {tuple(shape)}",
            allowed=f"numbers, shape (words, components), to {MAX_COMPONENTS:,} components",
        )


def part_of(
    label: str, what: str, parts: Mapping[str, object], fit: Collection[str], name: str | None
) -> str:
    """The part of a file that holds something: the one with the name, or the only one that can."""
    chosen = [name or what] if (name or what) in fit else [] if name else list(fit)
    if len(chosen) == 1:
        return chosen[0]
    raise SourceError(
        f"{label}: no single part of this file holds the {what}",
        got=name or listed(f"{key} ({facts})" for key, facts in parts.items()) or "nothing",
        allowed=listed(fit) or ("strings" if what == "words" else "numbers"),
        remedy=f"name it: {label}?{what}=NAME",
    )


# --- numpy, safetensors, HDF5 ---------------------------------------------------------------------


def open_npy(content: Content, options: Mapping[str, str], name: str) -> MatrixSource:
    """Open an array and the vocabulary that belongs to it."""
    return array_with_words(content.path, options.get("vocab"), name)


def array_with_words(path: Path, vocabulary: str | None, name: str) -> MatrixSource:
    """Map an array whose words are in a file of their own."""
    Stamp.of(path)
    with faults_of_library(path, "this array"):
        array = np.load(path, mmap_mode="r", allow_pickle=False)
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
    numbers = [key for key, array in parts.items() if array.dtype.kind in "fiu"]
    shapes = {array.shape for array in parts.values()}
    if len(numbers) == len(parts) and len(shapes) == 1 and len(min(shapes)) == 1 and not options:
        return MatrixSource(list(parts), np.stack(list(parts.values())), name=name, files=files)
    kinds = {key: f"{array.dtype}, shape {array.shape}" for key, array in parts.items()}
    matrices = [key for key in numbers if parts[key].ndim == 2]
    vectors = parts[part_of(str(path), "vectors", kinds, matrices, options.get("vectors"))]
    texts = [key for key, array in parts.items() if array.dtype.kind in "US" and array.ndim == 1]
    if "vocab" in options or not (texts or "words" in options):
        vocabulary = beside(path, options.get("vocab"))
        words, files = read_vocabulary(vocabulary), [path, vocabulary]
    else:
        column = parts[part_of(str(path), "words", kinds, texts, options.get("words"))]
        with faults_of_library(path, "the array of words (UTF-8)"):
            raw = column.dtype.kind == "S"
            words = (np.strings.decode(column, "utf-8") if raw else column).tolist()
    return MatrixSource(words, vectors, name=name, files=files)


def open_safetensors(content: Content, options: Mapping[str, str], name: str) -> MatrixSource:
    """Read a tensor of vectors; the vocabulary belongs to it."""
    from safetensors import safe_open  # noqa: PLC0415  (only this format needs it)

    path = content.path
    with (
        faults_of_library(path, "this safetensors file"),
        safe_open(path, framework="numpy") as file,
    ):
        shapes = {key: file.get_slice(key).get_shape() for key in file.keys()}  # noqa: SIM118
        matrices = [key for key, shape in shapes.items() if len(shape) == 2]
        key = options.get("tensor") or (matrices[0] if len(matrices) == 1 else "")
        if key not in shapes:
            model = model_at(path)
            raise SourceError(
                f"{path}: no single tensor holds the vectors",
                got=key or listed(shapes) or "no tensors",
                allowed=f"one of {listed(matrices)}"
                if matrices
                else "a tensor (words, components)",
                remedy=f"for the model in its folder: {model}"
                if model
                else f"name it: {path}?tensor=NAME",
            )
        array = file.get_tensor(key)
    words = beside(path, options.get("vocab"))
    return MatrixSource(read_vocabulary(words), array, name=name, files=(path, words))


def _strings(path: Path, key: str) -> list[str]:
    """Read strings by a process of its own: of a damaged file, HDF5 reads them forever."""
    command = [sys.executable, "-c", _READ_STRINGS, str(path), key]
    seconds = _PATIENCE + path.stat().st_size // 1_000_000
    try:
        done = subprocess.run(command, capture_output=True, timeout=seconds, check=False)  # noqa: S603
    except subprocess.TimeoutExpired as error:
        raise ValueError(f"its strings could not be read in {seconds} seconds") from error
    if done.returncode:
        raise ValueError(done.stderr.decode(errors="replace").strip().rpartition("\n")[2])
    words: list[str] = json.loads(done.stdout)
    return words


def open_hdf5(content: Content, options: Mapping[str, str], name: str) -> MatrixSource:
    """Open an array with as many strings, or a vector for each name, as sent-bias stores them."""
    path = content.path
    h5py = library("h5py", str(path), "HDF5")
    sets: dict[str, Any] = {}

    def visit(key: str, item: Any) -> None:
        if hasattr(item, "dtype"):
            sets[key] = item

    with faults_of_library(path, "this HDF5 file"), h5py.File(path) as file:
        file.visititems(visit)  # links to other files are not followed
        if any(item.is_virtual or item.external for item in sets.values()):
            raise SourceError(f"{path}: a data set takes its content from other files")
        check_growth(str(path), sum(item.nbytes for item in sets.values()), content.stamp.size)
        numbers = {key: item for key, item in sets.items() if item.dtype.kind in "fiu"}
        flat = all(item.size == max(item.shape or (0,)) for item in numbers.values())
        if numbers and flat and not options:
            # below the group of the term; a slash in a sentence makes more groups
            words = [key.partition("/")[2] or key for key in numbers]
            rows = np.stack([np.ravel(item[()]) for item in numbers.values()])
        else:
            matrices = [key for key, item in numbers.items() if item.ndim == 2]
            rows = sets[part_of(str(path), "vectors", sets, matrices, options.get("vectors"))][()]
            texts = [
                key
                for key, item in sets.items()
                if item.shape == rows.shape[:1]
                and (item.dtype.kind == "S" or h5py.check_string_dtype(item.dtype))
            ]
            key = part_of(str(path), "words", sets, texts, options.get("words"))
            fixed = sets[key].dtype.kind == "S"
            words = [w.decode() for w in sets[key][()].tolist()] if fixed else _strings(path, key)
    return MatrixSource(words, rows, name=name, files=(path,))


# --- vocabularies ---------------------------------------------------------------------------------


def beside(path: Path, name: str | None) -> Path:
    """The vocabulary that belongs to a file: the one with the name, or ``NAME.vocab`` beside it."""
    if name is not None:
        places = [Path(name), path.parent / name]
    else:
        bases = (path.with_suffix(""), path)
        places = [base.with_name(base.name + end) for base in bases for end in _BESIDE]
    vocabulary = next((place for place in places if place.is_file()), None)
    if vocabulary is not None:
        return vocabulary
    raise SourceError(
        f"{path}: the vocabulary is not there",
        got=name or f"no {places[0].name} beside it",
        allowed="a file with one word a line, or a list of words as JSON",
        remedy=f"name it: {path}?vocab=FILE",
    )


def read_vocabulary(path: Path) -> Sequence[str]:
    """Words of the rows: one a line; JSON, a list or a dict to rows; HistWords' pickled list."""
    Stamp.of(path)
    data, suffix = path.read_bytes(), path.suffix.lower()
    if suffix == ".json":
        try:
            return as_words(json_value(data), str(path))
        except ValueError as error:
            raise SourceError(f"{path}: this is not JSON", got=str(error)) from error
    if suffix in {".pkl", ".pickle"}:
        return pickled_words(data, str(path))
    lines = decoded(data, str(path), SourceError).split("\n")
    return [line.rstrip("\r") for line in (lines if lines[-1] else lines[:-1])]


def as_words(value: Any, label: str) -> Sequence[str]:
    """A list of words, or a dict from words to rows, as a list in the order of the rows."""
    if isinstance(value, dict):
        rows = list(value.values())
        if any(type(row) is not int for row in rows) or sorted(rows) != list(range(len(rows))):
            raise SourceError(
                f"{label}: the rows of the words are not 0, 1, 2, ...", allowed="each row once"
            )
        value = sorted(value, key=value.__getitem__)
    if isinstance(value, list) and all(isinstance(word, str) for word in value):
        return value
    raise SourceError(
        f"{label}: this is not a vocabulary",
        got=type(value).__name__,
        allowed="a list of words, or a dict from words to rows",
    )


class _Words(pickle._Unpickler):  # that of C takes any instruction
    """Reads texts and lists; any other instruction of pickles, above all code, is not known."""

    dispatch: ClassVar = {
        code: pickle._Unpickler.dispatch[code] for code in b"\x80\x95qrp\x94]l(aeXUTVS.\x8c\x8d"
    }


def pickled_words(data: bytes, label: str) -> list[str]:
    """Words of a pickled list of texts, as HistWords publishes them, read without running it."""
    words: Any = None
    with suppress(Exception):  # whatever a damaged pickle makes of it
        words = _Words(io.BytesIO(data), encoding="utf-8").load()
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise SourceError(
            f"{label}: this is not a pickled list of words",
            allowed="a list of texts, as HistWords publishes them; nothing in a pickle is run",
            remedy="save the words one a line, or as JSON",
        )
    return words


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
    path, install = content.path, "pip install 'eatlas[gensim]'"
    fasttext = library("gensim.models.fasttext", str(path), "fastText's .bin", install)
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
    source = SubwordSource(words, keyed.vectors, name=name, files=files)
    source.keyed = keyed
    return source


class SubwordSource(MatrixSource):
    """A model of fastText that also gives words outside its vocabulary a vector, of n-grams."""

    keyed: Any
    composed: frozenset[str] = frozenset()

    @property
    def notes(self) -> tuple[Note, ...]:
        """Duplicates, and words whose vector was made of n-grams."""
        if not self.composed:
            return super().notes
        values = {"source": self.name, "words": sorted(self.composed), "most": 10}
        return (*super().notes, Note("coverage.subwords", values=values))

    def lookup(self, keys: Collection[str]) -> Mapping[str, Vector]:
        """Return the vectors of those keys that have one, or can be given one."""
        vectors = dict(super().lookup(keys))
        spelled = {key.casefold() for key in vectors}
        # what holds a space is a phrase or a sentence: no n-gram with a space was ever trained
        for key in (key for key in keys if not any(map(str.isspace, key))):
            if key.casefold() in spelled or not (vector := self.keyed.get_vector(key)).any():
                continue
            check_finite(vector, f"{self.name}, the n-grams of {key!r}")
            vectors[key] = vector
            self.composed |= {key.casefold()}
        return vectors
