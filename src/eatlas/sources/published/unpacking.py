"""From a download to vectors: a member, a folder of years, or a decompressed file."""

from __future__ import annotations

import re
import shutil
import zipfile
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from eatlas.errors import SourceError
from eatlas.sources.archives import locate, told
from eatlas.sources.published.entries import Vectors

# what eatlas reads as a series: 1990-w.npy beside 1990-vocab.pkl, or 1990.txt and the like
_OF_A_YEAR = re.compile(r"\d{4}(-w\.npy|-vocab\.pkl|\.[A-Za-z0-9.]+)")
_COPIED = 1 << 20


def unpack(archive: Path, vectors: Vectors, target: Path) -> None:
    """Unpack vectors to `target`; they appear there when they are whole.

    Nothing is written but what the registry names: of an archive's own names only the last part
    is used, and what grows out of proportion is refused. One
    process at a time may unpack to a target.

    Raises
    ------
    SourceError
        If the archive is damaged, unsafe, or does not hold what it should.
    OSError
        If the vectors cannot be written.
    """
    clear(target)
    folder = _workplace(target)
    folder.mkdir(parents=True)
    try:
        if vectors.series:
            made = _years(archive, folder / "years")
        else:
            made = folder / "vectors"
            _copy(archive, vectors.member, made)
        made.replace(target)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def clear(target: Path) -> None:
    """Remove what a process that was killed has left: gigabytes."""
    shutil.rmtree(_workplace(target), ignore_errors=True)


def _workplace(target: Path) -> Path:
    return target.with_name(f".{target.name}.unpacking")


def _copy(archive: Path, member: str | None, path: Path) -> None:
    with locate(archive, member).open() as source, path.open("xb") as file:
        _pour(source, file)


def _pour(source: BinaryIO, file: BinaryIO) -> None:
    while part := source.read(_COPIED):
        file.write(part)


def _years(archive: Path, folder: Path) -> Path:
    folder.mkdir()
    if not zipfile.is_zipfile(archive):
        raise SourceError(f"{archive}: this is no zip archive", allowed="a zip of vectors by year")
    with told(str(archive)), zipfile.ZipFile(archive) as opened:
        members = [info for info in opened.infolist() if not info.is_dir()]
    chosen = [m for m in members if _OF_A_YEAR.fullmatch(PurePosixPath(m.filename).name)]
    if not chosen:
        raise SourceError(
            f"{archive}: the archive holds no vectors by year",
            got=", ".join(member.filename for member in members[:5]) or "nothing",
            allowed="1990-w.npy beside 1990-vocab.pkl, or files such as 1990.txt",
        )
    need(folder, sum(member.file_size for member in chosen))
    for member in chosen:
        path = folder / PurePosixPath(member.filename).name
        if path.exists():
            raise SourceError(f"{archive}: two files would have one name", got=member.filename)
        _copy(archive, member.filename, path)
    return folder


def need(folder: Path, size: int) -> None:
    """Refuse to begin what cannot end.

    Raises
    ------
    SourceError
        If the disk has less room than `size` bytes.
    """
    free = shutil.disk_usage(folder).free
    if size > free:
        raise SourceError(
            f"{folder}: there is not enough room on this disk",
            got=f"{free:,} bytes free",
            allowed=f"{size:,} bytes at least",
            remedy="make room, or set EATLAS_DATA to a folder on another disk",
        )
