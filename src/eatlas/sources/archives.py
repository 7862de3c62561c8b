"""What a file holds once it is decompressed, read as a stream; nothing is unpacked on disk."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import math
import os
import struct
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO, Any, BinaryIO, cast

from eatlas.errors import SourceError, listed
from eatlas.sources.files.on_disk import BUFFER, Stamp, library, open_binary, unreadable

# Text of vectors shrinks 2 to 4 times, one of round numbers 20 times; what grows beyond 200 times
# is made to fill a disk. Below 64 MiB the ratio does not matter.
MAX_RATIO = 200
FREE_BYTES = 64 << 20
GROWTH = "EATLAS_MAX_GROWTH"
"""Environment variable: how many times its own size a file may grow; MAX_RATIO without it."""
_TAR_MAGIC, _TAR_AT = b"ustar", 257
_ZSTD_WINDOW = 1 << 27
_ZSTD_AT_ONCE = 4096
_LONG_WINDOW = 1 << 31  # dumps of Reddit are written with zstd --long=31
_DAMAGED = (
    EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, gzip.BadGzipFile,
    ValueError, LookupError, OverflowError, struct.error,  # what zipfile lets through
)  # fmt: skip

Opener = Callable[[Path], AbstractContextManager[IO[bytes]]]


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
        """Fill a buffer; a few packed bytes at a time, as each may stand for 32 kB."""
        while not self._content:
            packed = b""
            if self._frame is not None and self._frame.eof:
                packed, self._frame = self._frame.unused_data, None
            packed = packed or self._file.read(_ZSTD_AT_ONCE)
            if not packed and self._frame is None:
                return 0
            if not packed:
                raise EOFError("the last frame is not complete")
            self._frame = self._frame or self._decompressor.decompressobj()
            self._content = memoryview(self._frame.decompress(packed))
        n = min(len(buffer), len(self._content))
        buffer[:n] = self._content[:n]
        self._content = self._content[n:]
        return n

    def close(self) -> None:
        self._file.close()
        super().close()


def _open_zstd(path: Path, window: int = _ZSTD_WINDOW) -> IO[bytes]:
    return io.BufferedReader(_ZstdFrames(path, window), BUFFER)


_COMPRESSED: dict[bytes, Opener] = {
    b"\x1f\x8b": lambda path: cast(IO[bytes], gzip.GzipFile(path)),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\x00": lzma.LZMAFile,
    b"\x28\xb5\x2f\xfd": _open_zstd,
}
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")  # the second begins an archive that holds nothing


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
        try:
            with ExitStack() as stack:
                with archive_errors(self.label):
                    raw = stack.enter_context(self._open(self.path))
                yield _Guarded(raw, self.label, 0 if self.plain else self.stamp.size)  # type: ignore[misc]
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
        head = file.read(_TAR_AT + len(_TAR_MAGIC))
    if head.startswith(_ZIP) and not _is_npz(path):
        return _in_zip(path, stamp, member)
    if member is not None:
        raise SourceError(
            f"{path}: this is not a zip archive, so it has no members",
            got=f"#{member}",
            remedy="leave out what follows #",
        )
    opener = next((o for magic, o in _COMPRESSED.items() if head.startswith(magic)), None)
    if opener is _open_zstd and long_windows:
        opener = partial(_open_zstd, window=_LONG_WINDOW)
    content = Content(path, stamp, None, plain=opener is None, _open=opener or open_binary)
    if opener is not None:
        head = content.head(_TAR_AT + len(_TAR_MAGIC))
    if head[_TAR_AT:] == _TAR_MAGIC:
        raise SourceError(
            f"{path}: tar archives are not read", remedy="unpack it, and open the file in it"
        )
    return content


def _is_npz(path: Path) -> bool:
    with archive_errors(str(path)), zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        return bool(names) and all(name.endswith(".npy") for name in names)


def _in_zip(path: Path, stamp: Stamp, member: str | None) -> Content:
    """The requested member, or the only one there is."""
    with archive_errors(str(path)), zipfile.ZipFile(path) as archive:
        names = [info.filename for info in archive.infolist() if not info.is_dir()]
    if member is not None and member not in names:
        raise SourceError(
            f"{path}: the archive has no such member", got=member, allowed=listed(names)
        )
    visible = [
        name
        for name in names
        if not any(part.startswith(("__MACOSX", ".")) for part in PurePosixPath(name).parts)
    ]
    if member is None and not visible:
        raise SourceError(f"{path}: the archive holds no file", allowed="a file of vectors in it")
    if member is None and len(visible) > 1:
        raise SourceError(
            f"{path}: the archive holds several files",
            got=listed(visible),
            remedy=f"choose one: {path}#{visible[0]}",
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
            raise SourceError(
                f"{label}: the compressed data are damaged or end early",
                got=str(error) or type(error).__name__,
                remedy="get the file again; the copy is probably incomplete",
            ) from error
        raise


class _Guarded(io.RawIOBase):
    """A stream that stops when far more comes out of an archive than vectors can account for."""

    def __init__(self, stream: IO[bytes], label: str, packed: int) -> None:
        self._stream, self._label = stream, label
        self._limit = most_bytes(packed) if packed else sys.maxsize
        self._count = 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        parts: list[bytes] = []
        left = sys.maxsize if size < 0 else size
        while left and (part := self._some(min(left, BUFFER))):
            parts.append(part)
            left -= len(part)
        return b"".join(parts)

    def readinto(self, buffer: Any) -> int:
        if self._limit == sys.maxsize:
            with archive_errors(self._label):
                return self._stream.readinto(buffer)  # type: ignore[attr-defined,no-any-return]
        part = self._some(len(buffer))
        buffer[: len(part)] = part
        return len(part)

    def _some(self, size: int) -> bytes:
        with archive_errors(self._label):
            part = self._stream.read(size)
        self._count += len(part)
        if self._count > self._limit:
            raise _grows(self._label, self._limit)
        return part


def check_growth(label: str, size: int, packed: int) -> None:
    """Refuse what would take far more memory than a file of `packed` bytes can account for."""
    limit = most_bytes(packed)
    if size > limit:
        raise _grows(label, limit, size)


def most_bytes(packed: int) -> int:
    """Bytes that a file of `packed` bytes may hold once it is read."""
    return max(FREE_BYTES, int(packed * _ratio()))


def _ratio() -> float:
    """How many times its own size a file may grow."""
    setting = os.environ.get(GROWTH)
    try:
        ratio = MAX_RATIO if not setting else float(setting)
    except ValueError:
        ratio = math.nan
    if not 1 <= ratio < math.inf:
        raise SourceError(
            f"{GROWTH}: this environment variable is not a number",
            got=str(setting)[:40],
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
