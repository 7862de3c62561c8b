"""Notebooks of docs/ as pages: run when the site is built, so that no output is ever stale."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from mkdocs.structure.files import File, Files

RUNNER = Path(__file__).with_name("run_notebook.py")


def on_files(files: Files, config: Any) -> Files:
    """Add a page for each notebook; the notebook itself stays, to be downloaded."""
    for file in [file for file in files if file.src_path.endswith(".ipynb")]:
        path = Path(file.abs_src_path)
        page = file.src_path.removesuffix(".ipynb") + ".md"
        files.append(File.generated(config, page, content=to_markdown(executed(path), path.name)))
    return files


def executed(path: Path) -> Any:
    """The notebook with its outputs, run in a process of its own.

    Raises
    ------
    RuntimeError
        If a cell fails; it says which, and how.
    """
    with tempfile.TemporaryDirectory() as directory:
        target = Path(directory) / path.name
        run = subprocess.run(
            [sys.executable, str(RUNNER), str(path), str(target)],
            capture_output=True,
            text=True,
            check=False,
        )
        if run.returncode:
            raise RuntimeError(f"{path.name} does not run:\n{run.stderr}")
        return nbformat.read(target, as_version=4)


def to_markdown(notebook: Any, name: str) -> str:
    """A page of text, code and what the code shows."""
    parts = list(_parts(notebook))
    download = f'[Download this page as a notebook]({name}){{ .md-button download="{name}" }}'
    return "\n\n".join([*parts, download]) + "\n"


def _parts(notebook: Any) -> Iterator[str]:
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            yield cell.source
        elif cell.cell_type == "code":
            yield f"```python\n{cell.source}\n```"
            yield from filter(None, map(_output, cell.outputs))


def _output(output: Any) -> str:
    if output.output_type == "stream":
        return _text(output.text)
    data = output.get("data", {})
    for kind in ("text/html", "image/svg+xml"):
        if kind in data:
            return f'<div class="output">\n{_on_one_line(data[kind])}\n</div>'
    return _text(data["text/plain"]) if "text/plain" in data else ""


def _text(text: str) -> str:
    return f"```text\n{text.rstrip()}\n```"


def _on_one_line(markup: str) -> str:
    """Markdown ends a block of HTML at an empty line, and reads indented lines as code."""
    without_header = re.sub(r"<\?xml.*?\?>|<!DOCTYPE[^>]*>", "", markup, flags=re.DOTALL)
    return " ".join(line.strip() for line in without_header.splitlines() if line.strip())
