"""What is at a path; nothing, where its name is longer than the system allows or holds a null.

Path.exists, is_file and is_dir of Python below 3.14 raise for such a name.
"""

from __future__ import annotations

import os
from pathlib import Path


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
