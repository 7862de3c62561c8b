"""Bytes of files: opened, stamped, hashed, and read through compression without unpacking them."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import importlib
import io
import lzma
import math
import os
import struct
import sys
import threading
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO, Any, BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from eatlas.decoding import require_file
from eatlas.errors import SourceError, listed

BUFFER = 1 << 20
ENDS = 1 << 16
# Text of vectors shrinks 2 to 4 times, one of round numbers 20 times; what grows beyond 200 times
# is made to fill a disk. Below 64 MiB the ratio does not matter.
MAX_RATIO = 200
FREE_BYTES = 64 << 20
GROWTH = "EATLAS_MAX_GROWTH"
"""Environment variable: how many times its own size a file may grow; MAX_RATIO without it."""
_ZSTD_WINDOW = 1 << 27
_LONG_WINDOW = 1 << 31  # dumps of Reddit are written with zstd --long=31
_DAMAGED = (
    EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, gzip.BadGzipFile,
    ValueError, LookupError, OverflowError, struct.error,  # what zipfile lets through
)  # fmt: skip

Opener = Callable[[Path], AbstractContextManager[IO[bytes]]]


# --- one file -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Stamp:
    """Size and time of the last change of a file; another stamp means another content."""

    size: int
    mtime_ns: int

    @classmethod
    def of(cls, path: Path) -> Stamp:
        """Take the stamp of a file."""
        try:
            status = path.stat()
        except OSError as error:
            raise unreadable(path, error) from error
        require_file(path, SourceError)
        return cls(status.st_size, status.st_mtime_ns)

    def check(self, path: Path) -> None:
        """Refuse a file that changed since."""
        now = Stamp.of(path)
        if now != self:
            raise SourceError(
                f"{path}: the file changed while it was read",
                got=f"{now.size} bytes now, {self.size} bytes at first",
                remedy="wait until it is written, then try again",
            )


def open_binary(path: Path) -> BinaryIO:
    """Open a file for reading, without a buffer."""
    require_file(path, SourceError)
    try:
        return path.open("rb", buffering=0)  # RawIOBase reads as well
    except OSError as error:
        raise unreadable(path, error) from error


def fill(file: BinaryIO, buffer: NDArray[np.uint8], start: int) -> int:
    """Read until the buffer is full or the file ends; how many bytes came."""
    view = memoryview(buffer)  # type: ignore[arg-type]  # arrays are buffers
    end = start
    while end < len(buffer) and (size := file.readinto(view[end:])):  # type: ignore[attr-defined]
        end += size
    return end - start


def unreadable(path: Path, error: OSError) -> SourceError:
    """Say that the system does not let us read a file."""
    return SourceError(f"{path}: the file cannot be read", got=error.strerror or str(error))


def incomplete(what: str, got: str, allowed: str | None = None) -> SourceError:
    """Say that a file is damaged or ends early."""
    remedy = "get it again; the copy is probably incomplete"
    return SourceError(what, got=got[:200], allowed=allowed, remedy=remedy)


def library(name: str, label: str, what: str, remedy: str = "pip install 'eatlas[files]'") -> Any:
    """Import a library that only some formats need."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        raise SourceError(f"{label}: {package} is needed to read {what}", remedy=remedy) from error


@contextmanager
def faults_of_library(path: Path | str, what: str) -> Iterator[None]:
    """Say what a library raises for a damaged file as a SourceError."""
    try:
        yield
    except SourceError:
        raise
    except Exception as error:  # a damaged file makes libraries raise whatever they like
        got = str(error).split("\n", 1)[0] or type(error).__name__
        raise incomplete(
            f"{path}: {what} is damaged, or of a kind that cannot be read", got
        ) from error


# --- hashes ---------------------------------------------------------------------------------------


def ends_hash(path: Path) -> str:
    """Hash of the first and last 64 KiB of a file: cheap, and different for most contents."""
    with open_binary(path) as file:
        digest = hashlib.sha256(file.read(ENDS))
        file.seek(max(0, path.stat().st_size - ENDS))
        digest.update(file.read(ENDS))
    return digest.hexdigest()


def stream_hash(file: BinaryIO) -> str:
    """SHA-256 of what a stream still holds."""
    return hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]


