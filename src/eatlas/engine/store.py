"""Finished work on disk, one piece a line, so that what was killed can go on.

A store only grows while work lasts, under a lock. Each line is written by one system call, so a
kill can cut the last line and nothing else; a cut line is dropped and its piece is done again. Each
line has its hash: one that is not as it was written is done again too, and that is said.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import stat
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator
from contextlib import suppress
from glob import escape
from pathlib import Path
from types import TracebackType
from typing import Self

from filelock import FileLock, Timeout, UnixFileLock

from eatlas.errors import EatlasError, ResultsError
from eatlas.notes import Note, warn
from eatlas.results import AssociationResult
from eatlas.results.json_lines import record_from_dict

STORE = "unfinished.jsonl"
LOCK = ".eatlas.lock"
LEFTOVERS = (".results.jsonl.*", ".report.html.*", ".unfinished.jsonl.*")
"""Files that a killed run was about to put in place of results.jsonl, report.html and the store."""
_LINE = re.compile(
    rb'\{"job": "(?P<job>[^"]*)", "sha256": "(?P<sha256>[0-9a-f]{64})", "result": (?P<result>.*)\}'
)


class Journal(ABC):
    """Finished pieces of work in a file that only grows.

    Use as a context manager: entering locks the file and reads what was done before.
    """

    work = "jobs"
    """What is kept, as messages call it."""
    elsewhere = "choose another directory with --out"

    def __init__(self, path: Path | None, lock: Path | None) -> None:
        self.path = path
        self._lock = None if lock is None else FileLock(lock, timeout=0)
        self._handle = -1
        self._places: dict[str, tuple[int, int]] = {}
        """Where the result of each piece is in the file, and how long it is."""
        self._finished: set[str] = set()

    @abstractmethod
    def take(self, name: str, result: bytes) -> None:
        """Take over a piece that was done before."""

    @abstractmethod
    def held(self) -> ResultsError:
        """Say that another process is writing."""

    def not_locked(self, error: OSError) -> ResultsError:
        """Say that the lock cannot be made."""
        return self._cannot(error)

    def __enter__(self) -> Self:
        try:
            if self._lock is not None:
                self._lock.acquire()
        except Timeout as error:
            raise self.held() from error
        except OSError as error:
            raise self.not_locked(error) from error
        try:
            self._handle = _opened(self.path, self)
            self._recover()
        except BaseException as error:
            self._close()
            if isinstance(error, OSError):
                raise self._cannot(error) from error
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        empty = not os.fstat(self._handle).st_size
        left = self._places.keys() - self._finished
        os.close(self._handle)
        self._handle = -1
        # the file goes when it is closed: some systems neither remove nor replace an open one
        if self.path is not None and (empty or not left):
            self.path.unlink(missing_ok=True)
        elif self.path is not None and self._finished & self._places.keys():
            self._keep_only(self.path, left)
        self._close()

    def append(self, name: str, result: bytes) -> None:
        """Keep the result of one piece, which has no line end."""
        head = b'{"job": "%b", "sha256": "%b", "result": ' % (name.encode(), _hash(name, result))
        end = os.lseek(self._handle, 0, os.SEEK_END)
        data = head + result + b"}\n"
        try:
            written = os.write(self._handle, data)
            if written < len(data):  # a disk that fills up takes part of a line first
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(self._handle, end)
            raise self._cannot(error) from error
        self._places[name] = end + len(head), len(result)

    def read(self, name: str) -> bytes:
        """Return the result of one piece."""
        start, length = self._places[name]
        os.lseek(self._handle, start, os.SEEK_SET)  # not os.pread, which Windows has not
        return os.read(self._handle, length)

    def discard(self, names: Collection[str]) -> None:
        """Forget pieces, once what follows from them is elsewhere.

        Pieces of other work that was cut off here are not lost: the file stays while it has any.
        """
        self._finished |= set(names)

    def _recover(self) -> None:
        """Take over whole lines; cut off what follows the last of them."""
        end = faulty = 0
        for line in self._lines():
            found = _LINE.fullmatch(line, 0, len(line) - 1)
            name = found["job"].decode(errors="replace") if found else ""
            if not found or _hash(name, found["result"]) != found["sha256"]:
                faulty += 1
            else:
                try:
                    self.take(name, found["result"])
                    self._places[name] = end + found.start("result"), len(found["result"])
                except (EatlasError, ValueError, KeyError, TypeError, RecursionError):
                    faulty += 1
            end += len(line)
        os.ftruncate(self._handle, end)
        if faulty:
            values = {"file": str(self.path), "count": faulty}
            warn(Note("run.damaged-lines", values=values), stacklevel=4)

    def _lines(self) -> Iterator[bytes]:
        """Whole lines of the file."""
        with os.fdopen(os.dup(self._handle), "rb") as file:
            file.seek(0)
            yield from (line for line in file if line.endswith(b"\n"))

    def _keep_only(self, path: Path, names: Collection[str]) -> None:
        """Leave what other work has not finished, and drop what no line belongs to.

        Where that cannot be written the file stays as it is, which costs only its size.
        """
        with suppress(OSError):
            handle, new = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
            try:
                with os.fdopen(handle, "wb") as file, path.open("rb") as lines:
                    file.writelines(
                        line
                        for line in lines
                        if (found := _LINE.fullmatch(line, 0, len(line) - 1))
                        and found["job"].decode(errors="replace") in names
                    )
                Path(new).replace(path)
            finally:
                Path(new).unlink(missing_ok=True)

    def _close(self) -> None:
        """Close the file, give the lock free, and leave no lock file.

        The lock file is removed while it is locked. Who opened it before and locks it afterwards
        holds a file without a name, which filelock (3.21 and later) sees, and tries again with the
        file that then has the name; so two never hold it. On Windows, and where the disk knows no
        locks, filelock removes the file itself.
        """
        if self._handle >= 0:
            os.close(self._handle)
        self._handle = -1
        if isinstance(self._lock, UnixFileLock):
            with suppress(OSError):
                Path(self._lock.lock_file).unlink()
        if self._lock is not None:
            self._lock.release()

    def _cannot(self, error: OSError) -> ResultsError:
        return ResultsError(
            f"{self.path or 'the folder for temporary files'}: finished {self.work} cannot be kept",
            got=error.strerror or str(error),
            remedy=f"free some space, or {self.elsewhere}; repeat the command to continue",
        )


class FileJournal(Journal):
    """Finished pieces of what will be one file, in a hidden file beside it."""

    task = "run"
    """What writes the file, as messages call it."""
    elsewhere = "choose another file with --out"

    def __init__(self, out: Path | None, identity: str) -> None:
        lock = None if out is None else out.with_name(f".{out.name}.lock")
        super().__init__(None if out is None else _unfinished(out, identity), lock)
        self._out = out

    def held(self) -> ResultsError:
        """Say that another process is writing."""
        return ResultsError(
            f"{self._out}: another {self.task} is writing this file",
            remedy=f"wait for it to end, or {self.elsewhere}",
        )

    def not_locked(self, error: OSError) -> ResultsError:
        """Say that nothing can be written there."""
        return ResultsError(
            f"--out {self._out}: cannot be written to",
            got=error.strerror or str(error),
            allowed="a file in a directory that can be written to",
            remedy="choose another with --out",
        )


def _unfinished(out: Path, identity: str) -> Path:
    return out.with_name(f".{out.name}.{identity[:12]}.unfinished")


def left_by_others(out: Path, identity: str) -> list[Path]:
    """What work with other settings has left unfinished beside a file."""
    files = out.parent.glob(f".{escape(out.name)}.*.unfinished")
    return sorted(set(files) - {_unfinished(out, identity)})


class Store(Journal):
    """The finished jobs of the unfinished runs of a directory."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory / STORE, directory / LOCK)
        self.directory = directory
        self.done: dict[str, AssociationResult] = {}

    def __enter__(self) -> Self:
        super().__enter__()
        for leftover in (path for p in LEFTOVERS for path in self.directory.glob(p)):
            leftover.unlink(missing_ok=True)
        return self

    def take(self, name: str, result: bytes) -> None:
        """Take over a job that was done before."""
        self.done[name] = record_from_dict(json.loads(result))

    def keep(self, name: str, result: AssociationResult) -> None:
        """Keep the result of one job."""
        self.append(name, result.model_dump_json().encode())
        self.done[name] = result

    def held(self) -> ResultsError:
        """Say that another run is writing."""
        return ResultsError(
            f"{self.directory}: another run is writing here",
            remedy=f"wait for it to end, or {self.elsewhere}",
        )


