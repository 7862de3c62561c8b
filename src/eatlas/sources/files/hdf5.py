"""HDF5: an array with words beside it, or a vector for each name, as sent-bias stores encodings."""

from __future__ import annotations

import mmap
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SourceError
from eatlas.sources.archives import Content, check_growth
from eatlas.sources.files.dialects import decode
from eatlas.sources.files.matrix import (
    Matrix,
    MatrixSource,
    as_floats,
    check_matrix,
    part_of,
    rows_at_once,
)
from eatlas.sources.files.on_disk import Stamp, faults_of_library, incomplete, library, open_binary

_MAX_NAMES = 1_000_000
_WORD = 64
"""Bytes that a word takes in memory, at least."""


# Strings lie in heaps elsewhere in the file; in a damaged one the library looks for the next object
# without end (3 of 400 files damaged at random, HDF5 2.0), so the heaps are walked first.
_HEAP = b"GCOL\x01\x00\x00\x00"
_HEAD = 16  # of a heap, and of an object in it
_READ_AT_ONCE = 65_536
_BYTES_AT_ONCE = 1 << 28
_AGAIN = "get it again, or write it anew with words in UTF-8"


@dataclass(frozen=True)
class DatasetMatrix(Matrix):
    """Rows of a data set."""

    path: Path
    dataset: str
    shape: tuple[int, int]

    def take(self, rows: Sequence[int]) -> NDArray[np.floating]:
        """Rows in ascending order, shape (len(rows), dim), read one at a time."""
        with opened(self.path) as file:
            data = file[self.dataset]
            return as_floats(np.array([data[row] for row in rows]))

    def blocks(self, size: int) -> Iterator[NDArray[np.floating]]:
        """All rows in order, at most `size` at a time, of a file that is opened once."""
        with opened(self.path) as file:
            data = file[self.dataset]
            size = rows_at_once(size, self.shape[1])
            for start in range(0, self.shape[0], size):
                yield as_floats(data[start : start + size])


@dataclass(frozen=True)
class NamedMatrix(Matrix):
    """Data sets of one vector each."""

    path: Path
    datasets: Sequence[str]
    shape: tuple[int, int]

    def take(self, rows: Sequence[int]) -> NDArray[np.floating]:
        """Rows in ascending order, shape (len(rows), dim)."""
        with opened(self.path) as file:
            return as_floats(np.array([np.ravel(file[self.datasets[row]][()]) for row in rows]))


def open_hdf5(content: Content, options: Mapping[str, str], name: str) -> MatrixSource:
    """Open the vectors of an HDF5 file."""
    path = content.path
    with opened(path) as file:
        found = _datasets(file, path)
        words, matrix = _named(file, path, found, options) or _array(file, path, found, options)
    return MatrixSource(words, matrix, name=name, files=(path,))


@contextmanager
def opened(path: Path) -> Iterator[Any]:
    """Open a file; faults of the library become a SourceError."""
    h5py = library("h5py", str(path), "HDF5")
    with faults_of_library(path, "this HDF5 file"), h5py.File(path, "r") as file:
        yield file


@dataclass(frozen=True)
class _Facts:
    shape: tuple[int, ...]
    kind: str  # "number", "text" or "object"

    def __str__(self) -> str:
        return f"{self.kind}, shape {self.shape}"


def _datasets(file: Any, path: Path) -> dict[str, _Facts]:
    """Every data set by its full name; links to other files are not followed."""
    found: dict[str, _Facts] = {}
    groups, entered = deque([("", file)]), {_address(file)}
    while groups:
        prefix, group = groups.popleft()
        for key in group:
            if type(group.get(key, getlink=True)).__name__ != "HardLink":
                continue
            item, name = group[key], f"{prefix}{key}"
            if len(found) >= _MAX_NAMES:
                raise SourceError(
                    f"{path}: there are too many data sets",
                    allowed=f"at most {_MAX_NAMES:,}",
                    remedy="store the vectors as one array, and their words as another",
                )
            if hasattr(item, "shape"):
                _check_own(item, f"{path}, /{name}")
                found[name] = _Facts(tuple(item.shape or ()), _kind(item))
            elif _address(item) not in entered:  # groups may hold each other
                entered.add(_address(item))
                groups.append((f"{name}/", item))
    return found


def _check_own(item: Any, label: str) -> None:
    """Refuse a data set whose numbers are in another file, which no fingerprint would cover."""
    storage = item.id.get_create_plist()
    virtual = library("h5py", "", "HDF5").h5d.VIRTUAL
    if storage.get_external_count() or storage.get_layout() == virtual:
        raise SourceError(
            f"{label}: this data set takes its content from other files",
            got="external storage" if storage.get_external_count() else "a virtual data set",
            allowed="data sets that hold their own numbers or words",
            remedy="copy it into a file of its own, for example with h5repack or h5py",
        )


def _check_size(item: Any, label: str, packed: int, least: int = 0) -> None:
    """Refuse a data set, or a chunk of it, beyond all proportion to the file."""
    width = max(int(item.dtype.itemsize), least)
    check_growth(label, prod(item.shape) * width, packed)
    if item.chunks:
        check_growth(f"{label}, one chunk", prod(item.chunks) * int(item.dtype.itemsize), packed)


