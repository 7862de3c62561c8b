"""Where what models computed is kept: platformdirs' cache folder, or EATLAS_CACHE."""

from __future__ import annotations

import os
import re
from pathlib import Path

VARIABLE = "EATLAS_CACHE"
PREFIX = "vectors-v1-"
"""Of the files; another layout of the tables gets another number. Answers of language models came
later, as entries of another kind: the layout is the one that vectors have."""
_NAME = re.compile(re.escape(PREFIX) + r"([0-9]{1,9})\.sqlite")


def cache_folder() -> Path:
    """The folder of what models computed; it need not exist yet."""
    if chosen := os.environ.get(VARIABLE):
        return Path(chosen).expanduser().absolute()
    from platformdirs import user_cache_path  # noqa: PLC0415  (only who uses the folder needs it)

    return user_cache_path("eatlas", appauthor=False) / "encodings"


def generations(folder: Path) -> list[int]:
    """Numbers of the files there, ascending; the last one is in use."""
    names = (path.name for path in folder.iterdir()) if folder.is_dir() else ()
    return sorted(int(found[1]) for name in names if (found := _NAME.fullmatch(name)))


def file_of(folder: Path, generation: int) -> Path:
    """Name of a file.

    A file is never replaced by another of its name: SQLite keeps its log beside it under a name
    made of the file's, and a process that still holds the old file would remove the new one's.

    Examples
    --------
    >>> file_of(Path("cache"), 3).name
    'vectors-v1-3.sqlite'
    """
    return folder / f"{PREFIX}{generation}.sqlite"
