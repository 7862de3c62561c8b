"""Strings of HDF5 files, checked where the library does not.

The words of a data set of strings lie in heaps elsewhere in the file. Of damaged lengths the
library reserves gigabytes, and in a damaged heap it looks for the next object without end.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from eatlas.errors import SourceError
from eatlas.sources.archives import check_growth
from eatlas.sources.files.dialects import decode
from eatlas.sources.files.reading import BUFFER, Stamp, open_binary

_HEAP = b"GCOL\x01\x00\x00\x00"
_HEAD = 16  # of a heap, and of an object in it
_READ_AT_ONCE = 65_536
_BYTES_AT_ONCE = 1 << 28
_AGAIN = "get it again, or write it anew with words in UTF-8"


def read_strings(dataset: Any, path: Path) -> list[str]:
    """Read all strings of a data set.

    Raises
    ------
    SourceError
        If they are damaged, or not UTF-8.
    """
    if dataset.dtype.kind == "O":
        _check_lengths(dataset, path)
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


def _check_lengths(dataset: Any, path: Path) -> None:
    """Look at what stands plainly in the file; compressed chunks carry a checksum."""
    places = [(dataset.id.get_offset(), dataset.id.get_storage_size())]
    if dataset.chunks and not dataset.id.get_create_plist().get_nfilters():
        infos = (dataset.id.get_chunk_info(i) for i in range(dataset.id.get_num_chunks()))
        places = [(info.byte_offset, info.size) for info in infos]
    if None in (offset for offset, _ in places):
        return
    stride, size = dataset.id.get_type().get_size(), Stamp.of(path).size
    with open_binary(path) as file:
        for offset, length in places:
            file.seek(offset)
            heads = np.frombuffer(file.read(min(length, size)), np.uint8)
            heads = heads[: len(heads) // stride * stride].reshape(-1, stride)[:, :4]
            total = int(np.ascontiguousarray(heads).view("<u4").sum(dtype=np.int64))
            if total > size:
                raise _damaged(path, f"{total:,} bytes of words in a file of {size:,}")


def _check_heaps(path: Path) -> None:
    size = Stamp.of(path).size
    with open_binary(path) as file:
        for start in list(_places(file, _HEAP)):
            file.seek(start)
            length = int.from_bytes(file.read(_HEAD)[8:], "little")
            end, at = start + length, start + _HEAD
            if not _HEAD <= length <= size - start:
                raise _damaged(path, f"a heap of {length:,} bytes at {start:,}")
            heap = file.read(length - _HEAD)
            while at + _HEAD <= end:
                head = heap[at - start - _HEAD : at - start]
                used = int.from_bytes(head[8:], "little")
                step = _HEAD + (used + 7) // 8 * 8 if any(head[:2]) else used
                if not 0 < step <= end - at:
                    raise _damaged(path, f"an object of {step:,} bytes in the heap at {start:,}")
                at += step


def _places(file: BinaryIO, what: bytes) -> Iterator[int]:
    """Where some bytes stand in a file."""
    kept, offset = b"", 0
    while data := file.read(BUFFER):
        data = kept + data
        at = data.find(what)
        while at >= 0:
            yield offset + at
            at = data.find(what, at + 1)
        kept = data[1 - len(what) :]
        offset += len(data) - len(kept)


def _damaged(path: Path, got: str) -> SourceError:
    return SourceError(
        f"{path}: the words of this HDF5 file are damaged",
        got=got,
        remedy="get it again; the copy is probably incomplete",
    )
