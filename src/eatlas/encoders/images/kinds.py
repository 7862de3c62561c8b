"""What config.json says of models that take images: alone, or beside texts in one space."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from eatlas.encoders.model_config import CONFIG, ModelConfig, read_config
from eatlas.encoders.model_files import tensor_in
from eatlas.errors import SourceError

POOLS = {
    "cls": "the token that stands for the whole image",
    "mean": "the mean of the patches",
    "max": "the maximum of the patches",
    "mean-all": "the mean of all tokens, special ones included",
    "pooled": "as the model itself pools",
}
"""How the patches of an image become one vector, in words."""


@dataclass(frozen=True)
class Vision:
    """A kind of model of images alone."""

    pool: str
    """How its patches become one vector by default."""
    before: int = 0
    """Special tokens before the patches, such as [CLS]."""
    layers: bool = True
    """Whether layers can be chosen: those of a pyramid differ in length."""

    @property
    def pools(self) -> tuple[str, ...]:
        """What the option pool may be."""
        return tuple(one for one in POOLS if self.before or one != "cls")


KINDS: dict[str, Vision] = {
    "beit": Vision("mean", before=1),
    "clip_vision_model": Vision("pooled", before=1),
    "convnext": Vision("pooled", layers=False),
    "convnextv2": Vision("pooled", layers=False),
    "data2vec-vision": Vision("mean", before=1),
    "deit": Vision("cls", before=2),
    "dinov2": Vision("cls", before=1),
    "dinov2_with_registers": Vision("cls", before=1),
    "dinov3_vit": Vision("cls", before=1),
    "efficientnet": Vision("pooled", layers=False),
    "ijepa": Vision("mean"),
    "regnet": Vision("pooled", layers=False),
    "resnet": Vision("pooled", layers=False),
    "siglip_vision_model": Vision("pooled"),
    "swin": Vision("pooled", layers=False),
    "swinv2": Vision("pooled", layers=False),
    "vit": Vision("cls", before=1),
    "vit_msn": Vision("cls", before=1),
}
"""By model type of config.json. The mean of the patches is what BEiT is fine-tuned on (Bao et al.
2022), [CLS] what ViT and DINOv2 are read by (Dosovitskiy et al. 2021; Oquab et al. 2024)."""
TOWERS = {
    "aimv2": 512, "align": 640, "altclip": 768, "blip": 512, "chinese_clip": 512, "clip": 512,
    "clipseg": 512, "groupvit": 256, "metaclip_2": 512, "siglip": 768, "siglip2": 768,
}  # fmt: skip
"""Two-tower models by model type, with the components of the shared space where the file does not
say them."""
PADDED = {"siglip": 64, "siglip2": 64}
"""Model types whose texts are padded to so many tokens and read without a mask, as they were in
training (Zhai et al. 2023)."""


_AFTER_PADDING = frozenset(("altclip_text_model", "xlm-roberta"))
"""Texts whose positions are counted from behind the index of padding."""
Takes = Literal["texts", "images", "both"]


def takes_of(path: Path) -> Takes:
    """Whether a model takes texts, images or both, by its configuration.

    A folder without a configuration, or a file, is taken for a model of texts.
    """
    try:
        config = json.loads((path / CONFIG).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return "texts"
    if not isinstance(config, dict):
        return "texts"
    kind = config.get("model_type")
    parts = (config.get("text_config"), config.get("vision_config"), config.get("projection_dim"))
    if kind in TOWERS or all(parts):
        return "both"
    return "images" if kind in KINDS else "texts"


def vision_card(path: Path) -> tuple[ModelConfig, Vision]:
    """Read what a model of images says of itself."""
    config = read_config(path / CONFIG)
    kind = str(config["model_type"])
    sizes = config.get("hidden_sizes")
    last = sizes[-1] if isinstance(sizes, list) and sizes else None
    dim = _whole(config, ("hidden_size", "hidden_dim"), last)
    if dim is None:
        raise SourceError(
            f"{path / CONFIG}: the configuration does not say how long a vector is",
            got=f"model type {kind}",
            allowed="hidden_size, or hidden_sizes",
        )
    vision = KINDS[kind]
    top = (_whole(config, ("num_hidden_layers",), 12) or 12) if vision.layers else 1
    more = _whole(config, ("num_register_tokens",), 4 if "register" in kind else 0) or 0
    shifted = Vision(vision.pool, vision.before + more, vision.layers) if more else vision
    return ModelConfig(kind, _class_of(config), None, dim, dim, top, None), shifted


def towers_card(path: Path) -> ModelConfig:
    """Read what a model of texts and images says of itself."""
    config = read_config(path / CONFIG)
    kind = str(config["model_type"])
    texts = config.get("text_config")
    texts = texts if isinstance(texts, dict) else {}
    dim = _whole(config, ("projection_dim",), None)
    if dim is None:
        sizes = ("projection_size", "hidden_size") if kind in PADDED else ("projection_dim",)
        dim = _whole(texts, sizes, TOWERS.get(kind))
    positions = PADDED.get(kind) or _whole(texts, ("max_position_embeddings",), None)
    if positions and texts.get("model_type") in _AFTER_PADDING:
        positions -= 1 + int(texts.get("pad_token_id", 1))
    return ModelConfig(kind, _class_of(config), None, dim or 0, dim or 0, 1, positions)


def _class_of(config: Mapping[str, Any]) -> str:
    named = config.get("architectures")
    return str(named[0]) if isinstance(named, list) and named else str(config["model_type"])


def _whole(config: Mapping[str, Any], names: tuple[str, ...], default: int | None) -> int | None:
    for name in names:
        value = config.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and value > 0:
            return value
    return default


@dataclass(frozen=True)
class Logits:
    """What makes a logit of a cosine."""

    scale: float | None = None
    bias: float | None = None


def logits_of(path: Path, kind: str, seed: int | None) -> Logits:
    """Read what a two-tower model multiplies cosines by, and adds, before a softmax or sigmoid."""
    config = read_config(path / CONFIG)
    if kind == "align":
        said = float(config.get("temperature_init_value", 1.0))
        temperature = said if seed is not None else tensor_in(path, "temperature")
        return Logits(1 / temperature if temperature else None)
    if seed is not None:
        return Logits(math.exp(_start(config, kind)), 0.0 if kind in PADDED else None)
    scale = tensor_in(path, "logit_scale")
    if scale is None:
        return Logits()
    if kind == "aimv2":
        scale = min(scale, math.log(config.get("max_logit_scale", 100.0)))
    return Logits(math.exp(scale), tensor_in(path, "logit_bias"))


def _start(config: Mapping[str, Any], kind: str) -> float:
    """The logarithm of the scale before training."""
    return 0.0 if kind in PADDED else float(config.get("logit_scale_init_value", 2.6592))
