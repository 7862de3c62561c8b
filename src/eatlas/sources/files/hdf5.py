"""HDF5: an array with words beside it, or a vector for each name, as sent-bias stores encodings."""

from __future__ import annotations

import importlib
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SourceError
from eatlas.sources.archives import check_growth
from eatlas.sources.files.hdf5_strings import read_strings
from eatlas.sources.files.matrix import Matrix, MatrixSource, as_floats, check_matrix, rows_at_once
from eatlas.sources.files.reading import Stamp

MAGIC = b"\x89HDF\r\n\x1a\n"
OPTIONS = {"vectors": "name of the data set of vectors", "words": "name of the data set of words"}
_BLOCK_BYTES = 32 << 20
_MAX_NAMES = 1_000_000
_WORD = 64
"""Bytes that a word takes in memory, at least."""


@dataclass(frozen=True)
class DatasetMatrix:
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
        """All rows in order, at most `size` at a time."""
        with opened(self.path) as file:
            data = file[self.dataset]
            size = rows_at_once(size, self.shape[1])
            for start in range(0, self.shape[0], size):
                yield as_floats(data[start : start + size])


@dataclass(frozen=True)
class NamedMatrix:
    """Data sets of one vector each."""

    path: Path
    datasets: Sequence[str]
    dim: int

    @property
    def shape(self) -> tuple[int, int]:
        """Vectors and components."""
        return len(self.datasets), self.dim

    def take(self, rows: Sequence[int]) -> NDArray[np.floating]:
        """Rows in ascending order, shape (len(rows), dim)."""
        with opened(self.path) as file:
            return as_floats(np.array([np.ravel(file[self.datasets[row]][()]) for row in rows]))

    def blocks(self, size: int) -> Iterator[NDArray[np.floating]]:
        """All rows in order, at most `size` at a time."""
        for start in range(0, len(self.datasets), size):
            yield self.take(range(start, min(start + size, len(self.datasets))))


def open_hdf5(path: Path, options: Mapping[str, str], name: str) -> MatrixSource:
    """Open the vectors of an HDF5 file.

    Raises
    ------
    SourceError
        If the file is damaged, or does not say where words and vectors are.
    """
    with opened(path) as file:
        found = _datasets(file, path)
        words, matrix = _named(file, path, found, options) or _array(file, path, found, options)
    return MatrixSource(words, matrix, name=name, files=(path,))


@contextmanager
def opened(path: Path) -> Iterator[Any]:
    """Open a file, and say what the library raises as a SourceError."""
    try:
        h5py: Any = importlib.import_module("h5py")
    except ImportError as error:
        raise SourceError(
            f"{path}: h5py is needed to read HDF5", remedy="pip install 'eatlas[files]'"
        ) from error
    try:
        with h5py.File(path, "r") as file:
            yield file
    except SourceError:
        raise
    except (OSError, RuntimeError, KeyError, ValueError, TypeError, MemoryError) as error:
        raise SourceError(
            f"{path}: this HDF5 file is damaged, or of a kind that cannot be read",
            got=str(error)[:200],
            remedy="get it again; the copy is probably incomplete",
        ) from error


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
            item, name = group[key], f"{prefix}/{key}"
            if len(found) >= _MAX_NAMES:
                raise SourceError(
                    f"{path}: there are too many data sets",
                    allowed=f"at most {_MAX_NAMES:,}",
                    remedy="store the vectors as one array, and their words as another",
                )
            if hasattr(item, "shape"):
                _check_own(item, f"{path}, {name}")
                found[name] = _Facts(tuple(item.shape or ()), _kind(item))
            elif _address(item) not in entered:  # groups may hold each other
                entered.add(_address(item))
                groups.append((name, item))
    return found


def _check_own(item: Any, label: str) -> None:
    """Refuse a data set whose numbers lie in another file, which no fingerprint would cover."""
    storage = item.id.get_create_plist()
    virtual = importlib.import_module("h5py").h5d.VIRTUAL
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
    return int(importlib.import_module("h5py").h5o.get_info(group.id).addr)


def _kind(item: Any) -> str:
    if item.dtype.kind in "fiu":
        return "number"
    strings = importlib.import_module("h5py").check_string_dtype(item.dtype) is not None
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
        _check_size(file[name], f"{path}, {name}", packed)
    # the group (targ1, attr2, ...) is no part of the term, but a slash in a sentence makes more
    names = [name.split("/", 2)[-1] if name.count("/") > 1 else name[1:] for name in numbers]
    return names, NamedMatrix(path, list(numbers), sizes.pop())


def _array(
    file: Any, path: Path, found: Mapping[str, _Facts], options: Mapping[str, str]
) -> tuple[Sequence[str], Matrix]:
    vectors = _asked(found, options, "vectors", path) or _only(
        path, found, "vectors", lambda f: f.kind == "number" and len(f.shape) == 2
    )
    facts = found[vectors]
    if facts.kind != "number" or len(facts.shape) != 2:
        raise _unfit(path, found, "vectors")
    words = _asked(found, options, "words", path) or _only(
        path, found, "words", lambda f: f.kind == "text" and f.shape == facts.shape[:1]
    )
    if found[words].kind != "text" or len(found[words].shape) != 1:
        raise _unfit(path, found, "words")
    packed = Stamp.of(path).size
    check_matrix(facts.shape, file[vectors].dtype, f"{path}, {vectors}")
    _check_size(file[vectors], f"{path}, {vectors}", packed)
    _check_size(file[words], f"{path}, {words}", packed, _WORD)
    return read_strings(file[words], path), DatasetMatrix(
        path, vectors, (facts.shape[0], facts.shape[1])
    )


def _asked(
    found: Mapping[str, _Facts], options: Mapping[str, str], what: str, path: Path
) -> str | None:
    if what not in options:
        return None
    name = "/" + options[what].strip("/")
    if name not in found:
        raise SourceError(
            f"{path}: there is no such data set", got=options[what], allowed=_listed(found)
        )
    return name


def _only(path: Path, found: Mapping[str, _Facts], what: str, fits: Any) -> str:
    fit = [name for name, facts in found.items() if fits(facts)]
    if len(fit) == 1:
        return fit[0]
    raise _unfit(path, found, what)


def _unfit(path: Path, found: Mapping[str, _Facts], what: str) -> SourceError:
    objects = any(facts.kind == "object" for facts in found.values())
    return SourceError(
        f"{path}: no single data set holds the {what}",
        got=_listed(found) or "no data sets",
        allowed="numbers of shape (words, components), and as many strings; Python objects "
        "are not read"
        if objects
        else "numbers of shape (words, components), and as many strings",
        remedy=f"name it: {path}?{what}=NAME",
    )


def _listed(found: Mapping[str, _Facts]) -> str:
    return ", ".join(f"{name[1:]} ({facts})" for name, facts in list(found.items())[:20])
