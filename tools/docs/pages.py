"""Pages of the site that stand elsewhere in the repository, and JSON Schemas of its records."""

from __future__ import annotations

import json
import re
from importlib import import_module
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ELSEWHERE = {"changelog.md": "CHANGELOG.md", "contributing.md": "CONTRIBUTING.md"}
SCHEMAS = {
    "result-1": "eatlas.results.json_lines",
    "scan-1": "eatlas.results.scan",
    "themes-1": "eatlas.results.themes",
    "embedding-regression-1": "eatlas.results.embedding_regression",
    "diagnosis-1": "eatlas.results.diagnosis",
    "residual-1": "eatlas.results.residual",
    "card-1": "eatlas.apps.protocol.evidence",
}
"""Modules whose `json_schema` describes a record."""


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that are kept at the root of the repository, and the schemas."""
    root = Path(config.config_file_path).parent
    for address, name in ELSEWHERE.items():
        text = (root / name).read_text(encoding="utf-8")
        files.append(File.generated(config, address, content=seen_from_docs(text)))
    for name, module in SCHEMAS.items():
        schema = json.dumps(import_module(module).json_schema(), indent=1)
        files.append(File.generated(config, f"schemas/{name}.schema.json", content=schema))
    return files


def seen_from_docs(text: str) -> str:
    """Let links that start at the root of the repository start at docs/.

    Examples
    --------
    >>> seen_from_docs("[how](docs/files.md#tests)")
    '[how](files.md#tests)'
    """
    return re.sub(r"\]\(docs/", "](", text)
