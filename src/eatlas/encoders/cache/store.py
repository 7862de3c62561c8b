"""What models computed, kept in a folder through damage, full disks and other processes.

A cache may be slow, lost or of no use; it may not be wrong, and no run may end because of it.
"""

from __future__ import annotations

import sqlite3
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Self, TypeVar

from eatlas.encoders.cache.database import PATIENCE, Database, NotOursError, create, opened
from eatlas.encoders.cache.keys import Entry
from eatlas.encoders.cache.place import PREFIX, VARIABLE, file_of, generations
from eatlas.errors import SourceWarning

T = TypeVar("T")
SILENCE = 0.8
"""Seconds for which a lock is waited for without a word."""
_OF_THE_SYSTEM = frozenset(
    (
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_PROTOCOL,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_TOOBIG,
    )
)
"""What the disk or another process is at fault for; all else is damage to the file."""


class Store:
    """What a folder keeps, to be used in a ``with`` block.

    Parameters
    ----------
    folder : Path
        Made when it is first needed.
    quiet : bool
        For what is of use alone beside other entries, which say what has to be said.

    Warns
    -----
    SourceWarning
        Once, where the folder or the disk does not let us keep anything.
    """

    def __init__(self, folder: Path, *, quiet: bool = False) -> None:
        self.folder, self.quiet = folder, quiet
        self.usable = True
        """Whether what is put here is kept."""
        self._database: Database | None = None
        self._generation = 0
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def get(self, keys: Collection[bytes]) -> dict[bytes, Entry]:
        """Return what stands under those keys, where it is whole."""
        if not keys or (self._database is None and not self._files()):
            return {}  # a folder is made when there is something to keep
        return self._done(lambda database: database.get(keys)) or {}

    def put(self, fingerprint: str, name: str, entries: Mapping[bytes, Entry]) -> None:
        """Keep entries of one source, if that can be done."""
        if entries:
            self._done(lambda database: database.put(fingerprint, name, entries))

    def _done(self, action: Callable[[Database], T]) -> T | None:
        """What an action gives; in a new file where the old one turns out to be damaged."""
        if not self.usable:
            return None
        try:
            try:
                return action(self._open())
            except (sqlite3.Error, NotOursError) as error:
                # where the file is gone, another process cleared the cache
                path = file_of(self.folder, self._generation)
                if _is_of_the_system(error) and (not self._generation or path.exists()):
                    raise
                self._stack.close()
                renew(self.folder, self._generation, delete=not isinstance(error, NotOursError))
                self._database = None
                return action(self._open())
        except (sqlite3.Error, NotOursError, OSError) as error:
            self.usable = False
            self._stack.close()
            if not self.quiet:
                warnings.warn(_of_no_use(self.folder, error), SourceWarning, stacklevel=2)
            return None

    def _files(self) -> list[int]:
        try:
            return generations(self.folder)
        except OSError:  # said when there is something to keep
            return []

    def _open(self) -> Database:
        if self._database is None:
            there = self._files()
            self._generation = there[-1] if there else renew(self.folder, 0)
            path = file_of(self.folder, self._generation)
            self._database = self._stack.enter_context(opened(path))
        return self._database


def renew(folder: Path, old: int, *, delete: bool = True) -> int:
    """Begin a new file, unless another process has done so; return its number.

    Parameters
    ----------
    folder : Path
    old : int
        Number of the file that is not to be used any more.
    delete : bool
        Whether that file goes; a database of another program stays.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with _alone(folder / f"{PREFIX}lock"):
        there = generations(folder)
        newest = there[-1] if there else 0
        if newest <= old:
            newest = max(old, newest) + 1
            create(file_of(folder, newest))
        if delete and old:
            for end in ("", "-wal", "-shm"):
                path = file_of(folder, old)
                path.with_name(path.name + end).unlink(missing_ok=True)
    return newest


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Hold a lock; that another process has it is said before it is waited for.

    Raises
    ------
    OSError
        If it is not free in time.
    """
    from filelock import FileLock, Timeout  # noqa: PLC0415  (mostly there is a file)

    lock = FileLock(path)
    try:
        lock.acquire(timeout=SILENCE)
    except Timeout:
        warnings.warn(
            f"{path}: another process holds this; waiting up to {PATIENCE:g} seconds for it",
            SourceWarning,
            stacklevel=2,
        )
        lock.acquire(timeout=PATIENCE)
    try:
        yield
    finally:
        lock.release()


def _is_of_the_system(error: Exception) -> bool:
    code = getattr(error, "sqlite_errorcode", None)  # None where a text is no UTF-8
    return code is not None and code & 0xFF in _OF_THE_SYSTEM


def _of_no_use(folder: Path, error: Exception) -> str:
    why = (isinstance(error, OSError) and error.strerror) or str(error) or type(error).__name__
    return (
        f"{folder}: what models compute is not kept there ({why}); the run goes on without, and "
        f"the next one computes it again. Set {VARIABLE} to a folder that can be written to, or "
        "add ?cache=no to the source"
    )
