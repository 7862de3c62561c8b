"""What is at a path, and where eatlas keeps what it computed and what it fetched.

Nothing is at a path whose name is longer than the system allows or holds a null: Path.exists,
is_file and is_dir of Python below 3.14 raise for such a name.
"""

from __future__ import annotations

import os
from pathlib import Path

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
    """What tells a file from another one, or from what it was; None where there is none."""
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns


def cache_folder() -> Path:
    """The folder of what was computed; it need not exist yet."""
    return _chosen(CACHE, "encodings")


def data_folder() -> Path:
    """The folder of published vectors and images; it need not exist yet."""
    return _chosen(DATA, "vectors")


def _chosen(variable: str, name: str) -> Path:
    if chosen := os.environ.get(variable):
        return Path(chosen).expanduser().absolute()
    from platformdirs import user_cache_path  # noqa: PLC0415  (only who uses the folder needs it)

    return user_cache_path("eatlas", appauthor=False) / name
