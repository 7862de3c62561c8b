"""Tiny models, each written once."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from tests.tiny_models import make_model
from tests.tiny_vision import BACKBONES, draw, make_backbone, make_towers


@pytest.fixture(scope="session")
def model(tmp_path_factory) -> Callable[[str], Path]:
    """Folder of the tiny model of a family."""
    return cache(lambda family: make_model(tmp_path_factory.mktemp(family), family))


@pytest.fixture(scope="session")
def seeing(tmp_path_factory) -> Callable[[str], Path]:
    """Folder of the tiny model of images, or of texts and images, of a family."""

    def made(family: str) -> Path:
        folder = tmp_path_factory.mktemp(family)
        return (make_backbone if family in BACKBONES else make_towers)(folder, family)

    return cache(made)


@pytest.fixture(scope="session")
def drawn(tmp_path_factory) -> tuple[Path, ...]:
    """Paths of five images that were drawn, of different sizes."""
    folder = tmp_path_factory.mktemp("drawn")
    return tuple(draw(folder / f"{n}.png", n, (57 + 9 * n, 64 - 6 * n)) for n in range(5))
