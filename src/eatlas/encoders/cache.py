"""Outputs of models are stored on disk, with everything they depend on as the key.

Vectors of encoders and answers of language models go the same way: what is stored is handed out,
the rest is computed in batches, each batch is stored as it comes. The file is a SQLite database
beside which a run also works without; nothing in it is ever unpickled. Each row has a hash: one
that is not as it was written is computed again, and that is said.
"""

from __future__ import annotations

import hashlib
import json
import logging
import re
import sqlite3
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from pydantic import TypeAdapter

from eatlas.encoders.encoder import shortest_first
from eatlas.encoders.models import hash_of
from eatlas.errors import SourceError, described, nearest
from eatlas.notes import Note, warn
from eatlas.paths import CACHE, cache_folder
from eatlas.sources.source import (
    Answers,
    Found,
    Item,
    Source,
    Unknown,
    Wrapper,
    is_contextual,
)
from eatlas.sources.spec import take_option
from eatlas.untrusted import computes_afresh

log = logging.getLogger("eatlas")
T = TypeVar("T")
Q = TypeVar("Q")
A = TypeVar("A")
Opener = Callable[[str], tuple[Source, ...]]
NAME = "vectors-v4.sqlite"
ANSWER = "answer"
"""Kind of the rows of language models; that of a vector is the type of its numbers, as <f4."""
Row = tuple[bytes, str, str]
"""What is stored under one key: bytes, their kind, and what the source has to say of them."""
PATIENCE = 60.0
"""Seconds for which another process may lock the file; it does so for one batch at a time."""
_TABLE = """CREATE TABLE vectors (key BLOB NOT NULL PRIMARY KEY,
  fingerprint TEXT NOT NULL, name TEXT NOT NULL, data BLOB NOT NULL, kind TEXT NOT NULL,
  mark TEXT NOT NULL, hash BLOB NOT NULL)"""
_NUMBERS = re.compile(r"[<>|][fiu][1-9][0-9]?")
"""Kinds of vectors, as numpy writes them."""
_MARK = TypeAdapter(tuple[Unknown, bool, tuple[str, ...]])
"""What is noted of a text or an image."""


class CachedSource(Wrapper):
    """An encoder whose vectors are stored on disk; stored and computed vectors look the same."""

    def vectors(self, items: Collection[Item]) -> Iterator[Answers]:
        """Answer with vectors that are stored, and have the source compute the others."""
        source = self.source
        keys = {item: key_of(source, item) for item in sorted(items, key=shortest_first)}
        for answers in through_cache(keys, source, source.vectors, _OF_VECTORS):
            source.recall(answers)
            yield answers


def cached(source: Source) -> CachedSource:
    """Keep the vectors of a source on disk; a source that is already cached is returned unchanged.

    Parameters
    ----------
    source : Source
        Its fingerprint must say all that its vectors depend on.

    Raises
    ------
    SourceError
        If it does not encode texts.
    """
    if isinstance(source, CachedSource):
        return source
    if not is_contextual(source):
        raise SourceError(
            "only computed vectors can be cached",
            got=described(source),
            allowed="a source that encodes passages",
            remedy="remove cache=yes",
        )
    return CachedSource(source)


def keeping(opener: Opener) -> Opener:
    """Let an opener of encoders keep their vectors, unless a source string says ``cache=no``.

    The option is no part of the source's name: numbers are the same either way.
    """

    @wraps(opener)
    def open_some(text: str) -> tuple[Source, ...]:
        plain, keep = take_cache(text)
        sources = opener(plain)
        return tuple(map(cached, sources)) if keep and not computes_afresh() else sources

    return open_some


def take_cache(text: str) -> tuple[str, bool]:
    """Return a source string without the option, and whether what is computed is stored.

    >>> take_cache("hf:gpt2?cache=no&precision=float16")
    ('hf:gpt2?precision=float16', False)
    """
    plain, choice = take_option(text, "cache")
    if choice not in {None, "yes", "no"}:
        raise SourceError(f"{text}: the option cache", got=choice, allowed="yes or no")
    return plain, choice != "no"


class Form(NamedTuple, Generic[A]):
    """How answers are stored."""

    write: Callable[[A], Row]
    read: Callable[[Row], A]
    """Raises ValueError or TypeError where a row is something else than an answer."""
    done: str
    """What is said to be done, where the work is interrupted."""

    def round_trip(self, answer: A) -> tuple[A, Row | None]:
        """An answer as it will be read again, and its row; none of what cannot be."""
        try:
            row = self.write(answer)
            return self.read(row), row
        except (TypeError, ValueError):
            return answer, None


