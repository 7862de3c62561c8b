"""Run a notebook from the top in a fresh kernel: python run_notebook.py IN.ipynb OUT.ipynb."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import nbformat
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient

SECONDS = 300
"""A cell that takes longer is broken."""


def main(source: str, target: str) -> None:
    notebook = nbformat.read(source, as_version=4)
    with tempfile.TemporaryDirectory() as directory:
        # through sockets in that directory, not through network ports
        sockets = str(Path(directory) / "kernel")
        kernel = AsyncKernelManager(kernel_name="python3", transport="ipc", ip=sockets)
        NotebookClient(notebook, km=kernel, timeout=SECONDS).execute(cwd=directory)
    nbformat.write(notebook, target)


if __name__ == "__main__":
    main(*sys.argv[1:])
