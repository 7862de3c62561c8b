"""``.npy`` arrays, mapped: a head that is checked before anything is believed."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any, BinaryIO, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SourceError
from eatlas.sources.files.matrix import ArrayMatrix, MatrixSource, check_matrix
from eatlas.sources.files.reading import Stamp, open_binary, unreadable
from eatlas.sources.files.words import beside, open_vocabulary

MAGIC = b"\x93NUMPY"
_MAX_HEAD = 1 << 16


class ArrayHead(NamedTuple):
    """What the head of an array says, and where its data begin."""

    shape: tuple[int, ...]
    dtype: np.dtype[np.generic]
    fortran: bool
    start: int

    @property
    def size(self) -> int:
        """Bytes of the data."""
        size = self.dtype.itemsize
        for length in self.shape:
            size *= length
        return size


def open_npy(path: Path, vocabulary: str | None, name: str) -> MatrixSource:
    """Open an array and the vocabulary that belongs to it."""
    array = map_array(path)
    check_matrix(array.shape, array.dtype, str(path))
    words = beside(path, vocabulary)
    return MatrixSource(open_vocabulary(words), ArrayMatrix(array), name=name, files=(path, words))


def map_array(path: Path) -> NDArray[Any]:
    """Map an array: its rows are read when they are asked for.

    Raises
    ------
    SourceError
        If it is damaged, ends early, or holds Python objects.
    """
    with open_binary(path) as file:
        head = read_head(file, str(path))
    have = Stamp.of(path).size - head.start
    if have < head.size:
        raise SourceError(
            f"{path}: the array ends early",
            got=f"{have:,} bytes of data",
            allowed=f"{head.size:,} bytes, as its head announces: {head.dtype}, {head.shape}",
            remedy="get it again; the copy is probably incomplete",
        )
    if not head.size:
        return np.empty(head.shape, head.dtype)
    order: Literal["F", "C"] = "F" if head.fortran else "C"
    try:
        mapped: NDArray[Any] = np.memmap(path, head.dtype, "r", head.start, head.shape, order)
    except OSError as error:  # a process that may not have so much address space
        raise unreadable(path, error) from error
    return mapped


def read_head(file: BinaryIO, label: str) -> ArrayHead:
    """Read the head of an array.

    Raises
    ------
    SourceError
        If it cannot be read, or the array is one of Python objects or of records.
    """
    try:
        # what follows the version may announce a head of 4 GiB, and numpy would read it
        start = io.BytesIO(file.read(_MAX_HEAD))
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
            f"{label}: the array holds Python objects, which only running its pickle could tell",
            allowed="arrays of numbers; words as numpy strings",
            remedy="save words with np.array(words, dtype='U'), vectors as float32",
        )
    if dtype.fields is not None or dtype.itemsize == 0 or any(length < 0 for length in shape):
        raise SourceError(f"{label}: this is no plain array", got=f"{dtype}, shape {shape}")
    return ArrayHead(shape, dtype, fortran, start.tell())
