"""The file of the cache: a SQLite database, through damage, full disks and other processes.

A cache may be slow, lost or of no use; it may not be wrong, and no run may end because of it.
SQLite comes with Python and does what a cache needs: batches that are there or not there after a
kill at any moment, processes that read and write at once, a file that grows and shrinks. Rows are
bytes with a hash; nothing in them is ever unpickled, as libraries of caches do.
"""

from __future__ import annotations

import hashlib
import re
import sqlite3
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self, TypeVar

from eatlas.errors import SourceError, SourceWarning, nearest
from eatlas.folders import CACHE, cache_folder
from eatlas.sources.interface import cut

T = TypeVar("T")
PREFIX = "vectors-v1-"
"""Of the files; another layout of the tables gets another number."""
ANSWER, ABOUT, SAME = "answer", "about", "same"
"""Kinds of entries that are no vectors: an answer of a language model; what such a model is; a
pointer to the entry of a text of the same tokens."""
APPLICATION = 0x65617431
"""Marks a database as one of ours: eat1."""
PATIENCE = 60.0
"""Seconds for which another process may lock the file; it does so for one batch at a time."""
SILENCE = 0.8
"""Seconds for which a lock is waited for without a word."""
_AT_ONCE = 500
_NAME = re.compile(re.escape(PREFIX) + r"([0-9]{1,9})\.sqlite")
_TABLES = f"""
BEGIN IMMEDIATE;
PRAGMA application_id = {APPLICATION};
CREATE TABLE models (id INTEGER PRIMARY KEY, fingerprint TEXT NOT NULL UNIQUE, name TEXT NOT NULL);
CREATE TABLE vectors (key BLOB NOT NULL PRIMARY KEY, model INTEGER NOT NULL, mark TEXT NOT NULL,
  kind TEXT NOT NULL, data BLOB NOT NULL, verification BLOB NOT NULL);
CREATE INDEX by_model ON vectors (model);
COMMIT;
"""
_OF_THE_SYSTEM = frozenset(
    getattr(sqlite3, f"SQLITE_{name}")
    for name in (
        "BUSY", "CANTOPEN", "FULL", "IOERR", "LOCKED", "NOMEM", "PERM", "PROTOCOL", "READONLY",
        "TOOBIG",
    )
)  # fmt: skip
"""What the disk or another process is at fault for; all else is damage to the file."""


class NotOursError(Exception):
    """The file is a database of another program."""


@dataclass(frozen=True)
class Entry:
    """What is kept under one key."""

    data: bytes
    kind: str
    """What the bytes are: the type of a vector's numbers, such as <f4, or answer, or about."""
    mark: str = ""
    """What the source has to say of it, such as that a text was cut."""


@dataclass(frozen=True)
class Kept:
    """What is kept of one model."""

    name: str
    fingerprint: str
    vectors: int
    answers: int
    """Log-probabilities of stimuli in texts, where the model is a language model."""
    bytes: int
    """Of the numbers alone."""


@dataclass(frozen=True)
class Contents:
    """What the folder of the cache holds."""

    folder: Path
    size: int
    """Bytes on disk, with SQLite's log."""
    models: tuple[Kept, ...]
    damaged: str | None = None
    """What is wrong with the file, if it cannot be read; the next run begins a new one then."""


class CacheStore:
    """What a folder keeps, to be used in a ``with`` block."""

    def __init__(self, folder: Path, *, quiet: bool = False) -> None:
        self.folder, self.quiet = folder, quiet
        self.usable = True
        """Whether what is put here is kept."""
        self._connection: sqlite3.Connection | None = None
        self._generation = 0
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def get(self, keys: Collection[bytes]) -> dict[bytes, Entry]:
        """Return the entries of those keys that are whole."""
        if not keys or (self._connection is None and not self._files()):
            return {}  # a folder is made when there is something to keep
        return self._done(lambda connection: _get(connection, keys)) or {}

    def put(self, fingerprint: str, name: str, entries: Mapping[bytes, Entry]) -> None:
        """Keep entries of one source: all of them or, after a kill, none."""
        if entries:
            self._done(lambda connection: _put(connection, fingerprint, name, entries))

    def _done(self, action: Callable[[sqlite3.Connection], T]) -> T | None:
        """What an action returns; in a new file where the old one turns out to be damaged."""
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
                self._connection = None
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

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            there = self._files()
            self._generation = there[-1] if there else renew(self.folder, 0)
            path = file_of(self.folder, self._generation)
            self._connection = self._stack.enter_context(_opened(path))
        return self._connection


