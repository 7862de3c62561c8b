"""Image files: what their heads say, their pixels as a person sees them, and batches of them.

Pillow reads them. Its guard against decompression bombs stays on and is an error here.
"""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from eatlas.encoders.encoder import wrap_errors
from eatlas.encoders.models import PROCESSOR, hash_of, settings_of
from eatlas.errors import SourceError
from eatlas.executors import Threads, processors
from eatlas.lazy import import_transformers
from eatlas.results.parts import ImageEncoding
from eatlas.sources.source import Item, chunks_of

if TYPE_CHECKING:
    from PIL.Image import Image

FORMATS = (
    "AVIF", "BMP", "DIB", "GIF", "ICO", "JPEG", "JPEG2000", "PCX", "PNG", "PPM", "SGI",
    "TGA", "TIFF", "WEBP",
)  # fmt: skip
"""What is read, where this Pillow knows it. For others, such as EPS, it runs other programs."""
ALLOWED = "an image file: JPEG, PNG, GIF, WebP, TIFF, BMP and others that Pillow decodes to pixels"
PAGES = frozenset(("AVIF", "GIF", "PNG", "TIFF", "WEBP"))
"""Formats whose further pictures are frames or pages; in an MPO file they are previews."""


Pixels = Mapping[str, NDArray[Any]]
"""Inputs of a model by name, such as pixel_values, each with a row for each image."""
RESAMPLE: dict[Any, str] = dict(
    enumerate(("nearest", "lanczos", "bilinear", "bicubic", "box", "hamming"))
)
"""Pillow's names, by number."""
AT_ONCE = {"cpu": 32, "cuda": 128, "mps": 64}
"""Images of a batch."""
MOST_THREADS = 8
"""Threads that decode; each holds the pixels of a batch."""


@dataclass(frozen=True)
class Picture:
    """An image file and what its head says."""

    path: Path
    content: str
    """SHA-256 of its bytes."""
    size: tuple[int, int]
    """Pixels of its sides as they are stored."""
    several: bool = False
    """Whether it has several frames or pages, of which eatlas uses the first."""
    transparent: bool = False


Seen = list[tuple[Picture, Pixels]]
"""Images that are decoded, each with its input of the model."""


def _pillow() -> Any:
    """The package Pillow with two of its modules, which images alone need."""
    import PIL.ImageOps  # noqa: PLC0415

    return PIL


def open_pictures(items: Collection[Item]) -> dict[str, tuple[Picture, tuple[Item, ...]]]:
    """Read the head of each image, once for all items of the same bytes."""
    by_path: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        by_path[item.content].append(item)
    pictures: dict[str, tuple[Picture, tuple[Item, ...]]] = {}
    for path in sorted(by_path):
        picture = read_head(Path(path))
        for item in by_path[path]:
            if item.sha256 and item.sha256 != picture.content:
                raise SourceError(
                    f"{path}: the image has changed since its test was loaded",
                    got=f"SHA-256 {picture.content[:12]}...",
                    allowed=f"{item.sha256[:12]}...",
                    remedy="load the test again, or restore the file",
                )
        first, others = pictures.get(picture.content, (picture, ()))
        pictures[picture.content] = first, (*others, *by_path[path])
    return pictures


