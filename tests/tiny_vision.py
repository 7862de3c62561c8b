"""Models of images, alone or beside texts, of a few thousand weights; and images that are drawn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.tiny_models import make_tokenizer

BACKBONES = ("vit", "dinov2", "dinov2_with_registers", "beit", "swin", "resnet")
TOWERS = ("clip", "siglip", "altclip", "align")
EDGE, PATCH, LAYERS = 32, 8, 3
COLOURS = ("crimson", "orange", "gold", "green", "teal", "navy", "purple", "brown")


def draw(path: Path, number: int = 0, size: tuple[int, int] = (57, 44), mode: str = "RGB") -> Path:
    """Draw an image with shapes that differ from number to number, and on each side."""
    from PIL import Image, ImageDraw

    image = Image.new("RGB", size, "ivory")
    pen, (width, height) = ImageDraw.Draw(image), size
    step = 1 + number % 5
    first, second = (COLOURS[(number + k) % len(COLOURS)] for k in (0, 3))
    pen.ellipse((step, 2, step + width // 2, 2 + height // 2), fill=first)
    pen.rectangle((width // 2, height // 2 + step, width, height), fill=second)
    pen.line((0, height, width, number % height), fill="black", width=1 + number % 3)
    image.convert(mode).save(path)
    return path


def make_backbone(folder: Path, family: str) -> Path:
    """Write a randomly initialised model of images and its image processor."""
    import torch
    from transformers import AutoConfig, AutoModel

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(7)
        AutoModel.from_config(
            AutoConfig.for_model(family, **_backbone(family))
        ).save_pretrained(folder)
    _processor(family).save_pretrained(folder)
    return folder


def make_towers(folder: Path, family: str) -> Path:
    """Write a randomly initialised two-tower model, its tokenizer and its image processor."""
    import torch
    from transformers import AutoConfig, AutoModel

    tokenizer = _tokenizer(family)
    tokenizer.save_pretrained(folder)
    config = AutoConfig.for_model(family, **_towers(family, len(tokenizer)))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(7)
        AutoModel.from_config(config).save_pretrained(folder)
    _processor(family).save_pretrained(folder)
    return folder


def _processor(family: str) -> Any:
    """A real image processor, which resizes, cuts and normalises as those of the family do."""
    from eatlas.encoders.images.settings import load_processor

    import json
    from tempfile import TemporaryDirectory

    square, half = {"height": EDGE, "width": EDGE}, [0.5, 0.5, 0.5]
    cut = {"size": {"shortest_edge": EDGE + 4}, "crop_size": square, "do_center_crop": True}
    clip = {
        **cut, "resample": 3, "image_mean": [0.48, 0.46, 0.41], "image_std": [0.27, 0.26, 0.28],
        "do_convert_rgb": True,
    }  # fmt: skip
    said = {
        "clip": {"image_processor_type": "CLIPImageProcessor", **clip},
        "altclip": {"image_processor_type": "CLIPImageProcessor", **clip},
        "siglip": {"image_processor_type": "SiglipImageProcessor", "size": square, "resample": 3},
        "align": {
            "image_processor_type": "EfficientNetImageProcessor", "size": square, "resample": 3,
        },
        "dinov2": {"image_processor_type": "BitImageProcessor", **cut, "resample": 3},
        "resnet": {"image_processor_type": "ConvNextImageProcessor", "size": {"shortest_edge": EDGE}},
    }.get(family, {"image_processor_type": "ViTImageProcessor", "size": square, "resample": 2})  # fmt: skip
    usual = {"do_resize": True, "do_rescale": True, "do_normalize": True}
    with TemporaryDirectory() as folder:
        settings = {"image_mean": half, "image_std": half, **usual, **said}
        (Path(folder) / "preprocessor_config.json").write_text(json.dumps(settings))
        return load_processor(Path(folder), trust=False)


def _backbone(family: str) -> dict[str, Any]:
    usual = {
        "hidden_size": 16, "num_hidden_layers": LAYERS, "num_attention_heads": 2,
        "intermediate_size": 32, "image_size": EDGE, "patch_size": PATCH, "initializer_range": 0.4,
    }  # fmt: skip
    return {
        "swin": {
            "image_size": EDGE, "patch_size": 4, "embed_dim": 8, "depths": [1, 1],
            "num_heads": [2, 2], "window_size": 4, "initializer_range": 0.4,
        },
        "resnet": {"embedding_size": 8, "hidden_sizes": [8, 16], "depths": [1, 1]},
        "dinov2": {**usual, "mlp_ratio": 2},
        "dinov2_with_registers": {**usual, "mlp_ratio": 2, "num_register_tokens": 2},
    }.get(family, usual)  # fmt: skip


def _towers(family: str, words: int) -> dict[str, Any]:
    usual = {
        "hidden_size": 16, "num_hidden_layers": LAYERS, "num_attention_heads": 2,
        "intermediate_size": 32,
    }  # fmt: skip
    image = {**usual, "image_size": EDGE, "patch_size": PATCH}
    text = {**usual, "vocab_size": words, "max_position_embeddings": 40}
    if family == "siglip":
        text |= {"max_position_embeddings": 64, "pad_token_id": 4, "eos_token_id": 3}
        return {"text_config": text, "vision_config": image}
    if family == "align":
        tower = {
            "image_size": EDGE, "hidden_dim": 16, "width_coefficient": 0.2,
            "depth_coefficient": 0.1, "depthwise_padding": [],
        }  # fmt: skip
        return {"text_config": text, "vision_config": tower, "projection_dim": 16}
    ends = {"pad_token_id": 4, "eos_token_id": 3, "bos_token_id": 2}
    more = {"project_dim": 16} if family == "altclip" else {}
    return {
        "text_config": {**text, **ends, **more}, "vision_config": image, "projection_dim": 12,
    }  # fmt: skip


def _tokenizer(family: str) -> Any:
    """CLIP reads in lower case and ends each text; SigLIP pads all to 64 tokens."""
    tokenizer = make_tokenizer("bert")
    return tokenizer