def through_cache(
    keys: Mapping[Q, bytes],
    source: Any,
    compute: Callable[[list[Q]], Iterable[Mapping[Q, A]]],
    form: Form[A],
) -> Iterator[dict[Q, A]]:
    """Hand out what is stored, have the rest computed, and keep each batch of it as it comes.

    `keys` are those under which the answer to each question is stored.
    """
    with closing(CacheStore()) as store:
        kept = store.get(set(keys.values()), form.read)
        if store.damaged:
            found = {"count": store.damaged, "file": str(store.path)}
            warn(Note("source.damaged-rows", values=found))
        yield {question: kept[key] for question, key in keys.items() if key in kept}
        left: dict[bytes, list[Q]] = {}
        for question, key in keys.items():
            if key not in kept:
                left.setdefault(key, []).append(question)
        stored = sum(key in kept for key in keys.values())
        log.info("%s: %d answers from the cache, %d to compute", source.name, stored, len(left))
        if not left:
            return
        try:
            for batch in compute([questions[-1] for questions in left.values()]):
                new = {
                    keys[question]: form.round_trip(answer) for question, answer in batch.items()
                }
                store.put(source, {key: row for key, (_, row) in new.items() if row is not None})
                yield {q: answer for key, (answer, _) in new.items() for q in left[key]}
        except (KeyboardInterrupt, SourceError) as stop:
            kept = store.get(set(keys.values()), form.read)
            if done := sum(key in kept for key in keys.values()):
                so_far = f"{done:,} of {len(keys):,} {form.done} and kept"
                stop.add_note(f"{so_far}; repeat the command to continue")
            elif isinstance(stop, KeyboardInterrupt):
                stop.add_note("nothing is kept")
            raise


def read_fields(fields: TypeAdapter[Any], data: bytes | str) -> Any:
    """Read fields of these types from JSON, which has lists for tuples."""
    values = (tuple(v) if isinstance(v, list) else v for v in json.loads(data))
    return fields.validate_python(tuple(values), strict=True)


def key_of(source: Any, item: Item) -> bytes:
    """Hash of what the vector of an item depends on.

    The place of the stimulus matters where a source says so. Else it matters whether the text is a
    stimulus alone, for that is put into a prompt. Of an image it is the hash of its bytes.
    """
    if item.kind != "text":
        content = item.sha256 or hash_of(Path(item.content))
        return hash_texts(source.fingerprint, item.kind, content)
    alone = item.span == (0, len(item.content))
    position = repr(item.span) if source.by_place else "alone" * alone
    return hash_texts(source.fingerprint, position, item.content)


