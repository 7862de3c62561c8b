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
import tempfile
from collections.abc import Callable, Collection
from contextlib import suppress
from glob import escape
from pathlib import Path
from typing import Any, Generic, Self, TypeVar

from filelock import FileLock, Timeout, UnixFileLock

from eatlas.errors import EatlasError, ResultsError
from eatlas.notes import Note, warn
from eatlas.results import AssociationResult
from eatlas.results.json_lines import record_from_dict
from eatlas.writing import remove_leftovers

Piece = TypeVar("Piece")

STORE = "unfinished.jsonl"
LOCK = ".eatlas.lock"
WRITTEN = ("results.jsonl", "report.html")
"""Files of which a run that was killed may have left a part."""
_LINE = re.compile(
    rb'\{"job": "(?P<job>[^"]*)", "sha256": "(?P<sha256>[0-9a-f]{64})", '
    rb'"result": (?P<result>.*)\}\n'
)


class Journal:
    """Finished pieces of work in a file that only grows.

    Use as a context manager: entering locks the file and reads what was done before. Without a
    path nothing is written.
    """

    work = "jobs"
    """What is stored, as messages call it."""
    task = "run"
    """What writes the file, as messages call it."""

    def __init__(self, path: Path | None, lock: Path | None, out: Path | None) -> None:
        self.path, self.out = path, out
        self._lock = FileLock(lock or "", timeout=0)
        self._handle = -1
        self.pieces: set[str] = set()
        """Names of the pieces that the file is stored for."""

    def take(self, name: str, result: bytes) -> None:
        """Take over a piece that was done before."""

    def __enter__(self) -> Self:
        if self.path is None:
            return self
        try:
            self._lock.acquire()
            # a link in place of the file is not followed
            flags = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
            self._handle = os.open(self.path, os.O_RDWR | os.O_CREAT | flags, 0o666)
            self._recover(self.path)
        except Timeout as error:
            raise ResultsError(
                f"{self.out}: another {self.task} is writing here",
                remedy="wait until it ends, or choose another folder with --out",
            ) from error
        except BaseException as error:
            self._close()
            if isinstance(error, OSError):
                raise _unwritable(self.out, error) from error
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if self.path is not None:
            self._close(self.path)

    def append(self, name: str, result: bytes) -> None:
        """Keep the result of one piece, which has no line end."""
        if self.path is None:
            return
        head = b'{"job": "%b", "sha256": "%b", "result": ' % (name.encode(), _hash(name, result))
        end = os.lseek(self._handle, 0, os.SEEK_END)
        data = head + result + b"}\n"
        try:
            if os.write(self._handle, data) < len(data):  # a disk that fills up takes a part first
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(self._handle, end)
            raise ResultsError(
                f"{self.path}: finished {self.work} cannot be stored",
                got=error.strerror or str(error),
                remedy="free some space, or choose another folder with --out; repeat the command "
                "to continue",
            ) from error
        self.pieces.add(name)

    def discard(self, names: Collection[str]) -> None:
        """Forget pieces, once what follows from them is elsewhere.

        The file stays while it has pieces of other work that was cut off.
        """
        self.pieces -= set(names)

    def _recover(self, path: Path) -> None:
        """Take over whole lines; cut off what follows the last of them."""
        end = faulty = 0
        with path.open("rb") as file:
            for line in file:
                if not line.endswith(b"\n"):
                    break
                end += len(line)
                match = _LINE.fullmatch(line)
                name = match["job"].decode(errors="replace") if match else ""
                if match is None or _hash(name, match["result"]) != match["sha256"]:
                    faulty += 1
                    continue
                try:
                    self.take(name, match["result"])
                    self.pieces.add(name)
                except (EatlasError, ValueError, KeyError, TypeError, RecursionError):
                    faulty += 1
        os.ftruncate(self._handle, end)
        if faulty:
            warn(
                Note("run.damaged-lines", values={"file": str(path), "count": faulty}), stacklevel=4
            )

    def _close(self, done: Path | None = None) -> None:
        """Close the file, remove it where nothing is left in it, and leave no lock file.

        The lock file is removed while it is locked: who locks it afterwards holds a file without a
        name, which filelock (3.21 and later) sees, and tries again. On Windows filelock removes it.
        """
        if self._handle >= 0:
            os.close(self._handle)
        self._handle = -1
        # the file goes when it is closed: some systems do not remove an open one
        if done is not None and not self.pieces:
            done.unlink(missing_ok=True)
        if isinstance(self._lock, UnixFileLock):
            with suppress(OSError):
                Path(self._lock.lock_file).unlink()
        self._lock.release()


class FileJournal(Journal):
    """Finished pieces of what will be one file, in a hidden file next to it."""

    def __init__(self, out: Path | None, identity: str) -> None:
        self.identity = identity
        if out is None:
            super().__init__(None, None, None)
        else:
            super().__init__(_partial_path(out, identity), out.with_name(f".{out.name}.lock"), out)


class NumberedPieces(FileJournal, Generic[Piece]):
    """The finished pieces of a scan by their number; kept in a file where the scan has one."""

    task = "scan"

    def __init__(
        self, plan: Any, to_bytes: Callable[[Piece], bytes], from_bytes: Callable[[bytes], Piece]
    ) -> None:
        super().__init__(plan.out, plan.identity)
        self.done: dict[int, Piece] = {}
        self._to_bytes, self._from_bytes = to_bytes, from_bytes

    @property
    def n_finished(self) -> int:
        """How much is done, in what `work` names."""
        return len(self.done)

    def keep(self, number: int, piece: Piece) -> None:
        """Keep a finished piece."""
        if self.path is not None:
            self.append(f"{self.identity} {number}", self._to_bytes(piece))
        self.done[number] = piece

    def take(self, name: str, result: bytes) -> None:
        """Take over a piece that was done before."""
        identity, _, number = name.partition(" ")
        if identity != self.identity:
            raise ValueError(name)
        self.done[int(number)] = self._from_bytes(result)


def _partial_path(out: Path, identity: str) -> Path:
    return out.with_name(f".{out.name}.{identity[:12]}.unfinished")


def leftover_files(out: Path, identity: str) -> list[Path]:
    """What work with other settings has left unfinished beside a file."""
    files = out.parent.glob(f".{escape(out.name)}.*.unfinished")
    return sorted(set(files) - {_partial_path(out, identity)})


class Store(Journal):
    """The finished jobs of the unfinished runs of a directory."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory / STORE, directory / LOCK, directory)
        self.directory = directory
        self.done: dict[str, AssociationResult] = {}

    def __enter__(self) -> Self:
        super().__enter__()
        for name in WRITTEN:
            remove_leftovers(self.directory / name)
        return self

    def take(self, name: str, result: bytes) -> None:
        """Take over a job that was done before."""
        self.done[name] = record_from_dict(json.loads(result))

    def keep(self, name: str, result: AssociationResult) -> None:
        """Keep the result of one job."""
        self.append(name, result.model_dump_json().encode())
        self.done[name] = result


def open_store(directory: Path) -> Store:
    """The store of a directory, which is made where there is none."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            pass
    except OSError as error:
        raise _unwritable(directory, error) from error
    return Store(directory)


def _unwritable(path: Path | None, error: OSError) -> ResultsError:
    return ResultsError(
        f"--out {path}: cannot be written to",
        got=": ".join(filter(None, [error.filename, error.strerror or str(error)])),
        remedy="choose another folder with --out",
    )


def _hash(name: str, result: bytes) -> bytes:
    return hashlib.sha256(name.encode() + b"\n" + result).hexdigest().encode()