def contents() -> Contents:
    """Say what is kept."""
    folder = cache_folder()
    try:
        size = sum(map(_size, folder.glob(f"{PREFIX}*"))) if folder.is_dir() else 0
        there = generations(folder)
        if not there:
            return Contents(folder, size, ())
        with _opened(file_of(folder, there[-1])) as connection:
            return Contents(folder, size, tuple(_models(connection)))
    except OSError as error:
        raise _out_of_reach(folder, error) from error
    except (sqlite3.Error, NotOursError) as error:
        return Contents(folder, size, (), str(error) or "a database of another program")


def clear(model: str | None = None) -> tuple[Kept, ...]:
    """Remove what is kept."""
    found = contents()
    try:
        if model is not None:
            return _clear_model(found, model)
        if there := generations(found.folder):
            renew(found.folder, there[-1])
    except (OSError, sqlite3.Error) as error:
        raise _out_of_reach(found.folder, error) from error
    return found.models


def _clear_model(found: Contents, model: str) -> tuple[Kept, ...]:
    """Remove the entries of one model, by its name."""
    names = list(dict.fromkeys(one.name for one in found.models))
    if model not in names:
        near = nearest(model, names)
        raise SourceError(
            f"{found.folder}: nothing is kept of this source",
            got=model,
            allowed=", ".join(names) or "nothing is kept at all",
            remedy=f"did you mean {near[0]}?" if near else None,
        )
    of_name = "IN (SELECT id FROM models WHERE name = ?)"
    with _opened(file_of(found.folder, generations(found.folder)[-1])) as connection:
        with _transaction(connection):
            gone = [one for one in _models(connection) if one.name == model]
            connection.execute(f"DELETE FROM vectors WHERE model {of_name}", (model,))  # noqa: S608
            connection.execute("DELETE FROM models WHERE name = ?", (model,))
        connection.execute("VACUUM")
    return tuple(gone)


def generations(folder: Path) -> list[int]:
    """Numbers of the files there, ascending; the last one is in use."""
    names = (path.name for path in folder.iterdir()) if folder.is_dir() else ()
    return sorted(int(found[1]) for name in names if (found := _NAME.fullmatch(name)))


def file_of(folder: Path, generation: int) -> Path:
    """Name of a file.

    A file is never replaced by another of its name: SQLite keeps its log beside it under a name
    made of the file's, and a process that still holds the old file would remove the new one's.
    """
    return folder / f"{PREFIX}{generation}.sqlite"


