"""Arrays with a vocabulary: ``.npy`` and safetensors, mapped, ``.npz``, and spaCy's tables.

A head is checked before anything is believed.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from math import prod
from pathlib import Path
from typing import Any, BinaryIO, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eatlas.decoding import json_value
from eatlas.errors import SourceError
from eatlas.sources.archives import Content, archive_errors, check_growth, zip_member
from eatlas.sources.files.matrix import (
    ArrayMatrix,
    Matrix,
    MatrixSource,
    StreamMatrix,
    check_matrix,
    part_of,
)
from eatlas.sources.files.on_disk import Stamp, incomplete, library, open_binary, unreadable
from eatlas.sources.files.words import Words, as_words, beside, open_vocabulary
from eatlas.sources.spec import model_at

_NPY_HEAD = 1 << 16
_TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2"}


# --- npy ------------------------------------------------------------------------------------------


class ArrayHead(NamedTuple):
    """What the head of an array says, and where its data begin."""

    shape: tuple[int, ...]
    dtype: np.dtype[np.generic]
    fortran: bool
    start: int

    @property
    def size(self) -> int:
        """Bytes of the data."""
        return self.dtype.itemsize * prod(self.shape)

    def __str__(self) -> str:
        return f"{self.dtype}, shape {self.shape}"


def open_npy(content: Content, options: Mapping[str, str], name: str) -> MatrixSource:
    """Open an array and the vocabulary that belongs to it."""
    return array_with_words(content.path, options.get("vocab"), name)


def array_with_words(path: Path, vocabulary: str | None, name: str) -> MatrixSource:
    """Map an array whose words are in a file of their own."""
    array = map_array(path)
    check_matrix(array.shape, array.dtype, str(path))
    words = beside(path, vocabulary)
    return MatrixSource(open_vocabulary(words), ArrayMatrix(array), name=name, files=(path, words))


def map_array(path: Path) -> NDArray[Any]:
    """Map an array: its rows are read when they are needed."""
    with open_binary(path) as file:
        head = read_head(file, str(path))
    have = Stamp.of(path).size - head.start
    if have < head.size:
        announced = f"{head.size:,} bytes, as its head announces: {head.dtype}, {head.shape}"
        raise incomplete(f"{path}: the array ends early", f"{have:,} bytes of data", announced)
    if not head.size:
        return np.empty(head.shape, head.dtype)
    return mapped(path, head.dtype, head.start, head.shape, "F" if head.fortran else "C")


def mapped(
    path: Path,
    dtype: np.dtype[Any],
    start: int,
    shape: tuple[int, ...],
    order: Literal["F", "C"] = "C",
) -> NDArray[Any]:
    """Map a part of a file as an array."""
    try:
        array: NDArray[Any] = np.memmap(path, dtype, "r", start, shape, order)
    except OSError as error:  # a process that may not have so much address space
        raise unreadable(path, error) from error
    return array


def read_head(file: BinaryIO, label: str) -> ArrayHead:
    """Read the head of an array."""
    try:
        # what follows the version may announce a head of 4 GiB, and numpy would read it
        start = io.BytesIO(file.read(_NPY_HEAD))
        version = np.lib.format.read_magic(start)
        reader = np.lib.format.read_array_header_1_0
        if version != (1, 0):
            reader = np.lib.format.read_array_header_2_0
        shape, fortran, dtype = reader(start)
    except Exception as error:  # numpy raises ValueError and, for odd heads, half a dozen others
        raise SourceError(
            f"{label}: the head of the array cannot be read", got=str(error)[:200]
        ) from error
    if dtype.hasobject:
        raise SourceError(
            f"{label}: the array holds Python objects, which only a pickle can restore",
            allowed="arrays of numbers; words as numpy strings",
            remedy="save words with np.array(words, dtype='U'), vectors as float32",
        )
    if dtype.fields is not None or dtype.itemsize == 0 or any(length < 0 for length in shape):
        raise SourceError(f"{label}: this is not a plain array", got=f"{dtype}, shape {shape}")
    return ArrayHead(shape, dtype, fortran, start.tell())


# --- npz ------------------------------------------------------------------------------------------


def open_npz(content: Content, options: Mapping[str, str], name: str) -> MatrixSource:
    """Open an array of vectors and one of words, or a named vector for each word."""
    path = content.path
    heads = _heads(path)
    if _is_one_vector_a_word(heads) and not options:
        rows = ArrayMatrix(_read_rows(path, heads))
        return MatrixSource(list(heads), rows, name=name, files=(path,))
    vectors = _part(path, heads, "vectors", "fiu", 2, options)
    head = heads[vectors]
    check_matrix(head.shape, head.dtype, f"{path}, {vectors}")
    check_growth(f"{path}, {vectors}", head.size, Stamp.of(path).size)
    words, files = _words(path, heads, options)
    return MatrixSource(words, _matrix(path, vectors, head), name=name, files=files)


def _words(
    path: Path, heads: Mapping[str, ArrayHead], options: Mapping[str, str]
) -> tuple[Words, Sequence[Path]]:
    """The words, and the files that they and the vectors are read from."""
    has_words = any(head.dtype.kind in "US" for head in heads.values())
    if "vocab" in options or not (has_words or "words" in options):
        vocabulary = beside(path, options.get("vocab"))
        return open_vocabulary(vocabulary), (path, vocabulary)
    key = _part(path, heads, "words", "US", 1, options)
    return as_words(_read(path, key, heads[key]), f"{path}, {key}"), (path,)


def _heads(path: Path) -> dict[str, ArrayHead]:
    """Heads of all arrays of an archive by name, checked against their sizes."""
    heads = {}
    with archive_errors(str(path)), zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            key = info.filename.removesuffix(".npy")
            with archive.open(info) as member:
                head = read_head(member, f"{path}, {key}")  # type: ignore[arg-type]
            if info.file_size - head.start != head.size:
                raise SourceError(
                    f"{path}, {key}: the array does not have the size that its head announces",
                    got=f"{info.file_size - head.start:,} bytes",
                    allowed=f"{head.size:,} bytes",
                )
            heads[key] = head
    return heads


def _is_one_vector_a_word(heads: Mapping[str, ArrayHead]) -> bool:
    first = next(iter(heads.values()))
    return all(
        len(head.shape) == 1 and head.shape == first.shape and head.dtype.kind in "fiu"
        for head in heads.values()
    )


def _part(
    path: Path,
    heads: Mapping[str, ArrayHead],
    what: str,
    kinds: str,
    ndim: int,
    options: Mapping[str, str],
) -> str:
    """The name of the array that holds the vectors or the words."""
    fit = [k for k, h in heads.items() if h.dtype.kind in kinds and len(h.shape) == ndim]
    return part_of(str(path), "array", what, heads, fit, options.get(what))


def _read(path: Path, key: str, head: ArrayHead) -> NDArray[np.generic]:
    check_growth(f"{path}, {key}", head.size, Stamp.of(path).size)
    with zip_member(path, f"{key}.npy").open() as member:
        raw = member.read(head.start + head.size)[head.start :]
    flat = _whole(raw, head, f"{path}, {key}")
    return flat.reshape(head.shape, order="F" if head.fortran else "C")


def _read_rows(path: Path, heads: Mapping[str, ArrayHead]) -> NDArray[Any]:
    """All arrays, one below the other; the archive's list of members is read once for all."""
    first = next(iter(heads.values()))
    check_growth(str(path), len(heads) * first.size, Stamp.of(path).size)
    rows = np.empty((len(heads), *first.shape), np.result_type(*{h.dtype for h in heads.values()}))
    with archive_errors(str(path)), zipfile.ZipFile(path) as archive:
        for row, (key, head) in enumerate(heads.items()):
            with archive.open(f"{key}.npy") as member:
                raw = member.read(head.start + head.size)[head.start :]
            rows[row] = _whole(raw, head, f"{path}, {key}")
    return rows


def _whole(raw: bytes, head: ArrayHead, label: str) -> NDArray[Any]:
    if len(raw) < head.size:
        raise SourceError(f"{label}: the array ends early")
    return np.frombuffer(raw, head.dtype)


def _matrix(path: Path, key: str, head: ArrayHead) -> Matrix:
    if head.fortran:  # rows are not contiguous, so a stream of them would need it all
        return ArrayMatrix(_read(path, key, head))
    shape = head.shape[0], head.shape[1]
    member = zip_member(path, f"{key}.npy")
    return StreamMatrix(member, head.start, shape, head.dtype, f"{path}, {key}")


# --- safetensors ----------------------------------------------------------------------------------


def open_safetensors(content: Content, options: Mapping[str, str], name: str) -> MatrixSource:
    """Open a tensor of vectors and the vocabulary that belongs to it."""
    path = content.path
    head, start = _tensors(path)
    tensor = options.get("tensor") or _only_tensor(path, head)
    if tensor not in head:
        allowed = ", ".join(list(head)[:20])
        raise SourceError(f"{path}: there is no such tensor", got=tensor, allowed=allowed)
    facts, label = head[tensor], f"{path}, {tensor}"
    kind, shape = facts["dtype"], tuple(facts["shape"])
    if kind not in _TYPES:
        raise SourceError(
            f"{label}: numbers of this type cannot be read", got=kind, allowed=", ".join(_TYPES)
        )
    check_matrix(shape, np.dtype(_TYPES[kind]), label)
    array = mapped(path, np.dtype(_TYPES[kind]), start + facts["data_offsets"][0], shape)
    matrix = ArrayMatrix(array, _from_bfloat16) if kind == "BF16" else ArrayMatrix(array)
    words = beside(path, options.get("vocab"))
    return MatrixSource(open_vocabulary(words), matrix, name=name, files=(path, words))


def _tensors(path: Path) -> tuple[dict[str, Any], int]:
    """Facts about each tensor, which the format's library has checked; where the numbers begin."""
    from safetensors import SafetensorError, safe_open  # noqa: PLC0415  (only this format needs it)

    try:
        with safe_open(path, framework="numpy"), open_binary(path) as file:
            length = int.from_bytes(file.read(8), "little")
            head = json.loads(file.read(length))
    except (SafetensorError, OSError, ValueError, RecursionError) as error:
        what = f"{path}: the head of this safetensors file is damaged"
        raise incomplete(what, str(error)) from error
    head.pop("__metadata__", None)
    return head, 8 + length


def _only_tensor(path: Path, head: Mapping[str, Any]) -> str:
    """The name of the only matrix."""
    matrices = [name for name, facts in head.items() if len(facts["shape"]) == 2]
    if len(matrices) == 1:
        return matrices[0]
    model = model_at(path)
    named = f"name it: {path}?tensor=NAME" if matrices else None
    raise SourceError(
        f"{path}: no single tensor holds the vectors",
        got=", ".join(list(head)[:20]) or "no tensors",
        allowed="one tensor of shape (words, components)",
        remedy=f"for the model in its folder: {model}" if model else named,
    )


def _from_bfloat16(rows: NDArray[Any]) -> NDArray[np.floating]:
    """Numbers of bfloat16, the upper half of float32, which numpy does not know."""
    return (rows.astype(np.uint32) << 16).view(np.float32)


# --- spaCy ----------------------------------------------------------------------------------------

# In a folder ``vectors`` is an array, ``key2row`` a map from the key of a word to its row, and
# ``strings.json`` lists the words, but not those that are symbols of spaCy. spaCy gives the keys.
# Several words may share a row: that is how spaCy prunes a table.

_TABLE = "key2row"


def find_spacy(folder: Path) -> Path | None:
    """The folder with the vectors: this one, its ``vocab``, or that of the package in it."""
    places = [folder, folder / "vocab", *sorted(folder.glob("*/vocab"))]
    places += sorted(folder.glob("*/*/vocab"))
    return next((place for place in places if (place / _TABLE).is_file()), None)


def open_spacy(folder: Path, name: str) -> MatrixSource:
    """Open the vectors of a spaCy pipeline."""
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
    return SourceError(f"{path}: this is not a table of words and rows", got=got[:200])


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
        raise SourceError(f"{path}: this is not a list of words")
    try:
        "".join(words).encode()
    except UnicodeEncodeError as error:
        raise SourceError(f"{path}: a word is half a character", got=str(error)[:200]) from error
    return words


def _json(path: Path) -> Any:
    try:
        return json_value(path.read_bytes())
    except (OSError, ValueError) as error:
        raise SourceError(f"{path}: this is not JSON", got=str(error)[:200]) from error