def read_head(path: Path) -> Picture:
    """Read what an image file says before its pixels."""
    content = hash_of(path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", _pillow().Image.DecompressionBombWarning)
        with _open_image(path) as image:
            several = image.format in PAGES and getattr(image, "n_frames", 1) > 1
            return Picture(path, content, image.size, several, image.has_transparency_data)


@contextmanager
def _open_image(path: Path) -> Iterator[Image]:
    """Open an image; what is none, is damaged, or unpacks to too much is said as ours."""
    pillow = _pillow().Image
    pillow.init()
    formats = [name for name in FORMATS if name in pillow.OPEN]
    remedy = "fetch the file again, or save it anew, and smaller"
    with (
        wrap_errors(f"{path}: the image cannot be decoded", ALLOWED, remedy),
        pillow.open(path, formats=formats) as image,
    ):
        yield image


def decode_image(picture: Picture) -> Image:
    """Pixels of an image: upright, in RGB of 8 bits, on white where it is transparent."""
    with _open_image(picture.path) as image:
        image.load()
        try:
            upright = _pillow().ImageOps.exif_transpose(image)
        except Exception:  # noqa: BLE001  (a picture with damaged EXIF is a picture)
            upright = image
        return _in_rgb(upright, picture.path)


def _in_rgb(image: Image, path: Path) -> Image:
    """Convert pixels of any mode to RGB.

    Gray and palette are spelled out, CMYK is converted without its profile, 16 bits are scaled to
    8, which Pillow would cut off, and transparent parts are on white, as `transformers` has it.
    """
    pillow = _pillow().Image
    if image.mode.startswith("I") or image.mode == "F":
        values = np.asarray(image)
        if image.mode == "F" or (values.size and not 0 <= values.min() <= values.max() <= 65535):
            raise SourceError(
                f"{path}: the pixel values of this image are not colours",
                got=f"numbers from {values.min()} to {values.max()}",
                allowed="8 or 16 bits in each channel",
                remedy="save it as an 8-bit PNG, scaled as you want it seen",
            )
        scaled = np.rint(values / 257.0).astype(np.uint8)
        return pillow.fromarray(scaled).convert("RGB")
    if image.has_transparency_data:
        above = image.convert("RGBA")
        white = pillow.new("RGBA", above.size, (255, 255, 255, 255))
        return pillow.alpha_composite(white, above).convert("RGB")
    return image.convert("RGB")


# --- the processor of a model --------------------------------------------------------------------


def read_settings(folder: Path) -> dict[str, Any]:
    """Read the settings of a model's image processor."""
    for name in PROCESSOR:
        whole = settings_of(folder / name)
        settings = whole.get("image_processor", whole)
        if isinstance(settings, dict) and _type(settings):
            return settings
    raise SourceError(
        f"{folder}: the settings of the image processor are missing",
        got=f"no {' and no '.join(PROCESSOR)} that names an image processor",
        remedy="fetch the model again, with all its files; transformers writes this one with "
        "save_pretrained of the processor",
    )


def _type(settings: Mapping[str, Any]) -> str:
    name = settings.get("image_processor_type") or settings.get("feature_extractor_type") or ""
    return str(name).replace("FeatureExtractor", "ImageProcessor").removesuffix("Fast")


def image_encoding(settings: Mapping[str, Any]) -> ImageEncoding:
    """Put the settings of an image processor on record."""
    resized = settings.get("do_resize", True) is not False
    normalised = settings.get("do_normalize", True) is not False
    number = settings.get("resample")
    with wrap_errors("the settings of the image processor cannot be read"):
        return ImageEncoding(
            processor=_type(settings),
            size=_size(settings.get("size", settings.get("max_num_patches"))) if resized else "",
            crop=_size(settings.get("crop_size")) if settings.get("do_center_crop") is True else "",
            resample=RESAMPLE.get(number, "") if resized else "",
            mean=tuple(settings.get("image_mean") or ()) if normalised else (),
            std=tuple(settings.get("image_std") or ()) if normalised else (),
        )


def _size(size: Any) -> str:
    if isinstance(size, int):
        return f"{size} x {size}"
    sides = size if isinstance(size, dict) else {}
    if {"height", "width"} <= sides.keys():
        return f"{sides['height']} x {sides['width']}"
    words = {"shortest_edge": "shortest edge", "longest_edge": "longest edge"}
    named = (f"{words.get(key, key)} {value}" for key, value in sides.items() if value is not None)
    return ", ".join(named)


def load_processor(folder: Path, *, trust: bool) -> Any:
    """Load the image processor that computes with Pillow.

    Transformers has another one for torchvision, whose pixels differ; which of the two it takes by
    itself depends on what is installed.
    """
    remedy = "py: takes a function of your own that computes the vectors"
    with wrap_errors(f"{folder}: the image processor cannot be loaded", remedy=remedy):
        processor = import_transformers().AutoImageProcessor.from_pretrained(
            str(folder), local_files_only=True, trust_remote_code=trust, backend="pil"
        )
    if getattr(processor, "backend", "") == "torchvision":
        raise SourceError(
            f"{folder}: transformers has the image processor of this model for torchvision alone",
            got=type(processor).__name__,
            allowed="image processors that compute with Pillow",
            remedy=remedy,
        )
    return processor


# --- batches --------------------------------------------------------------------------------------


def remarks_of(picture: Picture, settings: Mapping[str, Any]) -> tuple[str, ...]:
    """What a reader should know of an image."""
    size = settings.get("size")
    sides = size.values() if isinstance(size, dict) else [size]
    shortest = min((side for side in sides if isinstance(side, int)), default=0)
    small = min(picture.size) < shortest
    flags = {"first": picture.several, "transparent": picture.transparent, "enlarged": small}
    return tuple(remark for remark, holds in flags.items() if holds)


def ahead(pictures: Sequence[Picture], at_once: int, loaded: Any) -> Iterator[Seen]:
    """Decode batches in threads while the model computes; a few of them wait at a time."""
    batches = list(chunks_of(pictures, at_once))
    threads = Threads(min(processors(), MOST_THREADS, max(1, len(batches))))

    def decode(batch: list[Picture]) -> Seen:
        return [(picture, preprocess(picture, loaded.processor, loaded.takes)) for picture in batch]

    with closing(threads(decode, batches)) as outcomes:
        for _, batch in outcomes:
            yield batch


def preprocess(picture: Picture, processor: Any, takes: Collection[str]) -> Pixels:
    """Decode an image, and make it the input of a model as its image processor does.

    One image at a time: a batch is resized otherwise where its images differ in size.
    """
    image = decode_image(picture)
    with wrap_errors(f"{picture.path}: the image processor of the model fails at this image"):
        inputs = processor(images=[image], return_tensors="np", input_data_format="channels_last")
    return {name: inputs[name] for name in inputs if name in takes}
