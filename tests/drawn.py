"""Pictures that tests draw, and concepts of folders of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image as Picture

from eatlas import Concept


def draw(path: Path, seed: int, size: int = 16) -> Path:
    """Write a picture of noise, the same for the same seed."""
    rng = np.random.default_rng(seed)
    path.parent.mkdir(parents=True, exist_ok=True)
    Picture.fromarray(rng.integers(0, 256, (size, size, 3), dtype=np.uint8)).save(path)
    return path


def draw_folder(folder: Path, count: int, seed: int, suffix: str = ".png") -> Path:
    """Write pictures called by their numbers."""
    for number in range(count):
        draw(folder / f"{number}{suffix}", 1000 * seed + number)
    return folder


def concept_of(folder: Path) -> Concept:
    """The concept of a folder's pictures, with its name."""
    return Concept(name=folder.name.title(), images=folder)