def joint_hash(hashes: Iterable[str]) -> str:
    """One hash for several files, from the hash of each."""
    return hashlib.sha256("\n".join(hashes).encode()).hexdigest()


class FileDigest:
    """SHA-256 of whole files, of several that of their hashes, computed by a thread.

    Hashing runs at about 1.5 GB/s, four times as long as finding words in a text file; so the words
    need not wait for it.
    """

    def __init__(self, files: Sequence[tuple[Path, Stamp]]) -> None:
        self._files = files
        self._future: Future[str] | None = None

    @property
    def started(self) -> bool:
        """Whether it has begun."""
        return self._future is not None

    def start(self) -> Future[str]:
        """Begin, if that has not happened."""
        if self._future is None:
            self._future = Future()
            # a daemon: a process that ends does not wait for gigabytes
            threading.Thread(target=self._run, args=(self._future,), daemon=True).start()
        return self._future

    def result(self) -> str:
        """Wait for the hash."""
        return self.start().result()

    def _run(self, future: Future[str]) -> None:
        try:
            hashes = []
            for path, stamp in self._files:
                with open_binary(path) as file:
                    hashes.append(stream_hash(file))
                stamp.check(path)
            future.set_result(hashes[0] if len(hashes) == 1 else joint_hash(hashes))
        except Exception as error:  # noqa: BLE001  (raised by result())
            future.set_exception(error)


# --- compression and archives ---------------------------------------------------------------------


class _ZstdFrames(io.RawIOBase):
    """Content of a zst file, frame after frame; one that ends early is an error, as for gzip."""

    def __init__(self, path: Path, window: int) -> None:
        zstandard = library("zstandard", str(path), ".zst files")
        self._decompressor = zstandard.ZstdDecompressor(max_window_size=window)
        self._file = open_binary(path)
        self._frame: Any = None
        self._content = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._content:
            packed = b""
            if self._frame is not None and self._frame.eof:
                packed, self._frame = self._frame.unused_data, None
            # a few packed bytes at a time, as each may stand for 32 kB
            packed = packed or self._file.read(4096)
            if not packed and self._frame is None:
                return 0
            if not packed:
                raise EOFError("the last frame is not complete")
            self._frame = self._frame or self._decompressor.decompressobj()
            self._content = memoryview(self._frame.decompress(packed))
        n = min(len(buffer), len(self._content))
        buffer[:n], self._content = self._content[:n], self._content[n:]
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


class _Guarded(io.RawIOBase):
    """A stream that stops when far more comes out of a file than vectors can account for."""

    def __init__(self, stream: IO[bytes], label: str, limit: int) -> None:
        self._stream, self._label, self._limit = stream, label, limit
        self._count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        with archive_errors(self._label):
            size: int = self._stream.readinto(buffer)  # type: ignore[attr-defined]
        self._count += size
        if self._count > self._limit:
            raise _grows(self._label, self._limit)
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
    def open(self) -> Iterator[BinaryIO]:
        """Read from the first byte; what goes wrong on the way is said as a SourceError."""
        self.stamp.check(self.path)
        limit = sys.maxsize if self.plain else most_bytes(self.stamp.size)
        try:
            with ExitStack() as stack:
                with archive_errors(self.label):
                    raw = stack.enter_context(self._open(self.path))
                yield io.BufferedReader(_Guarded(raw, self.label, limit), BUFFER)
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
        raise SourceError(
            f"{self.label}: {what} cannot be read while compressed",
            allowed="text, tables and word2vec's binary form inside gz, bz2, xz, zst or zip",
            remedy="unpack it and open the file itself",
        )


