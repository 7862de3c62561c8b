"""Images as stimuli: files, folders, patterns and published sets, what they are and are called."""

from __future__ import annotations

import glob
import hashlib
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path, PurePath
from typing import Annotated, Any

from pydantic import Field, StringConstraints

from eatlas.decoding import own_toml, require_file
from eatlas.errors import StimulusError, did_you_mean, listing
from eatlas.notes import Note, warn
from eatlas.paths import data_folder
from eatlas.stimuli.records import Frozen, Term, Text

SHA256 = Annotated[str, StringConstraints(pattern=r"^([0-9a-f]{64})?$")]
FOLDERS = 8
"""Folders of a path that keys of precomputed vectors may begin with."""
LARGEST_IMAGE = 512 * 1024**2
"""Bytes of one file: a photograph of 100 megapixels takes 300 MB where it is not compressed."""
_ENDS = ("jpg", "jpeg", "jpe", "jfif", "png", "gif", "bmp", "tif", "tiff", "webp", "avif")
_RARE = ("ppm", "pgm", "pbm", "pnm", "jp2", "j2k", "ico", "sgi", "rgb", "pcx", "tga")
SUFFIXES = frozenset(f".{end}" for end in (*_ENDS, *_RARE))
"""Ends of the names that images have; in a folder, other files are left out."""
FORMS = 'a folder, "flowers/*.jpg", or a list of files and { path = ..., sha256 = ... } tables'


class Image(Frozen):
    """An image: what it is called, what its bytes are, and where it is.

    Two images are equal if their names and bytes are. Where a file lies decides nothing, so that a
    folder can be moved: it belongs to no hash and to no result.
    """

    name: Term
    """The term: the name of the file, with as much of its folders as distinguishes it."""
    sha256: SHA256 = ""
    """Hash of the bytes of the file, in hexadecimal; empty if the file is missing, as in a
    published set that was not fetched. A test with such an image can be shown but not run."""
    path: str = Field(default="", repr=False, exclude=True)
    """Where the file lies; empty where that is not known, as in a test rebuilt from a result."""

    def __eq__(self, other: object) -> bool:
        """Whether name and bytes are the same."""
        if not isinstance(other, Image):
            return NotImplemented
        return (self.name, self.sha256) == (other.name, other.sha256)

    def __hash__(self) -> int:
        """Hash of name and bytes."""
        return hash((self.name, self.sha256))

    @property
    def lookup_keys(self) -> tuple[str, ...]:
        """Keys under which precomputed vectors of the image are looked up, first hit wins.

        A name that is no end of the path; then the ends of the path, the longest first, down to the
        name of the file.

        >>> Image(name="1.jpg", path="/set/young/1.jpg", sha256="0" * 64).lookup_keys
        ('set/young/1.jpg', 'young/1.jpg', '1.jpg')
        """
        ends = _ends(self.path)[: FOLDERS + 1][::-1]
        return tuple(ends if self.name in ends else dict.fromkeys([self.name, *ends]))


def name_files(paths: Iterable[Path], taken: Iterable[str] = ()) -> dict[Path, str]:
    """Name files by the shortest ends of their paths that distinguish them."""
    ends = {path: _ends(path) for path in dict.fromkeys(paths)}
    length = dict.fromkeys(ends, 1)
    while True:
        names = {path: ends[path][length[path] - 1] for path in ends}
        counts = Counter(names.values()) + Counter(set(taken))
        longer = [p for p in ends if counts[names[p]] > 1 and length[p] < len(ends[p])]
        if not longer:
            return names
        for path in longer:
            length[path] += 1


def same_bytes(images: Iterable[Image]) -> Iterator[tuple[Image, Image]]:
    """Pair each image whose bytes another one before it has with that one."""
    first: dict[str, Image] = {}
    for image in images:
        if image.sha256 and first.setdefault(image.sha256, image) is not image:
            yield image, first[image.sha256]


def _ends(path: str | PurePath) -> list[str]:
    """Ends of a path, the name of the file first, then with ever more of its folders."""
    parts = [part for part in PurePath(path).parts if part.strip("/\\")]
    return ["/".join(parts[start:]) for start in range(len(parts) - 1, -1, -1)]


