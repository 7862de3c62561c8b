"""One file of what models computed: a SQLite database with a log, so that a kill leaves it whole.

SQLite comes with Python, and does what a cache needs and nothing else here does as well: batches
that are there or not there after a kill at any moment, processes that read and write at once, a
file that grows and shrinks.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from eatlas.encoders.cache.keys import ABOUT, ANSWER, SAME, Entry, packed, unpacked
from eatlas.encoders.cutting import cut

APPLICATION = 0x65617431
"""Marks a database as one of ours: eat1."""
PATIENCE = 60.0
"""Seconds for which another process may hold the file; it holds it for one batch at a time."""
ASKED_AT_ONCE = 500
_TABLES = f"""
PRAGMA application_id = {APPLICATION};
CREATE TABLE models (id INTEGER PRIMARY KEY, fingerprint TEXT NOT NULL UNIQUE, name TEXT NOT NULL);
CREATE TABLE vectors (key BLOB NOT NULL PRIMARY KEY, model INTEGER NOT NULL, mark TEXT NOT NULL,
  kind TEXT NOT NULL, data BLOB NOT NULL, verification BLOB NOT NULL);
CREATE INDEX by_model ON vectors (model);
"""


class NotOursError(Exception):
    """The file is a database of another program."""


@dataclass(frozen=True)
class Kept:
    """What is kept of one model."""

    name: str
    fingerprint: str
    vectors: int
    answers: int
    """Log-probabilities of stimuli in texts, where it was asked as a language model."""
    bytes: int
    """Of the numbers alone."""


class Database:
    """An open file of what models computed.

    Parameters
    ----------
    connection : sqlite3.Connection
        Of a file that has the tables.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def get(self, keys: Collection[bytes]) -> dict[bytes, Entry]:
        """Return what stands under those keys, where it is whole."""
        found: dict[bytes, Entry] = {}
        for some in cut(keys, ASKED_AT_ONCE):
            marks = ",".join("?" * len(some))
            rows = self._connection.execute(
                f"SELECT key, mark, kind, data, verification FROM vectors WHERE key IN ({marks})",  # noqa: S608
                some,
            )
            for row in rows:
                entry = unpacked(*row)
                if entry is not None:
                    found[row[0]] = entry
        return found

    def put(self, fingerprint: str, name: str, entries: Mapping[bytes, Entry]) -> None:
        """Keep entries of one source; all of them or, after a kill, none."""
        rows = [packed(key, entry) for key, entry in entries.items()]
        connection = self._connection
        connection.execute("BEGIN IMMEDIATE")
        try:
            connection.execute(
                "INSERT OR IGNORE INTO models (fingerprint, name) VALUES (?, ?)",
                (fingerprint, name),
            )
            ((model,),) = connection.execute(
                "SELECT id FROM models WHERE fingerprint = ?", (fingerprint,)
            )
            connection.executemany(
                "INSERT OR REPLACE INTO vectors (key, mark, kind, data, verification, model) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                ((*row, model) for row in rows),
            )
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise

    def models(self) -> list[Kept]:
        """What is kept of each model, in the order in which they came."""
        rows = self._connection.execute(
            "SELECT name, fingerprint, COUNT(key) - COALESCE(SUM(kind IN (?, ?, ?)), 0), "
            "COALESCE(SUM(kind = ?), 0), COALESCE(SUM(LENGTH(data) * (kind != ?)), 0) "
            "FROM models LEFT JOIN vectors ON model = id GROUP BY id ORDER BY id",
            (ANSWER, ABOUT, SAME, ANSWER, SAME),
        )
        return [Kept(*row) for row in rows]

    def forget(self, name: str) -> list[Kept]:
        """Remove what is kept of every model of a name; return what that was."""
        connection = self._connection
        connection.execute("BEGIN IMMEDIATE")
        of_name = "IN (SELECT id FROM models WHERE name = ?)"
        gone = [one for one in self.models() if one.name == name]
        connection.execute(f"DELETE FROM vectors WHERE model {of_name}", (name,))  # noqa: S608
        connection.execute("DELETE FROM models WHERE name = ?", (name,))
        connection.execute("COMMIT")
        connection.execute("VACUUM")
        return gone


@contextmanager
def opened(path: Path) -> Iterator[Database]:
    """Open a file that is there.

    Raises
    ------
    sqlite3.Error
        If it is damaged, held by others, or cannot be read.
    NotOursError
        If another program wrote it.
    """
    with closing(_connect(path)) as connection:
        _require_ours(connection)
        yield Database(connection)


def create(path: Path) -> None:
    """Make an empty file, which is whole when it stands under its name.

    Raises
    ------
    sqlite3.Error, OSError
        If that cannot be done.
    """
    new = path.with_suffix(".new")
    new.unlink(missing_ok=True)
    new.touch()
    with closing(_connect(new)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(f"BEGIN IMMEDIATE;{_TABLES}COMMIT;")
    new.replace(path)


def _connect(path: Path) -> sqlite3.Connection:
    address = f"{path.as_uri()}?mode=rw"  # a file that another process removes is not made anew
    connection = sqlite3.connect(address, timeout=PATIENCE, isolation_level=None, uri=True)
    # a kill loses nothing either way; a power failure may lose the last batches, and no others
    connection.execute("PRAGMA synchronous = NORMAL")
    return connection


def _require_ours(connection: sqlite3.Connection) -> None:
    ((application,),) = connection.execute("PRAGMA application_id")
    if application != APPLICATION:
        raise NotOursError
