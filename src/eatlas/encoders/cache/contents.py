"""What is kept, and how to be rid of it."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from pathlib import Path

from eatlas.encoders.cache.database import Kept, NotOursError, opened
from eatlas.encoders.cache.place import (
    PREFIX,
    VARIABLE,
    cache_folder,
    file_of,
    generations,
)
from eatlas.encoders.cache.store import renew
from eatlas.errors import SourceError
from eatlas.nearest import nearest


@dataclass(frozen=True)
class Contents:
    """What the folder of the cache holds."""

    folder: Path
    size: int
    """Bytes on disk, with SQLite's log."""
    models: tuple[Kept, ...]
    damaged: str | None = None
    """What is wrong with the file, if it cannot be read; the next run begins a new one then."""


def contents() -> Contents:
    """Say what is kept.

    Raises
    ------
    SourceError
        If the folder cannot be read.
    """
    folder = cache_folder()
    try:
        files = folder.glob(f"{PREFIX}*") if folder.is_dir() else ()
        size = sum(map(_size, files))
        there = generations(folder)
        if not there:
            return Contents(folder, size, ())
        with opened(file_of(folder, there[-1])) as database:
            return Contents(folder, size, tuple(database.models()))
    except OSError as error:
        raise _out_of_reach(folder, error) from error
    except (sqlite3.Error, NotOursError) as error:
        return Contents(folder, size, (), str(error) or "a database of another program")


def _size(path: Path) -> int:
    """Bytes of a file; none of a journal that ended since the folder was listed."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def clear(model: str | None = None) -> tuple[Kept, ...]:
    """Remove what is kept.

    Parameters
    ----------
    model : str, optional
        Name of a source as :func:`contents` gives it; by default all goes. Processes that compute
        meanwhile go on, and what they computed before may be lost to the cache.

    Returns
    -------
    tuple of Kept
        What was removed, by model.

    Raises
    ------
    SourceError
        If the folder cannot be written to, or nothing is kept of the model.
    """
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
    names = list(dict.fromkeys(one.name for one in found.models))
    if model not in names:
        near = nearest(model, names)
        raise SourceError(
            f"{found.folder}: nothing is kept of this source",
            got=model,
            allowed=", ".join(names) or "nothing is kept at all",
            remedy=f"did you mean {near[0]}?" if near else None,
        )
    with opened(file_of(found.folder, generations(found.folder)[-1])) as database:
        return tuple(database.forget(model))


def _out_of_reach(folder: Path, error: Exception) -> SourceError:
    return SourceError(
        f"{folder}: the folder of what models computed is out of reach",
        got=(isinstance(error, OSError) and error.strerror) or str(error),
        remedy=f"set {VARIABLE} to a folder that you may write to",
    )
