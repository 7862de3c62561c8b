"""What a model's image processor does with an image, as its file says, and the processor itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from eatlas.decoding import json_value
from eatlas.encoders.model_files import PROCESSOR
from eatlas.errors import SourceError
from eatlas.results.parts import ImageEncoding

Pixels = Mapping[str, NDArray[Any]]
"""Inputs of a model by name, such as pixel_values, each with a row for each image."""
Prepare = Callable[[Any], Pixels]
"""From an image in RGB to the input of a model, of one row."""
MOST_OF_A_PIXEL = 1e6
"""A mean beyond this is none; pixels go to 255."""
RESAMPLE = ("nearest", "lanczos", "bilinear", "bicubic", "box", "hamming")
"""Pillow's names, by number."""


def read_settings(folder: Path) -> dict[str, Any]:
    """Read the settings of a model's image processor."""
    for name in PROCESSOR:
        file = folder / name
        if not file.is_file():
            continue
        try:
            found = json_value(file.read_bytes())
        except (OSError, ValueError) as error:
            raise SourceError(f"{file}: the settings cannot be read", got=str(error)) from error
        if isinstance(found, dict):
            found = found.get("image_processor", found)
        if isinstance(found, dict) and _type(found):
            require_numbers(found, file)
            return found
    raise SourceError(
        f"{folder}: no file describes how images become the input of this model",
        got=f"no {' and no '.join(PROCESSOR)} that names an image processor",
        remedy="fetch the model again, with all its files; transformers writes this one with "
        "save_pretrained of the processor",
    )


def require_numbers(settings: Mapping[str, Any], file: Path) -> None:
    """Refuse means and standard deviations of pixels that are no numbers."""
    for key in ("image_mean", "image_std", "mean", "std"):
        value = settings.get(key)
        if isinstance(value, list) and not all(
            isinstance(one, int | float) and abs(one) <= MOST_OF_A_PIXEL for one in value
        ):
            raise SourceError(
                f"{file}: {key} is not usable",
                got=str(value)[:100],
                allowed="a list of numbers",
                remedy="fetch the model again",
            )


def _type(settings: Mapping[str, Any]) -> str:
    said = settings.get("image_processor_type") or settings.get("feature_extractor_type") or ""
    return str(said).replace("FeatureExtractor", "ImageProcessor").removesuffix("Fast")


def image_encoding(settings: Mapping[str, Any]) -> ImageEncoding:
    """Put the settings of an image processor on record."""
    resized = settings.get("do_resize", True) is not False
    cropped = settings.get("do_center_crop") is True
    normalised = settings.get("do_normalize", True) is not False
    number = settings.get("resample")
    known = isinstance(number, int) and 0 <= number < len(RESAMPLE)
    return ImageEncoding(
        processor=_type(settings),
        size=_size(settings.get("size", settings.get("max_num_patches"))) if resized else "",
        crop=_size(settings.get("crop_size")) if cropped else "",
        resample=RESAMPLE[number] if resized and isinstance(number, int) and known else "",
        mean=_numbers(settings.get("image_mean")) if normalised else (),
        std=_numbers(settings.get("image_std")) if normalised else (),
    )


def _size(said: Any) -> str:
    if isinstance(said, int):
        return f"{said} x {said}"
    if not isinstance(said, dict):
        return ""
    if {"height", "width"} <= said.keys():
        return f"{said['height']} x {said['width']}"
    words = {"shortest_edge": "shortest edge", "longest_edge": "longest edge"}
    named = (f"{words.get(key, key)} {value}" for key, value in said.items() if value is not None)
    return ", ".join(named)


def _numbers(said: Any) -> tuple[float, ...]:
    return tuple(map(float, said)) if isinstance(said, list | tuple) else ()


def shortest_edge(settings: Mapping[str, Any]) -> int:
    """Pixels of the shortest side that images are resized to; 0 where that is not known."""
    said = settings.get("size")
    sides = [said] if isinstance(said, int) else list(said.values()) if said else []
    return min((one for one in sides if isinstance(one, int)), default=0)


def load_processor(folder: Path, *, trust: bool) -> Any:
    """Load the image processor that computes with Pillow.

    Transformers has another one for torchvision, whose pixels differ; which of the two it takes by
    itself depends on what is installed.
    """
    from transformers import AutoImageProcessor  # noqa: PLC0415  (seconds)

    new = find_spec("transformers.image_processing_backends") is not None
    how: dict[str, Any] = {"backend": "pil"} if new else {"use_fast": False}
    remedy = "py: takes a function of your own that computes the vectors"
    try:
        found = AutoImageProcessor.from_pretrained(
            str(folder), local_files_only=True, trust_remote_code=trust, **how
        )
    except Exception as error:
        said = str(error).strip().splitlines() or [type(error).__name__]
        raise SourceError(
            f"{folder}: the image processor cannot be loaded", got=said[0][:300], remedy=remedy
        ) from error
    if getattr(found, "backend", "") == "torchvision" or type(found).__name__.endswith("Fast"):
        raise SourceError(
            f"{folder}: transformers {version('transformers')} has the image processor of this "
            "model for torchvision alone",
            got=type(found).__name__,
            allowed="image processors that compute with Pillow",
            remedy=remedy,
        )
    return found


def require_towers(module: Any, path: Path) -> None:
    """Refuse a model that does not say how a text or an image comes into a shared space."""
    towers = ("get_text_features", "get_image_features")
    if lacking := [name for name in towers if not hasattr(module, name)]:
        raise SourceError(
            f"{path}: this model has no space that texts and images share",
            got=f"{type(module).__name__} without {' and '.join(lacking)}",
            allowed="two-tower models such as CLIP, SigLIP, ALIGN and AltCLIP",
        )


def preparing(processor: Any, takes: frozenset[str]) -> Prepare:
    """Return what turns an image in RGB into the input of a model, as its image processor does.

    One image at a time: a batch is resized otherwise where its images differ in size.
    """

    def prepare(image: Any) -> Pixels:
        made = processor(images=[image], return_tensors="np", input_data_format="channels_last")
        return {name: made[name] for name in made if name in takes}

    return prepare


def tensors(loaded: Any, inputs: Pixels) -> dict[str, Any]:
    """Arrays as tensors where the model computes, pixels in the numbers that it computes with."""
    import torch  # noqa: PLC0415

    def tensor(array: NDArray[Any]) -> Any:
        made = torch.from_numpy(array).to(loaded.device)
        return made.to(loaded.module.dtype) if made.is_floating_point() else made

    return {name: tensor(array) for name, array in inputs.items()}
