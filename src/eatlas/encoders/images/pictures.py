"""Image files: what their heads say, and their pixels in RGB as a person sees them.

Pillow reads them. Its guard against decompression bombs stays on and is an error here.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from eatlas.errors import SourceError
from eatlas.sources.interface import Item

if TYPE_CHECKING:
    from PIL.Image import Image, Transpose

FORMATS = (
    "AVIF", "BMP", "DIB", "GIF", "ICO", "JPEG", "JPEG2000", "PCX", "PNG", "PPM", "SGI",
    "TGA", "TIFF", "WEBP",
)  # fmt: skip
"""What is read, where this Pillow knows it. For others, such as EPS, it runs other programs."""
ALLOWED = "an image file: JPEG, PNG, GIF, WebP, TIFF, BMP and others that Pillow decodes to pixels"
ORIENTATION = 0x0112
"""The EXIF tag that says how a camera was held."""
SIZE = (0x0100, 0x0101)
"""The tags of a TIFF for its width and height as stored."""
TURNS = {
    2: "FLIP_LEFT_RIGHT", 3: "ROTATE_180", 4: "FLIP_TOP_BOTTOM", 5: "TRANSPOSE", 6: "ROTATE_270",
    7: "TRANSVERSE", 8: "ROTATE_90",
}  # fmt: skip
"""What undoes each orientation; 1 is upright."""
PAGES = frozenset(("AVIF", "GIF", "PNG", "TIFF", "WEBP"))
"""Formats whose further pictures are frames or pages; those of an MPO file are previews."""
LARGE = "Pillow's limit of {:,} pixels, above which an image may be a decompression bomb"


@dataclass(frozen=True)
class Picture:
    """An image file and what its head says."""

    path: Path
    content: str
    """SHA-256 of its bytes."""
    size: tuple[int, int]
    """Width and height in pixels, upright."""
    turn: str = ""
    """How it is turned upright; empty where it is."""
    several: bool = False
    """Whether it has several frames or pages, of which the first is taken."""
    transparent: bool = False


def open_pictures(items: Collection[Item]) -> dict[str, tuple[Picture, tuple[Item, ...]]]:
    """Read the head of each image, once for all items of the same bytes."""
    several: dict[str, list[Item]] = {}
    for one in sorted(items, key=lambda one: one.content):
        several.setdefault(one.content, []).append(one)
    found: dict[str, tuple[Picture, tuple[Item, ...]]] = {}
    for path, same in several.items():
        picture = read_head(Path(path))
        for one in same:
            _require_same(picture, one)
        first, others = found.get(picture.content, (picture, ()))
        found[picture.content] = first, (*others, *same)
    return found


def read_head(path: Path) -> Picture:
    """Read what an image file says before its pixels."""
    from PIL import Image, UnidentifiedImageError  # noqa: PLC0415  (only for images)

    content = hash_of(path)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(path, formats=known_formats()) as image:
                orientation, tags = _orientation(image), getattr(image, "tag_v2", {})
                # Pillow turns a TIFF itself; some versions state the size as if it were turned
                turn = "" if tags else TURNS.get(orientation or 1, "")
                width, height = (tags.get(tag, n) for tag, n in zip(SIZE, image.size, strict=True))
                several = image.format in PAGES and getattr(image, "n_frames", 1) > 1
                return Picture(
                    path,
                    content,
                    (height, width) if orientation in {5, 6, 7, 8} else (width, height),
                    turn,
                    several,
                    image.has_transparency_data,
                )
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        limit = Image.MAX_IMAGE_PIXELS or 0
        raise SourceError(
            f"{path}: the image has too many pixels to be decoded",
            got=str(error).partition(",")[0],
            allowed=LARGE.format(limit),
            remedy="make it smaller; models take a few hundred pixels on each side",
        ) from error
    except UnidentifiedImageError as error:
        raise SourceError(
            f"{path}: this file is not an image", got=_beginning(path), allowed=ALLOWED
        ) from error
    except Exception as error:
        raise _damaged(path, error) from error


@cache
def known_formats() -> tuple[str, ...]:
    """Formats that are read here."""
    from PIL import Image  # noqa: PLC0415

    Image.init()
    return tuple(name for name in FORMATS if name in Image.OPEN)


def decoded(picture: Picture) -> Image:
    """Pixels of an image: upright, in RGB of 8 bits, on white where it is transparent."""
    from PIL import Image  # noqa: PLC0415

    path = picture.path
    try:
        with Image.open(path, formats=known_formats()) as image:
            image.load()
            turned = image.transpose(_transpose(picture.turn)) if picture.turn else image
            return in_rgb(turned, path)
    except SourceError:
        raise
    except MemoryError as error:
        raise SourceError(
            f"{path}: there is not enough memory to decode this image",
            got=f"{picture.size[0]:,} x {picture.size[1]:,} pixels",
            remedy="make it smaller",
        ) from error
    except Exception as error:
        raise _damaged(path, error) from error


def in_rgb(image: Image, path: Path) -> Image:
    """Convert pixels of any mode to RGB.

    Gray and palette are spelled out, CMYK is converted without its profile, 16 bits are scaled to
    8, and transparent parts are on white, as `transformers` has it.
    """
    from PIL import Image as Pillow  # noqa: PLC0415

    mode = image.mode
    if mode.startswith("I"):
        return Pillow.fromarray(_eight_bits(np.asarray(image), path)).convert("RGB")
    if mode == "F":
        raise _no_colours(path, "numbers in floating point")
    if image.has_transparency_data:
        above = image.convert("RGBA")
        white = Pillow.new("RGBA", above.size, (255, 255, 255, 255))
        return Pillow.alpha_composite(white, above).convert("RGB")
    return image if mode == "RGB" else image.convert("RGB")


def _eight_bits(values: np.ndarray[Any, Any], path: Path) -> np.ndarray[Any, Any]:
    """Scale 16 bits to 8; Pillow would cut off what is above 255."""
    if values.size and (values.min() < 0 or values.max() > 65535):
        raise _no_colours(path, f"whole numbers from {values.min()} to {values.max()}")
    scaled: np.ndarray[Any, Any] = np.rint(values / 257.0).astype(np.uint8)
    return scaled


def _orientation(image: Image) -> int | None:
    """The orientation that EXIF states; None where it states none, or is damaged."""
    try:
        said = image.getexif().get(ORIENTATION)
    except Exception:  # noqa: BLE001  (a picture with damaged EXIF is a picture)
        return None
    return said if isinstance(said, int) else None


def _require_same(picture: Picture, item: Item) -> None:
    """Refuse a file that is another one than when its test was loaded."""
    if item.sha256 and item.sha256 != picture.content:
        raise SourceError(
            f"{picture.path}: the image has changed since its test was loaded",
            got=f"SHA-256 {picture.content[:12]}...",
            allowed=f"{item.sha256[:12]}...",
            remedy="load the test again, or bring the file back",
        )


def _transpose(name: str) -> Transpose:
    from PIL import Image  # noqa: PLC0415

    return Image.Transpose[name]


def hash_of(path: Path) -> str:
    """SHA-256 of the bytes of an image file."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise SourceError(
            f"{path}: the image cannot be read",
            got=error.strerror or str(error),
            remedy="check the path",
        ) from error


def _beginning(path: Path) -> str:
    """How a file that is not an image begins."""
    with path.open("rb") as file:
        head = file.read(24)
    return f"a file that begins with {head!r}" if head else "an empty file"


def _damaged(path: Path, error: BaseException) -> SourceError:
    said = (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
    return SourceError(
        f"{path}: the image cannot be decoded",
        got=said,
        allowed=ALLOWED,
        remedy="fetch the file again, or open it in a viewer and save it anew",
    )


def _no_colours(path: Path, got: str) -> SourceError:
    return SourceError(
        f"{path}: the pixels of this image are not colours",
        got=got,
        allowed="8 or 16 bits in each channel",
        remedy="save it as an 8-bit PNG, scaled as you want it seen",
    )
