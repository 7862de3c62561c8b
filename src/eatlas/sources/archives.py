"""Bytes of files: opened, stamped, hashed, and read through compression without unpacking them."""

from __future__ import annotations

import bz2
import gzip
import importlib
import io
import lzma
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO, Any, BinaryIO, cast

import numpy as np

from eatlas.decoding import check_growth, require_file
from eatlas.errors import SourceError, listing

BUFFER = 1 << 20


_ZSTD_WINDOW = 1 << 27
_LONG_WINDOW = 1 << 31  # dumps of Reddit are written with zstd --long=31
_PACKED = ("the compressed data", "are damaged or end early")

Opener = Callable[[Path], IO[bytes]]


# --- one file -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Stamp:
    """Size and time of the last change of a file; another stamp means another content."""

    size: int
    mtime_ns: int

    @classmethod
    def of(cls, path: Path) -> Stamp:
        """Take the stamp of a file."""
        require_file(path, SourceError)
        with faults_of_library(path, "the file"):
            status = path.stat()
        return cls(status.st_size, status.st_mtime_ns)

    @property
    def time(self) -> str:
        """When the file was written."""
        return datetime.fromtimestamp(self.mtime_ns / 1e9, UTC).isoformat(" ", "microseconds")

    def check(self, path: Path) -> None:
        """Refuse a file that changed since."""
        now = Stamp.of(path)
        if now != self:
            got = f"{now.size} bytes now, {self.size} bytes at first"
            if now.size == self.size:
                got = f"{now.size} bytes, written at {now.time}; at first {self.time}"
            raise SourceError(f"{path}: the file changed while it was read", got=got)


def open_binary(path: Path) -> BinaryIO:
    """Open a file for reading, without a buffer."""
    require_file(path, SourceError)
    with faults_of_library(path, "the file"):
        return path.open("rb", buffering=0)  # RawIOBase reads as well