def hash_texts(*parts: str) -> bytes:
    """Hash of several texts, none of which can be taken for a part of another."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.digest()


def _row(answer: Found) -> Row:
    """Write a vector down, bit for bit, with what is noted of its text."""
    array = np.ascontiguousarray(answer.vector)
    noted = [answer.unknown, answer.cut, answer.remarks]
    return array.tobytes(), array.dtype.str, json.dumps(noted)


def _parse_row(row: Row) -> Found:
    """Read what :func:`_row` wrote of a vector of numbers; it cannot be written to."""
    data, kind, mark = row
    if not _NUMBERS.fullmatch(kind):
        raise ValueError
    vector = np.frombuffer(data, np.dtype(kind))
    if not len(vector) or not np.isfinite(vector).all():
        raise ValueError
    return Found(vector, "", *read_fields(_MARK, mark))


_OF_VECTORS = Form(_row, _parse_row, "texts are encoded")


# --- the file -------------------------------------------------------------------------------------


class CacheStore:
    """Rows by key, also for several threads.

    A file that cannot be read or written is said once and done without.
    """

    def __init__(self) -> None:
        self.path, self.usable, self.damaged = cache_folder() / NAME, True, 0
        self._connection: sqlite3.Connection | None = None
        self._turn = threading.Lock()

    def get(self, keys: Collection[bytes], read: Callable[[Row], A]) -> dict[bytes, A]:
        """Read the rows that are there; one that is not as it was written is counted as damaged."""
        if not keys or not self.path.exists():  # a folder is made when there is something to keep
            return {}
        # texts as bytes, since those that are damaged need not be texts
        query = """SELECT data, CAST(kind AS BLOB), CAST(mark AS BLOB), hash FROM vectors
          WHERE key = ?"""

        def select(connection: sqlite3.Connection) -> dict[bytes, tuple[Any, ...]]:
            rows = ((key, connection.execute(query, (key,)).fetchone()) for key in keys)
            return {key: row for key, row in rows if row}

        answers: dict[bytes, A] = {}
        for key, (data, kind, mark, hash_) in (self._done(select) or {}).items():
            with suppress(TypeError, ValueError, RecursionError):
                row = data, kind.decode(), mark.decode()
                if hash_ == hash_of_row(key, row):
                    answers[key] = read(row)
            self.damaged += key not in answers
        return answers

    def put(self, source: Any, new: Mapping[bytes, Row]) -> None:
        """Keep rows of one source: all of them or, after a kill, none."""
        if not new:
            return
        about = source.fingerprint, source.name
        rows = [(key, *about, *row, hash_of_row(key, row)) for key, row in new.items()]
        query = "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?, ?, ?, ?)"

        def write(connection: sqlite3.Connection) -> None:
            connection.executemany(query, rows)

        try:
            self._done(write)
        except KeyboardInterrupt:  # what was computed is not lost for it
            self._done(write)
            raise

    def close(self) -> None:
        """Close the file; later requests get nothing."""
        with self._turn:
            self.usable = False
            if self._connection is not None:
                self._connection.close()

    def _done(self, action: Callable[[sqlite3.Connection], T]) -> T | None:
        """Do something with the table; a damaged or full one is warned of and left alone."""
        try:
            with self._turn:
                if not self.usable:
                    return None
                if self._connection is None:
                    self._connection = _connect(self.path)
                with self._connection as connection:
                    return action(connection)
        except (sqlite3.Error, OSError) as error:
            self.usable = False
            values = {"file": str(self.path), "reason": _reason(error), "variable": CACHE}
            warn(Note("source.not-cached", values=values))
            return None


def hash_of_row(key: bytes, row: Row) -> bytes:
    """Hash of all that a row says; it shows damage, and no intent of who may write to the file."""
    data, kind, mark = row
    digest = hashlib.blake2b(digest_size=16)
    for part in (key, kind.encode(), mark.encode(), data):
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.digest()


def _connect(path: Path) -> sqlite3.Connection:
    """Open the file, and create it if it is missing, readable by this user only."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with suppress(FileExistsError):
        path.touch(0o600, exist_ok=False)
    # whoever ends an iteration closes it, in whatever thread
    connection = sqlite3.connect(path, timeout=PATIENCE, check_same_thread=False)
    try:
        _write_ahead(connection)
        # a kill loses nothing either way; a power failure may lose the last batches, and no others
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(_TABLE.replace("TABLE", "TABLE IF NOT EXISTS", 1))
        made = connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
        if made != [(_TABLE,)]:  # a view or a trigger may never end
            raise sqlite3.DatabaseError("it holds other tables than eatlas makes")
    except BaseException:
        connection.close()
        raise
    return connection


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Keep a journal with which readers and a writer do not wait for each other.

    The mode is the file's. If another process sets it, SQLite refuses at once, whatever the
    timeout, and the mode need not be set again.
    """
    try:
        connection.execute("PRAGMA journal_mode = WAL")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:  # the primary code
            raise


@contextmanager
def _transaction(path: Path) -> Iterator[sqlite3.Connection]:
    """Open the file for one transaction."""
    with closing(_connect(path)) as connection, connection:
        yield connection


class Kept(NamedTuple):
    """What is stored of one model."""

    name: str
    fingerprint: str
    vectors: int
    answers: int
    """Log-probabilities of stimuli in texts, where the model is a language model."""


@dataclass(frozen=True)
class Contents:
    """What the folder of the cache holds."""

    folder: Path
    size: int
    """Bytes on disk, with SQLite's log."""
    models: tuple[Kept, ...] = ()
    damaged: str | None = None
    """What is wrong with the file, if it cannot be read."""


def contents() -> Contents:
    """Say what is stored."""
    path = cache_folder() / NAME
    files = [path.with_name(f"{NAME}{end}") for end in ("", "-wal", "-shm")]
    size = sum(file.stat().st_size for file in files if file.is_file())
    if not size:
        return Contents(path.parent, 0)
    query = """SELECT name, fingerprint, SUM(kind != 'answer'), SUM(kind = 'answer')
      FROM vectors GROUP BY name, fingerprint ORDER BY MIN(rowid)"""
    try:
        with _transaction(path) as connection:
            rows = connection.execute(query).fetchall()
    except (sqlite3.Error, OSError) as error:
        return Contents(path.parent, size, damaged=_reason(error))
    return Contents(path.parent, size, tuple(Kept(*row) for row in rows))


def clear(model: str | None = None) -> tuple[Kept, ...]:
    """Remove what is stored, or what is stored of one source."""
    content = contents()
    removed = tuple(kept for kept in content.models if model in {None, kept.name})
    if model is not None and not removed:
        names = list(dict.fromkeys(kept.name for kept in content.models))
        near = nearest(model, names)
        raise SourceError(
            f"{content.folder}: nothing is cached for this source",
            got=model,
            allowed=", ".join(names) or "nothing: the cache is empty",
            remedy=f"did you mean {near[0]}?" if near else None,
        )
    path = content.folder / NAME
    try:
        if content.damaged:
            path.unlink(missing_ok=True)
        elif removed:
            with _transaction(path) as connection:
                connection.execute("DELETE FROM vectors WHERE ? IN ('', name)", (model or "",))
            with closing(sqlite3.connect(path, timeout=PATIENCE)) as connection:
                connection.execute("VACUUM")
    except (sqlite3.Error, OSError) as error:
        raise SourceError(
            f"{content.folder}: the cache folder cannot be used",
            got=_reason(error),
            remedy=f"set {CACHE} to a folder that you may write to",
        ) from error
    return removed


def _reason(error: Exception) -> str:
    return (isinstance(error, OSError) and error.strerror) or str(error)
