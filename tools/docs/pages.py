"""Pages of the site that are elsewhere in the repository, schemas of records, and the version."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

from eatlas.results.diagnosis import Diagnosis
from eatlas.results.json_lines import json_schema
from eatlas.results.parts import Record, schema_of
from eatlas.version import __version__
from eatlas_corpora.results.embedding_regression import EmbeddingRegression
from eatlas_models.model_views.record import ViewsRecord
from eatlas_vocabulary.results.residual import ResidualBias
from eatlas_vocabulary.results.scan import ScanResult
from eatlas_vocabulary.results.themes import ThemesResult
from eatlas_workbench.cards.evidence import Card

ELSEWHERE = {"changelog.md": "CHANGELOG.md", "contributing.md": "CONTRIBUTING.md"}
RECORDS: dict[str, tuple[type[Record], str]] = {
    "scan-1": (ScanResult, "eatlas scan"),
    "themes-1": (ThemesResult, "eatlas scan --themes"),
    "embedding-regression-1": (EmbeddingRegression, "eatlas embedding regression"),
    "diagnosis-1": (Diagnosis, "eatlas diagnosis"),
    "residual-1": (ResidualBias, "eatlas residual bias"),
    "card-1": (Card, "eatlas measure card"),
    "views-1": (ViewsRecord, "eatlas views"),
}
"""Records that have a file of their own, by the name of their schema, with its title."""


def on_config(config: Any) -> None:
    """Let the header show the version."""
    config.extra["release"] = __version__


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that are kept at the root of the repository, and the schemas."""
    root = Path(config.config_file_path).parent
    for address, name in ELSEWHERE.items():
        text = (root / name).read_text(encoding="utf-8")
        files.append(File.generated(config, address, content=seen_from_docs(text)))
    schemas = {"result-1": json_schema()}
    schemas |= {n: schema_of(kind, f"{title}, version 1") for n, (kind, title) in RECORDS.items()}
    for name, schema in schemas.items():
        content = json.dumps(schema, indent=1)
        files.append(File.generated(config, f"schemas/{name}.schema.json", content=content))
    return files


def seen_from_docs(text: str) -> str:
    """Let links that start at the root of the repository start at docs/.

    Examples
    --------
    >>> seen_from_docs("[how](docs/files.md#tests), [who](CONTRIBUTING.md#tests)")
    '[how](files.md#tests), [who](contributing.md#tests)'
    """
    for address, name in ELSEWHERE.items():
        text = text.replace(f"]({name}", f"]({address}")
    return text.replace("](docs/", "](")
