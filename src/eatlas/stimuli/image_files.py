"""From what a test says of images to the images: files, patterns, folders, tables."""

from __future__ import annotations

import hashlib
import os
import re
import stat
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

from eatlas.errors import StimulusWarning, listed
from eatlas.stimuli.image_sets import files_of_set, is_reference, placeholders
from eatlas.stimuli.images import Image, named, same_bytes

MOST_IMAGES = 20_000
"""Images of one concept; a published set has 55."""
LARGEST_IMAGE = 512 * 1024**2
"""Bytes of one file: a photograph of 100 megapixels takes 300 MB where it is not compressed."""
HEAD = 32
"""Bytes of a file that show its format."""
_WILD = re.compile(r"[*?\[]")
_STARTS: tuple[tuple[bytes, str], ...] = (
    (b"\xff\xd8\xff", "JPEG"),
    (b"\x89PNG\r\n\x1a\n", "PNG"),
    (b"GIF87a", "GIF"),
    (b"GIF89a", "GIF"),
    (b"BM", "BMP"),
    (b"II*\x00", "TIFF"),
    (b"MM\x00*", "TIFF"),
    *((b"P%d" % kind, "PNM") for kind in range(1, 7)),
    (b"\x00\x00\x00\x0cjP  \r\n\x87\n", "JPEG 2000"),
    (b"\xff\x4f\xff\x51", "JPEG 2000"),
    (b"\x00\x00\x01\x00", "ICO"),
    (b"\x01\xda", "SGI"),
    *((bytes((0x0A, version, 1)), "PCX") for version in (0, 2, 3, 4, 5)),
)
_ENDS = ("jpg", "jpeg", "jpe", "jfif", "png", "gif", "bmp", "tif", "tiff", "webp", "avif")
_RARE = ("ppm", "pgm", "pbm", "pnm", "jp2", "j2k", "ico", "sgi", "rgb", "pcx", "tga")
SUFFIXES = frozenset(f".{end}" for end in (*_ENDS, *_RARE))
"""Ends of the names that images have; in a folder, other files are left out."""
FORMATS = "JPEG, PNG, GIF, WebP, TIFF, BMP, AVIF, JPEG 2000, PNM, TGA, PCX, SGI, ICO"
_OF_TGA = frozenset((1, 2, 3, 9, 10, 11))
"""Types of image in the third byte of a TGA file, which has no mark of its own at its start."""
FORMS = 'a folder, "flowers/*.jpg", or a list of files and { path = ..., sha256 = ... } tables'
_KEYS = ("path", "sha256", "name")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_ADDRESS = re.compile(r"https?://\S+")


@dataclass(frozen=True)
class Collected:
    """Images of a concept, those that are left out with the reason, and the set they are from."""

    images: tuple[Image, ...]
    absent: tuple[tuple[str, str], ...] = ()
    images_from: str = ""

    @property
    def fields(self) -> dict[str, Any]:
        """Fields of a concept."""
        given = {"images": self.images, "absent": self.absent, "images_from": self.images_from}
        return {key: value for key, value in given.items() if value}


def read_images(given: object, folder: Path | None = None, *, sets: bool = True) -> Collected:
    """Find and read the images that a test names."""
    base = Path() if folder is None else folder
    if isinstance(given, str) and is_reference(given):
        return _of_set(given) if sets else Collected(placeholders(given), images_from=given)
    if isinstance(given, str | os.PathLike | Mapping | Image):
        given = [given]
    if not isinstance(given, list | tuple):
        raise ValueError(f"is neither a path nor a list (allowed: {FORMS})")
    if not given:
        raise ValueError(f"is an empty list (allowed: {FORMS})")
    ready = [one for one in given if isinstance(one, Image)]
    tables = [one for one in given if isinstance(one, Mapping)]
    texts = [one for one in given if isinstance(one, str | os.PathLike)]
    if len(ready) + len(tables) + len(texts) != len(given):
        raise ValueError(f"has an entry that is neither a path nor a table (allowed: {FORMS})")
    chosen = {path: "" for one in texts for path in _files(str(one), base)}
    hashes: dict[Path, str] = {}
    for table in map(_checked, tables):
        path = _placed(table["path"], base)
        chosen[path] = table.get("name", "")
        hashes[path] = table.get("sha256", "")
    return _collected(_read(chosen, hashes), ready)


