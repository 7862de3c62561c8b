"""A directory to run examples in, with the width of terminal that the pages show."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config
from tools.docs.gallery import executed
from tools.docs.write_outputs import COLUMNS

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True, scope="module")
def _as_users_do(all_resamples: None) -> None:
    pass


@pytest.fixture(scope="session")
def gallery() -> Any:
    """The notebook of the gallery with its outputs."""
    return executed(ROOT / "docs" / "gallery.ipynb")


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole site, as `make docs` builds it, for the tests of the group "site"."""
    folder = tmp_path_factory.mktemp("site")
    build(load_config(str(ROOT / "mkdocs.yml"), site_dir=str(folder)))
    return folder


@pytest.fixture
def in_a_shell(tmp_path, monkeypatch):
    """An empty directory from which modules can be imported, as in an interactive session."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("COLUMNS", COLUMNS)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("EATLAS_DATA", "data")
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        origin = getattr(sys.modules[name], "__file__", None) or ""
        if origin.startswith(str(tmp_path)):
            del sys.modules[name]