def _address(group: Any) -> int:
    return int(library("h5py", "", "HDF5").h5o.get_info(group.id).addr)


def _kind(item: Any) -> str:
    if item.dtype.kind in "fiu":
        return "number"
    strings = library("h5py", "", "HDF5").check_string_dtype(item.dtype) is not None
    return "text" if strings or item.dtype.kind == "S" else "object"


def _named(
    file: Any, path: Path, found: Mapping[str, _Facts], options: Mapping[str, str]
) -> tuple[list[str], Matrix] | None:
    """Vectors in data sets of their own, as sent-bias has them: ``/targ1/This is a rose.``.

    It also puts the name of a concept into each group, as ``/targ1/category``.
    """
    numbers = {name: facts.shape for name, facts in found.items() if facts.kind == "number"}
    others = [facts for name, facts in found.items() if name not in numbers]
    flat = all(len(shape) == 1 or (len(shape) == 2 and shape[0] == 1) for shape in numbers.values())
    if options or not numbers or not flat or any(f.kind != "text" or f.shape for f in others):
        return None
    sizes = {int(np.prod(shape)) for shape in numbers.values()}
    if len(sizes) > 1:
        raise SourceError(
            f"{path}: vectors differ in length", got=", ".join(map(str, sorted(sizes)[:10]))
        )
    label, packed = f"{path}, all data sets", Stamp.of(path).size
    check_matrix((len(numbers), *sizes), np.dtype(np.float64), label)
    check_growth(label, len(numbers) * next(iter(sizes)) * 8, packed)
    for name in numbers:
        _check_size(file[name], f"{path}, /{name}", packed)
    # the group (targ1, attr2, ...) is no part of the term, but a slash in a sentence makes more
    names = [name.partition("/")[2] or name for name in numbers]
    return names, NamedMatrix(path, list(numbers), (len(numbers), sizes.pop()))


def _array(
    file: Any, path: Path, found: Mapping[str, _Facts], options: Mapping[str, str]
) -> tuple[Sequence[str], Matrix]:
    """Vectors in one data set and words in another."""
    named = {what: name.strip("/") for what, name in options.items()}
    expected = "numbers of shape (words, components), and as many strings"
    if any(facts.kind == "object" for facts in found.values()):
        expected += "; Python objects are not read"

    def chosen(what: str, fits: Callable[[_Facts], bool]) -> str:
        fit = [name for name, facts in found.items() if fits(facts)]
        return part_of(str(path), "data set", what, found, fit, named.get(what), expected)

    vectors = chosen("vectors", lambda f: f.kind == "number" and len(f.shape) == 2)
    shape = (found[vectors].shape[0], found[vectors].shape[1])
    # as many as there are vectors, unless they are named
    lists = [f.shape for f in found.values() if len(f.shape) == 1 and "words" in named]
    words = chosen("words", lambda f: f.kind == "text" and f.shape in (shape[:1], *lists))
    packed = Stamp.of(path).size
    check_matrix(shape, file[vectors].dtype, f"{path}, /{vectors}")
    _check_size(file[vectors], f"{path}, /{vectors}", packed)
    _check_size(file[words], f"{path}, /{words}", packed, _WORD)
    return read_strings(file[words], path), DatasetMatrix(path, vectors, shape)


def read_strings(dataset: Any, path: Path) -> list[str]:
    """Read all strings of a data set."""
    if dataset.dtype.kind == "O":
        _check_heaps(path)
    words = []
    size, packed = 0, Stamp.of(path).size
    step = _at_once(dataset, packed)
    for start in range(0, dataset.shape[0], step):
        for row, word in enumerate(dataset[start : start + step].tolist(), start):
            raw = word.encode("utf-8", "surrogateescape") if isinstance(word, str) else word
            words.append(decode(raw, "utf-8", f"{path}, word {row + 1}", _AGAIN))
            size += len(raw)
        check_growth(f"{path}, the words", size, packed)
    return words


def _at_once(dataset: Any, packed: int) -> int:
    """How many words are read at once.

    The lengths of words in compressed chunks are not known beforehand, and many of them may be one
    and the same long word.
    """
    if dataset.dtype.kind == "O" and dataset.id.get_create_plist().get_nfilters():
        return max(64, min(_READ_AT_ONCE, _BYTES_AT_ONCE // packed))
    return _READ_AT_ONCE


def _check_heaps(path: Path) -> None:
    """Refuse a file in whose heaps the library would look for the next object without end."""
    with open_binary(path) as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        start = data.find(_HEAP)
        while start >= 0:
            length = int.from_bytes(data[start + 8 : start + _HEAD], "little")
            end, at = start + length, start + _HEAD
            if not _HEAD <= length <= len(data) - start:
                raise _damaged_words(path, f"a heap of {length:,} bytes at {start:,}")
            while at + _HEAD <= end:
                head = data[at : at + _HEAD]
                used = int.from_bytes(head[8:], "little")
                step = _HEAD + (used + 7) // 8 * 8 if any(head[:2]) else used
                if not 0 < step <= end - at:
                    found = f"an object of {step:,} bytes in the heap at {start:,}"
                    raise _damaged_words(path, found)
                at += step
            start = data.find(_HEAP, start + 1)


def _damaged_words(path: Path, got: str) -> SourceError:
    return incomplete(f"{path}: the words of this HDF5 file are damaged", got)