def _of_set(reference: str) -> Collected:
    """Read a folder of a published set; without files where the set is not on this machine."""
    paths = files_of_set(reference, lambda folder: [*_in_folder(folder)])
    if paths is None:
        return Collected(placeholders(reference), images_from=reference)
    found = _collected(_read(dict.fromkeys(_in_order(paths), ""), {}), [])
    return replace(found, images_from=reference)


def _read(chosen: Mapping[Path, str], hashes: Mapping[Path, str]) -> list[Image]:
    """Read files in the order of their paths; `chosen` has the name of each that has its own."""
    if len(chosen) > MOST_IMAGES:
        raise ValueError(f"{len(chosen):,} images (allowed: {MOST_IMAGES:,} at most)")
    own = {path: name for path, name in chosen.items() if name}
    names = {**named((one for one in chosen if one not in own), own.values()), **own}
    images, faults = [], []
    for path in _in_order(chosen):
        try:
            image = image_of(path, names[path])
        except ValueError as fault:
            faults.append(str(fault))
            continue
        wanted = hashes.get(path)
        if wanted and wanted != image.sha256:
            faults.append(
                f"{path} is another image than the one that is meant: its SHA-256 is "
                f"{image.sha256} (allowed: {wanted})"
            )
        images.append(image)
    if faults:
        raise ValueError(listed(faults, 10) if len(faults) > 1 else faults[0])
    return images


def _collected(images: Iterable[Image], ready: Iterable[Image]) -> Collected:
    """Leave out images whose bytes another one has, and say so."""
    every = sorted([*images, *ready], key=lambda one: (one.name, one.sha256))
    twice = dict(same_bytes(every))
    if twice:
        said = listed(f"{one.name} of {other.name}" for one, other in twice.items())
        warnings.warn(
            f"Images with the same bytes as another one are left out, since one image is one "
            f"stimulus: {said}",
            StimulusWarning,
            stacklevel=2,
        )
    absent = tuple((one.name, f"the same bytes as {other.name}") for one, other in twice.items())
    return Collected(tuple(one for one in every if one not in twice), absent)


# --- files ----------------------------------------------------------------------------------------


def _placed(text: str, base: Path) -> Path:
    return base / Path(text).expanduser()


def _files(text: str, base: Path) -> list[Path]:
    """The files that a path, a folder or a pattern names."""
    if is_reference(text):
        raise ValueError(f"{text} is a folder of a published set and goes alone, without a list")
    if _ADDRESS.fullmatch(text):
        raise ValueError(f"{text} is an address (allowed: {FORMS}; download the image first)")
    path = _placed(text, base)
    if path.is_dir():
        return _some(_in_folder(path), f"{path}: there is no image in this folder")
    if path.exists() or path.is_symlink() or not _WILD.search(text):
        return [path]  # a file whose name holds a bracket too
    return _matching(path)


def _in_folder(folder: Path) -> list[Path]:
    """The images in a folder by the ends of their names; folders in it are not entered."""
    try:
        with os.scandir(folder) as entries:
            files = sorted(one.name for one in entries if not one.is_dir())
    except OSError as error:
        raise ValueError(f"{folder}: the folder cannot be read: {error.strerror}") from error
    visible = [name for name in files if not name.startswith(".") and name != "Thumbs.db"]
    images = [name for name in visible if PurePosixPath(name).suffix.lower() in SUFFIXES]
    if others := [name for name in visible if name not in set(images)]:
        warnings.warn(
            f"{folder}: files whose names do not end as those of images are left out: "
            f"{listed(others)}",
            StimulusWarning,
            stacklevel=2,
        )
    return [folder / name for name in images]


def _matching(pattern: Path) -> list[Path]:
    """The files that a pattern matches, hidden ones only where it begins with a full stop."""
    parts = pattern.parts
    first = next(place for place, part in enumerate(parts) if _WILD.search(part))
    folder, rest = Path(*parts[:first]), Path(*parts[first:])
    try:
        _require_readable(folder, deep="**" in rest.parts)
    except OSError as error:
        where = error.filename or folder
        raise ValueError(f"{where}: the folder cannot be read: {error.strerror}") from error
    if rest.name == "**":
        found = [p for p in folder.glob(f"{rest}/*") if p.suffix.lower() in SUFFIXES]
    else:
        found = list(folder.glob(str(rest)))
    hidden = rest.name.startswith(".")
    files = [p for p in found if not p.is_dir() and (hidden or not p.name.startswith("."))]
    return _some(files, f"{pattern}: no file matches{_in_other_case(folder, rest)}")


