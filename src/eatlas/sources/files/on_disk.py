"""Files as they are on disk: opened, stamped, hashed, and known to be whole while read."""

from __future__ import annotations

import hashlib
import importlib
import threading
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from eatlas.decoding import require_file
from eatlas.errors import SourceError

BUFFER = 1 << 20
ENDS = 1 << 16


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


def ends_hash(path: Path) -> str:
    """Hash of the first and last 64 KiB of a file: cheap, and different for most contents."""
    with open_binary(path) as file:
        digest = hashlib.sha256(file.read(ENDS))
        file.seek(max(0, path.stat().st_size - ENDS))
        digest.update(file.read(ENDS))
    return digest.hexdigest()


class FileDigest:
    """SHA-256 of whole files, computed by a thread beside other work.

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
        """Wait for the hash: of one file, or of the list of hashes of several."""
        return self.start().result()

    def _run(self, future: Future[str]) -> None:
        try:
            hashes = [_hash_file(path, stamp) for path, stamp in self._files]
            future.set_result(hashes[0] if len(hashes) == 1 else joint_hash(hashes))
        except Exception as error:  # noqa: BLE001  (raised by result())
            future.set_exception(error)


def joint_hash(hashes: Iterable[str]) -> str:
    """One hash for several files, from the hash of each."""
    return hashlib.sha256("\n".join(hashes).encode()).hexdigest()


def stream_hash(file: BinaryIO) -> str:
    """SHA-256 of what a stream still holds."""
    return hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]


def _hash_file(path: Path, stamp: Stamp) -> str:
    try:
        with open_binary(path) as file:
            sha256 = stream_hash(file)
    except OSError as error:
        raise unreadable(path, error) from error
    stamp.check(path)
    return sha256