def open_store(directory: Path) -> Store:
    """The store of a directory, which is made where there is none."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            pass
    except OSError as error:
        raise ResultsError(
            f"--out {directory}: cannot be written to",
            got=error.strerror or str(error),
            allowed="a directory that exists or can be made",
            remedy="choose another with --out",
        ) from error
    return Store(directory)


def _opened(path: Path | None, journal: Journal) -> int:
    """Open a file for reading and writing; a link or a device in its place is not followed."""
    if path is None:
        with tempfile.TemporaryFile() as file:
            return os.dup(file.fileno())
    flags = os.O_RDWR | os.O_CREAT
    for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"):
        flags |= getattr(os, name, 0)
    try:
        handle = os.open(path, flags, 0o666)
    except OSError as error:
        if error.errno == errno.ELOOP or path.is_symlink():
            raise _no_file(journal, "a link, which may lead to any other file") from error
        raise
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise _no_file(journal, "a device or a pipe")
    return handle


def _no_file(journal: Journal, got: str) -> ResultsError:
    return ResultsError(
        f"{journal.path}: this name is for finished {journal.work}, and the file is something else",
        got=got,
        remedy=f"remove it, or {journal.elsewhere}",
    )


def _hash(name: str, result: bytes) -> bytes:
    return hashlib.sha256(name.encode() + b"\n" + result).hexdigest().encode()
