"""Pages that a reader can try, made when the site is built: reports and an atlas."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

import eatlas
from eatlas.present import report_html

SOURCES = ("glove-sample", "glove-840b-words")
"""Vectors that come with eatlas."""
PAGES = ("live/report.html", "live/sources.html", "live/atlas/index.html")
"""Where the pages are on the site."""


def pages() -> Iterator[tuple[str, str]]:
    """Where each page is on the site, and the page: ten tests, and the same on two sources."""
    results = eatlas.run()
    yield "live/report.html", report_html(results)
    with tempfile.TemporaryDirectory() as folder:
        lines = Path(folder) / "results.jsonl"
        both = eatlas.run(vectors=list(SOURCES))
        both.write(lines)
        yield "live/sources.html", report_html(both)
        eatlas.write_atlas(lines, Path(folder) / "atlas", title="Ten tests on two sources")
        for path in sorted((Path(folder) / "atlas").iterdir()):
            yield f"live/atlas/{path.name}", path.read_text(encoding="utf-8")


def on_files(files: Files, config: Any) -> Files:
    """Add the pages to the site."""
    for name, page in pages():
        files.append(File.generated(config, name, content=page))
    return files
