"""``.npz``: an array of vectors and one of words, or a named vector for each word."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SourceError
from eatlas.sources.archives import check_growth, told
from eatlas.sources.files.matrix import (
    ArrayMatrix,
    Matrix,
    MatrixSource,
    StreamMatrix,
    check_matrix,
)
from eatlas.sources.files.npy import ArrayHead, read_head
from eatlas.sources.files.reading import Stamp
from eatlas.sources.files.words import Words, as_words, beside, open_vocabulary

OPTIONS = {
    "vocab": "file of words, one a line",
    "vectors": "name of the array of vectors",
    "words": "name of the array of words",
}


def open_npz(path: Path, options: Mapping[str, str], name: str) -> MatrixSource:
    """Open the vectors of an ``.npz`` file.

    Raises
    ------
    SourceError
        If it does not say which array holds vectors and which words.
    """
    heads = _heads(path)
    if _is_one_vector_a_word(heads) and not options:
        rows = ArrayMatrix(_read_rows(path, heads))
        return MatrixSource(list(heads), rows, name=name, files=(path,))
    vectors = options.get("vectors") or _only(path, heads, "vectors", "fiu", 2)
    head = _head(path, heads, vectors)
    check_matrix(head.shape, head.dtype, f"{path}, {vectors}")
    check_growth(f"{path}, {vectors}", head.size, Stamp.of(path).size)
    words, files = _words(path, heads, options)
    return MatrixSource(words, _matrix(path, vectors, head), name=name, files=files)


def _words(
    path: Path, heads: Mapping[str, ArrayHead], options: Mapping[str, str]
) -> tuple[Words, Sequence[Path]]:
    has_words = any(head.dtype.kind in "US" for head in heads.values())
    if "vocab" in options or not (has_words or "words" in options):
        vocabulary = beside(path, options.get("vocab"))
        return open_vocabulary(vocabulary), (path, vocabulary)
    key = options.get("words") or _only(path, heads, "words", "US", 1)
    return as_words(_read(path, key, _head(path, heads, key)), f"{path}, {key}"), (path,)


def _heads(path: Path) -> dict[str, ArrayHead]:
    heads = {}
    with told(str(path)), zipfile.ZipFile(path) as archive:
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


def _only(path: Path, heads: Mapping[str, ArrayHead], what: str, kinds: str, ndim: int) -> str:
    """The name of the one array that can hold `what`; among several, one called so."""
    fit = [k for k, h in heads.items() if h.dtype.kind in kinds and len(h.shape) == ndim]
    if what in fit or len(fit) == 1:
        return what if what in fit else fit[0]
    raise SourceError(
        f"{path}: no single array holds the {what}",
        got=", ".join(f"{k} ({h.dtype}, shape {h.shape})" for k, h in list(heads.items())[:20]),
        remedy=f"name it: {path}?{what}=NAME",
    )


def _head(path: Path, heads: Mapping[str, ArrayHead], key: str) -> ArrayHead:
    if key not in heads:
        raise SourceError(f"{path}: there is no such array", got=key, allowed=", ".join(heads))
    return heads[key]


def _read(path: Path, key: str, head: ArrayHead) -> NDArray[np.generic]:
    check_growth(f"{path}, {key}", head.size, Stamp.of(path).size)
    with _open(path, key, head) as member:
        raw = member.read(head.size)
    if len(raw) < head.size:
        raise SourceError(f"{path}, {key}: the array ends early")
    flat: NDArray[Any] = np.frombuffer(raw, head.dtype)
    return flat.reshape(head.shape, order="F" if head.fortran else "C")


def _read_rows(path: Path, heads: Mapping[str, ArrayHead]) -> NDArray[Any]:
    """All arrays, one below the other; the archive's list of members is read once for all."""
    first = next(iter(heads.values()))
    check_growth(str(path), len(heads) * first.size, Stamp.of(path).size)
    rows = np.empty((len(heads), *first.shape), np.result_type(*{h.dtype for h in heads.values()}))
    with told(str(path)), zipfile.ZipFile(path) as archive:
        for row, (key, head) in enumerate(heads.items()):
            with archive.open(f"{key}.npy") as member:
                raw = member.read(head.start + head.size)[head.start :]
            if len(raw) < head.size:
                raise SourceError(f"{path}, {key}: the array ends early")
            rows[row] = np.frombuffer(raw, head.dtype)
    return rows


def _matrix(path: Path, key: str, head: ArrayHead) -> Matrix:
    if head.fortran:  # rows do not stand together, so a stream of them would need it all
        return ArrayMatrix(_read(path, key, head))
    shape = head.shape[0], head.shape[1]
    return StreamMatrix(lambda: _open(path, key, head), shape, head.dtype, f"{path}, {key}")


def _open(path: Path, key: str, head: ArrayHead) -> BinaryIO:
    return _Member(path, key, head)  # type: ignore[return-value]


class _Member(io.RawIOBase):
    """The data of one array of the file."""

    def __init__(self, path: Path, key: str, head: ArrayHead) -> None:
        self._label = str(path)
        with told(self._label):
            self._archive = zipfile.ZipFile(path)
            self._file = self._archive.open(f"{key}.npy")
            self._file.read(head.start)

    def read(self, size: int = -1) -> bytes:
        with told(self._label):
            return self._file.read(size)

    def close(self) -> None:
        self._file.close()
        self._archive.close()
        super().close()
