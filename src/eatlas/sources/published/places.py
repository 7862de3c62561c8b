"""Where published vectors are kept: platformdirs' cache folder, or EATLAS_DATA."""

from __future__ import annotations

import os
from pathlib import Path

from eatlas.sources.published.entries import Published

VARIABLE = "EATLAS_DATA"
_COMPRESSED = (".gz", ".bz2", ".xz", ".zst")


def data_folder() -> Path:
    """The folder of published vectors; it need not exist yet."""
    if chosen := os.environ.get(VARIABLE):
        return Path(chosen).expanduser().absolute()
    from platformdirs import user_cache_path  # noqa: PLC0415  (only who uses the folder needs it)

    return user_cache_path("eatlas", appauthor=False) / "vectors"


def archive_of(entry: Published) -> Path:
    """Where somebody without a connection may put the file as the publisher serves it."""
    return data_folder() / entry.download.file


def download_of(entry: Published) -> Path:
    """Where the file lies that we downloaded ourselves, until it is unpacked."""
    return data_folder() / f"{entry.download.file}.download"


def part_of(entry: Published) -> Path:
    """Where an unfinished download lies."""
    return data_folder() / f"{entry.download.file}.part"


def parts_of(entry: Published) -> tuple[Path, Path]:
    """An unfinished download, and what is known of the file that it is a part of."""
    part = part_of(entry)
    return part, part.with_name(f"{part.name}.json")


def record_of(entry: Published) -> Path:
    """What was got, and when."""
    return data_folder() / f"{entry.download.file}.json"


def target_of(entry: Published) -> Path:
    """Where the vectors lie once they are here: a file, or a folder of vectors by year."""
    folder = data_folder() / entry.name
    if entry.vectors.series:
        return folder
    if entry.vectors.member:
        return folder / entry.vectors.member.rpartition("/")[2]
    return folder / _inner_name(entry)


def place_of(entry: Published) -> Path | None:
    """Where published vectors lie on this machine; None if they are not here.

    They are unpacked beside their place and moved there when whole, so what is there is whole.
    """
    target = target_of(entry)
    return target if target.exists() else None


def _inner_name(entry: Published) -> str:
    """Name of a file without the suffix of its compression; ``NAME.gz`` alone becomes ``NAME``."""
    file = entry.download.file
    for suffix in _COMPRESSED:
        if file.endswith(suffix):
            return file.removesuffix(suffix)
    return file
