"""Pages of the site that stand elsewhere in the repository, so that nothing is written twice."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ELSEWHERE = {"changelog.md": "CHANGELOG.md", "contributing.md": "CONTRIBUTING.md"}


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that are kept at the root of the repository."""
    root = Path(config.config_file_path).parent
    for address, name in ELSEWHERE.items():
        text = (root / name).read_text(encoding="utf-8")
        files.append(File.generated(config, address, content=seen_from_docs(text)))
    return files


def seen_from_docs(text: str) -> str:
    """Let links that start at the root of the repository start at docs/.

    Examples
    --------
    >>> seen_from_docs("[how](docs/files.md#tests)")
    '[how](files.md#tests)'
    """
    return re.sub(r"\]\(docs/", "](", text)
