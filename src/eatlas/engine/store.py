"""Finished jobs on disk, one a line, so that a run that was killed can go on.

The store only grows while a run lasts, under a lock. Each line is written by one system call, so a
kill can cut the last line and nothing else; a cut line is dropped and its job is done again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from filelock import FileLock, Timeout, UnixFileLock

from eatlas.errors import EatlasError, ResultsError
from eatlas.results import AssociationResult
from eatlas.results.records import record_from_dict

STORE = "unfinished.jsonl"
LOCK = ".eatlas.lock"
LEFTOVERS = (".results.jsonl.*", ".report.html.*")
"""Files that a killed run was about to put in place of results.jsonl and report.html."""


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
        On entering, if another run holds the directory, or the store cannot be opened.
    """

    def __init__(self, directory: Path) -> None:
        self.path = directory / STORE
        self.done: dict[str, AssociationResult] = {}
        self._lock = FileLock(directory / LOCK, timeout=0)
        self._handle = -1
        self._spent = False

    def __enter__(self) -> Self:
        self._acquire()
        try:
            self._handle = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o666)
            self._recover()
            for leftover in (path for p in LEFTOVERS for path in self.path.parent.glob(p)):
                leftover.unlink(missing_ok=True)
        except OSError as error:
            self._close()
            self._release()
            raise _cannot(self.path, error) from error
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        needless = self._spent or not os.fstat(self._handle).st_size
        self._close()
        if needless:
            self.path.unlink(missing_ok=True)
        self._release()

    def append(self, name: str, result: AssociationResult) -> None:
        """Keep the result of one job.

        Raises
        ------
        ResultsError
            If it cannot be written, for example on a full disk; what was kept before stays.
        """
        data = f'{{"job": "{name}", "result": {result.model_dump_json()}}}\n'.encode()
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
        # the file goes when it is closed: some systems do not remove an open one
        self._spent = set(self.done) <= set(names)

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
        with self.path.open("rb") as file:
            data = file.read()
        whole = data[: data.rfind(b"\n") + 1]
        for line in whole.splitlines():
            with suppress(EatlasError, ValueError, KeyError, TypeError):
                entry = json.loads(line)
                self.done[entry["job"]] = record_from_dict(entry["result"])
        os.ftruncate(self._handle, len(whole))


def _cannot(path: Path, error: OSError) -> ResultsError:
    return ResultsError(
        f"{path}: finished jobs cannot be kept",
        got=error.strerror or str(error),
        remedy="free some space, or choose another directory with --out; "
        "the same command then does what is left",
    )
