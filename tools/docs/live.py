"""Pages that a reader can try, made when the site is built: a frozen explorer."""

from __future__ import annotations

from typing import Any

from mkdocs.structure.files import File, Files

from eatlas.apps.explorer import Explorer
from eatlas.apps.explorer.frozen import frozen_page

EXPLORED = {"live/explore.html": ("weat-6", "glove-sample")}
"""Test and source of each page."""


def on_files(files: Files, config: Any) -> Files:
    """Add a page for each test."""
    for name, (test, source) in EXPLORED.items():
        page = frozen_page(Explorer.of(test, source))
        files.append(File.generated(config, name, content=page))
    return files