def locate(path: Path, member: str | None = None, *, long_windows: bool = False) -> Content:
    """Find the content of a file, through compression and archives."""
    stamp = Stamp.of(path)
    with open_binary(path) as file, archive_errors(str(path)):
        head = file.read(8)
    if head.startswith(_ZIP):
        with archive_errors(str(path)), zipfile.ZipFile(path) as archive:
            names = [info.filename for info in archive.infolist() if not info.is_dir()]
        if not names or not all(name.endswith(".npy") for name in names):  # as those of npz are
            return _in_zip(path, stamp, names, member)
    if member is not None:
        raise SourceError(
            f"{path}: this is not a zip archive, so it has no members",
            got=f"#{member}",
            remedy="leave out what follows #",
        )
    opener = next((o for magic, o in _COMPRESSED.items() if head.startswith(magic)), None)
    if opener is _open_zstd and long_windows:
        opener = partial(_open_zstd, window=_LONG_WINDOW)
    return Content(path, stamp, None, plain=opener is None, _open=opener or open_binary)


def _in_zip(path: Path, stamp: Stamp, names: list[str], member: str | None) -> Content:
    """The requested member, or the only one there is."""
    visible = [
        name
        for name in names
        if not any(part.startswith(("__MACOSX", ".")) for part in PurePosixPath(name).parts)
    ]
    if member is not None and member not in names:
        raise SourceError(
            f"{path}: the archive has no such member", got=member, allowed=listed(names)
        )
    if member is None and len(visible) != 1:
        raise SourceError(
            f"{path}: the archive holds {'several files' if visible else 'no file'}",
            got=listed(visible) or None,
            remedy=f"choose one: {path}#{visible[0]}" if visible else None,
        )
    name = member or visible[0]

    @contextmanager
    def opener(path: Path) -> Iterator[IO[bytes]]:
        with zipfile.ZipFile(path) as archive, archive.open(name) as stream:
            yield stream

    return Content(path, stamp, name, plain=False, _open=opener)


@contextmanager
def archive_errors(label: str) -> Iterator[None]:
    """Raise what decompressors, archives and the system raise as a SourceError."""
    try:
        yield
    except SourceError:
        raise
    except (RuntimeError, NotImplementedError) as error:  # zipfile: a password, an unknown method
        raise SourceError(f"{label}: the archive cannot be read", got=str(error)) from error
    except MemoryError as error:
        raise SourceError(f"{label}: reading this would take more memory than there is") from error
    except Exception as error:
        if isinstance(error, OSError) and error.errno is not None:  # damaged bz2 has no number
            raise unreadable(Path(label), error) from error
        if isinstance(error, (OSError, *_DAMAGED)) or type(error).__name__ == "ZstdError":
            what = f"{label}: the compressed data are damaged or end early"
            raise incomplete(what, str(error) or type(error).__name__) from error
        raise


# --- the one limit --------------------------------------------------------------------------------


def check_growth(label: str, size: int, packed: int) -> None:
    """Refuse what would take far more memory than a file of `packed` bytes can account for."""
    limit = most_bytes(packed)
    if size > limit:
        raise _grows(label, limit, size)


def check_parquet_growth(path: Path, head: Any, packed: int) -> None:
    """Refuse a file of Parquet that declares far more than its size accounts for."""
    size = sum(head.row_group(k).total_byte_size for k in range(head.num_row_groups))
    check_growth(str(path), max(size, 8 * head.num_rows), packed)


def most_bytes(packed: int) -> int:
    """Bytes that a file of `packed` bytes may hold once it is read."""
    return max(FREE_BYTES, int(packed * _ratio()))


def _ratio() -> float:
    """How many times its own size a file may grow."""
    setting = os.environ.get(GROWTH) or str(MAX_RATIO)
    try:
        ratio = float(setting)
    except ValueError:
        ratio = math.nan
    if not 1 <= ratio < math.inf:
        raise SourceError(
            f"{GROWTH}: this environment variable is not a number",
            got=setting[:40],
            allowed=f"how many times its own size a file may grow; {MAX_RATIO} without it",
        )
    return ratio


def _grows(label: str, limit: int, size: int | None = None) -> SourceError:
    """Say that a file holds, or declares, more than its size accounts for."""
    what = "this grows too much when it is decompressed"
    if size is not None:
        what = "this declares far more than a file of its size holds"
    return SourceError(
        f"{label}: {what}",
        got=f"more than {limit:,} bytes" if size is None else f"{size:,} bytes",
        allowed=f"{_ratio():g} times the size of the file, or {FREE_BYTES:,} bytes",
        remedy=f"if you trust it, set {GROWTH} to a larger number",
    )
