"""A plain loop of transformers over images and texts, one at a time: what vectors are held to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from eatlas.encoders.images import load_processor

BEFORE = {"vit": 1, "dinov2": 1, "dinov2_with_registers": 3, "beit": 1}


def open_image(path: Path) -> Image.Image:
    with Image.open(path) as image:
        return image.convert("RGB")


class PlainLoop:
    """A model with its processor, as its authors' pages use it."""

    def __init__(self, folder: Path, family: str) -> None:
        from transformers import AutoModel, AutoTokenizer

        self.family = family
        self.module = AutoModel.from_pretrained(folder).eval()
        self.processor = load_processor(folder, trust=False)
        self.tokenizer = AutoTokenizer.from_pretrained(folder) if self._towers else None

    @property
    def _towers(self) -> bool:
        return hasattr(self.module, "get_image_features")

    def image(self, path: Path, how: str = "", layer: int | None = None) -> np.ndarray:
        """Vector of an image, in the shared space or pooled from one layer."""
        import torch

        # transformers 4 by itself takes an image of three rows for one of three colours
        given = {"return_tensors": "pt", "input_data_format": "channels_last"}
        inputs = self.processor(images=open_image(path), **given)
        with torch.no_grad():
            if self._towers:
                return row_of(self.module.get_image_features(**inputs))
            out = self.module(**inputs, output_hidden_states=True)
        if how == "pooled":
            return out.pooler_output.reshape(-1).numpy()
        states = out.last_hidden_state if layer is None else out.hidden_states[layer]
        states = states[0].flatten(1).T if states.ndim == 4 else states[0]
        patches = states[BEFORE.get(self.family, 0) :]
        ways = {
            "cls": lambda: states[0],
            "mean": lambda: patches.mean(0),
            "max": lambda: patches.max(0).values,
            "mean-all": lambda: states.mean(0),
        }
        return ways[how]().numpy()

    def text(self, text: str) -> np.ndarray:
        """Vector of a text; SigLIP wants it padded to 64 tokens."""
        import torch

        padding = {"padding": "max_length", "max_length": 64} if "siglip" in self.family else {}
        inputs = self.tokenizer([text], return_tensors="pt", **padding)
        with torch.no_grad():
            return row_of(self.module.get_text_features(**inputs))


def row_of(given: Any) -> np.ndarray:
    """What transformers 4 returns as a tensor, 5 within an object."""
    return getattr(given, "pooler_output", given)[0].numpy()
