"""Tiny models, each written once."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from tests.tiny_models import make_model


@pytest.fixture(scope="session")
def model(tmp_path_factory) -> Callable[[str], Path]:
    """Folder of the tiny model of a family."""
    import torch

    torch.set_num_threads(1)  # several wait for each other on a busy machine, for a few numbers
    return cache(lambda family: make_model(tmp_path_factory.mktemp(family), family))
