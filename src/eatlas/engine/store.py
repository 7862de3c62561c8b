"""Finished jobs on disk, one a line, so that a run that was killed can go on.

The store only grows while a run lasts, under a lock. Each line is written by one system call, so a
kill can cut the last line and nothing else; a cut line is dropped and its job is done again. Each
line carries its hash: one that is not as it was written is done again too, and that is said.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import stat
import tempfile
import warnings
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from filelock import FileLock, Timeout, UnixFileLock

from eatlas.errors import EatlasError, EatlasWarning, ResultsError
from eatlas.results import AssociationResult
from eatlas.results.records import record_from_dict

STORE = "unfinished.jsonl"
LOCK = ".eatlas.lock"
LEFTOVERS = (".results.jsonl.*", ".report.html.*", ".unfinished.jsonl.*")
"""Files that a killed run was about to put in place of results.jsonl, report.html and the store."""
_LINE = re.compile(
    rb'\{"job": "(?P<job>[^"]*)", "sha256": "(?P<sha256>[0-9a-f]{64})", "result": (?P<result>.*)\}'
)


class Store:
    """The unfinished run of a directory.

    Use as a context manager: entering locks the directory and reads what was done before.

    Parameters
    ----------
    directory : Path
        Exists and can be written to.

    Raises
    ------
    ResultsError
        On entering, if another run holds the directory, or the store cannot be opened or is no
        file.

    Warns
    -----
    EatlasWarning
        On entering, if lines of the store are not as they were written.
    """

    def __init__(self, directory: Path) -> None:
        self.path = directory / STORE
        self.done: dict[str, AssociationResult] = {}
        self._lock = FileLock(directory / LOCK, timeout=0)
        self._handle = -1
        self._finished: set[str] = set()

    def __enter__(self) -> Self:
        self._acquire()
        try:
            self._handle = _opened(self.path)
            self._recover()
            for leftover in (path for p in LEFTOVERS for path in self.path.parent.glob(p)):
                leftover.unlink(missing_ok=True)
        except BaseException as error:
            self._close()
            self._release()
            if isinstance(error, OSError):
                raise _cannot(self.path, error) from error
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        left = os.fstat(self._handle).st_size and set(self.done) - self._finished
        self._close()
        # the file goes when it is closed: some systems neither remove nor replace an open one
        if not left:
            self.path.unlink(missing_ok=True)
        elif self._finished & set(self.done):
            self._keep_only(left)
        self._release()

    def append(self, name: str, result: AssociationResult) -> None:
        """Keep the result of one job.

        Raises
        ------
        ResultsError
            If it cannot be written, for example on a full disk; what was kept before stays.
        """
        data = _line(name, result.model_dump_json().encode())
        end = os.lseek(self._handle, 0, os.SEEK_END)
        try:
            written = os.write(self._handle, data)
            if written < len(data):  # a disk that fills up takes part of a line first
                raise OSError(28, os.strerror(28))
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(self._handle, end)
            raise _cannot(self.path, error) from error
        self.done[name] = result

    def discard(self, names: Collection[str]) -> None:
        """Forget the jobs of a run, once their results stand elsewhere.

        Jobs of another run that was cut off here are not lost: the store stays while it has any.
        """
        self._finished |= set(names)

    def _acquire(self) -> None:
        try:
            self._lock.acquire()
        except Timeout as error:
            raise ResultsError(
                f"{self.path.parent}: another run is writing here",
                remedy="wait for it to end, or choose another directory with --out",
            ) from error
        except OSError as error:
            raise _cannot(self.path, error) from error

    def _close(self) -> None:
        if self._handle >= 0:
            os.close(self._handle)
        self._handle = -1

    def _release(self) -> None:
        """Give the directory free, and leave no lock file in it.

        The file is removed while it is locked. Who opened it before and locks it afterwards holds
        a file without a name, which filelock (3.21 and later) sees, and tries again with the file
        that then has the name; so two never hold the directory. The lock lies beside what it
        guards, not in a directory for temporary files, so that it holds between machines that
        share a disk and between users whose temporary files lie apart. On Windows, and where the
        disk knows no locks, filelock removes the file itself.
        """
        if isinstance(self._lock, UnixFileLock):
            with suppress(OSError):
                Path(self._lock.lock_file).unlink()
        self._lock.release()

    def _recover(self) -> None:
        """Read whole lines; cut off what follows the last of them."""
        with os.fdopen(os.dup(self._handle), "rb") as file:
            file.seek(0)
            data = file.read()
        whole = data[: data.rfind(b"\n") + 1]
        read = [_read(line) for line in whole.splitlines()]
        self.done = dict(one for one in read if one is not None)
        faulty = read.count(None)
        os.ftruncate(self._handle, len(whole))
        if faulty:
            lines = "1 line is" if faulty == 1 else f"{faulty} lines are"
            warnings.warn(
                f"{self.path}: {lines} not as written; what stood there is done again",
                EatlasWarning,
                stacklevel=3,
            )

    def _keep_only(self, names: Collection[str]) -> None:
        """Leave in the store what other runs have not finished, and drop what no line belongs to.

        Where that cannot be written the store stays as it is, which costs only its size.
        """
        with suppress(OSError):
            lines = self.path.read_bytes().splitlines(keepends=True)
            handle, new = tempfile.mkstemp(dir=self.path.parent, prefix=f".{STORE}.")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.writelines(
                        line
                        for line in lines
                        if (found := _LINE.fullmatch(line.rstrip()))
                        and found["job"].decode() in names
                    )
                Path(new).replace(self.path)
            finally:
                Path(new).unlink(missing_ok=True)


def _opened(path: Path) -> int:
    """Open the store for reading and writing; a link or a device in its place is not followed.

    Raises
    ------
    ResultsError
        If there is one.
    OSError
        If the system does not let us.
    """
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        handle = os.open(path, flags, 0o666)
    except OSError as error:
        if error.errno == errno.ELOOP or path.is_symlink():
            raise _no_file(path, "a link, which may lead to any other file") from error
        raise
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise _no_file(path, "a device or a pipe")
    return handle


def _no_file(path: Path, got: str) -> ResultsError:
    return ResultsError(
        f"{path}: finished jobs are kept in a file of this name, and this is none",
        got=got,
        remedy="remove it, or choose another directory with --out",
    )


def _line(name: str, result: bytes) -> bytes:
    """One finished job, with the hash of all that the line says."""
    parts = (name.encode(), _hash(name.encode(), result), result)
    return b'{"job": "%b", "sha256": "%b", "result": %b}\n' % parts


def _hash(name: bytes, result: bytes) -> bytes:
    return hashlib.sha256(name + b"\n" + result).hexdigest().encode()


def _read(line: bytes) -> tuple[str, AssociationResult] | None:
    """The job of one line and its result; None of a line that is not as it was written."""
    found = _LINE.fullmatch(line)
    if found is None or _hash(found["job"], found["result"]) != found["sha256"]:
        return None
    try:
        return found["job"].decode(), record_from_dict(json.loads(found["result"]))
    except (EatlasError, ValueError, KeyError, TypeError, RecursionError):
        return None


def _cannot(path: Path, error: OSError) -> ResultsError:
    return ResultsError(
        f"{path}: finished jobs cannot be kept",
        got=error.strerror or str(error),
        remedy="free some space, or choose another directory with --out; "
        "the same command then does what is left",
    )
