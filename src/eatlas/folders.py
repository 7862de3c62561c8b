"""Where eatlas keeps what it computed and what it fetched; environment variables name others."""

from __future__ import annotations

import os
from pathlib import Path

CACHE, DATA = "EATLAS_CACHE", "EATLAS_DATA"
"""Environment variables that name another folder."""


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
