"""Pages of the measure cards, made of their data when the site is built."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

from eatlas import read_card
from eatlas_workbench.cards.card import card_html


def on_files(files: Files, config: Any) -> Files:
    """Add a page for each card; its data stay, to be downloaded."""
    for file in [one for one in files if one.src_path.startswith("cards/")]:
        path = Path(file.abs_src_path)
        if path.suffix == ".json":
            page = card_html(read_card(path), path.name)
            name = f"cards/{path.stem}.html"
            files.append(File.generated(config, name, content=page))
    return files