def renew(folder: Path, old: int, *, delete: bool = True) -> int:
    """Begin a new file, unless another process has done so; return its number."""
    folder.mkdir(parents=True, exist_ok=True)
    with _alone(folder / f"{PREFIX}lock"):
        newest = max(generations(folder), default=0)
        if newest <= old:
            newest = max(old, newest) + 1
            _create(file_of(folder, newest))
        if delete and old:
            for end in ("", "-wal", "-shm"):
                path = file_of(folder, old)
                path.with_name(path.name + end).unlink(missing_ok=True)
    return newest


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Hold a lock; that another process has it is said before it is waited for."""
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


def _create(path: Path) -> None:
    """Make an empty file, which gets its name when it is whole."""
    new = path.with_suffix(".new")
    new.unlink(missing_ok=True)
    new.touch()
    with closing(_connect(new)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(_TABLES)
    new.replace(path)


def _connect(path: Path) -> sqlite3.Connection:
    address = f"{path.as_uri()}?mode=rw"  # a file that another process removes is not made anew
    connection = sqlite3.connect(address, timeout=PATIENCE, isolation_level=None, uri=True)
    # a kill loses nothing either way; a power failure may lose the last batches, and no others
    connection.execute("PRAGMA synchronous = NORMAL")
    return connection


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a file that is there."""
    with closing(_connect(path)) as connection:
        ((application,),) = connection.execute("PRAGMA application_id")
        if application != APPLICATION:
            raise NotOursError
        yield connection


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _get(connection: sqlite3.Connection, keys: Collection[bytes]) -> dict[bytes, Entry]:
    """Entries by key; a row whose hash is not its own is none."""
    found: dict[bytes, Entry] = {}
    for some in cut(keys, _AT_ONCE):
        marks = ",".join("?" * len(some))
        rows = connection.execute(
            f"SELECT key, mark, kind, data, verification FROM vectors WHERE key IN ({marks})",  # noqa: S608
            some,
        )
        for key, mark, kind, data, verification in rows:
            types = [type(value) for value in (mark, kind, data)]
            if types == [str, str, bytes] and verification == _check(key, mark, kind, data):
                found[key] = Entry(data, kind, mark)
    return found


def _put(
    connection: sqlite3.Connection, fingerprint: str, name: str, entries: Mapping[bytes, Entry]
) -> None:
    """Write entries with their hashes in one transaction."""
    with _transaction(connection):
        connection.execute(
            "INSERT OR IGNORE INTO models (fingerprint, name) VALUES (?, ?)", (fingerprint, name)
        )
        ((model,),) = connection.execute(
            "SELECT id FROM models WHERE fingerprint = ?", (fingerprint,)
        )
        connection.executemany(
            "INSERT OR REPLACE INTO vectors (key, mark, kind, data, verification, model) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            (
                (key, e.mark, e.kind, e.data, _check(key, e.mark, e.kind, e.data), model)
                for key, e in entries.items()
            ),
        )


def _check(key: bytes, mark: str, kind: str, data: bytes) -> bytes:
    """Hash of a row, which is kept in it."""
    digest = hashlib.blake2b(digest_size=16)
    for part in (key, mark.encode("utf-8", "surrogatepass"), kind.encode(), data):
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.digest()


def _models(connection: sqlite3.Connection) -> list[Kept]:
    """What is kept of each model, in the order in which they came."""
    rows = connection.execute(
        "SELECT name, fingerprint, COUNT(key) - COALESCE(SUM(kind IN (?, ?, ?)), 0), "
        "COALESCE(SUM(kind = ?), 0), COALESCE(SUM(LENGTH(data) * (kind != ?)), 0) "
        "FROM models LEFT JOIN vectors ON model = id GROUP BY id ORDER BY id",
        (ANSWER, ABOUT, SAME, ANSWER, SAME),
    )
    return [Kept(*row) for row in rows]


def _size(path: Path) -> int:
    """Bytes of a file; none of a journal that ended since the folder was listed."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _is_of_the_system(error: Exception) -> bool:
    code = getattr(error, "sqlite_errorcode", None)  # None where a text is not UTF-8
    return code is not None and code & 0xFF in _OF_THE_SYSTEM


def _said(error: Exception) -> str:
    return (isinstance(error, OSError) and error.strerror) or str(error) or type(error).__name__


def _of_no_use(folder: Path, error: Exception) -> str:
    return (
        f"{folder}: computed vectors cannot be kept there ({_said(error)}); this run "
        f"continues without; the next one computes them again. Set {CACHE} to a folder that "
        "can be "
        "written to, or add ?cache=no to the source"
    )


def _out_of_reach(folder: Path, error: Exception) -> SourceError:
    return SourceError(
        f"{folder}: the folder of what models computed is out of reach",
        got=_said(error),
        remedy=f"set {CACHE} to a folder that you may write to",
    )
