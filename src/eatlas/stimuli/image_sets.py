"""Published sets of images, whose folders tests name as ``ieat:age/young``."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from eatlas.decoding import own_toml
from eatlas.errors import StimulusError, nearest
from eatlas.folders import data_folder
from eatlas.stimuli.images import Image


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
    def place(self) -> Path:
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
    data = resources.files("eatlas.stimuli") / "data" / "image-sets.toml"
    found = own_toml(data)
    return {name: ImageSet(name, **fields) for name, fields in found.items()}


def is_reference(text: str) -> bool:
    """Whether a text names a folder of a published set.

    >>> is_reference("ieat:age/young"), is_reference("flowers/*.jpg")
    (True, False)
    """
    return text.partition(":")[0] in image_sets() and ":" in text


def files_of_set(reference: str, listing: Callable[[Path], list[Path]]) -> list[Path] | None:
    """The images of a folder of a set; None where the set is not on this machine."""
    found, folder = _parts(reference)
    if not found.place.is_dir():
        if os.environ.get(found.variable):
            raise ValueError(
                f"{found.variable} names {found.place}, which is not a folder (allowed: a copy of "
                f"{found.page})"
            )
        return None
    path = found.place / folder
    if not path.is_dir():
        raise ValueError(
            f"{reference}: {found.place} has no folder {folder} (allowed: a copy of {found.page})"
        )
    if files := listing(path):
        return files
    raise ValueError(f"{reference}: there is no image in {path}")


def placeholders(reference: str) -> tuple[Image, ...]:
    """As many images without files as the folder of a set has."""
    found, folder = _parts(reference)
    count = found.folders[folder]
    return tuple(Image(name=f"{folder} ({i} of {count})") for i in range(1, count + 1))


def published_count(reference: str) -> int:
    """Number of images that the folder of a set has, as published."""
    found, folder = _parts(reference)
    return found.folders[folder]


def about_set(reference: str) -> str:
    """Say where the images of a set lie, or where they come from."""
    found = image_sets()[reference.partition(":")[0]]
    where = f"in {found.place}" if found.place.is_dir() else "not on this machine"
    rest = "" if found.place.is_dir() else f"; {found.remedy}"
    return f"images of the set {found.name}: {where}{rest}"


def not_here(references: Iterable[str], what: str) -> StimulusError:
    """Say that images of sets are not on this machine, and how to get them."""
    named = list(dict.fromkeys(references))
    found = next((image_sets()[one.partition(":")[0]] for one in named if is_reference(one)), None)
    if found is None:
        return StimulusError(
            f"{what}: its images are not on this machine",
            got="names and hashes of images, and no files",
            remedy="load the test from its file, beside its images",
        )
    return StimulusError(
        f"{what}: its images are not on this machine",
        got=f"nothing at {found.place} for {', '.join(named)}",
        remedy=found.remedy,
    )


def _parts(reference: str) -> tuple[ImageSet, str]:
    """The set and the folder that a reference names."""
    name, _, folder = reference.partition(":")
    found = image_sets()[name]
    folder = folder.strip("/")
    if folder not in found.folders:
        near = nearest(folder, found.folders, 3)
        hint = f"; did you mean {' or '.join(f'{name}:{one}' for one in near)}?" if near else ""
        raise ValueError(
            f"{reference}: the set {name} has no such folder{hint} (allowed: "
            f"{', '.join(sorted(found.folders))})"
        )
    return found, folder
