"""Thumbnails of the images of tests: found by their bytes, made small, each once in a page.

Results hold no images, but the hash and the name of each. A page shows the first ones of each
group whose files are in the folders that are named.
"""

from __future__ import annotations

import hashlib
import re
import warnings
from base64 import b64encode
from collections.abc import Iterable, Mapping
from io import BytesIO
from itertools import islice
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from eatlas.errors import ResultsError
from eatlas.present.text import isolated

if TYPE_CHECKING:
    from eatlas.results import AssociationResult

SIDE, QUALITY = 48, 78
"""Pixels of the longer side of a thumbnail, 1.0 to 1.6 kB as JPEG."""
SHOWN = 4
"""Thumbnails of a group."""
SYMBOL = "image-"
"""How the ids of thumbnails begin."""
_HASH = re.compile(r" \([0-9a-f]{8}\)$")

Folders = str | Path | Iterable[str | Path]
"""Folders or files."""


def images_of(
    result: AssociationResult, role: str, thumbnails: Mapping[str, tuple[str, str]]
) -> list[tuple[str, str]]:
    """Id and words of the thumbnails of a group."""
    group, concept = result.coverage[role], isolated(result.concepts[role])
    return [
        (thumbnails[sha256][0], f"{isolated(term)}, image of {concept}")
        for term, sha256 in islice(group.image.items(), SHOWN)
        if sha256 in thumbnails
    ]


def thumbnails_of(
    images: Folders | None, results: Iterable[AssociationResult]
) -> dict[str, tuple[str, str]]:
    """Id and data of the thumbnails of results by the hash of the image, of files that are found.

    Raises
    ------
    ResultsError
        If there is no such folder, or thumbnails need Pillow.
    """
    if images is None:
        return {}
    folders = list(map(Path, [images] if isinstance(images, str | Path) else images))
    if missing := [folder for folder in folders if not folder.exists()]:
        raise ResultsError(
            f"{missing[0]}: there is no such folder of images",
            allowed="folders with the images of the tests, or their files",
        )
    wanted: dict[str, set[str]] = {}  # hashes by the names of files
    for result in results:
        for group in result.coverage.values():
            for term, sha256 in islice(group.image.items(), SHOWN):
                # a term may begin with folders, or end with a hash
                wanted.setdefault(PurePath(_HASH.sub("", term)).name, set()).add(sha256)
    made: dict[str, tuple[str, str]] = {}
    for folder in folders:
        for path in [folder] if folder.is_file() else sorted(folder.rglob("*")):
            content = _read(path) if path.name in wanted else b""
            sha256 = hashlib.sha256(content).hexdigest()
            if sha256 not in wanted.get(path.name, ()) or sha256 in made:
                continue
            if small := small_jpeg(content):
                uri = f"data:image/jpeg;base64,{b64encode(small).decode()}"
                made[sha256] = f"{SYMBOL}{len(made)}", uri
    return made


def _read(path: Path) -> bytes:
    """The bytes of a file; none where it cannot be read."""
    try:
        return path.read_bytes()
    except OSError:
        return b""


def small_jpeg(content: bytes) -> bytes:
    """A small JPEG of an image, upright, on white where it is transparent; empty if it is none."""
    try:
        from PIL import Image, ImageOps  # noqa: PLC0415  (of pages with images alone)
    except ImportError as error:
        raise ResultsError(
            "thumbnails of images need Pillow",
            remedy="pip install 'eatlas[clip]', or leave the folder of images out",
        ) from error
    small = BytesIO()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # decompression bombs, and what is damaged
            with Image.open(BytesIO(content)) as drawn:
                drawn.draft("RGB", (4 * SIDE, 4 * SIDE))
                image = ImageOps.exif_transpose(drawn).convert("RGBA")
            image.thumbnail((SIDE, SIDE))
            flat = Image.new("RGB", image.size, "white")
            flat.paste(image, mask=image.getchannel("A"))
            flat.save(small, "JPEG", quality=QUALITY, optimize=True)
    except (OSError, ValueError, SyntaxError, Warning, Image.DecompressionBombError):
        return b""
    return small.getvalue()
