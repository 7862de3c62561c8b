"""Pictures that tests draw, and concepts of folders of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image as Picture

from eatlas import Concept
from eatlas.stimuli.images import image_sets


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


def draw_set(root: Path, most: int = 4) -> Path:
    """Write a copy of the published set of images, drawn, with at most so many in a folder."""
    for seed, (folder, count) in enumerate(image_sets()["ieat"].folders.items()):
        for number in range(1, min(count, most) + 1):
            draw(root / folder / f"{number}_google.jpg", 1000 * seed + number)
    return root


def features_of(root: Path, model: str, dim: int = 6, seed: int = 0) -> Path:
    """Write tables of features beside a set, in the form in which its publisher has them."""
    folder = root.parent / "embeddings"
    folder.mkdir(exist_ok=True)
    rng = np.random.default_rng(seed)
    for known in image_sets()["ieat"].folders:
        files = sorted(path.name for path in (root / known).iterdir())
        lines = [",".join(["", *map(str, range(dim)), "img"])]
        lines += [
            ",".join([str(row), *map(str, rng.normal(size=dim).round(6)), name])
            for row, name in enumerate(files)
        ]
        path = folder / f"{known.replace('/', '_')}_{model}.csv"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder
