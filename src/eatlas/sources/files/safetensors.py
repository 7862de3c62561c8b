"""safetensors, mapped: a JSON head of names, types and places, then the numbers."""

from __future__ import annotations

import json
import reprlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SourceError
from eatlas.sources.files.matrix import (
    ArrayMatrix,
    Matrix,
    MatrixSource,
    check_matrix,
    rows_at_once,
)
from eatlas.sources.files.reading import Stamp, open_binary, unreadable
from eatlas.sources.files.words import beside, open_vocabulary
from eatlas.sources.misnamed import model_at
from eatlas.sources.protocol import CHUNK

OPTIONS = {"vocab": "file of words, one a line", "tensor": "name of the tensor of vectors"}
MAX_HEAD = 100_000_000  # the limit of the format's own library
_TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2"}


@dataclass(frozen=True)
class BFloatMatrix:
    """bfloat16, the upper half of float32, which numpy does not know."""

    array: NDArray[np.uint16]

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and components."""
        return self.array.shape[0], self.array.shape[1]

    def take(self, rows: Any) -> NDArray[np.floating]:
        """Rows in ascending order, shape (len(rows), dim)."""
        return _widen(self.array[list(rows)])

    def blocks(self, size: int = CHUNK) -> Any:
        """All rows in order, at most `size` at a time."""
        size = rows_at_once(size, self.array.shape[1])
        return (_widen(self.array[i : i + size]) for i in range(0, len(self.array), size))


def open_safetensors(path: Path, options: Mapping[str, str], name: str) -> MatrixSource:
    """Open a tensor of vectors and the vocabulary that belongs to it.

    Raises
    ------
    SourceError
        If the head is damaged, or does not say which tensor is meant.
    """
    head, start = _read_head(path)
    tensor = options.get("tensor") or _only(path, head)
    matrix = _map(path, tensor, head, start)
    words = beside(path, options.get("vocab"))
    return MatrixSource(open_vocabulary(words), matrix, name=name, files=(path, words))


def _read_head(path: Path) -> tuple[dict[str, Any], int]:
    """Facts about each tensor, and where the numbers begin."""
    size = Stamp.of(path).size
    with open_binary(path) as file:
        length = int.from_bytes(file.read(8), "little")
        if length > min(MAX_HEAD, size - 8):
            raise _damaged(path, f"a head of {length:,} bytes in a file of {size:,}")
        raw = file.read(length)
    try:
        head = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise _damaged(path, str(error)) from error
    if not isinstance(head, dict):
        raise _damaged(path, type(head).__name__)
    head.pop("__metadata__", None)
    return head, 8 + length


def _only(path: Path, head: Mapping[str, Any]) -> str:
    matrices = [k for k, v in head.items() if isinstance(v, dict) and _ndim(v) == 2]
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


def _ndim(facts: Mapping[str, Any]) -> int:
    shape = facts.get("shape")
    return len(shape) if isinstance(shape, list) else 0


def _map(path: Path, tensor: str, head: Mapping[str, Any], start: int) -> Matrix:
    if tensor not in head:
        raise SourceError(
            f"{path}: there is no such tensor", got=tensor, allowed=", ".join(list(head)[:20])
        )
    facts, label = head[tensor], f"{path}, {tensor}"
    try:
        kind, shape = facts["dtype"], tuple(facts["shape"])
        first, last = facts["data_offsets"]
    except (KeyError, TypeError, ValueError) as error:
        raise _damaged(path, f"{tensor}: {reprlib.repr(facts)}") from error
    if not isinstance(kind, str) or kind not in _TYPES:
        raise SourceError(
            f"{label}: numbers of this type cannot be read",
            got=reprlib.repr(kind) if not isinstance(kind, str) else kind[:40],
            allowed=", ".join(_TYPES),
        )
    dtype = np.dtype(_TYPES[kind])
    if not all(type(x) is int and x >= 0 for x in (*shape, first, last)):
        raise _damaged(path, f"{tensor}: {reprlib.repr(facts)}")
    check_matrix(shape, dtype, label)
    size = shape[0] * shape[1] * dtype.itemsize
    if last - first != size or start + last > Stamp.of(path).size:
        raise SourceError(
            f"{label}: the tensor does not have the size that the head announces",
            got=f"bytes {first:,} to {last:,} of {Stamp.of(path).size - start:,}",
            allowed=f"{size:,} bytes for {kind}, shape {shape}",
            remedy="get it again; the copy is probably incomplete",
        )
    try:
        array: Any = np.memmap(path, dtype, "r", start + first, shape)
    except OSError as error:  # a process that may not have so much address space
        raise unreadable(path, error) from error
    return BFloatMatrix(array) if kind == "BF16" else ArrayMatrix(array)


def _widen(rows: NDArray[np.uint16]) -> NDArray[np.floating]:
    return (np.asarray(rows).astype(np.uint32) << 16).view(np.float32)


def _damaged(path: Path, got: str) -> SourceError:
    return SourceError(
        f"{path}: the head of this safetensors file is damaged",
        got=got[:200],
        remedy="get it again; the copy is probably incomplete",
    )
