"""The file of the cache: a SQLite database beside which a run also works without.

Nothing in it is ever unpickled.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from eatlas.errors import SourceError, nearest
from eatlas.folders import CACHE, cache_folder
from eatlas.notes import Note, warn

T = TypeVar("T")
NAME = "vectors-v2.sqlite"
ANSWER, SAME = "answer", "same"
"""Kinds of entries that are no vectors: an answer of a language model; a pointer to the entry of a
text of the same tokens."""
PATIENCE = 60.0
"""Seconds for which another process may lock the file; it does so for one batch at a time."""
_TABLE = """CREATE TABLE IF NOT EXISTS vectors (key BLOB NOT NULL PRIMARY KEY,
  fingerprint TEXT NOT NULL, name TEXT NOT NULL, mark TEXT NOT NULL, kind TEXT NOT NULL,
  data BLOB NOT NULL)"""


@dataclass(frozen=True)
class Entry:
    """What is kept under one key."""

    data: bytes
    kind: str
    """What the bytes are: the type of a vector's numbers, such as <f4, or answer."""
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
    """What is wrong with the file, if it cannot be read."""


class CacheStore:
    """Entries by key. A file that cannot be read or written is said once and done without."""

    def __init__(self) -> None:
        self.path, self.usable = cache_folder() / NAME, True

    def get(self, keys: Collection[bytes], *, behind: bool = False) -> dict[bytes, Entry]:
        """Return the entries that are there; or those behind pointers."""
        if not keys or not self.path.exists():  # a folder is made when there is something to keep
            return {}
        query = "SELECT data, kind, mark FROM vectors WHERE key = ?"
        if behind:
            query = query.replace("?", "(SELECT data FROM vectors WHERE key = ?)")

        def read(connection: sqlite3.Connection) -> dict[bytes, Entry]:
            rows = ((key, connection.execute(query, (key,)).fetchone()) for key in keys)
            return {key: Entry(*row) for key, row in rows if row}

        return self._done(read) or {}

    def put(self, fingerprint: str, name: str, entries: Mapping[bytes, Entry]) -> None:
        """Keep entries of one source: all of them or, after a kill, none."""
        rows = [(key, fingerprint, name, e.mark, e.kind, e.data) for key, e in entries.items()]
        query = "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?, ?, ?)"
        if rows:
            self._done(lambda connection: connection.executemany(query, rows))

    def _done(self, action: Callable[[sqlite3.Connection], T]) -> T | None:
        """Do something with the table; a damaged or full one is warned of and left alone."""
        if not self.usable:
            return None
        try:
            with _opened(self.path) as connection:
                return action(connection)
        except (sqlite3.Error, OSError) as error:
            self.usable = False
            values = {"file": str(self.path), "reason": _reason(error), "variable": CACHE}
            warn(Note("source.not-cached", values=values))
            return None


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    """Open the file for one transaction."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path, timeout=PATIENCE)) as connection, connection:
        connection.execute("PRAGMA journal_mode = WAL")
        # a kill loses nothing either way; a power failure may lose the last batches, and no others
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(_TABLE)
        yield connection


def contents() -> Contents:
    """Say what is kept."""
    path = cache_folder() / NAME
    files = [path.with_name(f"{NAME}{end}") for end in ("", "-wal", "-shm")]
    size = sum(file.stat().st_size for file in files if file.is_file())
    if not size:
        return Contents(path.parent, 0, ())
    query = """SELECT name, fingerprint, SUM(kind NOT IN ('answer', 'same')),
      SUM(kind = 'answer'), SUM(LENGTH(data) * (kind != 'same'))
      FROM vectors GROUP BY name, fingerprint ORDER BY MIN(rowid)"""
    try:
        with _opened(path) as connection:
            rows = connection.execute(query).fetchall()
    except (sqlite3.Error, OSError) as error:
        return Contents(path.parent, size, (), _reason(error))
    return Contents(path.parent, size, tuple(Kept(*row) for row in rows))


def clear(model: str | None = None) -> tuple[Kept, ...]:
    """Remove what is kept, or what is kept of one source."""
    content = contents()
    removed = tuple(kept for kept in content.models if model in {None, kept.name})
    if model is not None and not removed:
        names = list(dict.fromkeys(kept.name for kept in content.models))
        near = nearest(model, names)
        raise SourceError(
            f"{content.folder}: nothing is kept of this source",
            got=model,
            allowed=", ".join(names) or "nothing is kept at all",
            remedy=f"did you mean {near[0]}?" if near else None,
        )
    path = content.folder / NAME
    try:
        if content.damaged:
            path.unlink(missing_ok=True)
        elif removed:
            with _opened(path) as connection:
                connection.execute("DELETE FROM vectors WHERE ? IN ('', name)", (model or "",))
            with closing(sqlite3.connect(path, timeout=PATIENCE)) as connection:
                connection.execute("VACUUM")
    except (sqlite3.Error, OSError) as error:
        raise SourceError(
            f"{content.folder}: the folder of what models computed is out of reach",
            got=_reason(error),
            remedy=f"set {CACHE} to a folder that you may write to",
        ) from error
    return removed


def _reason(error: Exception) -> str:
    return (isinstance(error, OSError) and error.strerror) or str(error)