def library(name: str, label: str, what: str, remedy: str = "pip install 'eatlas[files]'") -> Any:
    """Import a library that only some formats need."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        raise SourceError(f"{label}: {package} is needed to read {what}", remedy=remedy) from error


@contextmanager
def faults_of_library(
    path: Path | str, what: str, are: str = "is damaged, or of a kind that cannot be read"
) -> Iterator[None]:
    """Say what the system or a library raises for a file as a SourceError."""
    try:
        yield
    except SourceError:
        raise
    except Exception as error:  # a damaged file makes libraries raise whatever they like
        if isinstance(error, OSError) and error.strerror:
            raise SourceError(f"{path}: the file cannot be read", got=error.strerror) from error
        got = str(error).split("\n", 1)[0] or type(error).__name__
        raise incomplete(f"{path}: {what} {are}", got) from error


def npz_arrays(path: Path, what: str) -> dict[str, Any]:
    """Read all arrays of an archive of NumPy, if they are in proportion to its size."""
    with faults_of_library(path, what):
        packed = Stamp.of(path).size
        with zipfile.ZipFile(path) as archive:
            size = sum(info.file_size for info in archive.infolist())
        check_growth(str(path), size, packed)
        with np.load(path, allow_pickle=False) as arrays:
            return dict(arrays)


def incomplete(what: str, got: str, allowed: str | None = None) -> SourceError:
    """Say that a file is damaged or ends early."""
    remedy = "get it again; the copy is probably incomplete"
    return SourceError(what, got=got[:200], allowed=allowed, remedy=remedy)


# --- compression and archives ---------------------------------------------------------------------


class _ZstdFrames(io.RawIOBase):
    """Content of a zst file, frame after frame; one that ends early is an error, as for gzip."""

    def __init__(self, path: Path, window: int) -> None:
        zstandard = library("zstandard", str(path), ".zst files")
        self._file = open_binary(path)
        self._pieces = self._decompress(zstandard.ZstdDecompressor(max_window_size=window))
        self._piece = memoryview(b"")

    def _decompress(self, decompressor: Any) -> Iterator[bytes]:
        """Content piece by piece."""
        frame: Any = None
        rest = b""
        # a few packed bytes at a time, as each may stand for 32 kB
        while packed := rest or self._file.read(4096):
            frame = frame or decompressor.decompressobj()
            yield frame.decompress(packed)
            rest, frame = (frame.unused_data, None) if frame.eof else (b"", frame)
        if frame is not None:
            raise EOFError("the last frame is not complete")

    def readinto(self, buffer: Any) -> int:
        while not self._piece:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._piece = memoryview(piece)
        n = min(len(buffer), len(self._piece))
        buffer[:n], self._piece = self._piece[:n], self._piece[n:]
        return n

    def close(self) -> None:
        self._file.close()
        super().close()


def _open_zstd(path: Path, window: int = _ZSTD_WINDOW) -> IO[bytes]:
    return cast(IO[bytes], _ZstdFrames(path, window))


_COMPRESSED: dict[bytes, Opener] = {
    b"\x1f\x8b": lambda path: cast(IO[bytes], gzip.GzipFile(path)),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\x00": lzma.LZMAFile,
    b"\x28\xb5\x2f\xfd": _open_zstd,
}
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")  # the second begins an archive that holds nothing


class _Watched(io.RawIOBase):
    """A stream that hashes what passes, and stops where too much comes out of a small file."""

    def __init__(self, stream: IO[bytes], content: Content, digest: Any) -> None:
        self._stream, self._content, self._digest = stream, content, digest
        self._count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        with faults_of_library(self._content.label, *_PACKED):
            size: int = self._stream.readinto(buffer)  # type: ignore[attr-defined]
        self._count += size
        if not self._content.plain:
            check_growth(self._content.label, self._count, self._content.stamp.size)
        if self._digest is not None:
            self._digest.update(buffer[:size])
        return size


@dataclass(frozen=True)
class Content:
    """Bytes of vectors: those of a file, or what an archive or a compressed file holds.

    ``plain`` is True where they are the file's own bytes, so that they can be mapped and jumped in.
    """

    path: Path
    stamp: Stamp
    member: str | None
    plain: bool
    _open: Opener

    @property
    def label(self) -> str:
        """What names it in messages."""
        return f"{self.path}#{self.member}" if self.member else str(self.path)

    @contextmanager
    def open(self, digest: Any = None) -> Iterator[BinaryIO]:
        """Read from the first byte; `digest` is updated by all that is read."""
        self.stamp.check(self.path)
        try:
            with faults_of_library(self.label, *_PACKED):
                stream = self._open(self.path)
            with stream:
                yield io.BufferedReader(_Watched(stream, self, digest), BUFFER)
        except SourceError:
            self.stamp.check(self.path)  # a file that changed seems damaged, or too long
            raise
        self.stamp.check(self.path)

    def head(self, size: int) -> bytes:
        """The first `size` bytes, or fewer where there are no more."""
        with self.open() as file:
            return file.read(size)

    def need_plain(self, what: str) -> Path:
        """The path, if the bytes are the file's own."""
        if self.plain:
            return self.path
        allowed = "text, tables and word2vec's binary form inside gz, bz2, xz, zst or zip"
        raise SourceError(
            f"{self.label}: {what} cannot be read from a compressed file", allowed=allowed
        )


def locate(path: Path, member: str | None = None, *, long_windows: bool = False) -> Content:
    """Find the content of a file, through compression and archives."""
    stamp = Stamp.of(path)
    with open_binary(path) as file, faults_of_library(path, "the file"):
        head = file.read(8)
    if head.startswith(_ZIP):
        with faults_of_library(path, "this archive"), zipfile.ZipFile(path) as archive:
            names = [name for name in archive.namelist() if not name.endswith("/")]
        if not names or not all(name.endswith(".npy") for name in names):  # as those of npz are
            return _in_zip(path, stamp, names, member)
    if member is not None:
        raise SourceError(f"{path}: this is not a zip archive with members", got=f"#{member}")
    opener = next((o for magic, o in _COMPRESSED.items() if head.startswith(magic)), None)
    if opener is _open_zstd and long_windows:
        opener = partial(_open_zstd, window=_LONG_WINDOW)
    return Content(path, stamp, None, plain=opener is None, _open=opener or open_binary)


def _in_zip(path: Path, stamp: Stamp, names: list[str], member: str | None) -> Content:
    """The requested member, or the only one there is."""
    hidden = ("__MACOSX", ".")
    visible = [n for n in names if not any(p.startswith(hidden) for p in PurePosixPath(n).parts)]
    if member not in names if member else len(visible) != 1:
        raise SourceError(
            f"{path}: the archive "
            + ("has no such member" if member else "is empty or has several files"),
            got=member or listing(visible) or "no file",
            allowed=listing(names) if member else None,
            remedy=f"choose one: {path}#{visible[0]}" if visible else None,
        )
    name = member or visible[0]

    def opener(path: Path) -> IO[bytes]:
        with zipfile.ZipFile(path) as archive:  # the stream keeps the file open
            return archive.open(name)

    return Content(path, stamp, name, plain=False, _open=opener)
