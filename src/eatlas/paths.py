"""What is at a path, and where eatlas keeps what it computed and what it fetched.

Nothing is at a path whose name is longer than the system allows or holds a null: Path.exists,
is_file and is_dir of Python below 3.14 raise for such a name.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

from platformdirs import user_cache_path

from eatlas.errors import SourceError

T = TypeVar("T")

CACHE, DATA = "EATLAS_CACHE", "EATLAS_DATA"
"""Environment variables that name another folder."""


def is_there(path: str | Path) -> bool:
    """Whether a file or folder is there."""
    return os.path.exists(path)  # noqa: PTH110


def is_file(path: str | Path) -> bool:
    """Whether a file is there."""
    return os.path.isfile(path)  # noqa: PTH113


def is_folder(path: str | Path) -> bool:
    """Whether a folder is there."""
    return os.path.isdir(path)  # noqa: PTH112


def stamp_of(path: Path) -> tuple[int, ...] | None:
    """What distinguishes a file from others and from its earlier states; None without a file."""
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns


def find_original(
    name: str,
    known: Iterable[T | Path],
    folders: Iterable[Path],
    load: Callable[[Path], T],
    taken: Callable[[T, Path | None], T | str],
) -> T | list[str]:
    """What a record was made of, among what is known and the files of its name in some folders.

    `taken` says what of a candidate it is; of others in words what they are, which are returned
    where nothing is taken.
    """
    others: dict[str, None] = {}
    # a record may come from anybody: its file is looked for by the last part of its name
    paths = [folder / Path(name).name for folder in folders if name]
    for candidate in (*known, *filter(is_file, paths)):
        path = candidate if isinstance(candidate, Path) else None
        try:
            content = load(candidate) if isinstance(candidate, Path) else candidate
        except SourceError as error:
            others[error.what] = None
            continue
        if not isinstance(answer := taken(content, path), str):
            return answer
        others[answer] = None
    return list(others)


def cache_folder() -> Path:
    """The folder of what was computed; it need not exist yet."""
    return _chosen(CACHE, "encodings")


def data_folder() -> Path:
    """The folder of published vectors and images; it need not exist yet."""
    return _chosen(DATA, "vectors")


def _chosen(variable: str, name: str) -> Path:
    if chosen := os.environ.get(variable):
        return Path(chosen).expanduser().absolute()
    return user_cache_path("eatlas", appauthor=False) / name
