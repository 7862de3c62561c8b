"""Thumbnails of the images of tests: found by their bytes, made small, each once in a page.

Results hold no images, but the hash and the name of each. A page shows the first ones of each
group whose files are at hand: in folders that are named, or where the tests of a run found them.
"""

from __future__ import annotations

import hashlib
import re
import warnings
from base64 import b64encode
from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from io import BytesIO
from itertools import islice
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, NamedTuple

from eatlas.errors import ResultsError, described
from eatlas.present.text import isolated

if TYPE_CHECKING:
    from eatlas.results import AssociationResult
    from eatlas.stimuli import Test

SIDE, QUALITY = 48, 78
"""Pixels of the longer side of a thumbnail, 1.0 to 1.6 kB as JPEG."""
SHOWN = 4
"""Thumbnails of a group."""
SYMBOL = "image-"
"""How the ids of thumbnails begin."""

_HASH = re.compile(r" \([0-9a-f]{8}\)$")

Named = str | Path | Mapping[str, Any] | Iterable[str | Path]
"""Folders or files; or paths by the SHA-256 of their bytes."""


class Thumbnail(NamedTuple):
    """A thumbnail in a page."""

    id: str
    uri: str


def images_of(
    result: AssociationResult, role: str, thumbnails: Mapping[str, Thumbnail]
) -> list[tuple[str, str]]:
    """Id and words of the thumbnails of a group."""
    group, concept = result.coverage[role], isolated(result.concepts[role])
    return [
        (thumbnails[sha256].id, f"{isolated(term)}, image of {concept}")
        for term, sha256 in islice(group.image.items(), SHOWN)
        if sha256 in thumbnails
    ]


def thumbnails_of(
    images: Named | None, results: Iterable[AssociationResult]
) -> dict[str, Thumbnail]:
    """Thumbnails of the images of results by their hashes, as far as their files are found."""
    if images is None:
        return {}
    wanted: dict[str, set[str]] = {}  # hashes by the names of files
    for result in results:
        for group in result.coverage.values():
            for term, sha256 in islice(group.image.items(), SHOWN):
                # a term may begin with folders, or end with a hash
                wanted.setdefault(PurePath(_HASH.sub("", term)).name, set()).add(sha256)
    made: dict[str, Thumbnail] = {}
    for sha256, path in _paths(images, wanted).items():
        if small := small_jpeg(path, sha256):
            uri = f"data:image/jpeg;base64,{b64encode(small).decode()}"
            made[sha256] = Thumbnail(f"{SYMBOL}{len(made)}", uri)
    return made


def _paths(images: Named, wanted: Mapping[str, set[str]]) -> dict[str, Path]:
    """Files by the hashes of images, of those that are wanted by the names of files."""
    hashes: set[str] = set().union(*wanted.values())
    pillow = find_spec("PIL") is not None
    if isinstance(images, Mapping):
        return {s: Path(path) for s, path in images.items() if s in hashes} if pillow else {}
    folders = [images] if isinstance(images, str | Path) else list(images)
    for folder in folders:
        if not isinstance(folder, str | Path) or not Path(folder).exists():
            raise ResultsError(
                f"{folder}: there is no such folder of images",
                got=described(folder),
                allowed="folders with the images of the tests, or their files",
            )
    if wanted and not pillow:
        raise ResultsError(
            "thumbnails of images need Pillow",
            remedy="pip install 'eatlas[clip]', or leave the folder of images out",
        )
    paths = {}
    for folder in map(Path, folders):
        for path in [folder] if folder.is_file() else sorted(folder.rglob("*")):
            if path.name in wanted and (sha256 := _sha256(path)) in wanted[path.name]:
                paths[sha256] = path
    return paths


def _sha256(path: Path) -> str:
    """The hash of a file; empty where it cannot be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""


def small_jpeg(path: Path, sha256: str) -> bytes:
    """A small JPEG of an image file, upright, on white where it is transparent.

    Empty where the file is not that image, or is none.
    """
    from PIL import Image, ImageOps  # noqa: PLC0415  (of pages with images alone)

    if _sha256(path) != sha256:
        return b""
    small = BytesIO()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # decompression bombs, and what is damaged
            with Image.open(path) as opened:
                opened.draft("RGB", (4 * SIDE, 4 * SIDE))
                image = ImageOps.exif_transpose(opened).convert("RGBA")
            image.thumbnail((SIDE, SIDE))
            flat = Image.new("RGB", image.size, "white")
            flat.paste(image, mask=image.getchannel("A"))
            flat.save(small, "JPEG", quality=QUALITY, optimize=True)
    except (OSError, ValueError, SyntaxError, Warning, Image.DecompressionBombError):
        return b""
    return small.getvalue()


def paths_of_tests(tests: Iterable[Test]) -> dict[str, Path]:
    """Files of the images of tests, by their hashes."""
    return {
        image.sha256: Path(image.path)
        for test in tests
        for concept in test.concepts.values()
        for image in concept.images
        if image.sha256 and image.path
    }