def _require_readable(folder: Path, *, deep: bool) -> None:
    """List a folder, and all in it: a pattern skips what cannot be read without a word."""
    with os.scandir(folder):
        pass
    if deep:

        def refuse(error: OSError) -> None:
            raise error

        for _ in os.walk(folder, onerror=refuse):
            pass


def _in_other_case(folder: Path, rest: Path) -> str:
    """Say so where a pattern fits in capitals, or in small letters."""
    for other in (str(rest).lower(), str(rest).upper()):
        if other != str(rest) and next(folder.glob(other), None) is not None:
            return f"; {other} would match"
    return ""


def _some(files: list[Path], fault: str) -> list[Path]:
    if not files:
        raise ValueError(fault)
    return files


def _in_order(paths: Iterable[Path]) -> list[Path]:
    """Sort paths, each once, by their text with slashes: the same on every machine."""
    return sorted(dict.fromkeys(paths), key=lambda path: path.as_posix())


# --- tables ---------------------------------------------------------------------------------------


def _checked(table: Mapping[str, Any]) -> Mapping[str, str]:
    """Refuse a table that does not name one image."""
    if strange := [key for key in table if key not in _KEYS]:
        raise ValueError(
            f"{listed(map(repr, strange))} is not a key of an image (allowed: {', '.join(_KEYS)})"
        )
    if any(not isinstance(value, str) or not value for value in table.values()):
        raise ValueError("a key of an image is not text (allowed: a quoted string)")
    if "path" not in table:
        raise ValueError("an image has no path")
    if "sha256" in table and not _SHA256.fullmatch(table["sha256"]):
        raise ValueError(
            f"sha256 = {table['sha256'][:80]!r} is not a SHA-256 hash "
            "(allowed: 64 digits 0-9 and a-f)"
        )
    return table


# --- one file -------------------------------------------------------------------------------------


def image_of(path: Path, name: str) -> Image:
    """Read what is at a path, as far as it takes to say that it is an image, and which.

    Whether it can be decoded is seen when a model takes it.
    """
    shown = str(path)
    try:
        found = path.stat()  # of what a link leads to
        if not stat.S_ISREG(found.st_mode):
            what = "a folder" if stat.S_ISDIR(found.st_mode) else "no regular file"
            raise ValueError(f"{shown} is {what} (allowed: an image file)")
        if not found.st_size:
            raise ValueError(f"{shown} is empty, 0 bytes")
        if found.st_size > LARGEST_IMAGE:
            raise ValueError(
                f"{shown} has {found.st_size:,} bytes (allowed: {LARGEST_IMAGE:,} at most)"
            )
        with path.open("rb") as file:
            head = file.read(HEAD)
            if not (format_of(head) or (path.suffix.lower() == ".tga" and _is_tga(head))):
                raise ValueError(
                    f"{shown} does not begin as an image does, but with {head[:8]!r} "
                    f"(allowed: {FORMATS})"
                )
            file.seek(0)
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    except (OSError, RuntimeError) as error:  # a loop of links is a RuntimeError to pathlib
        said = getattr(error, "strerror", None) or str(error)
        raise ValueError(f"{shown} cannot be read: {said}") from error
    return Image(name=name, path=str(path.absolute()), sha256=sha256)


def format_of(head: bytes) -> str:
    """Return the format of an image by its first bytes; empty where they are no image's.

    >>> format_of(b"GIF89a..."), format_of(b"<html>")
    ('GIF', '')
    """
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "WebP"
    if head[4:12] in (b"ftypavif", b"ftypavis"):
        return "AVIF"
    return next((kind for start, kind in _STARTS if head.startswith(start)), "")


def _is_tga(head: bytes) -> bool:
    return len(head) > 2 and head[1] in {0, 1} and head[2] in _OF_TGA