# --- from what a test says of images to the images ------------------------------------------------


class _File(Frozen):
    """A file as a table of a test names it."""

    path: Text
    sha256: SHA256 = ""
    """The hash that it must have; empty for any."""
    name: str = ""


def read_images(content: Any, folder: Path | None = None, *, sets: bool = True) -> dict[str, Any]:
    """Read the images that a test names; return the fields of a concept.

    Paths start from `folder`. Without `sets`, images of a published set are not looked for.
    """
    if isinstance(content, str) and is_reference(content):
        return _of_set(content, sets=sets)
    entries = content if isinstance(content, list | tuple) else [content]
    if not entries:
        raise ValueError(f"images is an empty list (allowed: {FORMS})")
    base = folder or Path()
    files: dict[Path, _File] = {}
    for entry in entries:
        if isinstance(entry, str | os.PathLike):
            files |= {path: _File(path=str(path)) for path in _files(str(entry), base)}
        elif isinstance(entry, Mapping):
            try:
                file = _File(**entry)
            except StimulusError as error:
                raise ValueError(f"images: {error.what.replace('_File', 'an image')}") from None
            files[base / Path(file.path).expanduser()] = file
        elif not isinstance(entry, Image):
            raise ValueError(f"images: {entry!r} is neither a path nor a table (allowed: {FORMS})")
    return _fields(
        [*_load_images(files), *(entry for entry in entries if isinstance(entry, Image))]
    )


def _load_images(files: Mapping[Path, _File]) -> list[Image]:
    """Read files, each called by its own name or else by the shortest end of its path."""
    own = {path: file.name for path, file in files.items() if file.name}
    names = {**name_files((path for path in files if path not in own), own.values()), **own}
    images, faults = [], []
    for path in sorted(files, key=lambda path: path.as_posix()):
        try:
            image = image_of(path, names[path])
        except ValueError as fault:
            faults.append(str(fault))
            continue
        if files[path].sha256 not in {"", image.sha256}:
            faults.append(
                f"{path} is another image than the one that is meant: its SHA-256 is "
                f"{image.sha256} (allowed: {files[path].sha256})"
            )
        images.append(image)
    if faults:
        raise ValueError(listing(faults, 10))
    return images


def image_of(path: Path, name: str) -> Image:
    """Read one file. Whether it can be decoded is seen when a model takes it."""
    require_file(path, _NoImageError)
    try:
        size = path.stat().st_size
        if not 0 < size <= LARGEST_IMAGE:
            raise ValueError(f"{path} has {size:,} bytes (allowed: 1 to {LARGEST_IMAGE:,})")
        with path.open("rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from error
    return Image(name=name, path=str(path.absolute()), sha256=sha256)


class _NoImageError(StimulusError, ValueError):
    """What is neither a file nor a folder; pydantic says where the test names it."""


def _fields(images: Iterable[Image], reference: str = "") -> dict[str, Any]:
    """Fields of a concept of images, without those whose bytes another one has."""
    every = sorted(images, key=lambda image: (image.name, image.sha256))
    twice = dict(same_bytes(every))
    if twice:
        pairs = [f"{image.name} of {first.name}" for image, first in twice.items()]
        warn(Note("stimuli.same-images", values={"images": pairs}))
    absent = ((one.name, f"the same bytes as {first.name}") for one, first in twice.items())
    return {
        "images": tuple(image for image in every if image not in twice),
        "absent": tuple(absent),
        "images_from": reference,
    }


def _files(text: str, base: Path) -> list[Path]:
    """The files that a path, a folder or a pattern names."""
    if is_reference(text):
        raise ValueError(f"{text} is a folder of a published set and goes alone, without a list")
    path = base / Path(text).expanduser()
    if path.is_dir():
        return _in_folder(path)
    if path.exists() or not glob.has_magic(text):
        return [path]  # a file whose name holds a bracket too
    whole = text.endswith("**")
    pattern = os.path.join(glob.escape(str(base)), os.path.expanduser(text))  # noqa: PTH111, PTH118
    files = [Path(name) for name in glob.iglob(pattern, recursive=True)]  # noqa: PTH207
    files = [p for p in files if not p.is_dir() and (p.suffix.lower() in SUFFIXES or not whole)]
    if not files:
        raise ValueError(f"{path}: no file matches")
    return files


def _in_folder(folder: Path) -> list[Path]:
    """The images in a folder by the ends of their names; folders in it are not entered."""
    try:
        files = sorted(p for p in folder.iterdir() if not p.is_dir() and p.name[0] != ".")
    except OSError as error:
        raise ValueError(f"{folder}: the folder cannot be read: {error.strerror}") from error
    images = [path for path in files if path.suffix.lower() in SUFFIXES]
    if others := [p.name for p in files if p not in images and p.name != "Thumbs.db"]:
        warn(Note("stimuli.no-images", values={"folder": str(folder), "files": others}))
    if not images:
        raise ValueError(f"{folder}: there is no image in this folder")
    return images


# --- published sets, whose folders tests name as ieat:age/young -----------------------------------


@dataclass(frozen=True)
class ImageSet:
    """A published set of images: its folders, and where it may be on this machine."""

    name: str
    title: str
    page: str
    within: str
    """Where the folders are in a copy of the publisher's repository."""
    variable: str
    """Environment variable that names a copy of the set."""
    folders: Mapping[str, int]
    """Number of images of each folder, as published."""

    @property
    def root(self) -> Path:
        """Where the set is looked for: where the variable says, or in the folder of data."""
        if chosen := os.environ.get(self.variable):
            root = Path(chosen).expanduser().absolute()
            return root / self.within if (root / self.within).is_dir() else root
        return data_folder() / self.name

    @property
    def remedy(self) -> str:
        """How to get the set."""
        return (
            f"eatlas vectors fetch {self.name} downloads the set; or set {self.variable} to a copy "
            f"of {self.page}"
        )


@cache
def image_sets() -> Mapping[str, ImageSet]:
    """Sets of images that tests may name, by name."""
    data = own_toml(resources.files("eatlas.stimuli") / "data" / "image-sets.toml")
    return {name: ImageSet(name, **fields) for name, fields in data.items()}


def is_reference(text: str) -> bool:
    """Whether a text names a folder of a published set.

    >>> is_reference("ieat:age/young"), is_reference("flowers/*.jpg")
    (True, False)
    """
    return ":" in text and text.partition(":")[0] in image_sets()


def _of_set(reference: str, *, sets: bool) -> dict[str, Any]:
    """Images of a folder of a published set; without files where it is not on this machine."""
    images, folder = _parts(reference)
    if sets and images.root.is_dir():
        paths = _in_folder(images.root / folder)
        return _fields(_load_images({path: _File(path=str(path)) for path in paths}), reference)
    if sets and os.environ.get(images.variable):
        raise ValueError(
            f"{images.variable} names {images.root}, which is not a folder (allowed: a copy of "
            f"{images.page})"
        )
    count = images.folders[folder]
    names = (f"{folder} ({number} of {count})" for number in range(1, count + 1))
    return {"images": tuple(Image(name=name) for name in names), "images_from": reference}


def describe_location(reference: str) -> str:
    """Say where the images of a set lie, or where they come from."""
    images, _ = _parts(reference)
    there = f"in {images.root}" if images.root.is_dir() else f"not on this machine; {images.remedy}"
    return f"images of the set {images.name}: {there}"


def not_here(references: Iterable[str], what: str) -> StimulusError:
    """Say that images of sets are not on this machine, and how to get them."""
    references = [name for name in dict.fromkeys(references) if is_reference(name)]
    got = "names and hashes of images, and no files"
    remedy = "load the test from its file, beside its images"
    if references:
        images, _ = _parts(references[0])
        got, remedy = f"nothing at {images.root} for {', '.join(references)}", images.remedy
    return StimulusError(f"{what}: its images are not on this machine", got=got, remedy=remedy)


def _parts(reference: str) -> tuple[ImageSet, str]:
    """The set and the folder that a reference names."""
    name, _, folder = reference.partition(":")
    images = image_sets()[name]
    folder = folder.strip("/")
    if folder not in images.folders:
        raise ValueError(
            f"{reference}: the set {name} has no such folder{did_you_mean(folder, images.folders)} "
            f"(allowed: {', '.join(sorted(images.folders))})"
        )
    return images, folder
