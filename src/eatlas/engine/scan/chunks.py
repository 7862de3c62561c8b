"""Where finished chunks are kept: in memory, or in a file that only grows.

Each chunk goes to the file by one system call, with its length and a hash. A kill can cut the last
one and nothing else; whatever is cut or damaged is measured again.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import struct
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from eatlas.engine.scan.chunk import Chunk
from eatlas.engine.scan.holding import hold
from eatlas.errors import ResultsError

_MAGIC = b"eatlas scan\n"
_FRAME = struct.Struct("<Q16s")
"""Length of what follows, and its hash."""
_ENDING = ".unfinished"
_TEXTS = ("words", "examples")
_NUMBERS = ("index", "read", "rising")


class Chunks(Protocol):
    """Finished chunks of one scan."""

    def __contains__(self, index: int) -> bool:
        """Whether a chunk is finished."""
        ...

    def __len__(self) -> int:
        """How many are finished."""
        ...

    def __iter__(self) -> Iterator[Chunk]:
        """Finished chunks, in the order of the source."""
        ...

    def append(self, chunk: Chunk) -> None:
        """Keep a finished chunk."""
        ...


class ChunkList:
    """Chunks in memory; their maxima are kept together."""

    def __init__(self) -> None:
        self._chunks: dict[int, Chunk] = {}

    def __contains__(self, index: int) -> bool:
        return index in self._chunks

    def __len__(self) -> int:
        return len(self._chunks)

    def __iter__(self) -> Iterator[Chunk]:
        return (self._chunks[index] for index in sorted(self._chunks))

    def append(self, chunk: Chunk) -> None:
        """Keep a finished chunk; of several chunks, the last one has the maxima of all."""
        if self._chunks:
            last = next(reversed(self._chunks))
            together = np.maximum(self._chunks[last].maxima, chunk.maxima)
            self._chunks[last] = replace(self._chunks[last], maxima=np.empty(0))
            chunk = replace(chunk, maxima=together)
        self._chunks[chunk.index] = chunk


class ChunkFile:
    """Chunks in an open file.

    Parameters
    ----------
    handle : int
        The file, open for reading and writing; what it holds of this scan is taken over.
    label : str
        Names the file in messages.
    identity : str
        Of the scan; a file of another one is emptied.
    """

    def __init__(self, handle: int, label: str, identity: str) -> None:
        self._handle, self._label = handle, label
        self._head = _MAGIC + identity.encode() + b"\n"
        self._places: dict[int, tuple[int, int]] = {}
        self.words = 0
        """Words of all chunks."""
        self._recover()

    def __contains__(self, index: int) -> bool:
        return index in self._places

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[Chunk]:
        for index in sorted(self._places):
            yield _decoded(self._read(*self._places[index]))

    def append(self, chunk: Chunk) -> None:
        """Keep a finished chunk.

        Raises
        ------
        ResultsError
            If it cannot be written, for example on a full disk; what was kept before stays.
        """
        payload = _encoded(chunk)
        frame = _FRAME.pack(len(payload), _digest(payload)) + payload
        end = os.lseek(self._handle, 0, os.SEEK_END)
        self._write(frame, end)
        self._take(chunk, end + _FRAME.size, len(payload))

    @property
    def empty(self) -> bool:
        """Whether the file holds no chunk, not even a damaged one."""
        return os.fstat(self._handle).st_size <= len(self._head)

    def discard(self) -> None:
        """Forget all chunks, once what follows from them stands elsewhere."""
        self._places.clear()
        self.words = 0
        os.ftruncate(self._handle, len(self._head))

    def _take(self, chunk: Chunk, start: int, length: int) -> None:
        if chunk.index not in self._places:
            self.words += chunk.read
        self._places[chunk.index] = start, length

    def _read(self, start: int, length: int) -> bytes:
        # not os.pread, which Windows has not
        os.lseek(self._handle, start, os.SEEK_SET)
        return os.read(self._handle, length)

    def _write(self, data: bytes, end: int) -> None:
        try:
            written = os.write(self._handle, data)
            if written < len(data):  # a disk that fills up takes part of it first
                raise OSError(28, os.strerror(28))
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(self._handle, end)
            raise _cannot(self._label, error) from error

    def _recover(self) -> None:
        """Take over whole chunks; cut off what follows the last of them."""
        size = os.fstat(self._handle).st_size
        if self._read(0, len(self._head)) != self._head:
            os.ftruncate(self._handle, 0)
            os.lseek(self._handle, 0, os.SEEK_SET)
            self._write(self._head, 0)
            return
        end = place = len(self._head)
        while size - place >= _FRAME.size:
            length, digest = _FRAME.unpack(self._read(place, _FRAME.size))
            start, place = place + _FRAME.size, place + _FRAME.size + length
            if place > size:
                break
            payload = self._read(start, length)
            if _digest(payload) != digest:
                continue  # damaged; those behind it may be whole
            with suppress(ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile):
                self._take(_decoded(payload), start, length)
                end = place
        os.ftruncate(self._handle, end)


@contextmanager
def kept_chunks(out: Path, identity: str) -> Iterator[ChunkFile]:
    """Chunks that outlive the process, in a file beside `out`, locked.

    The file goes when it holds nothing any more.

    Raises
    ------
    ResultsError
        If another scan writes to `out`, or the file cannot be opened.
    """
    path = _beside(out, identity)
    with hold(out):
        try:
            handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
        except OSError as error:
            raise _cannot(str(path), error) from error
        chunks = None
        try:
            chunks = ChunkFile(handle, str(path), identity)
            yield chunks
        finally:
            needless = chunks is not None and chunks.empty
            os.close(handle)
            if needless:
                path.unlink(missing_ok=True)


@contextmanager
def passing_chunks() -> Iterator[ChunkFile]:
    """Chunks in a file without a name that ends with the process.

    Raises
    ------
    ResultsError
        If there is no room for it.
    """
    with tempfile.TemporaryFile() as file:
        yield ChunkFile(file.fileno(), "the folder for temporary files", "passing")


def others(out: Path, identity: str) -> list[Path]:
    """What other scans to the same file have left unfinished."""
    pattern = f".{_literal(out.name)}.*{_ENDING}"
    return sorted(set(out.parent.glob(pattern)) - {_beside(out, identity)})


def _beside(out: Path, identity: str) -> Path:
    return out.with_name(f".{out.name}.{identity[:12]}{_ENDING}")


def _literal(name: str) -> str:
    """A name whose brackets, stars and question marks match themselves."""
    return "".join(f"[{c}]" if c in "[*?" else c for c in name)


def _encoded(chunk: Chunk) -> bytes:
    arrays: dict[str, Any] = {}
    for field in fields(Chunk):
        value = getattr(chunk, field.name)
        if field.name in _TEXTS:
            value = np.frombuffer(json.dumps(value, ensure_ascii=True).encode(), np.uint8)
        arrays[field.name] = value
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **arrays)
    return buffer.getvalue()


def _decoded(payload: bytes) -> Chunk:
    with np.load(io.BytesIO(payload), allow_pickle=False) as file:
        arrays: dict[str, Any] = {field.name: file[field.name] for field in fields(Chunk)}
    for name in _TEXTS:
        arrays[name] = json.loads(arrays[name].tobytes())
    for name in _NUMBERS:
        arrays[name] = int(arrays[name])
    return Chunk(**arrays)


def _digest(payload: bytes) -> bytes:
    return hashlib.blake2b(payload, digest_size=16).digest()


def _cannot(label: str, error: OSError) -> ResultsError:
    return ResultsError(
        f"{label}: finished words cannot be kept",
        got=error.strerror or str(error),
        remedy="free some space, or choose another file with --out; "
        "the same command then does what is left",
    )
